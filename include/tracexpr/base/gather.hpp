// This file gathers elements that lie at strides in row-major order. Their addresses need no alignment.
#pragma once

#include <tracexpr/base/strided_copy.hpp>

#include <array>
#include <cstddef>
#include <cstring>

namespace tx::detail {

template <std::size_t Bytes> void gather_elements(strided_copy const& from_to, std::byte const* from, std::byte* to) {
    auto const bytes = [](std::int64_t elements) { return elements * static_cast<std::int64_t>(Bytes); };
    bool const has_rows = from_to.rank > 0;
    strided_copy::axis const row = has_rows ? from_to.axes[0] : strided_copy::axis{1, 0, 0};
    std::int64_t const pieces = from_to.pieces();
    for (std::int64_t piece = 0; piece < pieces; piece += row.count) {
        strided_copy::axis const at = from_to.piece(piece);
        std::byte const* f = from + bytes(at.from);
        std::byte* t = to + bytes(at.to);
        for (std::int64_t i = 0; i < row.count; ++i, f += bytes(row.from), t += bytes(row.to)) {
            if (from_to.run == 1) std::memcpy(t, f, Bytes);
            else std::memcpy(t, f, static_cast<std::size_t>(bytes(from_to.run)));
        }
    }
}
// The strides count elements of element_bytes bytes: 1, 2, 4, 8 or 16. There must be at least one element.
template <class Unused = void>
void gather_strided(void const* from, dims const& extents, std::int64_t const* strides, std::size_t element_bytes, void* to) {
    std::array<std::int64_t, max_rank> const row_major = row_major_strides(extents);
    strided_copy const from_to(extents, strides, row_major.data());
    auto const* const f = static_cast<std::byte const*>(from);
    auto* const t = static_cast<std::byte*>(to);
    switch (element_bytes) {
    case 1: return gather_elements<1>(from_to, f, t);
    case 2: return gather_elements<2>(from_to, f, t);
    case 4: return gather_elements<4>(from_to, f, t);
    case 8: return gather_elements<8>(from_to, f, t);
    default: return gather_elements<16>(from_to, f, t);
    }
}

} // namespace tx::detail
