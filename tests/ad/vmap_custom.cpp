// This file tests users' derivatives under tx::vmap, which still hold when the derivative is taken outside of it.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

namespace {

using matrix = tx::tensor<double>; // of any shape: traced when it runs

// Values are plain, derivatives are not: a rule that is lost would show.
constexpr auto cubed = tx::custom_gradient([](auto const& a) { return a * a * a; }, [](auto const& a, auto const& g) { return 10.0 * g * a; });
constexpr auto scaled = tx::custom_gradient([](auto const& w, auto const& a) { return w * a; },
                                            [](auto const& w, auto const& a, auto const& g) { return std::tuple(2.0 * tx::sum(g * a), 3.0 * g * w); });
constexpr auto pushed = tx::custom_jvp([](auto const& a) { return tx::sum(a * a); }, [](auto const& a, auto const& t) { return std::pair(tx::sum(a * a), tx::sum(7.0 * a * t)); });

matrix const x{{1, 2}, {3, 4}, {5, 6}};

template <class A> void check(A const& got, matrix const& wanted) { CHECK(tx::equal(got, wanted)); }

} // namespace

TEST_CASE("vmap: custom derivatives, inside and outside") {
    check(tx::vmap(cubed)(x), x * x * x);
    check(tx::vmap(tx::grad([](auto const& a) { return tx::sum(cubed(a)); }))(x), 10.0 * x);
    check(tx::grad([](auto const& a) { return tx::sum(tx::vmap(cubed)(a)); })(x), 10.0 * x);
    check(tx::grad([](auto const& a) { return tx::sum(tx::vmap(tx::vmap(cubed))(a)); })(x), 10.0 * x);
    check(tx::jvp(tx::vmap(cubed))(x, x).second, 10.0 * x * x);
}

TEST_CASE("vmap: custom derivatives of what the examples share") {
    auto const all = [](auto const& w, auto const& a) { return tx::sum(tx::vmap<tx::none, 0>(scaled)(w, a)); };
    matrix const w(2.0);
    auto const [by_w, by_a] = tx::grad<0, 1>(all)(w, x);
    check(by_w, matrix(42.0)); // 2 * 21
    check(by_a, 0.0 * x + 6.0);
}

TEST_CASE("vmap: custom derivatives in forward mode, and transposed") {
    check(tx::vmap(pushed)(x), matrix{5, 25, 61});
    check(tx::jvp(tx::vmap(pushed))(x, x).second, matrix{35, 175, 427});
    check(tx::grad([](auto const& a) { return tx::sum(tx::vmap(pushed)(a)); })(x), 7.0 * x);
    check(tx::jacrev(cubed)(matrix{1, 2}), matrix{{10, 0}, {0, 20}});
    check(tx::jacfwd(cubed)(matrix{1, 2}), matrix{{10, 0}, {0, 20}});
}

TEST_CASE("vmap: nothing is passed on through stop_gradient") {
    auto const f = [](auto const& a) { return tx::sum(tx::vmap([](auto const& row) { return tx::sum(row * tx::stop_gradient(row)); })(a)); };
    check(tx::grad(f)(x), x);
}

TEST_CASE("linearize: custom derivatives come along") {
    auto const twice = [](auto const& a) {
        auto const [value, change] = tx::linearize(cubed)(a);
        return std::tuple(value, change(a), change(2.0 * a));
    };
    auto const [value, once, doubled] = tx::function{twice}(x);
    check(value, x * x * x);
    check(once, 10.0 * x * x);
    check(doubled, 20.0 * x * x);
}
