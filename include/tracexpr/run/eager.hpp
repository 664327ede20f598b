// Ops on concrete tensors: a function of one op, run at once.
#pragma once

#include <tracexpr/run/execute.hpp>
#include <tracexpr/run/runtime_trace.hpp>

namespace tx::detail {

template <class Fn, class... A> constexpr auto run_eager(Fn fn, A const&... a) {
    using result = result_tree_of<decltype(fn(symbolic(a, std::declval<argument_scope&>())...))>;
    if constexpr ((std::is_same_v<typename traits<A>::shape_type, any_shape> || ...)) {
        return run_traced_now<result>(fn, a...);
    } else {
        leaf_list<sizeof...(A)> arguments;
        (arguments.add(a), ...);
        return run_to_result<stages<compile_time_trace<Fn, A...>>, result>(arguments);
    }
}

} // namespace tx::detail
