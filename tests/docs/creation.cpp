// Creation: tensors from nothing, from memory and from others. Where the extents are known, the shape is an object, `tx::shape<3, 4>{}`;
// extents of the run follow the shape's type, `zeros<double, tx::shape<tx::dyn, 4>>(n, 4)`.
#include <tracexpr/tracexpr.hpp>

#include "../run/small_mdspan.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using vec = tx::tensor<float, tx::shape<3>>;
using pair = tx::tensor<float, tx::shape<2>>;
using square = tx::tensor<float, tx::shape<2, 2>>;

TEST_CASE("zeros, ones, full") {
    CHECK(tx::equal(tx::zeros<float>(tx::shape<3>{}), vec{0, 0, 0}));
    CHECK(tx::equal(tx::ones<float>(tx::shape<3>{}), vec{1, 1, 1}));
    CHECK(tx::equal(tx::full<float>(tx::shape<3>{}, 7), vec{7, 7, 7}));
    auto const open = tx::zeros<double, tx::shape<tx::dyn, 4>>(2, 4); // the first extent is the run's
    CHECK(open.extents() == std::vector<std::int64_t>{2, 4});
}

TEST_CASE("zeros_like, ones_like, full_like") {
    vec const x{1, 2, 3};
    CHECK(tx::equal(tx::zeros_like(x), vec{0, 0, 0})); // of x's dtype and shape
    CHECK(tx::equal(tx::ones_like(x), vec{1, 1, 1}));
    CHECK(tx::equal(tx::full_like(x, 7), vec{7, 7, 7}));
}

TEST_CASE("eye") {
    CHECK(tx::equal(tx::eye<float>(tx::shape<2, 2>{}), square{{1, 0}, {0, 1}}));
    CHECK(tx::equal(tx::eye<float>(tx::shape<2, 2>{}, 1), square{{0, 1}, {0, 0}})); // on another diagonal
}

TEST_CASE("arange") {
    CHECK(tx::equal(tx::arange<float, 3>(), vec{0, 1, 2}));
    CHECK(tx::equal(tx::arange<int>(1, 8, 3), tx::tensor<int, tx::shape<tx::dyn>>{1, 4, 7}));
}

TEST_CASE("linspace") {
    CHECK(tx::equal(tx::linspace<float, 3>(0, 1), vec{0, 0.5, 1}));
    CHECK(tx::linspace<double>(0, 1, 11).size() == 11);
}

TEST_CASE("from_data") {
    std::vector<float> const numbers{1, 2, 3, 4};
    CHECK(tx::equal(tx::from_data<tx::shape<2, 2>>(numbers.data()), square{{1, 2}, {3, 4}})); // copies row-major elements
    CHECK(tx::from_data<tx::shape<tx::dyn>>(numbers.data(), 4)(-1) == 4);
}

TEST_CASE("from_range, to_vector") {
    std::vector<float> const numbers{1, 2, 3};
    auto const x = tx::from_range(numbers);
    CHECK(x.extents() == std::vector<std::int64_t>{3});
    CHECK(tx::to_vector(x * 2) == std::vector<float>{2, 4, 6});
    std::vector<std::vector<float>> const nested{{1, 2}, {3, 4}};
    CHECK(tx::from_range(nested).extents() == std::vector<std::int64_t>{2, 2});
}

TEST_CASE("from_mdspan, as_mdspan, as_mutable_mdspan, mdspan_type") {
    // A small span with std::mdspan's interface: standard libraries before C++23 have none.
    using span = spans::mdspan<float const, spans::extents<int, spans::dynamic, 2>>;
    static_assert(tx::mdspan_type<span>);
    std::vector<float> const numbers{1, 2, 3, 4};
    span const m(numbers.data(), span::mapping_type(span::extents_type(2, 2)));
    square x = tx::from_mdspan<tx::shape<2, 2>>(m); // without the shape it is that of the span's type, here (dyn, 2)
    CHECK(tx::equal(tx::function{[](auto a) { return a * 2; }}(m), square{{2, 4}, {6, 8}})); // read where it is
    CHECK(tx::as_mdspan<span>(x)(1, 0) == 3); // as_mdspan(x) is a std::mdspan where there is one
    tx::as_mutable_mdspan<spans::mdspan<float, spans::extents<int, 2, 2>>>(x)(1, 0) = 30;
    CHECK(x(1, 0) == 30);
}

TEST_CASE("iota_like") {
    square const x{};
    CHECK(tx::equal(tx::iota_like<float>(x, tx::axis<0>), square{{0, 0}, {1, 1}}));
    CHECK(tx::equal(tx::iota_like<float>(x, tx::axis<1>), square{{0, 1}, {0, 1}}));
}

TEST_CASE("one_hot, depth") {
    tx::tensor<int, tx::shape<2>> const classes{2, 0};
    CHECK(tx::equal(tx::one_hot(classes, tx::depth<3>), tx::tensor<float, tx::shape<2, 3>>{{0, 0, 1}, {1, 0, 0}}));
}

TEST_CASE("tril, triu") {
    square const x{{1, 2}, {3, 4}};
    CHECK(tx::equal(tx::tril(x), square{{1, 0}, {3, 4}}));
    CHECK(tx::equal(tx::triu(x), square{{1, 2}, {0, 4}}));
}

TEST_CASE("diag") {
    CHECK(tx::equal(tx::diag(pair{1, 2}), square{{1, 0}, {0, 2}}));
    CHECK(tx::equal(tx::diag(square{{1, 2}, {3, 4}}), pair{1, 4})); // of a matrix: its diagonal
}

TEST_CASE("meshgrid, xy, ij") {
    pair const x{1, 2};
    vec const y{10, 20, 30};
    auto const [across, down] = tx::meshgrid(tx::xy, x, y); // (3, 2) each; so without tx::xy
    CHECK(tx::equal(across, tx::tensor<float, tx::shape<3, 2>>{{1, 2}, {1, 2}, {1, 2}}));
    CHECK(tx::equal(down, tx::tensor<float, tx::shape<3, 2>>{{10, 10}, {20, 20}, {30, 30}}));
    auto const [i, j] = tx::meshgrid(tx::ij, x, y);    // (2, 3) each
    CHECK(tx::equal(i, tx::tensor<float, tx::shape<2, 3>>{{1, 1, 1}, {2, 2, 2}}));
    CHECK(tx::equal(j, tx::tensor<float, tx::shape<2, 3>>{{10, 20, 30}, {10, 20, 30}}));
}
