// This file makes calls of the tile executor from what the compiler traced. `Stages` is as in execute.hpp, but only its trace is
// used.
#pragma once

#include <tracexpr/backends/tiles/needed_routines.hpp>
#include <tracexpr/run/execute.hpp>
#include <tracexpr/run/tiled_trace.hpp>

namespace tx::detail::inline TRACEXPR_TARGET {

// Programs that compile the tile executor's routines themselves only compile those of dtypes that a trace has.
constexpr bool has_dtype(graph_view const& g, dtype type) {
    for (node const& n : g)
        if (n.type == type) return true;
    for (node const& n : g.region_nodes)
        if (n.type == type) return true;
    return false;
}
template <class Stages> void need_routines_of_trace() {
    if constexpr (has_effects<Stages>) know_effects<>();
    [&]<std::size_t... T>(std::index_sequence<T...>) {
        (
            [&] {
                constexpr dtype type = static_cast<dtype>(T);
                if constexpr (type != dtype::token && has_dtype(Stages::trace(), type))
                    simd::tiles::detail::need_routines<ctype<type>>();
            }(),
            ...);
    }(std::make_index_sequence<dtype_count>{});
}
template <class Stages> constexpr auto routines_needed() -> void (*)() {
#if TRACEXPR_HAS_ROUTINES
    return nullptr;
#else
    return need_routines_of_trace<Stages>;
#endif
}
template <class Stages> inline constinit tiled_source source_of{Stages::trace(), Stages::passes, routines_needed<Stages>()};

// Calls run(call) on the leaves of a callable's arguments, of what it holds, and of its result. Initialisers of the result's
// members have run before.
template <class Stages, bool Records, class Result, class F, class... A>
TRACEXPR_INLINE bool with_tiled_call(bool (*run)(tiled_call const&), Result& result, F const& f, A const&... a) {
    tiled_argument arguments[parameter_count<Stages> + 1];
    tiled_result results[facts<Result>.outputs + 1];
    std::size_t count = 0, result_count = 0;
    auto const add = [&]<class Part>(Part const& part) TRACEXPR_INLINE_LAMBDA { arguments[count++] = argument_of_call(part); };
    (for_each_leaf(a, add), ...);
    callable_form<F>::visit(f, add, ignore_value{});
    visit_captures<Stages>(f, add);
    for_each_output(result, [&]<class Part>(Part& part)
                                TRACEXPR_INLINE_LAMBDA { results[result_count++] = {&part, &result_leaf_access<Part>::table}; });
    return run(tiled_call{source_of<Stages>, {arguments, count}, {results, result_count}, Records});
}

} // namespace tx::detail::inline TRACEXPR_TARGET
