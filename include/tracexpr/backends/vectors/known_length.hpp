// This file makes constants of short lengths.
#pragma once

#include <tracexpr/base/config.hpp>

#include <cstdint>
#include <type_traits>

namespace tx::inline TRACEXPR_TARGET::simd {

// Calls f(n), with n as a constant if it is short: loops and copies of a length that the compiler knows need no branch and no
// call.
template <class F> void with_length(std::int64_t n, F f) {
    auto const constant = [&]<std::int64_t N>(std::integral_constant<std::int64_t, N> known) { f(known); };
    switch (n) {
    case 1: return constant(std::integral_constant<std::int64_t, 1>{});
    case 2: return constant(std::integral_constant<std::int64_t, 2>{});
    case 3: return constant(std::integral_constant<std::int64_t, 3>{});
    case 4: return constant(std::integral_constant<std::int64_t, 4>{});
    default: return f(n);
    }
}

} // namespace tx::inline TRACEXPR_TARGET::simd
