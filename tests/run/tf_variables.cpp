// This file tests what TensorFlow's def_function_test.py, polymorphic_function_test.py and resource_variable_ops_test.py ask of
// variables, in branches, loops and functions within functions.
#include <run/ways_to_run.hpp>

#include <optional>
#include <string>

using tx::shape;
using tx::tensor;
using tx::testing::eager_runs;
using single = tensor<double, shape<>>;
using int0 = tensor<int, shape<>>;
using vec = tensor<double, shape<3>>;
using var0 = tx::variable<double, shape<>>;
using counter = tx::variable<int, shape<>>;

namespace {

// As traced, and as called each time.
template <class Check> void traced_and_eagerly(Check check) {
    check();
    eager_runs const eager;
    INFO("run eagerly");
    check();
}

} // namespace

TEST_CASE("variables: a condition reads what the body assigns") {
    traced_and_eagerly([] {
        var0 v{1.0};
        tx::function const f{[&v](auto x) {
            return tx::while_loop([&](auto) { return v < 100; }, [&](auto s) { return v.assign(v * 2.0), s + v; }, x);
        }};
        CHECK(f(single(0.0)).item() == 254);
        CHECK(v.item() == 128);
        CHECK(f(single(3.0)).item() == 3);
        CHECK(v.item() == 128);
        v.assign(60.0);
        CHECK(f(single(3.0)).item() == 123);
        CHECK(v.item() == 120);
    });
}

TEST_CASE("variables: assigned before, in and after a loop, twice in its body, in an inner loop") {
    traced_and_eagerly([] {
        var0 v{5.0}, w{0.0};
        tx::function const f{[&](auto x) {
            v.assign(x);
            auto const s = tx::fori_loop(
                0, 3,
                [&](auto i, auto acc) {
                    v.assign_add(i + 1);
                    auto const between = v * 10.0;
                    v.assign_add(x);
                    auto const inner = tx::fori_loop(0, 2, [&](auto j, auto t) { return w.assign_add(v + j), t + w; }, x * 0);
                    return acc + between + inner;
                },
                x * 0);
            auto const after = v + 0.0;
            v.assign(w * 2.0);
            return std::tuple(s, after);
        }};
        double pv = 1, pw = 0, s = 0;
        for (int i = 0; i < 3; ++i) {
            pv += i + 1;
            s += pv * 10;
            pv += 1;
            for (int j = 0; j < 2; ++j) pw += pv + j, s += pw;
        }
        auto const [sum, after] = f(single(1.0));
        CHECK(sum.item() == s);
        CHECK(after.item() == pv);
        CHECK(w.item() == pw);
        CHECK(v.item() == 2 * pw);
    });
}

TEST_CASE("variables: branches that assign, one, both, or within a loop; switch_case") {
    traced_and_eagerly([] {
        counter taken{0}, other{0};
        tx::function const f{[&](auto x) {
            return tx::cond(
                x > 0, [&] { return taken.assign_add(1), x * 2; },
                [&] {
                    taken.assign_sub(1);
                    other.assign(taken + 100);
                    return x;
                });
        }};
        CHECK(f(single(1.0)).item() == 2);
        CHECK(f(single(1.0)).item() == 2);
        CHECK(f(single(-1.0)).item() == -1);
        CHECK(taken.item() == 1);
        CHECK(other.item() == 101);
        counter hits{0};
        tx::function const g{[&](auto k) {
            tx::switch_case(
                k, std::tuple([&] { hits.assign_add(1); }, [&] { hits.assign_add(10); }, [&] { hits.assign(hits * 2); }));
        }};
        for (int const k : {0, 1, 1, 2, 7}) g(int0(k));
        CHECK(hits.item() == 84);
        counter odd{0}, even{0};
        tx::function const h{[&](auto n) {
            tx::fori_loop(
                0, n,
                [&](auto i, auto z) {
                    tx::cond(i % 2 == 0, [&] { even.assign_add(1); }, [&] { odd.assign_add(1); });
                    return z;
                },
                n);
        }};
        h(int0(7));
        CHECK(even.item() == 4);
        CHECK(odd.item() == 3);
        h(int0(0));
        CHECK(even.item() == 4);
    });
}

TEST_CASE("variables: scans and maps whose bodies assign; map keeps the order") {
    traced_and_eagerly([] {
        var0 last{0.0};
        counter n{0};
        tx::function const f{[&](auto xs) {
            return tx::map([&](auto x) { return n.assign_add(1), last.assign(x - last), x * last + tx::cast<double>(n); }, xs);
        }};
        auto const ys = f(vec{1, 2, 3}); // last: 1, 1, 2
        CHECK(tx::equal(ys, vec{1 + 1, 2 + 2, 6 + 3}));
        CHECK(last.item() == 2);
        CHECK(n.item() == 3);
        tx::function const g{[&](auto xs) {
            return tx::scan([&](auto s, auto x) { return last.assign_add(x), std::pair(s + last, s); }, 0.0, xs,
                            {.reverse = true});
        }};
        last.assign(0.0);
        auto const [end, ss] = g(vec{1, 2, 3}); // 3, 5, 6
        CHECK(end.item() == 14);
        CHECK(tx::equal(ss, vec{8, 3, 0}));
        CHECK(last.item() == 6);
    });
}

TEST_CASE("variables: functions within functions, called in branches and loops") { // testFunctionCallsAndGraph
    traced_and_eagerly([] {
        var0 v{1.0};
        tx::function const doubled{[&v](auto x) { return v.assign(v * 2.0), x + v; }};
        tx::function const f{[&](auto x) {
            auto const a = doubled(x);
            auto const b = tx::cond(x > 0, [&] { return doubled(a); }, [&] { return a; });
            return tx::fori_loop(0, 2, [&](auto, auto s) { return doubled(s); }, b);
        }};
        CHECK(f(single(1.0)).item() == 1 + 2 + 4 + 8 + 16);
        CHECK(v.item() == 16);
        CHECK(f(single(-1.0)).item() == -1 + 32 + 64 + 128);
        CHECK(v.item() == 128);
    });
}

TEST_CASE("variables: an error doesn't stick, and undoes what loops assigned") { // testRuntimeErrorNotSticky
    var0 v{1.0};
    tx::function const f{[&v](auto n, auto limit) {
        return tx::fori_loop(
            0, n,
            [&](auto i, auto s) {
                v.assign_add(1.0);
                tx::assert_that(s < limit, "{} at {}", s, i);
                return s + v;
            },
            limit * 0);
    }};
    CHECK_THROWS_AS(f(int0(10), single(5.0)), tx::assertion_error);
    CHECK(v.item() == 1);
    CHECK(f(int0(2), single(5.0)).item() == 5);
    CHECK(v.item() == 3);
    CHECK_THROWS_AS(f(int0(10), single(5.0)), tx::assertion_error);
    CHECK(v.item() == 3);
}

TEST_CASE("variables: results that are arguments, the same twice, constants, variables") { // testReturningInput...
    var0 v{3.0};
    tx::function const f{[&v](auto x) {
        auto const before = v.value();
        v.assign(x);
        return std::tuple(x, x, before, v.value(), 7, single(8.0));
    }};
    auto const [a, b, c, d, e, g] = f(single(2.0));
    CHECK(a.item() == 2);
    CHECK(b.item() == 2);
    CHECK(c.item() == 3);
    CHECK(d.item() == 2);
    CHECK(e.item() == 7);
    CHECK(g.item() == 8);
    // The variable itself as an argument, and as the target of what is assigned to it.
    tx::variable<double, shape<3>> w{vec{1, 2, 3}};
    tx::function const swap{[&w](auto x) { return w.assign(tx::flip<0>(w) + x), w.value(); }};
    CHECK(tx::equal(swap(w), vec{4, 4, 4}));
    CHECK(tx::equal(w.value(), vec{4, 4, 4}));
    tx::function const square{[](auto x, auto y) { return x * y; }};
    CHECK(tx::equal(square(w, w), vec{16, 16, 16}));
}

TEST_CASE("variables: gradients through what loops and branches assign, by transforms and tapes") {
    var0 v{2.0};
    tx::function const f{[&v](auto x) { // v x^3
        auto const start = v * 1.0;
        v.assign(start);
        tx::fori_loop(0, 3, [&](auto, auto z) { return v.assign(v * x), z; }, x * 0);
        auto const out = v * 1.0;
        v.assign(2.0);
        return out;
    }};
    CHECK(f(single(3.0)).item() == 54);
    CHECK(tx::grad(f)(single(3.0)).item() == 54);
    CHECK(tx::grad(tx::grad(f))(single(3.0)).item() == 36);
    tx::gradient_tape tape;
    single const x(3.0);
    tape.watch(x);
    auto const y = f(x);
    auto const [dx, dv] = tape.gradient(y, std::tuple(x, v));
    CHECK(dx.item() == 54);
    CHECK(dv.item() == 27);
    CHECK(v.item() == 2);
}
