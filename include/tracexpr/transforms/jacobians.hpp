// Jacobians and Hessians are derivatives along all directions at once, computed by batching one derivative over a basis.
// tx::linearize returns the derivative at a point as a linear function.
#pragma once

#include <tracexpr/transforms/vmap.hpp>

namespace tx {
namespace detail {

template <class Y, class X> struct jacobian_shape {
    static constexpr dims y = dims_of_operand<Y>, x = dims_of_operand<X>;
    static constexpr bool fits = y.rank < 0 || x.rank < 0 || y.rank + x.rank <= max_rank;
    static constexpr dims value = [] {
        dims out;
        if (y.rank < 0 || x.rank < 0) out.rank = dims::unknown_rank;
        for (int axis = 0; fits && out.rank >= 0 && axis < y.rank; ++axis) out.push_back(y[axis]);
        for (int axis = 0, count = x.rank; fits && out.rank >= 0 && axis < count; ++axis) out.push_back(x[axis]);
        return out;
    }();
};

// Computes in forward mode a column for each element of the arguments, or in reverse mode a row for each element of the result.
template <bool Forward, int... Which> struct jacobian_rule {
    // Symmetric says that the callable is a gradient with respect to these arguments, so that half of the second derivatives
    // equal the other half.
    template <bool Symmetric = false, class Call, class... A>
    static constexpr auto apply(trace_scope& scope, Call const& call, A const&... a) {
        constexpr bool are_arguments = ((Which >= 0 && Which < static_cast<int>(sizeof...(A))) && ...);
        static_assert(are_arguments, "tx: jacfwd, jacrev, hessian: the chosen arguments must be arguments of the call");
        if constexpr (!are_arguments) {
            return failed{};
        } else {
            marker marks(scope);
            auto const arguments = marked_arguments<Which...>(marks, std::index_sequence_for<A...>{}, scope, a...);
            return with_parts(arguments, [&](auto const&... e) {
                return differentiated<Symmetric>(scope, call(e...), std::forward_as_tuple(e...));
            });
        }
    }

private:
    template <bool Symmetric, class R, class Arguments>
    static constexpr auto differentiated(trace_scope& scope, R const& result, Arguments const& arguments) {
        buffer<node_id> sources;
        auto const add = [&](auto const& leaf) {
            static_assert(is_floating(leaf_dtype<std::remove_cvref_t<decltype(leaf)>>),
                          "tx: jacfwd, jacrev, hessian: arguments must be real and of floating dtype; cast them, or choose "
                          "others as in tx::jacfwd<1>");
            sources.push_back(node_of(scope, leaf));
        };
        (for_each_leaf(std::get<Which>(arguments), add), ...);
        buffer<node_id> const blocks = ad::jacobians(scope, leaf_nodes(scope, result), sources, Forward, Symmetric);
        std::size_t next = 0;
        return map_to_tree(result, [&]<class Y>(Y const&) {
            static_assert(is_floating(leaf_dtype<Y>), "tx: jacfwd, jacrev, hessian: results must be real and of floating dtype");
            auto const tree = [&](auto const& argument) {
                return map_to_tree<true>(argument, [&]<class X>(X const&) {
                    static_assert(jacobian_shape<Y, X>::fits,
                                  "tx: jacfwd, jacrev, hessian: a result's axes and an argument's must be at most 8 together");
                    if constexpr (!jacobian_shape<Y, X>::fits) return failed{};
                    else
                        return expr<ctype<leaf_dtype<std::conditional_t<Forward, Y, X>>>, shape_from<jacobian_shape<Y, X>>>(
                            scope, blocks[next++]);
                });
            };
            if constexpr (sizeof...(Which) == 1) return tree(std::get<Which...>(arguments));
            else return std::tuple<decltype(tree(std::get<Which>(arguments)))...>{tree(std::get<Which>(arguments))...};
        });
    }
};

// Applies forward mode to a gradient in reverse mode: second derivatives cost about as many gradients as there are elements.
template <int... Which> struct hessian_rule {
    template <class Call, class... A> static constexpr auto apply(trace_scope& scope, Call const& call, A const&... a) {
        auto const gradient = [&](auto const&... x) { return jacobian_rule<false, Which...>::apply(scope, call, x...); };
        return jacobian_rule<true, Which...>::template apply<true>(scope, gradient, a...);
    }
};

// Holds the derivative of a callable at a point, a function that maps tangents of the arguments to those of the result.
template <class Arguments, class Result> struct linear_map {
    trace_scope* scope;
    Arguments arguments;
    Result result;
    std::size_t first;              // the graph's size before `tangents` were recorded
    buffer<node_id> sources, steps; // marks of the arguments, and placeholders for their tangents
    buffer<node_id> tangents;       // of the result; node_id::none for leaves that don't change

    template <class... T> constexpr auto operator()(T const&... t) const {
        static_assert(sizeof...(T) == std::tuple_size_v<Arguments>,
                      "tx: linearize: the linear function takes a tangent for each argument");
        buffer<node_id> const given =
            paired_leaves(*scope, "linearize: the tangents", inlined_arguments(*scope, t...), leaf_nodes(*scope, arguments));
        buffer<node_id> const at = leaf_nodes(*scope, arguments);
        buffer<node_id> by;
        for (std::size_t k = 0; k < at.size() && by.size() < sources.size(); ++k)
            if (at[k] == sources[by.size()]) by.push_back(given[k]);
        buffer<node_id> const changes = ad::substituted(*scope, first, steps, by, tangents);
        std::size_t k = 0;
        return map_leaves(result, [&]<class Leaf>(Leaf const& leaf) { return derivative_leaf(*scope, leaf, changes[k++]); });
    }
};
template <class Call, class... A> constexpr auto linearized_at(trace_scope& scope, Call const& call, A const&... a) {
    graph& g = scope.recorded;
    marker marks(scope);
    auto const arguments = map_parts(inlined_arguments(scope, a...), [&](auto const& part) { return marks(part); });
    auto const result = with_parts(arguments, call);
    linear_map<std::remove_const_t<decltype(arguments)>, std::remove_const_t<decltype(result)>> out{
        &scope, arguments, result, g.size(), {}, {}, {}};
    for (node_id const x : marks.marks()) {
        out.sources.push_back(x);
        out.steps.push_back(g.append_placeholder(g[x].type, dims(g.shape_of(x))));
    }
    out.tangents = ad::tangents(scope, out.sources, out.steps, leaf_nodes(scope, result), {});
    return std::pair{result, out};
}

// linear_map_at is the derivative of a callable at tensors: it keeps only the point, and runs forward mode in each call.
template <class F, class... A> struct linear_map_at {
    [[no_unique_address]] F f;
    std::tuple<A...> point;
    template <class... T> TRACEXPR_NAMES_TARGET constexpr auto operator()(T const&... t) const {
        return with_parts(point, [&](auto const&... x) { return transform<pushforward_rule>(f)(x..., t...).second; });
    }
};
template <class F> struct linearized {
    [[no_unique_address]] F f;
    template <class... A> TRACEXPR_NAMES_TARGET constexpr auto operator()(A const&... a) const {
        if constexpr ((facts<A>.has_exprs || ...)) {
            trace_scope& scope = *symbolic_scope(a...);
            return linearized_at(scope, [&](auto const&... e) { return call_in_trace(scope, f, e...); }, a...);
        } else return std::pair{function<F>(f)(a...), linear_map_at<F, A...>{f, {a...}}};
    }
};

} // namespace detail

// Returns a callable that computes the derivatives of all elements of the result with respect to all elements of the first
// argument, or of those chosen: their shape is (result's axes..., argument's axes...). For trees it is the result's tree with,
// for each leaf, a tree like the argument (for several arguments a tuple of them); structs become tuples. It costs as many
// derivatives as the arguments have elements (jacfwd, forward mode) or the result has (jacrev, reverse mode), computed together.
// (JAX: jacfwd, jacrev)
template <int... Which, class F> [[nodiscard]] constexpr auto jacfwd(F const& f) {
    if constexpr (sizeof...(Which) == 0) return detail::transform<detail::jacobian_rule<true, 0>>(f);
    else return detail::transform<detail::jacobian_rule<true, Which...>>(f);
}
// Returns a callable that computes the derivatives of jacfwd by reverse mode, which is for results with fewer elements than the
// arguments.
template <int... Which, class F> [[nodiscard]] constexpr auto jacrev(F const& f) {
    if constexpr (sizeof...(Which) == 0) return detail::transform<detail::jacobian_rule<false, 0>>(f);
    else return detail::transform<detail::jacobian_rule<false, Which...>>(f);
}
// Returns a callable that computes second derivatives: for a callable that returns a scalar, of shape (argument's axes...,
// argument's axes...). (JAX: hessian)
template <int... Which, class F> [[nodiscard]] constexpr auto hessian(F const& f) {
    if constexpr (sizeof...(Which) == 0) return detail::transform<detail::hessian_rule<0>>(f);
    else return detail::transform<detail::hessian_rule<Which...>>(f);
}

// Returns a callable of (x...) that computes a pair of the value and a linear function, which maps (dx...) to the value's change
// and may be called any number of times. In a trace the derivative is recorded once for all these calls. (JAX: linearize)
template <class F> [[nodiscard]] constexpr auto linearize(F const& f) {
    using callable = std::remove_cvref_t<decltype(detail::transformable(f))>;
    return detail::linearized<callable>{detail::transformable(f)};
}

} // namespace tx
