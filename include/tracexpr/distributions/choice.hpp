// This file has tx::random::choice, which chooses elements, or parts along an axis, at random.
#pragma once

#include <tracexpr/run/random/stateful.hpp>
#include <tracexpr/trace/operand_checks.hpp>
#include <tracexpr/transforms/interpolate.hpp>

namespace tx {
namespace random {
// With this option of choice, no element is chosen twice.
enum without_replacement_t { without_replacement };
} // namespace random

namespace detail {

template <class A> inline constexpr bool is_axis_option = false;
template <int Axis> inline constexpr bool is_axis_option<axes_t<Axis>> = true;
template <class A> inline constexpr bool is_choice_tag = std::is_same_v<A, random::without_replacement_t> || is_axis_option<A>;
template <class A> inline constexpr bool is_choice_option = is_choice_tag<A>;
template <array_operand A> inline constexpr bool is_choice_option<A> = is_real_parameter<A> && dims_of_operand<A>.rank == 1;
template <class... Options> inline constexpr int chosen_axis = 0;
template <class First, class... Rest> inline constexpr int chosen_axis<First, Rest...> = chosen_axis<Rest...>;
template <int Axis, class... Rest> inline constexpr int chosen_axis<axes_t<Axis>, Rest...> = Axis;

struct choice_text {
    static constexpr char const* value = "without replacement x must have a part for each that is chosen, #";
};
// Checks x, and the weights if there are any; Least is the number of parts that x must have.
template <int Along, std::int64_t Least> struct choice_operands {
    static constexpr char const* called = "choice";
    static constexpr char const* problem(builder_specs given) {
        dims const& x = given[0].shape;
        if (x.rank < 0) return nullptr;
        int const axis = normalized_axis(Along, x.rank);
        if (axis < 0 || axis >= x.rank) return "x must have the axis";
        if (x[axis] != dyn && x[axis] < Least)
            return Least > 1 ? text_with<choice_text, Least>::value : "x must have a part to choose";
        bool const fits = given.size() == 1 || may_equal(given[1].shape, dims{{x[axis]}, 1});
        return fits ? nullptr : "there must be a weight for each part of x";
    }
};
inline namespace TRACEXPR_CALLS {

// Gives places of [0, n), each as likely as any other, or by weights: the first place whose cumulated weight reaches a uniform
// number of (0, total]. Without replacement these are the first places of a permutation, or by weights those where the logarithms
// of the weights plus Gumbel noise are greatest. (C. Yellott, 1977; Efraimidis and Spirakis, 2006)
template <bool Replaces, class K, class Shape, class N> constexpr auto chosen_places(K const& key, Shape shape, N const& n) {
    if constexpr (Replaces) {
        return random::stateless_randint<std::int64_t>(key, shape, 0, n);
    } else {
        constexpr std::int64_t count = dims_of<Shape>.size();
        return tx::reshape(tx::slice(random::stateless_permutation(key, n), tx::range<0, count>), shape);
    }
}
template <bool Replaces, class K, class Shape, class N, class W>
constexpr auto chosen_places(K const& key, Shape shape, N const&, W const& weights) {
    for_each_known(weights, [](double w) {
        if (w < 0) throw_value("choice", "weights must not be negative", w);
    });
    auto const w = tx::maximum(tx::cast<double>(weights), 0.0);
    if constexpr (Replaces) {
        auto const cumulated = tx::cumsum(w, axis<0>);
        auto const drawn = 1.0 - random::stateless_uniform<double>(key, shape);
        return tx::searchsorted(cumulated, drawn * tx::slice(cumulated, tx::at<-1>));
    } else {
        constexpr std::int64_t count = dims_of<Shape>.size();
        auto const noise = detail::draw_like<uniform_recipe<double>>(key, w);
        auto const order = tx::argsort(tx::log(w) - tx::log(-tx::log1p(-noise)), axis<0>, descending);
        return tx::reshape(tx::slice(order, tx::range<0, count>), shape);
    }
}
template <bool Replaces, int Along, class Shape> using choice_check =
    choice_operands<Along, Replaces ? (dims_of<Shape>.size() > 0 ? 1 : 0) : dims_of<Shape>.size()>;
// Gives places of x as the options ask for them.
template <bool Replaces, int Along, class K, class Shape, class X, class... Options>
constexpr auto places_by_options(K const& key, Shape shape, X const& x, Options const&... options) {
    auto const weights = std::tuple_cat(std::tuple<>{}, [](auto const& option) {
        if constexpr (is_choice_tag<std::remove_cvref_t<decltype(option)>>) return std::tuple<>{};
        else return std::tuple(as_operand(option));
    }(options)...);
    using check = choice_check<Replaces, Along, Shape>;
    return std::apply(
        [&](auto const&... w) {
            auto const n = tx::extent<Along>(detail::checked<check>(x, x, w...));
            if constexpr (sizeof...(w) == 0) return detail::chosen_places<Replaces>(key, shape, n);
            else return detail::chosen_places<Replaces>(key, shape, n, detail::checked<check>(w, x, w)...);
        },
        weights);
}
// Gives places of 0 ... n - 1. These numbers don't exist in memory unless there are weights, which do.
template <bool Replaces, class K, class Shape, class... Options>
constexpr auto places_of_number(K const& key, Shape shape, std::int64_t n, Options const&... options) {
    if constexpr ((is_choice_tag<Options> && ...)) {
        builder_spec const given[]{{dtype::int64, dims{{n}, 1}}};
        require_operands(check_of<choice_check<Replaces, 0, Shape>>(), given);
        return chosen_places<Replaces>(key, shape, n);
    } else {
        return places_by_options<Replaces, 0>(key, shape, tx::zeros<bool, tx::shape<dyn>>(n), options...);
    }
}

template <class X, class Shape, class... Options> constexpr bool check_choice() {
    constexpr bool is_static = dims_of<Shape>.is_static();
    static_assert(is_static,
                  "tx: random: choice: the shape must be known; for others take(x, stateless_randint(key, shape, extents..., "
                  "0, n))");
    constexpr int weights = (0 + ... + (is_choice_tag<Options> ? 0 : 1));
    constexpr bool are_weights = weights <= 1 && (is_choice_option<Options> && ...);
    static_assert(are_weights,
                  "tx: random: choice: behind the shape stand tx::axis<n>, tx::random::without_replacement and a vector "
                  "of weights, whose type tells its rank");
    constexpr int rank = dims_of_operand<X>.rank, along = chosen_axis<Options...>;
    constexpr bool has_axis = scalar_type<X> ? is_integer(dtype_of_operand<X>) : rank < 0 || (along < rank && along >= -rank);
    static_assert(has_axis, "tx: random: choice: x must have the axis, or be a C++ integer n for 0 ... n - 1");
    return is_static && are_weights && has_axis;
}

} // namespace TRACEXPR_CALLS
} // namespace detail

namespace random {
inline namespace TRACEXPR_CALLS {

// Gives parts of x along an axis, the first unless one is named, chosen at random: (a, n, b) and a shape s give (a, s..., b). If
// x is a C++ integer n, they are numbers of 0 ... n - 1. Behind the shape stand in any order weights (n), which needn't add up to
// 1, tx::random::without_replacement, and the axis. Without replacement there must be as many parts as are chosen; parts of
// weight 0 are not chosen while there are others. A weight below 0 throws error; in a trace, which has no values, it counts as 0.
template <class K, operand X, shape_type Shape, class... Options>
[[nodiscard]] constexpr auto stateless_choice(K const& from, X const& x, Shape shape, Options const&... options) {
    constexpr bool fits = detail::check_choice<X, Shape, Options...>();
    constexpr bool replaces = !(std::is_same_v<Options, without_replacement_t> || ...);
    detail::require_key<K>();
    if constexpr (!fits || !detail::is_random_key<K>) {
        return detail::failed{};
    } else if constexpr (scalar_type<X>) {
        std::int64_t const n = static_cast<std::int64_t>(x);
        return detail::places_of_number<replaces>(from, shape, n < 0 ? 0 : n, options...);
    } else {
        constexpr int along = detail::chosen_axis<Options...>;
        return tx::take(x, detail::places_by_options<replaces, along>(from, shape, detail::as_operand(x), options...),
                        axis<along>);
    }
}
// Gives parts of x along an axis, chosen at random, different ones in each call; see stateless_choice.
template <operand X, shape_type Shape, class... Options>
constexpr auto choice(X const& x, Shape shape, Options const&... options) {
    if constexpr (scalar_type<X>) return stateless_choice(detail::fresh_key(options...), x, shape, options...);
    else return stateless_choice(detail::fresh_key(x), x, shape, options...);
}

} // namespace TRACEXPR_CALLS
} // namespace random
} // namespace tx
