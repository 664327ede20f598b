// This file calls ops on tensors outside of functions by code that is compiled once: a call hands on its operands and how the op
// is recorded, and one function runs, records or appends all ops.
#pragma once

#include <tracexpr/run/tiled_trace.hpp>
#include <tracexpr/run/tracing.hpp>

namespace tx::detail::inline TRACEXPR_RUNS {

// Fills the results, which have just been made. If an operand belongs to a trace under way, or is read at each run of one, the op
// becomes part of that trace.
template <class Unused = void> void run_op(tiled_call const& call);

} // namespace tx::detail::inline TRACEXPR_RUNS

#if TRACEXPR_HAS_BODIES
#include <tracexpr/run/op_calls_bodies.hpp>
#endif

namespace tx::detail::inline TRACEXPR_RUNS {

TRACEXPR_INSTANCE(void run_op<void>(tiled_call const&))

// symbol_of_operand is an expr or weak expr, as a callable sees an argument of this type.
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

} // namespace tx::detail::inline TRACEXPR_RUNS

namespace tx::detail::inline TRACEXPR_CALLS {

// One function runs all ops on operands of these types.
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
