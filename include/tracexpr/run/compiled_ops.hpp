// This file runs ops on concrete tensors of known rank: the compiler traces each of them as a function of one op.
#pragma once

#include <tracexpr/run/recording/recording.hpp>
#include <tracexpr/run/tiled_stages.hpp>

namespace tx::detail::inline TRACEXPR_CALLS {

// Does a trace have ops whose kernels are long, and that take so long that one more call hardly counts?
constexpr bool has_long_kernels(graph_view const& g) {
    for (node const& n : g)
        if (info(n.code).kind == kind::decomposition || info(n.code).kind == kind::order || info(n.code).kind == kind::random)
            return true;
    return false;
}
template <class Stages> inline constexpr bool is_left_to_routines = TRACEXPR_HAS_ROUTINES && has_long_kernels(Stages::trace());

template <class Result, class Fn, class... A> Result run_compiled(Fn const& fn, A const&... a) {
    using traced = stages<compile_time_trace<Fn, A...>>;
    Result out{};
    if constexpr (runs_on_routines<Fn, A...> || is_left_to_routines<traced>) {
        with_tiled_call<traced, true>(run_tiled<>, out, fn, a...);
    } else {
        run_to_result(out, leaves_of_call<traced>(fn, a...));
        if (innermost_recorder) [[unlikely]]
            record_op(fn, traced::trace(), out, a...);
    }
    return out;
}

} // namespace tx::detail::inline TRACEXPR_CALLS
