// This file makes calls in a run on a device whose operands stay in device memory: user functions that take tensors there
// (tx::on_device), and collectives. Everything that such a call does to the device's memory goes through the device's queue, so
// it happens in order with the work before and after the call.
#pragma once

#include <tracexpr/graph/foreign_call.hpp>
#include <tracexpr/thrust/device.hpp>

#include <vector>

namespace tx::detail::inline TRACEXPR_DEVICE {

// Operands for the host (is_for_host), such as the one that tells which function is called, must be in this process's memory, all
// others and the results on the device. While the function runs, the device is the calling thread's current one, so that it can
// launch kernels.
inline void call_foreign_on_device(device_queue& queue, op code, attribute_span attributes, table_view<shown_value> operands,
                                   dims const& extents, table_view<std::byte*> results) {
    std::vector<std::uint64_t> handles(results[0] ? static_cast<std::size_t>(extents.size()) : 0);
    buffer<std::byte*> to(results);
    if (results[0]) to[0] = reinterpret_cast<std::byte*>(handles.data());
    {
        [[maybe_unused]] device_scope const current(queue.index());
        queue_memory const& memory = queue_memory::of(queue);
        remote_scope const here(nullptr, &memory);
        if (code == op::collective) call_collective(call_form(attributes).rest(), operands, to.data(), &memory);
        else call_foreign(code, attributes, operands, extents, to.data());
    }
    if (results[0]) queue.to_device(results[0], handles.data(), extents.size() * 8);
}

} // namespace tx::detail::inline TRACEXPR_DEVICE
