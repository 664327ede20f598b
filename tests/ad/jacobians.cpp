// This file tests Jacobians and Hessians against closed forms, central differences and each other.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

namespace {

using array = tx::tensor<double>; // of any shape: traced when it runs
constexpr std::int64_t open = tx::dyn;

template <class A, class B> bool near(A const& a, B const& b, double tolerance = 1e-13) {
    if (a.extents() != b.extents()) return false;
    for (std::int64_t i = 0; i < a.size(); ++i)
        if (!(std::abs(a.data()[i] - b.data()[i]) <= tolerance * std::max(1.0, std::abs(b.data()[i])))) return false;
    return true;
}

// Central differences: their error is of order h^2 plus epsilon / h, least at cbrt(epsilon) = 6e-6; what is left is below 1e-9.
template <class F> array differences(F const& f, array const& x) {
    double const h = 6e-6;
    array const y = f(x);
    std::vector<double> out(static_cast<std::size_t>(y.size() * x.size()));
    for (std::int64_t j = 0; j < x.size(); ++j) {
        array above = x, below = x;
        above.mutable_data()[j] += h, below.mutable_data()[j] -= h;
        array const up = f(above), down = f(below);
        for (std::int64_t i = 0; i < y.size(); ++i) out[static_cast<std::size_t>(i * x.size() + j)] = (up.data()[i] - down.data()[i]) / (2 * h);
    }
    return tx::from_data<tx::shape<open, open>>(out.data(), y.size(), x.size());
}

struct rosenbrock {
    template <class X> constexpr auto operator()(X const& x) const {
        auto const a = tx::slice(x, tx::range<0, -1>), b = tx::slice(x, tx::range<1, tx::open>);
        return tx::sum(100.0 * tx::square(b - tx::square(a)) + tx::square(1.0 - a));
    }
};
struct mixed {
    template <class X> constexpr auto operator()(X const& x) const { return tx::sin(tx::matmul(x, tx::transpose(x))) * tx::sum(x, tx::axis<1>); }
};
struct flat_mixed {
    template <class X> constexpr auto operator()(X const& x) const { return tx::reshape<-1>(mixed{}(tx::reshape<2, 3>(x))); }
};
array const x{{0.5, -1, 2}, {1.5, 0.25, -0.75}};
array const flat{0.5, -1, 2, 1.5, 0.25, -0.75};

} // namespace

TEST_CASE("jacfwd and jacrev: each other, and central differences") {
    auto const forward = tx::jacfwd(mixed{})(x), reverse = tx::jacrev(mixed{})(x);
    CHECK(forward.extents() == tx::extent_list(tx::dims{{2, 2, 2, 3}, 4}));
    CHECK(near(forward, reverse));
    CHECK(near(tx::jacfwd(flat_mixed{})(flat), differences(flat_mixed{}, flat), 1e-8));
    CHECK(near(tx::jacrev(flat_mixed{})(flat), differences(flat_mixed{}, flat), 1e-8));
}

TEST_CASE("jacobians: linear maps are their matrices") {
    array const a{{1, 2, 3}, {4, 5, 6}}, v{1, -1, 2};
    auto const times = [](auto const& m, auto const& w) { return tx::matmul(m, w); };
    CHECK(near(tx::jacfwd<1>(times)(a, v), a));
    CHECK(near(tx::jacrev<1>(times)(a, v), a));
    auto const [by_a, by_v] = tx::jacrev<0, 1>(times)(a, v);
    CHECK(near(by_a, array{{{1, -1, 2}, {0, 0, 0}}, {{0, 0, 0}, {1, -1, 2}}}));
    CHECK(near(by_v, a));
    // What doesn't depend on the argument, and scalars on both sides.
    CHECK(near(tx::jacfwd([](auto const&) { return 1.0; })(v), array{0, 0, 0}));
    CHECK(near(tx::jacfwd([](auto const& s) { return s * s; })(array(3.0)), array(6.0)));
    CHECK(near(tx::jacrev([](auto const& s) { return tx::stack(tx::axis<0>, s, s * s); })(array(3.0)), array{1, 6}));
    CHECK(tx::jacfwd(times)(tx::zeros<double, tx::shape<open, open>>(0, 3), v).extents() == tx::extent_list(tx::dims{{0, 0, 3}, 3}));
}

TEST_CASE("jacobians: trees of trees") {
    auto const f = [](auto const& p) { return std::tuple(p.first * p.second, tx::sum(p.first)); };
    auto const [products, total] = tx::jacfwd(f)(std::pair{array{1, 2}, array(3.0)});
    CHECK(near(products.first, array{{3, 0}, {0, 3}}));
    CHECK(near(products.second, array{1, 2}));
    CHECK(near(total.first, array{1, 1}));
    CHECK(near(total.second, array(0.0)));
}

TEST_CASE("hessian: of Rosenbrock's function") {
    // d2/da2 = 1200 a^2 - 400 b + 2, d2/dadb = -400 a, d2/db2 = 200
    array const wanted{{1330, 480}, {480, 200}};
    tx::tensor<double, tx::shape<2>> const start{-1.2, 1};
    auto const h = tx::hessian(rosenbrock{});
    auto const typed = h(start);
    static_assert(std::is_same_v<std::remove_const_t<decltype(typed)>, tx::tensor<double, tx::shape<2, 2>>>);
    CHECK(near(typed, wanted));
    CHECK(near(h(array(start)), wanted));
    CHECK(near(tx::jacfwd(tx::grad(rosenbrock{}))(array(start)), wanted));
    CHECK(near(tx::jacrev(tx::jacfwd(rosenbrock{}))(array(start)), wanted));
    CHECK(near(tx::vmap(h)(array{{-1.2, 1}, {1, 1}}), array{{{1330, 480}, {480, 200}}, {{802, -400}, {-400, 200}}}));
    auto const big = h(flat);
    CHECK(near(big, differences(tx::grad(rosenbrock{}), flat), 1e-6));
    CHECK(near(big, tx::transpose(big), 0));
    // H v without H
    CHECK(near(tx::hvp(rosenbrock{})(flat, flat), tx::matmul(big, flat)));
}

TEST_CASE("hessian: no loop over directions is unrolled") {
    using small = tx::spec<double, tx::shape<30>>;
    using large = tx::spec<double, tx::shape<300>>;
    CHECK(tx::graph_of<small>(tx::hessian(rosenbrock{})).size() == tx::graph_of<large>(tx::hessian(rosenbrock{})).size());
}

TEST_CASE("hessian: what doesn't depend on the direction is computed once") {
    constexpr auto price = [](auto spot, auto strike, auto years, auto rate, auto volatility) { // Black and Scholes' of a call
        auto const normal = [](auto z) { return 0.5 * tx::erfc(z * -0.70710678118654752440); };
        auto const deviation = volatility * tx::sqrt(years);
        auto const d1 = (tx::log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / deviation;
        return spot * normal(d1) - strike * tx::exp(-rate * years) * normal(d1 - deviation);
    };
    using number = tx::spec<double, tx::shape<>>;
    CHECK(tx::graph_of<number, number, number, number, number>(tx::hessian<0, 1, 2, 3, 4>(price)).size() <= 228); // 292 where each direction has its own slopes
}

TEST_CASE("hessian: numbers in products become one, and quotients' slopes share the quotient") {
    using number = tx::spec<double, tx::shape<>>;
    constexpr auto energy = [](auto mass, auto speed) { return 0.5 * speed * speed * mass; };
    CHECK(tx::graph_of<number, number>(tx::grad<1>(energy)).size() == 3);      // mass * speed
    CHECK(tx::graph_of<number, number>(tx::jacfwd<1>(energy)).size() == 3);
    CHECK(tx::graph_of<number, number>(tx::hessian<1>(energy)).size() == 2);   // mass
    constexpr auto ratio = [](auto a, auto b) { return a / b; };
    constexpr auto scaled = [](auto a, auto b) { return a * (1 / b); };
    auto const operations = [](auto const& f) {
        int count = 0;
        for (tx::node const& n : tx::graph_of<number, number>(tx::hessian<0, 1>(f))) count += tx::info(n.code).kind == tx::kind::pointwise;
        return count;
    };
    CHECK(operations(ratio) == operations(scaled));
    CHECK(operations(scaled) <= 9);
    // d2/dadb = -1 / b^2, d2/db2 = 2 a / b^3
    tx::tensor<double, tx::shape<>> const a = 3.0, b = 2.0;
    for (auto const& [da, db] : {tx::hessian<0, 1>(ratio)(a, b), tx::hessian<0, 1>(scaled)(a, b)}) {
        CHECK(std::get<0>(da).item() == 0);
        CHECK(std::get<1>(da).item() == -0.25);
        CHECK(std::get<0>(db).item() == -0.25);
        CHECK(std::get<1>(db).item() == 0.75);
    }
    auto const again = tx::grad(tx::grad([](auto q) { return tx::sqrt(q) * (1 / q); }));
    CHECK(again(tx::tensor<double, tx::shape<>>(4.0)).item() == doctest::Approx(0.75 / 32)); // x^(-1/2)
}

TEST_CASE("hessian: Newton's method ends at the minimum") {
    tx::function const derivatives{[](auto const& p) { return std::tuple(tx::grad(rosenbrock{})(p), tx::hessian(rosenbrock{})(p)); }};
    array p{-1.2, 1};
    for (int step = 0; step < 6; ++step) {
        auto const [g, h] = derivatives(p);
        double const determinant = h(0, 0) * h(1, 1) - h(0, 1) * h(1, 0);
        p = array{p(0) - (h(1, 1) * g(0) - h(0, 1) * g(1)) / determinant, p(1) - (h(0, 0) * g(1) - h(1, 0) * g(0)) / determinant};
    }
    CHECK(near(p, array{1, 1}, 1e-9));
}

TEST_CASE("linearize: the value, and a linear function for all tangents") {
    auto const [value, change] = tx::linearize(mixed{})(x);
    CHECK(near(value, mixed{}(x)));
    CHECK(near(change(x), tx::jvp(mixed{})(x, x).second));
    auto const along = [](auto const& p) {
        auto const at_p = tx::linearize(rosenbrock{})(p);
        return std::tuple(at_p.first, at_p.second(p), tx::vmap(at_p.second)(tx::eye<double>(tx::shape<6, 6>{}) + 0.0 * p));
    };
    auto const [y, slope, gradient] = tx::function{along}(flat);
    CHECK(near(y, rosenbrock{}(flat)));
    CHECK(near(slope, tx::sum(tx::grad(rosenbrock{})(flat) * flat)));
    CHECK(near(gradient, tx::grad(rosenbrock{})(flat)));
}
