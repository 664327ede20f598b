// This file holds the bodies of files/safetensors.hpp.
#pragma once

#include <tracexpr/files/safetensors.hpp>
#include <tracexpr/files/safetensors_file.hpp>

namespace tx {

namespace detail {

TRACEXPR_BODY loaded_array read_safetensors(std::string const& path, std::string const& name, array_type const& wanted) {
    safetensors_file file({"load_safetensors", path});
    return read_whole(file, name, wanted);
}
TRACEXPR_BODY loaded_array read_safetensors(std::string const& path, std::string const& name, array_type const& wanted,
                                            tx::part_of const& part) {
    file_call const call{"load_safetensors", path};
    check_part(call, part);
    safetensors_file file(call);
    return read_part(file, name, wanted, part);
}

} // namespace detail

TRACEXPR_BODY named_tensors load_safetensors(std::string const& path) {
    detail::safetensors_file file({"load_safetensors", path});
    return detail::read_all(file);
}
TRACEXPR_BODY std::map<std::string, std::string> load_safetensors_metadata(std::string const& path) {
    return detail::safetensors_file({"load_safetensors_metadata", path}).metadata();
}
TRACEXPR_BODY void save_safetensors(std::string const& path, std::initializer_list<named_tensors::value_type> tensors,
                                    std::map<std::string, std::string> const& metadata) {
    detail::write_safetensors({"save_safetensors", path}, detail::arrays_of(tensors), metadata);
}
TRACEXPR_BODY void save_safetensors(std::string const& path, named_tensors const& tensors,
                                    std::map<std::string, std::string> const& metadata) {
    detail::write_safetensors({"save_safetensors", path}, detail::arrays_of(tensors), metadata);
}

} // namespace tx
