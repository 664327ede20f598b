// This file tests shapes that a traced callable makes of extents: the same code where types show them, where only the run knows
// them, and where even the rank is unknown.
#include "trace_helper.hpp"

#include <tracexpr/trace/functions.hpp>

using namespace trace_test;
using tx::any_shape;
using tx::dyn;
using tx::extent;
using tx::shape;
using tx::tensor;

namespace {
tensor<float, shape<2, 3>> const x{{1, 2, 3}, {4, 5, 6}};
tensor<float, shape<4>> const v{1, 2, 3, 5};
} // namespace

TEST_CASE("extent: shapes made of it") {
    check([](auto const& a) { return tx::zeros<float, shape<dyn, 3>>(extent<0>(a), 3) - a; }, tensor<float>{{-1, -2, -3}, {-4, -5, -6}}, x);
    check([](auto const& a) { return tx::zeros<float>(shape<dyn, 3>{}, extent<0>(a), 3) - a; }, tensor<float>{{-1, -2, -3}, {-4, -5, -6}}, x);
    check([](auto const& a) { return tx::ones<float, shape<dyn>>(extent<0>(a) * 2) * tx::sum(a); }, tensor<float>{21, 21, 21, 21}, x);
    check([](auto const& a) { return tx::full<int, shape<dyn, dyn>>(7, (extent<0>(a) + 1) / 2, extent<1>(a) - 1) * tx::max(tx::cast<int>(a)); }, tensor<int>{{42, 42}}, x);
    check([](auto const& a) { return tx::full<double, any_shape>(tx::sum(a), extent<1>(a), 2); }, tensor<double>{{21, 21}, {21, 21}, {21, 21}}, x);
    check([](auto const& a) { return tx::full<double>(any_shape{}, tx::sum(a), extent<1>(a), 2); }, tensor<double>{{21, 21}, {21, 21}, {21, 21}}, x);
    check([](auto const& a) { return tx::full<int>(shape<dyn, dyn>{}, 7, (extent<0>(a) + 1) / 2, extent<1>(a) - 1) * tx::max(tx::cast<int>(a)); }, tensor<int>{{42, 42}}, x);
    check([](auto const& a) { return tx::ones<float>(shape<dyn>{}, extent<0>(a) * 2) * tx::sum(a); }, tensor<float>{21, 21, 21, 21}, x);
    check([](auto const& a) { return tx::eye<float>(extent<0>(a)) + 0 * tx::sum(a); }, tensor<float>{{1, 0}, {0, 1}}, x);
    check([](auto const& a) { return tx::eye<int>(extent<0>(a), extent<1>(a), 1) + 0 * tx::cast<int>(a); }, tensor<int>{{0, 1, 0}, {0, 0, 1}}, x);
    check([](auto const& a) { return tx::arange<float>(extent<0>(a)) * a; }, tensor<float>{0, 2, 6, 15}, v);
    check([](auto const& a) { return tx::arange<int>(1, tx::size(a) + 2, 2) + 0 * tx::max(tx::cast<int>(a)); }, tensor<int>{1, 3, 5, 7}, x);
    check([](auto const& a) { return tx::arange<double>(tx::size(a), 0, -4) + 0 * tx::sum(a); }, tensor<double>{6, 2}, x);
    check([](auto const& a) { return tx::arange<float>(extent<0>(a) - 9) + 0 * tx::sum(a); }, tensor<float>::uninitialized(tx::dims{{0}, 1}), v);
    check([](auto const& a) { return tx::linspace<double>(1, 2, extent<0>(a)) + 0 * tx::sum(a); }, tensor<double>{1, 4 / 3., 5 / 3., 2}, v);
    check([](auto const& a) { return tx::linspace<float>(1, 2, extent<0>(a) - 3) + 0 * tx::sum(a); }, tensor<float>{1}, v);
    check([](auto const& a) { return tx::reshape<shape<dyn, 2>>(a, tx::size(a) / 2, 2); }, tensor<float>{{1, 2}, {3, 4}, {5, 6}}, x);
    check([](auto const& a) { return tx::reshape<any_shape>(a, 1, extent<1>(a), -1); }, tensor<float>{{{1, 2}, {3, 4}, {5, 6}}}, x);
    check([](auto const& a) { return tx::broadcast_to<shape<dyn, dyn>>(a, extent<0>(a) / 2, extent<0>(a)); }, tensor<float>{{1, 2, 3, 5}, {1, 2, 3, 5}}, v);
}
