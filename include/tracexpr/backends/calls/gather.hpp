// This file reads elements and rows at indices along one axis of a row-major array, seen as (outer, n, inner) around the axis of
// length n.
#pragma once

#include <tracexpr/backends/calls/indices.hpp>
#include <tracexpr/backends/vectors/known_length.hpp>

#include <cstdint>
#include <cstring>

namespace tx::inline TRACEXPR_TARGET::simd {

template <class T> TRACEXPR_INLINE void copy_elements(T const* from, std::int64_t count, T* to) {
    std::memcpy(static_cast<void*>(to), from, static_cast<std::size_t>(count) * sizeof(T));
}

// out(o, i, j) = in(o, indices[i], j): (outer, n, inner) -> (outer, count, inner). Throws shape_error, before it writes, for an
// index outside of [-n, n); `axis` and `function` are for the message. `in` and `out` must not overlap.
template <class T, std::integral Index, class Arch = simd::default_arch>
void gather(std::int64_t outer, std::int64_t n, std::int64_t inner, T const* in, std::int64_t count, Index const* indices, T* out,
            int axis = 0, char const* function = "take") {
    index_origin const from = check_indices<Index, Arch>(indices, count, n, axis, function);
    detail::with_origin<Index>(from, [&](auto origin) {
        for (std::int64_t o = 0; o < outer; ++o, in += n * inner, out += count * inner)
            with_length(inner, [&](auto length) {
                detail::for_each_position<origin.value>(indices, count, n,
                                                        [&](std::int64_t i, std::int64_t at) TRACEXPR_INLINE_LAMBDA {
                                                            copy_elements(in + at * length, length, out + i * length);
                                                        });
            });
    });
}

// out(o, i, j) = in(o, indices(o, i, j), j), where `indices` and `out` are (outer, count, inner). Throws as gather does.
template <class T, std::integral Index, class Arch = simd::default_arch>
void take_along_axis(std::int64_t outer, std::int64_t n, std::int64_t inner, T const* in, std::int64_t count,
                     Index const* indices, T* out, int axis = 0) {
    index_origin const from = check_indices<Index, Arch>(indices, outer * count * inner, n, axis, "take_along_axis");
    detail::with_origin<Index>(from, [&](auto origin) {
        std::int64_t const rows = inner == 1 ? 1 : count, row = inner == 1 ? count : inner;
        for (std::int64_t o = 0; o < outer; ++o, in += n * inner)
            for (std::int64_t i = 0; i < rows; ++i, indices += row, out += row)
                detail::for_each_position<origin.value>(indices, row, n,
                                                        [&](std::int64_t j, std::int64_t at) TRACEXPR_INLINE_LAMBDA {
                                                            out[j] = in[inner == 1 ? at : at * inner + j];
                                                        });
    });
}

} // namespace tx::inline TRACEXPR_TARGET::simd
