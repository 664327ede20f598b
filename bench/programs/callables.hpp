// Programs that benchmarks of the CPU and of a GPU share.
#pragma once

#include <tracexpr/trace/functions.hpp>

namespace programs {

// The Laplacian by five points.
inline constexpr auto laplace = [](auto x) {
    constexpr auto inner = tx::range<1, -1>;
    constexpr auto before = tx::range<0, -2>;
    constexpr auto after = tx::range<2, tx::open>;
    return tx::slice(x, before, inner) + tx::slice(x, after, inner) + tx::slice(x, inner, before) + tx::slice(x, inner, after) -
           4 * tx::slice(x, inner, inner);
};

// Each of many queries takes a mean of values, weighted by how its keys fit.
inline constexpr auto attention = [](auto q, auto k, auto v) {
    return tx::matmul(tx::softmax(tx::matmul(q, tx::matrix_transpose(k)) * 0.125f), v);
};

} // namespace programs
