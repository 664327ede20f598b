// This file tests operands of tx::conv that are not tensors in memory: views, one number everywhere, constants, and results that
// nothing else needs.
#include <families/conv_helper.hpp>

#include <family_checks.hpp>

#include <doctest/doctest.h>

using namespace tx::testing;

TEST_CASE("conv: operands that are views of others") {
    auto const x = whole_numbers(tx::shape<2, 6, 9, 10>{}, 1.3);
    auto const w = whole_numbers(tx::shape<18, 6, 2, 3>{}, 0.7);
    auto const turned = [](auto p, auto q) { return tx::conv(tx::transpose<0, 2, 3, 1>(p), tx::transpose<3, 2, 1, 0>(q)); };
    tx::tensor<double, tx::shape<2, 9, 10, 6>> const straight = tx::transpose<0, 2, 3, 1>(x);
    tx::tensor<double, tx::shape<3, 2, 6, 18>> const filters = tx::transpose<3, 2, 1, 0>(w);
    CHECK(has_elements(tx::function{turned}(x, w), convolved(straight, filters, {.results = {7, 9}})));
    auto const every_other = [](auto p, auto q) { return tx::conv(tx::slice(p, tx::range<>, tx::range<tx::open, tx::open, 2>), tx::flip(q, tx::axis<0>)); };
    tx::tensor<double, tx::shape<2, 5, 10, 6>> const halved = tx::slice(straight, tx::range<>, tx::range<tx::open, tx::open, 2>);
    CHECK(has_elements(tx::function{every_other}(straight, filters), convolved(halved, tx::flip(filters, tx::axis<0>), {.results = {3, 9}})));
}
TEST_CASE("conv: operands of one number") {
    auto const x = whole_numbers(tx::shape<2, 9, 3>{}, 1.3);
    tx::function const sums{[](auto p) { return tx::conv(p, tx::ones<double>(tx::shape<2, 3, 1>{})); }};
    auto const wanted = tx::sum(tx::slice(x, tx::range<>, tx::range<0, 8>) + tx::slice(x, tx::range<>, tx::range<1, 9>), tx::axis<2>, tx::keepdims);
    CHECK(tx::equal(sums(x), wanted));
    tx::function const of_ones{[](auto q) { return tx::conv(tx::ones<double>(tx::shape<1, 4, 3>{}), q); }};
    auto const w = whole_numbers(tx::shape<2, 3, 5>{}, 0.9);
    CHECK(tx::equal(of_ones(w), tx::broadcast_to<1, 3, 5>(tx::sum(w, tx::axis<0, 1>))));
    tx::function const known{[](auto p) { return p + tx::conv(tx::ones<double>(tx::shape<1, 4, 3>{}), tx::ones<double>(tx::shape<2, 3, 1>{})); }};
    CHECK(known(tx::tensor<double, tx::shape<1>>{1})(0, 2, 0) == 7);
}
TEST_CASE("conv: between other ops, in a loop and in a branch") {
    auto const x = whole_numbers(tx::shape<1, 6, 2>{}, 1.3);
    auto const w = whole_numbers(tx::shape<3, 2, 2>{}, 0.9) / 64.0;
    auto const step = [](auto p, auto q) { return tx::tanh(tx::conv(p * 0.5, q, tx::mode::same) + 1.0); };
    tx::function const thrice{[=](auto p, auto q) { return tx::fori_loop(0, 3, [=](auto, auto now) { return step(now, q); }, p); }};
    CHECK(tx::allclose(thrice(x, w), step(step(step(x, w), w), w)));
    tx::function const chosen{[=](auto c, auto p, auto q) { return tx::cond(c, [](auto a, auto b) { return tx::conv(a, b, tx::mode::same); }, [](auto a, auto) { return a; }, p, q); }};
    CHECK(tx::equal(chosen(true, x, w), tx::conv(x, w, tx::mode::same)));
    CHECK(tx::equal(chosen(false, x, w), x));
    auto const slopes = tx::grad([=](auto q, auto p) { return tx::sum(tx::fori_loop(0, 3, [=](auto, auto now) { return step(now, q); }, p)); })(w, x);
    auto const unrolled = tx::grad([=](auto q, auto p) { return tx::sum(step(step(step(p, q), q), q)); })(w, x);
    CHECK(tx::allclose(slopes, unrolled));
}
