// This file holds an operand of a call (an op that is no loop).
#pragma once

#include <tracexpr/base/config.hpp>
#include <tracexpr/base/shape.hpp>

#include <cstddef>
#include <cstdint>

namespace tx::inline TRACEXPR_TARGET::simd {

struct call_operand {
    std::byte const* data = nullptr; // the address of the first element
    dims extents;
    std::int64_t const* strides = nullptr; // in elements, one for each axis of the operand
};

namespace detail {
// split_extents holds the numbers of elements before, along and after an axis.
struct split_extents {
    std::int64_t outer = 1, along = 1, inner = 1;
    split_extents(dims const& d, int axis) : split_extents(d, axis, axis + 1) {}
    // Counts the elements before, in and after the axes first .. last - 1.
    split_extents(dims const& d, int first, int last) {
        for (int k = 0; k < d.rank; ++k) (k < first ? outer : k < last ? along : inner) *= d[k];
    }
};
template <class T> T const* elements(call_operand const& o) { return reinterpret_cast<T const*>(o.data); }
} // namespace detail

} // namespace tx::inline TRACEXPR_TARGET::simd
