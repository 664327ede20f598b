// This file holds the bodies of files/npz.hpp.
#pragma once

#include <tracexpr/files/npz.hpp>
#include <tracexpr/files/npz_file.hpp>

namespace tx {

namespace detail {

TRACEXPR_BODY loaded_array read_npz(std::string const& path, std::string const& name, array_type const& wanted) {
    npz_file file({"load_npz", path});
    return read_whole(file, name, wanted);
}
TRACEXPR_BODY loaded_array read_npz(std::string const& path, std::string const& name, array_type const& wanted,
                                    tx::part_of const& part) {
    file_call const call{"load_npz", path};
    check_part(call, part);
    npz_file file(call);
    return read_part(file, name, wanted, part);
}

} // namespace detail

TRACEXPR_BODY named_tensors load_npz(std::string const& path) {
    detail::npz_file file({"load_npz", path});
    return detail::read_all(file);
}
TRACEXPR_BODY void save_npz(std::string const& path, std::initializer_list<named_tensors::value_type> tensors,
                            npz_format format) {
    detail::write_npz({"save_npz", path}, detail::arrays_of(tensors), format);
}
TRACEXPR_BODY void save_npz(std::string const& path, named_tensors const& tensors, npz_format format) {
    detail::write_npz({"save_npz", path}, detail::arrays_of(tensors), format);
}

} // namespace tx
