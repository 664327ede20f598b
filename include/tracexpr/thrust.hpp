// The Thrust executor: a static trace's loops as thrust::for_each and transform_reduce over a counting iterator, with the kernel
// types that the static executor has. Runs on the system of the policy it is given; steps that are calls need memory that the
// host can read.
#pragma once

#include <tracexpr/run/execute.hpp>
#include <tracexpr/thrust/point_kernel.hpp>

#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform_reduce.h>

namespace tx::inline TRACEXPR_TARGET::simd {
namespace detail {

// A loop of a plan at one index of its step's outer axes, or (row null) with these as axes of its own.
template <class Kernel> point_kernel<Kernel> point_kernel_of(plan_view const& p, plan_loop const& loop, walk const& outer,
                                                             std::int64_t const* row, std::byte* const* buffers) {
    point_kernel<Kernel> out{};
    for (std::uint32_t k = 0; k < loop.literals.count; ++k) out.literals[k] = p.literals[loop.literals.first + k].bits;
    auto const add_axis = [&](std::int64_t extent, auto stride) {
        out.extent[out.rank] = extent;
        for (std::uint32_t k = 0; k < loop.accesses.count; ++k)
            out.stride_of[out.rank][k] = stride(p.accesses[loop.accesses.first + k]);
        ++out.rank;
    };
    int const inner = loop.inner.rank, last = loop.reduces && loop.columns ? inner - 1 : inner;
    if (!row)
        for (int axis = 0; axis < outer.rank; ++axis)
            add_axis(outer.extent[axis], [&](plan_access const& a) { return a.outer[axis]; });
    for (int axis = last; axis < inner; ++axis)
        add_axis(loop.inner.extent[axis], [&](plan_access const& a) { return a.inner[axis]; });
    out.kept = out.rank;
    for (int axis = 0; axis < last; ++axis)
        add_axis(loop.inner.extent[axis], [&](plan_access const& a) { return a.inner[axis]; });
    if (!loop.reduces) out.kept = out.rank;
    for (std::uint32_t k = 0; k < loop.accesses.count; ++k) {
        plan_access const& a = p.accesses[loop.accesses.first + k];
        point_access& to = out.access[k];
        to.index = a.offset;
        for (int axis = 0; row && axis < outer.rank; ++axis) to.index += row[axis] * a.outer[axis];
        to.element_bytes = a.buffer < 0 ? 0 : static_cast<std::int64_t>(size_in_bytes(a.type));
        to.at = a.buffer < 0 ? nullptr : buffers[a.buffer] + to.index * to.element_bytes;
    }
    return out;
}

template <class Kernel, class Policy> void run_points(Policy const& policy, point_kernel<Kernel> const& loop) {
    thrust::counting_iterator<std::int64_t> const first(0);
    std::int64_t const results = loop.points(0, loop.kept);
    if constexpr (Kernel::reduces) {
        if (results == 1) { // the whole space adds up to one: in parallel
            cursor at[point_kernel<Kernel>::accesses];
            loop.begin(at);
            point_sums<Kernel> none;
            none.reset();
            thrust::transform_reduce(policy, first, first + loop.points(loop.kept, loop.rank), point_terms<Kernel>{loop}, none,
                                     merge_sums<Kernel>{})
                .store(at);
            return;
        }
    }
    thrust::for_each(policy, first, first + results, run_point<Kernel>{loop});
}

template <class Form, std::size_t Loop, class Policy> void
run_thrust_loop(Policy const& policy, plan_view const& p, walk const& outer, std::int64_t const* row, std::byte* const* buffers) {
    using kernel_type = loop_kernel<Form, Loop, strategy::any_form>;
    run_points(policy, point_kernel_of<kernel_type>(p, p.loops[Loop], outer, row, buffers));
}

template <class Form, std::size_t Step, class Policy>
void run_thrust_step(Policy const& policy, plan_view const& p, std::byte* const* buffers) {
    constexpr plan_step form = Form::plan().steps[Step];
    walk const& outer = p.steps[Step].outer;
    if constexpr (form.call != node_id::none) {
        constexpr bool is_small = form.strategy >= strategy::small_product && form.strategy <= strategy::small_join;
        run_as<is_small ? strategy::any_call : form.strategy, Form, Step, xsimd::default_arch>::run(p, buffers);
    } else if constexpr (form.loops.count == 1) {
        run_thrust_loop<Form, form.loops.first>(policy, p, outer, nullptr, buffers);
    } else { // a row nest: its loops hand rows to each other
        std::int64_t row[max_rank]{};
        for (std::int64_t left = outer.size(); left > 0; --left) {
            [&]<std::size_t... L>(std::index_sequence<L...>) {
                (run_thrust_loop<Form, form.loops.first + L>(policy, p, outer, row, buffers), ...);
            }(std::make_index_sequence<form.loops.count>{});
            for (int axis = outer.rank - 1; axis >= 0 && ++row[axis] == outer.extent[axis]; --axis) row[axis] = 0;
        }
    }
}
} // namespace detail

// As run_static, through Thrust. `arena` has p.arena_bytes[0] bytes.
template <class Form, class Policy> void run_thrust(Policy const& policy, plan_view const& p, io const& args, std::byte* arena) {
    detail::run_steps<Form>(p, args, arena, [&](auto step, std::byte* const* buffers) {
        detail::run_thrust_step<Form, step.value>(policy, p, buffers);
    });
}

} // namespace tx::inline TRACEXPR_TARGET::simd
