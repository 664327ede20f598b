// This file runs elementwise ops, and reductions of all elements, on tensors whose rank is known only at run time, by kernels for
// the greatest possible rank: leading axes that a tensor lacks have the extent 1.
#pragma once

#include <tracexpr/passes/extents.hpp>
#include <tracexpr/run/execute.hpp>
#include <tracexpr/run/recording/recording.hpp>
#include <tracexpr/run/tracing.hpp>
#include <tracexpr/trace/dynamic.hpp>
#include <tracexpr/trace/reductions.hpp>

#include <utility>

namespace tx::detail::inline TRACEXPR_CALLS {

template <class A> struct with_most_axes {
    using type = A;
};
template <class T> struct with_most_axes<tensor<T, any_shape>> {
    using type = tensor<T, typename open_shape_of_rank<max_rank>::type>;
};

// Does an op reduce all elements to one?
template <class Fn> inline constexpr bool is_total = false;
template <class Form> inline constexpr bool is_of_all = Form::all && !Form::keep;
template <op Code, class Form> inline constexpr bool is_total<total_fn<Code, Form>> = is_of_all<Form>;
template <op Code, class Form> inline constexpr bool is_total<extreme_fn<Code, Form>> = is_of_all<Form>;
template <op Code, class Form> inline constexpr bool is_total<truth_fn<Code, Form>> = is_of_all<Form>;
template <class Form> inline constexpr bool is_total<mean_fn<Form>> = is_of_all<Form>;
template <class Form, int Delta, bool Root> inline constexpr bool is_total<deviation_fn<Form, Delta, Root>> = is_of_all<Form>;

// May an op run with the greatest rank? A program that compiles the tile executor itself then doesn't need the executor, nor its
// compile time, if such ops are its only ones on tensors of open rank.
template <class Fn, class... A> concept runs_with_most_axes =
    !TRACEXPR_HAS_ROUTINES && !TRACEXPR_PREFERS_TILES && (facts<A>.has_open_rank || ...) &&
    (is_elementwise<Fn> || is_total<Fn>) && ((tensor_type<A> || scalar_type<A>) && ...);

// Returns the op's graph; throws if operands of these shapes don't fit the op.
template <class Fn, class... A> graph graph_of_op(table_view<dims> shapes, Fn fn, A const&... a) {
    argument_scope scope;
    scope.extents = shapes;
    {
        open_trace const opened(scope);
        trace_into(scope, fn, a...);
    }
    inferred_extents(scope.recorded.view(), shapes);
    return std::move(scope.recorded);
}

template <class Result, class Fn, class... A> Result run_with_most_axes(Fn fn, A const&... a) {
    using traced = stages<compile_time_trace<Fn, typename with_most_axes<A>::type...>>;
    static_leaves<traced> leaves;
    std::size_t count = 0, known = 0;
    dims given[sizeof...(A)], common;
    bool fits = true;
    auto const add = [&]<class Part>(Part const& part) {
        using reader = leaf_access<Part>;
        constexpr dims type = dims_of<typename reader::shape_type>;
        dims const d = reader::extents(part);
        leaves.data[count] = reader::data(part), given[count++] = d;
        constexpr int axes = type.rank < 0 ? max_rank : type.rank;
        for (int axis = 0; axis < axes; ++axis) {
            int const from = axis - (axes - d.rank);
            if (type.rank < 0 || type[axis] == dyn) leaves.open[known++] = from < 0 ? 1 : d[from];
        }
        fits = fits && broadcastable(common, d);
        if (fits) common = broadcast(common, d);
    };
    (for_each_leaf(a, add), ...);
    graph recorded;
    if (!fits || common.size() == 0 || innermost_recorder) [[unlikely]]
        recorded = graph_of_op({given, count}, fn, a...);
    Result out = Result::uninitialized(is_total<Fn> ? dims{} : common);
    void* const outputs[]{tensor_access::overwritten(out)};
    simd::run_static<traced>(plan_for<traced>(leaves.open), {leaves.data, outputs});
    if (innermost_recorder) [[unlikely]]
        record_op(fn, recorded.view(), out, a...);
    return out;
}

} // namespace tx::detail::inline TRACEXPR_CALLS
