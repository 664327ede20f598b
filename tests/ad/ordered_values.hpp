// This file holds operands for derivatives of ops that depend on the order of elements: no two are equal, so that small steps do
// not change the order.
#pragma once

#include <tracexpr/tracexpr.hpp>

namespace tx::testing {

using vec = tensor<double, shape<5>>;
using matrix = tensor<double, shape<2, 4>>;
inline vec const x{0.3, -1.2, 2.5, 0.7, -0.4};
inline matrix const m{{3, 1, 2, -1.5}, {-1, 5, 0.5, 4}};
inline constexpr auto weighted = [](auto const& a) { return tx::sum(tx::square(a) * tx::iota_like(a, tx::axis<-1>)); };

} // namespace tx::testing
