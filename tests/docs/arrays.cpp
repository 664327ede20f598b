// Groups, segments and places: `#include <tracexpr/arrays.hpp>`. Rows with equal keys, or that numbers send to segments, are
// taken together; rows are put in and left out; places stand in several axes and as numbers in a row; arrays are stacked, cut
// and turned; loops go along any axis. What the values alone tell, such as how many groups there are, is given in callables:
// `tx::group_by<8>(keys)`.
#include <tracexpr/arrays.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

namespace {

using vec = tx::tensor<double, tx::shape<4>>;
using pair = tx::tensor<double, tx::shape<2>>;
using square = tx::tensor<double, tx::shape<2, 2>>;
using places = tx::tensor<std::int64_t, tx::shape<2>>;
using four_places = tx::tensor<int, tx::shape<4>>;
using strings = tx::tensor<std::string, tx::shape<3>>;

} // namespace

TEST_CASE("group_by") {
    vec const price{3, 1, 5, 2};
    auto const groups = tx::group_by(tx::tensor<std::string, tx::shape<4>>{"tea", "milk", "tea", "milk"});
    CHECK(tx::equal(groups.keys(), tx::tensor<std::string, tx::shape<2>>{"milk", "tea"}));
    CHECK(tx::equal(groups.sum(price), pair{3, 8}));
    CHECK(tx::equal(groups.mean(price), pair{1.5, 4}));
    CHECK(tx::equal(groups.max(price), pair{2, 5}));
    CHECK(tx::equal(groups.min(price), pair{1, 3}));
    CHECK(tx::equal(groups.first(price), pair{1, 3}));
    CHECK(tx::equal(groups.count(), places{2, 2}));
    auto const sums = [](auto const& keys, auto const& values) { return tx::group_by<2>(keys).sum(values); };
    CHECK(tx::equal(tx::function{sums}(four_places{7, 5, 7, 5}, price), pair{3, 8}));
}

TEST_CASE("segment_sum, segment_mean, segment_min, segment_max, segment_prod, segment_count") {
    vec const x{3, 1, 5, 2};
    four_places const ids{0, 1, 0, 9}; // 9 is none of two segments
    CHECK(tx::equal(tx::segment_sum<2>(x, ids), pair{8, 1}));
    CHECK(tx::equal(tx::segment_mean<2>(x, ids), pair{4, 1}));
    CHECK(tx::equal(tx::segment_min<2>(x, ids), pair{3, 1}));
    CHECK(tx::equal(tx::segment_max<2>(x, ids), pair{5, 1}));
    CHECK(tx::equal(tx::segment_prod<2>(x, ids), pair{15, 1}));
    CHECK(tx::equal(tx::segment_count<2>(ids), places{2, 1}));
}

TEST_CASE("topk, smallest") {
    auto const [values, where] = tx::topk<2>(vec{3, 1, 5, 2}, tx::smallest);
    CHECK(tx::equal(values, pair{1, 2}));
    CHECK(tx::equal(where, places{1, 3}));
}

TEST_CASE("unique, searchsorted") {
    auto const words = tx::unique(strings{"b", "a", "b"});
    CHECK(tx::equal(words, tx::tensor<std::string, tx::shape<2>>{"a", "b"}));
    CHECK(tx::equal(tx::searchsorted(words, strings{"b", "", "c"}), tx::tensor<std::int64_t, tx::shape<3>>{1, 0, 2}));
}

TEST_CASE("insert, delete_at") {
    square const x{{1, 2}, {3, 4}};
    CHECK(tx::equal(tx::insert<1>(x, pair{8, 9}, tx::axis<0>), tx::tensor<double, tx::shape<3, 2>>{{1, 2}, {8, 9}, {3, 4}}));
    CHECK(tx::equal(tx::insert(pair{1, 2}, places{0, 2}, pair{8, 9}), vec{8, 1, 2, 9}));
    CHECK(tx::equal(tx::delete_at<0>(x, tx::axis<1>), tx::tensor<double, tx::shape<2, 1>>{{2}, {4}}));
    CHECK(tx::equal(tx::delete_at(vec{3, 1, 5, 2}, places{0, -1}), pair{1, 5}));
}

TEST_CASE("hstack, vstack, dstack, column_stack") {
    pair const a{1, 2}, b{3, 4};
    CHECK(tx::equal(tx::hstack(a, b), vec{1, 2, 3, 4}));
    CHECK(tx::equal(tx::vstack(a, b), square{{1, 2}, {3, 4}}));
    CHECK(tx::equal(tx::column_stack(a, b), square{{1, 3}, {2, 4}}));
    CHECK(tx::dstack(a, b).dimensions() == tx::dims{{1, 2, 2}, 3});
}

TEST_CASE("array_split, rot90") {
    auto const [first, second] = tx::array_split<2>(tx::tensor<int, tx::shape<3>>{1, 2, 3});
    CHECK(tx::equal(first, tx::tensor<int, tx::shape<2>>{1, 2}));
    CHECK(tx::equal(second, tx::tensor<int, tx::shape<1>>{3}));
    CHECK(tx::equal(tx::rot90(square{{1, 2}, {3, 4}}, tx::axis<1, 0>), square{{3, 1}, {4, 2}}));
}

TEST_CASE("unravel_index, ravel_multi_index, clip_places, wrap_places") {
    auto const [i, j] = tx::unravel_index(places{5, 6}, tx::shape<3, 4>{});
    CHECK(tx::equal(i, places{1, 1}));
    CHECK(tx::equal(j, places{1, 2}));
    CHECK(tx::equal(tx::ravel_multi_index(std::tuple(i, j), tx::shape<3, 4>{}), places{5, 6}));
    CHECK(tx::equal(tx::ravel_multi_index(std::tuple(i, places{9, -5}), tx::shape<3, 4>{}, tx::clip_places), places{7, 4}));
    CHECK(tx::equal(tx::ravel_multi_index(std::tuple(i, places{9, -5}), tx::shape<3, 4>{}, tx::wrap_places), places{5, 7}));
}

TEST_CASE("tril_indices, triu_indices, diag_indices") {
    square const x{{1, 2}, {3, 4}};
    auto const [i, j] = tx::triu_indices<2>();
    CHECK(tx::equal(tx::slice(x, i, j), tx::tensor<double, tx::shape<3>>{1, 2, 4}));
    CHECK(tx::equal(tx::tril_indices<2, -1>().first, tx::tensor<std::int64_t, tx::shape<1>>{1}));
    CHECK(tx::equal(tx::diag_indices<2>()[1], places{0, 1}));
}

TEST_CASE("logspace, geomspace") {
    CHECK(tx::allclose(tx::logspace<double, 4>(0, 3, 2), vec{1, 2, 4, 8}));
    CHECK(tx::allclose(tx::geomspace<double, 4>(1, 1000), vec{1, 10, 100, 1000}));
}

TEST_CASE("gather_nd, batch_dims, scatter_nd, scatter_nd_add, scatter_nd_set") {
    square const x{{1, 2}, {3, 4}};
    tx::tensor<int, tx::shape<2, 2>> const at{{0, 1}, {1, 0}};
    CHECK(tx::equal(tx::gather_nd(x, at), pair{2, 3}));
    tx::tensor<int, tx::shape<2, 1>> const columns{{1}, {0}}; // one for each row
    CHECK(tx::equal(tx::gather_nd(x, columns, tx::batch_dims<1>), pair{2, 3}));
    CHECK(tx::equal(tx::scatter_nd(at, pair{8, 9}, tx::shape<2, 2>{}), square{{0, 8}, {9, 0}}));
    CHECK(tx::equal(tx::scatter_nd_add(x, at, pair{8, 9}), square{{1, 10}, {12, 4}}));
    CHECK(tx::equal(tx::scatter_nd_set(x, at, pair{8, 9}), square{{1, 8}, {9, 4}}));
}

TEST_CASE("reverse_sequence") {
    tx::tensor<int, tx::shape<2, 3>> const x{{1, 2, 0}, {3, 4, 5}};
    CHECK(tx::equal(tx::reverse_sequence(x, tx::tensor<int, tx::shape<2>>{2, 3}, tx::axis<1>),
                    tx::tensor<int, tx::shape<2, 3>>{{2, 1, 0}, {5, 4, 3}}));
}

TEST_CASE("scan, map") {
    square const x{{1, 2}, {3, 4}};
    auto const step = [](auto sum, auto column) { return std::pair(sum + column, sum + column); };
    CHECK(tx::equal(tx::scan(step, pair{0, 0}, x, tx::axis<1>).second, square{{1, 3}, {3, 7}}));
    CHECK(tx::equal(tx::map([](auto column) { return tx::sum(column); }, x, tx::axis<1>), pair{4, 6}));
}
