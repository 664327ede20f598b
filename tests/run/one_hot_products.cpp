// This file tests products with one-hot matrices, which become lookups and sums of groups, against the product itself in plain
// loops, to the bit.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace {

using tx::axis, tx::dyn, tx::shape, tx::tensor;

constexpr std::int64_t n = 37, classes = 70;

constexpr auto table_rows = [](auto x, auto i) { return tx::matmul(tx::one_hot<float>(i, tx::depth<classes>), x); };
constexpr auto table_columns = [](auto x, auto i) { return tx::matmul(tx::transpose(x), tx::transpose(tx::one_hot<float>(i, tx::depth<classes>))); };
constexpr auto sums_of_rows = [](auto x, auto i) { return tx::matmul(tx::transpose(tx::one_hot<float>(i, tx::depth<classes>)), x); };
constexpr auto sums_of_columns = [](auto x, auto i) { return tx::matmul(tx::transpose(x), tx::one_hot<float>(i, tx::depth<classes>)); };
constexpr auto sums_of_numbers = [](auto x, auto i) { return tx::matmul(tx::reshape<-1>(x), tx::one_hot<float>(i, tx::depth<classes>)); };

bool same(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b)); }
std::size_t at(std::int64_t k) { return static_cast<std::size_t>(k); }

// (rows, columns), element by element.
struct matrix {
    std::int64_t rows, columns;
    std::vector<float> of = std::vector<float>(at(rows * columns));
    float& operator()(std::int64_t i, std::int64_t j) { return of[at(i * columns + j)]; }
};
template <class I> matrix one_hot(std::vector<I> const& indices) {
    matrix out{n, classes};
    for (std::int64_t k = 0; k < n; ++k)
        for (std::int64_t c = 0; c < classes; ++c) out(k, c) = static_cast<std::int64_t>(indices[at(k)]) == c ? 1.0f : 0.0f;
    return out;
}
matrix transposed(matrix a) {
    matrix out{a.columns, a.rows};
    for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t j = 0; j < a.columns; ++j) out(j, i) = a(i, j);
    return out;
}
matrix product(matrix a, matrix b) {
    matrix out{a.rows, b.columns};
    for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t j = 0; j < b.columns; ++j)
            for (std::int64_t k = 0; k < a.columns; ++k) out(i, j) += a(i, k) * b(k, j);
    return out;
}
template <class Result> bool agrees(Result const& got, matrix const& wanted) {
    if (got.size() != std::ssize(wanted.of)) return false;
    for (std::int64_t k = 0; k < got.size(); ++k)
        if (!same(got.data()[k], wanted.of[at(k)])) return false;
    return true;
}

// With so many numbers that are not finite, all where `index` is what an index says, or anywhere.
enum class strays { none, one, of_one_class, of_several, outside };
constexpr float infinity = std::numeric_limits<float>::infinity();

template <std::int64_t D, class I> void check(strays which) {
    std::vector<I> indices(at(n));
    for (std::int64_t k = 0; k < n; ++k) indices[at(k)] = static_cast<I>(k % 5 == 4 ? (k % 2 ? 200 : -3) : k * k % 11);
    auto const fill = [&](std::int64_t rows, auto row_of_class) {
        matrix x{rows, D};
        for (std::int64_t k = 0; k < rows * D; ++k) x.of[at(k)] = k % 9 == 2 ? -0.0f : static_cast<float>(k % 13 - 6);
        auto const put = [&](std::int64_t row, float value) { x(row, (row + 1) % D) = value; };
        if (which == strays::one) put(row_of_class(4, 0), infinity);
        if (which == strays::of_one_class)
            for (std::int64_t j = 0; j < D; ++j) x(row_of_class(4, 0), j) = infinity, x(row_of_class(4, 1), j) = -infinity;
        if (which == strays::of_several) put(row_of_class(1, 0), std::numeric_limits<float>::quiet_NaN()), x(row_of_class(9, 0), 0) = infinity;
        if (which == strays::outside) x(row_of_class(-1, 0), D - 1) = infinity;
        return x;
    };
    matrix const hot = one_hot(indices);
    auto const run = [&]<std::int64_t Rows>(std::integral_constant<std::int64_t, Rows>, auto f, matrix const& x, matrix const& wanted) {
        tensor<I, shape<n>> const i = tx::from_data<shape<n>>(indices.data());
        tensor<float, shape<Rows, D>> const known = tx::from_data<shape<Rows, D>>(x.of.data());
        CHECK(agrees(tx::function{f}(known, i), wanted));
        CHECK(agrees(tx::function{f}(tensor<float, shape<dyn, D>>(known), tensor<I, shape<dyn>>(i)), wanted));
        auto const on_tiles = tx::with_passes<tx::pass_options{.kernels = tx::execution::tiles}>(f);
        CHECK(agrees(on_tiles(known, i), wanted));
        CHECK(agrees(tx::with_passes<tx::pass_options{.simplify = false}>(f)(known, i), wanted));
    };
    INFO(D, " ", sizeof(I), " ", static_cast<int>(which));
    // Of the k-th that has this index; -1: of one that has none.
    matrix const values = fill(n, [&](std::int64_t wanted, std::int64_t nth) {
        for (std::int64_t k = 0; k < n; ++k) {
            std::int64_t const index = static_cast<std::int64_t>(indices[at(k)]);
            if ((wanted < 0 ? index < 0 || index >= classes : index == wanted) && nth-- == 0) return k;
        }
        return n - 1;
    });
    matrix const table = fill(classes, [&](std::int64_t wanted, std::int64_t nth) { return wanted < 0 ? classes - 1 : wanted + nth; });
    constexpr std::integral_constant<std::int64_t, n> of_values;
    constexpr std::integral_constant<std::int64_t, classes> of_table;
    run(of_table, table_rows, table, product(hot, table));
    run(of_table, table_columns, table, product(transposed(table), transposed(hot)));
    run(of_values, sums_of_rows, values, product(transposed(hot), values));
    run(of_values, sums_of_columns, values, product(transposed(values), hot));
    if constexpr (D == 1) run(of_values, sums_of_numbers, values, product(transposed(values), hot));
}
constexpr strays all_strays[]{strays::none, strays::one, strays::of_one_class, strays::of_several, strays::outside};

} // namespace

TEST_CASE("products with one-hot matrices: indices outside pick nothing, what is not finite spoils what it is multiplied with") {
    for (strays const which : all_strays) {
        check<1, std::int32_t>(which);
        check<5, std::int64_t>(which);
    }
}
TEST_CASE("products with one-hot matrices: dtypes of indices") {
    check<3, std::int8_t>(strays::of_one_class);
    check<3, std::uint8_t>(strays::outside);
    check<3, std::uint32_t>(strays::one);
    check<3, std::uint64_t>(strays::of_several);
}
TEST_CASE("products with one-hot matrices: no elements") {
    tx::function const numbers{sums_of_numbers};
    tensor<float, shape<dyn>> const none = tensor<float, shape<0>>{};
    tensor<std::int32_t, shape<dyn>> const nowhere = tensor<std::int32_t, shape<0>>{};
    CHECK(tx::equal(numbers(none, nowhere), tx::zeros<float>(shape<classes>{})));
    tensor<float, shape<dyn, 3>> const no_rows = tensor<float, shape<0, 3>>{};
    CHECK(tx::equal(tx::function{sums_of_rows}(no_rows, nowhere), tx::zeros<float>(shape<classes, 3>{})));
    tensor<float, shape<classes, 3>> const table = tx::zeros<float>(shape<classes, 3>{});
    CHECK(tx::function{table_rows}(table, nowhere).size() == 0);
}
TEST_CASE("products with one-hot matrices: derivatives, and nothing as large as the matrix") {
    auto const loss = [](auto x, auto i) { return tx::sum(tx::square(sums_of_rows(x, i))); };
    tensor<float, shape<n, 2>> x = tx::zeros<float>(shape<n, 2>{});
    tensor<std::int32_t, shape<n>> i = tx::zeros<std::int32_t>(shape<n>{});
    for (std::int64_t k = 0; k < n; ++k) i.mutable_data()[k] = static_cast<std::int32_t>(k % 5), x.mutable_data()[2 * k] = static_cast<float>(k);
    auto const got = tx::grad(loss)(x, i);
    for (std::int64_t k = 0; k < n; ++k) {
        float sum = 0;
        for (std::int64_t j = k % 5; j < n; j += 5) sum += static_cast<float>(j);
        CHECK(got(k, 0) == 2 * sum);
        CHECK(got(k, 1) == 0);
    }
    using large = tx::detail::stages<
        tx::detail::compile_time_trace<std::remove_const_t<decltype(sums_of_numbers)>, tensor<float, shape<100'000>>, tensor<std::int32_t, shape<100'000>>>>;
    static_assert(large::plan().arena_bytes[0] < 5 * 100'000);
}
