// The norm of a whole tree, and gradients cut to one.
#pragma once

#include <tracexpr/optim/trees.hpp>

#include <limits>
#include <optional>

namespace tx::optim {
namespace detail {

// The dtype in which the squares of all leaves meet; `none`, a bool, where there is no leaf.
template <class A, bool InStruct = false> constexpr dtype dtype_of_squares() {
    constexpr dtype none = dtype::boolean;
    if constexpr (InStruct && held_value<A>) return none;
    else if constexpr (tree_leaf<A>) return dtype_of<wide_real<dtype_in<A>>>;
    else if constexpr (list_type<A>) return dtype_of_squares<list_part<A>, InStruct>();
    else if constexpr (tree_node<A>)
        return []<class... Part>(std::type_identity<std::tuple<Part...>>) {
            dtype all = none;
            ((all = promote(all, dtype_of_squares < std::remove_cvref_t<Part>, InStruct || aggregate < A >> ())), ...);
            return all;
        }(std::type_identity<decltype(parts_of(std::declval<A const&>()))>{});
    else return none;
}
template <class Tree> using number_of_squares =
    std::conditional_t<dtype_of_squares<Tree>() == dtype::boolean, double, ctype<dtype_of_squares<Tree>()>>;

// Sizes beyond which squares are scaled, and by which powers of two their roots are, so that no sum of 2^27 (double: 2^100)
// squares leaves the range or loses digits. (Blue, A Portable Fortran Program to Find the Euclidean Norm of a Vector, 1978)
template <class R> struct scaling {
    static constexpr bool is_double = primal(dtype_of<R>) == dtype::float64;
    static constexpr double large = is_double ? 0x1p450 : 0x1p50, down = is_double ? 0x1p-600 : 0x1p-78;
    static constexpr double small = is_double ? 0x1p-450 : 0x1p-50, up = is_double ? 0x1p600 : 0x1p100;
};

// The squares of large elements, scaled down, of those of medium size, and of small ones, scaled up, each added: three scalars.
template <class R> struct sums_of_squares_fn {
    template <class A> constexpr auto operator()(A const& a) const {
        if constexpr (is_complex(dtype_of<typename A::value_type>)) {
            auto const z = cast_to<wide_type<typename A::value_type>>(a);
            auto const [a0, a1, a2] = of(cast_to<R>(real(z)));
            auto const [b0, b1, b2] = of(cast_to<R>(imag(z)));
            return std::tuple(a0 + b0, a1 + b1, a2 + b2);
        } else return of(cast_to<R>(a));
    }

private:
    template <class A> static constexpr auto of(A const& x) {
        using s = scaling<R>;
        auto const size = abs(x);
        auto const is_large = size > s::large, is_small = size < s::small;
        return std::tuple(sum(where(is_large, square(x * s::down), 0)), sum(where(logical_or(is_large, is_small), 0, square(x))),
                          sum(where(is_small, square(x * s::up), 0)));
    }
};
// The norm times a power of two, which keeps it in the range, and that power.
template <class R> struct scaled_norm_fn {
    template <class L, class M, class S> constexpr auto operator()(L const& large, M const& medium, S const& small) const {
        using s = scaling<R>;
        auto const has_large = large > 0, has_medium = medium != 0; // NaN counts as medium
        auto const squares = where(has_large, large + medium * s::down * s::down,
                                   where(has_medium, medium + small * (1 / s::up) * (1 / s::up), small));
        auto const scale = where(has_large, R(s::down), where(has_medium, R(1), R(s::up)));
        return std::tuple(root_of_squares(squares), scale);
    }
};
template <class R> struct norm_fn {
    template <class... S> constexpr auto operator()(S const&... sums) const {
        auto const [norm, scale] = scaled_norm_fn<R>{}(sums...);
        return norm / scale;
    }
};
// By which two factors, one after the other, gradients are multiplied.
template <class R> struct clip_factors_fn {
    template <class L, class M, class S, class C>
    constexpr auto operator()(L const& large, M const& medium, S const& small, C const& max_norm) const {
        auto const [norm, scale] = scaled_norm_fn<R>{}(large, medium, small);
        auto const is_short = norm / scale <= as_dtype<R>(max_norm);
        auto const is_number = isfinite(norm);
        return std::tuple(where(is_number, where(is_short, R(1), scale), std::numeric_limits<R>::quiet_NaN()),
                          where(is_short, R(1), as_dtype<R>(max_norm) / norm));
    }
};
template <class R> struct clipped_fn {
    template <class A, class F, class S> constexpr auto operator()(A const& a, F const& first, S const& second) const {
        using T = typename A::value_type;
        using wide = ctype<promote(dtype_of<wide_type<T>>, dtype_of<R>)>;
        return cast_to<T>(cast_to<wide>(a) * first * second);
    }
};

inline namespace TRACEXPR_CALLS {
template <class A> constexpr A sums_added(A const& a) { return a; }
template <class A, class B, class... More> constexpr auto sums_added(A const& a, B const& b, More const&... more) {
    if constexpr (std::is_same_v<A, int>) return sums_added(b, more...);
    else if constexpr (std::is_same_v<B, int>) return sums_added(a, more...);
    else
        return sums_added(
            std::tuple(std::get<0>(a) + std::get<0>(b), std::get<1>(a) + std::get<1>(b), std::get<2>(a) + std::get<2>(b)),
            more...);
}
template <class S> constexpr S zero_sum() {
    if constexpr (expr_type<S>) {
        lowering low(*innermost_trace);
        return S(*innermost_trace, low.literal(typename S::value_type{}));
    } else return S(tensor<typename S::value_type, shape<>>(typename S::value_type{}));
}
template <class R, bool InStruct = false, class A> constexpr auto sums_of_squares(A const& tree);
template <class R, bool InStruct, class A> constexpr auto sums_over_list(A const& list) {
    using sums = decltype(sums_of_squares<R, InStruct>(std::declval<list_part<A> const&>()));
    if constexpr (std::is_same_v<sums, int>) {
        return 0;
    } else {
        std::optional<sums> out;
        for_each_part(list, [&](auto const& part) {
            auto const here = sums_of_squares<R, InStruct>(part);
            if (out) out.emplace(sums_added(*out, here));
            else out.emplace(here);
        });
        if (out) return *out;
        return
            []<class... S>(std::type_identity<std::tuple<S...>>) { return sums(zero_sum<S>()...); }(std::type_identity<sums>{});
    }
}
// Those of all leaves; 0, an int, where there is none.
template <class R, bool InStruct, class A> constexpr auto sums_of_squares(A const& tree) {
    if constexpr (tree_leaf<A> && !(InStruct && held_value<A>)) {
        if constexpr (scalar_type<A>) return detail::apply(sums_of_squares_fn<R>{}, kept_leaf<A>(tree));
        else return detail::apply(sums_of_squares_fn<R>{}, tree);
    } else if constexpr (list_type<A>) {
        return sums_over_list<R, InStruct>(tree);
    } else if constexpr (tree_node<A>) {
        auto const all = parts_of(tree);
        return with_parts(all, [](auto const&... part) {
            if constexpr (sizeof...(part) == 0) return 0;
            else return sums_added(sums_of_squares < R, InStruct || aggregate < A >> (part)...);
        });
    } else {
        return 0;
    }
}
} // namespace TRACEXPR_CALLS

} // namespace detail

inline namespace TRACEXPR_CALLS {

// The root of the sum of |x|^2 over all leaves of a tree, a scalar. Squares may leave the range of the dtype, the norm does not
// for that. Its derivative at 0 is 0.
template <class Tree> [[nodiscard]] constexpr auto global_norm(Tree const& tree) {
    using R = detail::number_of_squares<Tree>;
    auto const sums = detail::sums_of_squares<R>(tree);
    if constexpr (std::is_same_v<decltype(sums), int const>) return R(0);
    else return std::apply([](auto const&... sum) { return tx::detail::apply(detail::norm_fn<R>{}, sum...); }, sums);
}

// The tree, scaled to that global norm where its own is larger. Where an element is infinite or NaN, all become NaN, which
// tx::check_finite finds. (Pascanu et al., On the difficulty of training Recurrent Neural Networks, 2013, algorithm 1)
template <class Tree, operand M> [[nodiscard]] constexpr auto clip_by_global_norm(Tree const& gradients, M const& max_norm) {
    using R = detail::number_of_squares<Tree>;
    auto const sums = detail::sums_of_squares<R>(gradients);
    if constexpr (std::is_same_v<decltype(sums), int const>) {
        return gradients;
    } else {
        auto const factors = std::apply(
            [&](auto const&... sum) { return tx::detail::apply(detail::clip_factors_fn<R>{}, sum..., max_norm); }, sums);
        return tree_map(
            [&](auto const& g) {
                return detail::next_parameter<detail::clipped_fn<R>>(g, std::get<0>(factors), std::get<1>(factors));
            },
            gradients);
    }
}

} // namespace TRACEXPR_CALLS
} // namespace tx::optim
