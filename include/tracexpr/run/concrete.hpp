// One signature's trace of a function: made by the compiler, or at run time.
#pragma once

#include <tracexpr/passes/plan_drawing.hpp>
#include <tracexpr/run/function_core.hpp>
#include <tracexpr/run/trees/names.hpp>

namespace tx {
namespace detail {

// Another library's array as the tensor that a signature asks for.
template <class... B> concept includes_foreign = (foreign<B> || ...);
template <class... B> concept includes_exprs = (facts<B>.has_exprs || ...);
template <class A, class B> constexpr decltype(auto) own_argument(B const& b) {
    if constexpr (foreign<B>) return A(foreign_access<B>::to_tensor(b));
    else return (b);
}

// What runs of a trace, as pictures: what shares a loop in one box, which says how large the loop is and which way it runs;
// arguments by the names of their fields; regions of their own. See graph_handle for the same of a graph alone.
inline namespace TRACEXPR_PROCESSOR {
template <class F, class... A> struct pictures {
    static drawing of(graph_view const& trace) { return drawing_of_plan(trace, passes_of<F>, parameter_names<F, A...>()); }
    static std::string dot(graph_view const& trace) { return to_dot(of(trace)); }
    static std::string svg(graph_view const& trace) { return to_svg(of(trace)); }
    static std::string html(graph_view const& trace, std::string const& signature) {
        return to_html(of(trace), signature, explain_passes(trace, passes_of<F>));
    }
};
} // namespace TRACEXPR_PROCESSOR

// A function that is called with one signature. Inside another traced callable a call becomes part of that trace.
template <class F, class... A> class concrete_call : function_core<F, false> {
    using core = function_core<F, false>;

public:
    using core::settings;
    using core::stored;

    TRACEXPR_NAMES_TARGET constexpr auto operator()(A const&... a) const { return this->call(a...); }
    template <class... B> requires includes_foreign<B...> TRACEXPR_NAMES_TARGET auto operator()(B const&... b) const {
        return this->call(own_argument<A>(b)...);
    }
    template <class... E> requires includes_exprs<E...> TRACEXPR_NAMES_TARGET constexpr auto operator()(E const&... e) const {
        return this->call(e...);
    }
    TRACEXPR_NAMES_TARGET void into(result_tree_of<traced_result<callable_of<F>, A...>>& out, A const&... a) const {
        this->call_into(out, a...);
    }

protected:
    using core::adopt;
    using core::core;
};

} // namespace detail

// The compiler's trace. Holds the callable as the function does: by value, or the reference that the function was given.
template <class F, class... A> class concrete_function : public detail::concrete_call<F, A...> {
    using stages = detail::stages<detail::compile_time_trace<detail::callable_of<F>, A...>>;
    using pictures = detail::pictures<detail::callable_of<F>, A...>;

public:
    constexpr explicit concrete_function(F f) : detail::concrete_call<F, A...>(std::move(f)) {}

    // The graph that is run, and the one that was traced.
    static constexpr graph_handle graph() { return graph_handle(stages::graph()); }
    static constexpr graph_handle trace() { return graph_handle(stages::trace()); }
    // "(float32[1,2], float32[]) -> float32[]"
    static std::string signature() { return detail::write_call(stages::trace(), A{}...).line.str(); }

    // The graph before the passes and after each of them.
    TRACEXPR_NAMES_TARGET static std::string explain_passes() { return tx::explain_passes(stages::trace(), stages::passes); }

    // The graph that is run as a picture, for Graphviz and without it: what shares a loop is a group, labelled with the loop's
    // extents and strategy, and arguments have the names of their fields. A page of HTML has the text of explain_passes, too.
    TRACEXPR_NAMES_TARGET static std::string to_dot() { return pictures::dot(stages::trace()); }
    TRACEXPR_NAMES_TARGET static std::string to_svg() { return pictures::svg(stages::trace()); }
    TRACEXPR_NAMES_TARGET static std::string to_html() { return pictures::html(stages::trace(), signature()); }
};

// A trace made at run time. Shares it with the function, and outlives that. Where a call has values that the trace depends on, of
// keys or of numbers in a functor, which were others, it is traced anew.
template <class F, class... A> class concrete_trace : public detail::concrete_call<F, A...> {
public:
    concrete_trace(F f, std::shared_ptr<detail::runtime_program const> program, A const&... like)
        : detail::concrete_call<F, A...>(std::move(f)), program_(std::move(program)) {
        this->adopt(program_, like...);
    }

    graph_handle graph() const { return graph_handle(program_->simplified.view()); }
    graph_handle trace() const { return graph_handle(program_->traced.view()); }
    std::string signature() const { return detail::write_call(program_->traced.view(), A{}...).line.str(); }

    // For extents that stand in for those that only a call tells.
    TRACEXPR_NAMES_TARGET std::string explain_passes() const {
        return "traced at run time, planned for the extents of each call, and run tile by tile; of other extents:\n" +
               tx::explain_passes(program_->traced.view(), detail::passes_of<detail::callable_of<F>>);
    }
    TRACEXPR_NAMES_TARGET std::string to_dot() const { return pictures::dot(program_->traced.view()); }
    TRACEXPR_NAMES_TARGET std::string to_svg() const { return pictures::svg(program_->traced.view()); }
    TRACEXPR_NAMES_TARGET std::string to_html() const { return pictures::html(program_->traced.view(), signature()); }

private:
    using pictures = detail::pictures<detail::callable_of<F>, A...>;
    std::shared_ptr<detail::runtime_program const> program_;
};

namespace detail {
// What graph_of gives for a callable that the compiler can't trace: a graph handle with the graph.
struct owned_graph {
    std::shared_ptr<runtime_program const> program;
};
struct shared_graph : private owned_graph, graph_handle {
    explicit shared_graph(std::shared_ptr<runtime_program const> p) : owned_graph{p}, graph_handle(p->simplified.view()) {}
};
} // namespace detail

} // namespace tx
