// This file tests tx::opaque and tx::host_callback: C++ that graphs call, in every kind of trace, once for each run, in program
// order.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>
#include <messages.hpp>
#include <run/kinds_of_traces.hpp>

#include <array>
#include <atomic>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using tx::shape;
using tx::spec;
using tx::tensor;
using rank0 = tensor<float, shape<>>;
using vec = tensor<float, shape<2>>;
using scalar_spec = spec<float, shape<>>;
using vec_spec = spec<float, shape<2>>;

namespace {

std::vector<std::string> said; // by callables that a graph calls

constexpr auto log_huber = [](auto x, auto m) {
    if (tx::abs(x).item() <= m.item()) return rank0(x * x);
    return rank0(m * m * (1 - 2 * tx::log(m) + tx::log(x * x)));
};
constexpr auto with_log_huber = [](auto x, auto m) { return tx::opaque<scalar_spec>(log_huber, x, m) + 0 * x; };

// In each kind of trace twice.
template <class F, class Check> void in_traces(F const& f, Check check) {
    tx::testing::in_both_traces(f, [&](auto const& g) { check(g), check(g); });
}
template <class F, class Check> void in_all(F const& f, Check check) {
    in_traces(f, check);
    check(f);
    tx::function const g{f};
    tx::run_eagerly(true);
    check(g);
    tx::run_eagerly(false);
}

} // namespace

TEST_CASE("opaque: an if on elements") {
    in_all(with_log_huber, [](auto const& f) {
        CHECK(f(rank0(1.f), rank0(2.f)).item() == doctest::Approx(1));
        CHECK(f(rank0(1.5f), rank0(2.f)).item() == doctest::Approx(2.25));
        CHECK(f(rank0(3.f), rank0(2.f)).item() == doctest::Approx(7.243720864865316));
        CHECK(f(rank0(-3.f), rank0(2.f)).item() == doctest::Approx(7.243720864865316));
    });
}

TEST_CASE("opaque: several results, of different dtypes and shapes, and none") {
    in_all(
        [](auto x) {
            auto const [sum, order, doubled] = tx::opaque<scalar_spec, spec<int, shape<2>>, vec_spec>(
                [](auto v) {
                    said.push_back("split");
                    bool const ascends = v(0) < v(1);
                    return std::tuple(tx::sum(v), tensor<int, shape<2>>{ascends ? 0 : 1, ascends ? 1 : 0}, v * 2);
                },
                x);
            tx::opaque<>([](auto v) { said.push_back("sum " + tx::to_string(v)); }, sum);
            tx::opaque<>([](auto v) { said.push_back("sum " + tx::to_string(v)); }, sum);
            return std::tuple(tx::cast<float>(order) + sum, doubled);
        },
        [](auto const& f) {
            said.clear();
            auto const [a, b] = f(vec{4, 3});
            CHECK(tx::equal(a, vec{8, 7}));
            CHECK(tx::equal(b, vec{8, 6}));
            CHECK(said == std::vector<std::string>{"split", "sum 7.0", "sum 7.0"});
        });
}

TEST_CASE("opaque: results that nobody needs; numbers, arrays, any rank") {
    in_all(
        [](auto x) {
            static_cast<void>(tx::opaque<scalar_spec>(
                [](auto) {
                    said.push_back("unused");
                    return 1.f;
                },
                x));
            auto const [first, second] = tx::opaque<spec<double, shape<>>, spec<double, shape<>>>(
                [](auto v) { return std::array{static_cast<double>(v(0)), static_cast<double>(v(1))}; }, x);
            auto const wide = tx::opaque<vec_spec>([](auto v, auto) { return tensor<float>(v + 1); }, x, 3);
            static_cast<void>(first);
            return tx::cast<float>(second) * wide;
        },
        [](auto const& f) {
            said.clear();
            CHECK(tx::equal(f(vec{2, 3}), vec{9, 12}));
            CHECK(said.size() == 1);
        });
}

TEST_CASE("opaque: in program order with prints, and where its branch is taken") {
    auto const f = [](auto x) {
        tx::print("one");
        auto const y = tx::cond(
            tx::sum(x) > 0, [&] { return tx::opaque<vec_spec>([](auto v) { return tx::print("two"), v + 1; }, x); },
            [&] {
                tx::print("else");
                return x;
            });
        tx::print("three");
        return y;
    };
    in_all(f, [](auto const& g) {
        std::string lines;
        tx::on_print([&](std::string const& line) { lines += line + ' '; });
        CHECK(tx::equal(g(vec{1, 2}), vec{2, 3}));
        CHECK(tx::equal(g(vec{-1, -2}), vec{-1, -2}));
        tx::on_print(nullptr);
        CHECK(lines == "one two three one else three ");
    });
}

TEST_CASE("opaque: for each example, where its branch is taken") {
    auto const f = [](auto x) {
        return tx::cond(
            tx::sum(x) > 0,
            [&] {
                return tx::opaque<scalar_spec>(
                    [](auto v) {
                        said.push_back(tx::to_string(v));
                        return tx::max(v);
                    },
                    x);
            },
            [&] { return tx::min(x); });
    };
    tensor<float, shape<3, 2>> const m{{1, 2}, {-3, -4}, {5, 4}};
    in_traces(tx::vmap(f), [&](auto const& g) {
        said.clear();
        CHECK(tx::equal(g(m), tensor<float, shape<3>>{2, -4, 5}));
        CHECK(said == std::vector<std::string>{"[1. 2.]", "[5. 4.]"});
    });
    in_traces(tx::vmap<0, tx::none>(with_log_huber), [&](auto const& g) {
        auto const y = g(tensor<float, shape<3>>{1, 3, -3}, rank0(2.f));
        CHECK(tx::all(tx::abs(y - tensor<float, shape<3>>{1.f, 7.2437209f, 7.2437209f}) < 1e-5f).item());
    });
    tensor<float, shape<tx::dyn, 2>> const open = m;
    CHECK(tx::equal(tx::function{tx::vmap(f)}(open), tensor<float, shape<3>>{2, -4, 5}));
}

TEST_CASE("opaque: callables with state; their errors") {
    int calls = 0;
    tx::function const counted{[&calls](auto x) {
        return tx::opaque<vec_spec>(
            [&calls](auto v) {
                ++calls;
                return v * static_cast<float>(calls);
            },
            x);
    }};
    CHECK(tx::equal(counted(vec{1, 2}), vec{1, 2}));
    CHECK(tx::equal(counted(vec{1, 2}), vec{2, 4}));
    CHECK(counted.tracing_count() == 1);
    CHECK(calls == 2);
    tx::function const throws{[](auto x) {
        return tx::opaque<vec_spec>(
            [](auto v) {
                if (v(0) > 1) throw std::domain_error("mine");
                return v;
            },
            x * 2);
    }};
    vec out{7, 8};
    CHECK_THROWS_AS(throws.into(out, vec{1, 2}), std::domain_error);
    CHECK(tx::equal(out, vec{7, 8}));
    throws.into(out, vec{0, 2});
    CHECK(tx::equal(out, vec{0, 4}));
}

TEST_CASE("opaque: results that aren't as declared") {
    in_all([](auto x) { return tx::opaque<scalar_spec>([](auto v) { return tx::cast<double>(v); }, x); },
           [](auto const& f) {
               CHECK(message_of<tx::type_error>([&] { f(vec{1, 2}); }) ==
                     "tx: opaque: the callable's result 0 must be float32[], as it is declared; it gave float64[2]");
           });
    in_all([](auto x) { return tx::opaque<vec_spec>([](auto v) { return tensor<float>(tx::sum(v)); }, x); },
           [](auto const& f) {
               CHECK(message_of<tx::type_error>([&] { f(vec{1, 2}); }) ==
                     "tx: opaque: the callable's result 0 must be float32[2], as it is declared; it gave float32[]");
           });
}

TEST_CASE("opaque: from several threads at once") {
    tx::function const f{with_log_huber};
    std::vector<std::thread> threads;
    std::atomic<int> wrong = 0;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int k = 0; k < 500; ++k) wrong += f(rank0(1.5f), rank0(2.f)).item() != 2.25f;
        });
    for (auto& t : threads) t.join();
    CHECK(wrong == 0);
}

TEST_CASE("host_callback: spans of elements") {
    in_all(
        [](auto x) {
            auto const twice = tx::host_callback<vec_spec>(
                [](std::span<float const> in, std::span<float> out) {
                    for (std::size_t i = 0; i < in.size(); ++i) out[i] = 2 * in[i];
                },
                x);
            return tx::host_callback<scalar_spec>([](std::span<float const> in) { return in[0] + in[1]; }, twice) + tx::sum(x);
        },
        [](auto const& f) { CHECK(f(vec{1, 2}).item() == 9); });
}

TEST_CASE("opaque: on concrete tensors tapes record what it does") {
    tx::gradient_tape tape{{.persistent = true}};
    rank0 const x(3.f), m(2.f);
    tape.watch(x, m);
    auto const y = tx::opaque<scalar_spec>(log_huber, x, m);
    CHECK(y.item() == doctest::Approx(7.243720864865316));
    CHECK(tape.gradient(y, x).item() == doctest::Approx(8. / 3));
    CHECK(tape.gradient(y, m).item() == doctest::Approx(3.243720864865316));
}

TEST_CASE("opaque: strings, and several results for each example") {
    using words = tensor<std::string, shape<2>>;
    in_all([](auto x) { return tx::opaque<spec<std::string, shape<2>>>([](auto v) { return v + std::string("!"); }, x); },
           [](auto const& f) {
               CHECK(tx::all(f(words{"a", "a long word, which takes memory of its own"}) ==
                             words{"a!", "a long word, which takes memory of its own!"})
                         .item());
           });
    for (int n = 0; n < 40; n += 3) { // the graph grows at some of these
        tx::function const g{tx::vmap([n](auto x) {
            auto z = x;
            for (int i = 0; i < n; ++i) z = z + static_cast<float>(i);
            auto const [a, b] = tx::opaque<vec_spec, scalar_spec>([](auto u) { return std::tuple(u * 2.0f, tx::sum(u)); }, z);
            return std::tuple(a, b);
        })};
        float const more = static_cast<float>(n * (n - 1) / 2);
        auto const [a, b] = g(tensor<float, shape<3, 2>>{{1, 2}, {3, 4}, {5, 6}});
        CHECK(tx::equal(a, tensor<float, shape<3, 2>>{{2, 4}, {6, 8}, {10, 12}} + 2 * more));
        CHECK(tx::equal(b, tensor<float, shape<3>>{3, 7, 11} + 2 * more));
    }
}

namespace {
void (*within)() = nullptr;
constexpr auto calls_within = [](auto x) {
    auto const total = tx::opaque<scalar_spec>(
        [](auto s) {
            if (within) within();
            return s;
        },
        tx::sum(x));
    return tx::cumsum(tx::exp(x * total) * 0.0f + x + total, tx::axis<0>);
};
} // namespace
TEST_CASE("opaque: a callable may call the function that runs it with so many other extents that its plan is forgotten") {
    using open = tensor<float, shape<tx::dyn>>;
    open const x{0, 1, 2, 3, 4};
    open const expected = tx::function{calls_within}(x);
    within = [] {
        within = nullptr;
        for (std::int64_t n = 6; n < 30; ++n) CHECK(tx::function{calls_within}(tx::ones<float>(n)).size() == n);
    };
    CHECK(tx::equal(tx::function{calls_within}(x), expected));
    CHECK(!within);
}
