// This file tests ops where the obvious formula loses digits, or has no value where the op has one.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <limits>

using tx::dyn;
using tx::shape;
using tx::tensor;

TEST_CASE("eager: gelu keeps the digits of small results") {
    // x * scipy.special.ndtr(x)
    for (auto const& [at, wanted] : {std::pair{-2.0, -0.04550026389635842}, {-5.0, -1.4332578591991167e-06}, {-6.0, -5.9195258702692776e-09}}) {
        CHECK(tx::gelu(tensor<float, shape<>>(at)).item() == doctest::Approx(wanted).epsilon(2e-6));
        CHECK(tx::gelu(tensor<double, shape<>>(at)).item() == doctest::Approx(wanted).epsilon(1e-13));
    }
    CHECK(static_cast<double>(tx::gelu(tensor<tx::bfloat16, shape<>>(tx::bfloat16(-3.f))).item()) == doctest::Approx(-0.00404969409489031).epsilon(4e-3));
    CHECK(tx::gelu(tensor<double, shape<>>(-5.0), tx::approximate).item() == doctest::Approx(-5 / (1 + std::exp(1.5957691216057308 * (5 + 0.044715 * 125)))).epsilon(1e-13));
}

TEST_CASE("eager: complex powers of 0, with an exponent of 0") {
    using C = std::complex<double>;
    tensor<C, shape<3>> const z{C(0, 0), C(std::numeric_limits<double>::infinity(), 0), C(2, 1)};
    CHECK(tx::equal(tx::pow(z, 0), tensor<C, shape<3>>{1, 1, 1}));
    CHECK(tx::pow(z, 2)(0) == 0.0);
    tx::function f{[](auto a, auto e) { return tx::pow(a, e); }};
    CHECK(tx::equal(f(z, 0.0), tensor<C, shape<3>>{1, 1, 1}));
}

TEST_CASE("eager: norms of a power that has none") {
    for (double const p : {0.0, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
        CHECK_THROWS_WITH_AS(tx::norm(tensor<float, shape<3>>{1, -2, 3}, tx::order_p(p)), "tx: norm: order_p takes a finite power other than 0; use tx::order<0> or tx::order_inf", tx::error);
}

TEST_CASE("eager: a long row times a tall matrix is as accurate as a sum") {
    constexpr std::int64_t n = 300'000;
    auto row = tx::zeros<float, shape<dyn>>(n);
    auto tall = tx::zeros<float, shape<dyn, 3>>(n, 3);
    double wanted[3]{};
    for (std::int64_t i = 0; i < n; ++i) {
        row.mutable_data()[i] = static_cast<float>(i % 211) / 10;
        for (int j = 0; j < 3; ++j) {
            tall.mutable_data()[3 * i + j] = static_cast<float>(i % 97 + j) / 7;
            wanted[j] += static_cast<double>(row.data()[i]) * static_cast<double>(tall.data()[3 * i + j]);
        }
    }
    auto const got = tx::matmul(row, tall);
    for (int j = 0; j < 3; ++j) CHECK(static_cast<double>(got(j)) == doctest::Approx(wanted[j]).epsilon(2e-6));
}
