// This file says which of Thrust's systems the translation unit is compiled for: CUDA under nvcc, else that of
// THRUST_DEVICE_SYSTEM. A program's translation units may be compiled for different ones, so what depends on it is in
// TRACEXPR_DEVICE, an inline namespace.
#pragma once

#include <tracexpr/base/config.hpp>
#include <tracexpr/base/error.hpp>

#if !defined(THRUST_DEVICE_SYSTEM) && !defined(__CUDACC__) // Thrust's own default is CUDA, which other compilers don't know
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP
#endif

#include <thrust/detail/config.h>

#include <cstdint>
#include <string>
#include <string_view>

#if TRACEXPR_ON_GPU // kernels of our own: Thrust's headers would take nvcc as long as a third of tracexpr's
#include <cuda_runtime_api.h>
#else
#include <thrust/execution_policy.h>
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
// Throws for an error of the CUDA runtime, and clears the error where it is not a lasting one.
inline void check_cuda(std::string_view what, cudaError_t status) {
    if (status == cudaSuccess) return;
    static_cast<void>(cudaGetLastError());
    throw_device_error(what, cudaGetErrorString(status));
}
// Checks before a kernel's first launch that it exists, and gives its static shared memory in bytes. A kernel's type follows from
// what the compiler finds about a callable. nvcc's front end decides for which kernels there is device code, but the host's
// compiler decides which kernel is launched: where they find different things (as whether the compiler can trace the callable)
// the program lacks that kernel.
template <class... Parameters> std::int64_t require_kernel(void (*kernel)(Parameters...)) {
    cudaFuncAttributes found{};
    cudaError_t const status = cudaFuncGetAttributes(&found, reinterpret_cast<void const*>(kernel));
    if (status == cudaErrorInvalidDeviceFunction) {
        static_cast<void>(cudaGetLastError());
        throw_device_error("thrust_device",
                           "the program has no device code for this call: nvcc's front end and the host's compiler traced the "
                           "callable to different kernels, or the file was compiled for other GPUs (-arch); what is traced at "
                           "run time needs no kernel of its own: give tx::function tx::options{.jit = tx::jit::never}");
    }
    check_cuda("thrust_device", status);
    return static_cast<std::int64_t>(found.sharedSizeBytes);
}
#endif

} // namespace tx::detail::inline TRACEXPR_DEVICE
