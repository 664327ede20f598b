// One signature's trace of a function: made by the compiler, or at run time.
#pragma once

#include <tracexpr/run/explained.hpp>
#include <tracexpr/run/function_core.hpp>

namespace tx {
namespace detail {

// Another library's array as the tensor that a signature asks for.
template <class... B> concept includes_foreign = (foreign<B> || ...);
template <class... B> concept includes_exprs = (facts<B>.has_exprs || ...);
template <class A, class B> constexpr decltype(auto) own_argument(B const& b) {
    if constexpr (foreign<B>) return A(foreign_access<B>::to_tensor(b));
    else return (b);
}

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

// What runs of a trace as a picture, for Graphviz and without it: what shares a loop is a group, labelled with the loop's extents
// and strategy, and arguments have the names of their fields. A page of HTML has its regions and the text of explain_passes, too.
// With tracexpr/inspect.hpp.
template <class Concrete, class F, class... A> class with_pictures {
    Concrete const& self() const { return static_cast<Concrete const&>(*this); }

public:
    template <class P = pictures<callable_of<F>, A...>> std::string to_dot() const {
        if constexpr (require_inspect<P>()) return P::dot(self().trace());
        else return {};
    }
    template <class P = pictures<callable_of<F>, A...>> std::string to_svg() const {
        if constexpr (require_inspect<P>()) return P::svg(self().trace());
        else return {};
    }
    template <class P = pictures<callable_of<F>, A...>> std::string to_html() const {
        if constexpr (require_inspect<P>()) return P::html(self().trace(), self().signature());
        else return {};
    }
};

} // namespace detail

// The compiler's trace. Holds the callable as the function does: by value, or the reference that the function was given.
template <class F, class... A> class concrete_function : public detail::concrete_call<F, A...>,
                                                         public detail::with_pictures<concrete_function<F, A...>, F, A...> {
    using stages = detail::stages<detail::compile_time_trace<detail::callable_of<F>, A...>>;

public:
    constexpr explicit concrete_function(F f) : detail::concrete_call<F, A...>(std::move(f)) {}

    // The graph that is run, and the one that was traced.
    static constexpr graph_handle graph() { return graph_handle(stages::graph()); }
    static constexpr graph_handle trace() { return graph_handle(stages::trace()); }
    // "(float32[1,2], float32[]) -> float32[]"
    static std::string signature() { return detail::write_call(stages::trace(), A{}...).line.str(); }

    // The graph before the passes and after each of them.
    TRACEXPR_NAMES_TARGET static std::string explain_passes() { return detail::explained_here(stages::trace(), stages::passes); }
};

// A trace made at run time. Shares it with the function, and outlives that. Where a call has values that the trace depends on, of
// keys or of numbers in a functor, which were others, it is traced anew.
template <class F, class... A> class concrete_trace : public detail::concrete_call<F, A...>,
                                                      public detail::with_pictures<concrete_trace<F, A...>, F, A...> {
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
               detail::explained<>(program_->traced.view(), detail::passes_of<detail::callable_of<F>>);
    }

private:
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
