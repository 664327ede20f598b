// apply, with the GPU's own approximations of some functions of float: what a plan says with the option fast_math of lines that
// compute.
#pragma once

#include <tracexpr/backends/pointwise/apply.hpp>

namespace tx::inline TRACEXPR_TARGET::simd {

#if defined(__CUDA_ARCH__)
namespace detail {

// Errors as NVIDIA's "Parallel Thread Execution ISA" gives them; results below 2^-126 of the exponentials are 0.
__device__ inline float quick_divide(float a, float b) { // 2 ulp
    float out;
    asm("div.full.f32 %0, %1, %2;" : "=f"(out) : "f"(a), "f"(b));
    return out;
}
__device__ inline float quick_reciprocal(float x) { // 1 ulp
    float out;
    asm("rcp.approx.f32 %0, %1;" : "=f"(out) : "f"(x));
    return out;
}
__device__ inline float quick_sqrt(float x) { // relative error 2^-23
    float out;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(out) : "f"(x));
    return out;
}
__device__ inline float quick_rsqrt(float x) { // relative error 2^-22.9
    float out;
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(out) : "f"(x));
    return out;
}
__device__ inline float quick_exp2(float x) { // relative error 2^-22
    float out;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(out) : "f"(x));
    return out;
}
// The exponent is rounded, too: about |x| 2^-24 more.
__device__ inline float quick_exp(float x) { return quick_exp2(x * 1.442695040888963f); }

} // namespace detail
#endif

TRACEXPR_CALLS_HOST
template <op Code, class T, class... More> TRACEXPR_HD TRACEXPR_INLINE auto apply_approximately(T const& x, More const&... more) {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<T, float>) {
        if constexpr (Code == op::divide) return detail::quick_divide(x, more...);
        else if constexpr (Code == op::reciprocal) return detail::quick_reciprocal(x);
        else if constexpr (Code == op::sqrt) return detail::quick_sqrt(x);
        else if constexpr (Code == op::rsqrt) return detail::quick_rsqrt(x);
        else if constexpr (Code == op::exp) return detail::quick_exp(x);
        else if constexpr (Code == op::exp2) return detail::quick_exp2(x);
        else if constexpr (Code == op::sigmoid) return detail::quick_reciprocal(1.0f + detail::quick_exp(-x));
        else return apply<Code>(x, more...);
    } else
#endif
        return apply<Code>(x, more...);
}

} // namespace tx::inline TRACEXPR_TARGET::simd
