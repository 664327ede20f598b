// This file tests derivatives where only a convention decides, which is TensorFlow's. They go through tx::grad and the compiled
// kernels.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

namespace {

template <std::int64_t... E> using real = tx::tensor<double, tx::shape<E...>>;
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T, class Shape> std::vector<T> list(tx::tensor<T, Shape> const& x) { return {x.data(), x.data() + x.size()}; }
using doubles = std::vector<double>;

} // namespace

TEST_CASE("kinks: ties go to the first argument of maximum and minimum, evenly to the elements of a reduction") {
    real<3> const a{1, 2, 3}, b{2, 2, 2};
    auto const [first, second] = tx::grad<0, 1>([](auto const& x, auto const& y) { return sum(maximum(x, y)); })(a, b);
    CHECK(list(first) == doubles{0, 1, 1});
    CHECK(list(second) == doubles{1, 0, 0});
    auto const [low, high] = tx::grad<0, 1>([](auto const& x, auto const& y) { return sum(minimum(x, y)); })(a, b);
    CHECK(list(low) == doubles{1, 1, 0});
    CHECK(list(high) == doubles{0, 0, 1});
    real<5> const tied{3, 1, 3, 3, 1};
    CHECK(list(tx::grad([](auto const& x) { return max(x); })(tied)) == doubles{1.0 / 3, 0, 1.0 / 3, 1.0 / 3, 0});
    CHECK(list(tx::grad([](auto const& x) { return min(x); })(tied)) == doubles{0, 0.5, 0, 0, 0.5});
}

TEST_CASE("kinks: abs, norm, hypot, relu and rounding at 0") {
    real<3> const x{0, -2, 3};
    CHECK(list(tx::grad([](auto const& a) { return sum(tx::abs(a)); })(x)) == doubles{0, -1, 1});
    CHECK(list(tx::grad([](auto const& a) { return sum(relu(a)); })(x)) == doubles{0, 0, 1});
    CHECK(list(tx::grad([](auto const& a) { return sum(relu6(a * 2.0)); })(real<4>{0, -2, 2, 3})) == doubles{0, 0, 2, 0});
    CHECK(list(tx::grad([](auto const& a) { return sum(floor(a) + round(a) + sign(a)); })(x)) == doubles{0, 0, 0});
    real<2> const zeros{0, 0};
    CHECK(list(tx::grad([](auto const& a) { return norm(a); })(zeros)) == doubles{0, 0});
    CHECK(list(tx::grad([](auto const& a) { return norm(a, tx::order<1>); })(zeros)) == doubles{0, 0});
    CHECK(list(tx::grad([](auto const& a) { return sum(hypot(a, a)); })(zeros)) == doubles{0, 0});
    std::complex<double> const nothing{};
    tx::tensor<std::complex<double>, tx::shape<1>> const z{nothing};
    CHECK(tx::grad([](auto const& a) { return sum(tx::abs(a)); })(z)(0) == nothing);
}

TEST_CASE("kinks: the deviation of one element, and of equal ones") {
    CHECK(list(tx::grad([](auto const& a) { return tx::std(a); })(real<1>{5})) == doubles{0});
    CHECK(list(tx::grad([](auto const& a) { return tx::var(a); })(real<1>{5})) == doubles{0});
    real<2, 2> const rows{{3, 3}, {1, 3}};
    CHECK(list(tx::grad([](auto const& a) { return sum(tx::std(a, tx::axis<1>)); })(rows)) == doubles{0, 0, -0.5, 0.5});
    CHECK(list(tx::grad([](auto const& a) { return sum(tx::nanstd(a, tx::axis<1>)); })(rows)) == doubles{0, 0, -0.5, 0.5});
    CHECK(list(tx::hessian([](auto const& a) { return tx::std(a); })(real<2>{3, 3})) == doubles{0, 0, 0, 0});
    auto const [value, change] = tx::jvp([](auto const& a) { return tx::std(a, tx::axis<1>); })(rows, real<2, 2>{{1, 2}, {1, 2}});
    CHECK(list(value) == doubles{0, 1});
    CHECK(list(change) == doubles{0, 0.5});
    tx::tensor<double> const open(rows);
    tx::gradient_tape tape;
    tape.watch(open);
    auto const deviations = sum(tx::std(open, tx::axis<1>));
    CHECK(list(tape.gradient(deviations, open)) == doubles{0, 0, -0.5, 0.5});
    CHECK(std::isnan(tx::std(real<1>{5}, tx::ddof<1>).item())); // 0 / 0
}

TEST_CASE("kinks: second derivatives at 0 are 0, too") {
    real<2> const zeros{0, 0};
    auto const curvature = [&](auto const& f) { return list(tx::hessian(f)(zeros)); };
    doubles const none{0, 0, 0, 0};
    CHECK(curvature([](auto const& a) { return norm(a); }) == none);
    CHECK(curvature([](auto const& a) { return exp(-norm(a)); }) == none);
    CHECK(curvature([](auto const& a) { return norm(a, tx::order<3>); }) == none);
    CHECK(list(tx::grad([](auto const& a) { return sum(tx::grad([](auto const& b) { return norm(b); })(a)); })(zeros)) == doubles{0, 0});
    using complex = std::complex<double>;
    tx::tensor<complex, tx::shape<1>> const origin{complex{}}, step{complex{1, 1}};
    auto const change = tx::jvp(tx::grad([](auto const& z) { return sum(abs(z)); }))(origin, step).second;
    CHECK(change(0) == complex{});
}

TEST_CASE("kinks: what where doesn't take gets exactly 0, however infinite its slope") {
    real<3> const x{0, -1, 4};
    CHECK(list(tx::grad([](auto const& a) { return sum(where(a > 0, sqrt(a), a)); })(x)) == doubles{1, 1, 0.25});
    CHECK(list(tx::grad([](auto const& a) { return sum(where(a > 0, log(a), 0)); })(x)) == doubles{0, 0, 0.25});
    CHECK(list(tx::grad([](auto const& a) { return sum(where(a > 0, 1 / a, 0) * 2.0); })(x)) == doubles{0, 0, -0.125});
    CHECK(list(tx::grad([](auto const& a) { return sum(where(a > 0, exp(log(a) * 0.5), 0)); })(x)) == doubles{0, 0, 0.25});
    auto const slope = [](auto const& a) { return sum(tx::grad([](auto const& b) { return sum(where(b > 0, sqrt(b), b)); })(a)); };
    CHECK(list(tx::grad(slope)(x)) == doubles{0, 0, -0.03125});
}

TEST_CASE("kinks: what where doesn't take gets exactly 0 in forward mode, too") {
    // The change of sqrt(a) * b is infinite at 0, and twice that is masked.
    auto const f = [](auto const& a, auto const& b) { return where(a > 0, sqrt(a) * b * 2.0, 0); };
    real<2> const a{0, 4}, b{1, 3}, step{1, 1};
    CHECK(list(tx::jvp(f)(a, b, step, step).second) == doubles{0, 5.5});
    auto const [by_a, by_b] = tx::jacfwd<0, 1>([&](auto const& x, auto const& y) { return sum(f(x, y)); })(a, b);
    CHECK(list(by_a) == doubles{0, 1.5});
    CHECK(list(by_b) == doubles{0, 4});
    auto const larger = [](auto const& x, auto const& y) { return maximum(sqrt(x) * y * 2.0, 1.0); };
    CHECK(list(tx::jvp(larger)(a, b, step, step).second) == doubles{0, 5.5});
}

TEST_CASE("kinks: the slopes of a quotient's logarithm don't pass through the quotient") {
    auto const f = [](auto const& a, auto const& b) { return log(a / b); };
    double const large = 1e300, small = 1e-300;
    auto const [by_a, by_b] = tx::grad<0, 1>(f)(large, small);
    CHECK(by_a.item() == 1 / large);
    CHECK(by_b.item() == -1 / small);
    CHECK(tx::jvp(f)(large, small, large, 0.0).second.item() == 1);
    auto const second = tx::hessian<0, 1>(f)(2.0, 4.0);
    CHECK(std::get<0>(std::get<0>(second)).item() == -0.25);
    CHECK(std::get<1>(std::get<0>(second)).item() == 0);
    CHECK(std::get<1>(std::get<1>(second)).item() == 0.0625);
    // The quotient itself as a source.
    tx::gradient_tape tape;
    tx::tensor<double, tx::shape<>> const x{6}, y{3};
    tape.watch(x);
    auto const quotient = x / y, z = log(quotient);
    CHECK(tape.gradient(z, quotient).item() == 0.5);
}

TEST_CASE("kinks: infinite slopes are IEEE's") {
    real<2> const x{0, 4};
    CHECK(list(tx::grad([](auto const& a) { return sum(sqrt(a)); })(x)) == doubles{infinity, 0.25});
    CHECK(list(tx::grad([](auto const& a) { return sum(cbrt(a)); })(real<1>{0})) == doubles{infinity});
    CHECK(list(tx::grad([](auto const& a) { return sum(log(a)); })(x)) == doubles{infinity, 0.25});
}

TEST_CASE("kinks: powers of 0 and with whole exponents") {
    real<3> const x{0, -2, 3};
    CHECK(list(tx::grad([](auto const& a) { return sum(pow(a, 0)); })(x)) == doubles{0, 0, 0});
    CHECK(list(tx::grad([](auto const& a) { return sum(pow(a, 1)); })(x)) == doubles{1, 1, 1});
    CHECK(list(tx::grad([](auto const& a) { return sum(pow(a, 2)); })(x)) == doubles{0, -4, 6});
    CHECK(list(tx::grad([](auto const& a) { return sum(pow(a, 3)); })(x)) == doubles{0, 12, 27});
    CHECK(list(tx::grad([](auto const& a) { return sum(pow(a, -1)); })(real<2>{2, -4})) == doubles{-0.25, -0.0625});
    real<4> const base{0, 0, 0, 2}, exponent{0, 1, 2, 0};
    auto const [by_base, by_exponent] = tx::grad<0, 1>([](auto const& a, auto const& b) { return sum(pow(a, b)); })(base, exponent);
    CHECK(list(by_base) == doubles{0, 1, 0, 0});
    CHECK(list(by_exponent) == doubles{0, 0, 0, std::log(2.0)});
    auto const second = [](auto const& a) { return sum(tx::grad([](auto const& b) { return sum(pow(b, 2)); })(a)); };
    CHECK(list(tx::grad(second)(x)) == doubles{2, 2, 2});
}

TEST_CASE("kinks: the gradient of a real loss by a complex number is conjugate") {
    using complex = std::complex<double>;
    tx::tensor<complex, tx::shape<1>> const z{complex(3, 3)};
    CHECK(std::get<0>(tx::vjp([](auto const& a) { return a * a; })(z, tx::tensor<complex, tx::shape<1>>{complex(1, 0)}))(0) == complex(6, -6));
    CHECK(tx::grad([](auto const& a) { return sum(square(tx::abs(a))); })(z)(0).real() == doctest::Approx(6));
    CHECK(tx::grad([](auto const& a) { return sum(square(tx::abs(a))); })(z)(0).imag() == doctest::Approx(6));
    CHECK(tx::grad([](auto const& a) { return sum(imag(a)); })(z)(0) == complex(0, 1));
}

TEST_CASE("kinks: large inputs neither overflow nor vanish") {
    real<4> const x{1000, -1000, 30, 0};
    auto const slopes = tx::grad([](auto const& a) { return sum(softplus(a)); })(x);
    CHECK(slopes(0) == 1);
    CHECK(slopes(1) == 0);
    CHECK(slopes(2) == doctest::Approx(1 / (1 + std::exp(-30.0))));
    CHECK(slopes(3) == 0.5);
    CHECK(list(tx::grad([](auto const& a) { return sum(silu(a)); })(real<2>{1000, -1000})) == doubles{1, 0});
    CHECK(list(tx::grad([](auto const& a) { return sum(elu(a)); })(real<2>{1000, -1000})) == doubles{1, 0});
    CHECK(list(tx::grad([](auto const& a) { return logsumexp(a); })(real<3>{1000, 1000, -1000})) == doubles{0.5, 0.5, 0});
    CHECK(list(tx::grad([](auto const& a) { return sum(log_softmax(a) * a); })(real<2>{1000, 1000}))[0] == doctest::Approx(-std::log(2.0)));
    CHECK(list(tx::grad([](auto const& a) { return logsumexp(a); })(real<2>{-infinity, 0})) == doubles{0, 1});
    auto const [a, b] = tx::grad<0, 1>([](auto const& p, auto const& q) { return sum(atan2(p, q)); })(real<1>{1e200}, real<1>{1e200});
    CHECK(a(0) == doctest::Approx(0.5e-200));
    CHECK(b(0) == doctest::Approx(-0.5e-200));
}

TEST_CASE("kinks: sinc around 0, to the second order") {
    constexpr double pi = 3.14159265358979323846;
    real<7> const x{0, 1e-8, 0.1, -0.124, 0.126, 1, -2.3};
    auto const slope = [](auto const& a) { return tx::grad([](auto const& b) { return sum(sinc(b)); })(a); };
    auto const y = sinc(x), first = slope(x), second = tx::grad([&](auto const& a) { return sum(slope(a)); })(x);
    CHECK(list(y)[0] == 1);
    CHECK(list(first)[0] == 0);
    for (int k = 0; k < 2; ++k) CHECK(second(k) == doctest::Approx(-pi * pi / 3).epsilon(1e-15));
    CHECK(first(1) == doctest::Approx(-pi * pi / 3 * 1e-8).epsilon(1e-14));
    for (int k = 2; k < 7; ++k) {
        CAPTURE(x(k));
        CHECK(y(k) == doctest::Approx(std::sin(pi * x(k)) / (pi * x(k))).epsilon(1e-14));
        CHECK(first(k) == doctest::Approx((std::cos(pi * x(k)) - y(k)) / x(k)).epsilon(1e-11));
        CHECK(second(k) == doctest::Approx(-pi * pi * y(k) - 2 * first(k) / x(k)).epsilon(1e-11));
    }
    CHECK(sinc(1.0 * real<2>{3, 1e17})(0) == 0); // whole numbers are its zeros
}
