// This file tests tx::conv against its definition: strides, dilations, paddings, groups, depthwise filters, dtypes without a
// kernel, layouts.
#include <families/conv_helper.hpp>

#include <family_checks.hpp>

#include <doctest/doctest.h>

using namespace tx::testing;

namespace {
auto const x = whole_numbers(tx::shape<2, 9, 10, 6>{}, 1.3);
auto const w = whole_numbers(tx::shape<3, 2, 6, 18>{}, 0.7);
auto const of_groups = whole_numbers(tx::shape<3, 2, 2, 12>{}, 0.7);
} // namespace

TEST_CASE("conv: strides, dilations and paddings") {
    CHECK(has_elements(tx::conv(x, w), convolved(x, w, {.results = {7, 9}})));
    CHECK(has_elements(tx::conv(x, w, tx::stride<2, 1>, tx::widths<1>), convolved(x, w, {.step = {2, 1}, .before = {1, 1}, .results = {5, 11}})));
    CHECK(has_elements(tx::conv(x, w, tx::stride<2>), convolved(x, w, {.step = {2, 2}, .results = {4, 5}})));
    CHECK(has_elements(tx::conv(x, w, tx::mode::same), convolved(x, w, {.before = {1, 0}, .results = {9, 10}})));
    CHECK(has_elements(tx::conv(x, w, tx::mode::same, tx::stride<2>), convolved(x, w, {.step = {2, 2}, .before = {1, 0}, .results = {5, 5}})));
    CHECK(has_elements(tx::conv(x, w, tx::dilation<3, 2>, tx::mode::full), convolved(x, w, {.apart = {3, 2}, .before = {6, 2}, .results = {15, 12}})));
}
TEST_CASE("conv: groups") {
    auto const padded = tx::conv(x, of_groups, tx::groups<3>, tx::widths<2, 1>, tx::widths<0, 3>);
    CHECK(has_elements(padded, convolved(x, of_groups, {.before = {2, 0}, .results = {10, 12}, .groups = 3})));
    auto const each = whole_numbers(tx::shape<3, 2, 1, 6>{}, 0.7);
    CHECK(has_elements(tx::conv(x, each, tx::groups<6>, tx::mode::same), convolved(x, each, {.before = {1, 0}, .results = {9, 10}, .groups = 6})));
    auto const two_each = whole_numbers(tx::shape<3, 2, 1, 12>{}, 0.7);
    CHECK(has_elements(tx::conv(x, two_each, tx::groups<6>), convolved(x, two_each, {.results = {7, 9}, .groups = 6})));
}
TEST_CASE("conv: other dtypes") {
    auto const xi = whole_numbers<int>(tx::shape<2, 9, 10, 6>{}, 1.3);
    auto const wi = whole_numbers<int>(tx::shape<3, 2, 2, 12>{}, 0.7);
    tx::tensor<int, tx::shape<2, 5, 6, 12>> const whole = tx::conv(xi, wi, tx::groups<3>, tx::stride<2>, tx::widths<2, 1>);
    CHECK(has_elements(whole, convolved(xi, wi, {.step = {2, 2}, .before = {2, 2}, .results = {5, 6}, .groups = 3})));
    CHECK(has_elements(tx::conv(tx::cast<float>(x), tx::cast<float>(w)), convolved(x, w, {.results = {7, 9}})));
    CHECK(has_elements(tx::conv(tx::cast<tx::half>(x), tx::cast<tx::half>(of_groups), tx::groups<3>), convolved(x, of_groups, {.results = {7, 9}, .groups = 3})));
    using complex = std::complex<double>;
    auto const z = tx::cast<complex>(x) + complex(0, 1) * tx::cast<complex>(tx::flip(x));
    auto const by_parts = tx::conv(z, tx::cast<complex>(w) * complex(1, 2));
    CHECK(tx::equal(tx::imag(by_parts), tx::conv(tx::flip(x), w) + 2 * tx::conv(x, w)));
    using dual = tx::dual<double>;
    auto const steps = tx::conv(tx::cast<dual>(x), tx::cast<dual>(w) * dual(1, 1));
    CHECK(steps(1, 2, 3, 4).tangent == tx::conv(x, w)(1, 2, 3, 4));
}
TEST_CASE("conv: one and three dimensions, channels first") {
    auto const signal = whole_numbers(tx::shape<2, 10, 6>{}, 1.1);
    auto const taps = whole_numbers(tx::shape<2, 6, 5>{}, 0.9);
    auto const as_image = tx::conv(tx::expand_dims<1>(signal), tx::expand_dims<0>(taps), tx::stride<1, 3>);
    CHECK(tx::equal(tx::conv(signal, taps, tx::stride<3>), tx::squeeze<1>(as_image)));
    auto const volume = tx::conv(tx::reshape<2, 1, 9, 10, 6>(x), tx::reshape<1, 3, 2, 6, 18>(w), tx::widths<0>, tx::widths<1>, tx::widths<1>);
    CHECK(tx::equal(tx::squeeze<1>(volume), tx::conv(x, w, tx::widths<1>)));
    auto const first = tx::conv(tx::transpose<0, 3, 1, 2>(x), tx::transpose<3, 2, 0, 1>(w), tx::channels_first, tx::stride<2>);
    CHECK(tx::equal(tx::transpose<0, 2, 3, 1>(first), tx::conv(x, w, tx::stride<2>)));
}
TEST_CASE("conv: no examples, no channels, extents of 1") {
    CHECK(tx::conv(tx::zeros<float>(tx::shape<0, 5, 3>{}), tx::ones<float>(tx::shape<2, 3, 4>{})).extents()[1] == 4);
    CHECK(tx::equal(tx::conv(tx::zeros<float>(tx::shape<1, 5, 0>{}), tx::ones<float>(tx::shape<2, 0, 4>{})), tx::zeros<float>(tx::shape<1, 4, 4>{})));
    CHECK(tx::equal(tx::conv(tx::zeros<float>(tx::shape<1, 5, 0>{}), tx::ones<float>(tx::shape<2, 0, 4>{}), tx::mode::full), tx::zeros<float>(tx::shape<1, 6, 4>{})));
    CHECK(tx::equal(tx::conv_transpose(tx::zeros<float>(tx::shape<1, 5, 0>{}), tx::ones<float>(tx::shape<2, 3, 0>{})), tx::zeros<float>(tx::shape<1, 6, 3>{})));
    CHECK(tx::conv(tx::full<float>(tx::shape<1, 1, 1>{}, 3), tx::full<float>(tx::shape<1, 1, 1>{}, 5)).item() == 15);
}
