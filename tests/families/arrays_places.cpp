// This file tests the places of triangles and diagonals, as one number and in several axes, against NumPy.
#include <tracexpr/arrays.hpp>

#include <family_checks.hpp>

#include <cstdint>

namespace {

using tx::shape, tx::tensor;
template <std::int64_t N> using places = tensor<std::int64_t, shape<N>>;

} // namespace

TEST_CASE("tril_indices, triu_indices, diag_indices") {
    auto const [rows, columns] = tx::tril_indices<3>();
    CHECK(tx::equal(rows, places<6>{0, 1, 1, 2, 2, 2}));
    CHECK(tx::equal(columns, places<6>{0, 0, 1, 0, 1, 2}));
    auto const [i, j] = tx::tril_indices<3, -1, 4>();
    CHECK(tx::equal(i, places<3>{1, 2, 2}));
    CHECK(tx::equal(j, places<3>{0, 0, 1}));
    auto const [r, c] = tx::triu_indices<3, 1, 4>();
    CHECK(tx::equal(r, places<6>{0, 0, 0, 1, 1, 2}));
    CHECK(tx::equal(c, places<6>{1, 2, 3, 2, 3, 3}));
    CHECK(tx::tril_indices<2, -5>().first.size() == 0);
    CHECK(tx::triu_indices<2, -5>().first.size() == 4);
    CHECK(tx::tril_indices<2, 5>().second.size() == 4);
    CHECK(tx::equal(tx::diag_indices<3>()[1], places<3>{0, 1, 2}));
    CHECK(tx::diag_indices<2, 3>().size() == 3);
    tensor<double, shape<3, 3>> const x{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    tx::function below{[](auto const& m) {
        auto const [row, column] = tx::tril_indices<3, -1>();
        return tx::slice(m, row, column);
    }};
    CHECK(tx::equal(below(x), tensor<double, shape<3>>{4, 7, 8}));
}
TEST_CASE("unravel_index") {
    places<4> const numbers{22, 41, -1, 0};
    auto const [i, j] = tx::unravel_index(numbers, shape<7, 6>{});
    CHECK(tx::equal(i, places<4>{3, 6, 6, 0}));
    CHECK(tx::equal(j, places<4>{4, 5, 5, 0}));
    constexpr auto last = [](auto const& n) { return std::get<2>(tx::unravel_index(n, shape<2, 3, 4>{})); };
    tx::testing::check_in_all_forms(last, places<2>{3, 1}, 0, 0, tensor<int, shape<2>>{23, 13});
    CHECK(tx::equal(tx::unravel_index(numbers, shape<50>{}), places<4>{22, 41, 49, 0}));
    CHECK_THROWS_WITH_AS(static_cast<void>(tx::unravel_index(numbers, shape<6, 6>{})),
                         "tx: unravel_index: index 41 is out of bounds for axis 0 with size 36", tx::shape_error);
}
TEST_CASE("ravel_multi_index") {
    places<3> const i{3, 6, -1}, j{4, 5, 1};
    CHECK(tx::equal(tx::ravel_multi_index(std::tuple(i, j), shape<7, 6>{}), places<3>{22, 41, 37}));
    constexpr auto clipped = [](auto const& a, auto const& b) {
        return tx::ravel_multi_index(std::tuple(a, b), shape<4, 6>{}, tx::clip_places);
    };
    constexpr auto wrapped = [](auto const& a, auto const& b) {
        return tx::ravel_multi_index(std::tuple(a, b), shape<4, 4>{}, tx::wrap_places);
    };
    tx::testing::check_in_all_forms(clipped, places<3>{22, 23, 1}, 0, 0, i, j);
    tx::testing::check_in_all_forms(wrapped, places<3>{12, 9, 13}, 0, 0, i, j);
    CHECK(tx::equal(
        tx::ravel_multi_index(std::tuple(tensor<int, shape<2, 1>>{{0}, {1}}, tensor<int, shape<2>>{0, 2}), shape<2, 3>{}),
        tensor<std::int64_t, shape<2, 2>>{{0, 2}, {3, 5}}));
    CHECK_THROWS_AS(static_cast<void>(tx::ravel_multi_index(std::tuple(i, j), shape<6, 6>{})), tx::shape_error);
}
