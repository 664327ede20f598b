#include <tracexpr/base/dual.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <sstream>
#include <vector>

using tx::dual;
using twice = dual<dual<double>>;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// f on double, on dual against central differences of f, on nested duals against those of the dual's tangent. (Abramowitz and Stegun 25.3.6)
template <class F> void check(F f, double x, double h = 0x1p-9) {
    CAPTURE(x);
    dual<double> const y = f(dual<double>(x, 1));
    CHECK(y.value == doctest::Approx(static_cast<double>(f(x))).epsilon(1e-15));
    auto const slope = [&](auto const& g) { return (8 * (g(x + h) - g(x - h)) - (g(x + 2 * h) - g(x - 2 * h))) / (12 * h); };
    CHECK(y.tangent == doctest::Approx(slope(f)).epsilon(1e-7));
    twice const z = f(twice{{x, 1}, {1, 0}});
    CHECK(z.value.tangent == doctest::Approx(y.tangent));
    CHECK(z.tangent.value == doctest::Approx(y.tangent));
    CHECK(z.tangent.tangent == doctest::Approx(slope([&](double at) { return f(dual<double>(at, 1)).tangent; })).epsilon(1e-6));
}

struct function {
    double low, high;
    void (*check)(double);
};
using namespace std; // as generic code calls: those of double here, those of dual by their arguments
#define FUNCTION(low, high, ...) function{low, high, [](double at) { check([](auto x) { return __VA_ARGS__; }, at); }}
function const functions[]{
    FUNCTION(0.4, 5, sqrt(x)), FUNCTION(0.4, 5, cbrt(x)), FUNCTION(-2, 3, exp(x)), FUNCTION(-2, 3, exp2(x)), FUNCTION(-2, 3, expm1(x)),
    FUNCTION(0.4, 5, log(x)), FUNCTION(0.4, 5, log2(x)), FUNCTION(0.4, 5, log10(x)), FUNCTION(-0.5, 5, log1p(x)),
    FUNCTION(-4, 4, sin(x)), FUNCTION(-4, 4, cos(x)), FUNCTION(-1.1, 1.1, tan(x)), FUNCTION(-0.7, 0.7, asin(x)), FUNCTION(-0.7, 0.7, acos(x)), FUNCTION(-4, 4, atan(x)),
    FUNCTION(-3, 3, sinh(x)), FUNCTION(-3, 3, cosh(x)), FUNCTION(-3, 3, tanh(x)), FUNCTION(-4, 4, asinh(x)), FUNCTION(1.4, 4, acosh(x)), FUNCTION(-0.7, 0.7, atanh(x)),
    FUNCTION(-2, 2, erf(x)), FUNCTION(-2, 2, erfc(x)), FUNCTION(0.5, 6, lgamma(x)), FUNCTION(0.5, 4, tgamma(x)),
    FUNCTION(0.4, 3, pow(x, x)), FUNCTION(-3, -0.5, pow(x, 3)), FUNCTION(0.4, 3, pow(x, -1.5)), FUNCTION(-2, 2, pow(2.0, x)), FUNCTION(-3, 3, atan2(x, 0.5)), FUNCTION(0.4, 3, atan2(-1.0, x)),
    FUNCTION(-3, -0.5, hypot(x, 0.7)), FUNCTION(0.5, 3, hypot(1.0, x)), FUNCTION(0.5, 3, hypot(x, x * x, 0.3)), FUNCTION(-3, 3, fma(x, x, x)), FUNCTION(0.65, 0.85, fmod(x * x, 0.3 * x)),
    FUNCTION(0.62, 0.7, remainder(x, 0.4)), FUNCTION(0.3, 3, abs(x) * fabs(x)), FUNCTION(-3, -0.3, fabs(x) * x), FUNCTION(0.3, 3, copysign(x * x, -1.0)),
    FUNCTION(0.6, 3, fmax(x, 0.5) + fmin(0.5, x)), FUNCTION(0.6, 3, fdim(x * x, 0.3) + fdim(0.1, x)), FUNCTION(0.6, 0.9, floor(x) + ceil(x) * x + trunc(x) + round(x) + nearbyint(x) + rint(x)),
    FUNCTION(0.6, 3, ldexp(x, 3) * scalbn(x, -1)), FUNCTION(0.6, 3, 1 / x + 2 - x * 3 + (x - 1) / (x * x)), FUNCTION(0.6, 3, -x + +x * x),
};

// A root by Newton's iterations, generic scalar code: its derivative comes along.
template <class T> T newton_root(T const& a) {
    T x = a;
    for (int i = 0; i < 60; ++i) x -= (x * x - a) / (2 * x);
    return x;
}

} // namespace

TEST_CASE("dual: every function of one dual argument, orders 1 and 2") {
    for (function const& f : functions)
        for (int i = 0; i <= 4; ++i) {
            CAPTURE(&f - functions);
            f.check(f.low + (f.high - f.low) * (i + 0.03) / 4.1);
        }
}

TEST_CASE("dual: generic scalar code, and third derivatives") {
    dual<double> const root = newton_root(dual<double>(2, 1));
    CHECK(root.value == doctest::Approx(std::sqrt(2.0)));
    CHECK(root.tangent == doctest::Approx(0.5 / std::sqrt(2.0)));
    dual<twice> const x{twice{{2, 1}, {1, 0}}, twice{{1, 0}, {0, 0}}};
    CHECK((x * x * x * x).tangent.tangent.tangent == 48);
    CHECK(exp(x).tangent.tangent.tangent == doctest::Approx(std::exp(2.0)));
    dual<float> const narrow{3.f, 1.f};
    CHECK((narrow * narrow).tangent == 6.f);
    CHECK(sin(dual<long double>(1.0L, 1.0L)).tangent == std::cos(1.0L));
    CHECK(dual(2.0, 1).value == 2.0);
}

TEST_CASE("dual: conventions at kinks") {
    using number = dual<double>;
    CHECK(abs(number(0, 1)).tangent == 0);
    CHECK(hypot(number(0, 1), number(0, 1)).tangent == 0);
    CHECK(fmax(number(1, 2), number(1, 3)).tangent == 2);
    CHECK(fmin(number(1, 2), number(1, 3)).tangent == 2);
    CHECK(pow(number(0, 1), 0).tangent == 0);
    CHECK(pow(number(0, 1), 1).tangent == 1);
    CHECK(pow(number(0, 1), 2).tangent == 0);
    CHECK(pow(0.0, number(2, 1)).tangent == 0);
    CHECK(sqrt(number(0, 1)).tangent == infinity);
    CHECK(fmax(number(std::numeric_limits<double>::quiet_NaN(), 1), number(2, 5)).tangent == 5);
}

TEST_CASE("dual: comparisons and questions look at values") {
    using number = dual<double>;
    CHECK(number(1, 2) == number(1, 3));
    CHECK(number(1, 2) != 2);
    CHECK(number(1, 9) < 2.0);
    CHECK(3 > number(1, 9));
    CHECK(number(2, 0) <= 2);
    CHECK(number(2, 0) >= 2);
    CHECK(isnan(number(std::nan(""), 0)));
    CHECK(isinf(twice(infinity)));
    CHECK(isfinite(number(1, 1)));
    CHECK(isnormal(number(1, 1)));
    CHECK(signbit(number(-0.0, 1)));
    CHECK(lround(number(2.6, 1)) == 3);
    CHECK(ilogb(number(9, 1)) == 3);
    int exponent = 0;
    number const part = frexp(number(12, 16), &exponent);
    CHECK(part.value == 0.75);
    CHECK(part.tangent == 1);
    CHECK(exponent == 4);
    number whole;
    CHECK(modf(number(2.5, 3), &whole).tangent == 3);
    CHECK(whole.value == 2);
    CHECK(nextafter(number(1, 4), 2.0).tangent == 4);
    CHECK(static_cast<double>(number(2.5, 3)) == 2.5);
    CHECK(static_cast<int>(twice(2.5)) == 2);
    number sum = 1;
    sum += number(2, 1), sum *= 3, sum -= 1, sum /= 2;
    CHECK(sum.value == 4);
    CHECK(sum.tangent == 1.5);
}

TEST_CASE("dual: complex values") {
    using complex = std::complex<double>;
    complex const z(0.6, 0.8), d(0.3, -0.2);
    dual<complex> const x(z, d);
    double const h = 1e-5;
    auto const agree = [&](auto f) {
        complex const want = (f(z + h * d) - f(z - h * d)) / (2 * h);
        CHECK(std::abs(f(x).tangent - want) < 1e-8);
    };
    agree([](auto a) { return exp(a) * a / (a + complex(2)); });
    agree([](auto a) { return sqrt(a) + log(a) + sin(a) * cosh(a); });
    agree([](auto a) { return pow(a, complex(1.5, 0.5)); });
    agree([](auto a) { return conj(a) * a; });
    agree([](auto a) { return abs(a) + arg(a) * real(a) * imag(a); });
    CHECK(norm(x).tangent == doctest::Approx(2 * (0.6 * 0.3 - 0.8 * 0.2)));
}

TEST_CASE("dual: limits and printing") {
    using limits = std::numeric_limits<dual<double>>;
    static_assert(limits::is_specialized && limits::digits == 53);
    CHECK(limits::max().value == std::numeric_limits<double>::max());
    CHECK(limits::infinity() == infinity);
    CHECK(std::numeric_limits<twice>::epsilon() == std::numeric_limits<double>::epsilon());
    std::ostringstream out;
    out << dual<float>{3.f, 1.f} << ' ' << twice{{1, 2}, {3, 4}};
    CHECK(out.str() == "dual(3, 1) dual(dual(1, 2), dual(3, 4))");
}
