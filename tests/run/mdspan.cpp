// This file tests multidimensional spans as arguments and tensors, and tensors as spans.
#include <tracexpr/tracexpr.hpp>

#include "small_mdspan.hpp"

#include <doctest/doctest.h>

#include <vector>

using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {
using two_axes = spans::extents<int, spans::dynamic, spans::dynamic>;
using rows_of_3 = spans::extents<int, spans::dynamic, 3>;
template <class Layout, class E = two_axes> using span_of = spans::mdspan<float const, E, Layout>;
template <class Span> Span filled(std::vector<float> const& from, std::array<int, 2> extents) {
    return Span(from.data(), typename Span::mapping_type(typename Span::extents_type(extents)));
}
tensor<float, shape<2, 3>> const want{{1, 2, 3}, {4, 5, 6}};
constexpr auto row_sums = [](auto x) { return tx::sum(x, tx::axis<1>); };
} // namespace

TEST_CASE("mdspan: the types that are spans, and of their tensors") {
    static_assert(tx::mdspan_type<span_of<spans::layout_left>> && !tx::mdspan_type<std::vector<float>> &&
                  !tx::mdspan_type<tensor<float>>);
    static_assert(!tx::mdspan_type<spans::mdspan<long double, two_axes>>);
    std::vector<float> const numbers{1, 2, 3, 4, 5, 6};
    static_assert(std::is_same_v<decltype(tx::from_mdspan(filled<span_of<spans::layout_right, rows_of_3>>(numbers, {2, 3}))),
                                 tensor<float, shape<dyn, 3>>>);
    float number = 3;
    spans::mdspan<float, spans::extents<int>> const one(&number,
                                                        spans::layout_right::mapping<spans::extents<int>>(spans::extents<int>()));
    CHECK(tx::from_mdspan(one).item() == 3);
}

TEST_CASE("mdspan: every layout and accessor") {
    std::vector<float> const numbers{1, 2, 3, 4, 5, 6}, columns{1, 4, 2, 5, 3, 6}, padded{1, 0, 2, 0, 3, 0, 9, 9, 4, 0, 5, 0, 6};
    CHECK(tx::equal(tx::from_mdspan(filled<span_of<spans::layout_right>>(numbers, {2, 3})), want));
    CHECK(tx::equal(tx::from_mdspan(filled<span_of<spans::layout_left>>(columns, {2, 3})), want));
    using strided = span_of<spans::layout_stride>;
    CHECK(tx::equal(tx::from_mdspan(strided(padded.data(), strided::mapping_type(two_axes(2, 3), {8, 2}))), want));
    using symmetric = span_of<spans::layout_symmetric>;
    CHECK(tx::equal(tx::from_mdspan(filled<symmetric>(numbers, {3, 3})), tensor<float>{{1, 2, 4}, {2, 3, 5}, {4, 5, 6}}));
    using doubled = spans::mdspan<float const, two_axes, spans::layout_right, spans::doubling_accessor<float const>>;
    CHECK(tx::equal(tx::from_mdspan(filled<doubled>(numbers, {2, 3})), want * 2));
    CHECK(tx::from_mdspan(filled<span_of<spans::layout_left>>(columns, {0, 3})).extents() ==
          tx::tensor<float, shape<dyn, dyn>>(0, 3).extents());

    CHECK(tx::equal(tx::from_mdspan<shape<2, dyn>>(filled<span_of<spans::layout_right>>(numbers, {2, 3})), want));
    CHECK_THROWS_AS((tx::from_mdspan<shape<3, dyn>>(filled<span_of<spans::layout_right>>(numbers, {2, 3}))), tx::shape_error);
}

TEST_CASE("mdspan: as arguments and operands, without a copy of row-major ones") {
    std::vector<float> numbers{1, 2, 3, 4, 5, 6};
    auto const span = filled<span_of<spans::layout_right>>(numbers, {2, 3});
    CHECK(tx::detail::foreign_access<span_of<spans::layout_right>>::borrow(span).elements == numbers.data());
    auto const columns = filled<span_of<spans::layout_left>>(numbers, {3, 2});
    CHECK(!tx::detail::foreign_access<span_of<spans::layout_left>>::borrow(columns).elements);

    tx::function const f{row_sums};
    CHECK(tx::equal(f(span), tensor<float>{6, 15}));
    CHECK(tx::equal(f(columns), tensor<float>{5, 7, 9}));
    CHECK(tx::equal(f(tensor<float, shape<dyn, dyn>>(want)), tensor<float>{6, 15}));
    CHECK(f.tracing_count() == 1); // for all of them
    numbers[0] = 10;
    CHECK(f(span)(0) == 15);
    CHECK(tx::equal(want + span, tensor<float>{{11, 4, 6}, {8, 10, 12}}));
    CHECK(tx::sum(columns).item() == 30);
    auto const gradient = tx::function{tx::grad([](auto x) { return tx::sum(x * x); })}(span);
    CHECK(gradient(0, 0) == 20);
    CHECK(tx::function{[](auto const& p) { return p[0] + p[1]; }}(std::vector{span, span})(1, 2) == 12);
}

TEST_CASE("mdspan: tensors as spans") {
    tensor<float, shape<dyn, 3>> t = want;
    using span = spans::mdspan<float const, rows_of_3>;
    auto const seen = tx::as_mdspan<span>(t);
    CHECK(seen.data_handle() == t.data());
    CHECK(seen.extents().extent(0) == 2);
    CHECK(seen(1, 2) == 6);
    using strided = spans::mdspan<float, two_axes, spans::layout_stride>;
    auto const written = tx::as_mutable_mdspan<strided>(t);
    written(1, 0) = 40;
    CHECK(t(1, 0) == 40);
    CHECK_THROWS_AS((tx::as_mdspan<spans::mdspan<float const, spans::extents<int, 3, 3>>>(t)), tx::shape_error);
    CHECK_THROWS_AS((tx::as_mdspan<spans::mdspan<float const, two_axes, spans::layout_left>>(t)), tx::shape_error);
    tensor<float> const open{1, 2};
    CHECK(tx::as_mdspan<spans::mdspan<float const, spans::extents<long, spans::dynamic>, spans::layout_left>>(open)(1) == 2);
    CHECK_THROWS_AS(tx::as_mdspan<span>(open), tx::shape_error);
}
