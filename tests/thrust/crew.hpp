// This file tests without a GPU what a GPU would choose, and how its threads work together: programs are run by a queue whose
// teams are threads of the host.
#pragma once

#include <thrust/crew_queue.hpp>
#include <thrust/loops.hpp>

namespace tx::testing {

// Does what run_on_thrust does, with a crew of threads instead of a GPU.
template <class Trace> std::vector<host_array> run_by_crew(crew_queue& queue, std::vector<array_view> const& arguments) {
    using stages = tx::detail::stages<device_trace<Trace>>;
    return run_guarded<stages>(arguments, [&](plan_view const& p, simd::io const& io) {
        std::vector<std::byte> arena(static_cast<std::size_t>(p.arena_bytes[0]) + 1);
        simd::detail::run_steps<stages>(p, io, arena.data(), [&](auto step, std::byte* const* buffers) {
            if constexpr (stages::plan().steps[step.value].call != node_id::none)
                tx::detail::run_step<stages, step.value>(tx::detail::device_queue::of(0), p, buffers);
            else tx::detail::run_point_step<stages, step.value>(queue, p, buffers);
        });
    });
}
template <class F, class... A> crew_queue check_crew(std::vector<host_array> const& arguments) {
    using trace = tx::detail::compile_time_trace<F, A...>;
    crew_queue queue{tx::detail::device_queue::of(0)};
    CHECK(difference(run_by_crew<trace>(queue, views_of(arguments)),
                     run_reference(tx::detail::stages<trace>::trace(), views_of(arguments))) == "");
    return queue;
}

} // namespace tx::testing
