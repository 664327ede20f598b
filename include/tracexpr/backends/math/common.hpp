// What the transcendental kernels are made of: per-lane calls, polynomials.
#pragma once

#include <tracexpr/backends/math/scalar.hpp>
#include <tracexpr/backends/xsimd_compat.hpp>

#include <cstddef>

namespace tx::simd::math {

// f on each lane, for rare arguments and functions whose speed does not matter.
template <class F, class T, class Arch, class... Rest>
TRACEXPR_NOINLINE xsimd::batch<T, Arch> per_lane(F f, xsimd::batch<T, Arch> x, Rest... rest) {
    using batch = xsimd::batch<T, Arch>;
    constexpr std::size_t lanes = batch::size;
    alignas(Arch::alignment()) T in[1 + sizeof...(Rest)][lanes];
    x.store_aligned(in[0]);
    std::size_t argument = 1;
    (rest.store_aligned(in[argument++]), ...);
    for (std::size_t i = 0; i < lanes; ++i) {
        if constexpr (sizeof...(Rest) == 0)
            in[0][i] = f(in[0][i]);
        else
            in[0][i] = f(in[0][i], in[1][i]);
    }
    return batch::load_aligned(in[0]);
}

} // namespace tx::simd::math
