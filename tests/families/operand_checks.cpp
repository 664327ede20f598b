// This file tests that functions composed of several ops check their operands in every form of call: at once, at run time for
// open extents in traces by the compiler and at run time, and for one example of a batch.
#include <tracexpr/distributions.hpp>
#include <tracexpr/fft.hpp>
#include <tracexpr/matrices.hpp>
#include <tracexpr/nn.hpp>
#include <tracexpr/statistics.hpp>
#include "operand_messages.hpp"

#include <cmath>

namespace {

using tx::testing::check_all_forms;
using tx::testing::matrix;
using tx::testing::message;
using tx::testing::vec;
auto const decay = [](auto const& y, auto const&) { return -y; };

} // namespace

TEST_CASE("operand checks: gradient needs samples") {
    check_all_forms(
        "tx: gradient: an axis needs at least two samples, or three for tx::edge_order<2>; given (1,)",
        [](auto x) { return tx::gradient(x); }, vec{1});
    check_all_forms(
        "tx: gradient: an axis needs at least two samples, or three for tx::edge_order<2>; given (2,), ()",
        [](auto x) { return tx::gradient(x, 1, tx::edge_order<2>); }, vec{1, 2});
}
TEST_CASE("operand checks: points of interp and polyfit") {
    vec const x{0.5, 2.5, 9}, xp{0, 1, 2}, fp{0, 1, 2, 3, 4};
    char const* const text = "tx: interp: xp and fp must have one extent; given (3,), (5,)";
    check_all_forms(text, [](auto a, auto p, auto f) { return tx::interp(a, p, f); }, x, xp, fp);
    check_all_forms(text, [](auto a, auto p, auto f) { return tx::interp(a, p, f, tx::interpolation::cubic); }, x, xp, fp);
    CHECK(message([](auto a, auto p, auto f) { return tx::interp(a, p, f); }, x, vec(0), vec(0)) ==
          "tx: interp: needs at least one point; given (0,), (0,)");
    check_all_forms(
        "tx: polyfit: x and y must have as many rows; given (3,), (2,)", [](auto a, auto b) { return tx::polyfit<1>(a, b); }, xp,
        vec{1, 2});
}
TEST_CASE("operand checks: choice") {
    auto const weighted = [](auto x, auto w) { return tx::random::stateless_choice(tx::random::key(1u), x, tx::shape<8>{}, w); };
    check_all_forms("tx: choice: there must be a weight for each part of x; given (3,), (2,)", weighted, vec{1, 2, 3}, vec{1, 1});
    check_all_forms("tx: choice: there must be a weight for each part of x; given (2,), (3,)", weighted, vec{1, 2}, vec{1, 1, 1});
    check_all_forms(
        "tx: choice: without replacement x must have a part for each that is chosen, 3; given (2,)",
        [](auto x) {
            return tx::random::stateless_choice(tx::random::key(1u), x, tx::shape<3>{}, tx::random::without_replacement);
        },
        vec{1, 2});
    check_all_forms(
        "tx: choice: x must have a part to choose; given (0,)",
        [](auto x) { return tx::random::stateless_choice(tx::random::key(1u), x, tx::shape<3>{}); }, vec(0));
    CHECK(message([](auto n) { return tx::random::choice(n, tx::shape<3>{}, tx::random::without_replacement); }, 2) ==
          "tx: choice: without replacement x must have a part for each that is chosen, 3; given (2,)");
    CHECK(message([](auto n) { return tx::random::choice(n, tx::shape<3>{}, vec{1, 2, 3}); }, 2) ==
          "tx: choice: there must be a weight for each part of x; given (2,), (3,)");
    CHECK(message(weighted, vec{1, 2}, vec{1, -1}) == "tx: choice: weights must not be negative; given -1.0");
    CHECK(tx::equal(tx::function{weighted}(vec{1, 2}, vec{1, -1}), tx::ones<double>(8)));
}
TEST_CASE("operand checks: times of ode") {
    auto const f = [](auto y, auto t) { return tx::ode(decay, y, t); };
    check_all_forms("tx: ode: needs a time, that of y0; given (0,)", f, vec{1}, vec(0));
    CHECK(message(f, vec{1}, vec{1, 0}) == "tx: ode: the times must grow; one is less than the one before it; given 0.0");
    auto const traced = tx::function{f}(vec{1}, vec{1, 2, 0, 3});
    CHECK(std::abs(traced(1, 0) - std::exp(-1.0)) < 1e-7);
    CHECK(std::isnan(traced(2, 0)));
    CHECK(std::abs(traced(3, 0) - std::exp(-2.0)) < 1e-7);
}
TEST_CASE("operand checks: a window of stft") {
    check_all_forms(
        "tx: stft: the window must be a vector of as many elements as a part; given (5,), (1,), parts have 4 elements",
        [](auto x, auto w) { return tx::real(tx::fft::stft<4, 2>(x, w)); }, vec{1, 2, 3, 4, 5}, vec{1});
}
TEST_CASE("operand checks: functions that ask the same of their operands are named each") {
    matrix const fits{{2, 0}, {0, 2}}, other{{1, 2, 3}, {4, 5, 6}};
    int const captured = 0; // so that it is traced at run time
    tx::function const both{[captured](auto a, auto b) {
        static_cast<void>(captured);
        return tx::linalg::expm(a) + tx::sum(tx::linalg::logm(b));
    }};
    CHECK(message(both, other, fits) == "tx: expm: takes a square matrix, or several in the last two axes; given (2, 3)");
    CHECK(message(both, fits, other) == "tx: logm: takes a square matrix, or several in the last two axes; given (2, 3)");
}
TEST_CASE("operand checks: median and quantile need elements") {
    check_all_forms("tx: median: must not reduce an axis of extent 0; given (0,)", [](auto x) { return tx::median(x); }, vec(0));
    check_all_forms(
        "tx: quantile: must not reduce an axis of extent 0; given (3, 0)",
        [](auto x) { return tx::quantile(x, 0.5, tx::axis<1>); }, matrix(3, 0));
}
TEST_CASE("operand checks: probabilities of dropout, smoothing of cross_entropy") {
    auto const drop = [](auto x, auto keep) { return tx::nn::dropout(x, tx::sum(keep)); };
    char const* const text = "tx: dropout: the probability to keep an element must lie between 0 and 1; given 1.5";
    CHECK(message(drop, vec{1, 2}, vec{1.5}) == text);
    CHECK(message([](auto x) { return tx::nn::dropout(x, 1.5); }, vec{1, 2}) == text);
    CHECK(message(tx::function{[](auto x) { return tx::nn::dropout(x, 1.5f); }}, vec{1, 2}) == text);
    CHECK(tx::all(tx::isnan(tx::function{drop}(vec{1, 2}, vec{1.5}))).item());
    CHECK(message([](auto x) { return tx::nn::dropout_channels(x, -1); }, tx::tensor<double, tx::shape<1, 2>>{{1, 2}}) ==
          "tx: dropout_channels: the probability to keep an element must lie between 0 and 1; given -1.0");
    auto const smoothed = [](auto x) { return tx::nn::cross_entropy(x, tx::tensor<int, tx::shape<1>>{1}, {.smoothing = 2}); };
    CHECK(message(smoothed, tx::tensor<double, tx::shape<1, 2>>{{1, 2}}) ==
          "tx: nn::cross_entropy: the smoothing must lie between 0 and 1; given 2.0");
}
TEST_CASE("operand checks: what passes them computes what it did, with its derivatives") {
    auto const f = [](auto x, auto p, auto q) { return tx::sum(tx::interp(x, p, q) * x); };
    vec const x{0.5, 1.5}, p{0, 1, 2}, q{0, 1, 4};
    CHECK(tx::function{f}(x, p, q).item() == 0.25 + 3.75);
    CHECK(tx::equal(tx::grad(f)(x, p, q), vec{1, 7}));
    CHECK(tx::jvp(f)(x, p, q, vec{1, 0}, vec{0, 0, 0}, vec{0, 0, 0}).second.item() == 1);
    auto const squares = [](auto a) { return tx::sum(tx::square(tx::gradient(a))); };
    CHECK(tx::equal(tx::hessian(squares)(vec{1, 3}), tx::tensor<double, tx::shape<2, 2>>{{4, -4}, {-4, 4}}));
    auto const in_branch = [](auto a) {
        return tx::cond(tx::sum(a) > 0, [](auto v) { return tx::gradient(v); }, [](auto v) { return -v; }, a);
    };
    CHECK(tx::equal(tx::function{in_branch}(vec{1, 3}), vec{2, 2}));
    auto const matrix = tx::tensor<double, tx::shape<tx::dyn, tx::dyn>>{{1, 3}, {2, 5}};
    CHECK(tx::equal(tx::vmap([](auto v) { return tx::vmap([](auto w) { return w * 2; })(tx::gradient(v)); })(matrix),
                    tx::tensor<double, tx::shape<2, 2>>{{4, 4}, {6, 6}}));
}
