// This file tests activations against formulas in NumPy, and their derivatives.
#include <nn_values.hpp>

#include <limits>

using namespace tx::testing;

namespace {

auto const x = numbers<6>{-7, -1.5, -0.25, 0.75, 2, 40};
constexpr double inf = std::numeric_limits<double>::infinity();
using four = numbers<4>;

} // namespace

TEST_CASE("nn: mish, log_sigmoid, celu") {
    // x * np.tanh(np.logaddexp(x, 0))
    check_in_all_forms(
        [](auto a) { return tx::nn::mish(a); },
        numbers<6>{-0.006380263409573669, -0.29809974216680674, -0.129926963679141, 0.6100183352182933, 1.9439589595339946, 40},
        1e-14, 0, x);
    // -np.logaddexp(-x, 0)
    check_in_all_forms([](auto a) { return tx::nn::log_sigmoid(a); },
                       numbers<6>{-7.000911466453775, -1.7014132779827524, -0.8259394198788436, -0.38687100611489994,
                                  -0.1269280110429725, -4.248354255291589e-18},
                       1e-14, 0, x);
    // np.where(x > 0, x, 1.5 * np.expm1(x / 1.5))
    check_in_all_forms([](auto a) { return tx::nn::celu(a, 1.5); },
                       numbers<6>{-1.485894656172757, -0.9481808382428365, -0.2302774126640789, 0.75, 2, 40}, 1e-14, 0, x);
    auto const near = numbers<4>{-2, -0.5, 0.3, 1.7};
    tx::check_gradients([](auto a) { return tx::sum(tx::nn::mish(a)); }, near);
    tx::check_gradients([](auto a) { return tx::sum(tx::nn::log_sigmoid(a)); }, near);
    tx::check_gradients([](auto a, auto s) { return tx::sum(tx::nn::celu(a, s)); }, near, tx::tensor<double, tx::shape<>>(1.5));
    CHECK(tx::equal(tx::nn::celu(four{-inf, -1e300, 0, inf}), four{-1, -1, 0, inf}));
    CHECK(tx::equal(tx::nn::log_sigmoid(four{-inf, -1e300, 1e300, inf}), four{-inf, -1e300, 0, 0}));
    CHECK(std::isnan(tx::nn::mish(four{std::nan(""), 0, 0, 0}).data()[0]));
    CHECK(tx::equal(tx::grad([](auto a) { return tx::sum(tx::nn::celu(a, 3)); })(four{0, 800, -1e4, 1}), four{1, 1, 0, 1}));
}
TEST_CASE("nn: hard_sigmoid, hard_swish, hard_tanh, and their kinks") {
    CHECK(difference(tx::nn::hard_sigmoid(x), numbers<6>{0, 0.25, 0.4583333333333333, 0.625, 0.8333333333333333, 1}, 1e-14, 0) ==
          "");
    CHECK(difference(tx::nn::hard_swish(x), numbers<6>{0, -0.375, -0.11458333333333333, 0.46875, 1.6666666666666665, 40}, 1e-14,
                     0) == "");
    CHECK(tx::equal(tx::nn::hard_tanh(x), numbers<6>{-1, -1, -0.25, 0.75, 1, 1}));
    CHECK(tx::equal(tx::nn::hard_tanh(x, -2, 0.5), numbers<6>{-2, -1.5, -0.25, 0.5, 0.5, 0.5}));
    CHECK(tx::equal(tx::grad([](auto a) { return tx::sum(tx::nn::hard_tanh(a)); })(four{-1, 1, 0, 2}), four{0, 0, 1, 0}));
    CHECK(difference(tx::grad([](auto a) { return tx::sum(tx::nn::hard_sigmoid(a)); })(four{-3, 3, 0, 9}), four{0, 0, 1.0 / 6, 0},
                     1e-14) == "");
    static_assert(std::is_same_v<decltype(tx::nn::hard_swish(tx::tensor<int, tx::shape<1>>{1}))::value_type, double>);
    static_assert(std::is_same_v<decltype(tx::nn::mish(tx::tensor<tx::half, tx::shape<1>>{1}))::value_type, tx::half>);
}
TEST_CASE("nn: glu, prelu") {
    check_in_all_forms([](auto a) { return tx::nn::glu(a); }, numbers<3>{-4.75425089422775, -1.3211956169668235, -0.25}, 1e-14, 0,
                       x); // a * sigmoid(b)
    CHECK(tx::nn::glu(made<4, 3>(0.7), tx::axis<0>).dimensions() == tx::dims{{2, 3}, 2});
    tx::check_gradients([](auto a) { return tx::sum(tx::nn::glu(a)); }, made<2, 4>(0.7));
    auto const slopes = numbers<3>{0.1, 0.2, 0.3};
    auto const a = numbers<2, 3>{{-1, 2, -3}, {4, -5, 0}};
    CHECK(difference(tx::nn::prelu(a, slopes), numbers<2, 3>{{-0.1, 2, -0.9}, {4, -1, 0}}, 1e-15) == "");
    CHECK(difference(tx::nn::prelu(tx::expand_dims<2>(a), slopes, tx::channels_first),
                     tx::expand_dims<2>(tx::nn::prelu(a, slopes)), 1e-15) == "");
    CHECK(difference(tx::nn::prelu(a, 0.5), tx::leaky_relu(a, 0.5), 1e-15) == "");
    CHECK(tx::equal(tx::grad<1>([](auto b, auto s) { return tx::sum(tx::nn::prelu(b, s)); })(a, slopes), numbers<3>{-1, -5, -3}));
    CHECK(tx::equal(tx::grad([](auto b, auto s) { return tx::sum(tx::nn::prelu(b, s)); })(numbers<1, 3>{{0, 0, 0}}, slopes),
                    numbers<1, 3>{{0.1, 0.2, 0.3}}));
}
