// This file holds the memory that loops on a device keep their values in, and the ranges of numbers that regions are given.
#pragma once

#include <tracexpr/backends/calls/loop_buffers.hpp>
#include <tracexpr/thrust/call_points.hpp>

namespace tx::detail::inline TRACEXPR_DEVICE {

// The values are on the device; the tables of their addresses are in this process's memory.
class device_loop_memory {
public:
    device_loop_memory(std::int64_t table_bytes, std::int64_t value_bytes, device_queue& queue)
        : tables_(static_cast<std::size_t>(table_bytes)), queue_{queue}, values_(queue, value_bytes) {}
    std::byte* tables() const { return tables_.memory(); }
    std::byte* values() const { return values_.data(); }
    void copy(void* to, void const* from, std::int64_t bytes) const { queue_.within(to, from, bytes); }

private:
    arena_lease tables_;
    device_queue& queue_;
    device_block values_;
};
using device_loop_buffers = simd::loop_buffers_in<device_loop_memory>;

struct count_up {
    std::int64_t* to;
    TRACEXPR_HD void operator()(std::int64_t i) const { to[i] = i; }
};
// The numbers 0 ... count - 1 in device memory.
class device_range {
public:
    template <class Queue> device_range(Queue& queue, std::int64_t count)
        : count_{count < 0 ? 0 : count}, block_(queue, count_ * static_cast<std::int64_t>(sizeof(std::int64_t))) {
        calls::for_each_index(queue, count_, count_up{reinterpret_cast<std::int64_t*>(block_.data())});
    }
    std::byte const* data() const { return block_.data(); }
    dims extents() const { return dims{{count_}, 1}; }

private:
    std::int64_t count_;
    device_block block_;
};

} // namespace tx::detail::inline TRACEXPR_DEVICE
