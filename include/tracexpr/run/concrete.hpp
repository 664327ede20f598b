// This file holds concrete functions: the trace of a function for one signature, made by the compiler or at run time.
#pragma once

#include <tracexpr/run/explained.hpp>
#include <tracexpr/run/function_core.hpp>

namespace tx {
namespace detail {

// Makes another library's array the tensor that a signature asks for.
template <class... B> concept includes_foreign = (foreign<B> || ...);
template <class... B> concept includes_exprs = (facts<B>.has_exprs || ...);
template <class A, class B> constexpr decltype(auto) own_argument(B const& b) {
    if constexpr (foreign<B>) return A(foreign_access<B>::to_tensor(b));
    else return (b);
}

// A concrete_call is a function that is called with one signature. Inside another traced callable a call becomes part of that
// trace.
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

// Draws the graph that runs, for Graphviz and without it: nodes that share a loop are a group, labelled with the loop's extents
// and strategy, and arguments have the names of their fields. A page of HTML also has the graph's regions and the text of
// explain_passes. Needs tracexpr/inspect.hpp.
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

// concrete_function is a function of one signature that the compiler has traced. It holds the callable as the function does: by
// value, or by the reference that the function was given.
template <class F, class... A> class concrete_function : public detail::concrete_call<F, A...>,
                                                         public detail::with_pictures<concrete_function<F, A...>, F, A...> {
    using stages = detail::stages<detail::compile_time_trace<detail::callable_of<F>, A...>>;

public:
    constexpr explicit concrete_function(F f) : detail::concrete_call<F, A...>(std::move(f)) {}

    // Return the graph that runs, and the one that was traced.
    static constexpr graph_handle graph() { return graph_handle(stages::graph()); }
    static constexpr graph_handle trace() { return graph_handle(stages::trace()); }
    // Returns a text such as "(float32[1,2], float32[]) -> float32[]".
    static std::string signature() { return detail::write_call(stages::trace(), A{}...).line.str(); }

    // Returns the text of the graph before the passes and after each of them.
    TRACEXPR_NAMES_TARGET static std::string explain_passes() { return detail::explained_here(stages::trace(), stages::passes); }
};

// concrete_trace is a function of one signature that was traced at run time. It shares the trace with the function that made it,
// and may outlive that function. If a call has other values that the trace depends on (of keys, or of numbers in a functor), the
// callable is traced anew.
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

    // Returns the text for stand-ins of the extents that only a call tells.
    TRACEXPR_NAMES_TARGET std::string explain_passes() const {
        return "traced at run time, planned for the extents of each call, and run tile by tile; of other extents:\n" +
               detail::explained<>(program_->traced.view(), detail::passes_of<detail::callable_of<F>>);
    }

private:
    std::shared_ptr<detail::runtime_program const> program_;
};

namespace detail {
// graph_of returns one for a callable that the compiler can't trace: it is a graph handle that owns its graph.
struct owned_graph {
    std::shared_ptr<runtime_program const> program;
};
struct shared_graph : private owned_graph, graph_handle {
    explicit shared_graph(std::shared_ptr<runtime_program const> p) : owned_graph{p}, graph_handle(p->simplified.view()) {}
};
} // namespace detail

} // namespace tx
