// This file makes traces at run time. They become the same graphs as the compiler's traces and go through the same passes; the
// tile executor runs them.
#pragma once

#include <tracexpr/backends/tiles/needed_routines.hpp>
#include <tracexpr/run/made_programs.hpp>
#include <tracexpr/run/tracing.hpp>

namespace tx::detail {

// runtime_program holds a graph that was made at run time, and what the graph refers to.
struct runtime_program {
    graph traced;
    graph simplified;
    buffer<std::shared_ptr<void const>> kept; // elements that the trace owns, to which captures refer
    std::shared_ptr<void> form;               // a result with as many parts in its lists, without elements
    std::unique_ptr<made_programs const> programs = std::make_unique<made_programs const>();

    // Does its result depend on what others own, which is read at each run?
    TRACEXPR_ONCE bool reads_live() const {
        for (captured const& c : traced.view().captures) {
            bool is_kept = false;
            for (auto const& own : kept) is_kept = is_kept || own.get() == c.address;
            if (!is_kept) return true;
        }
        return false;
    }
};

inline namespace TRACEXPR_RUNS {

struct traced_program {
    std::shared_ptr<runtime_program const> trace;
    std::shared_ptr<program const> made; // the trace's program for the extents of one call
};

// Appends a copy of elements that the trace doesn't own, as a constant.
template <class Unused = void> node_id append_elements(graph& g, appended_argument const& from);
// trace_scope::append points to this function.
template <class Unused = void>
void append_graph(trace_scope& scope, graph_view const& from, table_view<appended_argument> arguments, node_id* outputs);
// trace_scope::evaluate points to this function; it computes all that the node needs.
template <class Unused = void> kept_value evaluated_node(trace_scope& scope, node_id id);

// trace_request says how trace_now traces a callable: record(callable, scope) calls it.
struct trace_request {
    table_view<dims> shapes;
    void const* const* arguments;
    void (*record)(void const* callable, argument_scope& scope);
    void const* callable;
    pass_options const& passes;
    bool returns_nothing;
};
template <class Unused = void> runtime_program traced_by(trace_request const& request);

// Traces a callable. `shapes` are those of the parameters, with tx::dyn, or an unknown rank, for what the trace must not depend
// on. `arguments` are the parameters' elements if the callable may read values.
template <class F, class... A>
TRACEXPR_NOINLINE runtime_program trace_now(table_view<dims> shapes, void const* const* arguments, F const& f, A const&... a) {
    auto const record = [&](argument_scope& scope) { trace_into(scope, f, a...); };
    return traced_by<>({shapes, arguments,
                        [](void const* by, argument_scope& scope) { (*static_cast<decltype(record)*>(by))(scope); }, &record,
                        passes_of<F>, std::is_void_v<traced_result<F, A...>>});
}

// need_routines_of_leaf is called on the leaves of what a run-time trace takes and returns, and asks for the routines of their
// dtypes.
struct need_routines_of_leaf {
    template <class Part> void operator()(Part const&) const {
        simd::tiles::detail::need_routines<typename leaf_access<Part>::value_type>();
    }
};
} // namespace TRACEXPR_RUNS

} // namespace tx::detail

#if TRACEXPR_HAS_BODIES
#include <tracexpr/run/runtime_trace_bodies.hpp>
#endif

namespace tx::detail::inline TRACEXPR_RUNS {
TRACEXPR_INSTANCE(runtime_program traced_by<void>(trace_request const&))
TRACEXPR_INSTANCE(node_id append_elements<void>(graph&, appended_argument const&))
TRACEXPR_INSTANCE(void append_graph<void>(trace_scope&, graph_view const&, table_view<appended_argument>, node_id*))
TRACEXPR_INSTANCE(kept_value evaluated_node<void>(trace_scope&, node_id))
} // namespace tx::detail::inline TRACEXPR_RUNS
