// Layers of neural networks: pure functions of inputs and parameters, which are tensors or members of a struct of parameters.
// Channels stand last unless a call says tx::channels_first; features are the last axis.
#include <tracexpr/nn.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace nn = tx::nn;

using vec = tx::tensor<float, tx::shape<2>>;
using matrix = tx::tensor<float, tx::shape<2, 2>>;

namespace {
constexpr auto near = [](auto const& a, auto const& b) { return tx::all(tx::abs(a - b) < 1e-4f).item(); };
matrix const identity{{1, 0}, {0, 1}};
} // namespace

TEST_CASE("nn::linear") {
    CHECK(tx::equal(nn::linear(vec{1, 2}, matrix{{1, 2}, {3, 4}}, vec{10, 20}), vec{17, 30})); // x w + b
    CHECK(tx::equal(nn::linear(vec{1, 2}, matrix{{1, 2}, {3, 4}}), vec{7, 10}));
}

TEST_CASE("nn::embedding") {
    tx::tensor<float, tx::shape<3, 2>> const table{{1, 2}, {3, 4}, {5, 6}};
    CHECK(tx::equal(nn::embedding(table, tx::tensor<int, tx::shape<2>>{2, 0}), matrix{{5, 6}, {1, 2}}));
}

TEST_CASE("nn::layer_norm, nn::norm_options") {
    vec const gamma{2, 2}, beta{1, 1};
    CHECK(near(nn::layer_norm(matrix{{1, 3}, {0, 8}}, gamma, beta), matrix{{-1, 3}, {-1, 3}}));
    CHECK(near(nn::layer_norm(vec{1, 3}, nn::norm_options{.eps = 3}), vec{-0.5f, 0.5f})); // (x - mean) / sqrt(variance + eps)
}

TEST_CASE("nn::rms_norm, nn::rms_norm_options") {
    CHECK(near(nn::rms_norm(vec{1, 7}, vec{5, 5}), vec{1, 7})); // the mean square is 25
    CHECK(near(nn::rms_norm(vec{1, 1}, nn::rms_norm_options{.eps = 3}), vec{0.5f, 0.5f}));
}

TEST_CASE("nn::batch_norm, nn::batch_norm_training, channels_first") {
    matrix const x{{1, 0}, {3, 8}}; // (n, c)
    vec const gamma{1, 1}, beta{0, 0};
    auto const [y, mean, variance] = nn::batch_norm_training(x, gamma, beta);
    CHECK(near(y, matrix{{-1, -1}, {1, 1}}));
    CHECK(tx::equal(mean, vec{2, 4}));
    CHECK(tx::equal(variance, vec{1, 16}));
    CHECK(near(nn::batch_norm(x, gamma, beta, mean, variance), y));
    CHECK(near(nn::batch_norm(x, gamma, beta, mean, variance, tx::channels_first), y)); // (n, c, ...): the same here
}

TEST_CASE("nn::update_statistics, nn::statistics_options") {
    auto const [mean, variance] =
        nn::update_statistics(vec{0, 0}, vec{1, 1}, vec{10, 20}, vec{3, 1}, nn::statistics_options{.momentum = 0.5});
    CHECK(tx::equal(mean, vec{5, 10}));
    CHECK(tx::equal(variance, vec{2, 1}));
}

TEST_CASE("nn::group_norm") {
    tx::tensor<float, tx::shape<1, 4>> const x{{1, 3, 0, 8}}; // two groups of two channels
    auto const ones = tx::ones<float>(tx::shape<4>{});
    CHECK(near(nn::group_norm<2>(x, ones, 0 * ones), tx::tensor<float, tx::shape<1, 4>>{{-1, 1, -1, 1}}));
}

TEST_CASE("nn::instance_norm") {
    tx::tensor<float, tx::shape<1, 2, 1>> const x{{{1}, {3}}}; // (n, places, c)
    auto const one = tx::ones<float>(tx::shape<1>{});
    CHECK(near(nn::instance_norm(x, one, 0 * one), x - 2));
}

TEST_CASE("nn::dropout_channels") {
    auto const x = tx::ones<float>(tx::shape<5, 4, 2>{});
    auto const y = nn::dropout_channels(tx::random::key(1), x, 0.5); // of each example a channel as a whole
    CHECK(tx::equal(tx::min(y, tx::axis<1>), tx::max(y, tx::axis<1>)));
    CHECK(nn::dropout_channels(x, 0.5, tx::channels_first).size() == 40);
}

TEST_CASE("mish, hard_swish, hard_sigmoid") {
    CHECK(near(tx::mish(vec{0, 1}), vec{0, 0.865098f}));
    CHECK(near(tx::hard_sigmoid(vec{-3, 1.5f}), vec{0, 0.75f})); // x / 6 + 1/2, as PyTorch; nn::mish is the same function
    CHECK(near(nn::hard_swish(vec{-3, 1.5f}), vec{0, 1.125f}));
}

TEST_CASE("hard_tanh, celu, log_sigmoid") {
    CHECK(tx::equal(tx::hard_tanh(vec{-3, 0.5f}), vec{-1, 0.5f}));
    CHECK(near(tx::celu(vec{-2, 1}, 2), vec{-1.264241f, 1}));
    CHECK(near(tx::log_sigmoid(vec{0, -100}), vec{-0.693147f, -100}));
}

TEST_CASE("glu, prelu") {
    CHECK(near(tx::glu(matrix{{4, 0}, {6, 0}}), tx::tensor<float, tx::shape<2, 1>>{{2}, {3}})); // a sigmoid(b)
    CHECK(near(tx::prelu(matrix{{-1, -1}, {2, 3}}, vec{0.1f, 0.2f}), matrix{{-0.1f, -0.2f}, {2, 3}}));
}

TEST_CASE("nn::attention, nn::attention_options") {
    matrix const keys{{1, 0}, {0, 1}}, values{{1, 2}, {3, 4}};
    CHECK(near(nn::attention(0 * keys, keys, values), matrix{{2, 3}, {2, 3}})); // no key fits better: the mean
    CHECK(near(nn::attention(keys, keys, values, nn::attention_options{.scale = 100}), values));
    tx::tensor<bool, tx::shape<2>> const seen{true, false};
    CHECK(near(nn::attention(keys, keys, values, seen), matrix{{1, 2}, {1, 2}}));
}

TEST_CASE("causal") {
    matrix const zeros{{0, 0}, {0, 0}}, values{{1, 2}, {3, 4}};
    CHECK(near(nn::attention(zeros, zeros, values, tx::causal), matrix{{1, 2}, {2, 3}})); // the first query sees one key
}

TEST_CASE("nn::rotary_embedding, nn::rotary_options, interleaved") {
    tx::tensor<float, tx::shape<2, 2>> const x{{1, 0}, {1, 0}};
    matrix const turned{{1, 0}, {std::cos(1.0f), std::sin(1.0f)}}; // by the position, for the first pair
    CHECK(near(nn::rotary_embedding(x, vec{0, 1}), turned));
    CHECK(near(nn::rotary_embedding(x, vec{0, 1}, tx::interleaved, nn::rotary_options{.base = 500}), turned));
}

TEST_CASE("nn::rnn, nn::rnn_cell") {
    vec const h{0, 0}, b{0, 0};
    matrix const xs{{1, 0}, {0, 1}}; // (t, in)
    auto const [last, all] = nn::rnn(xs, h, std::tuple(identity, identity, b));
    CHECK(near(all, tx::stack(tx::axis<0>, nn::rnn_cell(vec{1, 0}, h, std::tuple(identity, identity, b)), last)));
}

TEST_CASE("nn::gru, nn::gru_cell") {
    tx::tensor<float, tx::shape<1, 3>> const w{{1, 1, 1}};
    auto const b = tx::zeros<float>(tx::shape<3>{});
    tx::tensor<float, tx::shape<1>> const h{0}, x{2};
    auto const [last, all] = nn::gru(tx::stack(tx::axis<0>, x), h, std::tuple(w, w, b, b));
    CHECK(near(last, nn::gru_cell(x, h, std::tuple(w, w, b, b))));
}

TEST_CASE("nn::lstm, nn::lstm_cell, nn::reversed, nn::bidirectional") {
    tx::tensor<float, tx::shape<1, 4>> const w{{1, 1, 1, 1}};
    auto const b = tx::zeros<float>(tx::shape<4>{});
    tx::tensor<float, tx::shape<1>> const zero{0};
    auto const state = std::pair(zero, zero);                     // h and c
    auto const weights = std::tuple(w, w, b);                     // of x, of h, and the bias: i f g o
    tx::tensor<float, tx::shape<2, 1>> const xs{{1}, {2}};        // (t, in)
    auto const [last, all] = nn::lstm(xs, state, weights);        // (h, c), and each h
    auto const back = nn::lstm(xs, state, weights, nn::reversed); // from the last element on
    CHECK(near(tx::slice(back.second, tx::at<1>), nn::lstm_cell(tx::slice(xs, tx::at<1>), state, weights).first));
    auto const both = nn::lstm(xs, std::pair(state, state), std::pair(weights, weights), nn::bidirectional);
    CHECK(near(both.second, tx::concat<-1>(all, back.second)));
}
