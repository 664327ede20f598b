// This file writes arrays as .npy files have them, to a file or into an archive.
#pragma once

#include <tracexpr/files/npy.hpp>
#include <tracexpr/files/npy_header.hpp>

#include <bit>
#include <string>

namespace tx::detail {

inline array_layout npy_layout_of(file_call const& call, array_elements const& array, npy_format const& format) {
    array_layout out;
    out.type = array.type;
    out.foreign_order = format.order != std::endian::native;
    out.column_major = format.fortran_order;
    out.element_bytes = size_in_bytes(array.type);
    std::string code = npy_code(array.type);
    if (array.type == dtype::string) {
        std::size_t const width = utf32_width(call, array);
        out.text = text_encoding::utf32;
        out.element_bytes = 4 * width;
        code += std::to_string(width);
    }
    out.code = (size_in_bytes(array.type) == 1 ? '|' : npy_order(out.foreign_order)) + code;
    return out;
}
template <class Sink> void write_npy(Sink& to, array_elements const& array, array_layout const& layout) {
    std::string const header = npy_header_of(layout, array.shape);
    to.write(header.data(), header.size());
    write_elements(to, array, layout);
}

} // namespace tx::detail
