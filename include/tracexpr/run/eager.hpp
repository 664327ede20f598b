// Ops on concrete tensors: a function of one op, run at once.
#pragma once

#include <tracexpr/run/execute.hpp>
#include <tracexpr/run/recording.hpp>

namespace tx::detail {

template <class Fn, class... A> constexpr auto run_eager(Fn fn, A const&... a) {
    using result = result_tree_of<traced_result<Fn, A...>>;
    if constexpr ((facts<A>.has_open_rank || ...)) {
        call_leaves<Fn, A...> arguments;
        (arguments.add(a), ...);
        runtime_program const program = trace_now(arguments.shapes(), fn, a...);
        result out = run_reference_on<result>(program.simplified.view(), arguments);
        if (innermost_recorder) [[unlikely]] record_op(program.traced.view(), out, a...);
        return out;
    } else {
        using traced = stages<compile_time_trace<Fn, A...>>;
        result out = run_to_result<traced, result>(leaves_of_call<traced>(fn, a...));
        if (innermost_recorder) [[unlikely]] record_op(traced::trace(), out, a...);
        return out;
    }
}

} // namespace tx::detail
