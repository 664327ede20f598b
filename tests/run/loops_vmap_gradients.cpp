// This file tests derivatives of while_loops for each of many examples, which iterate as often as they need: vmap of grad, of
// jvp, of second derivatives, against closed forms and against one example after the other.
#include "kinds_of_traces.hpp"

#include <doctest/doctest.h>

#include <cmath>

using tx::shape;
using tx::tensor;
using tx::testing::in_both_traces;

namespace {

using number = tensor<double, shape<>>;
using vec = tensor<double, shape<5>>;

// The square root, by Newton's method from 1 on: between 1 and 12 iterations.
constexpr auto root = [](auto a) {
    return tx::while_loop([=](auto x) { return tx::abs(x * x - a) > 1e-14 * a; }, [=](auto x) { return 0.5 * (x + a / x); },
                          a * 0.0 + 1.0);
};
// Doubled, and added to, until it is above 100; some examples never.
constexpr auto doubled = [](auto x, auto by) {
    auto const out = tx::while_loop([](auto n, auto s) { return (s < 100.0) && (n < 40); },
                                    [=](auto n, auto s) { return std::tuple(n + 1, s * 2.0 + by * tx::sin(s)); }, 0, x);
    return std::get<1>(out);
};
vec const a{1.5, 2, 100, 1e-4, 3e5};

// As a run traces it: what the compiler makes of these takes it long.
template <class F> auto at_run_time(F const& f) {
    return tx::function{[f, kept = 0](auto const&... x) {
        static_cast<void>(kept);
        return f(x...);
    }};
}
void check(vec const& values, double (*expected)(double), double tolerance) {
    for (int k = 0; k < 5; ++k) CHECK(values(k) == doctest::Approx(expected(a(k))).epsilon(tolerance));
}
double slope_of_root(double x) { return 0.5 / std::sqrt(x); }
double curve_of_root(double x) { return -0.25 * std::pow(x, -1.5); }

template <class F> void same_as_one_by_one(F const& f, vec const& x) {
    auto const one = at_run_time(f);
    vec const y = at_run_time(tx::vmap(f))(x);
    for (int k = 0; k < 5; ++k) CHECK(y(k) == doctest::Approx(one(number(x(k))).item()).epsilon(1e-10));
}

} // namespace

TEST_CASE("vmap of derivatives of while_loops: Newton's method") {
    in_both_traces(tx::vmap(tx::grad(root)), [](auto const& f) { check(f(a), slope_of_root, 1e-6); });
    check(at_run_time(tx::vmap(tx::grad(tx::grad(root))))(a), curve_of_root, 1e-4);
    check(at_run_time(tx::vmap([](auto x) { return tx::jvp(tx::grad(root))(x, x * 0.0 + 1.0).second; }))(a), curve_of_root, 1e-4);
    check(at_run_time(tx::grad([](auto x) { return tx::sum(tx::vmap(tx::grad(root))(x)); }))(a), curve_of_root, 1e-4);
    CHECK(at_run_time(tx::vmap(tx::grad(root)))(vec{1, 2, 1, 1, 1})(0) == 0); // no iteration: the start's
}

TEST_CASE("vmap of derivatives of while_loops: what all examples share") {
    auto const slope = [](auto x) { return tx::grad<0, 1>(doubled)(x, x * 0.0 + 0.5); };
    vec const x{0.3, 200, 7, -1, 50};
    same_as_one_by_one([=](auto v) { return std::get<0>(slope(v)); }, x);
    same_as_one_by_one([=](auto v) { return std::get<1>(slope(v)); }, x);
    // The sum over examples of derivatives with respect to what they share.
    auto const shared = at_run_time([](auto v, auto by) { return tx::vmap<0, tx::none>(tx::grad<1>(doubled))(v, by); });
    auto const one = at_run_time(tx::grad<1>(doubled));
    vec const each = shared(x, number(0.5));
    for (int k = 0; k < 5; ++k) CHECK(each(k) == doctest::Approx(one(number(x(k)), number(0.5)).item()));
}

TEST_CASE("vmap of derivatives of while_loops within scans, and of open extents") {
    auto const twice = [](auto v) {
        return tx::scan([](auto s, auto k) { return std::pair(root(s) + k, s); }, v, tx::stack(tx::axis<0>, v * 0.0 + 1.0, v))
            .first;
    };
    same_as_one_by_one(tx::grad(twice), a);
    using open = tensor<double, shape<tx::dyn>>;
    auto const f = at_run_time(tx::vmap(tx::grad(root)));
    open const slopes = f(open(a));
    for (int k = 0; k < 5; ++k) CHECK(slopes(k) == doctest::Approx(0.5 / std::sqrt(a(k))).epsilon(1e-6));
    CHECK(f(tx::zeros<double, shape<tx::dyn>>(0)).size() == 0);
}
