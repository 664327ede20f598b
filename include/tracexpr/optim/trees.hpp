// This file checks the trees that optimizers take, and computes one leaf at a time: a functor records ops on exprs, so that for
// tensors each leaf is one loop. float16 and bfloat16 are computed in float32 and rounded once.
#pragma once

#include <tracexpr/run/trees/tree_map.hpp>
#include <tracexpr/trace/functions.hpp>

namespace tx::optim::detail {

using namespace tx::detail;

template <class L> struct leaf_form : leaf_access<L> {};
template <expr_type L> struct leaf_form<L> {
    using value_type = typename L::value_type;
    using shape_type = typename L::shape_type;
};
template <class L> using dtype_in = typename leaf_form<L>::value_type;
template <class L> using shape_in = typename leaf_form<L>::shape_type;
// A state holds a tensor for each leaf, which is symbolic in a trace.
template <class L> using kept_leaf = tensor<dtype_in<L>, shape_in<L>>;

using step_count = tensor<std::int64_t, shape<>>;

// Leaves of T are computed in compute_type, and real numbers that are combined with them in compute_real.
template <class T> using compute_type = mean_sum_type<T>;
template <class T> using compute_real = real_type<compute_type<T>>;
template <class L> using leaf_real = compute_real<dtype_in<L>>;

template <class L> concept tree_leaf = leaf<L> || expr_type<L>;
template <class A> concept tree_node = is_tuple_like<A> || aggregate<A>;

template <class Kept, class V> constexpr Kept kept_as(V const& value) {
    if constexpr (std::is_same_v<V, Kept> || expr_type<V>) return value;
    else if constexpr (scalar_type<V>) return Kept(static_cast<typename Kept::value_type>(value));
    else return Kept(value);
}

// A learning rate is a number, a scalar, or a schedule, which is a function of the number of the step.
template <class R> concept rate_type = std::is_arithmetic_v<R> || std::is_class_v<R>;
template <class R> using kept_rate = std::conditional_t<std::is_arithmetic_v<R>, double, R>;

// leaf_summary is what the types of a tree tell of its leaves together. A list counts as one part.
struct leaf_summary {
    std::size_t leaves = 0;
    std::uint32_t real_types = 0; // a bit for each dtype of real numbers that leaves are combined with
    bool has_open_rank = false;

    constexpr leaf_summary operator+(leaf_summary const& b) const {
        return {leaves + b.leaves, real_types | b.real_types, has_open_rank || b.has_open_rank};
    }
    // Are there leaves that are computed in this precision, float32 or float64?
    constexpr bool has_precision(dtype wanted) const {
        for (std::size_t t = 0; t < dtype_count; ++t)
            if ((real_types >> t & 1) && (primal(static_cast<dtype>(t)) == dtype::float64) == (wanted == dtype::float64))
                return true;
        return false;
    }
};
template <class A, bool InStruct = false> constexpr leaf_summary summary_of() {
    if constexpr (InStruct && held_value<A>) return {};
    else if constexpr (tree_leaf<A>) return {1, 1u << static_cast<int>(dtype_of<leaf_real<A>>), dims_of<shape_in<A>>.rank < 0};
    else if constexpr (list_type<A>) return summary_of<list_part<A>, InStruct>();
    else if constexpr (tree_node<A>)
        return []<class... Part>(std::type_identity<std::tuple<Part...>>) {
            return (leaf_summary{} + ... + summary_of<std::remove_cvref_t<Part>, InStruct || aggregate<A>>());
        }(std::type_identity<decltype(parts_of(std::declval<A const&>()))>{});
    else return {};
}
// Returns whether all leaves have a dtype that can be differentiated.
template <class P, bool InStruct = false> constexpr bool are_parameters() {
    if constexpr (InStruct && held_value<P>) return true;
    else if constexpr (tree_leaf<P>) return is_inexact(dtype_of<dtype_in<P>>);
    else if constexpr (list_type<P>) return are_parameters<list_part<P>, InStruct>();
    else if constexpr (tree_node<P>)
        return []<class... Part>(std::type_identity<std::tuple<Part...>>) {
            return (are_parameters<std::remove_cvref_t<Part>, InStruct || aggregate<P>>() && ...);
        }(std::type_identity<decltype(parts_of(std::declval<P const&>()))>{});
    else return true;
}
// Returns whether two trees have the same structure, with leaves whose shapes may be equal.
template <class A, class B, bool InStruct = false> constexpr bool same_form() {
    if constexpr (InStruct && held_value<A>) return true;
    else if constexpr (tree_leaf<A> && tree_leaf<B>) return may_equal(dims_of<shape_in<A>>, dims_of<shape_in<B>>);
    else if constexpr (lists_alike<A, B>) return same_form<list_part<A>, list_part<B>, InStruct>();
    else if constexpr (tree_node<A> && tree_node<B>)
        return []<class... P, class... Q>(std::type_identity<std::tuple<P...>>, std::type_identity<std::tuple<Q...>>) {
            if constexpr (sizeof...(P) != sizeof...(Q)) return false;
            else return (same_form<std::remove_cvref_t<P>, std::remove_cvref_t<Q>, InStruct || aggregate<A>>() && ...);
        }(std::type_identity<decltype(parts_of(std::declval<A const&>()))>{},
               std::type_identity<decltype(parts_of(std::declval<B const&>()))>{});
    else return !tree_leaf<A> && !tree_leaf<B> && !tree_node<A> && !tree_node<B> && !list_type<A> && !list_type<B>;
}
template <class P> constexpr bool require_parameters() {
    constexpr bool are_parameters = detail::are_parameters<P>();
    static_assert(are_parameters, "tx: optim: init: all leaves of the parameters must be floating or complex; give what is not "
                                  "to be trained as further arguments of the loss");
    return are_parameters;
}
template <class G, class Tree, class P> constexpr bool require_update() {
    constexpr bool fits = same_form<P, G>();
    constexpr bool fits_state = same_form<P, Tree>() && summary_of<P>().leaves == summary_of<Tree>().leaves;
    static_assert(fits, "tx: optim: update: the gradients must have the form and the shapes of the parameters; they are what "
                        "tx::grad gives of a function of the parameters: opt.update(gradients, state, params)");
    static_assert(fits_state, "tx: optim: update: the state must be of these parameters: start with opt.init(params)");
    return fits && fits_state;
}
template <class... A> constexpr auto refuse_update() {
    static_assert(always_false<A...>,
                  "tx: optim: update: takes the gradients, the state and the parameters, in this order, and then "
                  "a learning rate if it shall be another: opt.update(gradients, state, params)");
    return std::pair<failed, failed>{};
}
// Throws unless the lists in the trees have equally many parts, which types don't say.
template <class P, class G, class Tree> constexpr void require_forms(P const& params, G const& gradients, Tree const& state) {
    require_form_of("optim: update: the trees", params, gradients, "gradients");
    require_form_of("optim: update: the trees", params, state, "state");
}
// Returns the extents of a leaf, for comparing those that types don't say.
template <class A> constexpr dims shape_of_leaf(A const& a) {
    if constexpr (expr_type<A>) return a.dimensions();
    else return leaf_access<A>::extents(a);
}
TRACEXPR_ONCE constexpr void require_same_shape(dims const& parameter, dims const& gradient) {
    if (!may_equal(parameter, gradient))
        throw shape_error("tx: optim: update: a gradient must have its parameter's shape; given " + to_string(gradient) +
                          " for " + to_string(parameter));
}
template <class P, class G> constexpr void require_same_shape(P const& parameter, G const& gradient) {
    if constexpr (!(dims_of<shape_in<P>>.is_static() && dims_of<shape_in<G>>.is_static()))
        require_same_shape(shape_of_leaf(parameter), shape_of_leaf(gradient));
}

inline namespace TRACEXPR_CALLS {

// Returns a tree with zeros for each leaf.
template <class P> constexpr auto zeros_of(P const& params) {
    return tx::tree_map(
        []<class L>(L const& leaf) {
            if constexpr (scalar_type<L>) return kept_leaf<L>(dtype_in<L>{});
            else return kept_as<kept_leaf<L>>(zeros_like(leaf));
        },
        params);
}
// Computes Fn of a leaf and its operands, as a tensor for a state.
template <class Fn, class L, class... A> constexpr kept_leaf<L> next_kept(L const& like, A const&... operands) {
    return kept_as<kept_leaf<L>>(detail::apply(Fn{}, like, operands...));
}
// Computes Fn of a parameter and its operands; if the parameter is an expr, so is the result.
template <class Fn, class L, class... A> constexpr auto next_parameter(L const& like, A const&... operands) {
    if constexpr (expr_type<L>) {
        auto const next = detail::apply(Fn{}, like, operands...);
        return expr<dtype_in<L>, shape_in<L>>(next.scope(), next.id());
    } else if constexpr (scalar_type<L>) return next_kept<Fn>(kept_leaf<L>(like), operands...);
    else return kept_as<kept_leaf<L>>(detail::apply(Fn{}, like, operands...));
}

// Returns the learning rate at a step, for leaves that are computed in dtype R. A number or a scalar is returned as it is; a
// schedule is called with the number of the step in that dtype.
template <class R, class Rate, class Count> constexpr auto rate_for(Rate const& rate, Count const& count) {
    if constexpr (operand<Rate>) return rate;
    else return rate(cast<R>(count));
}

} // namespace TRACEXPR_CALLS

} // namespace tx::optim::detail
