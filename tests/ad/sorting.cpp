// This file tests derivatives of sort and topk against differences, in all modes and to second order.
#include <ad/ordered_values.hpp>

#include <doctest/doctest.h>

using namespace tx::testing;

TEST_CASE("derivatives: sort, topk") {
    tx::check_gradients([](auto a) { return weighted(tx::sort(a)); }, x);
    tx::check_gradients([](auto a) { return weighted(tx::sort(tx::exp(a), tx::axis<0>, tx::descending)) + weighted(tx::sort(a)); }, m);
    tx::check_gradients([](auto a) { return weighted(tx::topk<2>(a).first); }, m);
    CHECK(tx::equal(tx::grad([](auto a) { return tx::sum(tx::topk<2>(a).first); })(m), matrix{{1, 0, 1, 0}, {0, 1, 0, 1}}));
}
TEST_CASE("vmap: sort, argsort, topk") {
    auto const of_row = [](auto a) { return tx::sort(a, tx::descending) + tx::cast<double>(tx::argsort(a)); };
    CHECK(tx::equal(tx::vmap(of_row)(m), tx::sort(m, tx::descending) + tx::cast<double>(tx::argsort(m))));
    CHECK(tx::equal(tx::vmap([](auto a) { return tx::topk<3>(a).second; })(m), tx::topk<3>(m).second));
}
TEST_CASE("derivatives: a sort whose gradient is masked by where") {
    auto const f = [](auto a) { return tx::sum(tx::where(tx::sort(tx::sqrt(a)) > 0.5, tx::sort(tx::sqrt(a)), 0.0)); };
    CHECK(tx::equal(tx::grad(f)(vec{0, 1, 4, 0, 0.25}), vec{0, 0.5, 0.25, 0, 0}));
}
