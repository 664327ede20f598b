// This file tests each pass switched off, for traces of the compiler and of the run: results are equal, and the passes print what
// they should.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {

// A row nest, a product, a reduction, a value that is needed twice, and something to simplify.
struct layer {
    constexpr auto operator()(auto x, auto w) const {
        auto const rows = tx::softmax(x * 1 + 0.5f) - tx::mean(x, tx::axis<0>);
        auto const hidden = tx::abs(tx::matmul(rows, w));
        return std::tuple(hidden * hidden + 1, tx::sum(tx::flip(hidden), tx::axis<1>), tx::max(rows));
    }
};

struct scaled {
    tensor<float, shape<2>> w{2, 3};
    constexpr auto operator()(auto x) const { return x * 1 * w; }
};

template <std::int64_t M, std::int64_t N> tensor<float, shape<M, N>> numbers(std::int64_t m, std::int64_t n) {
    auto out = tx::zeros<float, shape<M, N>>(m, n);
    for (std::int64_t i = 0; i < out.size(); ++i) out.mutable_data()[i] = static_cast<float>((i * 37 + 5) % 23 - 11) / 8;
    return out;
}

bool close(auto const& got, auto const& wanted) {
    bool same = got.dimensions() == wanted.dimensions();
    for (std::int64_t i = 0; same && i < got.size(); ++i) same = std::abs(got.data()[i] - wanted.data()[i]) < 1e-5f;
    return same;
}
bool close_trees(auto const& got, auto const& wanted) {
    return close(std::get<0>(got), std::get<0>(wanted)) && close(std::get<1>(got), std::get<1>(wanted)) && close(std::get<2>(got), std::get<2>(wanted));
}

template <tx::pass_options Options> void check_options() {
    auto const x = numbers<5, 7>(5, 7);
    auto const w = numbers<7, 3>(7, 3);
    auto const wanted = tx::function{layer{}}(x, w);
    tx::function f{tx::with_passes<Options>(layer{})};
    static_assert(decltype(f)::is_static);
    CHECK(close_trees(f(x, w), wanted));
    if constexpr (!Options.cluster) CHECK(close_trees(f(tensor<float, shape<dyn, dyn>>(x), tensor<float, shape<dyn, dyn>>(w)), wanted));
    float const one = 1;
    tx::function at_run_time{tx::with_passes<Options>([&](auto a, auto b) { return layer{}(a * one, b); })};
    static_assert(!decltype(at_run_time)::is_static);
    CHECK(close_trees(at_run_time(x, w), wanted));
}

using matrix = tx::spec<float, shape<5, 7>>;
template <tx::pass_options Options> std::string explained() {
    return tx::function{tx::with_passes<Options>([](auto x) { return tx::sum(tx::exp(x * 1 + 2), tx::axis<1>); })}.template concrete<matrix>().explain_passes();
}
bool has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }
// Without the ways in which loops run, which are each processor's own.
std::string without_strategies(std::string text) {
    for (std::size_t from; (from = text.find(", as ")) != std::string::npos;) text.erase(from, text.find('\n', from) - from);
    return text;
}

} // namespace

TEST_CASE("passes: without simplify") { check_options<tx::pass_options{.simplify = false}>(); }
TEST_CASE("passes: without cluster") { check_options<tx::pass_options{.cluster = false}>(); }
TEST_CASE("passes: without reuse of buffers") { check_options<tx::pass_options{.reuse = false}>(); }

TEST_CASE("passes: options belong to the callable, also bound, referred to, or with state") {
    using vec = tensor<float, shape<2>>;
    constexpr tx::pass_options as_traced{.simplify = false};
    scaled state;
    tx::static_function own{tx::with_passes<as_traced>(state)};
    tx::function elsewhere{tx::with_passes<as_traced>(std::ref(state))};
    state.w = {4, 5};
    CHECK(tx::equal(own(vec{1, 1}), vec{2, 3}));
    CHECK(tx::equal(elsewhere(vec{1, 1}), vec{4, 5}));
    vec w{7, 8};
    auto const bound = tx::function{tx::with_passes<as_traced>([](auto x, auto y) { return x * 1 * y; })}.bind(w);
    CHECK(tx::equal(bound(vec{1, 1}), w));
    using arg = tx::spec<float, shape<2>>;
    CHECK(bound.concrete<arg>().graph().size() > tx::function{[](auto x, auto y) { return x * 1 * y; }}.bind(w).concrete<arg>().graph().size());
    CHECK(tx::graph_of<arg>(tx::with_passes<as_traced>([](auto x) { return x * 1; })).size() == 3);
}

TEST_CASE("passes: the graph before and after each of them, as text") {
    CHECK(without_strategies(explained<tx::pass_options{}>()) == "traced:\n"
                                             "%0 = arg0 : float32[5,7]\n"
                                             "%1 = literal(1) : float32[]\n"
                                             "%2 = multiply(%0, %1) : float32[5,7]\n"
                                             "%3 = literal(2) : float32[]\n"
                                             "%4 = add(%2, %3) : float32[5,7]\n"
                                             "%5 = exp(%4) : float32[5,7]\n"
                                             "%6 = sum(%5) {axes=[1], keepdims=0} : float32[5]\n"
                                             "return %6\n"
                                             "\nafter simplify:\n"
                                             "%0 = arg0 : float32[5,7]\n"
                                             "%1 = literal(2) : float32[]\n"
                                             "%2 = add(%0, %1) : float32[5,7]\n"
                                             "%3 = exp(%2) : float32[5,7]\n"
                                             "%4 = sum(%3) {axes=[1], keepdims=0} : float32[5]\n"
                                             "return %4\n"
                                             "\nafter cluster:\n"
                                             "loop over (5, 7), reduces axes [1], stores %4\n"
                                             "\nafter plan for vectors of " + std::to_string(tx::this_processor.register_bytes) + " bytes:\n"
                                             "loop of 5 times 7, reducing\n"
                                             "    $0 = arg0 : float32\n"
                                             "    $1 = 2 : float32\n"
                                             "    $2 = add($0, $1) : float32\n"
                                             "    $3 = exp($2) : float32\n"
                                             "    result0 = sum($3) : float32\n"
                                             "arena: 0 bytes\n");
    std::string const apart = explained<tx::pass_options{.simplify = false, .cluster = false}>();
    CHECK(has(apart, "loop over (5, 7), stores %2\nloop over (5, 7), stores %4\nloop over (5, 7), stores %5\nloop over (5, 7), reduces axes [1], stores %6\n"));
    CHECK(has(apart, "arena: 384 bytes\n"));
    CHECK(has(explained<tx::pass_options{.cluster = false, .reuse = false}>(), "arena: 384 bytes\n"));
    CHECK(has(explained<tx::pass_options{.simplify = false, .cluster = false, .reuse = false}>(), "arena: 576 bytes\n"));
    int times = 2;
    tx::function at_run_time{[&](auto x) { return tx::matmul(x, x) * times; }};
    std::string const open = at_run_time.concrete<tx::spec<float, shape<dyn, dyn>>>().explain_passes();
    CHECK(has(open, "call %1 = matmul(%0, %0)\nloop over (?, ?), stores %3\n"));
    CHECK(has(open, " bytes, unknown extents taken as"));
}
