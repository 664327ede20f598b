// This file tests tx::conv in functions that the compiler traces, and a derivative there.
#include <families/conv_helper.hpp>

#include <doctest/doctest.h>

TEST_CASE("conv: traced by the compiler") {
    auto const x = tx::testing::whole_numbers(tx::shape<2, 5, 4>{}, 1.3);
    auto const w = tx::testing::whole_numbers(tx::shape<3, 2, 6>{}, 0.7);
    tx::static_function f{[](auto p, auto q) { return tx::conv(p, q, tx::groups<2>, tx::stride<2>, tx::mode::same); }};
    CHECK(tx::equal(f(x, w), tx::conv(x, w, tx::groups<2>, tx::stride<2>, tx::mode::same)));
    static_assert(std::is_same_v<decltype(f(x, w)), tx::tensor<double, tx::shape<2, 3, 6>>>);
    static constexpr auto energy = [](auto p, auto q) { return tx::sum(tx::square(tx::conv(p, q, tx::groups<2>, tx::widths<1>))); };
    tx::static_function slopes{tx::grad<0, 1>(energy)};
    auto const [dx, dw] = slopes(x, w);
    auto const [ex, ew] = tx::grad<0, 1>(energy)(x, w);
    CHECK(tx::equal(dx, ex));
    CHECK(tx::equal(dw, ew));
}
