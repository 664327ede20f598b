// The norm of a whole tree, and gradients cut to one.
#pragma once

#include <tracexpr/optim/trees.hpp>

namespace tx::optim {
namespace detail {

struct sum_of_squares_fn {
    template <class A> constexpr auto operator()(A const& a) const {
        return sum(squared_magnitude(cast_to<wide_type<typename A::value_type>>(a)));
    }
};
struct scaled_fn {
    template <class A, class S> constexpr auto operator()(A const& a, S const& scale) const {
        using T = typename A::value_type;
        return cast_to<T>(cast_to<wide_type<T>>(a) * as_dtype<wide_real<T>>(scale));
    }
};

inline namespace TRACEXPR_CALLS {
template <bool InStruct = false, class A> constexpr auto sum_of_squares(A const& tree);
template <bool InStruct, class A> constexpr auto sum_over_list(A const& list) {
    using sum = decltype(sum_of_squares<InStruct>(std::declval<list_part<A> const&>()));
    if constexpr (std::is_same_v<sum, int>) {
        return 0;
    } else {
        std::optional<sum> out;
        for_each_part(list, [&](auto const& part) {
            auto const here = sum_of_squares<InStruct>(part);
            if (out) out.emplace(*out + here);
            else out.emplace(here);
        });
        if (out) return *out;
        if constexpr (expr_type<sum>) return scalar_in<typename sum::value_type>(*innermost_trace, 0);
        else return sum{};
    }
}
// The sum of |x|^2 over all leaves.
template <bool InStruct, class A> constexpr auto sum_of_squares(A const& tree) {
    if constexpr (tree_leaf<A> && !(InStruct && held_value<A>)) {
        return detail::apply(sum_of_squares_fn{}, tree);
    } else if constexpr (list_type<A>) {
        return sum_over_list<InStruct>(tree);
    } else if constexpr (tree_node<A>) {
        auto const all = parts_of(tree);
        return with_parts(all, [](auto const&... part) {
            if constexpr (sizeof...(part) == 0) return 0;
            else return (... + sum_of_squares < InStruct || aggregate < A >> (part));
        });
    } else {
        return 0;
    }
}
} // namespace TRACEXPR_CALLS

} // namespace detail

inline namespace TRACEXPR_CALLS {

// The root of the sum of |x|^2 over all leaves of a tree, a scalar.
template <class Tree> [[nodiscard]] constexpr auto global_norm(Tree const& tree) { return sqrt(detail::sum_of_squares(tree)); }

// The tree, scaled to that global norm where its own is larger. (Pascanu et al., On the difficulty of training Recurrent Neural
// Networks, 2013, algorithm 1)
template <class Tree, operand M> [[nodiscard]] constexpr auto clip_by_global_norm(Tree const& gradients, M const& max_norm) {
    auto const norm = global_norm(gradients);
    auto const scale = where(norm <= max_norm, 1.0, max_norm / norm);
    return tree_map([&](auto const& g) { return detail::next_parameter<detail::scaled_fn>(g, scale); }, gradients);
}

} // namespace TRACEXPR_CALLS
} // namespace tx::optim
