// Calls of functions of the user's that take tensors on the device (tx::on_device): the device's memory as such a call meets it.
// Everything that it does to it is given to the device's queue, so it comes in order with the work before and behind the call.
#pragma once

#include <tracexpr/graph/foreign_call.hpp>
#include <tracexpr/thrust/device.hpp>

#include <vector>

namespace tx::detail::inline TRACEXPR_DEVICE {

class queue_memory final : public device_memory {
public:
    explicit queue_memory(device_queue& queue) : queue_{queue} {}

    remote_elements* copied(void const* from, std::int64_t bytes) const override {
        device_elements* const out = device_elements::make(queue_, bytes);
        try {
            queue_.within(out->address, from, bytes);
        } catch (...) {
            drop_reference(static_cast<void*>(out));
            throw;
        }
        return out;
    }
    void take(void* to, remote_elements& from, std::int64_t bytes, std::size_t result) const override {
        queue_.within(
            to, require_on_device(from, queue_, "opaque: result " + std::to_string(result) + " of the callable").address, bytes);
    }
    void to_device(void* to, void const* from, std::int64_t bytes) const override { queue_.to_device(to, from, bytes); }
    void to_host(void* to, void const* from, std::int64_t bytes) const override { queue_.to_host(to, from, bytes); }
    void clear(void* to, std::int64_t bytes) const override { queue_.clear(to, bytes); }

private:
    device_queue& queue_;
};

// The operands in front, which say what function is called and for which examples, must lie in this process's memory, all others
// and the results on the device. While the function runs, the device is the calling thread's, so that it can launch kernels.
inline void call_foreign_on_device(device_queue& queue, attribute_span attributes, table_view<shown_value> operands,
                                   dims const& extents, table_view<std::byte*> results) {
    std::vector<std::uint64_t> handles(results[0] ? static_cast<std::size_t>(extents.size()) : 0);
    buffer<std::byte*> to(results);
    if (results[0]) to[0] = reinterpret_cast<std::byte*>(handles.data());
    {
        [[maybe_unused]] device_scope const current(queue.index());
        queue_memory const memory(queue);
        remote_scope const here(nullptr, &memory);
        call_foreign(op::opaque, attributes, operands, extents, to.data());
    }
    if (results[0]) queue.to_device(results[0], handles.data(), extents.size() * 8);
}

} // namespace tx::detail::inline TRACEXPR_DEVICE
