// This file tests what the handler of tx::print may do while a function runs: call functions, the same one included, and throw.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

using tx::shape;
using tx::tensor;
using open = tensor<double, shape<tx::dyn>>;

namespace {

open counted(std::int64_t n) { return tx::arange<double>(n) * 0.01 + 1; }

struct quiet {
    quiet() {
        tx::on_print([](std::string const&) {});
    }
    ~quiet() { tx::on_print(nullptr); }
};

// f prints: its result while the handler calls it with many other extents, so that their plans don't all fit in memory.
template <class F> void check_reentrant(F const& f) {
    quiet const lines;
    open const x = counted(100);
    auto const expected = f(x);
    int depth = 0, calls = 0;
    tx::on_print([&](std::string const&) {
        if (depth) return;
        ++depth;
        for (std::int64_t n = 1; n < 30; ++n) f(counted(n)), ++calls;
        --depth;
    });
    CHECK(tx::equal(f(x), expected));
    CHECK(calls == 29);
    CHECK(tx::equal(f(x), expected));
}

} // namespace

TEST_CASE("handlers: a run keeps its plan, however many a handler makes") {
    check_reentrant(tx::function{[](auto x) {
        auto const c = tx::cumsum(tx::exp(x * 0.01) + x, tx::axis<0>);
        tx::print("{}", tx::sum(c));
        return tx::cumsum(tx::flip(c) * x, tx::axis<0>) + tx::sum(c) * tx::flip(x);
    }});
    check_reentrant(tx::function{[](auto x) {
        auto const a = tx::cumsum(x, tx::axis<0>);
        return tx::cond(
            tx::sum(x) > 0,
            [&] {
                auto const c = tx::cumsum(a, tx::axis<0>);
                tx::print("{}", tx::sum(c));
                return tx::cumsum(tx::flip(c) * a, tx::axis<0>) + tx::sum(c) * tx::flip(a);
            },
            [&] { return a; });
    }});
}

TEST_CASE("handlers: into changes nothing where one throws") {
    quiet const lines;
    tx::function const f{[](auto x) {
        auto const a = x * 2;
        tx::print("{}", tx::sum(a));
        return std::tuple(a, tx::cumsum(a, tx::axis<0>) + tx::sum(tx::sqrt(a)));
    }};
    tensor<double, shape<5>> const x{1, 2, 3, 4, 5};
    auto out = f(x), before = out;
    f.into(out, x);
    tx::on_print([](std::string const&) { throw std::runtime_error("handler"); });
    CHECK_THROWS_WITH(f.into(out, x * 10), "handler");
    CHECK(tx::equal(std::get<0>(out), std::get<0>(before)));
    CHECK(tx::equal(std::get<1>(out), std::get<1>(before)));
}

TEST_CASE("handlers: constants that are kept take no effect with them") {
    quiet const lines;
    tx::function const f{[](auto x) {
        auto const one = tx::ones_like(x);
        auto const shown = tx::cond(
            tx::sum(one) > 0,
            [&] {
                tx::print("once {}", tx::sum(tx::cos(one)));
                return tx::sin(one);
            },
            [&] { return one; });
        return x + tx::sum(shown);
    }};
    tensor<double, shape<100>> const x = tx::ones<double, shape<100>>();
    int lines_seen = 0, depth = 0;
    tx::on_print([&](std::string const&) {
        ++lines_seen;
        if (depth++ == 0) f(x);
    });
    for (int run = 1; run <= 2; ++run) {
        lines_seen = depth = 0;
        CHECK(f(x)(0) == doctest::Approx(1 + 100 * std::sin(1.0)));
        CHECK(lines_seen == 2);
    }
}
