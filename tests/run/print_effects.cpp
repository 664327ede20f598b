// This file tests tx::print in graphs: it prints exactly once for each run, in the order of the program, also in branches and
// functions within.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>
#include <messages.hpp>
#include <run/kinds_of_traces.hpp>

#include <string>
#include <vector>

using tx::shape;
using tx::tensor;
using vec = tensor<float, shape<2>>;
using lines = std::vector<std::string>;

namespace {

// What f prints.
template <class F> lines printed(F const& f) {
    lines out;
    tx::on_print([&](std::string const& line) { out.push_back(line); });
    f();
    tx::on_print(nullptr);
    return out;
}
template <class F, class... X> void check_all(F const& f, lines const& expected, X const&... x) {
    tx::testing::in_both_traces(f, [&](auto const& g) {
        for (int run = 0; run < 2; ++run) CHECK(printed([&] { g(x...); }) == expected);
    });
    CHECK(printed([&] { f(x...); }) == expected);
}

constexpr auto inner = [](auto x) {
    tx::print("inner {}", x);
    return x * 2;
};

} // namespace

TEST_CASE("print: values as NumPy shows them, braces, nothing but text") {
    check_all(
        [](auto x) {
            tx::print("x = {}, sum = {} {{}} {}", x, tx::sum(x), 3);
            return x;
        },
        {"x = [1. 2.], sum = 3.0 {} 3"}, vec{1, 2});
    check_all(
        [](auto x, auto b, auto c, auto h) {
            tx::print("{} {}", x > 1, tx::argmax<0>(x));
            tx::print("{}{}{}", b, c, h);
            return x;
        },
        {"[False  True] 1", "True(1+2j)[1.5 2. ]"}, vec{1, 2}, true, std::complex<float>(1, 2), tensor<tx::half, shape<2>>{tx::half(1.5f), tx::half(2.f)});
    CHECK(printed([] { tx::print("plain"); }) == lines{"plain"});
    CHECK(printed([] { tx::print("{} {}", vec{1, 2}, "text"); }) == lines{"[1. 2.] text"});
}

TEST_CASE("print: equal ones are all printed, in order, though nothing needs them") {
    check_all(
        [](auto x) {
            tx::print("a {}", tx::sum(x));
            tx::print("a {}", tx::sum(x));
            auto const y = tx::exp(x);
            tx::print("b");
            static_cast<void>(y);
            return x;
        },
        {"a 3.0", "a 3.0", "b"}, vec{1, 2});
}

TEST_CASE("print: inside a branch inside a function inside a function, in order") {
    auto const middle = [](auto x) {
        tx::print("before {}", tx::sum(x));
        auto const y = tx::cond(
            tx::sum(x) > 0,
            [&] {
                tx::print("then");
                auto const z = tx::function{inner}(x);
                tx::print("then, {}", tx::cond(tx::max(z) > 3, [] { return 1; }, [&] {
                    tx::print("small");
                    return 0;
                }));
                return z;
            },
            [&] { return -x; });
        tx::print("after {}", y);
        return y;
    };
    auto const outer = [middle](auto x) {
        auto const y = tx::function{middle}(x);
        tx::print("end");
        return y;
    };
    check_all(outer, {"before 3.0", "then", "inner [1. 2.]", "then, 1", "after [2. 4.]", "end"}, vec{1, 2});
    check_all(outer, {"before 0.5", "then", "inner [0.5 0. ]", "small", "then, 0", "after [1. 0.]", "end"}, vec{0.5f, 0});
    check_all(outer, {"before -3.0", "after [1. 2.]", "end"}, vec{-1, -2});
}

TEST_CASE("print: a branch for its effects alone") {
    auto const f = [](auto x) {
        tx::cond(tx::sum(x) > 0, [&] { tx::print("positive"); }, [] {});
        return x + 1;
    };
    check_all(f, {"positive"}, vec{1, 2});
    check_all(f, {}, vec{-1, -2});
}

TEST_CASE("print: once, whatever derivative is taken") {
    auto const f = [](auto x) {
        tx::print("f {}", x);
        return tx::sum(tx::cond(tx::sum(x) > 0, [&] {
            tx::print("cube");
            return x * x * x;
        }, [&] { return x; }));
    };
    lines const once{"f [1. 2.]", "cube"};
    check_all(tx::grad(f), once, vec{1, 2});
    check_all(tx::value_and_grad(f), once, vec{1, 2});
    check_all(tx::hessian(f), once, vec{1, 2});
    check_all(tx::jacrev(f), once, vec{1, 2});
    check_all(tx::jacfwd(f), once, vec{1, 2});
    check_all(tx::vjp(f), once, vec{1, 2}, tensor<float, shape<>>(1.f));
    check_all(tx::jvp(f), once, vec{1, 2}, vec{1, 1});
    check_all(tx::checkpoint(f), once, vec{1, 2});
    check_all(tx::grad(tx::checkpoint(f)), once, vec{1, 2});
}

TEST_CASE("print: of many examples a line for each, where its branch is taken") {
    auto const f = [](auto x) {
        tx::print("x {}", x);
        return tx::cond(tx::sum(x) > 0, [&] {
            tx::print("up {}", tx::sum(x));
            return x;
        }, [&] {
            tx::cond(tx::max(x) > -2, [&] { tx::print("near"); }, [] {});
            return -x;
        });
    };
    tensor<float, shape<3, 2>> const m{{1, 2}, {-1, -2}, {-3, -4}};
    check_all(tx::vmap(f), {"x [1. 2.]", "x [-1. -2.]", "x [-3. -4.]", "up 3.0", "near"}, m);
    tensor<float, shape<tx::dyn, 2>> const open = m;
    check_all(tx::vmap(f), {"x [1. 2.]", "x [-1. -2.]", "x [-3. -4.]", "up 3.0", "near"}, open);
    auto const shared = [](auto x, auto y) {
        tx::print("y {}", y);
        return x * y;
    };
    check_all(tx::vmap<0, tx::none>(shared), {"y 2.0"}, m, tensor<float, shape<>>(2.f));
    check_all([](auto x) { return tx::vmap([](auto row) { return tx::vmap([](auto e) {
                                tx::print("e {}", e);
                                return e;
                            })(row); })(x); },
              {"e 1.0", "e 2.0", "e -1.0", "e -2.0", "e -3.0", "e -4.0"}, m);
}

TEST_CASE("print: callables of which the compiler sees no expr are traced at run time") {
    tx::function const f{[](auto x) {
        tx::print("hello");
        return x + 1;
    }};
    for (int run = 0; run < 2; ++run) CHECK(printed([&] { f(vec{1, 2}); }) == lines{"hello"});
    CHECK(f.tracing_count() == 1);
}

TEST_CASE("print: tapes, concrete functions, into, eager runs") {
    auto const f = [](auto x) {
        tx::print("f {}", tx::sum(x));
        return tx::sum(x * x);
    };
    tx::function const g{f};
    CHECK(printed([&] {
              vec x{1, 2};
              tx::gradient_tape tape;
              tape.watch(x);
              auto const y = g(x);
              CHECK(tx::equal(tape.gradient(y, x), vec{2, 4}));
          }) == lines{"f 3.0"});
    CHECK(printed([&] { g.concrete<tx::spec<float, shape<2>>>()(vec{1, 2}); }) == lines{"f 3.0"});
    CHECK(printed([&] {
              tensor<float, shape<>> out;
              g.into(out, vec{1, 2});
              g.into(out, vec{2, 2});
              CHECK(out.item() == 8);
          }) == lines{"f 3.0", "f 4.0"});
    tx::run_eagerly(true);
    CHECK(printed([&] { g(vec{1, 2}); }) == lines{"f 3.0"});
    tx::run_eagerly(false);
}

TEST_CASE("print: signatures name values only") {
    tx::function const f{inner};
    printed([&] { f(vec{1, 2}); });
    CHECK(f.signatures()[0] == "(float32[2]) -> float32[2]");
}

TEST_CASE("print: graphs tell the text") {
    auto const g = tx::graph_of<tx::spec<float, shape<2>>>([](auto x) {
        tx::print("a \"text\" longer than eight {}", x);
        return x;
    });
    CHECK(g.to_text() == "%0 = arg0 : float32[2]\n%1 = token() : token[]\n%2 = print(%0, %1) {'a \"text\" longer than eight {}'} : token[]\nreturn %0, %2\n");
    CHECK(g.to_json().find("\"text\": \"a \\\"text\\\" longer than eight {}\"") != std::string::npos);
}
