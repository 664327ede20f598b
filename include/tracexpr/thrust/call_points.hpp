// This file calls a functor for each number below a count, in a device's queue; and it computes where the points of a space of
// several axes are in memory.
#pragma once

#include <tracexpr/base/shape.hpp>
#include <tracexpr/thrust/queue.hpp>

#if !TRACEXPR_ON_GPU
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/system_error.h>
#endif

#include <cstdint>
#include <limits>

namespace tx::detail::inline TRACEXPR_DEVICE::calls {

inline constexpr std::int64_t widest_narrow = std::numeric_limits<std::int32_t>::max(); // the largest index of 32 bits

#if !TRACEXPR_ON_GPU
// Calls f(), which uses Thrust's algorithms, and turns their errors into device_error.
template <class F> void with_thrust(F f) {
    try {
        f();
    } catch (thrust::system_error const& failed) {
        throw_device_error("thrust_device", failed.what());
    }
}
#endif

#if TRACEXPR_ON_GPU
inline constexpr int threads_of_block = 256;
// The library has its own kernel because Thrust's for_each copies the functor into each thread's local memory where the functor
// indexes arrays.
template <class F> __global__ void __launch_bounds__(threads_of_block)
    run_at_indices(__grid_constant__ F const f, std::int64_t count) {
    std::int64_t const i = static_cast<std::int64_t>(blockIdx.x) * threads_of_block + threadIdx.x;
    if (i < count) f(i);
}
#endif

// Launches f(0) ... f(count - 1) in the queue, in any order.
template <class F> void for_each_index([[maybe_unused]] device_queue& queue, std::int64_t count, F const& f) {
    if (count <= 0) return;
#if TRACEXPR_ON_GPU
    device_scope const here(queue.index());
    std::int64_t const blocks = (count - 1) / threads_of_block + 1;
    if (blocks > widest_narrow)
        throw_device_error("thrust_device", std::to_string(count) + " elements are too many for a kernel");
    [[maybe_unused]] static std::int64_t const asked = require_kernel(run_at_indices<F>);
    run_at_indices<<<static_cast<unsigned>(blocks), threads_of_block, 0, queue.stream()>>>(f, count);
    check_cuda("thrust_device", cudaGetLastError());
#else
    with_thrust([&] { thrust::for_each_n(thrust::device, thrust::counting_iterator<std::int64_t>(0), count, f); });
#endif
}

// Does the number fit in 32 bits? Divisions of 32 bits take a device a fraction of the time.
TRACEXPR_HD constexpr bool is_narrow(std::int64_t number) { return number <= widest_narrow; }

// Divides `number` by the extent, and returns the remainder.
TRACEXPR_HD constexpr std::int64_t divide(std::int64_t& number, std::int64_t extent) {
    if (is_narrow(number) && is_narrow(extent)) {
        auto const n = static_cast<std::uint32_t>(number), e = static_cast<std::uint32_t>(extent), quotient = n / e;
        number = quotient;
        return n - quotient * e;
    }
    std::int64_t const quotient = number / extent, rest = number - quotient * extent;
    number = quotient;
    return rest;
}

// Axes, the last of which varies fastest, with the distance between their elements. Kernels take it by value.
struct point_axes {
    std::int64_t extent[max_rank]{};
    std::int64_t step[max_rank]{};
    int rank = 0;

    // Adds an axis. Extents of 1 are left out, and an axis that continues where the next one ends is merged with it.
    constexpr void push_back(std::int64_t count, std::int64_t stride) {
        if (count == 1) return;
        if (rank > 0 && step[rank - 1] == count * stride) {
            extent[rank - 1] *= count;
            step[rank - 1] = stride;
            return;
        }
        extent[rank] = count, step[rank++] = stride;
    }
    constexpr std::int64_t points() const {
        std::int64_t count = 1;
        for (int axis = 0; axis < rank; ++axis) count *= extent[axis];
        return count;
    }
    // Gives the offset of point number `point`.
    TRACEXPR_HD constexpr std::int64_t offset(std::int64_t point) const {
        std::int64_t at = 0;
        for (int axis = rank - 1; axis > 0; --axis) at += divide(point, extent[axis]) * step[axis];
        return rank > 0 ? at + point * step[0] : at;
    }
};
inline point_axes axes_of(dims const& extents, std::int64_t const* strides) {
    point_axes out;
    for (int axis = 0; axis < extents.rank; ++axis) out.push_back(extents[axis], strides[axis]);
    return out;
}

} // namespace tx::detail::inline TRACEXPR_DEVICE::calls
