// This file tests cross_entropy and nll_loss: labels, probabilities, and their options. Means, smoothing and weights are compared
// with PyTorch's formulas (aten/src/ATen/native/LossNLL.cpp), written in JAX.
#include <tracexpr/nn.hpp>

#include <family_checks.hpp>

#include <limits>

using tx::testing::check_in_all_forms, tx::testing::check_open_rank, tx::testing::difference;
using number = tx::tensor<double, tx::shape<>>;
using matrix = tx::tensor<double, tx::shape<3, 4>>;
using rows = tx::tensor<double, tx::shape<3>>;
using labels = tx::tensor<int, tx::shape<3>>;

namespace {
constexpr double inf = std::numeric_limits<double>::infinity(), not_a_number = std::numeric_limits<double>::quiet_NaN();
matrix const x{{1.5, -0.5, 2, 0.25}, {0, 0.75, -1, 3}, {-2, 1, 0.5, 0.125}};
labels const y{2, 0, 1};
tx::tensor<double, tx::shape<4>> const w{0.5, 2, 1, 3};
matrix const share{{0.2363277823215377, 0.2611825921550756, 0.28865140515740234, 0.21383822036598443},
                   {0.23688281808991013, 0.08714431874203257, 0.6439142598879724, 0.03205860328008499},
                   {0.17487770452710946, 0.17487770452710946, 0.17487770452710946, 0.4753668864186718}};
constexpr auto loss = [](auto a, auto b) { return tx::nn::cross_entropy(a, b); };
constexpr auto each = [](auto a, auto b) { return tx::nn::cross_entropy(a, b, {.reduction = tx::none}); };
} // namespace

TEST_CASE("nn: cross_entropy of labels") {
    check_in_all_forms(loss, number(1.5036454388373333), 1e-14, 0, x, y);
    check_open_rank(loss, number(1.5036454388373333), 1e-14, 0, x, y);
    // optax.softmax_cross_entropy_with_integer_labels(x, y)
    check_in_all_forms(each, rows{0.6218603953064581, 3.15999238250994, 0.7290835386956018}, 1e-14, 0, x, y);
    matrix const slope{{0.10855778317108702, 0.01469169833299785, -0.15435180711910973, 0.031102325615024854},
                       {-0.3191913119135322, 0.02993865958065569, 0.00520255893695099, 0.2840500933959255},
                       {0.008004944807074102, -0.17254971884276707, 0.09752019176794487, 0.06702458226774813}};
    CHECK(difference(tx::grad(loss)(x, y), slope, 1e-13, 1e-15) == "");
    tx::check_gradients([](auto a) { return tx::nn::cross_entropy(a, y); }, x);
}
TEST_CASE("nn: cross_entropy with smoothed labels, labels that are ignored, and weights") {
    constexpr double tight = 1e-14;
    CHECK(tx::nn::cross_entropy(x, y, {.smoothing = 0.1}).item() == doctest::Approx(1.5567704388373336).epsilon(tight));
    CHECK(tx::nn::cross_entropy(x, y, {.ignore = 0}).item() == doctest::Approx(0.6754719670010298).epsilon(tight));
    CHECK(tx::nn::cross_entropy(x, y, {.weights = w}).item() == doctest::Approx(1.0457210468436091).epsilon(tight));
    CHECK(tx::nn::cross_entropy(x, y, {.weights = {0.5, 2, 1, 3}}).item() == doctest::Approx(1.0457210468436091).epsilon(tight));
    constexpr auto all = [](auto a, auto b, auto c) {
        return tx::nn::cross_entropy(a, b, {.smoothing = 0.1, .ignore = 0, .weights = c});
    };
    check_in_all_forms(all, number(0.82322603823441), 1e-14, 0, x, y, w);
    CHECK(difference(tx::nn::cross_entropy(x, y, {.reduction = tx::none, .smoothing = 0.1, .ignore = 0, .weights = w}),
                     rows{0.9232266700131115, 0, 1.5464514446901187}, 1e-14) == "");
    tx::check_gradients([](auto a, auto c) { return tx::nn::cross_entropy(a, y, {.smoothing = 0.1, .ignore = 0, .weights = c}); }, x, w);
}
TEST_CASE("nn: cross_entropy of rows that don't count, and of labels that are no class") {
    labels const ignored = tx::full<int>(tx::shape<3>{}, -100);
    constexpr auto some = [](auto a, auto b) { return tx::nn::cross_entropy(a, b, {.ignore = -100}); };
    CHECK(some(x, ignored).item() == 0);
    CHECK(tx::equal(tx::grad(some)(x, ignored), matrix{}));
    CHECK(tx::nn::cross_entropy(tx::tensor<float, tx::shape<0, 3>>{}, tx::tensor<int, tx::shape<0>>{}).item() == 0);
    CHECK(difference(each(x, labels{-1, 4, 1}), rows{not_a_number, not_a_number, 0.7290835386956018}, 1e-14) == "");
    CHECK(difference(each(x, tx::tensor<std::uint64_t, tx::shape<3>>{1ull << 32, 0, 1}), rows{not_a_number, 3.15999238250994, 0.7290835386956018}, 1e-14) == "");
}
TEST_CASE("nn: cross_entropy of huge logits, and of classes out of reach") {
    tx::tensor<double, tx::shape<2, 3>> const far{{1000, -1000, 0}, {-inf, 0, 0}};
    tx::tensor<std::int8_t, tx::shape<2>> const label{0, 1};
    CHECK(difference(each(far, label), tx::tensor<double, tx::shape<2>>{0, 0.69314718055994529}, 1e-15) == "");
    auto const slope = tx::grad([](auto a, auto b) { return tx::sum(each(a, b)); })(far, label);
    CHECK(difference(slope, tx::tensor<double, tx::shape<2, 3>>{{0, 0, 0}, {0, -0.5, 0.5}}, 1e-15, 1e-300) == "");
    tx::tensor<double, tx::shape<2, 3>> const sure{{1, 0, 0}, {0, 0.5, 0.5}}; // 0 of what is out of reach
    CHECK(difference(each(far, sure), tx::tensor<double, tx::shape<2>>{0, 0.69314718055994529}, 1e-15) == "");
    CHECK(tx::nn::cross_entropy(far, tx::tensor<int, tx::shape<2>>{0, 0}).item() == inf);
}
TEST_CASE("nn: cross_entropy of probabilities") {
    // optax.softmax_cross_entropy(x, share)
    check_in_all_forms(each, rows{1.7671976524953887, 3.642372593501133, 1.757101530156823}, 1e-14, 0, x, share);
    check_in_all_forms(loss, number(2.3888905920511148), 1e-14, 0, x, share);
    CHECK(tx::nn::cross_entropy(x, share, {.smoothing = 0.2}).item() == doctest::Approx(2.318091561408359).epsilon(1e-14));
    CHECK(tx::nn::cross_entropy(x, share, {.weights = w}).item() == doctest::Approx(3.345454771010469).epsilon(1e-14));
    tx::check_gradients(loss, x, share);
}
TEST_CASE("nn: nll_loss") {
    auto const log_p = tx::log_softmax(x);
    constexpr auto nll = [](auto a, auto b) { return tx::nn::nll_loss(a, b); };
    check_in_all_forms(nll, number(1.5036454388373333), 1e-14, 0, log_p, y);
    CHECK(tx::nn::nll_loss(log_p, y, {.ignore = 0}).item() == doctest::Approx(0.6754719670010298).epsilon(1e-14));
    CHECK(tx::nn::nll_loss(log_p, y, {.weights = w}).item() == doctest::Approx(1.0457210468436091).epsilon(1e-14));
    CHECK(tx::equal(tx::nn::nll_loss(x, y, {.reduction = tx::none, .weights = w}), rows{-2, 0, -2}));
    CHECK(tx::nn::nll_loss(tx::tensor<double, tx::shape<3>>{-inf, -1, 0}, tx::tensor<int, tx::shape<>>(1)).item() == 1);
}
TEST_CASE("nn: cross_entropy of small floats and of integers") {
    tx::tensor<tx::half, tx::shape<3, 4>> const h = tx::cast<tx::half>(x);
    static_assert(std::is_same_v<decltype(tx::nn::cross_entropy(h, y)), tx::tensor<tx::half, tx::shape<>>>);
    CHECK(static_cast<float>(tx::nn::cross_entropy(h, y).item()) == doctest::Approx(1.5036).epsilon(1e-3));
    CHECK(tx::nn::cross_entropy(tx::tensor<int, tx::shape<1, 2>>{{0, 0}}, tx::tensor<int, tx::shape<1>>{1}).item() ==
          doctest::Approx(0.69314718055994529).epsilon(1e-15));
    CHECK_THROWS_AS(static_cast<void>(tx::nn::cross_entropy(tx::tensor<double>(x), tx::tensor<int>(tx::tensor<int, tx::shape<2>>{0, 1}))), tx::shape_error);
}
