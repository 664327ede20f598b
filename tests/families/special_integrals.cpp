// This file tests exponential integrals and the dilogarithm: values, special values, derivatives.
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

TEST_CASE("exp1: values") { // mpmath, 60 digits
    vec<11> const x{1e-300, 1e-05, 0.5, 0.99, 1, 1.5, 3, 10, 50, 300, 700};
    vec<11> const y{690.1983122333122, 10.935719800043696, 0.5597735947761608, 0.22309982579017723, 0.21938393439552029, 0.10001958240663265,
        0.013048381094197037, 4.156968929685325e-06, 3.783264029550459e-24, 1.71038427680451e-133, 1.406518766234033e-307};
    check_values([](auto const& p) { return tx::special::exp1(p); }, y, 1e-15, 0, x);
}

TEST_CASE("expi: values") { // mpmath, 60 digits
    vec<22> const x{-700, -20, -1.5, -1, -0.3, -1e-200, 1e-200, 0.001, 0.2, 0.3725074107813666, 0.38, 0.7, 1, 5.9, 6.1, 11.9, 12.1, 23.9, 24.1, 50, 300,
        715};
    vec<22> const y{-1.406518766234033e-307, -9.835525290649882e-11, -0.10001958240663265, -0.21938393439552029, -0.9056766516758468,
        -459.93980293390763, -459.93980293390763, -6.329539364025038, -0.8217605879024003, -5.1196989365556847e-17, 0.02901122141928304,
        1.0649071946242905, 1.8951178163559368, 79.5381901448876, 93.00200998696366, 13663.534616776056, 16379.946403918353, 1048867407.5456313,
        1269948772.029556, 1.058563689713169e+20, 6.496482508088665e+127, 4.643625670370571e+307};
    check_values([](auto const& p) { return tx::special::expi(p); }, y, 2e-15, 0, x);
}

TEST_CASE("spence: values") { // mpmath, 60 digits
    vec<14> const x{1e-300, 1e-05, 0.2, 0.49, 0.5, 0.9, 0.999999, 1.000001, 1.5, 1.99, 2.01, 7, 1000000, 1e+300};
    vec<14> const y{1.6449340668482264, 1.6448089369929264, 1.0747946000082484, 0.5961653613779507, 0.5822405264650125, 0.1026177910993911,
        1.0000002500288667e-06, -9.999997499178445e-07, -0.4484142069236462, -0.8155258814773397, -0.8293888705204264, -3.0899420510880318,
        -97.07908523994168, -238587.05990559477};
    check_values([](auto const& p) { return tx::special::spence(p); }, y, 1e-15, 0, x);
}

TEST_CASE("exp1: special values") { // scipy.special.exp1
    vec<5> const x{0, -1, inf, undefined, 800};
    vec<5> const y{inf, undefined, 0, undefined, 0};
    CHECK(difference(tx::special::exp1(x), y, 4e-15) == "");
}

TEST_CASE("expi: special values") { // scipy.special.expi
    vec<5> const x{0, -inf, inf, undefined, 720};
    vec<5> const y{-inf, 0, inf, undefined, inf};
    CHECK(difference(tx::special::expi(x), y, 4e-15) == "");
}

TEST_CASE("spence: special values") { // scipy.special.spence
    vec<4> const x{0, 1, -1, undefined};
    vec<4> const y{1.6449340668482264, 0, undefined, undefined};
    CHECK(difference(tx::special::spence(x), y, 4e-15) == "");
}

TEST_CASE("exponential integrals and spence: derivatives of order 1 and 2") {
    vec<6> const x{0.3, 0.45, 1.05, 1.8, 2.7, 13};
    tx::check_gradients([](auto p) { return std::tuple(tx::special::exp1(p), tx::special::expi(p), tx::special::spence(p)); }, x);
}

TEST_CASE("spence: its slope at 1 is -1, and that one's 1 / 2") {
    auto const f = [](auto x) { return tx::special::spence(x); };
    tx::tensor<double, tx::shape<>> const one(1.0);
    CHECK(tx::grad(f)(one).item() == -1);
    CHECK(tx::grad(tx::grad(f))(one).item() == 0.5);
}
