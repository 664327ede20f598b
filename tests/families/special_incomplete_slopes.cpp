// This file tests derivatives of gammainc, gammaincc and betainc with respect to all of their operands.
#include <tracexpr/special.hpp>

#include <family_checks.hpp>

#include <limits>

using tx::testing::difference;

namespace {
[[maybe_unused]] constexpr double inf = std::numeric_limits<double>::infinity(), undefined = std::numeric_limits<double>::quiet_NaN();
template <int N> using vec = tx::tensor<double, tx::shape<N>>;
// Values, and those of float, which are computed in double but for the simplest functions.
template <class F, class W, class... A> void check_values(F f, W const& wanted, double relative, double absolute, A const&... a) {
    CHECK(difference(f(a...), wanted, relative, absolute) == "");
    auto const narrow = f(tx::cast<float>(a)...);
    static_assert(std::is_same_v<typename decltype(narrow)::value_type, float>);
    auto const again = f(tx::cast<double>(tx::cast<float>(a))...);
    CHECK(difference(narrow, tx::cast<float>(again), 3e-7, 1e-37) == "");
}
} // namespace

TEST_CASE("gammainc, gammaincc: derivatives of order 1 and 2") {
    vec<4> const a{0.4, 3, 15, 30};
    vec<4> const b{0.3, 4, 14, 29};
    tx::check_gradients([](auto p, auto q) { return std::tuple(tx::special::gammainc(p, q), tx::special::gammaincc(p, q)); }, a, b);
}

TEST_CASE("betainc: derivatives of order 1 and 2") {
    vec<3> const a{0.5, 5, 20};
    vec<3> const b{0.7, 3, 30};
    vec<3> const c{0.2, 0.6, 0.41};
    tx::check_gradients([](auto p, auto q, auto r) { return tx::special::betainc(p, q, r); }, a, b, c);
}

TEST_CASE("gammainc: the derivative along a") { // mpmath.diff
    vec<6> const a{0.3, 0.5, 3, 15, 30, 100}, x{0.2, 4, 2.6, 14, 29, 130};
    vec<6> const y{-1.0233803072203944, -0.016565975346630367, -0.2467829425263051, -0.10351927297130674, -0.07302883978315522, -0.00081013002856229};
    auto const lower = [](auto p, auto q) { return tx::sum(tx::special::gammainc(p, q)); };
    auto const upper = [](auto p, auto q) { return tx::sum(tx::special::gammaincc(p, q)); };
    CHECK(difference(tx::grad(lower)(a, x), y, 1e-11) == "");
    CHECK(difference(tx::grad(upper)(a, x), -y, 1e-11) == "");
}

TEST_CASE("betainc: the derivatives along a and b") { // mpmath.diff
    vec<4> const a{0.5, 5, 20, 400}, b{0.7, 3, 30, 500}, x{0.2, 0.6, 0.41, 0.45};
    vec<4> const of_a{-0.6951703217233105, -0.11496492272183455, -0.068209683804764, -0.013975689544575811};
    vec<4> const of_b{0.3131364281295396, 0.18601338839726986, 0.046295090161444785, 0.011305948896673466};
    auto const f = [](auto p, auto q, auto r) { return tx::sum(tx::special::betainc(p, q, r)); };
    auto const [da, db] = tx::grad<0, 1>(f)(a, b, x);
    CHECK(difference(da, of_a, 1e-11) == "");
    CHECK(difference(db, of_b, 1e-11) == "");
}
