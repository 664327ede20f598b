// This file runs a step of a plan that has loops on a device.
#pragma once

#include <tracexpr/thrust/rows.hpp>

namespace tx::detail::inline TRACEXPR_DEVICE {

// Launches the work in the queue. buffers[b] is the address of the plan's buffer b on the device; any address where it has no
// elements.
template <class Form, std::size_t Step, class Queue>
void run_point_step(Queue& queue, plan_view const& p, std::byte* const* buffers) {
    constexpr plan_step form = Form::plan().steps[Step];
    static_assert(form.loops.count > 0);
    if constexpr (form.loops.count == 1) run_whole_loop<Form, Step, form.loops.first>(queue, p, buffers, no_row_buffers{});
    else row_nest<Form, Step>::run(queue, p, buffers);
}

} // namespace tx::detail::inline TRACEXPR_DEVICE
