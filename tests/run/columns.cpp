// This file tests reductions of columns with a second pass over the matrix: widths around vectors and strips, heights around
// blocks, against plain loops in double.
#include <doctest/doctest.h>
#include <tracexpr/tracexpr.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace {

tx::function standardize{[](auto x) { return (x - tx::mean(x, tx::axis<0>)) / tx::std(x, tx::axis<0>); }};
// What all rows share is computed once for several of them: of a row, of a number, and not of a column.
tx::function shares_row{[](auto x, auto row, auto column, auto s) { return tx::sum((x - tx::square(row) * s) * (column + s), tx::axis<0>); }};
tx::function largest{[](auto x) { return tx::max(x, tx::axis<0, 1>); }};

template <class Tensor> void fill(Tensor& x) {
    for (std::int64_t i = 0; i < x.size(); ++i) x.mutable_data()[i] = static_cast<typename Tensor::value_type>(3 * std::sin(static_cast<double>(i * i)));
}
template <class T> void check_standardized(T const* x, T const* got, std::int64_t rows, std::int64_t columns) {
    double worst = 0;
    for (std::int64_t j = 0; j < columns; ++j) {
        double mean = 0, squares = 0;
        for (std::int64_t i = 0; i < rows; ++i) mean += static_cast<double>(x[i * columns + j]) / static_cast<double>(rows);
        for (std::int64_t i = 0; i < rows; ++i) squares += std::pow(static_cast<double>(x[i * columns + j]) - mean, 2);
        double const deviation = std::sqrt(squares / static_cast<double>(rows));
        for (std::int64_t i = 0; i < rows; ++i)
            worst = std::max(worst, std::min(deviation, 1.0) * std::abs((static_cast<double>(x[i * columns + j]) - mean) / deviation - static_cast<double>(got[i * columns + j])));
    }
    CAPTURE(rows);
    CAPTURE(columns);
    CHECK(worst <= 256 * static_cast<double>(std::numeric_limits<T>::epsilon()));
}
template <class T, std::int64_t Rows, std::int64_t Columns> void check_static() {
    tx::tensor<T, tx::shape<Rows, Columns>> x;
    fill(x);
    check_standardized(x.data(), standardize(x).data(), Rows, Columns);
}

} // namespace

TEST_CASE("columns: matrices of known extents") {
    check_static<float, 300, 250>();
    check_static<double, 40, 3>();
    check_static<float, 700, 530>();
}
TEST_CASE("columns: matrices of unknown extents") {
    for (std::int64_t rows : {2, 16, 17, 129, 700})
        for (std::int64_t columns : {1, 7, 16, 17, 64, 250, 513, 1100}) {
            auto x = tx::zeros<float, tx::shape<tx::dyn, tx::dyn>>(rows, columns);
            fill(x);
            check_standardized(x.data(), standardize(x).data(), rows, columns);
        }
}
template <std::int64_t Rows, std::int64_t Columns> void check_shared_row() {
    tx::tensor<double, tx::shape<Rows, Columns>> x;
    tx::tensor<double, tx::shape<Columns>> row;
    tx::tensor<double, tx::shape<Rows, 1>> column;
    fill(x), fill(row), fill(column);
    auto const got = shares_row(x, row, column, 0.75);
    for (std::int64_t j = 0; j < Columns; ++j) {
        double want = 0;
        for (std::int64_t i = 0; i < Rows; ++i) want += (x.data()[i * Columns + j] - row.data()[j] * row.data()[j] * 0.75) * (column.data()[i] + 0.75);
        CHECK(got.data()[j] == doctest::Approx(want).epsilon(1e-12));
    }
}
TEST_CASE("columns: what all rows share") {
    check_shared_row<300, 37>();
    check_shared_row<6, 70>();
    check_shared_row<9, 3>();
}
TEST_CASE("columns: NaN and two reduced axes") {
    tx::tensor<float, tx::shape<5, 7, 19>> x;
    fill(x);
    x.mutable_data()[3 * 19 + 4] = std::numeric_limits<float>::quiet_NaN();
    auto const got = largest(x);
    for (int j = 0; j < 19; ++j) {
        float want = -std::numeric_limits<float>::infinity();
        for (int i = 0; i < 35; ++i) want = std::max(want, x.data()[i * 19 + j]);
        if (j == 4) CHECK(std::isnan(got.data()[j]));
        else CHECK(got.data()[j] == want);
    }
}
