// This file tests quantile. Expected values are those of NumPy 2.4, np.median and np.quantile.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace {

using matrix = tx::tensor<float, tx::shape<2, 4>>;
matrix const given{{3, 1, 2, 1}, {-1, 5, 0, 5}};
tx::tensor<double, tx::shape<3>> const parts{0, 0.25, 0.9};
template <class A, class B> bool near(A const& a, B const& b) { return tx::allclose(a, b).item(); }
constexpr float inf = std::numeric_limits<float>::infinity(), missing = std::numeric_limits<float>::quiet_NaN();

} // namespace

TEST_CASE("quantile: between elements, of one part and of several") {
    CHECK(tx::quantile(given, 0.3).item() == 1.0f);
    CHECK(near(tx::quantile(given, 0.3, tx::axis<1>), tx::tensor<float, tx::shape<2>>{1, -0.1f}));
    CHECK(near(tx::quantile(given, parts, tx::axis<1>), tx::tensor<float, tx::shape<3, 2>>{{1, -1}, {1, -0.25f}, {2.7f, 5}}));
    CHECK(near(tx::quantile(given, parts, tx::axis<0>),
               tx::tensor<float, tx::shape<3, 4>>{{-1, 1, 0, 1}, {0, 2, 0.5f, 2}, {2.6f, 4.6f, 1.8f, 4.6f}}));
    tx::tensor<double, tx::shape<1, 2>> const two{{0.1, 0.6}};
    CHECK(near(tx::quantile(given, two, tx::keepdims), tx::tensor<float, tx::shape<1, 2, 1, 1>>{{{{-0.3f}}, {{2.2f}}}}));
    CHECK(tx::quantile(given, two, tx::axis<1>, tx::keepdims).extents() == std::array<std::int64_t, 4>{1, 2, 2, 1});
    CHECK(std::isnan(tx::quantile(tx::tensor<float>{1, missing, 3}, 0.0).item()));
    CHECK(tx::quantile(tx::tensor<float>{inf, inf}, 0.5).item() == inf);
}
