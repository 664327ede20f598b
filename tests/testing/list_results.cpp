// This file tests a list in a result, in a program that compiles the tile executor itself: the list brings the routines of its
// dtype, which nothing else has.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <vector>

TEST_CASE("function: lists of a dtype that only the result has") {
    int const count = 2;
    tx::function f{[count](auto x) {
        std::vector<tx::tensor<double, tx::shape<tx::dyn>>> out;
        for (int i = 0; i < count; ++i) out.push_back(tx::cast<double>(x) * (i + 0.5));
        return out;
    }};
    tx::tensor<float, tx::shape<tx::dyn>> const x{1, 2};
    auto const all = f(x);
    REQUIRE(all.size() == 2);
    CHECK(all[1](1) == 3.0);
    std::vector<tx::tensor<double, tx::shape<tx::dyn>>> into;
    f.into(into, x);
    REQUIRE(into.size() == 2);
    CHECK(into[0](0) == 0.5);
}
