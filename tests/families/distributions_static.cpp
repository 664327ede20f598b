// This file tests distributions with loops in traces that the compiler makes.
#include <tracexpr/distributions.hpp>

#include <doctest/doctest.h>

namespace {

namespace r = tx::random;
using vec = tx::tensor<double, tx::shape<4>>;
using number = tx::tensor<std::uint64_t, tx::shape<>>;
number const key{17u};
vec const a{0.5, 1, 3, 40};

} // namespace

TEST_CASE("distributions: the compiler traces what loops") {
    constexpr auto poisson = [](auto k, auto x) { return r::stateless_poisson<int>(k, x); };
    tx::static_function const f{poisson};
    CHECK(tx::equal(f(key, a), poisson(key, a)));
}
TEST_CASE("distributions: the compiler traces what is made of gamma variables, and its gradient") {
    constexpr auto beta = [](auto k, auto x) { return r::stateless_beta<double>(k, x, 2.0); };
    tx::static_function const f{beta};
    CHECK(tx::all(tx::abs(f(key, a) - beta(key, a)) < 1e-12).item());
    constexpr auto total = [](auto x, auto k) { return tx::sum(r::stateless_laplace<double>(k, tx::shape<4>{}, 0.0, x)); };
    tx::static_function const slope{tx::grad(total)};
    CHECK(tx::all(tx::abs(slope(a, key) - r::stateless_laplace<double>(key, tx::shape<4>{})) < 1e-12).item());
}
