// Arithmetic: element by element, with NumPy's broadcasting. Operands are tensors, what functions trace, and C++ numbers; these
// take on the dtype of the tensors that they meet.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <limits>

using vec = tx::tensor<float, tx::shape<3>>;
using ints = tx::tensor<int, tx::shape<3>>;

TEST_CASE("add, operator+") {
    vec const x{1, 2, 3};
    CHECK(tx::equal(tx::add(x, 10), vec{11, 12, 13}));
    CHECK(tx::equal(x + x, vec{2, 4, 6}));
    tx::tensor<float, tx::shape<2, 1>> const column{{10}, {20}};
    CHECK(tx::equal(column + x, tx::tensor<float, tx::shape<2, 3>>{{11, 12, 13}, {21, 22, 23}})); // (2, 1) + (3) -> (2, 3)
}

TEST_CASE("subtract, operator-") {
    vec const x{1, 2, 3};
    CHECK(tx::equal(tx::subtract(10, x), vec{9, 8, 7}));
    CHECK(tx::equal(x - x, vec{0, 0, 0}));
    CHECK(tx::equal(-x, vec{-1, -2, -3}));
}

TEST_CASE("multiply, operator*") {
    vec const x{1, 2, 3};
    CHECK(tx::equal(tx::multiply(x, 2), vec{2, 4, 6}));
    CHECK(tx::equal(x * x, vec{1, 4, 9}));
}

TEST_CASE("divide, operator/") {
    CHECK(tx::equal(tx::divide(vec{1, 2, 3}, 2), vec{0.5, 1, 1.5}));
    CHECK(tx::equal(ints{1, 2, 3} / 2, tx::tensor<double, tx::shape<3>>{0.5, 1, 1.5})); // integers give float64
}

TEST_CASE("floor_divide") { CHECK(tx::equal(tx::floor_divide(ints{7, -7, 6}, 2), ints{3, -4, 3})); }

TEST_CASE("remainder, operator%") {
    CHECK(tx::equal(tx::remainder(ints{7, -7, 6}, 3), ints{1, 2, 0})); // the sign of the divisor, as in Python
    CHECK(tx::equal(ints{7, -7, 6} % 3, ints{1, 2, 0}));
}

TEST_CASE("fmod") { CHECK(tx::equal(tx::fmod(ints{7, -7, 6}, 3), ints{1, -1, 0})); } // the sign of the dividend, as in C

TEST_CASE("operator+=, operator-=, operator*=, operator/=, operator%=") {
    vec x{1, 2, 3};
    x += 1; // keeps the dtype and the shape of x
    CHECK(tx::equal(x, vec{2, 3, 4}));
    x -= vec{1, 1, 1};
    x *= 6;
    x /= 2;
    CHECK(tx::equal(x, vec{3, 6, 9}));
    x %= 5;
    CHECK(tx::equal(x, vec{3, 1, 4}));
    tx::tensor<float> open{1, 2, 3};
    CHECK_THROWS_AS((open += tx::tensor<float>{1, 2}), tx::shape_error);
}

TEST_CASE("negative") { CHECK(tx::equal(tx::negative(vec{1, -2, 0}), vec{-1, 2, 0})); }

TEST_CASE("abs") {
    CHECK(tx::equal(tx::abs(vec{1, -2, 0}), vec{1, 2, 0}));
    CHECK(tx::abs(tx::tensor<std::complex<float>, tx::shape<>>(std::complex(3.f, 4.f))).item() == 5); // real, of complex numbers
}

TEST_CASE("sign") { CHECK(tx::equal(tx::sign(vec{5, -2, 0}), vec{1, -1, 0})); }

TEST_CASE("square") { CHECK(tx::equal(tx::square(vec{1, -2, 3}), vec{1, 4, 9})); }

TEST_CASE("sqrt") { CHECK(tx::equal(tx::sqrt(vec{1, 4, 9}), vec{1, 2, 3})); }

TEST_CASE("rsqrt") { CHECK(tx::allclose(tx::rsqrt(vec{1, 4, 16}), vec{1, 0.5, 0.25}).item()); }

TEST_CASE("cbrt") { CHECK(tx::allclose(tx::cbrt(vec{1, -8, 27}), vec{1, -2, 3}).item()); }

TEST_CASE("reciprocal") { CHECK(tx::equal(tx::reciprocal(vec{1, 2, 4}), vec{1, 0.5, 0.25})); }

TEST_CASE("pow") {
    CHECK(tx::allclose(tx::pow(vec{1, 2, 3}, 3), vec{1, 8, 27}).item());
    CHECK(tx::equal(tx::pow(ints{1, 2, 3}, ints{3, 2, 1}), ints{1, 4, 3}));
}

TEST_CASE("hypot") { CHECK(tx::allclose(tx::hypot(vec{3, 5, 8}, vec{4, 12, 15}), vec{5, 13, 17}).item()); }

TEST_CASE("fma") { CHECK(tx::equal(tx::fma(vec{1, 2, 3}, 2, 1), vec{3, 5, 7})); }

TEST_CASE("lerp") { CHECK(tx::equal(tx::lerp(vec{0, 2, 4}, vec{1, 4, 8}, 0.5), vec{0.5, 3, 6})); }

TEST_CASE("clip") { CHECK(tx::equal(tx::clip(vec{-1, 0.5, 2}, 0, 1), vec{0, 0.5, 1})); }

TEST_CASE("maximum, minimum") {
    CHECK(tx::equal(tx::maximum(vec{1, 5, 3}, 2), vec{2, 5, 3}));
    CHECK(tx::equal(tx::minimum(vec{1, 5, 3}, 2), vec{1, 2, 2}));
}

TEST_CASE("fmax, fmin") {
    vec const x{NAN, 5, 3};
    CHECK(tx::equal(tx::fmax(x, 4), vec{4, 5, 4})); // tx::maximum would give NaN
    CHECK(tx::equal(tx::fmin(x, 4), vec{4, 4, 3}));
}

TEST_CASE("copysign") { CHECK(tx::equal(tx::copysign(vec{1, -2, 3}, -1), vec{-1, -2, -3})); }

TEST_CASE("nan_to_num, replacements") {
    vec const x{NAN, INFINITY, 1};
    CHECK(tx::equal(tx::nan_to_num(x), vec{0, std::numeric_limits<float>::max(), 1}));
    CHECK(tx::equal(tx::nan_to_num(x, tx::replacements{.nan = -1, .posinf = 100}), vec{-1, 100, 1}));
}

TEST_CASE("floor, ceil, round, trunc") {
    vec const x{-1.5, 0.5, 2.7f};
    CHECK(tx::equal(tx::floor(x), vec{-2, 0, 2}));
    CHECK(tx::equal(tx::ceil(x), vec{-1, 1, 3}));
    CHECK(tx::equal(tx::round(x), vec{-2, 0, 3})); // half to even
    CHECK(tx::equal(tx::trunc(x), vec{-1, 0, 2}));
}

TEST_CASE("cast") {
    CHECK(tx::equal(tx::cast<int>(vec{1.5, -2.5, 3}), ints{1, -2, 3}));
    CHECK(tx::equal(tx::cast<bool>(vec{1.5, 0, 3}), tx::tensor<bool, tx::shape<3>>{true, false, true}));
}

TEST_CASE("real, imag, conj") {
    using complex = std::complex<float>;
    tx::tensor<complex, tx::shape<2>> const z{complex(1, 2), complex(3, -4)};
    CHECK(tx::equal(tx::real(z), tx::tensor<float, tx::shape<2>>{1, 3}));
    CHECK(tx::equal(tx::imag(z), tx::tensor<float, tx::shape<2>>{2, -4}));
    CHECK(tx::equal(tx::conj(z), tx::tensor<complex, tx::shape<2>>{complex(1, -2), complex(3, 4)}));
}
