// A callable and the types of its arguments, to a graph: in the compiler where the callable allows it, else at run time.
#pragma once

#include <tracexpr/graph/freeze.hpp>
#include <tracexpr/passes/plan.hpp>
#include <tracexpr/passes/simplify.hpp>
#include <tracexpr/run/pytree.hpp>

namespace tx::detail {

// A trace whose parameters take their shapes from the arguments' types, or, where those leave the rank open, from `extents`.
struct argument_scope : trace_scope {
    std::span<dims const> extents{};
    constexpr dims parameter_extents(dims const& typed) const {
        return typed.rank < 0 ? extents[recorded.view().parameters.size()] : typed;
    }
};

template <class R> constexpr void record_outputs(trace_scope& scope, R const& results) {
    for_each_leaf(results, [&](auto const& leaf_value) {
        using leaf_type = std::remove_cvref_t<decltype(leaf_value)>;
        using T = typename result_tree_of<leaf_type>::value_type;
        scope.recorded.add_output(record_operand<dtype_of<T>>(scope, leaf_value));
    });
}

// Calls the callable on exprs; its members that are tensors follow the arguments as parameters.
template <class F, class... A> constexpr void trace_into(argument_scope& scope, F const& f, A const&... a) {
    auto const call = [&](auto const&... argument) {
        if constexpr (bound_aggregate<F>) {
            auto const bound = symbolic(f, scope);
            record_outputs(scope, bound(argument...));
        } else {
            record_outputs(scope, f(argument...));
        }
    };
    // Braces, not a call's parentheses: parameters are numbered from left to right.
    std::apply(call, std::tuple<decltype(symbolic(a, scope))...>{symbolic(a, scope)...});
}

// A callable that needs no run-time value: all it has is its type, or members that are default-constructed here.
template <class F> concept has_static_form = std::is_default_constructible_v<F> && (std::is_empty_v<F> || bound_aggregate<F>);

template <class F, class... A> struct compile_time_trace {
    static constexpr graph make() {
        argument_scope scope;
        trace_into(scope, F{}, A{}...);
        return std::move(scope.recorded);
    }
};

template <class F, class... A> using traced_result =
    decltype(std::declval<F const&>()(symbolic(std::declval<A const&>(), std::declval<argument_scope&>())...));

template <class A> inline constexpr bool has_open_rank = [] {
    bool open = false;
    if constexpr (std::is_default_constructible_v<A>) {
        A const* const a = nullptr;
        static_cast<void>(a);
        if constexpr (leaf<A>) open = std::is_same_v<typename leaf_access<A>::shape_type, any_shape>;
    }
    return open;
}();

// Can the compiler trace F for arguments of these types?
template <class F, class... A> concept statically_traceable =
    has_static_form<F> && !(is_key<A> || ...) && !(has_open_rank<A> || ...) &&
    requires { typename std::integral_constant<std::size_t, compile_time_trace<F, A...>::make().size()>; };

// The compiler's stages for one trace, each computed once, on demand.
template <class Trace> struct stages {
    struct simplified {
        static constexpr graph make() { return simplify(frozen<Trace>::view()); }
    };
    static constexpr graph_view trace() { return frozen<Trace>::view(); }
    static constexpr graph_view graph() { return frozen<simplified>::view(); }
    static constexpr bool is_static = [] {
        for (dims const& d : frozen<simplified>::view().shapes)
            if (!d.is_static()) return false;
        return true;
    }();

private:
    struct clustered {
        static constexpr clusters make() { return cluster(graph()); }
    };
    struct planned {
        static constexpr tx::plan make() {
            buffer<dims> const extents = assumed_extents(graph());
            return make_plan(graph(), frozen_tables<cluster_tables, clustered>::value, {extents.data(), extents.size()});
        }
    };

public:
    static constexpr clusters_view clusters() { return frozen_tables<cluster_tables, clustered>::value; }
    static constexpr plan_view plan() { return frozen_tables<plan_tables, planned>::value; }
};

} // namespace tx::detail
