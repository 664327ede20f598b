#include <math_checks.hpp>

#include <random>

using namespace math_reference;

TEST_CASE_TEMPLATE("math: functions of one argument stay within their units", T, float, double) {
    std::vector<T> const x = sweep<T>(8009);
    for_each_unary([&x](std::string_view name, auto f, auto reference) { check_unary(name, f, reference, x); });
}

TEST_CASE_TEMPLATE("math: functions of two arguments stay within their units", T, float, double) {
    std::vector<T> x, y;
    std::mt19937_64 random(9);
    for (int i = 0; i < 1 << 17; ++i) {
        x.push_back(random_argument<T>(random));
        y.push_back(i % 4 == 0 ? x.back() * (1 + random_argument<T>(random) * std::numeric_limits<T>::epsilon())
                               : random_argument<T>(random));
    }
    for_each_binary([&](std::string_view name, auto f, auto reference) { check_binary(name, f, reference, x, y); });
}

TEST_CASE_TEMPLATE("math: functions of two arguments at zeros, ones, infinities and the ends of the range", T, float, double) {
    using limits = std::numeric_limits<T>;
    std::vector<T> const values{0,
                                T(0.5),
                                1,
                                T(1.5),
                                2,
                                3,
                                1e9f,
                                limits::min(),
                                limits::denorm_min(),
                                limits::max(),
                                limits::infinity(),
                                limits::quiet_NaN()};
    std::vector<T> x, y;
    for (T a : values)
        for (T b : values)
            for (int signs = 0; signs < 4; ++signs) {
                x.push_back(signs & 1 ? -a : a);
                y.push_back(signs & 2 ? -b : b);
            }
    x.resize(x.size() / 64 * 64 + 64);
    y.resize(x.size(), T(1));
    for_each_binary([&](std::string_view name, auto f, auto reference) { check_binary(name, f, reference, x, y); });
}

TEST_CASE_TEMPLATE("math: batches and single numbers agree on special values", T, float, double) {
    using limits = std::numeric_limits<T>;
    std::vector<T> x{0, 1, 2, limits::infinity(), limits::quiet_NaN(), limits::max(), limits::min(), limits::denorm_min()};
    for (std::size_t i = 0, n = x.size(); i < n; ++i) x.push_back(-x[i]);
    for_each_unary([&x](std::string_view name, auto f, auto) {
        std::vector<T> const got = mapped(f, x);
        for (std::size_t i = 0; i < x.size(); ++i) {
            INFO(name, "(", x[i], ")");
            CHECK(error_in_ulps(got[i], static_cast<exact<T>>(f(x[i]))) <= 5);
        }
    });
}

TEST_CASE_TEMPLATE("math: functions that level off reach their limits", T, float, double) {
    using batch = xsimd::batch<T>;
    for (T x : {T(30), std::numeric_limits<T>::max(), std::numeric_limits<T>::infinity()}) {
        CHECK(math::tanh(batch(x)).get(0) == 1);
        CHECK(math::tanh(batch(-x)).get(0) == -1);
        CHECK(math::erf(batch(x)).get(0) == 1);
        CHECK(math::erf(batch(-x)).get(0) == -1);
        CHECK(math::erfc(batch(x)).get(0) == 0);
        CHECK(math::erfc(batch(-x)).get(0) == 2);
    }
}

TEST_CASE("math: copysign takes the sign of zeros and NaNs") {
    using batch = xsimd::batch<float>;
    CHECK(math::copysign(batch(3.0f), batch(-0.0f)).get(0) == -3.0f);
    CHECK(std::signbit(math::copysign(batch(0.0f), batch(-1.0f)).get(0)));
    CHECK(math::copysign(2.0, -0.0) == -2.0);
}

TEST_CASE("math: remainder and floor_divide as NumPy") {
    CHECK(math::remainder(-7.0, 3.0) == 2.0);
    CHECK(math::remainder(7.0, -3.0) == -2.0);
    CHECK(math::floor_divide(-7.0, 3.0) == -3.0);
    CHECK(math::floor_divide(1.0, 0.1) == 9.0);
    using batch = xsimd::batch<double>;
    CHECK(math::floor_divide(batch(1.0), batch(0.1)).get(0) == 9.0);
    CHECK(math::floor_divide(batch(-1.0), batch(std::numeric_limits<double>::infinity())).get(0) == -1.0);
    CHECK(std::isinf(math::floor_divide(batch(1.0), batch(0.0)).get(0)));
}
