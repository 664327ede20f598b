// Functions of numbers: exponentials, logarithms, trigonometry, special functions and activations, element by element. Integers give
// float64. [The accuracy table](accuracy.md) says how many units in the last place they may be off.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

using vec = tx::tensor<float, tx::shape<3>>;
constexpr float pi = std::numbers::pi_v<float>, e = std::numbers::e_v<float>, ln2 = std::numbers::ln2_v<float>;

TEST_CASE("exp, exp2, expm1") {
    CHECK(tx::allclose(tx::exp(vec{0, 1, -1}), vec{1, e, 1 / e}).item());
    CHECK(tx::allclose(tx::exp2(vec{0, 1, 3}), vec{1, 2, 8}).item());
    CHECK(tx::allclose(tx::expm1(vec{0, 1, 1e-10f}), vec{0, e - 1, 1e-10f}).item()); // exp(x) - 1, right for small x, too
}

TEST_CASE("log, log2, log10, log1p") {
    CHECK(tx::allclose(tx::log(vec{1, e, 2}), vec{0, 1, ln2}).item());
    CHECK(tx::allclose(tx::log2(vec{1, 2, 8}), vec{0, 1, 3}).item());
    CHECK(tx::allclose(tx::log10(vec{1, 10, 0.01f}), vec{0, 1, -2}).item());
    CHECK(tx::allclose(tx::log1p(vec{0, 1, 1e-10f}), vec{0, ln2, 1e-10f}).item()); // log(1 + x), right for small x, too
}

TEST_CASE("logaddexp") { CHECK(tx::allclose(tx::logaddexp(vec{0, 1, 1000}, vec{0, 1, 1000}), vec{ln2, 1 + ln2, 1000 + ln2}).item()); }

TEST_CASE("sin, cos, tan") {
    vec const x{0, pi / 6, pi / 4};
    CHECK(tx::allclose(tx::sin(x), vec{0, 0.5, 0.70710678f}).item());
    CHECK(tx::allclose(tx::cos(x), vec{1, 0.86602540f, 0.70710678f}).item());
    CHECK(tx::allclose(tx::tan(x), vec{0, 0.57735027f, 1}).item());
}

TEST_CASE("asin, acos, atan, atan2") {
    vec const x{0, 0.5, 1};
    CHECK(tx::allclose(tx::asin(x), vec{0, pi / 6, pi / 2}).item());
    CHECK(tx::allclose(tx::acos(x), vec{pi / 2, pi / 3, 0}).item());
    CHECK(tx::allclose(tx::atan(x), vec{0, 0.46364761f, pi / 4}).item());
    CHECK(tx::allclose(tx::atan2(vec{1, 0, -1}, vec{0, -1, 0}), vec{pi / 2, pi, -pi / 2}).item()); // the angle of (x, y)
}

TEST_CASE("sinh, cosh, tanh") {
    vec const x{0, 1, -1};
    CHECK(tx::allclose(tx::sinh(x), vec{0, 1.1752012f, -1.1752012f}).item());
    CHECK(tx::allclose(tx::cosh(x), vec{1, 1.5430806f, 1.5430806f}).item());
    CHECK(tx::allclose(tx::tanh(x), vec{0, 0.76159416f, -0.76159416f}).item());
}

TEST_CASE("asinh, acosh, atanh") {
    CHECK(tx::allclose(tx::asinh(vec{0, 1.1752012f, -1.1752012f}), vec{0, 1, -1}).item());
    CHECK(tx::allclose(tx::acosh(vec{1, 1.5430806f, 2}), vec{0, 1, 1.3169579f}).item());
    CHECK(tx::allclose(tx::atanh(vec{0, 0.5, -0.5}), vec{0, 0.54930614f, -0.54930614f}).item());
}

TEST_CASE("sinc") { CHECK(tx::allclose(tx::sinc(vec{0, 0.5, 1}), vec{1, 2 / pi, 0}, {.atol = 1e-7}).item()); } // of pi x

TEST_CASE("erf, erfc") {
    CHECK(tx::allclose(tx::erf(vec{0, 0.5, 1}), vec{0, 0.52049988f, 0.84270079f}).item());
    CHECK(tx::allclose(tx::erfc(vec{0, 0.5, 1}), vec{1, 0.47950012f, 0.15729921f}).item());
}

TEST_CASE("lgamma, digamma, polygamma") {
    CHECK(tx::allclose(tx::lgamma(vec{1, 0.5, 4}), vec{0, 0.57236494f, 1.7917595f}, {.atol = 1e-6}).item()); // log of 0!, sqrt(pi), 3!
    CHECK(tx::allclose(tx::digamma(vec{1, 2, 3}), vec{-0.57721566f, 0.42278434f, 0.92278434f}).item());
    CHECK(tx::allclose(tx::polygamma(1, vec{1, 2, 3}), vec{1.6449341f, 0.64493407f, 0.39493407f}).item());
}

TEST_CASE("sigmoid") { CHECK(tx::allclose(tx::sigmoid(vec{0, 1, -1}), vec{0.5, 0.73105858f, 0.26894142f}).item()); }

TEST_CASE("relu, relu6, leaky_relu") {
    vec const x{-2, 3, 8};
    CHECK(tx::equal(tx::relu(x), vec{0, 3, 8}));
    CHECK(tx::equal(tx::relu6(x), vec{0, 3, 6}));
    CHECK(tx::equal(tx::leaky_relu(x, 0.25), vec{-0.5, 3, 8})); // the slope below 0, else 0.01
}

TEST_CASE("elu, selu") {
    vec const x{-1, 0, 2};
    CHECK(tx::allclose(tx::elu(x), vec{1 / e - 1, 0, 2}).item());
    CHECK(tx::allclose(tx::elu(x, 2), vec{2 / e - 2, 0, 2}).item()); // alpha
    CHECK(tx::allclose(tx::selu(x), vec{-1.1113307f, 0, 2.1014020f}).item());
}

TEST_CASE("softplus, softsign, silu") {
    vec const x{-1, 0, 1};
    CHECK(tx::allclose(tx::softplus(x), vec{0.31326169f, ln2, 1.3132617f}).item()); // log(1 + exp(x))
    CHECK(tx::equal(tx::softsign(x), vec{-0.5, 0, 0.5}));                           // x / (1 + |x|)
    CHECK(tx::allclose(tx::silu(x), vec{-0.26894142f, 0, 0.73105858f}).item());      // x sigmoid(x)
}

TEST_CASE("gelu, approximate") {
    vec const x{-1, 0, 1};
    CHECK(tx::allclose(tx::gelu(x), vec{-0.15865525f, 0, 0.84134475f}).item());
    CHECK(tx::allclose(tx::gelu(x, tx::approximate), vec{-0.15880801f, 0, 0.84119199f}).item()); // by tanh
}

TEST_CASE("softmax, log_softmax") {
    tx::tensor<float, tx::shape<2, 2>> const x{{0, 0}, {0, std::log(3.f)}};
    CHECK(tx::allclose(tx::softmax(x), tx::tensor<float, tx::shape<2, 2>>{{0.5, 0.5}, {0.25, 0.75}}).item()); // of rows
    CHECK(tx::allclose(tx::exp(tx::log_softmax(x, tx::axis<1>)), tx::softmax(x)).item());
}

TEST_CASE("logsumexp") {
    CHECK(tx::allclose(tx::logsumexp(vec{1000, 1000, 1000}), 1000 + std::log(3.f)).item()); // doesn't overflow
}
