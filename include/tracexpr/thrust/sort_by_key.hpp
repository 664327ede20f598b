// This file holds a stable sort of numbers by keys on a device: CUB's radix sort, or the sort of Thrust's host system.
#pragma once

#include <tracexpr/thrust/call_points.hpp>

#if TRACEXPR_ON_GPU
#include <cub/device/device_radix_sort.cuh>
#else
#include <thrust/sort.h>
#endif

namespace tx::detail::inline TRACEXPR_DEVICE::calls {

#if TRACEXPR_ON_GPU
template <class Number, class Queue> void sort_by_key(Queue& queue, Number* keys, std::int64_t count, Number* numbers) {
    if (count <= 0) return;
    device_scope const here(queue.index());
    device_block const memory(queue, 2 * count * static_cast<std::int64_t>(sizeof(Number)));
    auto* const others = reinterpret_cast<Number*>(memory.data());
    cub::DoubleBuffer<Number> sorted_keys(keys, others), sorted_numbers(numbers, others + count);
    auto const sort = [&](void* at, std::size_t& bytes) {
        check_cuda("sort", cub::DeviceRadixSort::SortPairs(at, bytes, sorted_keys, sorted_numbers, count, 0,
                                                           static_cast<int>(8 * sizeof(Number)), queue.stream()));
    };
    std::size_t bytes = 0;
    sort(nullptr, bytes);
    device_block const room(queue, static_cast<std::int64_t>(bytes));
    sort(room.data(), bytes);
    std::int64_t const all = count * static_cast<std::int64_t>(sizeof(Number));
    if (sorted_keys.Current() != keys) queue.within(keys, sorted_keys.Current(), all);
    if (sorted_numbers.Current() != numbers) queue.within(numbers, sorted_numbers.Current(), all);
}
#else
template <class Number, class Queue> void sort_by_key(Queue&, Number* keys, std::int64_t count, Number* numbers) {
    with_thrust([&] { thrust::stable_sort_by_key(thrust::device, keys, keys + count, numbers); });
}
#endif

} // namespace tx::detail::inline TRACEXPR_DEVICE::calls
