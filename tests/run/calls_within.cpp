// This file tests callables that, while they are traced, call functions on concrete tensors: their own, or each other's from
// several threads.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <thread>

using tx::shape;
using tx::tensor;
using vec = tensor<float, shape<2>>;

namespace {

bool same(auto const& a, auto const& b) { return tx::equal(a, b); }

// Callables that call what they are told to while they are traced. Of the one without state a call within a trace is a call on tensors;
// what the other holds may be live, so that its calls become part of the trace.
template <int> std::function<vec(vec const&)> told;
template <int N> struct calling {
    auto operator()(auto x) const { return x + told<N>(vec{1, 1}); }
};
struct calling_held {
    std::function<vec(vec const&)> const* other;
    explicit calling_held(std::function<vec(vec const&)> const& f) : other{&f} {}
    auto operator()(auto x) const { return x + (*other)(vec{1, 1}); }
};
std::function<vec(vec const&, int)> smaller;
struct factorial {
    auto operator()(auto x, int n) const { return n <= 1 ? x * 1.0f : x * smaller(vec{1, 1}, n - 1) * static_cast<float>(n); }
};
struct endless {
    std::function<vec(int)> const* next;
    explicit endless(std::function<vec(int)> const& f) : next{&f} {}
    auto operator()(auto x, int n) const { return x + (*next)(n + 1); }
};

constexpr auto too_deep = "tx: function: calls inside traced callables nest at most 200 deep; a callable must not call its own function without end";
constexpr auto recursion = "tx: function: while it is traced, the callable calls its own function with the same signature, which has no end; call the "
                           "function for other values outside of the callable, or give a call inside it another signature or tx::key";

} // namespace

TEST_CASE("calls within: a callable that calls its own function for the same signature") {
    SUBCASE("on tensors") {
        tx::function f{calling<0>{}};
        told<0> = [&](vec const& x) -> vec { return f(x); };
        for (int k = 0; k < 2; ++k) CHECK_THROWS_WITH_AS(f(vec{2, 3}), recursion, tx::trace_error);
        CHECK(f.tracing_count() == 0);
        told<0> = [](vec const& x) { return x; };
        CHECK(same(f(vec{2, 3}), vec{3, 4}));
        CHECK(f.tracing_count() == 1);
    }
    SUBCASE("by way of another function") {
        tx::function a{calling<1>{}};
        tx::function b{calling<2>{}};
        told<1> = [&](vec const& x) -> vec { return b(x); };
        told<2> = [&](vec const& x) -> vec { return a(x); };
        CHECK_THROWS_WITH_AS(a(vec{2, 3}), recursion, tx::trace_error);
        told<2> = [](vec const& x) { return x * 2; };
        CHECK(same(a(vec{2, 3}), vec{2 + 1 + 2, 3 + 1 + 2}));
    }
    SUBCASE("where its state may be live") {
        std::function<vec(vec const&)> again;
        tx::function f{calling_held(again)};
        again = [&](vec const& x) -> vec { return f(x); };
        CHECK_THROWS_WITH_AS(f(vec{2, 3}), too_deep, tx::trace_error);
        again = [](vec const& x) { return x; };
        CHECK(same(f(vec{2, 3}), vec{3, 4}));
    }
}

TEST_CASE("calls within: for another signature it works") {
    tx::function f{factorial{}};
    smaller = [&](vec const& x, int n) -> vec { return f(x, tx::key(n)); };
    CHECK(same(f(vec{1, 2}, tx::key(5)), vec{120, 240}));
    CHECK(f.tracing_count() == 5);
}

TEST_CASE("calls within: inlined calls that have no end, and signatures without end") {
    tx::variable<float, shape<2>> v{vec{1, 1}};
    std::function<vec(int)> next;
    tx::function f{endless(next)};
    SUBCASE("on what is live") { next = [&](int n) -> vec { return f(v, tx::key(n)); }; }
    SUBCASE("on tensors") { next = [&](int n) -> vec { return f(vec{1, 1}, tx::key(n)); }; }
    CHECK_THROWS_WITH_AS(f(vec{2, 3}, tx::key(0)), too_deep, tx::trace_error);
    CHECK(f.tracing_count() == 0);
    next = [&](int n) -> vec { return n < 100 ? vec(f(v, tx::key(n))) : vec{0, 0}; };
    CHECK(same(f(vec{2, 3}, tx::key(0)), vec{102 - 1, 103 - 1}));
}

TEST_CASE("calls within: two functions that call each other from two threads") {
    static thread_local int depth = 0;
    for (int round = 0; round < 20; ++round) {
        std::atomic<int> inside{0};
        tx::function a{calling<3>{}};
        tx::function b{calling<4>{}};
        // Not before both threads are tracing; calls within those calls end there.
        auto const within = [&](auto const& other, vec const& x) -> vec {
            if (depth > 0) return x;
            ++depth;
            ++inside;
            while (inside < 2) std::this_thread::yield();
            vec const out = other(x);
            --depth;
            return out;
        };
        told<3> = [&](vec const& x) -> vec { return within(b, x); };
        told<4> = [&](vec const& x) -> vec { return within(a, x); };
        vec from_a, from_b;
        std::thread first([&] { from_a = a(vec{1, 2}); });
        std::thread second([&] { from_b = b(vec{1, 2}); });
        first.join();
        second.join();
        CHECK(from_a(0) >= 2);
        CHECK(from_b(0) >= 2);
        CHECK(a.tracing_count() == 1);
        CHECK(b.tracing_count() == 1);
    }
}

TEST_CASE("calls within: a key whose == calls the function") {
    static std::function<void()> asked;
    struct watched_key {
        int value = 0;
        std::string text; // no bytes to compare
        bool operator==(watched_key const& other) const {
            if (asked) asked();
            return value == other.value;
        }
    };
    tx::function f{[](auto x, watched_key const& k) { return x * static_cast<float>(k.value); }};
    f(vec{1, 2}, tx::key(watched_key{1, ""}));
    int calls = 0;
    asked = [&] {
        if (calls++ == 0) CHECK(same(f(vec{1, 2}, tx::key(watched_key{3, ""})), vec{3, 6}));
    };
    CHECK(same(f(vec{1, 2}, tx::key(watched_key{2, ""})), vec{2, 4}));
    asked = nullptr;
    CHECK(f.tracing_count() == 3);
}
