// Jacobians and Hessians: derivatives along every direction at once, by batching one derivative over a basis. And derivatives at
// a point as linear functions.
#pragma once

#include <tracexpr/ad/banded.hpp>
#include <tracexpr/transforms/vmap.hpp>

namespace tx {
namespace detail {

// (size of x, x's axes...): for each element of x, 1 there and 0 elsewhere. The cast's bits tell that nothing depends on what is
// 0 (passes/element_values.hpp).
constexpr ad::value basis_of(ad::value const& x) {
    graph& g = x.owner();
    std::int64_t const size = x.shape().size();
    attribute_list const along(0);
    ad::value numbers;
    if (size != dyn) {
        numbers = {g, g.append(op::iota, dtype::int64, dims{{size}, 1}, {}, along)};
    } else {
        node_id const flat[]{(x.rank() == 1 ? x : ad::unary(op::reshape, x, attribute_list(-1))).id()};
        numbers = {g, g.append(op::iota, dtype::int64, dims{{dyn}, 1}, flat, along)};
    }
    ad::value const rows = ad::detail::expand(numbers, 1, x.rank());
    node_id const same[]{ad::equal(rows, ad::reshape_like(numbers, x)).id()};
    return {g, g.append(op::cast, x.type(), dims(g.shape_of(same[0])), same, {}, {1, 0})};
}

// Row-major elements as (a's axes..., b's axes...).
constexpr ad::value shaped_as_both(ad::value const& from, ad::value const& a, ad::value const& b) {
    attribute_list extents;
    int open = 0;
    for (ad::value const& part : {a, b})
        for (int axis = 0; axis < part.rank(); ++axis) {
            extents.push_back(part.shape()[axis]); // tx::dyn is the code for what follows from the size
            open += part.shape()[axis] == dyn;
        }
    if (open <= 1) return ad::unary(op::reshape, from, extents);
    return ad::record(op::reshape, {from, ad::detail::shape_of_both(ad::detail::expand(a, a.rank(), b.rank()), b)});
}

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

// Forward: a column for each element of the arguments. Else: a row for each element of the result.
template <bool Forward, int... Which> struct jacobian_rule {
    // Symmetric: the callable is a gradient with respect to those arguments, so that half of its derivatives are those of the
    // other half.
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
    // Blocks by number of result and source.
    struct blocks {
        buffer<node_id> results, sources, block;
        constexpr node_id& at(std::size_t result, std::size_t source) { return block[result * sources.size() + source]; }
    };
    template <bool Symmetric, class R, class Arguments>
    static constexpr auto differentiated(trace_scope& scope, R const& result, Arguments const& arguments) {
        blocks b;
        b.results = leaf_nodes(scope, result);
        auto const add = [&](auto const& leaf) {
            static_assert(is_floating(leaf_dtype<std::remove_cvref_t<decltype(leaf)>>),
                          "tx: jacfwd, jacrev, hessian: arguments must be real and of floating dtype; cast them, or choose "
                          "others as in tx::jacfwd<1>");
            b.sources.push_back(node_of(scope, leaf));
        };
        (for_each_leaf(std::get<Which>(arguments), add), ...);
        b.block = buffer<node_id>(b.results.size() * b.sources.size(), node_id::none);
        // A rule of the user's may give what is no gradient.
        bool const symmetric = Symmetric && b.results.size() == b.sources.size() && scope.rules.empty();
        if constexpr (Forward)
            for (std::size_t k = 0; k < b.sources.size(); ++k) fill_columns(scope, b, k, symmetric);
        else
            for (std::size_t k = 0; k < b.results.size(); ++k) fill_rows(scope, b, k);
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
                            scope, b.block[next++]);
                });
            };
            if constexpr (sizeof...(Which) == 1) return tree(std::get<Which...>(arguments));
            else return std::tuple<decltype(tree(std::get<Which>(arguments)))...>{tree(std::get<Which>(arguments))...};
        });
    }

    static constexpr void fill_columns(trace_scope& scope, blocks& b, std::size_t source, bool symmetric) {
        graph& g = scope.recorded;
        ad::value const x(g, b.sources[source]);
        buffer<node_id> results = b.results;
        while (symmetric && results.size() > source + 1) results.pop_back();
        for_each_direction(
            scope, x,
            [&](ad::value const& step) {
                ad::forward_pass pass(scope, b.sources, true);
                pass.set(x.id(), step);
                pass.run(results);
                buffer<ad::value> out;
                for (node_id const y : results) out.push_back(pass.tangent(y));
                return out;
            },
            [&](std::size_t k, ad::value const& y) {
                ad::value const at(g, b.results[k]);
                if (x.rank() == 0 || y.is_zero()) return b.at(k, source) = (y.is_zero() ? zeros(at, x) : y).id();
                return b.at(k, source) = (x.rank() == 1 ? y : shaped_as_both(y, at, x)).id();
            });
        for (std::size_t k = 0; symmetric && k < source; ++k) {
            int const rank = ad::value(g, b.sources[k]).rank();
            b.at(source, k) = mirrored({g, b.at(k, source)}, rank, x.rank()).id();
        }
    }
    // (z..., x..., y...) from (z..., y..., x...): by the gradient's own axes and those of two arguments.
    static constexpr ad::value mirrored(ad::value const& block, int first, int second) {
        int const before = block.rank() - first - second;
        attribute_list order;
        for (int axis = 0; axis < before; ++axis) order.push_back(axis);
        for (int axis = 0; axis < second; ++axis) order.push_back(before + first + axis);
        for (int axis = 0; axis < first; ++axis) order.push_back(before + axis);
        return first && second ? ad::unary(op::transpose, block, order) : block;
    }
    static constexpr void fill_rows(trace_scope& scope, blocks& b, std::size_t result) {
        graph& g = scope.recorded;
        ad::value const y(g, b.results[result]);
        for_each_direction(
            scope, y,
            [&](ad::value const& cotangent) {
                ad::reverse_pass pass(scope, b.sources);
                pass.add(y.id(), cotangent);
                pass.run();
                buffer<ad::value> out;
                for (node_id const x : b.sources) out.push_back(pass.gradient(x));
                return out;
            },
            [&](std::size_t k, ad::value const& gradient) {
                ad::value const x(g, b.sources[k]);
                bool const done = y.rank() == 0 || (y.rank() == 1 && !gradient.is_zero());
                if (gradient.is_zero()) return b.at(result, k) = zeros(y, x).id();
                return b.at(result, k) = (done ? gradient : shaped_as_both(gradient, y, x)).id();
            });
    }
    static constexpr ad::value zeros(ad::value const& y, ad::value const& x) {
        ad::value const shape = ad::detail::shape_of_both(ad::detail::expand(y, y.rank(), x.rank()), x);
        return ad::broadcast_like((Forward ? y : x).like(0), shape);
    }

    // derive(direction) for one element of x after the other, all at once; store(k, what became of the kth): with an axis for the
    // elements in front, or, forward, behind all others.
    template <class Derive, class Store>
    static constexpr void for_each_direction(trace_scope& scope, ad::value const& x, Derive const& derive, Store const& store) {
        graph& g = scope.recorded;
        if (x.rank() < 0) ad::detail::throw_unbatchable(x.shape());
        if (x.rank() == 0) {
            buffer<ad::value> const out = derive(x.like(1));
            for (std::size_t k = 0; k < out.size(); ++k) store(k, out[k]);
            return;
        }
        ad::value const basis = basis_of(x);
        bool const is_vector = x.rank() == 1 && x.shape().is_static() && scope.rules.empty();
        auto* const banded = is_vector ? scope.own(ad::new_banded(scope, basis)) : nullptr;
        ad::batching_pass* const pass = banded ? banded : scope.own(ad::new_batching(scope, {basis, x.shape().size()}));
        buffer<ad::value> const out = derive({g, banded ? banded->direction() : pass->example_of(basis)});
        buffer<node_id> targets;
        for (ad::value const& v : out)
            if (!v.is_zero()) targets.push_back(v.id());
        pass->run(targets);
        for (std::size_t k = 0; k < out.size(); ++k) {
            if (out[k].is_zero()) {
                store(k, out[k]);
            } else if (banded) {
                store(k, banded->filled(out[k].id(), Forward));
            } else {
                ad::value const all(g, pass->for_output(out[k].id()).id);
                store(k, Forward ? with_moved_axis(all, 0, all.rank() - 1) : all);
            }
        }
    }
};

// Forward mode over reverse mode: second derivatives cost about as many gradients as there are elements.
template <int... Which> struct hessian_rule {
    template <class Call, class... A> static constexpr auto apply(trace_scope& scope, Call const& call, A const&... a) {
        auto const gradient = [&](auto const&... x) { return jacobian_rule<false, Which...>::apply(scope, call, x...); };
        return jacobian_rule<true, Which...>::template apply<true>(scope, gradient, a...);
    }
};

// The derivative of a callable at a point: tangents of the arguments to those of the result.
template <class Arguments, class Result> struct linear_map {
    trace_scope* scope;
    Arguments arguments;
    Result result;
    std::size_t first;              // the graph's size before `steps`
    buffer<node_id> sources, steps; // placeholders, and what they are steps of
    buffer<node_id> tangents;       // none where the result doesn't change

    template <class... T> constexpr auto operator()(T const&... t) const {
        static_assert(sizeof...(T) == std::tuple_size_v<Arguments>,
                      "tx: linearize: the linear function takes a tangent for each argument");
        graph& g = scope->recorded;
        buffer<node_id> const given =
            paired_leaves(*scope, "linearize: the tangents", inlined_arguments(*scope, t...), leaf_nodes(*scope, arguments));
        buffer<node_id> const at = leaf_nodes(*scope, arguments);
        auto* const pass = scope->own(new ad::substitution_pass(*scope, first));
        std::size_t next = 0;
        for (std::size_t k = 0; k < at.size() && next < sources.size(); ++k)
            if (at[k] == sources[next]) pass->replace(steps[next++], {given[k]});
        buffer<node_id> targets;
        for (node_id const id : tangents)
            if (id != node_id::none) targets.push_back(id);
        pass->run(targets);
        std::size_t k = 0;
        return map_leaves(result, [&]<class Leaf>(Leaf const& leaf) {
            node_id const id = tangents[k++];
            return derivative_leaf(*scope, leaf, id == node_id::none ? ad::value{} : ad::value(g, (*pass)[id].id));
        });
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
    ad::forward_pass pass(scope, marks.marks());
    for (std::size_t k = 0; k < out.sources.size(); ++k) pass.set(out.sources[k], {g, out.steps[k]});
    buffer<node_id> const targets = leaf_nodes(scope, result);
    pass.run(targets);
    for (node_id const y : targets) out.tangents.push_back(pass.tangent(y).id());
    return std::pair{result, out};
}

// The same of tensors: nothing is kept but the point.
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

// All derivatives of all elements of the result with respect to all elements of the first argument, or of those chosen: of shape
// (result's axes..., argument's axes...). Of trees: the result's tree with, for each leaf, a tree of the argument's form (several
// arguments: a tuple of them); structs become tuples. Costs as many derivatives as the arguments have elements (jacfwd, forward
// mode) or the result has (jacrev, reverse mode), computed together. (JAX: jacfwd, jacrev)
template <int... Which, class F> [[nodiscard]] constexpr auto jacfwd(F const& f) {
    if constexpr (sizeof...(Which) == 0) return detail::transform<detail::jacobian_rule<true, 0>>(f);
    else return detail::transform<detail::jacobian_rule<true, Which...>>(f);
}
// As jacfwd, by reverse mode: for fewer results than arguments.
template <int... Which, class F> [[nodiscard]] constexpr auto jacrev(F const& f) {
    if constexpr (sizeof...(Which) == 0) return detail::transform<detail::jacobian_rule<false, 0>>(f);
    else return detail::transform<detail::jacobian_rule<false, Which...>>(f);
}
// The derivatives of the derivatives: of a scalar callable of shape (argument's axes..., argument's axes...). (JAX: hessian)
template <int... Which, class F> [[nodiscard]] constexpr auto hessian(F const& f) {
    if constexpr (sizeof...(Which) == 0) return detail::transform<detail::hessian_rule<0>>(f);
    else return detail::transform<detail::hessian_rule<Which...>>(f);
}

// Called with (x...): a pair of the value and a linear function, which takes (dx...) to the value's change, as often as it is
// called. In a trace the derivative is recorded once for all these calls. (JAX: linearize)
template <class F> [[nodiscard]] constexpr auto linearize(F const& f) {
    using callable = std::remove_cvref_t<decltype(detail::transformable(f))>;
    return detail::linearized<callable>{detail::transformable(f)};
}

} // namespace tx
