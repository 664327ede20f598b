// Parts: reading them, and tensors with parts changed. An index stands for each axis from the first on: a place, a range, a tensor of places.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <tuple>
#include <vector>

using vec = tx::tensor<float, tx::shape<3>>;
using pair = tx::tensor<float, tx::shape<2>>;
using matrix = tx::tensor<float, tx::shape<2, 3>>;
using places = tx::tensor<int, tx::shape<2>>;
using extents = std::vector<std::int64_t>;

TEST_CASE("slice, at, range, open") {
    matrix const x{{1, 2, 3}, {4, 5, 6}};
    CHECK(tx::equal(tx::slice(x, tx::at<1>), vec{4, 5, 6}));                         // x[1]
    CHECK(tx::equal(tx::slice(x, tx::range<>, tx::at<-1>), pair{3, 6}));             // x[:, -1]
    CHECK(tx::equal(tx::slice(x, tx::at<0>, tx::range<0, 2>), pair{1, 2}));          // x[0, 0:2]
    CHECK(tx::equal(tx::slice(x, 1, tx::range<tx::open, tx::open, -1>), vec{6, 5, 4})); // x[1, ::-1]
    int const stop = 2; // known to the run only
    CHECK(tx::slice(x, tx::range<>, tx::range(0, stop)).extents() == extents{2, 2});
    CHECK(tx::equal(x[1], vec{4, 5, 6}));
}

TEST_CASE("ellipsis, new_axis") {
    matrix const x{{1, 2, 3}, {4, 5, 6}};
    CHECK(tx::equal(tx::slice(x, tx::ellipsis, tx::at<0>), pair{1, 4}));
    CHECK(tx::slice(x, tx::new_axis, tx::ellipsis).extents() == extents{1, 2, 3});
}

TEST_CASE("take, gather, take_along_axis") {
    vec const x{10, 20, 30};
    places const i{2, 0};
    CHECK(tx::equal(tx::take(x, i, tx::axis<0>), pair{30, 10}));
    CHECK(tx::equal(tx::gather(x, i), pair{30, 10}));
    CHECK(tx::equal(tx::slice(x, i), pair{30, 10}));
    matrix const m{{3, 1, 2}, {4, 6, 5}};
    auto const most = tx::argmax(m, tx::axis<1>, tx::keepdims);
    CHECK(tx::equal(tx::take_along_axis(m, most, tx::axis<1>), tx::tensor<float, tx::shape<2, 1>>{{3}, {6}}));
    CHECK_THROWS_AS(tx::take(x, places{3, 0}, tx::axis<0>), tx::shape_error);
}

TEST_CASE("rows, compress") {
    matrix const x{{1, 2, 3}, {4, 5, 6}};
    float total = 0;
    for (auto const row : tx::rows(x)) total += tx::max(row).item();
    CHECK(total == 9);
    CHECK(tx::to_vector(tx::compress(x > 2, x)) == std::vector<float>{3, 4, 5, 6}); // x[x > 2]
}

TEST_CASE("set, add_at, multiply_at, min_at, max_at") {
    vec const x{1, 2, 3};
    CHECK(tx::equal(tx::set(x, 9, tx::at<0>), vec{9, 2, 3})); // x itself stays as it is
    CHECK(tx::equal(tx::set(x, 0, tx::range<1, 3>), vec{1, 0, 0}));
    CHECK(tx::equal(tx::add_at(x, 10, places{1, 1}), vec{1, 22, 3})); // a place named twice is added to twice
    CHECK(tx::equal(tx::multiply_at(x, 2, tx::at<-1>), vec{1, 2, 6}));
    tx::tensor<float, tx::shape<2, 2>> const counts = tx::add_at(tx::zeros<float>(tx::shape<2, 2>{}), 1, places{0, 1}, places{1, 1});
    CHECK(tx::equal(counts, tx::tensor<float, tx::shape<2, 2>>{{0, 1}, {0, 1}})); // (0, 1) and (1, 1)
    CHECK(tx::equal(tx::min_at(x, 0, tx::at<1>), vec{1, 0, 3}));
    CHECK(tx::equal(tx::max_at(x, 7, tx::at<1>), vec{1, 7, 3}));
}

TEST_CASE("set_where, put_along_axis") {
    vec const x{1, 2, 3};
    CHECK(tx::equal(tx::set_where(x, x > 1, 0), vec{1, 0, 0}));
    tx::tensor<int, tx::shape<1>> const i{2};
    CHECK(tx::equal(tx::put_along_axis(x, i, 7, tx::axis<0>), vec{1, 2, 7}));
}

TEST_CASE("dynamic_slice, dynamic_update_slice") {
    matrix const x{{1, 2, 3}, {4, 5, 6}};
    auto const part = tx::dynamic_slice(x, std::tuple(0, 1), tx::shape<2, 2>{}); // that shape, from that place on
    CHECK(tx::equal(part, tx::tensor<float, tx::shape<2, 2>>{{2, 3}, {5, 6}}));
    CHECK(tx::equal(tx::dynamic_update_slice(x, part * 10, std::tuple(0, 0)), matrix{{20, 30, 3}, {50, 60, 6}}));
}

TEST_CASE("dynamic_index, dynamic_update_index") {
    matrix const x{{1, 2, 3}, {4, 5, 6}};
    CHECK(tx::equal(tx::dynamic_index(x, 1, tx::axis<0>), vec{4, 5, 6}));
    CHECK(tx::equal(tx::dynamic_update_index(x, vec{7, 8, 9}, 0, tx::axis<0>), matrix{{7, 8, 9}, {4, 5, 6}}));
}

TEST_CASE("concat, stack") {
    pair const a{1, 2}, b{3, 4};
    CHECK(tx::equal(tx::concat(tx::axis<0>, a, b), tx::tensor<float, tx::shape<4>>{1, 2, 3, 4}));
    CHECK(tx::equal(tx::concat(a, tx::eye<float>(tx::shape<2, 2>{})), tx::tensor<float>{1, 2, 1, 0, 0, 1})); // no axis: all elements
    CHECK(tx::equal(tx::stack(tx::axis<0>, a, b), tx::tensor<float, tx::shape<2, 2>>{{1, 2}, {3, 4}}));
    CHECK(tx::stack(tx::axis<0>, std::vector{a, b, a}).extents() == extents{3, 2}); // of as many as there are
}

TEST_CASE("split, split_at, unstack") {
    tx::tensor<float, tx::shape<4>> const x{1, 2, 3, 4};
    auto const [front, back] = tx::split<2>(x);
    CHECK(tx::equal(back, pair{3, 4}));
    auto const [one, others] = tx::split_at<1>(x); // before and from place 1 on
    CHECK(tx::equal(others, vec{2, 3, 4}));
    auto const [first, second] = tx::unstack(matrix{{1, 2, 3}, {4, 5, 6}});
    CHECK(tx::equal(first + second, vec{5, 7, 9}));
    CHECK(tx::equal(front, pair{1, 2}));
    CHECK(one.size() == 1);
}

TEST_CASE("pad, widths, edge, reflect, symmetric, wrap") {
    vec const x{1, 2, 3};
    using five = tx::tensor<float, tx::shape<5>>;
    CHECK(tx::equal(tx::pad(x, tx::widths<1>), five{0, 1, 2, 3, 0}));
    CHECK(tx::equal(tx::pad(x, tx::widths<0, 2>, 9), five{1, 2, 3, 9, 9}));
    CHECK(tx::equal(tx::pad(x, tx::widths<1>, tx::edge), five{1, 1, 2, 3, 3}));
    CHECK(tx::equal(tx::pad(x, tx::widths<1>, tx::reflect), five{2, 1, 2, 3, 2}));
    CHECK(tx::equal(tx::pad(x, tx::widths<1>, tx::symmetric), five{1, 1, 2, 3, 3}));
    CHECK(tx::equal(tx::pad(x, tx::widths<1>, tx::wrap), five{3, 1, 2, 3, 1}));
}
