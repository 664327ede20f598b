// This file tests min_at, max_at and multiply_at at tensors of places: dtypes, NaN, no places.
#include <run/updates_checks.hpp>

#include <limits>

TEST_CASE_TEMPLATE("min_at, max_at: every dtype that has an order", T, bool, std::int8_t, std::uint16_t, std::int64_t, std::uint64_t,
                   tx::half, float) {
    using limits = std::numeric_limits<T>;
    tx::tensor<T, tx::shape<3>> const x{T(1), T(0), T(1)};
    tx::tensor<T, tx::shape<4>> const v{limits::lowest(), T(1), limits::max(), T(0)};
    tx::tensor<int, tx::shape<4>> const i{0, 0, 2, 2};
    CHECK(tx::equal(tx::max_at(x, v, i), tx::tensor<T, tx::shape<3>>{T(1), T(0), limits::max()}));
    CHECK(tx::equal(tx::min_at(x, v, i), tx::tensor<T, tx::shape<3>>{limits::lowest(), T(0), T(0)}));
}
TEST_CASE("min_at, max_at: NaN stays, as in NumPy; no places change nothing") {
    double const nan = std::numeric_limits<double>::quiet_NaN();
    tx::tensor<double, tx::shape<3>> const x{0, nan, 1}, v{nan, 5, 2};
    tx::tensor<int, tx::shape<3>> const i{0, 0, 1};
    for (auto const& got : {tx::max_at(x, v, i), tx::min_at(x, v, i)})
        CHECK(tx::equal(tx::isnan(got), tx::tensor<bool, tx::shape<3>>{true, true, false}));
    tx::tensor<int, tx::shape<tx::dyn>> const none;
    CHECK(tx::equal(tx::max_at(given, 7, none), given));
    CHECK(tx::equal(tx::multiply_at(given, 7, none), given));
    CHECK(tx::equal(tx::add_at(given, 7, none, none), given));
}
