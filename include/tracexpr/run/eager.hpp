// Ops on concrete tensors: a function of one op, run at once.
#pragma once

#include <tracexpr/run/execute.hpp>
#include <tracexpr/run/runtime_trace.hpp>

namespace tx::detail {

template <class Fn, class... A> constexpr auto run_eager(Fn fn, A const&... a) {
    using result = result_tree_of<traced_result<Fn, A...>>;
    if constexpr ((facts<A>.has_open_rank || ...)) {
        return run_traced_now<result>(fn, a...);
    } else {
        using traced = stages<compile_time_trace<Fn, A...>>;
        return run_to_result<traced, result>(leaves_of_call<traced>(fn, a...));
    }
}

} // namespace tx::detail
