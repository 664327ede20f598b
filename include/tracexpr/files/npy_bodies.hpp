// This file holds the bodies of files/npy.hpp.
#pragma once

#include <tracexpr/files/array_file.hpp>
#include <tracexpr/files/npy.hpp>
#include <tracexpr/files/npy_array.hpp>

#include <fstream>

namespace tx {

namespace detail {

TRACEXPR_BODY loaded_array read_npy(std::string const& path, array_type const& wanted) {
    file_call const call{"load_npy", path};
    std::ifstream file = open_to_read(call);
    byte_source in(file);
    array_layout const layout = read_npy_header(call, in);
    return read_elements(call, in, layout, wanted);
}
TRACEXPR_BODY loaded_array read_npy(std::string const& path, array_type const& wanted, tx::part_of const& part) {
    file_call const call{"load_npy", path};
    check_part(call, part);
    std::ifstream file = open_to_read(call);
    byte_source in(file);
    array_layout const layout = read_npy_header(call, in);
    return read_part(call, in, layout, wanted, part);
}
TRACEXPR_BODY void write_npy(std::string const& path, array_elements const& array, npy_format const& format) {
    file_call const call{"save_npy", path};
    array_layout const layout = npy_layout_of(call, array, format);
    file_writer file(call);
    write_npy(file, array, layout);
    file.finish();
}

TRACEXPR_BODY void write_any_npy(std::string const& path, any_tensor const& t, npy_format const& format) {
    write_npy(path, array_of(t), format);
}

} // namespace detail

TRACEXPR_BODY any_tensor load_npy(std::string const& path) {
    detail::file_call const call{"load_npy", path};
    std::ifstream file = detail::open_to_read(call);
    detail::byte_source in(file);
    detail::array_layout const layout = detail::read_npy_header(call, in);
    return detail::read_any_tensor(call, in, layout);
}
} // namespace tx
