// This file tests tensors of dual numbers as users see them: forward derivatives of code written for plain tensors.
#include <tracexpr/transforms/check_gradients.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

namespace {

using number = tx::dual<double>;
using twice = tx::dual<number>;
using numbers = tx::tensor<number, tx::shape<3>>;

bool is(number const& x, double value, double tangent) { return std::abs(x.value - value) <= 1e-14 * (1 + std::abs(value)) && std::abs(x.tangent - tangent) <= 1e-14 * (1 + std::abs(tangent)); }

constexpr auto cubes = [](auto const& x) { return tx::sum(x * x * x); };

} // namespace

TEST_CASE("dual tensors: eager ops, and scalars beside them") {
    numbers const x{number{1, 1}, number{2, 0}, number{-3, 2}};
    auto const y = x * x + 1;
    static_assert(std::is_same_v<decltype(y)::value_type, number>);
    CHECK(is(y(0), 2, 2));
    CHECK(is(y(1), 5, 0));
    CHECK(is(y(2), 10, -12));
    CHECK(is((x * number{2, 1})(2), -6, 1));
    CHECK(is((tx::tensor<double, tx::shape<2>>{4, 5} * number{2, 1})(1), 10, 5));
    CHECK(is((tx::tensor<int>{4, 5} * number{2, 1})(1), 10, 5));
    CHECK(is((x + tx::tensor<float, tx::shape<3>>{1, 2, 3})(2), 0, 2));
    CHECK(tx::cast<double>(x)(2) == -3);
    CHECK(is(tx::cast<number>(tx::tensor<int>{7})(0), 7, 0));
    CHECK(is(tx::full<number>(tx::shape<2>{}, number{3, 4})(1), 3, 4));
    CHECK(tx::to_string(x) == "[dual( 1., 1.) dual( 2., 0.) dual(-3., 2.)]");
    CHECK(tx::to_string(tx::sum(x)) == "dual(0.0, 3.0)");
}

TEST_CASE("dual tensors: traced by the compiler and at run time") {
    numbers const x{number{1, 1}, number{2, 0}, number{-3, 2}};
    tx::function f{[](auto const& a) { return tx::tanh(a) * number{2, 1} + tx::tensor<number, tx::shape<3>>{number{1, 2}, number{3, 4}, number{5, 6}} + tx::full<number>(tx::shape<3>{}, number{0, 10}); }};
    static_assert(decltype(f)::is_static);
    int runs = 0;
    tx::function g{[&](auto const& a) {
        ++runs;
        return tx::tanh(a) * number{2, 1} + tx::tensor<number, tx::shape<3>>{number{1, 2}, number{3, 4}, number{5, 6}} + tx::full<number>(tx::shape<3>{}, number{0, 10});
    }};
    double const t = std::tanh(-3.0);
    for (numbers const& y : {f(x), g(x)}) CHECK(is(y(2), 2 * t + 5, t + 2 * (2 * (1 - t * t)) + 16));
    CHECK(runs == 1);
    CHECK(f.signatures()[0] == "(dual<float64>[3]) -> dual<float64>[3]");
    numbers out;
    f.into(out, x);
    CHECK(is(out(2), 2 * t + 5, t + 2 * (2 * (1 - t * t)) + 16));
    tx::function h{[](auto const& a, auto const& s) { return a * s; }};
    CHECK(is(h(x, number{2, 1})(2), -6, 1)); // a scalar argument
}

TEST_CASE("dual tensors: second derivatives") {
    tx::tensor<twice, tx::shape<2>> const x{twice{{3, 1}, {1, 0}}, twice{{2, 0}, {0, 0}}};
    twice const y = cubes(x).item();
    CHECK(y.value.value == 35);
    CHECK(y.value.tangent == 27);
    CHECK(y.tangent.value == 27);
    CHECK(y.tangent.tangent == 18);
}

TEST_CASE("dual tensors: derivatives of the graph are differentiated with it") {
    numbers const x{number{1, 1}, number{2, 0}, number{-3, 2}};
    auto const g = tx::grad(cubes)(x); // 3 x^2, and its change 6 x dx: the Hessian times dx
    CHECK(is(g(0), 3, 6));
    CHECK(is(g(1), 12, 0));
    CHECK(is(g(2), 27, -36));
    tx::gradient_tape tape;
    tape.watch(x);
    auto const taped = tape.gradient(cubes(x), x);
    for (int i = 0; i < 3; ++i) CHECK(is(taped(i), g(i).value, g(i).tangent));
    tx::gradient_tape scalars;
    auto const s = tx::tensor<number, tx::shape<>>(number{3, 1});
    scalars.watch(s);
    CHECK(is(scalars.gradient(s * s * number{2, 5}, s).item(), 12, 34)); // 2 s c, changed: 2 ds c + 2 s dc
    CHECK_NOTHROW(tx::check_gradients(cubes, x));
}

TEST_CASE("dual tensors: a graph tells tangents of its constants") {
    tx::function f{[](auto const& a) { return a * tx::tensor<number, tx::shape<2>>{number{1, 2}, number{3, 4}} + number{5, 6}; }};
    auto const text = f.concrete<tx::spec<number, tx::shape<2>>>().graph().to_text();
    CHECK(text.find("[dual(1, 2), dual(3, 4)]") != std::string::npos);
    CHECK(text.find("dual(5, 6)") != std::string::npos);
}

TEST_CASE("dual tensors: tiles and short rows of nested ones") {
    tx::tensor<twice, tx::shape<70, 80>> x;
    tx::tensor<twice, tx::shape<300, 3>> p;
    for (int i = 0; i < 5600; ++i) x.mutable_data()[i] = twice(number(i, 1), number(2, 3));
    for (int i = 0; i < 900; ++i) p.mutable_data()[i] = twice(number(i, 1), number(2, 3));
    tx::function f{[](auto a, auto b) { return tx::transpose(a) + b; }};
    tx::function g{[](auto a, auto b) { return std::pair{a + b, tx::sum(a, tx::axis<0>)}; }};
    auto const turned = f(x, tx::ones<twice>(tx::shape<80, 70>{}));
    auto const [moved, sums] = g(p, tx::tensor<twice, tx::shape<3>>{twice(1.0), twice(2.0), twice(3.0)});
    bool good = true;
    for (int i = 0; i < 80; ++i)
        for (int j = 0; j < 70; ++j) good = good && turned(i, j).value.value == x(j, i).value.value + 1 && turned(i, j).tangent.tangent == 3;
    for (int i = 0; i < 300; ++i)
        for (int j = 0; j < 3; ++j) good = good && moved(i, j).value.value == 3 * i + 2 * j + 1 && moved(i, j).tangent.value == 2;
    CHECK(good);
    CHECK(sums(1).tangent.tangent == 900);
}
