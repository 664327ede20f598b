// This file reads and writes .safetensors files as tensors; Hugging Face's libraries store weights in them.
#pragma once

#include <tracexpr/files/npz.hpp>
#include <tracexpr/files/safetensors_header.hpp>

#include <map>

namespace tx {

// safetensors_element is a dtype that .safetensors files hold.
template <class T> concept safetensors_element =
    file_element<T> && dtype_of<T> != dtype::complex128 && dtype_of<T> != dtype::string;

namespace detail {

class safetensors_file {
public:
    explicit safetensors_file(file_call const& call) : call_{call}, file_{open_to_read(call)} {
        byte_source in(file_);
        header_ = read_safetensors_header(call_, in);
        file_.clear();
        start_ = file_.tellg();
        for (auto const& e : header_.entries) by_name_.emplace(e.name, &e);
        for (auto const& [name, e] : by_name_) names_.emplace_back(name);
    }
    safetensors_file(safetensors_file const&) = delete;
    safetensors_file& operator=(safetensors_file const&) = delete;
    std::vector<std::string> const& names() const { return names_; }
    bool has(std::string const& name) const { return by_name_.contains(name); }
    std::map<std::string, std::string> const& metadata() const { return header_.metadata; }

    // Gives the result of take(call, bytes, layout) for an array.
    template <class F> auto read(std::string const& name, F const& take) {
        auto const found = by_name_.find(name);
        if (found == by_name_.end()) call_.fail("has no array " + name + "; it has: " + listed_pieces(names_));
        safetensors_entry const& entry = *found->second;
        file_.clear();
        file_.seekg(start_ + static_cast<std::streamoff>(entry.begin));
        byte_source in(file_, entry.end - entry.begin);
        return take(call_.of_array(name), in, entry.layout);
    }

private:
    file_call call_;
    std::ifstream file_;
    safetensors_header header_;
    std::streamoff start_ = 0; // the start of the first array's bytes
    std::map<std::string_view, safetensors_entry const*> by_name_;
    std::vector<std::string> names_; // The names are in order.
};

// Sorts the arrays so that those with the largest elements stand first and all are aligned.
inline void sort_for_safetensors(named_arrays& named) {
    std::sort(named.begin(), named.end(), [](auto const& a, auto const& b) {
        std::size_t const first = safetensors_rank(a.second.type), second = safetensors_rank(b.second.type);
        return first != second ? first > second : a.first < b.first;
    });
}
inline void check_for_safetensors(file_call const& call, named_arrays const& named,
                                  std::map<std::string, std::string> const& metadata) {
    for (auto const& [name, array] : named) {
        if (safetensors_rank(array.type) == safetensors_dtypes.size())
            throw type_error(call.of_array(name).says("has dtype " + std::string(tx::name(array.type)) +
                                                      ", which .safetensors files don't have; save it as .npz"));
        if (!is_utf8(name)) call.fail("a name must be UTF-8; given " + quoted_piece(name));
        if (name == safetensors_metadata_key)
            call.fail("no array may be called __metadata__: it is what the format calls its own");
    }
    for (auto const& [key, value] : metadata)
        if (!is_utf8(key) || !is_utf8(value))
            call.fail("metadata must be UTF-8; given " + quoted_piece(is_utf8(key) ? value : key));
}
inline std::string safetensors_header_of(file_call const& call, named_arrays const& named,
                                         std::map<std::string, std::string> const& metadata) {
    std::string text, pairs;
    for (auto const& [key, value] : metadata) pairs += (pairs.empty() ? "" : ",") + json_text(key) + ':' + json_text(value);
    if (!metadata.empty()) text += json_text(safetensors_metadata_key) + ":{" + pairs + '}';
    std::uint64_t begin = 0;
    for (auto const& [name, array] : named) {
        std::string extents;
        for (int axis = 0; axis < array.shape.rank; ++axis) extents += (axis == 0 ? "" : ",") + std::to_string(array.shape[axis]);
        std::uint64_t const end = begin + static_cast<std::uint64_t>(array.shape.size()) * size_in_bytes(array.type);
        text += (text.empty() ? "" : ",") + json_text(name) + ":{\"dtype\":\"" + safetensors_code(array.type) + "\",\"shape\":[" +
                extents + "],\"data_offsets\":[" + std::to_string(begin) + ',' + std::to_string(end) + "]}";
        begin = end;
    }
    text = '{' + text + '}';
    constexpr std::size_t unit = 8;
    text.resize((text.size() + unit - 1) / unit * unit, ' ');
    if (text.size() > safetensors_longest_header)
        call.fail("its names and metadata take more than the 100,000,000 bytes that they may");
    std::string out;
    append_little_endian(out, text.size(), 8);
    return out + text;
}
inline void save_safetensors(file_call const& call, named_arrays named, std::map<std::string, std::string> const& metadata) {
    check_names_differ(call, named);
    check_for_safetensors(call, named, metadata);
    sort_for_safetensors(named);
    std::string const header = safetensors_header_of(call, named, metadata);
    file_writer file(call);
    file.write(header);
    array_layout layout;
    layout.foreign_order = std::endian::native != std::endian::little;
    for (auto const& [name, array] : named) {
        layout.element_bytes = size_in_bytes(array.type);
        write_elements(file, array, layout);
    }
    file.finish();
}

} // namespace detail

// Reads an array: load_safetensors<float>(path, "weights"), or with a shape that it must have, load_safetensors<float, shape<dyn,
// 64>>(path, name). Throws type_error for another dtype, shape_error for another shape, and error for a file that the format does
// not allow: all of its header is checked first, as the reference implementation does.
template <element T, shape_type Shape = any_shape>
[[nodiscard]] tensor<T, Shape> load_safetensors(std::string const& path, std::string const& name) {
    static_assert(safetensors_element<T>, "tx: load_safetensors: the format has no complex128, strings or dual numbers");
    detail::safetensors_file file(detail::file_call{"load_safetensors", path});
    return detail::read_one<T, Shape>(file, name);
}
// Reads a part of an array's rows and nothing else: load_safetensors<float>(path, "weights", part_of{rank, ranks}). The shape is
// that of the part. Throws shape_error for a single number.
template <element T, shape_type Shape = any_shape>
[[nodiscard]] tensor<T, Shape> load_safetensors(std::string const& path, std::string const& name, part_of part) {
    static_assert(safetensors_element<T>, "tx: load_safetensors: the format has no complex128, strings or dual numbers");
    detail::file_call const call{"load_safetensors", path};
    detail::check_part(call, part);
    return detail::safetensors_file(call).read(name, [&](auto const& array, auto& in, auto const& layout) {
        return detail::read_part<T, Shape>(array, in, layout, part);
    });
}
// Reads all arrays of a file, by name. Throws type_error for an array with a dtype that tensors don't have, such as F8_E4M3.
[[nodiscard]] inline named_tensors load_safetensors(std::string const& path) {
    detail::safetensors_file file(detail::file_call{"load_safetensors", path});
    return detail::read_all(file);
}
// Gives what the file says under "__metadata__".
[[nodiscard]] inline std::map<std::string, std::string> load_safetensors_metadata(std::string const& path) {
    return detail::safetensors_file(detail::file_call{"load_safetensors_metadata", path}).metadata();
}

// Writes arrays: save_safetensors(path, {{"weights", w}, {"bias", b}}, {{"format", "pt"}}). The bytes are those that the
// reference implementation writes (metadata in the order of its keys). Throws type_error for complex128 and strings, which the
// format has not, and error for a name that is given twice.
inline void save_safetensors(std::string const& path, std::initializer_list<named_tensors::value_type> tensors,
                             std::map<std::string, std::string> const& metadata = {}) {
    detail::save_safetensors(detail::file_call{"save_safetensors", path}, detail::arrays_of(tensors), metadata);
}
// Writes the arrays of a map.
inline void save_safetensors(std::string const& path, named_tensors const& tensors,
                             std::map<std::string, std::string> const& metadata = {}) {
    detail::save_safetensors(detail::file_call{"save_safetensors", path}, detail::arrays_of(tensors), metadata);
}

} // namespace tx
