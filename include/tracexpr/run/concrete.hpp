// One signature's trace of a function: made by the compiler, or at run time.
#pragma once

#include <tracexpr/passes/print.hpp>
#include <tracexpr/run/eager.hpp>
#include <tracexpr/run/signature.hpp>

namespace tx {
namespace detail {

// Another library's array as the tensor that a signature asks for.
template <class... B> concept includes_foreign = (foreign<B> || ...);
template <class A, class B> constexpr decltype(auto) own_argument(B const& b) {
    if constexpr (foreign<B>) return A(foreign_access<B>::to_tensor(b));
    else return (b);
}

} // namespace detail

// The compiler's trace. Holds the callable as the function does: by value, or the reference that the function was given.
template <class F, class... A> class concrete_function {
    using callable = detail::callable_of<F>;
    using stages = detail::stages<detail::compile_time_trace<callable, A...>>;
    using result = detail::result_tree_of<detail::traced_result<callable, A...>>;

public:
    constexpr explicit concrete_function(F f) : f_(std::move(f)) {}

    // The graph that is run, and the one that was traced.
    static constexpr graph_handle graph() { return graph_handle(stages::graph()); }
    static constexpr graph_handle trace() { return graph_handle(stages::trace()); }
    // "(float32[1,2], float32[]) -> float32[]"
    static std::string signature() { return detail::write_call(stages::trace(), A{}...).line.str(); }

    // The graph before the passes and after each of them.
    static std::string explain_passes() { return tx::explain_passes(stages::trace(), stages::passes); }

    auto operator()(A const&... a) const {
        return detail::run_to_result<stages, result>(detail::leaves_of_call<stages>(detail::unwrap(f_), a...));
    }
    template <class... B> requires detail::includes_foreign<B...> auto operator()(B const&... b) const { return (*this)(detail::own_argument<A>(b)...); }
    void into(result& out, A const&... a) const {
        auto const arguments = detail::unchecked_leaves_of_call<stages>(detail::unwrap(f_), a...);
        bool const is_symbolic = detail::calls_may_be_watched.load(std::memory_order_relaxed) && detail::has_symbols(out, detail::unwrap(f_), a...);
        if (!is_symbolic && detail::may_run_into(out, arguments, detail::unwrap(f_), a...)) {
            detail::run_into(out, arguments);
        } else {
            detail::require_values(out);
            out = (*this)(a...);
        }
    }

private:
    [[no_unique_address]] F f_;
};

// A trace made at run time. Shares it with the function, and outlives that.
template <class F, class... A> class concrete_trace {
    using callable = detail::callable_of<F>;
    using result = detail::result_tree_of<detail::traced_result<callable, A...>>;

public:
    concrete_trace(F f, std::shared_ptr<detail::runtime_program const> program) : f_(std::move(f)), program_(std::move(program)) {}

    graph_handle graph() const { return graph_handle(program_->simplified.view()); }
    graph_handle trace() const { return graph_handle(program_->traced.view()); }
    std::string signature() const { return detail::write_call(program_->traced.view(), A{}...).line.str(); }

    std::string explain_passes() const { return tx::explain_passes(program_->traced.view(), detail::passes_of<callable>); }

    // Throws signature_error for shapes that the trace wasn't made for.
    auto operator()(A const&... a) const {
        detail::call_leaves<callable, A...> leaves;
        (leaves.add(a), ...);
        detail::callable_form<callable>::visit(detail::unwrap(f_), leaves.adder(), detail::ignore_value{});
        return detail::run_reference_on<result>(program_->simplified.view(), leaves);
    }
    template <class... B> requires detail::includes_foreign<B...> auto operator()(B const&... b) const { return (*this)(detail::own_argument<A>(b)...); }
    void into(result& out, A const&... a) const { out = (*this)(a...); }

private:
    [[no_unique_address]] F f_;
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
