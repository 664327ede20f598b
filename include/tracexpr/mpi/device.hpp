// tx::mpi::device_aware chooses whether MPI is given addresses of a GPU's memory, which builds of MPI for CUDA take.
#pragma once

#include <tracexpr/base/error.hpp>
#include <tracexpr/mpi/native.hpp>

#include <atomic>

#if __has_include(<mpi-ext.h>) && defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

namespace tx::mpi {

namespace detail {
inline constinit std::atomic<bool> passes_device_memory{false};
} // namespace detail

// Returns whether this MPI says that it takes addresses of CUDA memory.
inline bool knows_device_memory() {
#if (defined(OPEN_MPI) && defined(MPIX_CUDA_AWARE_SUPPORT)) || defined(MPIX_GPU_SUPPORT_CUDA)
    return MPIX_Query_cuda_support() != 0;
#else
    return false;
#endif
}
// Turns on or off that collectives of tensors on a GPU pass the GPU's addresses to MPI, where MPI's own operations do the work,
// instead of copies in this process's memory. All ranks must turn it on and off at the same place. Throws tx::error where MPI
// doesn't say that it takes such addresses.
inline void device_aware(bool on) {
    if (on && !knows_device_memory())
        throw error("tx: mpi::device_aware: this MPI does not say that it takes CUDA memory (MPIX_Query_cuda_support); leave it "
                    "off, so that collectives copy, or use tx::nccl");
    detail::passes_device_memory.store(on, std::memory_order_relaxed);
}

} // namespace tx::mpi
