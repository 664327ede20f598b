// Shapes: the same elements in other shapes and orders. They are views of a graph: in a function they become part of the loop that reads
// them.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using vec = tx::tensor<float, tx::shape<3>>;
using matrix = tx::tensor<float, tx::shape<2, 3>>;
using extents = std::vector<std::int64_t>;

TEST_CASE("reshape, flatten, ravel") {
    matrix const x{{1, 2, 3}, {4, 5, 6}};
    CHECK(tx::equal(tx::reshape<3, -1>(x), tx::tensor<float, tx::shape<3, 2>>{{1, 2}, {3, 4}, {5, 6}})); // -1: what is left
    CHECK(tx::equal(tx::flatten(x), tx::tensor<float, tx::shape<6>>{1, 2, 3, 4, 5, 6}));
    CHECK(tx::equal(tx::ravel(x), tx::flatten(x)));
}

TEST_CASE("transpose, permute, matrix_transpose") {
    matrix const x{{1, 2, 3}, {4, 5, 6}};
    tx::tensor<float, tx::shape<3, 2>> const turned{{1, 4}, {2, 5}, {3, 6}};
    CHECK(tx::equal(tx::transpose(x), turned));
    CHECK(tx::equal(tx::permute(x, tx::axis<1, 0>), turned));
    CHECK(tx::equal(tx::matrix_transpose(x), turned)); // the last two axes; those before are batches
    CHECK(tx::transpose(tx::zeros<float>(tx::shape<2, 3, 4>{}), tx::axis<2, 0, 1>).extents() == extents{4, 2, 3});
}

TEST_CASE("swapaxes, moveaxis") {
    auto const x = tx::zeros<float>(tx::shape<2, 3, 4>{});
    CHECK(tx::swapaxes(x, tx::axis<0>, tx::axis<2>).extents() == extents{4, 3, 2});
    CHECK(tx::moveaxis(x, tx::axis<0>, tx::axis<2>).extents() == extents{3, 4, 2});
}

TEST_CASE("expand_dims, squeeze") {
    vec const x{1, 2, 3};
    CHECK(tx::expand_dims<0>(x).extents() == extents{1, 3});
    CHECK(tx::expand_dims(x, tx::axis<-1>).extents() == extents{3, 1});
    CHECK(tx::squeeze(tx::expand_dims<0>(x)).extents() == extents{3});
}

TEST_CASE("atleast_1d, atleast_2d") {
    CHECK(tx::atleast_1d(tx::tensor<float, tx::shape<>>(1.f)).extents() == extents{1});
    CHECK(tx::atleast_2d(vec{1, 2, 3}).extents() == extents{1, 3});
}

TEST_CASE("broadcast_to, broadcast_arrays") {
    vec const x{1, 2, 3};
    CHECK(tx::equal(tx::broadcast_to<2, 3>(x), matrix{{1, 2, 3}, {1, 2, 3}}));
    auto const [a, b] = tx::broadcast_arrays(x, tx::tensor<float, tx::shape<2, 1>>{{10}, {20}});
    CHECK(tx::equal(a + b, matrix{{11, 12, 13}, {21, 22, 23}}));
}

TEST_CASE("flip, rot90") {
    CHECK(tx::equal(tx::flip(vec{1, 2, 3}), vec{3, 2, 1}));
    CHECK(tx::equal(tx::flip(matrix{{1, 2, 3}, {4, 5, 6}}, tx::axis<0>), matrix{{4, 5, 6}, {1, 2, 3}}));
    CHECK(tx::equal(tx::rot90(matrix{{1, 2, 3}, {4, 5, 6}}), tx::tensor<float, tx::shape<3, 2>>{{3, 6}, {2, 5}, {1, 4}}));
}

TEST_CASE("roll") {
    vec const x{1, 2, 3};
    CHECK(tx::equal(tx::roll<1>(x), vec{3, 1, 2}));
    int const shift = -1; // known to the run only
    CHECK(tx::equal(tx::roll(x, shift, tx::axis<0>), vec{2, 3, 1}));
}

TEST_CASE("tile, repeat") {
    tx::tensor<float, tx::shape<2>> const x{1, 2};
    CHECK(tx::equal(tx::tile<2>(x), tx::tensor<float, tx::shape<4>>{1, 2, 1, 2}));
    CHECK(tx::equal(tx::repeat<2>(x), tx::tensor<float, tx::shape<4>>{1, 1, 2, 2}));
}

TEST_CASE("diagonal") { CHECK(tx::equal(tx::diagonal(matrix{{1, 2, 3}, {4, 5, 6}}), tx::tensor<float, tx::shape<2>>{1, 5})); }

TEST_CASE("sliding_window_view") {
    auto const windows = tx::sliding_window_view<2>(vec{1, 2, 3}, tx::axis<0>);
    CHECK(tx::equal(windows, tx::tensor<float, tx::shape<2, 2>>{{1, 2}, {2, 3}}));
}
