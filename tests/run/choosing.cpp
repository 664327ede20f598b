// Values: NumPy 2.4, np.nonzero and np.unique; JAX 0.10, jnp.nonzero and jnp.unique with size and fill_value.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

namespace {

using places = tx::tensor<std::int64_t, tx::shape<3>>;
using four = tx::tensor<std::int64_t, tx::shape<4>>;
tx::tensor<float, tx::shape<2, 3>> const given{{0, 2, 0}, {3, 0, 2}};

} // namespace

TEST_CASE("nonzero: places for each axis, of tensors and of a known number") {
    auto const [rows, columns] = tx::nonzero(given);
    CHECK(tx::equal(rows, places{0, 1, 1}));
    CHECK(tx::equal(columns, places{1, 0, 2}));
    auto const [first_rows, first_columns] = tx::nonzero<4>(given, -1);
    CHECK(tx::equal(first_rows, four{0, 1, 1, -1}));
    CHECK(tx::equal(first_columns, four{1, 0, 2, -1}));
    tx::function const two{[](auto x) { return tx::nonzero<2>(x)[1]; }};
    CHECK(tx::equal(two(given), tx::tensor<std::int64_t, tx::shape<2>>{1, 0}));
    CHECK(tx::nonzero(tx::tensor<int, tx::shape<0>>{})[0].size() == 0);
}
TEST_CASE("unique: in order, of tensors and of a known number") {
    CHECK(tx::equal(tx::unique(given), tx::tensor<float, tx::shape<3>>{0, 2, 3}));
    tx::function const four_of{[](auto x) { return std::pair{tx::unique<4>(x), tx::unique<4>(x, 9)}; }};
    auto const [filled, with_nine] = four_of(given);
    CHECK(tx::equal(filled, tx::tensor<float, tx::shape<4>>{0, 2, 3, 0}));
    CHECK(tx::equal(with_nine, tx::tensor<float, tx::shape<4>>{0, 2, 3, 9}));
    float const missing = std::numeric_limits<float>::quiet_NaN();
    CHECK(tx::unique(tx::tensor<float>{missing, 1, missing, 1}).size() == 2);
    CHECK(tx::unique(tx::tensor<float>{5}).size() == 1);
}
