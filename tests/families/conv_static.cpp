// This file tests pools, windows and correlation in callables that the compiler traces.
#include <tracexpr/conv.hpp>

#include <family_checks.hpp>

TEST_CASE("pools in a static_function") {
    using image = tx::tensor<float, tx::shape<1, 4, 4, 1>>;
    image const x{{{{1}, {2}, {3}, {4}}, {{5}, {6}, {7}, {8}}, {{9}, {8}, {7}, {6}}, {{5}, {4}, {3}, {2}}}};
    using result = tx::tensor<float, tx::shape<1, 2, 2, 1>>;
    tx::static_function pools{[](auto a) { return tx::max_pool<2, 2>(a) + tx::average_pool<3, 3>(a, tx::stride<2>, tx::mode::same); }};
    CHECK(tx::testing::difference(pools(x), result{{{{6 + 48.0f / 9}, {8 + 35.0f / 6}}, {{9 + 36.0f / 6}, {7 + 18.0f / 4}}}}, 1e-6) == "");
    tx::static_function slope{tx::grad([](auto a) { return tx::sum(tx::max_pool<2, 2>(a)); })};
    CHECK(tx::equal(slope(x), image{{{{0}, {0}, {0}, {0}}, {{0}, {1}, {0}, {1}}, {{1}, {0}, {1}, {0}}, {{0}, {0}, {0}, {0}}}}));
}
TEST_CASE("correlation and unfold in a static_function") {
    tx::tensor<float, tx::shape<3>> const a{1, 2, 3}, v{0, 1, 0.5f};
    tx::static_function f{[](auto p, auto q) { return tx::convolve(p, q); }};
    CHECK(tx::equal(f(a, v), tx::tensor<float, tx::shape<5>>{0, 1, 2.5f, 4, 1.5f}));
    static_assert(tx::max_pool<2>(tx::tensor<float, tx::shape<1, 2, 1>>{{{3}, {1}}}).item() == 3);
}
