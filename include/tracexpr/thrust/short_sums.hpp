// This file sums few terms that are adjacent to those of the adjacent results, as a window's are: each thread has a result of its
// own, and adjacent threads read adjacent terms. Where the compiler knows the number of terms, the loops are unrolled.
#pragma once

#include <tracexpr/thrust/planned_points.hpp>

#include <utility>

namespace tx::detail::inline TRACEXPR_DEVICE {

// Do adjacent results have adjacent terms? Short contiguous rows do not count, because a thread loads such a row at once.
constexpr bool has_near_results(plan_view const& p, std::size_t step, std::size_t loop) {
    constexpr std::int64_t most_terms = 64, near = 16, enough = 32; // near is in bytes, enough is a number of adjacent results
    walk const& outer = p.steps[step].outer;
    plan_loop const& l = p.loops[loop];
    if (l.columns || outer.rank == 0 || l.inner.size() > most_terms || outer.extent[outer.rank - 1] < enough) return false;
    bool rows = false, others = l.inner.rank != 1;
    for (std::uint32_t k = 0; k < l.accesses.count; ++k) {
        plan_access const& a = p.accesses[l.accesses.first + k];
        std::int64_t const next = a.outer[outer.rank - 1], bytes = next * static_cast<std::int64_t>(size_in_bytes(a.type));
        if (a.buffer < 0) continue;
        if (bytes > near || bytes < -near) return false;
        if (a.stores || next == 0) continue;
        bool const is_row = l.inner.rank == 1 && next == l.inner.extent[0] * a.inner[0];
        (is_row ? rows : others) = true;
    }
    return others || !rows;
}
// Does a loop reduce such terms, with known extents and few instructions for each result? A loop with unknown extents may: its
// inner axes are then far shorter than the assumed extents, and each run checks the rest.
template <class Form, std::size_t Step, std::size_t Number> inline constexpr bool takes_short_sums = [] {
    constexpr std::int64_t most_cost = 2048;
    constexpr plan_loop l = Form::plan().loops[Number];
    if (l.inner.size() * simd::detail::loop_kernel<Form, Number>::facts.cost > most_cost) return false;
    if (!l.reduces || l.inner.rank == 0 || l.inner.size() < 2) return false;
    return has_near_results(Form::plan(), Step, Number);
}();

// Sums all terms of a result, those of the axes from Outer on, which have these extents, in one thread.
template <class Loop, class Steps, int Outer, std::int64_t... Extents> struct reduce_known {
    static constexpr bool is_single = true;
    Loop loop;
    template <class Team> TRACEXPR_HD void operator()(Team const&, std::int64_t result) const {
        typename Loop::place at = loop.begin(nullptr);
        loop.move(at, result, 0, Outer);
        simd::point_sums<typename Loop::kernel_type> sums;
        sums.reset();
        loop.template run_known<Steps, Outer, Extents...>(at, sums);
        sums.store(at);
    }
};

template <class Form, std::size_t Step, std::size_t Number, class Loop> class short_sums {
    static constexpr walk inner = Form::plan().loops[Number].inner;
    static constexpr int outer_rank = Form::plan().steps[Step].outer.rank;

    // Gives how far an access moves along an axis, in bytes.
    static constexpr std::int64_t step(std::size_t access, std::size_t axis) {
        plan_loop const& l = Form::plan().loops[Number];
        if (access >= l.accesses.count) return 0;
        plan_access const& a = Form::plan().accesses[l.accesses.first + access];
        return a.buffer < 0 ? 0 : a.inner[axis] * static_cast<std::int64_t>(size_in_bytes(a.type));
    }
    template <std::size_t Axis, class> struct steps_along;
    template <std::size_t Axis, std::size_t... A> struct steps_along<Axis, std::index_sequence<A...>> {
        using type = simd::access_steps<step(A, Axis)...>;
    };
    template <class> struct of_axes;
    template <std::size_t... Axis> struct of_axes<std::index_sequence<Axis...>> {
        using accesses = std::make_index_sequence<static_cast<std::size_t>(Loop::accesses)>;
        using known = simd::known_steps<typename steps_along<Axis, accesses>::type...>;
        using steps = std::conditional_t<Form::is_static && !Loop::counts, known, simd::unknown_steps>;
        using type = reduce_known<Loop, steps, outer_rank, inner.extent[Axis]...>;
    };

public:
    using work = typename of_axes<std::make_index_sequence<static_cast<std::size_t>(inner.rank)>>::type;

    static bool are_those(walk const& inner_of_run, walk const& outer_of_run) {
        bool same = inner_of_run.rank == inner.rank && outer_of_run.rank == outer_rank;
        for (int axis = 0; axis < inner.rank; ++axis) same = same && inner_of_run.extent[axis] == inner.extent[axis];
        return same;
    }
};

} // namespace tx::detail::inline TRACEXPR_DEVICE
