// Elements in order: sorted along an axis, the last unless one is named, medians and quantiles, and which values there are, how often and
// where. NaN counts as greater than all numbers. What has as many elements as the values tell takes tensors only; in callables it is given
// their number: `tx::nonzero<4>(x)`.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cstdint>

using vec = tx::tensor<float, tx::shape<4>>;
using pair = tx::tensor<float, tx::shape<2>>;
using places = tx::tensor<std::int64_t, tx::shape<4>>;
using two_places = tx::tensor<std::int64_t, tx::shape<2>>;

TEST_CASE("sort, descending") {
    vec const x{3, 1, 2, 1};
    CHECK(tx::equal(tx::sort(x), vec{1, 1, 2, 3}));
    CHECK(tx::equal(tx::sort(x, tx::descending), vec{3, 2, 1, 1}));
    tx::tensor<float, tx::shape<2, 2>> const m{{4, 1}, {3, 2}};
    CHECK(tx::equal(tx::sort(m, tx::axis<0>), tx::tensor<float, tx::shape<2, 2>>{{3, 1}, {4, 2}}));
}

TEST_CASE("argsort") {
    CHECK(tx::equal(tx::argsort(vec{3, 1, 2, 1}), places{1, 3, 2, 0}));
    CHECK(tx::equal(tx::argsort(vec{3, 1, 2, 1}, tx::axis<0>, tx::descending), places{0, 2, 1, 3}));
}

TEST_CASE("topk") {
    auto const [values, where] = tx::topk<2>(vec{3, 1, 5, 5}); // (4) -> (2)
    CHECK(tx::equal(values, pair{5, 5}));
    CHECK(tx::equal(where, two_places{2, 3}));
}

TEST_CASE("median") {
    CHECK(tx::median(vec{3, 1, 2, 9}).item() == 2.5f);
    CHECK(tx::equal(tx::median(tx::tensor<float, tx::shape<3, 2>>{{1, 6}, {2, 5}, {9, 4}}, tx::axis<0>), pair{2, 5}));
}

TEST_CASE("quantile") {
    vec const x{0, 10, 20, 40};
    CHECK(tx::quantile(x, 0.5).item() == 15);
    CHECK(tx::equal(tx::quantile(x, pair{0, 0.75f}), pair{0, 25}));
}

TEST_CASE("bincount") {
    tx::tensor<int, tx::shape<4>> const x{0, 2, 2, 1};
    CHECK(tx::equal(tx::bincount(x), tx::tensor<std::int64_t, tx::shape<3>>{1, 1, 2})); // as long as the values tell
    CHECK(tx::equal(tx::bincount<4>(x), places{1, 1, 2, 0}));
    CHECK(tx::equal(tx::bincount<2>(x, vec{0.5f, 1, 1, 4}), pair{0.5f, 4}));
}

TEST_CASE("histogram") {
    auto const [counts, edges] = tx::histogram<2>(vec{0, 0.25f, 0.5f, 1}, 0, 1);
    CHECK(tx::equal(counts, two_places{2, 2}));
    CHECK(tx::equal(edges, tx::tensor<float, tx::shape<3>>{0, 0.5f, 1}));
}

TEST_CASE("nonzero") {
    auto const [rows, columns] = tx::nonzero(tx::tensor<int, tx::shape<2, 2>>{{0, 7}, {7, 0}});
    CHECK(tx::equal(rows, two_places{0, 1}));
    CHECK(tx::equal(columns, two_places{1, 0}));
    CHECK(tx::equal(tx::nonzero<2>(vec{0, 0, 5, 0}, -1)[0], two_places{2, -1}));
}

TEST_CASE("unique") {
    CHECK(tx::equal(tx::unique(vec{3, 1, 3, 1}), pair{1, 3}));
    CHECK(tx::equal(tx::unique<4>(vec{3, 1, 3, 1}, 0), vec{1, 3, 0, 0}));
}

TEST_CASE("unique_counts") {
    auto const [values, counts] = tx::unique_counts(vec{3, 1, 3, 3});
    CHECK(tx::equal(values, pair{1, 3}));
    CHECK(tx::equal(counts, two_places{1, 3}));
    CHECK(tx::equal(tx::unique_counts<4>(vec{3, 1, 3, 3}).second, places{1, 3, 0, 0}));
}

TEST_CASE("unique_inverse") {
    vec const x{3, 1, 3, 5};
    auto const [values, inverse] = tx::unique_inverse(x);
    CHECK(tx::equal(inverse, places{1, 0, 1, 2}));
    CHECK(tx::equal(tx::take(values, inverse), x));
}

TEST_CASE("unique_all") {
    auto const [values, indices, inverse, counts] = tx::unique_all(vec{3, 1, 3, 3});
    CHECK(tx::equal(values, pair{1, 3}));
    CHECK(tx::equal(indices, two_places{1, 0})); // the first of each
    CHECK(tx::equal(inverse, places{1, 0, 1, 1}));
    CHECK(tx::equal(counts, two_places{1, 3}));
}
