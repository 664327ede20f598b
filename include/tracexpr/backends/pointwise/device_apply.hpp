// This file holds apply for loops on a GPU: it uses the GPU's own instructions for some functions of float and, in lines that a
// plan marks because of the option fast_math, its approximations of more functions.
#pragma once

#include <tracexpr/backends/pointwise/apply.hpp>

namespace tx::inline TRACEXPR_TARGET::simd {

#if defined(__CUDA_ARCH__)
namespace detail {

// The errors are those of NVIDIA's "Parallel Thread Execution ISA"; results of the exponentials below 2^-126 are 0.
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
// The rounding of the exponent adds an error of about |x| 2^-24.
__device__ inline float quick_exp(float x) { return quick_exp2(x * 1.442695040888963f); }

// One step of Newton's method gives an error of at most 1.0 ulp; 1 / sqrt(x), which is rounded twice, has 1.5.
__device__ inline float exact_rsqrt(float x) {
    float const y = quick_rsqrt(x);
    if (!(x > 0 && x < __int_as_float(0x7f800000))) return y; // NaN for -1, infinity for 0, 0 for infinity
    return fmaf(0.5f * y, fmaf(-x * y, y, 1.0f), y);
}

} // namespace detail
#endif

TRACEXPR_CALLS_HOST
template <op Code, bool Approximately, class T, class... More>
TRACEXPR_HD TRACEXPR_INLINE auto apply_by_device(T const& x, More const&... more) {
#if defined(__CUDA_ARCH__)
    constexpr bool is_approximate = Approximately && std::is_same_v<T, float>;
    if constexpr (is_approximate && Code == op::divide) return detail::quick_divide(x, more...);
    else if constexpr (is_approximate && Code == op::reciprocal) return detail::quick_reciprocal(x);
    else if constexpr (is_approximate && Code == op::sqrt) return detail::quick_sqrt(x);
    else if constexpr (is_approximate && Code == op::rsqrt) return detail::quick_rsqrt(x);
    else if constexpr (is_approximate && Code == op::exp) return detail::quick_exp(x);
    else if constexpr (is_approximate && Code == op::exp2) return detail::quick_exp2(x);
    else if constexpr (is_approximate && Code == op::sigmoid) return detail::quick_reciprocal(1.0f + detail::quick_exp(-x));
    else if constexpr (std::is_same_v<T, float> && Code == op::rsqrt) return detail::exact_rsqrt(x);
    else
#endif
        return apply<Code>(x, more...);
}

} // namespace tx::inline TRACEXPR_TARGET::simd
