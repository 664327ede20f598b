// This file tests row nests over unknown extents: which loops they take in, and extents that turn out to be 1.
#include <doctest/doctest.h>
#include <tracexpr/tracexpr.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace {

using matrix = tx::tensor<float, tx::shape<tx::dyn, tx::dyn>>;
using numbers = tx::tensor<float, tx::shape<tx::dyn>>;

tx::function softmax{[](auto x) { return tx::softmax(x, tx::axis<-1>); }};
tx::function norm{[](auto x, auto gain) {
    auto centred = x - tx::mean(x, tx::axis<-1>, tx::keepdims);
    return centred * tx::rsqrt(tx::mean(tx::square(centred), tx::axis<-1>, tx::keepdims) + 1e-5) * gain;
}};
// The second operand has as many rows and columns as the first, or one, or the first has but one.
tx::function mixed{[](auto x, auto y) { return x - tx::max(x, tx::axis<-1>, tx::keepdims) + y * tx::sum(x, tx::axis<-1>, tx::keepdims); }};

template <class Tensor> Tensor filled(Tensor x) {
    for (std::int64_t i = 0; i < x.size(); ++i) x.mutable_data()[i] = static_cast<float>(3 * std::sin(static_cast<double>(i * i)));
    return x;
}
matrix waves(std::int64_t rows, std::int64_t columns) { return filled(tx::zeros<float, tx::shape<tx::dyn, tx::dyn>>(rows, columns)); }
numbers waves(std::int64_t count) { return filled(tx::zeros<float, tx::shape<tx::dyn>>(count)); }

// A vector is one row for all.
template <class Y> void check_mixed(matrix const& x, Y const& y) {
    std::int64_t const x_rows = x.dimensions()[0], x_columns = x.dimensions()[1];
    std::int64_t const y_columns = y.dimensions()[y.dimensions().rank - 1], y_rows = y.size() / y_columns;
    std::int64_t const rows = std::max(x_rows, y_rows), columns = std::max(x_columns, y_columns);
    matrix const out = mixed(x, y);
    REQUIRE(out.dimensions() == tx::dims{{rows, columns}, 2});
    double worst = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
        float const* const here = x.data() + (x_rows == 1 ? 0 : i * x_columns);
        float const* const there = y.data() + (y_rows == 1 ? 0 : i * y_columns);
        double const largest = *std::max_element(here, here + x_columns), total = std::accumulate(here, here + x_columns, 0.0);
        for (std::int64_t j = 0; j < columns; ++j) {
            double const want = static_cast<double>(here[x_columns == 1 ? 0 : j]) - largest + static_cast<double>(there[y_columns == 1 ? 0 : j]) * total;
            worst = std::max(worst, std::abs(static_cast<double>(out(i, j)) - want));
        }
    }
    CHECK(worst < 1e-4); // sums of up to 40 numbers up to 3, times 3
}

} // namespace

TEST_CASE("nests: unknown extents, some of which turn out to be 1") {
    for (std::int64_t columns : {1, 5, 40})
        for (std::int64_t others : {std::int64_t{1}, columns}) {
            check_mixed(waves(4, columns), waves(others));
            check_mixed(waves(4, others), waves(columns));
            check_mixed(waves(4, columns), waves(4, others));
            check_mixed(waves(4, others), waves(4, columns));
            check_mixed(waves(4, columns), waves(1, others));
            check_mixed(waves(1, others), waves(4, columns));
        }
}
TEST_CASE("nests: softmax and layer norm of unknown extents are nests, down to their last loop") {
    using open_matrix = tx::spec<float, tx::shape<tx::dyn, tx::dyn>>;
    for (std::string const& text : {softmax.concrete<open_matrix>().explain_passes(), norm.concrete<open_matrix, tx::spec<float, tx::shape<tx::dyn>>>().explain_passes()}) {
        CHECK(text.find("row by row, over (?, ?):\n") != std::string::npos);
        CHECK(text.find("\n  loop over (?, ?), stores") != std::string::npos);
        CHECK(text.find("\nloop over") == std::string::npos);
    }
}
