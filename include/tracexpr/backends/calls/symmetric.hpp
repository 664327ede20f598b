// This file symmetrizes a matrix: decompositions of symmetric matrices read the symmetric part of their operand.
#pragma once

#include <tracexpr/base/config.hpp>

#include <cstdint>

namespace tx::inline TRACEXPR_TARGET::plain {

// to = (a + a^T) / 2, without overflow; (n, n). A symmetric matrix is copied bit by bit, except for the last bit of subnormal
// results.
template <class T> void copy_symmetric(std::int64_t n, T const* a, T* to) {
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j <= i; ++j) to[i * n + j] = to[j * n + i] = a[i * n + j] / 2 + a[j * n + i] / 2;
}

} // namespace tx::inline TRACEXPR_TARGET::plain
