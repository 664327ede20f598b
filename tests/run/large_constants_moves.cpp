// This file tests ops on large constants alone that move elements.
#include <run/large_constants.hpp>

namespace {

using tx::shape;
using tx::testing::check_large_constants;

template <std::int64_t N> constexpr auto moved = [] {
    auto const a = tx::reshape(tx::arange<int, N * N>(), shape<N, N>{});
    auto const row = tx::arange<double, N>();
    auto const [x, y] = tx::meshgrid(row, tx::arange<double, 3>());
    return std::tuple(tx::transpose(a), tx::flip(a), tx::pad(row, tx::widths<2>), tx::concat(tx::axis<0>, a, a * 2), tx::take(row, tx::flip(tx::arange<int, N>())),
                      tx::slice(a, tx::at<1>, tx::range<0, tx::open, 2>), x + y, tx::reshape<shape<tx::dyn, N>>(a, -1, N), tx::cast<float>(a), tx::stack(tx::axis<0>, row, row));
};

} // namespace

TEST_CASE("large constants: elements that move") {
    check_large_constants(moved<4>);
    check_large_constants(moved<128>);
}
