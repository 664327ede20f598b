// Holds the elements of a model's tensors. They stay in the file if they have the layout of tensors there, else they are copied
// once.
#pragma once

#include <tracexpr/backends/host_array.hpp>
#include <tracexpr/base/interned.hpp>
#include <tracexpr/graph/literal.hpp>
#include <tracexpr/onnx/mapped_file.hpp>
#include <tracexpr/onnx/messages.hpp>

#include <filesystem>
#include <map>
#include <mutex>

namespace tx::onnx::detail {

// Holds row-major elements, and what owns them.
struct stored_tensor {
    dtype type{};
    dims shape{};
    std::shared_ptr<void const> owner;
    void const* data = nullptr;
    bool is_of_four_bits = false; // set for int4 and uint4, which are kept as int8 and uint8
};

// Converts words of a graph to the elements of an array.
inline std::shared_ptr<host_array const> array_of_words(dtype type, dims const& shape, table_view<std::uint64_t> words) {
    host_array out = host_array::of(type, shape);
    std::size_t const each = words_of(type);
    with_element(type, [&]<class T>(T const&) {
        for (std::size_t k = 0; k * each < words.size(); ++k) {
            T const element = from_words<T>(words.data() + k * each);
            std::memcpy(out.bytes.data() + k * sizeof(T), static_cast<void const*>(&element), sizeof(T));
        }
    });
    return std::make_shared<host_array const>(std::move(out));
}

// Holds the files of one model: the model's file, and files beside it with elements.
class model_files {
public:
    explicit model_files(file_call call) : call_{std::move(call)}, model_{std::make_shared<mapped_file const>(call_)} {}
    // A model in memory, which `owner` keeps, has no files beside it.
    model_files(file_call call, std::shared_ptr<void const> owner, std::string_view bytes)
        : call_{std::move(call)}, memory_{std::move(owner)}, bytes_{bytes} {}

    file_call const& call() const { return call_; }
    std::string_view model() const { return model_ ? model_->bytes() : bytes_; }
    std::shared_ptr<void const> owner() const { return model_ ? std::shared_ptr<void const>(model_) : memory_; }

    // Reads a part of a file beside the model's; the path must not lead out of the model's folder. Traces of several threads may
    // call this.
    stored_tensor external(tensor_message const& t, std::string_view& bytes) const {
        std::string location;
        std::uint64_t offset = 0, length = 0;
        bool has_length = false;
        for (wire_reader in(t.message, call_); in.next();) {
            if (!in.is_bytes(13)) continue;
            std::string_view key, value;
            for (wire_reader pair(in.bytes(), call_); pair.next();) {
                if (pair.is_bytes(1)) key = pair.bytes();
                else if (pair.is_bytes(2)) value = pair.bytes();
            }
            if (key == "location") location = value;
            else if (key == "offset") offset = number(t, value);
            else if (key == "length") length = number(t, value), has_length = true;
        }
        std::shared_ptr<mapped_file const> const file = open(t, location);
        std::string_view const all = file->bytes();
        if (offset > all.size() || (has_length && length > all.size() - offset))
            call_.fail("the elements of " + quoted_piece(t.name) + " lie beyond the end of " + quoted_piece(location));
        bytes = has_length ? all.substr(offset, length) : all.substr(offset);
        stored_tensor out;
        out.owner = file;
        return out;
    }

private:
    std::uint64_t number(tensor_message const& t, std::string_view text) const {
        std::uint64_t out = 0;
        bool fits = !text.empty() && text.size() <= 18;
        for (char const c : text) {
            fits = fits && c >= '0' && c <= '9';
            if (fits) out = 10 * out + static_cast<std::uint64_t>(c - '0');
        }
        if (!fits) call_.fail("says no place for the elements of " + quoted_piece(t.name));
        return out;
    }
    std::shared_ptr<mapped_file const> open(tensor_message const& t, std::string const& location) const {
        std::lock_guard const lock(*mutex_);
        if (auto const known = beside_.find(location); known != beside_.end()) return known->second;
        namespace fs = std::filesystem;
        fs::path const wanted(location);
        bool leaves =
            !model_ || location.empty() || location.find('\0') != location.npos || wanted.is_absolute() || wanted.has_root_path();
        for (fs::path const& part : wanted) leaves = leaves || part == "..";
        std::error_code failed;
        fs::path const folder = fs::weakly_canonical(fs::absolute(fs::path(call_.path), failed).parent_path(), failed);
        fs::path const whole = leaves || failed ? fs::path() : fs::weakly_canonical(folder / wanted, failed);
        // The path is compared after links are followed, as a link may lead elsewhere.
        auto const at = std::mismatch(folder.begin(), folder.end(), whole.begin(), whole.end());
        if (leaves || failed || at.first != folder.end())
            call_.fail("the elements of " + quoted_piece(t.name) + " must lie in the model's folder, not in " +
                       quoted_piece(location));
        if (beside_.size() == 10'000) call_.fail("has its elements in more than 10,000 files");
        file_call const call{call_.function, whole.string()};
        return beside_.emplace(location, std::make_shared<mapped_file const>(call)).first->second;
    }

    file_call call_;
    std::shared_ptr<mapped_file const> model_;
    std::shared_ptr<void const> memory_;
    std::string_view bytes_;
    std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
    mutable std::map<std::string, std::shared_ptr<mapped_file const>> beside_;
};

// No value of a model may have more elements, not even if extents of 0 are left out: extents in a model are checked before
// anything is allocated for them, and products of a few of them fit into 64 bits. Tests lower it.
inline std::int64_t most_elements = std::int64_t{1} << 36;

// Returns the number of elements of a tensor; throws if it is more than memory holds.
inline std::uint64_t element_count(dims const& shape, file_call const& file) {
    std::uint64_t out = 1;
    bool is_empty = false;
    for (int a = 0; a < shape.rank; ++a) {
        auto const extent = static_cast<std::uint64_t>(shape[a]);
        is_empty = is_empty || extent == 0;
        if (extent > 0 && out > static_cast<std::uint64_t>(most_elements) / extent)
            file.fail("has a tensor that is larger than memory can be");
        out *= extent > 0 ? extent : 1;
    }
    return is_empty ? 0 : out;
}

// Allocates memory for elements of a dtype, aligned to a cache line, so that no vector crosses two lines.
inline constexpr std::size_t cache_line = 64;
inline stored_tensor room_for(dtype type, dims const& shape) {
    stored_tensor out;
    out.type = type, out.shape = shape;
    auto const bytes = static_cast<std::size_t>(shape.size()) * size_in_bytes(type);
    constexpr std::align_val_t line{cache_line};
    std::shared_ptr<void> memory(::operator new(bytes + 1, line), [](void* freed) { ::operator delete(freed, line); });
    out.data = memory.get();
    if (type == dtype::string) {
        struct held_memory {
            std::shared_ptr<void> memory;
            held_strings strings;
        };
        auto held = std::make_shared<held_memory>();
        held->strings.hold(memory.get(), bytes);
        held->memory = std::move(memory);
        memory = std::move(held);
    }
    out.owner = std::move(memory);
    return out;
}
inline std::byte* writable(stored_tensor const& t) { return static_cast<std::byte*>(const_cast<void*>(t.data)); }

// Converts elements as raw_data and files have them: little-endian, with two 4-bit integers in a byte.
inline stored_tensor stored_raw(tensor_message const& t, std::string_view raw, std::shared_ptr<void const> owner, dtype type,
                                file_call const& file) {
    bool const is_packed = has_four_bits(t.type);
    std::uint64_t const count = element_count(t.shape, file);
    std::uint64_t const wanted = is_packed ? (count + 1) / 2 : count * size_in_bytes(type);
    if (raw.size() != wanted)
        file.fail("the tensor " + quoted_piece(t.name) + " must have " + std::to_string(wanted) +
                  " bytes for its shape; it has " + std::to_string(raw.size()));
    // In the model's file many elements stay only if vectors of them are aligned; files beside it are too large to be copied.
    constexpr std::size_t many = 4096;
    std::size_t const alignment = !t.is_external && raw.size() > many ? cache_line : size_in_bytes(real_part(type));
    bool const is_aligned = reinterpret_cast<std::uintptr_t>(raw.data()) % alignment == 0;
    if (is_aligned && !is_packed && type != dtype::boolean && std::endian::native == std::endian::little)
        return {type, t.shape, std::move(owner), raw.data(), false};
    stored_tensor out = room_for(type, t.shape);
    out.is_of_four_bits = is_packed;
    std::byte* const to = writable(out);
    std::size_t const size = size_in_bytes(real_part(type));
    if (is_packed) {
        for (std::size_t k = 0; k < count; ++k) {
            unsigned const bits = static_cast<unsigned char>(raw[k / 2]) >> (4 * (k % 2)) & 15u;
            to[k] = static_cast<std::byte>(type == dtype::int8 && bits > 7 ? bits | 0xf0u : bits);
        }
    } else if (type == dtype::boolean) {
        for (std::size_t k = 0; k < count; ++k) to[k] = std::byte{raw[k] != 0};
    } else if constexpr (std::endian::native == std::endian::little) {
        if (!raw.empty()) std::memcpy(to, raw.data(), raw.size());
    } else {
        for (std::size_t k = 0; k < raw.size(); ++k) to[k] = static_cast<std::byte>(raw[k / size * size + (size - 1 - k % size)]);
    }
    return out;
}

// Reads elements that are stored in the message as numbers or texts.
inline stored_tensor stored_numbers(tensor_message const& t, dtype type, file_call const& file) {
    std::uint64_t const field = type == dtype::float32 || type == dtype::complex64    ? 4
                                : type == dtype::float64 || type == dtype::complex128 ? 10
                                : type == dtype::int64                                ? 7
                                : type == dtype::uint32 || type == dtype::uint64      ? 11
                                : type == dtype::string                               ? 6
                                                                                      : 5;
    using form = wire_reader::form;
    form const single = field == 4 ? form::fixed32 : field == 10 ? form::fixed64 : form::varint;
    bool const is_packed = has_four_bits(t.type);
    std::uint64_t const count = element_count(t.shape, file), numbers = is_packed          ? (count + 1) / 2
                                                                        : is_complex(type) ? 2 * count
                                                                                           : count;
    std::uint64_t given = 0;
    for (wire_reader in(t.message, file); in.next();) {
        if (in.field() != field) continue;
        if (type == dtype::string) ++given;
        else in.for_each_number(single, [&](std::uint64_t) { ++given; });
    }
    if (given != numbers)
        file.fail("the tensor " + quoted_piece(t.name) + " must have " + std::to_string(numbers) +
                  " numbers for its shape; it has " + std::to_string(given));
    stored_tensor out = room_for(type, t.shape);
    out.is_of_four_bits = is_packed;
    std::byte* to = writable(out);
    auto const put = [&](auto value) {
        std::memcpy(to, &value, sizeof(value));
        to += sizeof(value);
    };
    std::uint64_t at = 0;
    for (wire_reader in(t.message, file); in.next();) {
        if (in.field() != field) continue;
        if (type == dtype::string) {
            if (!in.is_bytes(field)) throw_damaged(file);
            new (to) interned(in.bytes());
            to += sizeof(interned);
            continue;
        }
        in.for_each_number(single, [&](std::uint64_t bits) {
            if (is_packed) {
                for (unsigned half = 0; half < 2 && at < count; ++half, ++at) {
                    unsigned const four = static_cast<unsigned>(bits) >> (4 * half) & 15u;
                    put(static_cast<std::uint8_t>(type == dtype::int8 && four > 7 ? four | 0xf0u : four));
                }
                return;
            }
            switch (size_in_bytes(real_part(type))) {
            case 1: return put(static_cast<std::uint8_t>(type == dtype::boolean ? bits != 0 : bits));
            case 2: return put(static_cast<std::uint16_t>(bits));
            case 4: return put(static_cast<std::uint32_t>(bits));
            default: return put(bits);
            }
        });
    }
    return out;
}

inline stored_tensor stored(tensor_message const& t, model_files const& files) {
    file_call const& file = files.call();
    std::optional<dtype> const type = dtype_of_element(t.type);
    if (!type)
        file.fail("the tensor " + quoted_piece(t.name) + " has elements of " + name_of_element(t.type) +
                  ", which tensors don't have");
    if (t.is_external) {
        if (*type == dtype::string) file.fail("the strings of " + quoted_piece(t.name) + " must stand in the model");
        std::string_view raw;
        stored_tensor const whole = files.external(t, raw);
        return stored_raw(t, raw, whole.owner, *type, file);
    }
    if (t.has_raw && *type != dtype::string) return stored_raw(t, t.raw, files.owner(), *type, file);
    return stored_numbers(t, *type, file);
}
// Sparse tensors are expanded with their zeros, which take no bytes in the file, so the number of their bytes is limited, for all
// tensors of a model together.
inline std::uint64_t zeros_allowed(model_files const& files) { return (std::uint64_t{8} << 20) + 8 * files.model().size(); }
inline stored_tensor stored(sparse_message const& s, model_files const& files, std::uint64_t& bytes_left) {
    file_call const& file = files.call();
    stored_tensor const values = stored(s.values, files), indices = stored(s.indices, files);
    std::uint64_t const all = element_count(s.shape, file), count = element_count(values.shape, file);
    std::size_t const size = size_in_bytes(values.type);
    if (all > bytes_left / size) file.fail("has sparse tensors of too many zeros");
    bytes_left -= all * size;
    bool const is_flat = indices.shape.rank == 1;
    bool fits = indices.type == dtype::int64 && values.shape.rank == 1 && values.type != dtype::string &&
                (is_flat || (indices.shape.rank == 2 && indices.shape[1] == s.shape.rank)) && indices.shape[0] == values.shape[0];
    stored_tensor out = room_for(values.type, s.shape);
    std::memset(writable(out), 0, static_cast<std::size_t>(all) * size);
    for (std::uint64_t k = 0; fits && k < count; ++k) {
        std::uint64_t place = 0;
        std::size_t const axes = is_flat ? 1 : static_cast<std::size_t>(s.shape.rank);
        for (std::size_t a = 0; fits && a < axes; ++a) {
            std::int64_t index = 0;
            std::memcpy(&index, static_cast<std::byte const*>(indices.data) + (k * axes + a) * sizeof(index), sizeof(index));
            auto const extent = is_flat ? static_cast<std::int64_t>(all) : s.shape[static_cast<int>(a)];
            fits = index >= 0 && index < extent;
            place = place * static_cast<std::uint64_t>(extent) + static_cast<std::uint64_t>(fits ? index : 0);
        }
        if (fits) std::memcpy(writable(out) + place * size, static_cast<std::byte const*>(values.data) + k * size, size);
    }
    if (!fits) file.fail("has a sparse tensor whose indices are none of its shape");
    return out;
}
inline stored_tensor stored(sparse_message const& s, model_files const& files) {
    std::uint64_t bytes_left = zeros_allowed(files);
    return stored(s, files, bytes_left);
}

} // namespace tx::onnx::detail
