// This file tests loops over unknown extents, which are planned once and run with any: numbers along axes, slices and broadcasts
// whose extents follow from each other, against plain loops.
#include <doctest/doctest.h>
#include <tracexpr/tracexpr.hpp>

#include <algorithm>
#include <vector>

namespace {

using tx::axis, tx::dyn, tx::extent, tx::shape;
using matrix = tx::tensor<float, shape<dyn, dyn>>;
using numbers = tx::tensor<float, shape<dyn>>;

template <class Tensor> Tensor filled(Tensor x, std::int64_t seed) {
    for (std::int64_t i = 0; i < x.size(); ++i) x.mutable_data()[i] = static_cast<float>((i * 7 + seed) % 23 - 11);
    return x;
}
matrix some(std::int64_t rows, std::int64_t columns, std::int64_t seed = 3) {
    return filled(tx::zeros<float, shape<dyn, dyn>>(rows, columns), seed);
}
numbers some(std::int64_t count) { return filled(tx::zeros<float, shape<dyn>>(count), 5); }

// Is out[i, j] == f(i, j) everywhere, in that shape?
template <class Out, class F> void check(Out const& out, std::int64_t rows, std::int64_t columns, F f) {
    CAPTURE(rows);
    CAPTURE(columns);
    REQUIRE(out.dimensions() == tx::dims{{rows, columns}, 2});
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < columns; ++j) wrong += static_cast<double>(out(i, j)) != static_cast<double>(f(i, j));
    CHECK(wrong == 0);
}
constexpr std::int64_t edges[]{1, 2, 3, 4, 5, 16, 17, 40};

} // namespace

TEST_CASE("open spaces: numbers along axes") {
    tx::static_function both{[](auto x) {
        return x + tx::arange<float>(extent<1>(x)) * 3.f + tx::expand_dims<1>(tx::arange<float>(extent<0>(x))) * 100.f;
    }};
    tx::static_function alone{[](auto x) {
        return tx::arange<float>(extent<1>(x)) * 3.f + tx::expand_dims<1>(tx::arange<float>(extent<0>(x))) * 100.f;
    }};
    tx::static_function like{[](auto x) { return tx::iota_like<float>(x, axis<0>) * 7.f + tx::iota_like<float>(x, axis<1>) - x; }};
    tx::static_function square{[](auto x) {
        auto const n = tx::arange<float>(extent<0>(x));
        return tx::expand_dims<0>(n) - 50.f * tx::expand_dims<1>(n) + tx::expand_dims<1>(x);
    }};
    tx::static_function table{[](auto x) {
        auto const n = tx::arange<float>(extent<0>(x));
        return tx::expand_dims<0>(n) - 50.f * tx::expand_dims<1>(n);
    }};
    tx::static_function shorter{[](auto x) {
        return tx::slice(x, tx::range<1, tx::open>, tx::range<0, -1>) + tx::arange<float>(extent<1>(x) - 1) +
               tx::expand_dims<1>(tx::arange<float>(extent<0>(x) - 1)) * 100.f;
    }};
    tx::static_function flat{[](auto x) {
        auto const i = tx::iota_like<float>(x, axis<0>) * 100.f + tx::iota_like<float>(x, axis<1>);
        return tx::reshape<shape<dyn, 1>>(i + x, tx::size(x), 1) + tx::expand_dims<1>(tx::arange<float>(tx::size(x)));
    }};
    tx::static_function identity{[](auto x) { return tx::eye<float>(extent<0>(x), extent<1>(x)) * 2.f + x; }};
    tx::static_function sums{[](auto x) {
        return tx::expand_dims<1>(tx::sum(x * tx::arange<float>(extent<1>(x)), axis<1>)) +
               tx::expand_dims<0>(tx::sum(x * tx::expand_dims<1>(tx::arange<float>(extent<0>(x))), axis<0>));
    }};
    tx::static_function of_two{[](auto x, auto y) {
        return tx::expand_dims<1>(x) * tx::arange<float>(extent<0>(y)) + y + tx::expand_dims<1>(tx::arange<float>(extent<0>(x)));
    }};
    for (std::int64_t const n : edges)
        for (std::int64_t const m : edges) {
            auto const x = some(n, m);
            auto const v = some(n), w = some(m);
            check(both(x), n, m, [&](auto i, auto j) { return x(i, j) + 3.f * float(j) + 100.f * float(i); });
            check(alone(x), n, m, [&](auto i, auto j) { return 3.f * float(j) + 100.f * float(i); });
            check(like(x), n, m, [&](auto i, auto j) { return 7.f * float(i) + float(j) - x(i, j); });
            check(square(v), n, n, [&](auto i, auto j) { return float(j) - 50.f * float(i) + v(i); });
            check(table(v), n, n, [&](auto i, auto j) { return float(j) - 50.f * float(i); });
            check(shorter(x), n - 1, m - 1, [&](auto i, auto j) { return x(i + 1, j) + float(j) + 100.f * float(i); });
            check(flat(x), n * m, 1, [&](auto k, auto) { return float(k / m) * 100.f + float(k % m) + x(k / m, k % m) + float(k); });
            check(identity(x), n, m, [&](auto i, auto j) { return (i == j ? 2.f : 0.f) + x(i, j); });
            check(sums(x), n, m, [&](auto i, auto j) {
                float sum = 0;
                for (std::int64_t k = 0; k < m; ++k) sum += x(i, k) * float(k);
                for (std::int64_t k = 0; k < n; ++k) sum += x(k, j) * float(k);
                return sum;
            });
            check(of_two(v, w), n, m, [&](auto i, auto j) { return v(i) * float(j) + w(j) + float(i); });
        }
}
