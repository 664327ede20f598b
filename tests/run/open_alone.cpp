// This file tests loops whose extents differ from the compiler's assumption, in a program without a compiled part, against plain
// loops.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

using tx::axis, tx::dyn, tx::shape, tx::tensor;

namespace {

using matrix = tensor<float, shape<dyn, dyn>>;
constexpr auto several = [](auto x, auto y) {
    auto const e = tx::exp(x - tx::max(x, axis<1>, tx::keepdims));
    return std::tuple{e / tx::sum(e, axis<1>, tx::keepdims), tx::sum(x, axis<0>), x * y + tx::transpose(tx::transpose(x))};
};
bool close(float got, double want) { return std::abs(static_cast<double>(got) - want) <= 1e-5 * std::max(1.0, std::abs(want)); }

int wrong(std::int64_t n, std::int64_t m) {
    auto x = tx::zeros<float, shape<dyn, dyn>>(n, m);
    auto y = tx::zeros<float, shape<dyn>>(m);
    for (std::int64_t k = 0; k < x.size(); ++k) x.mutable_data()[k] = static_cast<float>(std::sin(static_cast<double>(k * k)));
    for (std::int64_t k = 0; k < m; ++k) y.mutable_data()[k] = static_cast<float>(k % 5);
    auto const at = [&](std::int64_t i, std::int64_t j) { return static_cast<double>(x.data()[i * m + j]); };
    auto const [soft, columns, sums] = tx::function{several}(x, y);
    int found = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        double total = 0;
        for (std::int64_t j = 0; j < m; ++j) total += std::exp(at(i, j));
        for (std::int64_t j = 0; j < m; ++j) {
            found += !close(soft.data()[i * m + j], std::exp(at(i, j)) / total);
            found += !close(sums.data()[i * m + j], at(i, j) * static_cast<double>(y.data()[j]) + at(i, j));
        }
    }
    for (std::int64_t j = 0; j < m; ++j) {
        double total = 0;
        for (std::int64_t i = 0; i < n; ++i) total += at(i, j);
        found += !close(columns.data()[j], total);
    }
    return found;
}

} // namespace

TEST_CASE("open extents, headers alone: rows and columns of every length") {
    for (std::int64_t const n : {1, 2, 5, 40})
        for (std::int64_t const m : {1, 2, 3, 7, 17, 100}) CHECK(wrong(n, m) == 0);
    CHECK(wrong(0, 3) == 0);
}
