// Adding to a part of a tensor: what slices, diagonals and lookups read becomes what is written. The tensor is changed in place.
#pragma once

#include <tracexpr/backends/calls/scan.hpp>
#include <tracexpr/graph/infer.hpp>

#include <concepts>
#include <cstdint>

namespace tx::inline TRACEXPR_TARGET::simd {

// One element, as many as are asked for.
template <class T> struct same_elements {
    T element;
    T operator[](std::int64_t) const { return element; }
    same_elements& operator+=(std::int64_t) { return *this; }
};

// What follows takes the elements to add as a pointer or as same_elements.

// Row-major elements of shape `part` are added to out[offset + sum of index * stride].
template <class T, class Added>
void add_strided(Added added, dims const& part, T* out, std::int64_t offset, std::int64_t const* strides) {
    std::int64_t const run = part.rank ? part[part.rank - 1] : 1;
    std::int64_t const pace = part.rank ? strides[part.rank - 1] : 1;
    if (part.size() == 0) return;
    std::int64_t index[max_rank]{};
    for (;; added += run) {
        T* const to = out + offset;
        if (pace == 1)
            for (std::int64_t i = 0; i < run; ++i) to[i] = static_cast<T>(to[i] + added[i]);
        else
            for (std::int64_t i = 0; i < run; ++i) to[i * pace] = static_cast<T>(to[i * pace] + added[i]);
        int axis = part.rank - 2;
        for (; axis >= 0; --axis) {
            offset += strides[axis];
            if (++index[axis] < part[axis]) break;
            offset -= strides[axis] * part[axis];
            index[axis] = 0;
        }
        if (axis < 0) return;
    }
}

// out(o, indices[i], j) += added(o, i, j): (outer, count, inner) into (outer, n, inner). Indices have been checked.
template <class T, std::integral Index, class Added> void
index_add(std::int64_t outer, std::int64_t n, std::int64_t inner, T* out, std::int64_t count, Index const* indices, Added added) {
    for (std::int64_t o = 0; o < outer; ++o, out += n * inner)
        for (std::int64_t i = 0; i < count; ++i, added += inner) {
            T* const to = out + position(indices[i], n) * inner;
            for (std::int64_t j = 0; j < inner; ++j) to[j] = static_cast<T>(to[j] + added[j]);
        }
}

// out(o, indices(o, i, j), j) += added(o, i, j), likewise.
template <class T, std::integral Index, class Added> void scatter_add(std::int64_t outer, std::int64_t n, std::int64_t inner,
                                                                      T* out, std::int64_t count, Index const* indices,
                                                                      Added added) {
    for (std::int64_t o = 0; o < outer; ++o, out += n * inner)
        for (std::int64_t i = 0; i < count; ++i)
            for (std::int64_t j = 0; j < inner; ++j, added += 1) {
                T& to = out[position(*indices++, n) * inner + j];
                to = static_cast<T>(to + added[0]);
            }
}

} // namespace tx::inline TRACEXPR_TARGET::simd
