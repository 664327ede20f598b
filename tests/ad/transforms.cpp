#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

namespace {

using scalar = tx::tensor<double, tx::shape<>>;
using vector = tx::tensor<double, tx::shape<3>>;
using open_vector = tx::tensor<double, tx::shape<tx::dyn>>;

constexpr auto cube = [](auto x) { return x * x * x; };

struct affine {
    tx::tensor<double, tx::shape<3>> weights;
    scalar offset;
    constexpr auto operator()(auto const& x) const { return tx::sum(weights * x) + offset; }
};

} // namespace

TEST_CASE("grad: a mean, static") {
    auto const loss = [](auto x, auto y) { return tx::mean(tx::pow(x, 2) * 3 + y); };
    tx::tensor<float, tx::shape<1, 2>> const x{{2, 3}}, y{{3, -2}};
    tx::static_function const gradient{tx::grad(loss)};
    CHECK(tx::equal(gradient(x, y), tx::tensor<float, tx::shape<1, 2>>{{6, 9}}));
    tx::function const both{tx::value_and_grad<0, 1>(loss)};
    CHECK(decltype(both)::is_static);
    auto const [value, gradients] = both(x, y);
    CHECK(value.item() == 20);
    CHECK(tx::equal(std::get<1>(gradients), tx::tensor<float, tx::shape<1, 2>>{{0.5, 0.5}}));
}

TEST_CASE("grad: of any order") {
    scalar const x = 3.0;
    CHECK(tx::grad(cube)(x).item() == 27);
    CHECK(tx::grad(tx::grad(cube))(x).item() == 18);
    CHECK(tx::grad(tx::grad(tx::grad(cube)))(x).item() == 6);
    CHECK(tx::grad(tx::grad(tx::grad(tx::grad(cube))))(x).item() == 0);
}

TEST_CASE("grad: with respect to this use of a value, not to equal ones") {
    auto const product = [](auto a, auto b) { return a * b; };
    auto const both = [=](auto x) { return tx::grad(product)(x, x) + x; };
    CHECK(tx::function{both}(scalar(5.0)).item() == 10);
}

TEST_CASE("grad: of captured tensors nothing, of scalars their own") {
    scalar const two = 2.0;
    auto const f = [two](auto x) { return x * x * two; };
    CHECK(tx::grad(f)(scalar(3.0)).item() == 12);
    CHECK(tx::grad(cube)(3.0).item() == 27);
}

TEST_CASE("grad: with respect to a struct, in its form") {
    auto const loss = [](affine m, auto x) { return tx::square(m(x)); };
    affine const m{{1, 2, 3}, 0.5};
    vector const x{1, 0, -1};
    affine const g = tx::function{tx::grad(loss)}(m, x);
    CHECK(tx::equal(g.weights, vector{-3, 0, 3})); // 2 (1 - 3 + 0.5) x
    CHECK(g.offset.item() == -3);
}

TEST_CASE("grad: a functor's own tensors are live parameters") {
    affine m{{1, 2, 3}, 0.5};
    tx::function const f{tx::grad(std::ref(m))};
    CHECK(tx::equal(f(vector{1, 1, 1}), vector{1, 2, 3}));
    m.weights = {4, 5, 6};
    CHECK(tx::equal(f(vector{1, 1, 1}), vector{4, 5, 6}));
}

TEST_CASE("grad: of a tx::function, and of trees") {
    tx::function const f{[](auto pair) { return tx::sum(pair.first * pair.second); }};
    auto const g = tx::grad(f)(std::pair(vector{1, 2, 3}, vector{4, 5, 6}));
    CHECK(tx::equal(g.first, vector{4, 5, 6}));
    CHECK(tx::equal(g.second, vector{1, 2, 3}));
}

TEST_CASE("grad: has_aux") {
    auto const f = [](auto x) {
        auto const y = tx::exp(x);
        return std::pair(tx::sum(y), y);
    };
    auto const [gradient, aux] = tx::grad(f, tx::has_aux)(vector{0, 1, 2});
    CHECK(tx::equal(gradient, aux));
    auto const [value_aux, again] = tx::value_and_grad(f, tx::has_aux)(vector{0, 0, 0});
    CHECK(value_aux.first.item() == 3);
    CHECK(tx::equal(again, vector{1, 1, 1}));
}

TEST_CASE("grad: an extent that one operand's type tells, and another's doesn't") {
    auto const loss = [](auto a, auto b) { return tx::sum(a * a * b); };
    open_vector const a{1, 2, 3};
    vector const b{4, 5, 6};
    auto const [by_a, by_b] = tx::grad<0, 1>(loss)(a, b);
    CHECK(tx::equal(by_a, open_vector{8, 20, 36}));
    CHECK(tx::equal(by_b, vector{1, 4, 9}));
    CHECK_THROWS_AS(tx::grad(loss)(open_vector{1}, b), tx::shape_error); // broadcast where the trace took it for equal
}

TEST_CASE("grad: unknown extents") {
    auto const f = [](auto a, auto x, auto y) { return tx::sum(a * x * y); };
    open_vector const x{1, 2, 3}, y{4, 5, 6};
    tx::static_function const g{tx::grad<0, 1>(f)};
    auto const [ga, gx] = g(scalar(2.0), x, y);
    CHECK(ga.item() == 32);
    CHECK(tx::equal(gx, open_vector{8, 10, 12}));
    CHECK_THROWS_WITH_AS(g(scalar(2.0), open_vector{1}, y),
                         "tx: grad: an operand of shape (1,) was broadcast along an axis whose extent was unknown when the function was "
                         "traced; give that axis the extent 1 in the operand's type",
                         tx::shape_error);
}

TEST_CASE("jvp and vjp: transposes of each other") {
    auto const f = [](auto x, auto y) { return tx::sin(x) * y + tx::cumsum(x); };
    vector const x{1, 2, 3}, y{-1, 0.5, 2}, dx{1, -2, 0.25}, dy{3, 1, -1}, ybar{0.5, -1, 2};
    auto const [value, change] = tx::jvp(f)(x, y, dx, dy);
    auto const [xbar, ybar_of_y] = tx::vjp(f)(x, y, ybar);
    CHECK(tx::equal(value, tx::function{f}(x, y)));
    double forward = 0, backward = 0;
    for (int i = 0; i < 3; ++i) forward += change(i) * ybar(i), backward += xbar(i) * dx(i) + ybar_of_y(i) * dy(i);
    CHECK(forward == doctest::Approx(backward).epsilon(1e-14));
    CHECK(change(0) == doctest::Approx(std::cos(1.0) * -1 + std::sin(1.0) * 3 + 1));
}

TEST_CASE("jvp and vjp: what doesn't fit") {
    auto const f = [](auto const& x) { return x * 2.0; };
    using any = tx::tensor<double, tx::any_shape>;
    CHECK_THROWS_WITH_AS(tx::jvp(f)(any{1, 2, 3}, any{1, 2}), "tx: jvp: the tangents must have the shapes of the primals: (3,); given (2,)", tx::shape_error);
    CHECK_THROWS_WITH_AS(tx::vjp(f)(any{1, 2, 3}, any{1, 2}), "tx: vjp: the cotangent must have the shapes of the primals: (3,); given (2,)",
                         tx::shape_error);
    CHECK_THROWS_WITH_AS(tx::grad(f)(any{1, 2, 3}), "tx: grad: the callable must return a scalar; it returned shape (3,)", tx::shape_error);
}

TEST_CASE("vjp: integer arguments have zeros") {
    auto const f = [](auto x, auto k) { return x * tx::cast<double>(k); };
    auto const [xbar, kbar] = tx::vjp(f)(vector{1, 2, 3}, tx::tensor<int, tx::shape<3>>{2, 3, 4}, vector{1, 1, 1});
    CHECK(tx::equal(xbar, vector{2, 3, 4}));
    CHECK(tx::equal(kbar, tx::tensor<int, tx::shape<3>>{0, 0, 0}));
}

TEST_CASE("hvp: of a cubic") {
    auto const f = [](auto x) { return tx::sum(x * x * x); };
    CHECK(tx::equal(tx::hvp(f)(vector{1, 2, 3}, vector{1, 0, -1}), vector{6, 0, -18}));
}

TEST_CASE("stop_gradient") {
    auto const f = [](auto x) { return tx::sum(x * tx::stop_gradient(x)); };
    CHECK(tx::equal(tx::grad(f)(vector{1, 2, 3}), vector{1, 2, 3}));
    CHECK(tx::equal(tx::stop_gradient(vector{1, 2, 3}), vector{1, 2, 3}));
}

TEST_CASE("where: an infinite slope in the branch not taken leaves exactly 0") {
    auto const f = [](auto x) { return tx::sum(tx::where(x > 0.0, tx::sqrt(x) + tx::log(x) * tx::sqrt(x), 0.0)); };
    auto const g = tx::grad(f)(vector{0, 4, -1});
    CHECK(g(0) == 0);
    CHECK(g(1) == doctest::Approx(0.25 + 2 / 4.0 + std::log(4.0) / 4));
    CHECK(g(2) == 0);
}

TEST_CASE("grad: a slice's gradient is added in place") {
    auto const f = [](auto x) { return tx::sum(tx::square(tx::slice(x, tx::range<1, tx::open>) - tx::slice(x, tx::range<0, -1>))); };
    CHECK(tx::equal(tx::grad(f)(vector{1, 4, 2}), vector{-6, 10, -4}));
}

TEST_CASE("tree_map: trees of one form") {
    affine const a{{1, 2, 3}, 4.0}, b{{10, 20, 30}, 40.0};
    affine const sum = tx::tree_map([](auto const& x, auto const& y) { return x + y; }, a, b);
    CHECK(tx::equal(sum.weights, vector{11, 22, 33}));
    CHECK(sum.offset.item() == 44);
    auto const [first, second] = tx::tree_map([](auto const& x) { return x * 2.0; }, std::tuple(scalar(1.0), std::array{scalar(2.0), scalar(3.0)}));
    CHECK(first.item() == 2);
    CHECK(second[1].item() == 6);
}
