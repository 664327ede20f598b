// This file tests erfinv, erfcinv, ndtr, log_ndtr and ndtri: values to the ends of their ranges, special values and derivatives.
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

TEST_CASE("erfinv: values") { // mpmath, 60 digits
    vec<12> const x{-0.99999, -0.75, -0.5, -0.1, 1e-300, 1e-08, 0.3, 0.5, 0.50001, 0.9, 0.999, 0.9999999999999999};
    vec<12> const y{-3.123413274341571, -0.8134198475976185, -0.4769362762044699, -0.08885599049425769, 8.86226925452758e-301, 8.86226925452758e-09,
        0.2724627147267543, 0.4769362762044699, 0.4769474021116977, 1.1630871536766743, 2.3267537655135246, 5.8635847487551676};
    check_values([](auto const& p) { return tx::special::erfinv(p); }, y, 1e-15, 0, x);
}

TEST_CASE("erfcinv: values") { // mpmath, 60 digits
    vec<13> const x{1e-307, 1e-100, 1e-17, 1e-10, 0.004, 0.1, 0.5, 0.7, 1, 1.3, 1.5, 1.99, 1.9999999999999991};
    vec<13> const y{26.514955020853616, 15.065574702592645, 6.062693998163568, 4.572824967389486, 2.035167683066083, 1.163087153676674,
        0.4769362762044699, 0.2724627147267544, 0, -0.2724627147267544, -0.4769362762044699, -1.8213863677184494, -5.686128441310391};
    check_values([](auto const& p) { return tx::special::erfcinv(p); }, y, 1e-15, 0, x);
}

TEST_CASE("ndtri: values") { // mpmath, 60 digits
    vec<13> const x{1e-307, 1e-100, 1e-17, 1e-10, 0.004, 0.1, 0.25, 0.3, 0.5, 0.7, 0.75, 0.99, 0.9999999999999991};
    vec<13> const y{-37.479332564321574, -21.273453560965326, -8.493793224109599, -6.361340902404057, -2.652069807902196, -1.2815515655446004,
        -0.6744897501960817, -0.5244005127080408, 0, 0.5244005127080407, 0.6744897501960817, 2.3263478740408408, 7.956038125481531};
    check_values([](auto const& p) { return tx::special::ndtri(p); }, y, 1e-15, 0, x);
}

TEST_CASE("ndtr: values") { // mpmath, 60 digits
    vec<13> const x{-37, -20, -8.3, -3, -1, -0.5, 0, 1e-10, 0.5, 1, 3, 8, 20};
    vec<13> const y{5.725571222524577e-300, 2.7536241186062337e-89, 5.205569744890254e-17, 0.0013498980316300946, 0.15865525393145705,
        0.3085375387259869, 0.5, 0.5000000000398942, 0.6914624612740131, 0.8413447460685429, 0.9986501019683699, 0.9999999999999993, 1};
    check_values([](auto const& p) { return tx::special::ndtr(p); }, y, 1e-15, 0, x);
}

TEST_CASE("log_ndtr: values") { // mpmath, 60 digits
    vec<14> const x{-37, -20, -8.3, -3, -1.5, -1, -0.5, 0, 0.5, 1, 3, 8, 20, 37};
    vec<14> const y{-689.0305855768906, -203.91715537109727, -37.49421742374825, -6.607726221510349, -2.7059444008238898, -1.8410216450092636,
        -1.1759117615936185, -0.6931471805599453, -0.3689464152886564, -0.17275377902344988, -0.0013508099647481938, -6.220960574271786e-16,
        -2.7536241186062337e-89, -5.725571222524577e-300};
    check_values([](auto const& p) { return tx::special::log_ndtr(p); }, y, 1e-15, 0, x);
}

TEST_CASE("erfinv: special values") { // scipy.special.erfinv
    vec<6> const x{-1, 1, 1.5, -2, undefined, 0};
    vec<6> const y{-inf, inf, undefined, undefined, undefined, 0};
    CHECK(difference(tx::special::erfinv(x), y, 4e-15) == "");
}

TEST_CASE("erfcinv: special values") { // scipy.special.erfcinv
    vec<6> const x{0, 2, -0.5, 2.5, undefined, 1};
    vec<6> const y{inf, -inf, undefined, undefined, undefined, 0};
    CHECK(difference(tx::special::erfcinv(x), y, 4e-15) == "");
}

TEST_CASE("ndtri: special values") { // scipy.special.ndtri
    vec<5> const x{0, 1, -0.5, 1.5, undefined};
    vec<5> const y{-inf, inf, undefined, undefined, undefined};
    CHECK(difference(tx::special::ndtri(x), y, 4e-15) == "");
}

TEST_CASE("ndtr: special values") { // scipy.special.ndtr
    vec<5> const x{-inf, inf, undefined, -40, 0};
    vec<5> const y{0, 1, undefined, 0, 0.5};
    CHECK(difference(tx::special::ndtr(x), y, 4e-15) == "");
}

TEST_CASE("log_ndtr: special values") { // scipy.special.log_ndtr
    vec<4> const x{-inf, inf, undefined, -1e+200};
    vec<4> const y{-inf, 0, undefined, -inf};
    CHECK(difference(tx::special::log_ndtr(x), y, 4e-15) == "");
}

TEST_CASE("erfinv and its kin: derivatives of order 1 and 2") {
    vec<4> const x{0.15, 0.45, 0.62, 0.83};
    tx::check_gradients([](auto p) { return std::tuple(tx::special::erfinv(p), tx::special::erfcinv(p), tx::special::ndtr(p), tx::special::log_ndtr(p), tx::special::ndtri(p)); }, x);
}

TEST_CASE("log_ndtr and ndtr of negative numbers: derivatives of order 1 and 2") {
    vec<2> const x{-3.2, -0.7};
    tx::check_gradients([](auto p) { return std::tuple(tx::special::ndtr(p), tx::special::log_ndtr(p)); }, x);
}
