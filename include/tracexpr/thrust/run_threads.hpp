// f(0), f(1), ... on a device, a thread for each, of code so large that it would take all registers: of CUDA's threads enough are
// to run at once that they wait for memory in turns.
#pragma once

#include <tracexpr/thrust/call_points.hpp>

#include <algorithm>

namespace tx::detail::inline TRACEXPR_DEVICE {

#if TRACEXPR_ON_GPU
inline constexpr int blocks_at_once = 3; // of a multiprocessor: 80 registers a thread

template <class F> __global__ void __launch_bounds__(calls::threads_of_block, blocks_at_once)
    run_thread(__grid_constant__ F const f, std::int64_t count) {
    std::int64_t const step = static_cast<std::int64_t>(gridDim.x) * calls::threads_of_block;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * calls::threads_of_block + threadIdx.x; i < count; i += step)
        f(i);
}
#endif

template <class F> void run_threads(device_queue& queue, std::int64_t count, F const& f) {
#if TRACEXPR_ON_GPU
    if (count <= 0) return;
    device_scope const here(queue.index());
    std::int64_t const blocks = std::min((count - 1) / calls::threads_of_block + 1, calls::widest_narrow);
    [[maybe_unused]] static std::int64_t const asked = require_kernel(run_thread<F>);
    run_thread<<<static_cast<unsigned>(blocks), calls::threads_of_block, 0, queue.stream()>>>(f, count);
    check_cuda("thrust_device", cudaGetLastError());
#else
    calls::for_each_index(queue, count, f);
#endif
}

} // namespace tx::detail::inline TRACEXPR_DEVICE
