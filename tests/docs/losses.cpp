// Losses: what networks are trained with, `#include <tracexpr/nn.hpp>`: losses, initialisers, batches of data, metrics and quantized numbers.
// Losses are means over the batch; with `{.reduction = tx::none}` they are those of each row or element.
#include <tracexpr/nn.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>

using vec = tx::tensor<float, tx::shape<3>>;
using matrix = tx::tensor<float, tx::shape<2, 3>>;
using two = tx::tensor<float, tx::shape<2>>;
using labels = tx::tensor<int, tx::shape<2>>;
matrix const logits{{2, 0, 0}, {0, 0, 0}};
tx::random::key const seed{tx::tensor<std::uint64_t, tx::shape<>>(1)};

TEST_CASE("nn::cross_entropy") {
    CHECK(tx::nn::cross_entropy(logits, labels{0, 1}).item() == doctest::Approx(0.5 * (std::log(1 + 2 * std::exp(-2)) + std::log(3))));
    matrix const p{{1, 0, 0}, {0, 0.5f, 0.5f}}; // probabilities instead of labels
    CHECK(tx::nn::cross_entropy(logits, p).item() == doctest::Approx(0.5 * (std::log(1 + 2 * std::exp(-2)) + std::log(3))));
}

TEST_CASE("nn::cross_entropy_options, nn::each_cross_entropy_options, nn::ignore_nothing") {
    static_assert(tx::nn::cross_entropy_options{.smoothing = 0.1}.ignore == tx::nn::ignore_nothing);
    CHECK(tx::nn::cross_entropy(logits, labels{0, 1}, {.ignore = 0}).item() == doctest::Approx(std::log(3)));
    tx::nn::each_cross_entropy_options const each{.reduction = tx::none, .smoothing = 0.1};
    CHECK(tx::nn::cross_entropy(logits, labels{0, 1}, each).data()[1] == doctest::Approx(std::log(3)));
}

TEST_CASE("nn::weighted_cross_entropy_options, nn::each_weighted_cross_entropy_options") {
    tx::nn::weighted_cross_entropy_options const weighted{.weights = {1, 0, 1}}; // or a tensor
    CHECK(tx::nn::cross_entropy(logits, labels{0, 1}, weighted).item() == doctest::Approx(std::log(1 + 2 * std::exp(-2))));
    tx::nn::each_weighted_cross_entropy_options const each{.reduction = tx::none, .weights = vec{1, 2, 1}};
    CHECK(tx::nn::cross_entropy(logits, labels{0, 1}, each).data()[1] == doctest::Approx(2 * std::log(3)));
}

TEST_CASE("nn::nll_loss, nn::nll_options, nn::each_nll_options, nn::weighted_nll_options, nn::each_weighted_nll_options") {
    matrix const log_p{{-1, -2, -3}, {-4, -5, -6}}; // what tx::log_softmax gives
    CHECK(tx::nn::nll_loss(log_p, labels{0, 1}).item() == 3);
    CHECK(tx::nn::nll_loss(log_p, labels{0, 1}, tx::nn::nll_options{.ignore = 1}).item() == 1);
    CHECK(tx::equal(tx::nn::nll_loss(log_p, labels{0, 1}, tx::nn::each_nll_options{.reduction = tx::none}), two{1, 5}));
    CHECK(tx::nn::nll_loss(log_p, labels{0, 1}, tx::nn::weighted_nll_options{.weights = {1, 3, 1}}).item() == 4);
    tx::nn::each_weighted_nll_options const each{.reduction = tx::none, .weights = {1, 3, 1}};
    CHECK(tx::equal(tx::nn::nll_loss(log_p, labels{0, 1}, each), two{1, 15}));
}

TEST_CASE("nn::ctc_loss, nn::each_ctc_options") {
    // Class 0 is the blank: three alignments of two steps read as label 1, (0, 1), (1, 0) and (1, 1), each with probability 1/9.
    tx::tensor<float, tx::shape<2, 2, 3>> const steps{};
    tx::tensor<int, tx::shape<2, 2>> const sequences{{1, 0}, {1, 1}};
    labels const input_lengths{2, 2}, label_lengths{1, 2};
    auto const each = tx::nn::ctc_loss(steps, sequences, input_lengths, label_lengths, tx::nn::each_ctc_options{.reduction = tx::none});
    CHECK(each.data()[0] == doctest::Approx(std::log(3)));
    CHECK(each.data()[1] == std::numeric_limits<float>::infinity()); // 1 1 needs a blank between
    CHECK(tx::nn::ctc_loss(steps, sequences, input_lengths, labels{1, 0}).item() == doctest::Approx(1.5 * std::log(3)));
}

TEST_CASE("nn::mse_loss, nn::l1_loss, nn::squared_error, nn::each_loss_options") {
    CHECK(tx::nn::mse_loss(two{1, 4}, two{0, 1}).item() == 5);
    CHECK(tx::nn::l1_loss(two{1, 4}, 0).item() == 2.5f);
    CHECK(tx::equal(tx::nn::squared_error(two{1, 4}, two{0, 1}), two{1, 9}));
    CHECK(tx::equal(tx::nn::l1_loss(two{1, 4}, 0, tx::nn::each_loss_options{.reduction = tx::none}), two{1, 4}));
}

TEST_CASE("nn::huber_loss, nn::huber_options, nn::each_huber_options") {
    CHECK(tx::nn::huber_loss(two{1, 4}, 0).item() == 2); // (1/2 + 3 1/2) / 2
    CHECK(tx::nn::huber_loss(two{1, 4}, 0, tx::nn::huber_options{.delta = 2}).item() == 3.25f);
    CHECK(tx::equal(tx::nn::huber_loss(two{1, 4}, 0, tx::nn::each_huber_options{.reduction = tx::none, .delta = 2}), two{0.5f, 6}));
}

TEST_CASE("nn::hinge_loss, nn::binary_cross_entropy") {
    CHECK(tx::nn::hinge_loss(two{0.5f, 2}, two{1, -1}).item() == 1.75f); // targets are -1 and 1
    CHECK(tx::nn::binary_cross_entropy(two{0, 0}, two{0, 1}).item() == doctest::Approx(std::log(2))); // of logits
}

TEST_CASE("nn::kl_divergence, nn::cosine_similarity") {
    two const log_q{static_cast<float>(std::log(0.25)), static_cast<float>(std::log(0.75))};
    CHECK(tx::nn::kl_divergence(log_q, two{0, 1}).item() == doctest::Approx(-std::log(0.75)));
    CHECK(tx::nn::cosine_similarity(two{3, 4}, two{4, 3}).item() == doctest::Approx(0.96));
}

TEST_CASE("nn::glorot_uniform, nn::glorot_normal, nn::he_uniform, nn::he_normal, nn::lecun_uniform, nn::lecun_normal") {
    auto const w = tx::nn::glorot_uniform<float>(seed, tx::shape<64, 32>{}); // 64 in, 32 out
    CHECK(tx::max(tx::abs(w)).item() <= std::sqrt(6.0 / 96));
    auto const kernel = tx::nn::he_normal(seed, tx::shape<3, 3, tx::dyn, 8>{}, 3, 3, 16, 8); // windows first
    CHECK(kernel.size() == 3 * 3 * 16 * 8);
    CHECK(!tx::equal(tx::nn::glorot_normal(seed, tx::shape<4, 4>{}), tx::nn::lecun_normal(seed, tx::shape<2, 4>{})));
    CHECK(tx::max(tx::abs(tx::nn::he_uniform(seed, tx::shape<6, 9>{}))).item() <= 1);
    CHECK(tx::max(tx::abs(tx::nn::lecun_uniform(seed, tx::shape<3, 9>{}))).item() <= 1);
}

TEST_CASE("nn::orthogonal, nn::truncated_normal") {
    auto const q = tx::nn::orthogonal<double>(seed, tx::shape<3, 3>{});
    CHECK(tx::allclose(tx::matmul(q, tx::transpose(q)), tx::eye<double>(tx::shape<3, 3>{})).item());
    CHECK(tx::max(tx::abs(tx::nn::truncated_normal(seed, tx::shape<100>{}, 0.5))).item() <= 1);
}

TEST_CASE("batches, batches_options") {
    auto const images = tx::reshape<5, 2>(tx::arange<float, 10>());
    tx::tensor<int, tx::shape<5>> const classes{0, 1, 2, 3, 4};
    int sum = 0;
    for (auto const& [x, y] : tx::batches(std::tuple(images, classes), 2, seed)) { // (2, 2) and (2), the last of one example
        CHECK(x.data()[0] == 2 * static_cast<float>(y.data()[0]));
        sum += static_cast<int>(tx::sum(y).item());
    }
    CHECK(sum == 10);
    for (auto const& x : tx::batches(images, 2, tx::batches_options{.drop_last = true})) CHECK(x.size() == 4); // in order
    auto const square = [](std::int64_t k) { return std::pair(k, k * k); }; // an example of its number
    for (auto const& [k, kk] : tx::batches(square, 6, 3)) CHECK(tx::equal(kk, k * k));
}

TEST_CASE("nn::accuracy, nn::top_k_accuracy, nn::confusion_matrix") {
    labels const truth{0, 1};
    CHECK(tx::nn::accuracy(truth, labels{0, 0}).item() == 0.5); // the truth comes first, as in scikit-learn
    CHECK(tx::nn::top_k_accuracy<2>(truth, matrix{{3, 1, 2}, {3, 1, 2}}).item() == 0.5);
    CHECK(tx::equal(tx::nn::confusion_matrix<2>(truth, labels{0, 0}), tx::tensor<std::int64_t, tx::shape<2, 2>>{{1, 0}, {1, 0}}));
}

TEST_CASE("nn::precision, nn::recall, nn::f1_score, nn::auc") {
    tx::tensor<int, tx::shape<4>> const truth{1, 1, 0, 0}, predicted{1, 1, 1, 0};
    CHECK(tx::nn::precision(truth, predicted).item() == doctest::Approx(2. / 3));
    CHECK(tx::nn::recall(truth, predicted).item() == 1);
    CHECK(tx::nn::f1_score<2>(truth, predicted).data()[1] == doctest::Approx(0.8)); // of each of two classes
    CHECK(tx::nn::auc(truth, tx::tensor<float, tx::shape<4>>{0.9f, 0.3f, 0.5f, 0.1f}).item() == 0.75);
}

TEST_CASE("nn::mean_squared_error, nn::r2_score") {
    CHECK(tx::nn::mean_squared_error(two{1, 3}, two{1, 1}).item() == 2);
    CHECK(tx::nn::r2_score(two{1, 3}, two{1, 2}).item() == 0.5f);
}

TEST_CASE("nn::quantize, nn::dequantize, nn::fake_quantize") {
    auto const q = tx::nn::quantize<std::int8_t>(two{0.75f, 100}, 0.5f);
    CHECK(tx::equal(q, tx::tensor<std::int8_t, tx::shape<2>>{2, 127})); // halves go to even numbers, the rest to the range
    CHECK(tx::equal(tx::nn::dequantize(q, 0.5f), two{1, 63.5f}));
    auto const rounded = [](auto x) { return tx::sum(tx::nn::fake_quantize<std::int8_t>(x, 0.5f)); };
    CHECK(tx::equal(tx::grad(rounded)(two{0.75f, 100}), two{1, 0}));
}

TEST_CASE("nn::matmul_integer") {
    tx::tensor<std::uint8_t, tx::shape<1, 2>> const a{{130, 126}}; // 2 and -2, from the zero point 128
    tx::tensor<std::int8_t, tx::shape<2, 1>> const b{{3}, {4}};
    CHECK(tx::nn::matmul_integer(a, b, 128).item() == -2);
    CHECK(tx::nn::matmul_integer(a, b).item() == 130 * 3 + 126 * 4);
}
