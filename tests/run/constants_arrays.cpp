// This file tests constants whose elements are moved or summed by the compiler.
#include <run/constants_check.hpp>

using tx::testing::check_constants;

namespace {

using tx::shape;

constexpr auto moves = [] {
    tx::tensor<int, shape<2, 3>> const a{{1, -2, 3}, {4, 5, -6}};
    return std::tuple(tx::transpose(a), tx::flip(a), tx::concat(tx::axis<0>, a, a * 2), tx::pad(a, tx::widths<1>), tx::slice(a, tx::at<1>, tx::range<0, tx::open, 2>),
                      tx::roll<1>(a), tx::stack(tx::axis<1>, a, a), tx::take(a, tx::tensor<int, shape<2>>{2, 0}, tx::axis<1>), tx::cast<double>(a), tx::cast<bool>(a));
};
constexpr auto totals = [] {
    tx::tensor<double, shape<2, 3>> const a{{1.5, -2, 3}, {4, 5, -6}};
    return std::tuple(tx::sum(a), tx::mean(a, tx::axis<1>), tx::max(a, tx::axis<0>), tx::argmin(a, tx::axis<1>), tx::cumsum(a, tx::axis<1>), tx::prod(a), tx::matmul(a, tx::transpose(a)),
                      tx::one_hot(tx::argmax(a, tx::axis<1>), tx::depth<3>), tx::any(a > 4.0), tx::count_nonzero(a > 0.0));
};

} // namespace

TEST_CASE("constants: elements that move") { check_constants(moves); }
TEST_CASE("constants: totals") { check_constants(totals); }
