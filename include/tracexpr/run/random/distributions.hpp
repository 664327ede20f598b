// This file has the recipes of the core's distributions: which numbers and parameters they take, and by which rule they are made.
#pragma once

#include <tracexpr/run/random/key.hpp>
#include <tracexpr/trace/operand_checks.hpp>

namespace tx::detail {

// noise_of is the type in which the noise of a distribution over T is made.
template <class T> using noise_of = std::conditional_t<primal(dtype_of<T>) == dtype::float64, double, float>;
template <class A> inline constexpr bool is_real_parameter =
    operand<A> && (dtype_of_operand<A> != dtype::string) && !is_complex(dtype_of_operand<A>);

// floating_recipe is the base of recipes for floating-point numbers.
template <class T, std::size_t Most, draw_rule Draw> struct floating_recipe {
    using value_type = T;
    static constexpr bool gives = is_floating(dtype_of<T>);
    template <class... A> static constexpr bool takes =
        is_floating(dtype_of<T>) && sizeof...(A) <= Most && (is_real_parameter<A> && ...);
    using needed = dtypes_needed<noise_of<T>, T>;
    static constexpr draw_rule draw = Draw;
};
template <class T> struct uniform_recipe : floating_recipe<T, 2, draw_uniform> {
    static constexpr char const* called = "uniform";
    template <class... A> static constexpr bool takes =
        floating_recipe<T, 2, draw_uniform>::template takes<A...> && sizeof...(A) != 1;
};
template <class T> struct normal_recipe : floating_recipe<T, 2, draw_normal> {
    static constexpr char const* called = "normal";
};
template <class T> struct truncated_normal_recipe : floating_recipe<T, 2, draw_truncated_normal> {
    static constexpr char const* called = "truncated_normal";
};
template <class T> struct exponential_recipe : floating_recipe<T, 1, draw_exponential> {
    static constexpr char const* called = "exponential";
};
template <class T> struct gamma_recipe : floating_recipe<T, 1, draw_gamma> {
    static constexpr char const* called = "gamma";
    template <class... A> static constexpr bool takes =
        floating_recipe<T, 1, draw_gamma>::template takes<A...> && sizeof...(A) == 1;
};
struct bernoulli_recipe {
    using value_type = bool;
    static constexpr char const* called = "bernoulli";
    template <class... A> static constexpr bool takes = sizeof...(A) <= 1 && (is_real_parameter<A> && ...);
    using needed = dtypes_needed<float, double, bool>;
    static constexpr draw_rule draw = draw_bernoulli;
};
template <class T> struct randint_recipe {
    using value_type = T;
    static constexpr char const* called = "randint";
    template <class A> static constexpr bool is_bound =
        operand<A> && is_integer(dtype_of_operand<A>) &&
        (traits<A>::weak || promote(dtype_of_operand<A>, dtype_of<T>) == dtype_of<T>);
    template <class... A> static constexpr bool takes = is_integer(dtype_of<T>) && sizeof...(A) == 2 && (is_bound<A> && ...);
    using needed = dtypes_needed<T>;
    static constexpr draw_rule draw = draw_randint;
};

// classes_fn gives a class for each row of logits, whose type is A.
template <class A> struct classes_recipe {
    using value_type = std::int64_t;
    static constexpr char const* called = "categorical";
    using needed = dtypes_needed<noise_of<ctype<dtype_of_operand<A>>>>;
    static constexpr draw_rule draw = draw_classes;
};
template <class Shape> struct without_classes {
    static constexpr dims value = [] {
        dims d = dims_of<Shape>;
        if (d.rank > 0) --d.rank;
        return d;
    }();
};
template <class A> using classes_fn = drawn_fn<classes_recipe<A>, typename traits<A>::shape_type, shape_of::operand,
                                               typename shape_of_dims<without_classes<typename traits<A>::shape_type>>::type>;

template <class P> constexpr void check_kept_share(char const* called, P const& keep) {
    for_each_known(keep, [&](double share) {
        if (!(share >= 0 && share <= 1))
            throw_value(called, "the probability to keep an element must lie between 0 and 1", share);
    });
}
template <class T> struct dropout_recipe {
    using value_type = T;
    static constexpr char const* called = "dropout";
    using needed = dtypes_needed<float, double, bool>;
    static constexpr draw_rule draw = draw_dropout;
};
template <class A> using dropout_fn =
    drawn_fn<dropout_recipe<mean_type<ctype<dtype_of_operand<A>>>>, typename traits<A>::shape_type, shape_of::operand>;

} // namespace tx::detail
