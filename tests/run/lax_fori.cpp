// This file tests what JAX's tests/lax_control_flow_test.py and TensorFlow's while_v2_test.py ask of while_loop and fori_loop.
#include <run/ways_to_run.hpp>

using tx::shape;
using tx::tensor;
using tx::testing::in_every_way;
using tx::testing::near;
using single = tensor<double, shape<>>;
using int0 = tensor<int, shape<>>;
using vec = tensor<double, shape<3>>;

TEST_CASE("fori: bounds that are numbers, tensors, negative, or leave nothing to do") {
    auto const total = [](auto lo, auto hi) {
        return tx::fori_loop(lo, hi, [hi](auto i, auto s) { return s + tx::cast<int>(i + 0 * hi); }, hi * 0);
    };
    in_every_way(total, [](auto const& f) { // testForiLoopBasic
        for (int const n : {-3, 0, 1, 4, 10}) {
            int want = 0;
            for (int i = 0; i < n; ++i) want += i;
            CHECK(f(int0(0), int0(n)).item() == want);
        }
        CHECK(f(int0(-3), int0(2)).item() == -5);
        CHECK(f(int0(5), int0(2)).item() == 0);
        CHECK(f(int0(2147483640), int0(2147483647)).item() != 1); // JAX's issue of overflowing int8 and int32 counters
    });
    tx::function const narrow{
        [](auto lo, auto hi) { return tx::fori_loop(lo, hi, [](auto, auto s) { return s + 1; }, tx::cast<int>(hi) * 0); }};
    using byte = tensor<std::int8_t, shape<>>;
    CHECK(narrow(byte(std::int8_t{-128}), byte(std::int8_t{127})).item() == 255);
    using ubyte = tensor<std::uint8_t, shape<>>;
    CHECK(narrow(ubyte(std::uint8_t{0}), ubyte(std::uint8_t{255})).item() == 255);
    tx::function const numbers{[](auto x) { return tx::fori_loop(-2, 3, [](auto i, auto s) { return s + i; }, x); }};
    CHECK(numbers(0).item() == 0);
    CHECK(numbers(0.5f).item() == 0.5f);
    tx::function const none{[](auto x) { return tx::fori_loop(3, -2, [](auto i, auto s) { return s + i; }, x); }};
    CHECK(none(7.0f).item() == 7);
    tx::function const mixed{[](auto hi, auto x) { return tx::fori_loop(1, hi, [](auto i, auto s) { return s * i; }, x); }};
    CHECK(mixed(int0(6), single(1.0)).item() == 120);
}

// testForiLoopClosure. The state starts from constants, what the body uses from around does not.
// Fails: tx::trace_error, as such a loop is taken to run while the callable is traced.
TEST_CASE("fori: a state that starts from numbers") {
    in_every_way(
        [](auto x) { return tx::fori_loop(0, 3, [x](auto i, auto s) { return s + tx::dynamic_index(x, i); }, single(0.0)); },
        [](auto const& f) { CHECK(f(vec{1, 2, 3}).item() == 6); });
}
TEST_CASE("fori: bounds of the run, a state that starts from numbers") {
    in_every_way([](auto n) { return tx::fori_loop(0, n, [](auto i, auto s) { return s + i; }, single(0.0)); },
                 [](auto const& f) { CHECK(f(int0(4)).item() == 6); });
}
// Fails: the counter is an int64 that is not weak where bounds are tensors.
// TEST_CASE("fori: a counter is weak")
//     [](auto n) { return tx::fori_loop(0, n, [](auto i, auto s) { return s + i; }, n * 0); }

TEST_CASE("fori: a state that is an array") {
    // A state that is one pair or tuple doesn't compile:
    // tx::fori_loop(0, 3, [](auto, auto const& s) { return std::pair(s.second, s.first + s.second); }, std::pair(x, x));
    in_every_way(
        [](auto x) {
            return tx::fori_loop(0, 4, [](auto, auto const& s) { return std::array{s[1], s[0] + s[1]}; }, std::array{x, x + 1});
        },
        [](auto const& f) {
            auto const s = f(vec{0, 1, 2});
            CHECK(tx::equal(s[0], vec{3, 8, 13}));
            CHECK(tx::equal(s[1], vec{5, 13, 21}));
        });
}

TEST_CASE("while: values and derivatives of loops, their bounds and what they use from around") {
    auto const power = [](auto x, auto n) { // testForiLoopGrad, while_v2: testGradientTape, loop variables that x doesn't reach
        return tx::fori_loop(0, n, [x](auto, auto s) { return s * x; }, tx::ones_like(x));
    };
    in_every_way(power, [](auto const& f) { CHECK(f(single(2.0), int0(10)).item() == 1024); });
    in_every_way(tx::grad(power), [](auto const& f) {
        CHECK(f(single(2.0), int0(10)).item() == 5120);
        CHECK(f(single(2.0), int0(1)).item() == 1);
        CHECK(f(single(2.0), int0(0)).item() == 0);
        CHECK(f(single(0.0), int0(3)).item() == 0);
    });
    auto const second = tx::grad(tx::grad(power)); // while_v2: testDoubleDerivative
    in_every_way(second, [](auto const& f) {
        CHECK(f(single(2.0), int0(4)).item() == 48);
        CHECK(f(single(2.0), int0(1)).item() == 0);
        CHECK(f(single(2.0), int0(0)).item() == 0);
    });
    in_every_way(tx::jvp(tx::grad(power)), [](auto const& f) {
        auto const [slope, change] = f(single(2.0), int0(4), single(1.0), int0(0));
        CHECK(slope.item() == 32);
        CHECK(change.item() == 48);
    });
}
