// This file tests nonzero and unique. Expected values are those of NumPy 2.4, np.nonzero and np.unique, and of JAX 0.10,
// jnp.nonzero and jnp.unique with size and fill_value.
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
TEST_CASE("unique_all: values, where each stands first, its number for each element and how often it occurs") {
    // np.unique([[2, 0, 2], [5, 0, 2]], return_index=True, return_inverse=True, return_counts=True)
    tx::tensor<float, tx::shape<2, 3>> const x{{2, 0, 2}, {5, 0, 2}};
    using row = tx::tensor<float, tx::shape<3>>;
    using table = tx::tensor<std::int64_t, tx::shape<2, 3>>;
    table const numbers{{1, 0, 1}, {2, 0, 1}};
    auto const [values, indices, inverse, counts] = tx::unique_all(x);
    static_assert(std::is_same_v<std::remove_const_t<decltype(inverse)>, table>);
    CHECK(tx::equal(values, row{0, 2, 5}));
    CHECK(tx::equal(indices, places{1, 0, 3}));
    CHECK(tx::equal(inverse, numbers));
    CHECK(tx::equal(counts, places{2, 3, 1}));
    CHECK(tx::equal(tx::unique_counts(x).first, row{0, 2, 5}));
    CHECK(tx::equal(tx::unique_counts(x).second, places{2, 3, 1}));
    CHECK(tx::equal(tx::take(tx::unique_inverse(x).first, tx::unique_inverse(x).second), x));
    CHECK(std::get<3>(tx::unique_all(tx::tensor<float, tx::shape<tx::dyn>>(0))).size() == 0);
    float const missing = std::numeric_limits<float>::quiet_NaN();
    CHECK(tx::equal(tx::unique_counts(tx::tensor<float, tx::shape<4>>{missing, 1, missing, missing}).second, tx::tensor<std::int64_t, tx::shape<2>>{1, 3}));
}
TEST_CASE("unique_all: in callables, of a known number") {
    tx::tensor<float, tx::shape<2, 3>> const x{{2, 0, 2}, {5, 0, 2}};
    tx::function const four_of{[](auto v) { return std::tuple_cat(tx::unique_all<4>(v, 9), tx::unique_counts<2>(v)); }};
    static_assert(decltype(four_of)::is_static);
    auto const check = [](auto const& out) {
        CHECK(tx::equal(std::get<0>(out), tx::tensor<float, tx::shape<4>>{0, 2, 5, 9}));
        CHECK(tx::equal(std::get<1>(out), four{1, 0, 3, 1}));
        CHECK(tx::equal(std::get<2>(out), tx::tensor<std::int64_t, tx::shape<2, 3>>{{1, 0, 1}, {2, 0, 1}}));
        CHECK(tx::equal(std::get<3>(out), four{2, 3, 1, 0}));
        CHECK(tx::equal(std::get<4>(out), tx::tensor<float, tx::shape<2>>{0, 2}));
        CHECK(tx::equal(std::get<5>(out), tx::tensor<std::int64_t, tx::shape<2>>{2, 3}));
    };
    check(four_of(x));
    check(four_of(tx::tensor<float, tx::shape<tx::dyn, 3>>(x)));
    check(four_of(tx::tensor<float>(x)));
    // Those that are left out count, as in JAX.
    CHECK(tx::equal(tx::unique_inverse<1>(x).second, tx::tensor<std::int64_t, tx::shape<2, 3>>{{1, 0, 1}, {2, 0, 1}}));
}
