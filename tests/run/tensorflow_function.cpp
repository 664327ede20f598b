// This file tests the examples of TensorFlow's documentation of tf.function, tf.Variable and tf.py_function, in their order, as
// far as they mean something here: https://www.tensorflow.org/guide/function,
// https://www.tensorflow.org/api_docs/python/tf/function and .../tf/py_function (TensorFlow 2.16).
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>
#include <messages.hpp>

#include <functional>
#include <random>
#include <string>
#include <vector>

using tx::shape;
using tx::spec;
using tx::tensor;
using single = tensor<float, shape<>>;
using single_variable = tx::variable<float, shape<>>;

namespace {

std::vector<std::string> said;

} // namespace

TEST_CASE("guide/function: polymorphism, one graph for each dtype") {
    said.clear();
    tx::function const double_{[](auto a) {
        said.push_back("Tracing");
        return a + a;
    }};
    for (int run = 0; run < 2; ++run) {
        CHECK(double_(1).item() == 2);
        CHECK(double_(1.1f).item() == 2.2f);
        CHECK(double_(tensor<std::string, shape<>>("a")).item() == "aa");
    }
    CHECK(said.size() == 3);
    CHECK(double_.signatures().size() == 3);
}

TEST_CASE("api/function: a function of a scalar, a vector, a matrix is traced three times, with an input signature once") {
    auto const f = [](auto x) { return x + 1.0f; };
    tensor<float> const scalar(1.f), vector = {1, 2}, matrix = {{3, 4}, {5, 6}};
    tx::function const g{f};
    int const kept = 0;
    tx::function const by_rank{[f, kept](auto x) { return static_cast<void>(kept), f(x); }};
    for (auto const& x : {scalar, vector, matrix}) CHECK(tx::equal(by_rank(x), x + 1.f));
    CHECK(by_rank.tracing_count() == 3);
    g(single(1.f)), g(tensor<float, shape<2>>{1, 2}), g(tensor<float, shape<2, 2>>{{3, 4}, {5, 6}});
    CHECK(g.tracing_count() == 3);
    tx::function const any{f, tx::signature<spec<float, tx::any_shape>>{}};
    for (auto const& x : {scalar, vector, matrix}) CHECK(tx::equal(any(x), x + 1.f));
    CHECK(any.tracing_count() == 1);
}

TEST_CASE("guide/function: Python's arguments are keys, numbers are tensors") {
    said.clear();
    auto const train = [](auto x, auto steps) {
        said.push_back("Tracing");
        if constexpr (std::is_same_v<decltype(steps), int>)
            for (int k = 0; k < steps; ++k) x = x + 1.0f;
        return x;
    };
    tx::function const f{train};
    CHECK(f(single(0.f), tx::key(10)).item() == 10);
    CHECK(f(single(0.f), tx::key(20)).item() == 20);
    CHECK(f(single(1.f), tx::key(20)).item() == 21);
    CHECK(said.size() == 2);
    said.clear();
    f(single(0.f), 2), f(single(0.f), 3);
    CHECK(said.size() == 1);
}

TEST_CASE("guide/function: two functions of one callable share nothing") {
    auto const f = [](auto x) { return x * x; };
    tx::function const a{f}, b{f};
    a(2.0f), a(3.0f);
    CHECK(a.tracing_count() == 1);
    CHECK(b.tracing_count() == 0);
}

TEST_CASE("guide/function: what the host does happens while tracing, what the graph does at each call") {
    said.clear();
    std::vector<std::string> printed;
    tx::on_print([&](std::string const& line) { printed.push_back(line); });
    tx::function const f{[](auto x) {
        said.push_back("Traced");
        tx::print("Executed with {}", x);
        return x;
    }};
    f(1.0f), f(1.0f), f(2.0f);
    tx::on_print(nullptr);
    CHECK(said.size() == 1);
    CHECK(printed == std::vector<std::string>{"Executed with 1.0", "Executed with 1.0", "Executed with 2.0"});
}

TEST_CASE("guide/function: a counter on the host, a counter in an opaque callable, a counter that is a variable") {
    int traced = 0;
    static int called = 0;
    single_variable counted{0.0f};
    called = 0;
    tx::function const f{[&](auto x) {
        ++traced;
        counted.assign_add(1.0f);
        return x + tx::opaque<spec<float, shape<>>>(
                       [](auto v) {
                           ++called;
                           return v;
                       },
                       x);
    }};
    for (int k = 0; k < 5; ++k) CHECK(f(1.0f).item() == 2);
    CHECK(traced == 1);
    CHECK(called == 5);
    CHECK(counted.item() == 5);
    called = 0;
    tx::function const looped{[](auto x) {
        return tx::fori_loop(
            0, 10,
            [](auto, auto s) {
                return tx::opaque<spec<float, shape<>>>(
                    [](auto v) {
                        ++called;
                        return v + 1.0f;
                    },
                    s);
            },
            x);
    }};
    CHECK(looped(single(0.f)).item() == 10);
    CHECK(called == 10);
}

TEST_CASE("guide/function: random numbers of the host are frozen, the graph's are fresh") {
    std::mt19937 host(7);
    tx::function const frozen{[&](auto x) { return x + std::uniform_real_distribution<float>()(host); }};
    tx::function const fresh{[](auto x) { return x + tx::random::normal<float>(shape<>{}); }};
    CHECK(frozen(0.0f).item() == frozen(0.0f).item());
    CHECK(fresh(0.0f).item() != fresh(0.0f).item());
}

TEST_CASE("api/function: variables keep their state between calls") {
    single_variable c{0.0f};
    tx::function const f{[&](auto x) {
        c.assign_add(x);
        return c.value();
    }};
    CHECK(c.item() == 0);
    CHECK(f(1.0f).item() == 1);
    CHECK(c.item() == 1);
    CHECK(f(1.0f).item() == 2);
    tx::function const f2{[&](auto x) { return c.assign(x), c + 1.0f; }};
    CHECK(f2(1.0f).item() == 2);
    CHECK(c.item() == 1);
    CHECK(f2(2.0f).item() == 3);
    CHECK(c.item() == 2);
}

namespace {

template <std::int64_t In, std::int64_t Out> struct dense {
    tx::variable<float, shape<In, Out>> w;
    tx::variable<float, shape<Out>> b;
    auto operator()(auto x) const { return tx::matmul(x, w) + b; }
};
struct my_model {
    dense<2, 3> first{tx::ones<float>(shape<2, 3>{}), tx::zeros<float>(shape<3>{})};
    dense<3, 1> second{tx::ones<float>(shape<3, 1>{}), tx::ones<float>(shape<1>{})};
    template <class X, class Training> auto operator()(X const& x, Training) const {
        auto const hidden = first(x);
        if constexpr (Training::value) return second(tx::nn::dropout(hidden, 0.5f));
        else return second(hidden);
    }
};

} // namespace

TEST_CASE("guide/intro_to_modules: layers of one class, and training as an argument that shapes the graph") {
    dense<2, 2> d1{tensor<float, shape<2, 2>>{{1, 0}, {0, 1}}, tensor<float, shape<2>>{1, 1}};
    dense<2, 2> d2{tensor<float, shape<2, 2>>{{2, 0}, {0, 2}}, tensor<float, shape<2>>{0, 0}};
    tensor<float, shape<1, 2>> const x{{1, 2}};
    tx::function const sum{[&](auto v) { return d1(v) + d2(v); }};
    tx::function const chain{[&](auto v) { return d2(d1(v)); }};
    CHECK(tx::equal(sum(x), tensor<float, shape<1, 2>>{{4, 7}}));
    CHECK(tx::equal(chain(x), tensor<float, shape<1, 2>>{{4, 6}}));
    d1.b.assign(tensor<float, shape<2>>{10, 10});
    CHECK(tx::equal(chain(x), tensor<float, shape<1, 2>>{{22, 24}}));

    my_model const model;
    tx::function const f{std::ref(model)};
    CHECK(f(x, std::false_type{})(0, 0) == 10);
    f(x, std::true_type{});
    CHECK(f.tracing_count() == 2);
    auto const draws = [&](auto training) {
        int count = 0;
        tx::function const traced{std::ref(model)};
        for (tx::node const& n : traced.concrete<spec<float, shape<1, 2>>, decltype(training)>().graph())
            count += n.code == tx::op::random_bits;
        return count;
    };
    CHECK(draws(std::true_type{}) == 1);
    CHECK(draws(std::false_type{}) == 0);
}

TEST_CASE("api/function: if and while on values are cond and while_loop") {
    tx::function const f{
        [](auto x) { return tx::cond(tx::sum(x) > 0, [&] { return x * x; }, [&] { return tx::floor_divide(-x, 2); }); }};
    CHECK(f(tensor<int, shape<1>>{-2})(0) == 1);
    CHECK(f(tensor<int, shape<1>>{3})(0) == 9);
    tx::function const collatz{[](auto n) {
        auto const [last, steps] = tx::while_loop(
            [](auto k, auto) { return k != 1; },
            [](auto k, auto count) { return std::tuple(tx::where(k % 2 == 0, tx::floor_divide(k, 2), 3 * k + 1), count + 1); }, n,
            n * 0);
        static_cast<void>(last);
        return steps;
    }};
    CHECK(collatz(tensor<std::int64_t, shape<>>(27)).item() == 111);
    CHECK(collatz(tensor<std::int64_t, shape<>>(1)).item() == 0);
}

TEST_CASE("api/function: scaled_elu") {
    tx::function const scaled_elu{[](auto z, auto scale, auto alpha) {
        return tx::cond(z >= 0, [&] { return scale * z; }, [&] { return scale * alpha * tx::expm1(z); });
    }};
    float const want[][2]{{-2, -0.864665f}, {-1, -0.632121f}, {0, 0}, {1, 1}};
    for (auto const& [z, y] : want) CHECK(scaled_elu(single(z), 1.0f, 1.0f).item() == doctest::Approx(y).epsilon(1e-5));
}

TEST_CASE("guide/function: dynamic_rnn, a loop that accumulates its outputs") {
    tensor<float, shape<3, 2, 4>> input = tx::zeros<float>(shape<3, 2, 4>{});
    for (int i = 0; i < 24; ++i) input.mutable_data()[i] = 0.1f * static_cast<float>(i);
    tx::function const rnn{[](auto x) {
        auto const start = tx::sum(x, tx::axis<0>) * 0;
        return tx::scan([](auto state, auto step) { return std::pair(tx::tanh(state + step), state + step); }, start, x);
    }};
    auto const [state, outputs] = rnn(input);
    float s = 0;
    for (int t = 0; t < 3; ++t) {
        float const sum = s + input(t, 1, 3);
        CHECK(outputs(t, 1, 3) == doctest::Approx(sum));
        s = std::tanh(sum);
    }
    CHECK(state(1, 3) == doctest::Approx(s));
}

TEST_CASE("api/py_function: log_huber") {
    auto const log_huber = [](auto x, auto m) {
        if (tx::abs(x).item() <= m.item()) return single(x * x);
        return single(m * m * (1 - 2 * tx::log(m) + tx::log(x * x)));
    };
    tx::function const f{[log_huber](auto x, auto m) { return tx::opaque<spec<float, shape<>>>(log_huber, x, m); }};
    for (auto const& [at, y, slope] : {std::tuple(1.f, 1.0, 2.0), {2.f, 4.0, 4.0}}) {
        single const x(at), m(2.f);
        tx::gradient_tape tape;
        tape.watch(x, m);
        auto const out = f(x, m);
        CHECK(out.item() == doctest::Approx(y));
        auto const [dx, dm] = tape.gradient(out, std::tuple(x, m), tx::unconnected::zero);
        CHECK(dx.item() == doctest::Approx(slope));
        CHECK(dm.item() == 0);
    }
}
