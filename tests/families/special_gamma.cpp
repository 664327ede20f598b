// This file tests gamma, beta, betaln, gammaln and zeta: values, poles, derivatives.
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

TEST_CASE("gamma: values") { // mpmath, 60 digits
    vec<13> const x{-170.5, -20.3, -3.5, -1e-300, 1e-300, 1e-05, 0.5, 1, 1.5, 3, 10, 50.3, 171.6};
    vec<13> const y{-3.3127395215386074e-308, -6.435466204989327e-19, 0.2700882058522691, -9.999999999999999e+299, 9.999999999999999e+299,
        99999.42279422555, 1.772453850905516, 1, 0.886226925452758, 2, 362880, 1.9628298224091644e+63, 1.5858969096672565e+308};
    check_values([](auto const& p) { return tx::special::gamma(p); }, y, 2e-15, 0, x);
}

TEST_CASE("gammaln: values") { // mpmath, 60 digits
    vec<8> const x{1e-300, 1e-05, 0.5, 1.3, 3, 10, 50.3, 10000000000};
    vec<8> const y{690.7755278982137, 11.512919692895826, 0.5723649429247001, -0.10817480950786047, 0.6931471805599453, 12.801827480081469,
        145.7372480775525, 220258509288.81058};
    check_values([](auto const& p) { return tx::special::gammaln(p); }, y, 4e-15, 0, x);
}

TEST_CASE("beta: values") { // mpmath, 60 digits
    vec<8> const a{1e-300, 1e-05, 0.5, 1, 3, 50.3, 200, 100000};
    vec<8> const b{2, 0.0003, 0.5, 1, 7.5, 20, 300, 0.5};
    vec<8> const y{9.999999999999999e+299, 103333.33282351925, 3.141592653589793, 1, 0.003302373581011352, 3.9065457869955996e-19,
        1.6485491608664747e-147, 0.005604998222641328};
    check_values([](auto const& p, auto const& q) { return tx::special::beta(p, q); }, y, 3e-14, 0, a, b);
}

TEST_CASE("betaln: values") { // mpmath, 60 digits
    vec<8> const a{1e-300, 1e-05, 0.5, 3, 50.3, 200, 100000, 10000000000};
    vec<8> const b{2, 0.0003, 0.5, 7.5, 20, 300, 0.5, 10000000000};
    vec<8> const y{690.7755278982137, 11.545715282859534, 1.1447298858494002, -5.713113802085085, -42.38646321378015, -337.98011306546465,
        -5.184096539560414, -13862943621.44632};
    check_values([](auto const& p, auto const& q) { return tx::special::betaln(p, q); }, y, 3e-15, 0, a, b);
}

TEST_CASE("zeta: values") { // mpmath, 60 digits
    vec<8> const a{1.0001, 1.5, 2, 5, 50, 150, 1000, 3};
    vec<8> const b{1, 0.01, 1, 30.5, 2, 300, 1000, 10000000000};
    vec<8> const y{10000.577222947539, 1002.5924620202128, 1.6449340668482264, 3.0835658386193536e-07, 8.881784210930816e-16, 0, 0, 5.0000000005e-21};
    check_values([](auto const& p, auto const& q) { return tx::special::zeta(p, q); }, y, 2e-15, 0, a, b);
}

TEST_CASE("gamma: special values") { // scipy.special.gamma
    vec<10> const x{0, -0.0, -1, -170, inf, -inf, undefined, 172, -180.5, 3};
    vec<10> const y{inf, -inf, undefined, undefined, inf, undefined, undefined, inf, 0, 2};
    CHECK(difference(tx::special::gamma(x), y, 4e-15) == "");
}

TEST_CASE("beta: special values") { // scipy.special.beta
    vec<5> const a{0, 1, -1.5, undefined, 1};
    vec<5> const b{1, inf, 2, 1, undefined};
    vec<5> const y{inf, 0, 1.3333333333333333, undefined, undefined};
    CHECK(difference(tx::special::beta(a, b), y, 4e-15) == "");
}

TEST_CASE("betaln: special values") { // scipy.special.betaln
    vec<4> const a{0, 1, -1.5, undefined};
    vec<4> const b{1, inf, 2, 1};
    vec<4> const y{inf, -inf, 0.2876820724517809, undefined};
    CHECK(difference(tx::special::betaln(a, b), y, 4e-15) == "");
}

TEST_CASE("zeta: special values") { // scipy.special.zeta
    vec<8> const a{1, 0.5, 2, 2, 2, inf, undefined, 2};
    vec<8> const b{1, 1, 0, -3, inf, 1, 1, undefined};
    vec<8> const y{inf, undefined, inf, inf, 0, 1, undefined, undefined};
    CHECK(difference(tx::special::zeta(a, b), y, 4e-15) == "");
}

TEST_CASE("gamma: derivatives of order 1 and 2") {
    vec<4> const x{-2.3, -0.4, 0.7, 4.2};
    tx::check_gradients([](auto p) { return tx::special::gamma(p); }, x);
}

TEST_CASE("beta: derivatives of order 1 and 2") {
    vec<3> const a{0.7, 4.2, 30};
    vec<3> const b{1.4, 0.3, 17};
    tx::check_gradients([](auto p, auto q) { return std::tuple(tx::special::beta(p, q), tx::special::betaln(p, q)); }, a, b);
}

TEST_CASE("zeta: derivatives of order 1 and 2") {
    vec<3> const a{1.7, 4.2, 8};
    vec<3> const b{1.4, 0.3, 17};
    tx::check_gradients([](auto p, auto q) { return tx::special::zeta(p, q); }, a, b);
}
