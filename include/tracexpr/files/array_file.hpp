// This file reads arrays of a file, whole or in part, whatever the file's format is.
#pragma once

#include <tracexpr/files/any_array.hpp>
#include <tracexpr/files/part.hpp>

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tx::detail {

inline void check_part(file_call const& call, tx::part_of const& part) {
    if (part.index < 0 || part.index >= part.count)
        call.fail("part_of{index, count} needs 0 <= index < count; given {" + std::to_string(part.index) + ", " +
                  std::to_string(part.count) + "}");
}
// Reads a part of an array, whose shape must be as the type says. A file that lacks elements of another part is refused, too, so
// that all processes that read its parts see the error.
inline loaded_array read_part(file_call const& call, byte_source& in, array_layout layout, array_type const& wanted,
                              tx::part_of const& part) {
    if (layout.extents.empty()) throw shape_error(call.says("holds one number, which has no rows to take a part of"));
    std::int64_t& rows = layout.extents.front();
    std::int64_t const begin = part.begin(rows), end = part.end(rows);
    layout.rows_before = begin, layout.rows_behind = rows - end;
    rows = end - begin;
    return read_elements(call.of_array("rows " + std::to_string(begin) + ':' + std::to_string(end)), in, layout, wanted);
}

// opened_array is one of a file's arrays, of which the header was read.
struct opened_array {
    file_call call; // for messages about the array
    byte_source in;
    array_layout layout;
    std::uint32_t checksum = 0; // as the file says it, in formats that have one
};

// array_file is a file of several arrays, which have names.
class array_file {
public:
    array_file() = default;
    array_file(array_file const&) = delete;
    array_file& operator=(array_file const&) = delete;
    virtual ~array_file() = default;

    virtual std::vector<std::string> const& names() const = 0;
    virtual bool has(std::string const& name) const = 0;
    virtual opened_array open(std::string const& name) = 0;
    // Opens an array that is not read whole, so that no checksum is compared.
    virtual opened_array open_for_part(std::string const& name) = 0;
    // Throws error if what was read, or is left to read, is not what was written.
    virtual void check(opened_array& array) const = 0;
};

inline loaded_array read_whole(array_file& file, std::string const& name, array_type const& wanted,
                               char const* who = "the type says") {
    opened_array array = file.open(name);
    loaded_array out = read_elements(array.call, array.in, array.layout, wanted, who);
    file.check(array);
    return out;
}
inline loaded_array read_part(array_file& file, std::string const& name, array_type const& wanted, tx::part_of const& part) {
    opened_array array = file.open_for_part(name);
    return read_part(array.call, array.in, array.layout, wanted, part);
}
// Reads all arrays of a file.
inline named_tensors read_all(array_file& file) {
    named_tensors out;
    for (std::string const& name : file.names()) {
        opened_array array = file.open(name);
        any_tensor read = read_any_tensor(array.call, array.in, array.layout);
        file.check(array);
        out.insert_or_assign(name, std::move(read));
    }
    return out;
}

// named_arrays are arrays that are to be written, with their names.
using named_arrays = std::vector<std::pair<std::string, array_elements>>;

// Gives the arrays of a map, or of a list of its elements.
template <class Tensors> named_arrays arrays_of(Tensors const& tensors) {
    named_arrays out;
    for (auto const& [name, t] : tensors) out.emplace_back(name, array_of(t));
    return out;
}
inline void check_names_differ(file_call const& call, named_arrays const& named) {
    std::set<std::string_view> names;
    for (auto const& [name, array] : named)
        if (!names.insert(name).second)
            call.fail("each array must have a name of its own; given " + quoted_piece(name) + " twice");
}

} // namespace tx::detail
