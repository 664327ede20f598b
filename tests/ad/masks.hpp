// This file holds what the tests of masks share: an argument at which roots have an infinite slope, and gradients of sums.
#pragma once

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <limits>
#include <vector>

namespace masks {

template <class T, std::int64_t... E> using fixed = tx::tensor<T, tx::shape<E...>>;
using open = tx::tensor<double, tx::shape<tx::dyn>>;
using doubles = std::vector<double>;

template <class T, class Shape> std::vector<T> list(tx::tensor<T, Shape> const& x) { return {x.data(), x.data() + x.size()}; }

inline fixed<double, 3> const x{1, 0, 4};

// Checks the gradient of a sum, with known and with open extents.
template <class F> void check_gradient(F const& f, doubles const& want) {
    auto const total = [f](auto const& a) { return tx::sum(f(a)); };
    CHECK(list(tx::grad(total)(x)) == want);
    CHECK(list(tx::grad(total)(open(x))) == want);
}

} // namespace masks
