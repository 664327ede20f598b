// This file tests loops over tensors without elements, which have no address.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::dyn;
using tx::shape;
using tx::tensor;

TEST_CASE("no elements, walked across and from the end") {
    auto const across = [](auto x) { return std::tuple(tx::sum(tx::transpose(x), tx::axis<1>), tx::flip(x, tx::axis<0>), tx::mean(x * 2, tx::axis<1>), tx::sum(tx::square(x))); };
    auto const check = [&](auto const& given) {
        auto const [columns, turned, rows, total] = given;
        CHECK(tx::equal(columns, tensor<double, shape<dyn>>{0, 0, 0, 0}));
        CHECK(turned.size() == 0);
        CHECK(rows.size() == 0);
        CHECK(total.item() == 0);
    };
    check(tx::function{across}(tx::zeros<double, shape<dyn, dyn>>(0, 4)));
    check(tx::function{across}(tx::zeros<double>(shape<0, 4>{})));
    auto const kept = [](auto x) { return tx::sum(x, tx::axis<0, 2>); };
    CHECK(tx::equal(tx::function{kept}(tx::zeros<double>(shape<0, 2, 3>{})), tensor<double, shape<2>>{0, 0}));
    CHECK(tx::equal(tx::function{kept}(tx::zeros<double, shape<dyn, 2, dyn>>(0, 2, 3)), tensor<double, shape<2>>{0, 0}));
}
