// This file tests median. Expected values are those of NumPy 2.4, np.median and np.quantile.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace {

using matrix = tx::tensor<float, tx::shape<2, 4>>;
matrix const given{{3, 1, 2, 1}, {-1, 5, 0, 5}};
constexpr float inf = std::numeric_limits<float>::infinity(), missing = std::numeric_limits<float>::quiet_NaN();

} // namespace

TEST_CASE("median: of all, along an axis, with the axis kept") {
    CHECK(tx::median(given).item() == 1.5f);
    CHECK(tx::equal(tx::median(given, tx::axis<0>), tx::tensor<float, tx::shape<4>>{1, 3, 1, 3}));
    CHECK(tx::equal(tx::median(given, tx::axis<1>, tx::keepdims), tx::tensor<float, tx::shape<2, 1>>{{1.5}, {2.5}}));
    CHECK(tx::median(given, tx::keepdims).extents() == std::array<std::int64_t, 2>{1, 1});
    CHECK(tx::equal(tx::median(tx::tensor<int>{4, 1, 2, 9}), tx::tensor<double, tx::shape<>>(3.0)));
    CHECK(tx::median(tx::tensor<float>{inf, inf, 1}).item() == inf);
    CHECK(std::isnan(tx::median(tx::tensor<float>{1, missing, 3}).item()));
}
