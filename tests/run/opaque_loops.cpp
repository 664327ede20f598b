// This file tests tx::opaque in loops: it is called once for each iteration.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using vec = tx::tensor<float, tx::shape<2>>;

TEST_CASE("opaque: once for each iteration of a loop") {
    int calls = 0;
    tx::function const ten{[&calls](auto x) {
        auto const step = [&calls](auto v) {
            ++calls;
            return v + 1;
        };
        return tx::fori_loop(0, 10, [&](auto, auto v) { return tx::opaque<tx::spec<float, tx::shape<2>>>(step, v); }, x);
    }};
    CHECK(tx::equal(ten(vec{1, 2}), vec{11, 12}));
    CHECK(calls == 10);
    CHECK(tx::equal(ten(vec{0, 0}), vec{10, 10}));
    CHECK(calls == 20);
}
