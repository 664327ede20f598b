// This file tests functions of images in callables that the compiler traces.
#include <tracexpr/image.hpp>

#include <family_checks.hpp>

TEST_CASE("resize and grid_sample in a static_function") {
    using pair = tx::tensor<float, tx::shape<1, 2, 1>>;
    tx::static_function larger{[](auto a) { return tx::resize<4>(a); }};
    CHECK(tx::equal(larger(pair{{{0}, {4}}}), tx::tensor<float, tx::shape<1, 4, 1>>{{{0}, {1}, {3}, {4}}}));
    tx::static_function slope{tx::grad([](auto a) { return tx::sum(tx::square(tx::resize<4>(a))); })};
    CHECK(tx::testing::difference(slope(pair{{{0}, {4}}}), pair{{{3}, {13}}}, 1e-6) == ""); // of (a, 3a/4 + b/4, a/4 + 3b/4, b)
    tx::static_function sampled{[](auto a, auto g) { return tx::grid_sample(a, g); }};
    tx::tensor<float, tx::shape<1, 2, 2, 1>> const x{{{{0}, {4}}, {{8}, {12}}}};
    tx::tensor<float, tx::shape<1, 1, 2, 2>> const places{{{{0, 0}, {0.5f, -0.5f}}}};
    CHECK(tx::equal(sampled(x, places), tx::tensor<float, tx::shape<1, 1, 2, 1>>{{{{6}, {4}}}}));
}
