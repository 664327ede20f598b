// This file holds what the tests of the families of functions share: a callable is run in each form, and compared with known
// numbers. The suite `everyday` runs these files without kernels, `all` with kernels of the static executor.
#pragma once

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <sstream>
#include <string>
#include <type_traits>

namespace tx::testing {

inline bool is_near(double got, double wanted, double relative, double absolute) {
    if (std::isnan(wanted) || std::isnan(got)) return std::isnan(wanted) && std::isnan(got);
    if (std::isinf(wanted) || std::isinf(got)) return got == wanted;
    return std::abs(got - wanted) <= relative * std::abs(wanted) + absolute;
}
inline bool is_near(std::complex<double> got, std::complex<double> wanted, double relative, double absolute) {
    return std::abs(got - wanted) <= relative * std::abs(wanted) + absolute;
}
// Compares all elements; NaN equals NaN. The text names the first element that differs, and is empty where none does.
template <class T, class S, class U, class R>
std::string difference(tensor<T, S> const& got, tensor<U, R> const& wanted, double relative, double absolute = 0) {
    if (to_string(got.dimensions()) != to_string(wanted.dimensions()))
        return "shape " + to_string(got.dimensions()) + ", not " + to_string(wanted.dimensions());
    using common = std::conditional_t<std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>, std::complex<double>, double>;
    for (std::int64_t i = 0; i < got.size(); ++i) {
        auto const a = static_cast<common>(got.data()[i]), b = static_cast<common>(wanted.data()[i]);
        if (is_near(a, b, relative, absolute)) continue;
        std::ostringstream out;
        out.precision(17);
        out << "element " << i << ": " << a << ", not " << b;
        return out.str();
    }
    return "";
}
// Gives the same tensor with a type that leaves the extents open, or the rank, too.
template <class T, class S> auto with_open_extents(tensor<T, S> const& x) {
    return []<std::size_t... K>(auto const& t, std::index_sequence<K...>) {
        return tensor<T, shape<(static_cast<void>(K), dyn)...>>(t);
    }(x, std::make_index_sequence<static_cast<std::size_t>(dims_of<S>.rank)>{});
}
template <class T, class S> tensor<T> with_open_rank(tensor<T, S> const& x) { return x; }
// Arguments that aren't tensors stay as they are.
template <class A> A with_open_extents(A const& a) { return a; }
template <class A> A with_open_rank(A const& a) { return a; }

// Checks f(a...) against `wanted` at once, in a function, with open extents and as one of a batch of two.
template <class F, class W, class... A> void check_in_all_forms(F f, W const& wanted, double relative, double absolute, A const&... a) {
    CHECK(difference(f(a...), wanted, relative, absolute) == "");
    CHECK(difference(tx::function{f}(a...), wanted, relative, absolute) == "");
    CHECK(difference(tx::function{f}(with_open_extents(a)...), wanted, relative, absolute) == "");
    auto const batch = tx::vmap(f)(tx::stack(tx::axis<0>, a, a)...);
    CHECK(difference(tx::slice(batch, tx::at<1>), wanted, relative, absolute) == "");
}
// Checks f(a...) against `wanted` where even the ranks are open, at once and in a function.
template <class F, class W, class... A> void check_open_rank(F f, W const& wanted, double relative, double absolute, A const&... a) {
    CHECK(difference(tx::function{f}(with_open_rank(a)...), wanted, relative, absolute) == "");
    CHECK(difference(f(with_open_rank(a)...), wanted, relative, absolute) == "");
}

} // namespace tx::testing
