// Comparisons, logic and bits: element by element, with broadcasting. Comparisons and logic give bool.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

using vec = tx::tensor<float, tx::shape<3>>;
using ints = tx::tensor<int, tx::shape<3>>;
using flags = tx::tensor<bool, tx::shape<3>>;

TEST_CASE("operator==, operator!=") {
    vec const x{1, 2, 3};
    CHECK(tx::equal(x == vec{1, 0, 3}, flags{true, false, true})); // a tensor; tx::equal is one bool
    CHECK(tx::equal(x != 2, flags{true, false, true}));
}

TEST_CASE("operator<, operator<=, operator>, operator>=") {
    vec const x{1, 2, 3};
    CHECK(tx::equal(x < 2, flags{true, false, false}));
    CHECK(tx::equal(x <= 2, flags{true, true, false}));
    CHECK(tx::equal(x > 2, flags{false, false, true}));
    CHECK(tx::equal(x >= 2, flags{false, true, true}));
}

TEST_CASE("equal") {
    CHECK(tx::equal(vec{1, 2, 3}, vec{1, 2, 3})); // dtype, shape and all elements
    CHECK(!tx::equal(vec{1, 2, 3}, vec{1, 2, 4}));
}

TEST_CASE("array_equal") {
    CHECK(tx::array_equal(vec{1, 2, 3}, ints{1, 2, 3}).item()); // the elements' values
    CHECK(!tx::array_equal(vec{1, 2, NAN}, vec{1, 2, NAN}).item());
    CHECK(tx::array_equal(vec{1, 2, NAN}, vec{1, 2, NAN}, true).item()); // NaN equals NaN
}

TEST_CASE("isclose, allclose, closeness") {
    vec const x{1, 2, 3}, y{1, 2.0001f, 3};
    CHECK(tx::equal(tx::isclose(x, y), flags{true, false, true})); // |x - y| <= atol + rtol |y|
    CHECK(tx::allclose(x, y, {.rtol = 1e-3}).item());
    CHECK(!tx::allclose(x, y, tx::closeness{.rtol = 0, .atol = 1e-5}).item());
}

TEST_CASE("isnan, isinf, isfinite") {
    vec const x{NAN, INFINITY, 1};
    CHECK(tx::equal(tx::isnan(x), flags{true, false, false}));
    CHECK(tx::equal(tx::isinf(x), flags{false, true, false}));
    CHECK(tx::equal(tx::isfinite(x), flags{false, false, true}));
}

TEST_CASE("where") {
    vec const x{-1, 0, 2};
    CHECK(tx::equal(tx::where(x > 0, x, 0), vec{0, 0, 2})); // condition ? a : b
}

TEST_CASE("logical_and, logical_or, logical_xor, logical_not") {
    flags const a{true, true, false}, b{true, false, false};
    CHECK(tx::equal(tx::logical_and(a, b), flags{true, false, false}));
    CHECK(tx::equal(tx::logical_or(a, b), flags{true, true, false}));
    CHECK(tx::equal(tx::logical_xor(a, b), flags{false, true, false}));
    CHECK(tx::equal(tx::logical_not(a), flags{false, false, true}));
}

TEST_CASE("operator&&, operator||, operator!") {
    vec const x{1, 2, 3};
    CHECK(tx::equal(x > 1 && x < 3, flags{false, true, false})); // both sides are computed
    CHECK(tx::equal(x < 2 || x > 2, flags{true, false, true}));
    CHECK(tx::equal(!(x > 1), flags{true, false, false}));
}

TEST_CASE("operator&, operator|, operator^, operator~, bitwise_not") {
    ints const x{1, 2, 7};
    CHECK(tx::equal(x & 3, ints{1, 2, 3}));
    CHECK(tx::equal(x | 4, ints{5, 6, 7}));
    CHECK(tx::equal(x ^ 1, ints{0, 3, 6}));
    CHECK(tx::equal(~x, ints{-2, -3, -8}));
    CHECK(tx::equal(tx::bitwise_not(x), ~x));
}

TEST_CASE("operator<<, operator>>") {
    ints const x{1, 2, 8};
    CHECK(tx::equal(x << 2, ints{4, 8, 32}));
    CHECK(tx::equal(x >> 1, ints{0, 1, 4}));
}

TEST_CASE("operator&=, operator|=, operator^=, operator<<=, operator>>=") {
    ints x{1, 2, 7};
    x &= 3;
    x |= 8;
    CHECK(tx::equal(x, ints{9, 10, 11}));
    x ^= 1;
    x <<= 2;
    x >>= 1;
    CHECK(tx::equal(x, ints{16, 22, 20}));
}

TEST_CASE("bitwise_count, population_count") {
    tx::tensor<std::int8_t, tx::shape<2>> const x{7, -1};
    CHECK(tx::equal(tx::bitwise_count(x), tx::tensor<std::uint8_t, tx::shape<2>>{3, 1}));   // the ones of |x|: NumPy's
    CHECK(tx::equal(tx::population_count(x), tx::tensor<std::int8_t, tx::shape<2>>{3, 8})); // those of its pattern: JAX's
}

TEST_CASE("count_leading_zeros, count_trailing_zeros") {
    tx::tensor<std::uint8_t, tx::shape<3>> const x{1, 8, 0};
    CHECK(tx::equal(tx::count_leading_zeros(x), tx::tensor<std::uint8_t, tx::shape<3>>{7, 4, 8}));
    CHECK(tx::equal(tx::count_trailing_zeros(x), tx::tensor<std::uint8_t, tx::shape<3>>{0, 3, 8}));
}
