// This file makes complex numbers work in device code. nvcc compiles calls of the functions and operators of std::complex, which
// are host functions, without a warning in code for both host and device, but their results are missing on the device. CUDA's own
// type has these functions.
#pragma once

#include <tracexpr/base/dual.hpp>

#if defined(__CUDACC__)

#include <cuda/std/complex>

#include <complex>

namespace tx {

template <class R> inline constexpr bool detail::is_complex_number<cuda::std::complex<R>> = true;

inline namespace TRACEXPR_TARGET {
namespace simd {
namespace detail {
template <class T> inline constexpr bool is_host_complex = false;
template <class R> inline constexpr bool is_host_complex<std::complex<R>> = true;

template <class R> __host__ __device__ cuda::std::complex<R> for_device(std::complex<R> const& z) { return {z.real(), z.imag()}; }
template <class T> __host__ __device__ T for_host(T const& x) { return x; }
template <class R> __host__ __device__ std::complex<R> for_host(cuda::std::complex<R> const& z) { return {z.real(), z.imag()}; }

template <class R> __host__ __device__ cuda::std::complex<R> conjugate(cuda::std::complex<R> const& z) {
    return cuda::std::conj(z);
}
} // namespace detail

namespace math {
template <class R> __host__ __device__ R abs(cuda::std::complex<R> const& z) { return cuda::std::abs(z); }
template <class R> __host__ __device__ auto sqrt(cuda::std::complex<R> const& z) { return cuda::std::sqrt(z); }
template <class R> __host__ __device__ auto rsqrt(cuda::std::complex<R> const& z) { return R(1) / cuda::std::sqrt(z); }
template <class R> __host__ __device__ auto exp(cuda::std::complex<R> const& z) { return cuda::std::exp(z); }
template <class R> __host__ __device__ auto log(cuda::std::complex<R> const& z) { return cuda::std::log(z); }
template <class R> __host__ __device__ auto log10(cuda::std::complex<R> const& z) { return cuda::std::log10(z); }
template <class R> __host__ __device__ auto sin(cuda::std::complex<R> const& z) { return cuda::std::sin(z); }
template <class R> __host__ __device__ auto cos(cuda::std::complex<R> const& z) { return cuda::std::cos(z); }
template <class R> __host__ __device__ auto tan(cuda::std::complex<R> const& z) { return cuda::std::tan(z); }
template <class R> __host__ __device__ auto asin(cuda::std::complex<R> const& z) { return cuda::std::asin(z); }
template <class R> __host__ __device__ auto acos(cuda::std::complex<R> const& z) { return cuda::std::acos(z); }
template <class R> __host__ __device__ auto atan(cuda::std::complex<R> const& z) { return cuda::std::atan(z); }
template <class R> __host__ __device__ auto sinh(cuda::std::complex<R> const& z) { return cuda::std::sinh(z); }
template <class R> __host__ __device__ auto cosh(cuda::std::complex<R> const& z) { return cuda::std::cosh(z); }
template <class R> __host__ __device__ auto tanh(cuda::std::complex<R> const& z) { return cuda::std::tanh(z); }
template <class R> __host__ __device__ auto asinh(cuda::std::complex<R> const& z) { return cuda::std::asinh(z); }
template <class R> __host__ __device__ auto acosh(cuda::std::complex<R> const& z) { return cuda::std::acosh(z); }
template <class R> __host__ __device__ auto atanh(cuda::std::complex<R> const& z) { return cuda::std::atanh(z); }
template <class R> __host__ __device__ auto pow(cuda::std::complex<R> const& a, cuda::std::complex<R> const& b) {
    return cuda::std::pow(a, b);
}
} // namespace math
} // namespace simd
} // namespace TRACEXPR_TARGET
} // namespace tx

#endif
