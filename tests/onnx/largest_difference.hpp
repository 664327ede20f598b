// This file computes the difference of models' results.
#pragma once

#include <tracexpr/tracexpr.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tx::testing {

// Gives the largest difference of two tensors with equally many elements.
template <class A, class B> double largest_difference(A const& a, B const& b) {
    double out = 0;
    for (std::int64_t k = 0; k < a.size(); ++k)
        out = std::max(out, std::abs(static_cast<double>(a.data()[k]) - static_cast<double>(b.data()[k])));
    return out;
}

} // namespace tx::testing
