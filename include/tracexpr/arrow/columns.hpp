// This file converts between tensors and columns of the Arrow C data interface: what a column's schema calls its elements, and
// where these lie. Arrow packs bools into bits, while tensors keep them in bytes.
#pragma once

#include <tracexpr/arrow/structs.hpp>
#include <tracexpr/base/shown_elements.hpp>
#include <tracexpr/trace/expr.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace tx::detail {

// Gives the format string of a dtype, or null if Arrow hasn't the dtype.
constexpr char const* arrow_format(dtype t) {
    switch (t) {
    case dtype::boolean: return "b";
    case dtype::int8: return "c";
    case dtype::uint8: return "C";
    case dtype::int16: return "s";
    case dtype::uint16: return "S";
    case dtype::int32: return "i";
    case dtype::uint32: return "I";
    case dtype::int64: return "l";
    case dtype::uint64: return "L";
    case dtype::float16: return "e";
    case dtype::float32: return "f";
    case dtype::float64: return "g";
    default: return nullptr;
    }
}
inline std::string name_of_arrow_format(std::string_view format) {
    for (dtype t = dtype::boolean; t < dtype::string; t = static_cast<dtype>(static_cast<int>(t) + 1))
        if (char const* const known = arrow_format(t); known && format == known) return std::string(name(t));
    return "Arrow's \"" + std::string(format) + "\"";
}

constexpr bool bit_at(void const* bits, std::int64_t place) {
    auto const byte = static_cast<unsigned>(static_cast<unsigned char const*>(bits)[place / 8]);
    return byte >> static_cast<unsigned>(place % 8) & 1u;
}
inline void pack_bits(bool const* from, std::int64_t count, void* to) {
    auto* const bytes = static_cast<unsigned char*>(to);
    for (std::int64_t first = 0; first < count; first += 8) {
        unsigned byte = 0;
        for (std::int64_t i = first; i < count && i < first + 8; ++i) byte |= static_cast<unsigned>(from[i]) << (i - first);
        bytes[first / 8] = static_cast<unsigned char>(byte);
    }
}

// Gives the number of elements of a column that are null. `valid` has a bit for each element, which is 1 if it isn't null; it may
// be null itself.
inline std::int64_t nulls_of(ArrowArray const& array, void const* valid) {
    if (!valid) return array.null_count > 0 ? array.null_count : 0;
    if (array.null_count >= 0) return array.null_count;
    std::int64_t nulls = 0;
    for (std::int64_t i = 0; i < array.length; ++i) nulls += !bit_at(valid, array.offset + i);
    return nulls;
}

struct column_form {
    dtype type{};
    dims shape{};
    std::size_t alignment = 1;
};
struct given_column {
    // Null if there are no elements; for bool these are the bits, from the column's first byte on.
    void const* elements = nullptr;
    char const* unshared = nullptr; // why a tensor can't share the memory
};

inline void require_arrow(bool holds, std::string const& expected, std::string const& actual) {
    if (!holds) throw error("tx: from_arrow: " + expected + "; " + actual);
}
// Throws if a tensor of that dtype and shape can't hold the column.
template <class Unused = void>
given_column checked_column(ArrowSchema const& schema, ArrowArray const& array, column_form const& wanted) {
    require_arrow(schema.release, "the schema must not be released", "its release is null");
    require_arrow(array.release, "the array must not be released", "its release is null");
    require_arrow(schema.format, "the schema must have a format", "it is null");
    if (schema.dictionary || array.dictionary)
        throw type_error("tx: from_arrow: the column must be " + std::string(name(wanted.type)) +
                         "; it is dictionary-encoded; decode it first");
    if (std::string_view(schema.format) != arrow_format(wanted.type))
        throw type_error("tx: from_arrow: the column must be " + std::string(name(wanted.type)) + " (\"" +
                         arrow_format(wanted.type) + "\"); it is " + name_of_arrow_format(schema.format));
    require_arrow(array.n_buffers == 2 && array.buffers, "the array must have 2 buffers",
                  "it has " + std::to_string(array.buffers ? array.n_buffers : 0));
    require_arrow(array.length >= 0 && array.offset >= 0, "length and offset must not be negative",
                  "they are " + std::to_string(array.length) + " and " + std::to_string(array.offset));
    dims const extents{{array.length}, 1};
    check_fits("from_arrow", wanted.shape, extents);
    check_extents("from_arrow", extents, size_in_bytes(wanted.type));
    if (std::int64_t const nulls = nulls_of(array, array.buffers[0]))
        throw error("tx: from_arrow: the column must have no nulls; " + std::to_string(nulls) + " of its " +
                    std::to_string(array.length) + " elements are null; fill or drop them first");
    given_column out;
    if (array.length == 0) return out;
    require_arrow(array.buffers[1], "the array's second buffer must have the elements", "it is null");
    out.elements = array.buffers[1];
    if (wanted.type == dtype::boolean) {
        out.unshared = "Arrow packs bools into bits";
    } else {
        out.elements =
            static_cast<std::byte const*>(out.elements) + array.offset * static_cast<std::int64_t>(size_in_bytes(wanted.type));
        if (reinterpret_cast<std::uintptr_t>(out.elements) % wanted.alignment != 0) out.unshared = "its buffer isn't aligned";
    }
    return out;
}

struct array_owner {
    ArrowArray array{};

    explicit array_owner(ArrowArray const& given) noexcept : array{given} {}
    array_owner(array_owner&& other) noexcept : array{other.array} { other.array.release = nullptr; }
    ~array_owner() {
        if (array.release) array.release(&array);
    }
};

// The tensor takes over the column only when nothing can throw any more.
template <class Tensor> Tensor imported_column(ArrowSchema& schema, ArrowArray& array, copy how) {
    using T = typename Tensor::value_type;
    using Shape = typename Tensor::shape_type;
    constexpr bool is_small = is_inline<T, Shape>;
    given_column given = checked_column(schema, array, {dtype_of<T>, dims_of<Shape>, alignof(T)});
    if (is_small) given.unshared = "a small tensor of known shape holds its elements itself; ask for one with an open extent";
    dims const extents{{array.length}, 1};
    auto const take_over = [&] {
        array.release = nullptr;
        schema.release(&schema);
        schema.release = nullptr;
    };
    if (array.length > 0 && given.unshared && how == copy::never) throw_not_shared("from_arrow", given.unshared);
    if constexpr (!is_small) {
        if (array.length > 0 && !given.unshared && how != copy::always) {
            array_owner owner(array);
            try {
                Tensor const out = lent_tensor<Tensor>(given.elements, extents, owner);
                take_over();
                return out;
            } catch (...) {
                owner.array.release = nullptr; // The array stays the caller's.
                throw;
            }
        }
    }
    Tensor out = Tensor::uninitialized(extents);
    if (array.length > 0) {
        T* const to = out.mutable_data();
        if constexpr (std::is_same_v<T, bool>) {
            for (std::int64_t i = 0; i < array.length; ++i) to[i] = bit_at(given.elements, array.offset + i);
        } else {
            std::memcpy(static_cast<void*>(to), given.elements, static_cast<std::size_t>(array.length) * sizeof(T));
        }
    }
    array_owner const copied(array);
    take_over();
    return out;
}

// A made_array is the private data of an array made of a tensor, and a made_schema that of its schema. Each is released
// separately.
struct made_array {
    block_reference block;
    void const* buffers[2]{};

    static void discard(ArrowArray* array) {
        delete static_cast<made_array*>(array->private_data);
        array->release = nullptr;
    }
};
struct made_schema {
    std::string name;

    static void discard(ArrowSchema* schema) {
        delete static_cast<made_schema*>(schema->private_data);
        schema->release = nullptr;
    }
};
inline std::pair<ArrowSchema, ArrowArray> made_column(shown_elements&& shown, std::string_view name) {
    if (shown.extents.rank != 1)
        throw shape_error("tx: to_arrow: a column must have one axis; the tensor has shape " + to_string(shown.extents));
    auto schema = std::make_unique<made_schema>(made_schema{std::string(name)});
    auto array = std::make_unique<made_array>();
    array->block = std::move(shown.block);
    array->buffers[1] = shown.data;
    std::pair<ArrowSchema, ArrowArray> out{};
    out.first.format = arrow_format(shown.type);
    out.first.name = schema->name.c_str();
    out.first.flags = ARROW_FLAG_NULLABLE; // Columns of tables usually have this flag.
    out.first.release = made_schema::discard;
    out.second.length = shown.extents[0];
    out.second.n_buffers = 2;
    out.second.buffers = array->buffers;
    out.second.release = made_array::discard;
    out.first.private_data = schema.release(), out.second.private_data = array.release();
    return out;
}

// Gives the elements of a tensor of bool packed into bits, as Arrow has them.
template <class Shape> shown_elements packed_bits(tensor<bool, Shape> const& x, copy how) {
    if (!tensor_access::has_values(x)) throw_symbolic("to_arrow");
    shown_elements out{.type = dtype::boolean, .extents = x.dimensions(), .is_copy = true};
    if (x.size() == 0) return out;
    if (how == copy::never) throw_not_shared("to_arrow", "Arrow packs bools into bits");
    out.data = allocate_block(static_cast<std::size_t>((x.size() + 7) / 8));
    out.block = block_reference(out.data);
    pack_bits(x.data(), x.size(), out.data);
    return out;
}
template <class T, class Shape>
std::pair<ArrowSchema, ArrowArray> exported_column(tensor<T, Shape> const& x, std::string_view name, copy how) {
    if constexpr (std::is_same_v<T, bool>) return made_column(packed_bits(x, how), name);
    else return made_column(shown_by<false>("to_arrow", x, how), name);
}

template <class T> constexpr bool check_column_type() {
    constexpr bool has_type = arrow_format(dtype_of<T>) != nullptr;
    static_assert(has_type,
                  "tx: arrow: a column has bool, integers, tx::half, float or double; cast others, and split complex numbers");
    return has_type;
}
template <class Shape> constexpr bool check_column_shape() {
    constexpr bool has_one_axis = dims_of<Shape>.rank < 0 || dims_of<Shape>.rank == 1;
    static_assert(has_one_axis, "tx: arrow: a column has one axis, tx::shape<tx::dyn>; take the columns of a matrix one by one");
    return has_one_axis;
}
template <class X> constexpr bool check_column() {
    constexpr bool is_array = tensor_type<X> || variable_type<X>;
    static_assert(
        is_array,
        "tx: to_arrow: takes a tensor or a variable; make another library's array or an op's unfinished result a tensor first");
    if constexpr (is_array) return check_column_type<typename X::value_type>() && check_column_shape<typename X::shape_type>();
    else return false;
}

} // namespace tx::detail
