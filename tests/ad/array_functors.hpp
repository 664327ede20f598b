// This file holds the functors of reductions, views, scans, lookups and products whose derivatives are tested in several modes.
// Operands have the shapes (a, b, c) and (b, c).
#pragma once

#include <tracexpr/tracexpr.hpp>

namespace tx::testing::arrays {

struct reducing {
    template <class X, class Y> constexpr auto operator()(X const& x, Y const& y) const {
        return std::tuple(tx::sum(x * y, tx::axis<0, -1>), tx::mean(x, tx::axis<1>, tx::keepdims) * y, tx::logsumexp(x - y, tx::axis<-1>), tx::prod(x + y, tx::axis<1>), tx::max(x * y),
                          tx::var(y) * x);
    }
};
struct moving {
    template <class X, class Y> constexpr auto operator()(X const& x, Y const& y) const {
        auto const both = x * y;
        return std::tuple(tx::transpose<2, 0, 1>(both) * 2.0, tx::cumsum(both, tx::axis<1>) * x, tx::slice(both, tx::ellipsis, tx::range<tx::open, tx::open, -1>) * x,
                          tx::matmul(both, tx::matrix_transpose(both)), tx::square(tx::reshape<-1>(both)));
    }
};

struct joining {
    template <class X, class Y> constexpr auto operator()(X const& x, Y const& y) const {
        auto const first = tx::take(x, 0, tx::axis<0>);
        return std::tuple(tx::concat(tx::axis<0>, x * x, tx::expand_dims(y, tx::axis<0>) * 2.0), tx::square(tx::pad(y, tx::widths<1, 0, 0, 2>)), first * y, tx::tril(y) * y,
                          tx::flip(x, tx::axis<1>) * x, tx::roll<1>(y * y, tx::axis<0>));
    }
};

} // namespace tx::testing::arrays
