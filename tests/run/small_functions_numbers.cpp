// This file tests elementwise functions of C++ numbers alone, and the other spellings of joins.
#include <run/small_functions_checks.hpp>

#include <bit>
#include <cmath>

using namespace tx::testing;
using tx::axis;
using tx::shape;
using tx::tensor;

namespace {
template <class T, class A> constexpr bool is(A const& got, T expected) {
    static_assert(std::is_same_v<A, T>);
    return got == expected;
}
} // namespace

// The dtypes are those of tensors.
static_assert(is(tx::population_count(7), 3) && is(tx::count_leading_zeros(std::uint8_t{1}), std::uint8_t{7}));
static_assert(is(tx::bitwise_count(-7), std::uint8_t{3}));
static_assert(is(tx::sqrt(9), 3.0) && is(tx::sqrt(2.0f), 1.41421356237f) && is(tx::sqrt(8.0), 0x1.6a09e667f3bcdp+1));
static_assert(is(tx::abs(-3), 3) && is(tx::sign(-2.5f), -1.0f) && is(tx::square(3), 9) && is(tx::floor(2.5), 2.0));
static_assert(is(tx::maximum(1, 2.5), 2.5) && is(tx::minimum(1, std::int64_t{2}), std::int64_t{1}));
static_assert(is(tx::divide(1, 2), 0.5) && is(tx::remainder(-7, 3), 2) && is(tx::pow(2, 10), 1024) &&
              is(tx::add(true, true), true));
static_assert(is(tx::isnan(1.0), false) && is(tx::logical_and(1, 0.0), false) && is(tx::where(true, 1, 2.0), 1.0));
static_assert(is(tx::clip(7, 0, 5), 5) && is(tx::relu(-2.0f), 0.0f) && is(tx::lerp(1.0, 3.0, 0.25), 1.5));
static_assert(is(tx::real(std::complex<double>(1, 2)), 1.0) && is(tx::imag(3.0), 0.0));
static_assert(tx::log(1.0f) == 0 && tx::log(0.999) + 0.0010005003335835344 < 5e-19);
#if defined(__GNUC__) && !defined(__clang__)
static_assert(tx::exp(1.0) == 0x1.5bf0a8b145769p+1 && tx::pow(2.0, 0.5) == 0x1.6a09e667f3bcdp+0);
#endif

TEST_CASE("C++ numbers: functions of <cmath>") {
    double const x = std::bit_cast<double>(0x3fe123456789abcdu); // 0.535...
    CHECK(is_near(tx::exp(x), std::exp(x), 1e-15));
    CHECK(is_near(tx::sin(x), std::sin(x), 1e-15));
    CHECK(is_near(tx::lgamma(x), std::lgamma(x), 1e-15));
    CHECK(is_near(tx::digamma(1.0), -0.5772156649015329, 1e-15));
    CHECK(is_near(tx::atan2(x, -1.0f), std::atan2(x, -1.0), 1e-15));
    CHECK(is_near(tx::fma(x, x, 1.0), x * x + 1, 1e-15));
    CHECK(is_near(tx::gelu(1.5), 1.3997891980967129, 1e-13));
    CHECK(is_near(tx::softplus(-1000), 0.0, 0));
    CHECK(is_near(tx::exp(std::complex<double>(0, x)), std::complex<double>(std::cos(x), std::sin(x)), 1e-15));
    CHECK(tx::abs(std::complex<float>(3, 4)) == 5.0f);
    CHECK(std::isnan(tx::sqrt(-x)));
    CHECK(tx::exp(static_cast<float>(x)) == doctest::Approx(std::exp(static_cast<float>(x))));
}

TEST_CASE("C++ numbers: square roots in constant expressions are rounded once, logarithms good to two units") {
    std::uint64_t bits = 88172645463325252u; // xorshift64 (Marsaglia 2003)
    for (int i = 0; i < 100000; ++i) {
        bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
        double const x = std::bit_cast<double>(bits & ~(std::uint64_t{1} << 63));
        if (!std::isnormal(x)) continue;
        REQUIRE(tx::detail::constant_sqrt(x) == std::sqrt(x));
        REQUIRE(std::abs(tx::detail::constant_log(x) - std::log(x)) <= 4.5e-16 * std::abs(std::log(x)));
    }
}

TEST_CASE("C++ numbers: in a callable they are weak") {
    tx::static_function f{[](auto x) { return x / tx::sqrt(4.0); }};
    tensor<float, shape<2>> const x{1, 3};
    check_values(f(x), tensor<float>{0.5f, 1.5f}, 0);
}

TEST_CASE("spellings: concat<1>, stack<0>, one_hot<3>, a width for each axis") {
    tensor<int, shape<1, 2>> const a{{1, 2}}, b{{3, 4}};
    check_values(tx::concat<1>(a, b), tensor<int>{{1, 2, 3, 4}}, 0);
    check_values(tx::concat<-2>(a, b, a), tensor<int>{{1, 2}, {3, 4}, {1, 2}}, 0);
    check_values(tx::stack<0>(a, b), tensor<int>{{{1, 2}}, {{3, 4}}}, 0);
    check_values(tx::concat<1>(std::tuple(a, b)), tensor<int>{{1, 2, 3, 4}}, 0);
    check_values(tx::one_hot<3, double>(tensor<int, shape<2>>{2, 0}), tensor<double>{{0, 0, 1}, {1, 0, 0}}, 0);
    check_values(tx::one_hot<2>(tensor<int, shape<1>>{1}), tensor<float>{{0, 1}}, 0);
    check_values(tx::pad(a, tx::widths<1>, tx::widths<0, 1>), tensor<int>{{0, 0, 0}, {1, 2, 0}, {0, 0, 0}}, 0);
    check_values(tx::pad(a, tx::widths<0>, tx::widths<1>, 7), tensor<int>{{7, 1, 2, 7}}, 0);
    check_values(tx::pad(a, tx::widths<0, 0>, tx::widths<1, 2>, tx::edge), tensor<int>{{1, 1, 2, 2, 2}}, 0);
    check_values(tx::pad(tensor<int, shape<1, 1, 1>>{{{5}}}, tx::widths<0>, tx::widths<1, 0>, tx::widths<0>),
                 tensor<int>{{{0}, {5}}}, 0);
}
