// This file tests xlogy, xlog1py, entr, rel_entr, logit, expit: values, special values, derivatives at the kinks.
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

TEST_CASE("xlogy: values") { // mpmath, 60 digits
    vec<4> const a{0.5, -2, 3, 1e-300};
    vec<4> const b{2, 0.3, 1e-300, 7};
    vec<4> const y{0.34657359027997264, 2.4079456086518722, -2072.326583694641, 1.9459101490553135e-300};
    check_values([](auto const& p, auto const& q) { return tx::special::xlogy(p, q); }, y, 1e-15, 0, a, b);
}

TEST_CASE("xlog1py: values") { // mpmath, 60 digits
    vec<4> const a{0.5, -2, 3, 1e-300};
    vec<4> const b{2, 0.3, 1e-300, 7};
    vec<4> const y{0.5493061443340549, -0.5247285289349821, 3e-300, 2.079441541679836e-300};
    check_values([](auto const& p, auto const& q) { return tx::special::xlog1py(p, q); }, y, 1e-15, 0, a, b);
}

TEST_CASE("entr: values") { // mpmath, 60 digits
    vec<5> const x{1e-300, 0.1, 0.9, 1.5, 1e+30};
    vec<5> const y{6.9077552789821376e-298, 0.23025850929940458, 0.09482446409204365, -0.6081976621622466, -6.907755278982137e+31};
    check_values([](auto const& p) { return tx::special::entr(p); }, y, 1e-15, 0, x);
}

TEST_CASE("rel_entr: values") { // mpmath, 60 digits
    vec<6> const a{1e-300, 0.1, 0.9, 1.5, 1e+30, 1e+200};
    vec<6> const b{2, 0.3, 0.8999, 7, 1e+30, 1e-200};
    vec<6> const y{-6.914686750787737e-298, -0.10986122886681096, 0.00010000555596710147, -2.3106675614207233, 0, 9.210340371976182e+202};
    check_values([](auto const& p, auto const& q) { return tx::special::rel_entr(p, q); }, y, 1e-15, 0, a, b);
}

TEST_CASE("logit: values") { // mpmath, 60 digits
    vec<8> const x{1e-300, 0.1, 0.3, 0.4999, 0.5, 0.64, 0.66, 0.9};
    vec<8> const y{-690.7755278982137, -2.197224577336219, -0.8472978603872037, -0.0004000000053332894, 0, 0.5753641449035619, 0.6632942174102643,
        2.1972245773362196};
    check_values([](auto const& p) { return tx::special::logit(p); }, y, 1e-15, 0, x);
}

TEST_CASE("expit: values") { // mpmath, 60 digits
    vec<5> const x{-700, -3, 0, 0.5, 40};
    vec<5> const y{9.85967654375977e-305, 0.04742587317756678, 0.5, 0.6224593312018546, 1};
    check_values([](auto const& p) { return tx::special::expit(p); }, y, 2e-15, 0, x);
}

TEST_CASE("xlogy: special values") { // scipy.special.xlogy
    vec<7> const a{0, 0, 0, 1, 0, undefined, 1};
    vec<7> const b{0, undefined, inf, 0, -1, 1, -1};
    vec<7> const y{0, undefined, 0, -inf, 0, undefined, undefined};
    CHECK(difference(tx::special::xlogy(a, b), y, 4e-15) == "");
}

TEST_CASE("xlog1py: special values") { // scipy.special.xlog1py
    vec<5> const a{0, 0, 0, 1, 0};
    vec<5> const b{-1, undefined, inf, -1, -2};
    vec<5> const y{0, undefined, 0, -inf, 0};
    CHECK(difference(tx::special::xlog1py(a, b), y, 4e-15) == "");
}

TEST_CASE("entr: special values") { // scipy.special.entr
    vec<4> const x{0, -1, inf, undefined};
    vec<4> const y{0, -inf, -inf, undefined};
    CHECK(difference(tx::special::entr(x), y, 4e-15) == "");
}

TEST_CASE("rel_entr: special values") { // scipy.special.rel_entr
    vec<8> const a{0, 1, -1, 1, 0, 0, undefined, 1};
    vec<8> const b{0, 0, 1, -1, 1, -1, 1, undefined};
    vec<8> const y{0, inf, inf, inf, 0, inf, undefined, undefined};
    CHECK(difference(tx::special::rel_entr(a, b), y, 4e-15) == "");
}

TEST_CASE("logit: special values") { // scipy.special.logit
    vec<5> const x{0, 1, -1, 2, undefined};
    vec<5> const y{-inf, inf, undefined, undefined, undefined};
    CHECK(difference(tx::special::logit(x), y, 4e-15) == "");
}

TEST_CASE("xlogy and its kin: derivatives of order 1 and 2") {
    vec<3> const a{0.7, 1.3, 3};
    vec<3> const b{0.4, 2, 3.1};
    tx::check_gradients([](auto p, auto q) { return std::tuple(tx::special::xlogy(p, q), tx::special::xlog1py(p, q), tx::special::rel_entr(p, q)); }, a, b);
}

TEST_CASE("entr and logit: derivatives of order 1 and 2") {
    vec<3> const x{0.2, 0.45, 0.83};
    tx::check_gradients([](auto p) { return std::tuple(tx::special::entr(p), tx::special::logit(p)); }, x);
}

TEST_CASE("xlogy and xlog1py have slope 0 along x at x = 0, and 0 along y") {
    auto const f = [](auto p, auto q) { return tx::sum(tx::special::xlogy(p, q) + tx::special::xlog1py(p, q)); };
    vec<4> const x{0, 0, 0, 2}, y{0, 3, inf, 1};
    auto const [dx, dy] = tx::grad<0, 1>(f)(x, y);
    CHECK(difference(dx, vec<4>{0, 0, 0, std::log(2.0)}, 1e-15) == "");
    CHECK(difference(dy, vec<4>{0, 0, 0, 3}, 1e-15) == "");
}
TEST_CASE("entr: the slope is infinite at 0, and 0 below") {
    auto const f = [](auto x) { return tx::sum(tx::special::entr(x)); };
    CHECK(difference(tx::grad(f)(vec<3>{0, -1, 1}), vec<3>{inf, 0, -1}, 1e-15) == "");
}
