// Which of Thrust's systems this file is compiled for: CUDA under nvcc, else that of THRUST_DEVICE_SYSTEM. Files of a program may
// be compiled for several: what depends on it stands in TRACEXPR_DEVICE, an inline namespace.
#pragma once

#include <tracexpr/base/config.hpp>
#include <tracexpr/base/error.hpp>

#if !defined(THRUST_DEVICE_SYSTEM) && !defined(__CUDACC__) // Thrust's own default is CUDA, which other compilers don't know
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP
#endif

#include <thrust/detail/config.h>
#include <thrust/execution_policy.h>
#include <thrust/version.h>

#include <string>
#include <string_view>

#if TRACEXPR_ON_GPU
#include <cuda_runtime_api.h>
#endif

namespace tx::detail::inline TRACEXPR_DEVICE {

inline constexpr bool on_gpu = TRACEXPR_ON_GPU;
inline constexpr std::string_view system_name = on_gpu                                             ? "CUDA"
                                                : THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_OMP ? "OpenMP"
                                                : THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_TBB ? "TBB"
                                                                                                   : "serial";

[[noreturn]] TRACEXPR_NOINLINE inline void throw_device_error(std::string_view what, std::string_view cause) {
    throw device_error("tx: " + std::string(what) + ": on Thrust's " + std::string(system_name) +
                       " system: " + std::string(cause));
}
#if TRACEXPR_ON_GPU
// Throws for an error of the CUDA runtime, and forgets it where it is none that stays.
inline void check_cuda(std::string_view what, cudaError_t status) {
    if (status == cudaSuccess) return;
    static_cast<void>(cudaGetLastError());
    throw_device_error(what, cudaGetErrorString(status));
}
#endif

} // namespace tx::detail::inline TRACEXPR_DEVICE
