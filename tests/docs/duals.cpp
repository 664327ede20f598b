// Dual numbers: `tx::dual<T>{value, tangent}` is a number with a derivative for any generic scalar code. It has the operators and the
// functions of <cmath>. These are about numbers; [functions of tensors](reference_functions_of_numbers.html) have pages of their own.
#include <tracexpr/base/dual.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <complex>

using dual = tx::dual<double>;

namespace {
// Both a function's value and its derivative.
bool is(dual const& x, double value, double tangent) {
    return std::abs(x.value - value) < 1e-12 && std::abs(x.tangent - tangent) < 1e-12;
}
} // namespace

TEST_CASE("dual") {
    dual const x{3, 1};
    CHECK(is(x * x + 2, 11, 6));
    CHECK(is(1 / x, 1. / 3, -1. / 9));
    tx::dual<dual> const y{{3, 1}, {1, 0}}; // nested: second derivatives
    CHECK((y * y * y).tangent.tangent == 18);
}

TEST_CASE("fabs, fdim, arg, tgamma") {
    CHECK(is(tx::fabs(dual{-2, 1}), 2, -1));
    CHECK(is(tx::fdim(dual{5, 1}, dual{3, 0}), 2, 1));
    tx::dual<std::complex<double>> const z{{0, 1}, {1, 0}}; // i, and a step along the real axis
    CHECK(is(tx::arg(z), 1.5707963267948966, -1));
    CHECK(tx::tgamma(dual{5, 0}).value == doctest::Approx(24));
}

TEST_CASE("frexp, ldexp, modf, ilogb, logb, scalbn") {
    int exponent = 0;
    CHECK(is(tx::frexp(dual{8, 1}, &exponent), 0.5, 1. / 16));
    CHECK(exponent == 4);
    CHECK(is(tx::ldexp(dual{0.5, 1}, 4), 8, 16));
    CHECK(is(tx::scalbn(dual{1, 1}, 3), 8, 8));
    CHECK(tx::ilogb(dual{8, 1}) == 3);
    CHECK(tx::logb(dual{8, 1}).value == 3);
    dual whole{};
    CHECK(is(tx::modf(dual{2.25, 1}, &whole), 0.25, 1));
    CHECK(whole.value == 2);
}

TEST_CASE("nearbyint, rint, lrint, llrint, lround, llround, nextafter") {
    CHECK(is(tx::nearbyint(dual{2.5, 1}), 2, 0)); // rounding has no slope
    CHECK(is(tx::rint(dual{3.5, 1}), 4, 0));
    CHECK(tx::lrint(dual{2.5, 1}) == 2);
    CHECK(tx::llrint(dual{2.5, 1}) == 2);
    CHECK(tx::lround(dual{2.5, 1}) == 3);
    CHECK(tx::llround(dual{2.5, 1}) == 3);
    CHECK(tx::nextafter(dual{1, 1}, dual{2, 0}).value > 1);
}

TEST_CASE("isnormal, signbit") {
    CHECK(tx::isnormal(dual{1, 0}));
    CHECK(tx::signbit(dual{-1, 0}));
}
