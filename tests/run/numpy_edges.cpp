// This file tests NumPy's meaning where zeros have signs, axes have no or one element, and integers are large (values of NumPy
// 2.4), for extents that the compiler knows, that the run knows, and for unknown ranks.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

using tx::axis;
using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr float largest_exponent = 1e30f;

bool is_plus_zero(auto const& x) { return x.item() == 0 && !std::signbit(x.item()); }

// check(x) for x as a tensor of each of these kinds of types.
template <class T, std::int64_t N, class Check> void with_each_type(tensor<T, shape<N>> const& x, Check const& check) {
    check(x);
    check(tensor<T, shape<dyn>>(x));
    check(tensor<T>(x));
}

} // namespace

TEST_CASE("NumPy's edges: sums begin with 0, so that of one -0 is 0") {
    with_each_type(tensor<float, shape<1>>{-0.f}, [](auto const& x) {
        CHECK(is_plus_zero(tx::sum(x)));
        CHECK(is_plus_zero(tx::sum(x, axis<0>)));
        CHECK(is_plus_zero(tx::sum(x, axis<0>, tx::keepdims)));
        CHECK(is_plus_zero(tx::mean(x)));
        CHECK(std::signbit(tx::max(x).item()));
        CHECK(std::signbit(tx::prod(x).item()));
        CHECK(std::signbit(tx::cumsum(x).item()));
        tx::function f{[](auto a) { return tx::sum(a); }};
        CHECK(is_plus_zero(f(x)));
        float const one = 1;
        tx::function g{[one](auto a) { return tx::sum(a) * one; }};
        CHECK(is_plus_zero(g(x)));
        CHECK(tx::grad(f)(x).item() == 1);
    });
    tensor<double, shape<2, 1>> const column{{-0.0}, {-0.0}};
    CHECK(!std::signbit(tx::sum<1>(column)(0)));
    CHECK(!std::signbit(tx::sum<0>(column)(0)));
}

TEST_CASE("NumPy's edges: running sums and products are rounded at each step") {
    with_each_type(tensor<float, shape<3>>{largest_exponent, largest_exponent, 1e-30f}, [](auto const& x) {
        auto const products = tx::cumprod(x);
        CHECK(products.data()[0] == largest_exponent);
        CHECK(std::isinf(products.data()[1]));
        CHECK(std::isinf(products.data()[2]));
    });
    with_each_type(tensor<float, shape<2>>{-0.f, -0.f}, [](auto const& x) { CHECK(std::signbit(tx::cumsum(x).data()[1])); });
}

TEST_CASE("NumPy's edges: norms of negative order") {
    with_each_type(tensor<double, shape<2>>{inf, inf}, [](auto const& x) {
        CHECK(tx::norm(x, tx::order<-1>).item() == inf);
        CHECK(tx::norm(x, tx::order<-2>).item() == inf);
        CHECK(tx::norm(x, tx::order_p(-1.5)).item() == inf);
        CHECK(tx::norm(x, tx::order<3>).item() == inf);
    });
    with_each_type(tensor<double, shape<2>>{0, 1}, [](auto const& x) { CHECK(tx::norm(x, tx::order<-1>).item() == 0); });
    with_each_type(tensor<float, shape<2>>{std::numeric_limits<float>::infinity(), 1},
                   [](auto const& x) { CHECK(tx::norm(x, tx::order<-1>).item() == 1); });
    with_each_type(tensor<double, shape<2>>{0, 0}, [](auto const& x) {
        CHECK(tx::norm(x, tx::order<3>).item() == 0);
        CHECK(tx::sum(tx::grad([](auto a) { return tx::norm(a, tx::order<3>); })(x)).item() == 0);
    });
}

TEST_CASE("NumPy's edges: uint64 and signed integers are compared as the numbers they are") {
    std::uint64_t const top = 9223372036854775808u;
    tensor<std::uint64_t, shape<4>> const u{top - 1, top, 0, 7};
    tensor<std::int64_t, shape<4>> const i{9223372036854775806, -1, -5, 7};
    auto const check = [](auto const& a, auto const& b) {
        CHECK(tx::equal(a == b, tensor<bool, shape<4>>{false, false, false, true}));
        CHECK(tx::equal(a != b, tensor<bool, shape<4>>{true, true, true, false}));
        CHECK(tx::equal(a < b, tensor<bool, shape<4>>{false, false, false, false}));
        CHECK(tx::equal(a <= b, tensor<bool, shape<4>>{false, false, false, true}));
        CHECK(tx::equal(a > b, tensor<bool, shape<4>>{true, true, true, false}));
        CHECK(tx::equal(a >= b, tensor<bool, shape<4>>{true, true, true, true}));
        CHECK(tx::equal(b < a, tensor<bool, shape<4>>{true, true, true, false}));
        CHECK(tx::equal(b >= a, tensor<bool, shape<4>>{false, false, false, true}));
    };
    check(u, i);
    check(tensor<std::uint64_t>(u), tensor<std::int64_t>(i));
    tensor<std::int8_t, shape<4>> const small{1, -1, -5, 7};
    CHECK(tx::equal(u == small, tensor<bool, shape<4>>{false, false, false, true}));
    CHECK(tx::equal(small < u, tensor<bool, shape<4>>{true, true, true, false}));
    tx::static_function f{[](auto a, auto b) { return a < b; }};
    CHECK(tx::equal(f(i, u), tensor<bool, shape<4>>{true, true, true, false}));
}

TEST_CASE("NumPy's edges: logsumexp of no elements is -inf") {
    tensor<double, shape<2, 0>> const none{};
    CHECK(tx::equal(tx::logsumexp(none, axis<1>), tensor<double, shape<2>>{-inf, -inf}));
    CHECK(tx::logsumexp(none).item() == -inf);
    CHECK(tx::equal(tx::logsumexp(tensor<double>(none), axis<1>), tensor<double>{-inf, -inf}));
    CHECK(tx::logsumexp(tensor<float>(tx::zeros<float>(shape<0>{}))).item() == -std::numeric_limits<float>::infinity());
}

TEST_CASE_TEMPLATE("NumPy's edges: sinc is exact to four units, also next to its zeros", T, float, double) {
    constexpr T end = std::numeric_limits<T>::infinity();
    tensor<T, shape<4>> const ends{end, -end, std::numeric_limits<T>::quiet_NaN(), T(-0.0)};
    auto const at_ends = tx::sinc(ends);
    for (int k = 0; k < 3; ++k) CHECK(std::isnan(at_ends(k)));
    CHECK(at_ends(3) == 1);

    std::vector<T> numbers(4096);
    T const starts[]{0, T(0.125), T(0.5), 1, 2, 3, 100, 12345.5};
    for (std::size_t i = 0; i < 4096; ++i) { // outwards from each start in growing steps, to both sides
        T const start = starts[i % 8], step = std::ldexp(T(1 + i % 7), static_cast<int>(i / 128) - (sizeof(T) == 4 ? 34 : 60));
        numbers[i] = i / 8 % 2 ? start + step : -(start - step);
    }
    auto const x = tx::from_data<shape<4096>>(numbers.data(), numbers.size());
    auto const y = tx::sinc(x);
    for (int i = 0; i < 4096; ++i) {
        long double const at = x(i), whole = std::nearbyint(at), sign = std::fmod(whole, 2.0L) == 0 ? 1 : -1,
                          pi = 3.14159265358979323846264338327950288L;
        long double const exact = at == 0 ? 1 : sign * std::sin(pi * (at - whole)) / (pi * at);
        CAPTURE(x(i));
        CHECK(std::abs(static_cast<long double>(y(i)) - exact) <= 4 * std::numeric_limits<T>::epsilon() * std::abs(exact));
    }
}

TEST_CASE("NumPy's edges: a NaN is neither the largest nor the smallest, and has no gradient") {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    with_each_type(tensor<double, shape<5>>{nan, -3, nan, 7, -inf}, [&](auto const& x) {
        CHECK(tx::nanmax(x).item() == 7);
        CHECK(tx::nanmin(x).item() == -inf);
        CHECK(std::isnan(tx::nanmax(x * nan).item()));
        CHECK(tx::nanmax(tx::nanmin(x)).item() == -inf); // of no axes
        CHECK(tx::nansum(x).item() == -inf);
        CHECK(tx::nansum(x * nan).item() == 0);
        CHECK(std::isnan(tx::nansum(tensor<double, shape<2>>{inf, -inf}).item()));
        auto const slopes = tx::grad([](auto const& a) { return tx::nanmax(a); })(x);
        auto const counted = tx::grad([](auto const& a) { return tx::nansum(sqrt(a)); })(x); // two of four roots are no numbers
        for (int k = 0; k < 5; ++k) CHECK(slopes.data()[k] == (k == 3));
        for (int k = 0; k < 5; ++k) CHECK(counted.data()[k] == (k == 3 ? 0.5 / std::sqrt(7.0) : 0));
    });
    CHECK(tx::nanmax(tensor<int, shape<2>>{-5, 3}).item() == 3);
    CHECK(tx::nansum(tensor<int, shape<2>>{-5, 3}).item() == -2);
    auto const column = tx::fmax(tensor<float, shape<2, 1>>{{1.f}, {static_cast<float>(nan)}},
                                 tensor<float, shape<1, 2>>{{2.f, static_cast<float>(nan)}});
    CHECK(column(0, 0) == 2);
    CHECK(column(0, 1) == 1);
    CHECK(column(1, 0) == 2);
    CHECK(std::isnan(column(1, 1)));
}

TEST_CASE("NumPy's edges: NaN is the largest and the smallest, also beside a constant and a captured number") {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    auto const check = [&]<class T>(T) {
        T const none = static_cast<T>(nan), half = static_cast<T>(0.5);
        auto x = tensor<T, shape<37>>::uninitialized();
        for (std::int64_t i = 0; i < x.size(); ++i) x.mutable_data()[i] = i % 5 == 0 ? none : static_cast<T>(i % 7 - 3);
        with_each_type(x, [&](auto const& v) {
            auto const agrees = [&](auto const& result, bool is_max, T other) {
                bool all = true;
                for (std::int64_t i = 0; i < v.size(); ++i) {
                    T const a = v.data()[i], r = result.data()[i];
                    if (a != a || other != other) all = all && r != r;
                    else all = all && r == (is_max ? std::max(a, other) : std::min(a, other));
                }
                return all;
            };
            CHECK(agrees(tx::function{[](auto a) { return tx::maximum(a, T(0.5)); }}(v), true, half));
            CHECK(agrees(tx::function{[](auto a) { return tx::maximum(T(0.5), a); }}(v), true, half));
            CHECK(agrees(tx::function{[](auto a) { return tx::minimum(a, T(0.5)); }}(v), false, half));
            for (T const other : {half, none}) {
                tensor<T, shape<>> const captured(other);
                CHECK(agrees(tx::function{[](auto a, auto b) { return tx::maximum(a, b); }}(v, captured), true, other));
                CHECK(agrees(tx::function{[](auto a, auto b) { return tx::minimum(b, a); }}(v, captured), false, other));
            }
        });
    };
    check(float{});
    check(double{});
}
