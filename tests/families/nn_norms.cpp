// This file tests norms over features and over a batch against NumPy: (x - x.mean(a)) / np.sqrt(x.var(a) + eps) * gamma + beta.
#include <nn_values.hpp>

using namespace tx::testing;

namespace {

auto const x = made<2, 3, 4>(0.7);
auto const g = made<4>(0.3), b = made<4>(0.5), m = made<4>(0.2), v = tx::square(made<4>(0.4));
auto const g3 = made<3>(0.3), m3 = made<3>(0.2), v3 = tx::square(made<3>(0.4));

} // namespace

TEST_CASE("nn: layer_norm") {
    check_in_all_forms([](auto a, auto c, auto d) { return tx::nn::layer_norm(a, c, d); },
                       wanted<2, 3, 4>({0.404392906631,     1.47772763807,   1.49272084748,  -0.493551188731,   0.91563082544,
                                        0.463279959995,     0.114967657612,  1.20789410358,  -0.00615640061243, 0.88366075148,
                                        1.75217101554,      1.47318050571,   0.936110187777, 0.962196791258,    0.38416925534,
                                        -0.000551955020774, 0.0546815562467, 0.626206407324, 1.50600917241,     1.99917148658,
                                        0.872208135149,     1.12704237084,   0.579254655787, -0.303239336256}),
                       1e-9, 1e-9, x, g, b);
    auto const two = made<3, 4>(0.3);
    auto const y = tx::nn::layer_norm(x, two, two, {.eps = 1e-3});
    CHECK(difference(
              tx::slice(y, tx::at<0>),
              wanted<3, 4>({0.475660509118, 1.17871123566, 1.50109944488, 1.09647953889, 0.21532680458, -0.500176996401,
                            -0.577413537673, -0.119561656565, 0.312313248867, 0.229666553852, -0.329900411679, -0.84267051319}),
              1e-9, 1e-9) == "");
    CHECK(difference(tx::nn::layer_norm(x), (tx::nn::layer_norm(x, g, b) - b) / g, 1e-9, 1e-9) == "");
    tx::check_gradients([](auto a, auto c, auto d) { return tx::sum(tx::sin(tx::nn::layer_norm(a, c, d))); }, made<2, 4>(0.7), g,
                        b);
}
TEST_CASE("nn: rms_norm") {
    check_in_all_forms(
        [](auto a, auto c) { return tx::nn::rms_norm(a, c); },
        wanted<2, 3, 4>({0.254207764037, 0.742979793813,  0.90287613713,    0.41690063289,  -0.138328506531, -0.656696012593,
                         -1.02692882528, -0.785113869301, 0.00679527877888, 0.507319643237, 1.05858456887,   1.08930145308,
                         0.134413297301, -0.294953305833, -0.982213779625,  -1.30084673185, -0.271344179491, 0.0282006503135,
                         0.779089566195, 1.37146327693,   0.378850068551,   0.25943322265,  -0.453656778562, -1.25393521043}),
        1e-9, 1e-9, x, g);
    tx::check_gradients([](auto a, auto c) { return tx::sum(tx::sin(tx::nn::rms_norm(a, c))); }, made<2, 4>(0.7), g);
    CHECK(difference(tx::nn::rms_norm(x, {.eps = 0.5}), x / tx::sqrt(tx::mean(x * x, tx::axis<-1>, tx::keepdims) + 0.5), 1e-12) ==
          "");
}
TEST_CASE("nn: norms of constants, of few elements, of integers and of half") {
    CHECK(tx::equal(tx::nn::layer_norm(tx::full<float>(tx::shape<2, 3>{}, 7), tx::ones<float>(tx::shape<3>{}),
                                       tx::full<float>(tx::shape<3>{}, 2)),
                    tx::full<float>(tx::shape<2, 3>{}, 2)));
    CHECK(
        tx::nn::layer_norm(tx::zeros<float>(tx::shape<0, 3>{}), tx::ones<float>(tx::shape<3>{}), tx::ones<float>(tx::shape<3>{}))
            .size() == 0);
    CHECK(tx::equal(tx::nn::layer_norm(tx::tensor<float, tx::shape<1>>{3}), tx::zeros<float>(tx::shape<1>{})));
    auto const of_integers = tx::nn::rms_norm(tx::tensor<int, tx::shape<2>>{3, 4});
    static_assert(std::is_same_v<decltype(of_integers)::value_type, double>);
    CHECK(of_integers.data()[0] == doctest::Approx(3 / std::sqrt(12.5)).epsilon(1e-6));
    // The sum of squares, 180000, is more than float16 has.
    auto const half = tx::nn::layer_norm(tx::tensor<tx::half, tx::shape<2>>{300, -300}, {.eps = 0});
    static_assert(std::is_same_v<decltype(half)::value_type, tx::half>);
    CHECK(tx::equal(half, tx::tensor<tx::half, tx::shape<2>>{1, -1}));
    CHECK(std::isnan(tx::nn::layer_norm(numbers<2>{1, std::nan("")}).data()[0]));
}
