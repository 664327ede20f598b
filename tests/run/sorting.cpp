// This file tests sort, argsort and topk. Expected values are those of NumPy 2.4, np.sort, np.argsort(kind="stable"), and
// tf.math.top_k's order of equal ones.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace {

using matrix = tx::tensor<float, tx::shape<2, 4>>;
using places = tx::tensor<std::int64_t, tx::shape<2, 4>>;
matrix const given{{3, 1, 2, 1}, {-1, 5, 0, 5}};

} // namespace

TEST_CASE("sort, argsort: along an axis, ascending and descending") {
    CHECK(tx::equal(tx::sort(given), matrix{{1, 1, 2, 3}, {-1, 0, 5, 5}}));
    CHECK(tx::equal(tx::sort(given, tx::axis<0>), matrix{{-1, 1, 0, 1}, {3, 5, 2, 5}}));
    CHECK(tx::equal(tx::sort<0>(given, tx::descending), matrix{{3, 5, 2, 5}, {-1, 1, 0, 1}}));
    CHECK(tx::equal(tx::sort(given, tx::axis<1>, tx::descending), matrix{{3, 2, 1, 1}, {5, 5, 0, -1}}));
    CHECK(tx::equal(tx::argsort(given), places{{1, 3, 2, 0}, {0, 2, 1, 3}}));
    CHECK(tx::equal(tx::argsort(given, tx::descending), places{{0, 2, 1, 3}, {1, 3, 2, 0}}));
    CHECK(tx::equal(tx::argsort(given, tx::axis<-2>), places{{1, 0, 1, 0}, {0, 1, 0, 1}}));
    for (int const axis : {1, -1}) {
        CHECK(tx::equal(tx::sort(given, axis), tx::sort(given)));
        CHECK(tx::equal(tx::argsort(given, axis, tx::descending), tx::argsort(given, tx::descending)));
    }
}
TEST_CASE("sort: in functions, traced by the compiler and at run time") {
    tx::function const known{[](auto x) { return tx::sort(x * 2.0f) - tx::sort(x, tx::axis<0>); }};
    static_assert(decltype(known)::is_static);
    matrix const wanted = tx::sort(given * 2.0f) - tx::sort(given, tx::axis<0>);
    CHECK(tx::equal(known(given), wanted));
    CHECK(tx::equal(known(tx::tensor<float>(given)), wanted));
    float const two = 2;
    tx::function const traced{[&](auto x) { return tx::sort(x * two) - tx::sort(x, tx::axis<0>); }};
    CHECK(tx::equal(traced(given), wanted));
}
TEST_CASE("sort, topk: of tensors whose shape only the run knows, and what does not fit it") {
    tx::tensor<float> const open{{3, 1, 2}, {0, 5, 5}};
    auto const [values, where] = tx::topk<2>(open);
    CHECK(tx::equal(values, tx::tensor<float, tx::shape<2, 2>>{{3, 2}, {5, 5}}));
    CHECK(tx::equal(where, tx::tensor<std::int64_t, tx::shape<2, 2>>{{0, 2}, {1, 2}}));
    CHECK_THROWS_WITH_AS(tx::topk<4>(open), doctest::Contains("tx: topk: x must have 4 elements along the axis; given (2, 3)"), tx::shape_error);
    CHECK_THROWS_WITH_AS(tx::sort(open, tx::axis<2>), doctest::Contains("the axis must lie within the rank; given (2, 3), axis 2"), tx::shape_error);
    CHECK_THROWS_AS(tx::argsort(open, 2), tx::shape_error);
    CHECK(tx::sort(tx::tensor<float, tx::shape<0>>{}).size() == 0);
    CHECK(tx::sort(tx::tensor<float>{7}).item() == 7);
}
