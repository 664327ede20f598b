// This file computes the norm of a whole tree, and clips gradients to a given norm.
#pragma once

#include <tracexpr/optim/trees.hpp>

#include <limits>
#include <optional>

namespace tx::optim {
namespace detail {

// Returns the dtype in which the squares of all leaves are added; `none`, a bool, if there is no leaf.
template <class A, bool InStruct = false> constexpr dtype dtype_of_squares() {
    constexpr dtype none = dtype::boolean;
    if constexpr (InStruct && held_value<A>) return none;
    else if constexpr (tree_leaf<A>) return dtype_of<compute_real<dtype_in<A>>>;
    else if constexpr (list_type<A>) return dtype_of_squares<list_part<A>, InStruct>();
    else if constexpr (tree_node<A>)
        return []<class... Part>(std::type_identity<std::tuple<Part...>>) {
            dtype all = none;
            ((all = promote(all, dtype_of_squares<std::remove_cvref_t<Part>, InStruct || aggregate<A>>())), ...);
            return all;
        }(std::type_identity<decltype(parts_of(std::declval<A const&>()))>{});
    else return none;
}
template <class Tree> using number_of_squares =
    std::conditional_t<dtype_of_squares<Tree>() == dtype::boolean, double, ctype<dtype_of_squares<Tree>()>>;

// leaf_beside is the dtype in which a leaf of T is scaled by numbers of R.
template <class T, class R> using leaf_beside = ctype<promote(dtype_of<compute_type<T>>, dtype_of<R>)>;

// Computes the sum of |x|, which is at least the norm, and at most the norm times the root of the number of elements. It has no
// derivative.
template <class R> struct size_fn {
    template <class A> constexpr auto operator()(A const& a) const {
        return sum(abs(cast_to<leaf_beside<typename A::value_type, R>>(stop_gradient_fn{}(a))));
    }
};
// Computes the power of two by which elements are multiplied, so that their squares, the root of their sum, and the divisors of
// derivatives stay in the dtype's range.
template <class R> struct scale_fn {
    template <class S> constexpr auto operator()(S const& size) const {
        constexpr double most = primal(dtype_of<R>) == dtype::float64 ? 0x1p800 : 0x1p100;
        return exp2(-floor(log2(minimum(maximum(size, 1 / most), most))));
    }
};
template <class R> struct squares_fn {
    template <class A, class S> constexpr auto operator()(A const& a, S const& scale) const {
        return sum(squared_magnitude(cast_to<leaf_beside<typename A::value_type, R>>(a) * scale));
    }
};
struct norm_fn {
    template <class Q, class S> constexpr auto operator()(Q const& squares, S const& scale) const {
        return root_of_squares(squares) / scale;
    }
};
// Computes two factors by which gradients are multiplied, one after the other.
template <class R> struct clip_factors_fn {
    template <class Q, class S, class C> constexpr auto operator()(Q const& squares, S const& scale, C const& max_norm) const {
        auto const root = root_of_squares(squares);
        auto const is_short = root / scale <= as_dtype<R>(max_norm);
        auto const divisor = where(is_short, R(1), root); // else derivatives are NaN if the root is 0 or max_norm is infinite
        return std::tuple(where(isfinite(root), where(is_short, R(1), scale), std::numeric_limits<R>::quiet_NaN()),
                          where(is_short, R(1), as_dtype<R>(max_norm) / divisor));
    }
};
template <class R> struct clipped_fn {
    template <class A, class F, class S> constexpr auto operator()(A const& a, F const& first, S const& second) const {
        using T = typename A::value_type;
        return cast_to<T>(cast_to<leaf_beside<T, R>>(a) * first * second);
    }
};

inline namespace TRACEXPR_CALLS {
// Adds the operands that are no int.
template <class A, class... More> constexpr auto added(A const& a, More const&... more) {
    if constexpr (sizeof...(More) == 0) return a;
    else if constexpr (std::is_same_v<A, int>) return added(more...);
    else if constexpr (std::is_same_v<decltype(added(more...)), int>) return a;
    else return a + added(more...);
}
template <class S> constexpr S zero_sum() {
    if constexpr (expr_type<S>) {
        lowering low(*innermost_trace);
        return S(*innermost_trace, low.literal(typename S::value_type{}));
    } else return S(tensor<typename S::value_type, shape<>>(typename S::value_type{}));
}
template <bool InStruct = false, class Fn, class A, class... S>
constexpr auto sum_over_leaves(Fn const& fn, A const& tree, S const&... scale);
template <bool InStruct, class Fn, class A, class... S>
constexpr auto sum_over_list(Fn const& fn, A const& list, S const&... scale) {
    using total = decltype(sum_over_leaves<InStruct>(fn, std::declval<list_part<A> const&>(), scale...));
    if constexpr (std::is_same_v<total, int>) {
        return 0;
    } else {
        std::optional<total> out;
        for_each_part(list, [&](auto const& part) {
            auto const part_sum = sum_over_leaves<InStruct>(fn, part, scale...);
            if (out) out.emplace(*out + part_sum);
            else out.emplace(part_sum);
        });
        return out ? *out : zero_sum<total>();
    }
}
// Adds the results of fn, which is a sum, for each leaf; returns 0, an int, if there is no leaf.
template <bool InStruct, class Fn, class A, class... S>
constexpr auto sum_over_leaves(Fn const& fn, A const& tree, S const&... scale) {
    if constexpr (tree_leaf<A> && !(InStruct && held_value<A>)) {
        if constexpr (scalar_type<A>) return detail::apply(fn, kept_leaf<A>(tree), scale...);
        else return detail::apply(fn, tree, scale...);
    } else if constexpr (list_type<A>) {
        return sum_over_list<InStruct>(fn, tree, scale...);
    } else if constexpr (tree_node<A>) {
        auto const all = parts_of(tree);
        return with_parts(all, [&](auto const&... part) {
            if constexpr (sizeof...(part) == 0) return 0;
            else return added(sum_over_leaves < InStruct || aggregate < A >> (fn, part, scale...)...);
        });
    } else {
        return 0;
    }
}
// Returns the sum of the squares of all scaled leaves, and the scale; or 0, an int, if there is no leaf.
template <class R, class Tree> constexpr auto scaled_squares(Tree const& tree) {
    auto const size = sum_over_leaves(size_fn<R>{}, tree);
    if constexpr (std::is_same_v<decltype(size), int const>) {
        return 0;
    } else {
        auto const scale = detail::apply(scale_fn<R>{}, size);
        return std::tuple(sum_over_leaves(squares_fn<R>{}, tree, scale), scale);
    }
}
} // namespace TRACEXPR_CALLS

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Computes the root of the sum of |x|^2 over all leaves of a tree, a scalar. Squares that leave the range of the dtype don't make
// it infinite or 0. Its derivative at 0 is 0.
template <class Tree> [[nodiscard]] constexpr auto global_norm(Tree const& tree) {
    using R = detail::number_of_squares<Tree>;
    auto const squares = detail::scaled_squares<R>(tree);
    if constexpr (std::is_same_v<decltype(squares), int const>) return R(0);
    else return tx::detail::apply(detail::norm_fn{}, std::get<0>(squares), std::get<1>(squares));
}

// Scales the tree to the given global norm if its own is larger. If an element is infinite or NaN, all become NaN, which
// tx::check_finite finds. (Pascanu et al., On the difficulty of training Recurrent Neural Networks, 2013, algorithm 1)
template <class Tree, operand M> [[nodiscard]] constexpr auto clip_by_global_norm(Tree const& gradients, M const& max_norm) {
    using R = detail::number_of_squares<Tree>;
    auto const squares = detail::scaled_squares<R>(gradients);
    if constexpr (std::is_same_v<decltype(squares), int const>) {
        return gradients;
    } else {
        auto const factors =
            tx::detail::apply(detail::clip_factors_fn<R>{}, std::get<0>(squares), std::get<1>(squares), max_norm);
        return tx::tree_map(
            [&](auto const& g) {
                return detail::next_parameter<detail::clipped_fn<R>>(g, std::get<0>(factors), std::get<1>(factors));
            },
            gradients);
    }
}

} // namespace TRACEXPR_CALLS
} // namespace tx::optim
