// This file tests a file that leaves all kernels to tiles: functions, transforms, and ops on tensors.
#define TRACEXPR_KERNELS_TILES
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using tx::shape;
using tx::tensor;

namespace {

using vec = tensor<float, shape<3>>;
constexpr auto squares = [](auto x) { return tx::sum(x * x); };
vec live = {1, 2, 3};

} // namespace

TEST_CASE("TRACEXPR_KERNELS_TILES: functions run on tiles unless they ask for kernels") {
    tx::function const f{squares};
    static_assert(tx::detail::runs_on_tiles<std::remove_cvref_t<decltype(f.traced_callable())>>);
    CHECK(f(vec{1, 2, 3}).item() == 14);
    tx::static_function const gradient{tx::value_and_grad(squares)};
    CHECK(gradient(vec{1, 2, 3}).second(2) == 6);
    CHECK(tx::grad(squares)(vec{1, 2, 3})(1) == 4);
    tx::function const native{tx::with_passes<tx::pass_options{.kernels = tx::kernels::native}>(squares)};
    static_assert(!tx::detail::runs_on_tiles<std::remove_cvref_t<decltype(native.traced_callable())>>);
    CHECK(native(vec{1, 2, 3}).item() == 14);
}

TEST_CASE("TRACEXPR_KERNELS_TILES: ops on tensors") {
    vec const x = {1, -2, 3};
    CHECK((x + 1)(2) == 4);
    CHECK((x + x * live)(1) == -6);
    CHECK(tx::argmax(x).item() == 2);
    CHECK(tx::matmul(x, x).item() == 14);
    CHECK((tensor<std::int8_t, shape<2>>{1, 2} < 1000)(1));
    CHECK_THROWS_AS((tensor<std::int8_t, shape<2>>{1, 2} + 1000), tx::type_error);
    CHECK(tx::concat(tx::axis<0>, x, x).size() == 6);
    tensor<std::string, shape<2>> const words = {"a", "b"};
    CHECK((words == words)(1));
    CHECK_THROWS_AS((tx::ones<float, shape<tx::dyn>>(2) + tx::ones<float, shape<tx::dyn>>(3)), tx::shape_error);
}

TEST_CASE("TRACEXPR_KERNELS_TILES: ops on tensors within a trace are part of it") {
    float const k = 2;
    int traces = 0;
    tx::function f{[&](auto x) {
        ++traces;
        tensor<float, shape<3>> const own = x;
        return (own + 1) * k + (live * live) * own;
    }};
    CHECK(f(vec{1, 2, 3})(2) == 35);
    live = vec{1, 2, 1};
    CHECK(f(vec{1, 2, 3})(2) == 11);
    live = vec{1, 2, 3};
    CHECK(traces == 1);
    CHECK(tx::grad([&](auto x) { return tx::sum(f(x)); })(vec{1, 2, 3})(2) == 11);
}

TEST_CASE("TRACEXPR_KERNELS_TILES: tapes") {
    tx::variable<float, shape<3>> v{vec{1, 2, 3}};
    tx::gradient_tape tape;
    auto const y = tx::sum(v.value() * v.value() + v * 2 + 1);
    CHECK(tape.gradient(y, v)(2) == 8);
    static tx::function const inner{squares};
    tx::gradient_tape second;
    auto const z = inner(v.value() * 3);
    CHECK(second.gradient(z, v)(0) == 18);
}
