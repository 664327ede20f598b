// This file tests tx::kernels::tiles: what the compiler traced runs on tiles, and all else is as with kernels.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

using tx::shape;
using tx::tensor;

namespace {

constexpr tx::options on_tiles{.kernels = tx::kernels::tiles};

using vec = tensor<float, shape<3>>;
using open_vec = tensor<float, shape<tx::dyn>>;

struct layer {
    tensor<float, shape<2, 3>> weights;
    vec bias;
    constexpr auto operator()(auto x) const { return tx::tanh(tx::matmul(x, weights) + bias); }
};

constexpr auto squares = [](auto x) { return tx::sum(x * x); };
constexpr auto several = [](auto x, auto y) {
    return std::tuple(tx::softmax(x * y), std::pair(tx::argmax(x), tx::max(y)), tx::where(x > y, x, 2 * y));
};
tensor<float, shape<3>> live = {1, 2, 3};
tx::variable const weight{vec{1, 2, 3}};

open_vec counting(std::int64_t n) {
    auto out = tx::zeros<float, shape<tx::dyn>>(n);
    for (std::int64_t i = 0; i < n; ++i) out.mutable_data()[i] = static_cast<float>(i);
    return out;
}

} // namespace

TEST_CASE("kernels::tiles: the choice is part of the function's type, and the rest of the options stays") {
    tx::function const f{squares, tx::options{.reduce_retracing = true, .kernels = tx::kernels::tiles}};
    static_assert(decltype(f)::is_static);
    static_assert(decltype(f.settings().kernels)::value == tx::execution::tiles);
    CHECK(f.settings().reduce_retracing);
    tx::options const plain{.jit = tx::jit::never};
    tx::options none;
    none.reduce_retracing = true;
    CHECK(tx::function{squares, plain}(vec{1, 2, 3}).item() == 14);
    CHECK(tx::function{squares, none}.settings().reduce_retracing);
    CHECK(f(vec{1, 2, 3}).item() == 14);
    tx::function const native{squares, tx::options{.kernels = tx::kernels::native}};
    CHECK(native(vec{1, 2, 3}).item() == 14);
    tx::function const with_signature{squares, on_tiles, tx::signature<tx::spec<float, shape<3>>>{}};
    tx::function const signature_first{squares, tx::signature<tx::spec<float, shape<3>>>{}, on_tiles};
    CHECK(with_signature(vec{1, 2, 3}).item() == 14);
    CHECK(signature_first({1, 2, 3}).item() == 14);
    tx::static_function const must{squares, on_tiles};
    CHECK(must(vec{1, 2, 3}).item() == 14);
}

TEST_CASE("kernels::tiles: results are those of kernels") {
    tx::function const tiles{several, on_tiles};
    tx::function const kernels{several};
    vec const x = {1, -2, 3}, y = {0.5f, 4, -1};
    CHECK(tx::all(std::get<0>(tiles(x, y)) == std::get<0>(kernels(x, y))).item());
    auto const [index, largest] = std::get<1>(tiles(x, y));
    CHECK(index.item() == 2);
    CHECK(largest.item() == 4);
    CHECK(tx::all(std::get<2>(tiles(x, y)) == std::get<2>(kernels(x, y))).item());
    for (std::int64_t const n : {1, 5, 16, 1000, 5000})
        CHECK(tx::all(std::get<0>(tiles(counting(n), counting(n) * -0.001f)) == std::get<0>(kernels(counting(n), counting(n) * -0.001f))).item());
    tx::function const scaled{[](auto a, auto s) { return a * s + 1; }, on_tiles};
    CHECK(scaled(x, 2.0f)(2) == 7);
    CHECK(scaled(x, 3)(0) == 4);
    CHECK(scaled(counting(7), 2)(6) == 13);
}

TEST_CASE("kernels::tiles: signatures and counts") {
    tx::function f{squares, on_tiles};
    CHECK(f.tracing_count() == 0);
    f(vec{1, 2, 3}), f(vec{1, 2, 3}), f(counting(4)), f(counting(5));
    CHECK(f.tracing_count() == 2);
    CHECK(f.signatures() == std::vector<std::string>{"(float32[3]) -> float32[]", "(float32[?]) -> float32[]"});
    f.clear();
    CHECK(f.tracing_count() == 0);
    CHECK(f(vec{1, 2, 3}).item() == 14);
    CHECK(f.concrete<tx::spec<float, shape<3>>>()(vec{1, 2, 3}).item() == 14);
}

TEST_CASE("kernels::tiles: what is traced at run time anyway") {
    tx::function never{squares, tx::options{.jit = tx::jit::never, .kernels = tx::kernels::tiles}};
    CHECK(never(vec{1, 2, 3}).item() == 14);
    CHECK(never.tracing_count() == 1);
    float const k = 2;
    tx::function const captures{[k](auto x) { return x * k; }, on_tiles};
    static_assert(!decltype(captures)::is_static);
    CHECK(captures(vec{1, 2, 3})(2) == 6);
    tx::function const always{[k](auto x) { return x * k; }, tx::options{.jit = tx::jit::always, .kernels = tx::kernels::tiles}};
    CHECK_THROWS_AS(always(vec{}), tx::trace_error);
}

TEST_CASE("kernels::tiles: transforms and tx::on keep the choice") {
    tx::function const f{squares, on_tiles};
    auto const gradient = tx::grad(f);
    static_assert(tx::detail::runs_on_tiles<std::remove_const_t<decltype(gradient)>>);
    CHECK(gradient(vec{1, 2, 3})(2) == 6);
    auto const both = tx::function{tx::value_and_grad(squares), on_tiles}(vec{1, 2, 3});
    CHECK(both.first.item() == 14);
    CHECK(both.second(1) == 4);
    auto const mapped = tx::vmap(f);
    CHECK(mapped(tensor<float, shape<2, 3>>{{1, 2, 3}, {0, 0, 1}})(1) == 1);
    auto const threaded = tx::on(tx::cpu{2}, f);
    static_assert(tx::detail::runs_on_tiles<std::remove_cvref_t<decltype(threaded.traced_callable())>>);
    CHECK(threaded(vec{1, 2, 3}).item() == 14);
    CHECK(tx::function{[](auto x) { return tx::sum(tx::grad(squares)(x)); }, on_tiles}(vec{1, 2, 3}).item() == 12);
}

TEST_CASE("kernels::tiles: state, captures and variables are read at each call") {
    layer l{{{1, 0, 0}, {0, 1, 0}}, {0, 0, 1}};
    tx::function const f{std::ref(l), on_tiles};
    tensor<float, shape<1, 2>> const x = {{0, 0}};
    CHECK(f(x)(0, 2) == std::tanh(1.0f));
    l.bias = vec{0, 0, 0};
    CHECK(f(x)(0, 2) == 0);
    tx::function const reads{[](auto y) { return y + live + weight.value(); }, on_tiles};
    CHECK(reads(vec{0, 0, 0})(2) == 6);
    live = vec{0, 0, 0};
    CHECK(reads(vec{0, 0, 0})(2) == 3);
    live = vec{1, 2, 3};
    vec own = {1, 1, 1};
    tx::function const captured{[own = tx::capture(own)](auto y) { return y * own; }, on_tiles};
    CHECK(captured(vec{1, 2, 3})(1) == 2);
    vec factor = {2, 2, 2};
    auto const bound = tx::function{[](auto y, auto by) { return y * by; }, on_tiles}.bind(factor);
    CHECK(bound(vec{1, 2, 3})(2) == 6);
    factor = vec{3, 3, 3};
    CHECK(bound(vec{1, 2, 3})(2) == 9);
}

TEST_CASE("kernels::tiles: branches and effects") {
    tx::function const f{[](auto x) {
                             return tx::cond(tx::sum(x) > 0,
                                             [&] {
                                                 tx::print("positive {}", tx::sum(x));
                                                 return x * live;
                                             },
                                             [&] { return -x; });
                         },
                         on_tiles};
    std::vector<std::string> lines;
    tx::on_print([&](std::string const& line) { lines.push_back(line); });
    CHECK(f(vec{1, 2, 3})(2) == 9);
    CHECK(f(vec{-1, -2, -3})(2) == 3);
    tx::function const only{[](auto x) { tx::print("{}", x); }, on_tiles};
    only(tensor<float, shape<>>(2.0f));
    tx::on_print(nullptr);
    CHECK(lines == std::vector<std::string>{"positive 6.0", "2.0"});
}

TEST_CASE("kernels::tiles: part of another trace, and of a tape") {
    tx::function const inner{squares, on_tiles};
    float const k = 2;
    tx::function const outer{[&](auto x) { return inner(x) * k + inner(live); }};
    CHECK(outer(vec{1, 2, 3}).item() == 42);
    tx::variable<float, shape<3>> v{vec{1, 2, 3}};
    tx::gradient_tape tape;
    auto const y = inner(v.value()) * 2;
    CHECK(tape.gradient(y, v)(2) == 12);
    static constexpr auto doubled_derivative =
        tx::custom_gradient([](auto x) { return x * x; }, [](auto x, auto g) { return 4 * x * g; });
    tx::function const custom{[](auto x) { return tx::sum(doubled_derivative(x)); }, on_tiles};
    tx::gradient_tape second;
    auto const z = custom(v.value());
    CHECK(second.gradient(z, v)(2) == 12);
}

TEST_CASE("kernels::tiles: into") {
    tx::function const f{[](auto x, auto y) { return std::pair(x + y, tx::sum(x)); }, on_tiles};
    auto out = f(counting(1), counting(1));
    f.into(out, counting(4), counting(4));
    CHECK(out.first(3) == 6);
    float const* const memory = out.first.data();
    f.into(out, counting(4), counting(4));
    CHECK(out.first.data() == memory);
    f.into(out, counting(5), counting(5));
    CHECK(out.first(4) == 8);
    tx::function const turned{[](auto x) { return tx::sum(x) - x; }, on_tiles};
    open_vec x = counting(100);
    auto const shared = x;
    turned.into(x, x);
    CHECK(x(0) == 4950);
    CHECK(x(99) == 4851);
    CHECK(shared(99) == 99);
    vec inside = {1, 2, 3};
    turned.into(inside, inside);
    CHECK(inside(0) == 5);
    CHECK(inside(2) == 3);
}

TEST_CASE("kernels::tiles: a call that throws leaves the result as it was") {
    tx::function const f{[](auto x, auto i) { return tx::take(x, i, tx::axis<0>) + 1; }, on_tiles};
    tensor<float, shape<2>> out = {0, 1};
    tensor<std::int64_t, shape<2>> const bad = {0, 9};
    CHECK_THROWS_AS(f.into(out, counting(3), bad), tx::error);
    CHECK(out(1) == 1);
    CHECK_THROWS_AS(f(counting(3), bad), tx::error);
    tx::function const sum{[](auto x, auto y) { return x + y; }, on_tiles};
    CHECK_THROWS_AS(sum(counting(3), counting(4)), tx::shape_error);
    CHECK(sum.tracing_count() == 0);
}
