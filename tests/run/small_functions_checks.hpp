// This file checks a function as the compiler traces it, as a run does, on tensors, and on tensors whose types show less: all
// must give the same values.
#pragma once

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <limits>
#include <string>

namespace tx::testing {

constexpr double missing = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();

template <class T> bool is_near(T const& got, T const& expected, double tolerance) {
    if constexpr (std::is_integral_v<T>) return got == expected;
    else if constexpr (is_complex(dtype_of<T>))
        return is_near(got.real(), expected.real(), tolerance) && is_near(got.imag(), expected.imag(), tolerance);
    else {
        double const a = static_cast<double>(got), b = static_cast<double>(expected);
        return a == b || (a != a && b != b) || std::abs(a - b) <= tolerance * (1 + std::abs(b));
    }
}
template <class A, class E> void check_values(A const& got, E const& expected, double tolerance) {
    using T = typename E::value_type;
    static_assert(std::is_same_v<typename A::value_type, T>);
    INFO("got ", got, "\nexpected ", expected);
    REQUIRE(got.extents() == expected.extents());
    for (std::int64_t i = 0; i < expected.size(); ++i) CHECK(is_near<T>(got.data()[i], expected.data()[i], tolerance));
}

template <int Rank> struct open_form;
template <> struct open_form<0> {
    using type = shape<>;
};
template <> struct open_form<1> {
    using type = shape<dyn>;
};
template <> struct open_form<2> {
    using type = shape<dyn, dyn>;
};
template <> struct open_form<3> {
    using type = shape<dyn, dyn, dyn>;
};
template <class T, class S> auto with_open_extents(tensor<T, S> const& a) {
    return tensor<T, typename open_form<dims_of<S>.rank>::type>(a);
}
template <class T, class S> auto with_open_rank(tensor<T, S> const& a) { return tensor<T>(a); }

// Gives f as a run traces it.
template <class F> auto at_run_time(F const& f) {
    return function{[f, kept = 1](auto const&... a) {
        static_cast<void>(kept);
        return f(a...);
    }};
}
enum class ranks { any, known };
// Ranks::known means that f takes no tensors of unknown rank.
template <ranks Ranks = ranks::any, class F, class E, class... A>
void check_each(F const& f, E const& expected, double tolerance, A const&... a) {
    static_function const known{f};
    static_function const known_on_tiles{f, options{.kernels = kernels::tiles}};
    INFO("static");
    check_values(known(a...), expected, tolerance);
    INFO("of open extents");
    check_values(known_on_tiles(with_open_extents(a)...), expected, tolerance);
    INFO("at run time");
    check_values(at_run_time(f)(a...), expected, tolerance);
    if constexpr (Ranks == ranks::any) check_values(f(with_open_rank(a)...), expected, tolerance);
}

} // namespace tx::testing
