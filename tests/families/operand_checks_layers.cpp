// This file tests the messages of functions composed of several ops about operands that don't fit: layers, windows, matrices and
// places.
#include "operand_messages.hpp"

#include <tracexpr/arrays.hpp>
#include <tracexpr/conv.hpp>
#include <tracexpr/fft.hpp>
#include <tracexpr/matrices.hpp>
#include <tracexpr/nn.hpp>
#include <tracexpr/statistics.hpp>

namespace {

using tx::testing::check_all_forms;
using tx::testing::matrix;
using tx::testing::message;
using tx::testing::vec;
using ids = tx::tensor<int, tx::shape<tx::dyn>>;
using cube = tx::tensor<double, tx::shape<tx::dyn, tx::dyn, tx::dyn>>;
// Where it is run, an index is refused by the op that looks it up.
template <class F, class... A> void check_index(char const* called, char const* text, F const& f, A const&... a) {
    CHECK(message(f, a...) == "tx: " + std::string(called) + ": index " + text);
    CHECK(message(tx::function{f}, a...) == "tx: take: index " + std::string(text));
}

} // namespace

TEST_CASE("operand checks: places in several axes, and numbers of elements") {
    matrix const m{{1, 2, 3}, {4, 5, 6}};
    using places = tx::tensor<int, tx::shape<tx::dyn, 2>>;
    auto const gather = [](auto x, auto i) { return tx::gather_nd(x, i); };
    check_index("gather_nd", "3 is out of bounds for axis 1 with size 3", gather, m, places{{0, 3}});
    check_index("gather_nd", "-3 is out of bounds for axis 0 with size 2", gather, m, places{{-3, 0}});
    CHECK(tx::equal(tx::function{gather}(m, places{{0, 2}, {-2, -1}, {1, 0}}), vec{3, 3, 4}));
    auto const scatter = [](auto x, auto i, auto u) { return tx::scatter_nd_add(x, i, u); };
    check_index("scatter_nd_add", "2 is out of bounds for axis 0 with size 2", scatter, m,
                tx::tensor<int, tx::shape<tx::dyn, 1>>{{0}, {2}}, m);
    check_index(
        "unravel_index", "12 is out of bounds for axis 0 with size 12",
        [](auto i) { return tx::unravel_index(i, tx::shape<4, 3>{}).first; }, ids{12});
    check_index(
        "ravel_multi_index", "3 is out of bounds for axis 1 with size 3",
        [](auto i, auto j) { return tx::ravel_multi_index(std::tuple(i, j), tx::shape<4, 3>{}); }, ids{0}, ids{3});
    auto const large = [](auto i) { return tx::unravel_index(i, tx::shape<1000, 1000>{}); };
    CHECK(message(large, ids{1000000}).starts_with("tx: unravel_index: index 1000000 is out of bounds"));
    CHECK(tx::equal(large(ids{-1, 2003}).second, ids{999, 3}));
    CHECK(message([](auto x, auto i) { return tx::delete_at(x, i); }, vec{1, 2, 3}, tx::tensor<int, tx::shape<2>>{1, -2}) ==
          "tx: delete_at: places must differ; one is there twice; given -2.0");
    check_index(
        "embedding", "4 is out of bounds for axis 0 with size 2", [](auto x, auto i) { return tx::nn::embedding(x, i); }, m,
        ids{4});
    check_all_forms(
        "tx: topk: x must have 5 elements along the axis; given (2,)", [](auto x) { return tx::topk<5>(x).first; }, vec{1, 2});
    check_all_forms(
        "tx: topk: x must have 5 elements along the axis; given (2,)", [](auto x) { return tx::topk<5>(x, tx::smallest).second; },
        vec{1, 2});
}
TEST_CASE("operand checks: rows of group_by") {
    char const* const text = "tx: group_by: values must have a row for each key; given (2,), (3,)";
    ids const keys{1, 2, 1};
    CHECK(message([&](auto v) { return tx::group_by(keys).sum(v); }, vec{1, 2}) == text);
    CHECK(message([&](auto v) { return tx::group_by(keys).first(v); }, vec{1, 2}) == text);
    CHECK(message([&](auto v) { return tx::group_by<3>(keys).mean(v); }, vec{1, 2}) == text);
    CHECK(message([&](auto v) { return tx::group_by<3>(keys).first(v); }, vec{1, 2}) == text);
    CHECK(tx::equal(tx::group_by(keys).first(vec{3, 4, 5}), vec{3, 4}));
}
TEST_CASE("operand checks: layers and losses") {
    auto const lstm = [](auto x, auto h, auto w, auto u, auto b) {
        return tx::nn::lstm(x, std::pair(h, h), std::tuple(w, u, b)).second;
    };
    char const* const weights =
        "the weights must be (in, gates h) and (h, gates h), and the bias (gates h), with 4 gates of an LSTM, "
        "3 of a GRU and 1 of an RNN; given ";
    std::string const of_lstm = std::string("tx: lstm: ") + weights + "(5, 2), (3,), (2, 12), (3, 9), (12,), (3,)";
    CHECK(message(lstm, matrix(5, 2), vec(3), matrix(2, 12), matrix(3, 9), vec(12)) == of_lstm);
    CHECK(message(tx::function{lstm}, matrix(5, 2), vec(3), matrix(2, 12), matrix(3, 9), vec(12)) == of_lstm);
    auto const cell = [](auto x, auto h, auto w, auto u, auto b) { return tx::nn::gru_cell(x, h, std::tuple(w, u, b, b)); };
    CHECK(message(tx::function{cell}, vec(2), vec(3), matrix(2, 9), matrix(3, 8), vec(9)) ==
          std::string("tx: gru: ") + weights + "(2,), (3,), (2, 9), (3, 8), (9,), (9,)");
    check_all_forms(
        "tx: nn::cross_entropy: labels must have the shape of scores without the last axis, that of classes; given (4, 3), (3,)",
        [](auto x, auto y) { return tx::nn::cross_entropy(x, y); }, matrix(4, 3), ids{1, 2, 0});
    check_all_forms(
        "tx: nn::huber_loss: targets must have the shape of predictions, or none; given (4,), (3,)",
        [](auto x, auto y) { return tx::nn::huber_loss(x, y); }, vec(4), vec(3));
    check_all_forms(
        "tx: nn::accuracy: both must have one shape; given (2,), (1,)", [](auto x, auto y) { return tx::nn::accuracy(x, y); },
        ids{0, 1}, ids{1});
    check_all_forms(
        "tx: attention: q and k must have equal last extents; given (4, 3), (5, 2), (5, 2)",
        [](auto q, auto k, auto v) { return tx::nn::attention(q, k, v); }, matrix(4, 3), matrix(5, 2), matrix(5, 2));
    check_all_forms(
        "tx: layer_norm: gamma and beta must have the extents of the last axes of x; given (4, 3), (2,), (2,)",
        [](auto x, auto g) { return tx::nn::layer_norm(x, g, g); }, matrix(4, 3), vec(2));
}
TEST_CASE("operand checks: windows and matrices") {
    check_all_forms(
        "tx: max_pool: no window fits: x, with its padding, must have as many elements as a window reaches; given (2, 8, 3), "
        "window (9,)",
        [](auto x) { return tx::max_pool<9>(x); }, cube(2, 8, 3));
    check_all_forms(
        "tx: correlate: a and v must have elements; given (0,), (0,)", [](auto x) { return tx::correlate(x, x); }, vec(0));
    CHECK(message([](int n) { return tx::fft::hann<double>(n); }, -3) ==
          "tx: fft::hann: a window has 0 or more numbers; given -3");
    CHECK(tx::linalg::expm(matrix(0, 0)).size() == 0);
    CHECK(tx::function{[](auto x) { return tx::linalg::expm(x); }}(matrix(0, 0)).size() == 0);
}
