// This file tests angle, signbit, nextafter, ldexp and frexp against the C library; and forms, dtypes and shapes of special
// functions.
#include <tracexpr/special.hpp>

#include <family_checks.hpp>

#include <limits>
#include <random>
#include <vector>

using tx::testing::difference;

namespace {
constexpr double inf = std::numeric_limits<double>::infinity(), undefined = std::numeric_limits<double>::quiet_NaN();
template <class T, int N> using vec = tx::tensor<T, tx::shape<N>>;
constexpr auto logit = [](auto p) { return tx::special::logit(p); };

// Numbers of all sizes, subnormal ones among them.
template <class T> auto random_numbers() {
    std::mt19937_64 bits(7);
    std::vector<T> out(4000);
    std::uniform_real_distribution<double> fraction(1, 2), exponent(std::log2(double(std::numeric_limits<T>::denorm_min())), std::log2(double(std::numeric_limits<T>::max())) - 1);
    for (int k = 0; k < 4000; ++k) {
        T const size = T(fraction(bits) * std::exp2(exponent(bits)));
        out[std::size_t(k)] = k % 2 ? size : -size;
    }
    T const special[]{0, T(-0.0), std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), std::numeric_limits<T>::denorm_min(), 1, 2, T(0.5)};
    for (int k = 0; k < 8; ++k) out[std::size_t(k)] = special[k];
    return tx::tensor<T, tx::shape<tx::dyn>>(tx::from_range(out));
}
template <class T> void check_neighbours() {
    auto const x = random_numbers<T>();
    auto const up = tx::nextafter(x, T(std::numeric_limits<T>::infinity())), down = tx::nextafter(x, T(-std::numeric_limits<T>::infinity()));
    int wrong = 0;
    for (int k = 0; k < 4000; ++k) {
        T const a = x.data()[k], above = std::nextafter(a, std::numeric_limits<T>::infinity()), below = std::nextafter(a, -std::numeric_limits<T>::infinity());
        wrong += up.data()[k] != above || std::signbit(up.data()[k]) != std::signbit(above);
        wrong += down.data()[k] != below || std::signbit(down.data()[k]) != std::signbit(below);
    }
    CHECK(wrong == 0);
}
} // namespace

TEST_CASE("nextafter is the C library's") {
    check_neighbours<double>();
    check_neighbours<float>();
    vec<double, 5> const x{inf, -inf, 1, undefined, 2}, y{0, 0, 1, 1, undefined};
    double const largest = std::numeric_limits<double>::max();
    CHECK(difference(tx::nextafter(x, y), vec<double, 5>{largest, -largest, 1, undefined, undefined}, 0) == "");
    CHECK(tx::nextafter(1.0, 2.0) == 1 + std::numeric_limits<double>::epsilon());
}
TEST_CASE("ldexp and frexp are the C library's") {
    auto const x = random_numbers<double>();
    auto const [m, e] = tx::frexp(x);
    std::vector<int> exponents(4000);
    int wrong = 0;
    for (int k = 0; k < 4000; ++k) {
        int exponent = 0;
        wrong += m.data()[k] != std::frexp(x.data()[k], &exponent);
        wrong += e.data()[k] != exponent;
        exponents[std::size_t(k)] = k * 5749 % 4400 - 2200;
    }
    CHECK(wrong == 0);
    CHECK(tx::equal(tx::ldexp(m, e), x));
    auto const y = tx::ldexp(x, tx::from_range(exponents));
    for (int k = 0; k < 4000; ++k) wrong += y.data()[k] != std::ldexp(x.data()[k], exponents[std::size_t(k)]);
    CHECK(wrong == 0);
    for (int k = -1100; k <= 1023; ++k) wrong += tx::ldexp(vec<double, 1>{1.0}, k).data()[0] != std::ldexp(1.0, k);
    CHECK(wrong == 0);
    auto const narrow = tx::frexp(vec<float, 3>{0.0F, 6.0F, -1e-45F});
    CHECK(tx::equal(narrow.first, vec<float, 3>{0.0F, 0.75F, -0.5F}));
    CHECK(tx::equal(narrow.second, vec<int, 3>{0, 3, -148}));
    CHECK(difference(tx::frexp(vec<double, 2>{inf, undefined}).first, vec<double, 2>{inf, undefined}, 0) == "");
    auto const slope = tx::grad([](auto p) { return tx::sum(tx::ldexp(p, 3) + tx::frexp(p).first); })(vec<double, 2>{1.5, 6});
    CHECK(tx::equal(slope, vec<double, 2>{8.5, 8.125}));
}
TEST_CASE("angle and signbit") {
    using complex = std::complex<double>;
    tx::tensor<complex, tx::shape<5>> const z{complex(1, 1), complex(-2, 0), complex(0, -3), complex(0, 0), complex(-0.0, 0)};
    double const pi = 3.14159265358979323846;
    CHECK(difference(tx::angle(z), vec<double, 5>{pi / 4, pi, -pi / 2, 0, pi}, 1e-15) == "");
    CHECK(difference(tx::angle(vec<double, 4>{2, -2, -0.0, undefined}), vec<double, 4>{0, pi, pi, undefined}, 1e-15) == "");
    CHECK(difference(tx::angle(vec<int, 2>{2, -2}), vec<double, 2>{0, pi}, 1e-15) == "");
    CHECK(tx::equal(tx::signbit(vec<double, 4>{2, -2, -0.0, -inf}), vec<bool, 4>{false, true, true, true}));
    CHECK(tx::equal(tx::signbit(vec<tx::half, 2>{tx::half(2.0F), tx::half(-2.0F)}), vec<bool, 2>{false, true}));
    CHECK(tx::equal(tx::signbit(vec<int, 2>{2, -2}), vec<bool, 2>{false, true}));
    CHECK(tx::equal(tx::signbit(vec<std::uint8_t, 1>{200}), vec<bool, 1>{false}));
}
TEST_CASE("special functions: dtypes, numbers, empty tensors, broadcasting") {
    static_assert(std::is_same_v<decltype(tx::special::erfinv(vec<int, 2>{0, 1}))::value_type, double>);
    CHECK(tx::special::j0(0) == 1.0);
    CHECK(tx::special::gammainc(1.0F, 2.0F) == doctest::Approx(1 - std::exp(-2.0)));
    CHECK(difference(tx::cast<double>(tx::special::gamma(vec<tx::half, 2>{tx::half(3.0F), tx::half(5.0F)})), vec<double, 2>{2, 24}, 0) == "");
    CHECK(difference(tx::cast<double>(tx::special::xlogy(vec<tx::bfloat16, 1>{tx::bfloat16(3.0F)}, tx::bfloat16(1.0F))), vec<double, 1>{0}, 0) == "");
    CHECK(tx::special::zeta(tx::zeros<double>(tx::shape<0>{}), 1.0).size() == 0);
    tx::tensor<double, tx::shape<2, 1>> const a{{1.0}, {2.0}};
    auto const p = tx::special::gammainc(a, vec<double, 3>{0.5, 1, 2});
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(p)>, tx::tensor<double, tx::shape<2, 3>>>);
    CHECK(p(0, 2) == doctest::Approx(1 - std::exp(-2.0)));
    CHECK(p(1, 1) == doctest::Approx(1 - 2 * std::exp(-1.0)));
    CHECK(tx::special::digamma(vec<double, 1>{1.0}).data()[0] == doctest::Approx(-0.57721566490153286));
}
TEST_CASE("special functions: all forms") {
    vec<double, 3> const x{0.2, 0.5, 0.9}, y{std::log(0.25), 0, std::log(9.0)};
    tx::testing::check_in_all_forms(logit, y, 1e-14, 1e-16, x);
    tx::testing::check_open_rank(logit, y, 1e-14, 1e-16, x);
}
TEST_CASE("betainc: all forms, with a sum over a further axis, and of as many axes as there can be") {
    auto const f = [](auto p, auto q, auto r) { return tx::special::betainc(p, q, r); };
    tx::tensor<double, tx::shape<2, 2>> const a{{300.0, 2.0}, {1000.0, 0.5}}, b{{400.0, 3.0}, {900.0, 0.5}}, x{{0.42, 0.4}, {0.53, 0.3}};
    // mpmath, 50 digits
    tx::tensor<double, tx::shape<2, 2>> const y{{0.32446288688220354, 0.5248}, {0.62584443991071, 0.36901011956554536}};
    tx::testing::check_in_all_forms(f, y, 2e-13, 0, a, b, x);
    auto const high = [](auto const& v) { return tx::reshape<2, 1, 1, 1, 1, 1, 1, 2>(v); };
    CHECK(difference(f(high(a), high(b), high(x)), high(y), 2e-13) == "");
}
