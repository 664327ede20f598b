// Ops on tensors outside of functions, where what runs them is compiled once: a call hands on its operands and how the op is
// recorded, and one function runs, records or appends all of them.
#pragma once

#include <tracexpr/run/tiled_trace.hpp>
#include <tracexpr/run/tracing.hpp>

namespace tx::detail::inline TRACEXPR_TARGET {

// Gives the results, which have just been made, their values; where an operand belongs to a trace under way, or is read at each
// run of one, makes the op part of that.
template <class Unused = void> void run_op(tiled_call const& call);

inline void append_op(trace_scope& scope, tiled_call const& call) {
    buffer<node_id> operands, results(call.results.size());
    for (tiled_argument const& a : call.arguments) {
        appended_argument const given = appended_leaf(scope, a);
        operands.push_back(given.id != node_id::none ? given.id : append_elements(scope.recorded, given));
    }
    op_recorder const& recorder = *call.source.recorder;
    recorder.record(recorder, scope, operands.data(), results.data());
    for (std::size_t k = 0; k < call.results.size(); ++k) call.results[k].access->become(call.results[k].leaf, scope, results[k]);
}

// Where an operand may have any rank, the trace is one for the extents of the call.
template <class Unused> traced_program program_of_extents(tiled_call const& call, table_view<dims> extents) {
    traced_programs& known = *prepared<Unused>(call).by_extents;
    recent_calls& recent = recent_calls::of_this_thread();
    if (traced_program found = recent.find(known.number, 0, extents); found.made) return found;
    traced_program out = known.find(extents);
    if (!out.made) {
        auto trace = std::make_shared<runtime_program>();
        trace->traced = trace_of_op<Unused>(call, extents);
        trace->simplified = simplify(trace->traced.view(), call.source.passes);
        out.made = simd::tiles::make_program<Unused>(trace->simplified.view(), extents, call.source.passes);
        out.trace = std::move(trace);
        known.add(extents, out);
    }
    recent.remember(known.number, 0, extents, out);
    return out;
}
template <class Unused> void run_op_of_open_rank(tiled_call const& call) {
    if (!innermost_recorder && run_small<Unused>(call, true)) return;
    buffer<void const*> arguments;
    buffer<dims> extents;
    for (tiled_argument const& a : call.arguments) {
        arguments.push_back(a.access->data(a.leaf));
        extents.push_back(a.access->extents(a.leaf));
    }
    traced_program const found = program_of_extents<Unused>(call, extents);
    buffer<void*> results;
    for (std::size_t k = 0; k < call.results.size(); ++k)
        results.push_back(call.results[k].access->make(call.results[k].leaf, found.made->output_extents(k)));
    simd::tiles::run_program<Unused>(*found.made, {arguments.data(), results.data()});
    if (innermost_recorder) [[unlikely]]
        record_tiled(call, found.trace->traced.view());
}

template <class Unused> void run_op(tiled_call const& call) {
    if (trace_scope* const scope = scope_of_tiled(call)) [[unlikely]]
        append_op(*scope, call);
    else if (call.source.recorder->has_open_rank) run_op_of_open_rank<Unused>(call);
    else run_tiled<Unused>(call);
}
TRACEXPR_TARGET_INSTANCE(void run_op<void>(tiled_call const&))

// An expr or weak expr, as a callable sees an argument of this type.
template <class A> using symbol_of_operand = std::conditional_t<traits<A>::weak, weak_expr<ctype<traits<A>::type>>,
                                                                expr<ctype<traits<A>::type>, typename traits<A>::shape_type>>;
// Records what a functor without members does.
template <class Fn, class... A> struct functor_recorder {
    static void record(op_recorder const&, trace_scope& scope, node_id const* operands, node_id* results) {
        [&]<std::size_t... K>(std::index_sequence<K...>) {
            auto const made = Fn{}(symbol_of_operand<A>(scope, operands[K])...);
            for_each_result(
                made, [&](auto const& part) { *results++ = record_operand<dtype_of_operand<decltype(part)>>(scope, part); });
        }(std::index_sequence_for<A...>{});
    }
    static constexpr op_recorder recorder{record, (facts<A>.has_open_rank || ...), is_elementwise<Fn>};
};

template <class Fn, class... A> constexpr op_recorder const* recorder_of() {
    if constexpr (has_recorder<Fn, A...>) return Fn::template recorder_for<A...>;
    else return &functor_recorder<Fn, A...>::recorder;
}
inline constexpr pass_options passes_of_ops{};
template <class Fn, class... A> inline constinit tiled_source source_of_op{{}, passes_of_ops, nullptr, recorder_of<Fn, A...>()};

} // namespace tx::detail::inline TRACEXPR_TARGET

namespace tx::detail::inline TRACEXPR_CALLS {

// One function for all ops on operands of these types.
template <class Result, class... A> TRACEXPR_NOINLINE Result result_of_op(tiled_source& source, A const&... a) {
    Result out{};
    tiled_argument const arguments[]{argument_of_call(a)...};
    tiled_result results[facts<Result>.outputs];
    std::size_t count = 0;
    for_each_output(out, [&]<class Part>(Part& part) { results[count++] = {&part, &result_leaf_access<Part>::table}; });
    run_op<>({source, {arguments, sizeof...(A)}, {results, count}});
    return out;
}

} // namespace tx::detail::inline TRACEXPR_CALLS
