// This file tests products of many matrices with one: they are one product where the rows are adjacent in memory, and one for
// each matrix where they are not.
#include <op_cases.hpp>

using namespace tx::testing;

namespace {
struct with_one_matrix {
    template <class X, class W> constexpr auto operator()(X const& x, W const& w) const {
        auto const every_other = tx::slice(x, tx::range<tx::open, tx::open, 2>);
        auto const left = tx::slice(x, tx::ellipsis, tx::range<0, 3>, tx::range<>);
        return std::tuple(tx::matmul(x, w), tx::matmul(tx::transpose<1, 0, 2>(x), w), tx::matmul(every_other, w),
                          tx::matmul(left, w), tx::matmul(x, tx::expand_dims<0>(w)));
    }
};
struct with_own_matrices {
    template <class X, class Y> constexpr auto operator()(X const& x, Y const& y) const {
        auto const rows = tx::transpose<0, 2, 1>(y);
        return std::tuple(tx::matmul(x, y), tx::matmul(rows, tx::transpose<0, 2, 1>(x)), tx::matmul(tx::flip(x, tx::axis<0>), y),
                          tx::matmul(x, tx::slice(y, tx::ellipsis, tx::range<0, 1>)),
                          tx::matmul(tx::transpose<1, 0, 2>(tx::transpose<1, 0, 2>(x)), y),
                          tx::matmul(x, tx::slice(y, tx::range<0, 1>)));
    }
};
template <class T, std::int64_t... E> using given = tx::tensor<T, tx::shape<E...>>;
constexpr std::int64_t open = tx::dyn;
} // namespace

TEST_CASE("matmul: many matrices times one") {
    for (std::int64_t const batch : {0, 1, 2, 5})
        check_ops<with_one_matrix, given<float, open, open, open>, given<float, open, open>>(
            64, {tame_values(tx::dtype::float32, {{batch, 4, 6}, 3}, 1), tame_values(tx::dtype::float32, {{6, 9}, 2}, 2)});
}

TEST_CASE("matmul: many small matrices, each times its own; how they lie the compiler may know, or only the run") {
    for (std::int64_t const batch : {1, 7, 8, 9, 21}) {
        auto const values = [batch](tx::dtype type) {
            return std::vector{tame_values(type, {{batch, 4, 6}, 3}, 1), tame_values(type, {{batch, 6, 3}, 3}, 2)};
        };
        check_ops<with_own_matrices, given<float, open, 4, 6>, given<float, open, 6, 3>>(64, values(tx::dtype::float32));
        check_ops<with_own_matrices, given<double, open, open, open>, given<double, open, open, open>>(
            64, values(tx::dtype::float64));
    }
    check_ops<with_own_matrices, given<double, 21, 4, 6>, given<double, 21, 6, 3>>(
        64, {tame_values(tx::dtype::float64, {{21, 4, 6}, 3}, 1), tame_values(tx::dtype::float64, {{21, 6, 3}, 3}, 2)});
}
