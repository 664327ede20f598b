// This file tests updates of a tensor that others have read before: they happen in its own buffer where nothing reads it any
// more, and in a copy where something does.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::dyn, tx::range, tx::shape, tx::slice, tx::tensor;

namespace {

using std::int64_t;
template <int64_t... E> using doubles = tensor<double, shape<E...>>;

// Both borders from what lies next to them, one after the other.
constexpr auto borders = [](auto x) {
    auto n = x * 2 + 1;
    n = tx::set(n, slice(n, tx::at<1>) * 3, tx::at<0>);
    n = tx::set(n, slice(n, tx::at<-2>) * 5, tx::at<-1>);
    return tx::set(n, slice(n, range<>, tx::at<0>) - 1, range<>, tx::at<1>);
};
template <class X> void check_borders(X const& x) {
    int64_t const rows = x.extent(0), columns = x.extent(1);
    doubles<dyn, dyn> want(x);
    double* const w = want.mutable_data();
    for (int64_t k = 0; k < rows * columns; ++k) w[k] = w[k] * 2 + 1;
    for (int64_t j = 0; j < columns; ++j) w[j] = w[columns + j] * 3;
    for (int64_t j = 0; j < columns; ++j) w[(rows - 1) * columns + j] = w[(rows - 2) * columns + j] * 5;
    for (int64_t i = 0; i < rows; ++i) w[i * columns + 1] = w[i * columns] - 1;
    CHECK(tx::equal(tx::function{borders}(x), want));
    double const one = 1; // traced at run time
    CHECK(tx::equal(tx::function{[=](auto y) { return borders(y) * one; }}(x), want));
}
template <class F, class... A> constexpr int64_t arena_of =
    tx::detail::stages<tx::detail::compile_time_trace<std::remove_const_t<F>, A...>>::plan().arena_bytes[0];

constexpr auto shifted = [](auto x) {
    auto const n = x * 2;
    return tx::set(n, slice(n, range<1, tx::open>), range<0, -1>); // what is set is read from the base
};
constexpr auto read_later = [](auto x) {
    auto const n = x * 2;
    auto const sum = tx::sum(n);
    auto const m = tx::set(n, 7.0, tx::at<1>);
    return tx::cumsum(m) + n * sum;
};
constexpr auto returned = [](auto x) {
    auto const n = x * 2;
    auto const before = tx::cumsum(n);
    return std::tuple{n, tx::set(n, 7.0, tx::at<1>), before};
};
constexpr auto read_as_a_view = [](auto x) {
    auto const n = x * 2;
    auto const matrix = tx::reshape<-1, 2>(n);
    auto const m = tx::cumsum(tx::set(n, 7.0, tx::at<1>));
    return std::tuple{m, tx::matmul(matrix, tx::transpose(matrix))};
};
constexpr auto read_by_a_branch = [](auto x) {
    auto const n = x * 2;
    auto const before = tx::cumsum(n);
    auto const m = tx::cumsum(tx::set(n, 7.0, tx::at<1>));
    return tx::cond(tx::sum(before) > 0, [](auto a, auto b) { return tx::cumsum(a) + b; }, [](auto a, auto b) { return a - b; }, n, m);
};
constexpr auto twice_from_one = [](auto x) {
    auto const n = x * 2;
    auto const a = tx::set(n, 7.0, tx::at<0>), b = tx::set(n, 9.0, tx::at<0>);
    return std::tuple{tx::cumsum(a), tx::cumsum(b)};
};
constexpr auto added_at = [](auto x, auto i) {
    auto const n = x * 2;
    auto const order = tx::argsort(n);
    auto const m = tx::add_at(n, slice(n, range<0, 2>), i);
    return std::tuple{tx::cumsum(m), order};
};

} // namespace

TEST_CASE("updates, last use: borders of a matrix") {
    check_borders(tx::reshape<5, 4>(tx::arange<double>(20)));
    check_borders(tx::reshape<40, 70>(tx::arange<double>(2800)));
    check_borders(doubles<dyn, dyn>(tx::reshape<5, 4>(tx::arange<double>(20))));
    check_borders(doubles<dyn, 70>(tx::reshape<40, 70>(tx::arange<double>(2800))));
    // Beside the result there is room for what is set alone.
    static_assert(arena_of<decltype(borders), doubles<400, 700>> < 3 * 700 * 8);
}
TEST_CASE("updates, last use: what is still to be read stays") {
    auto const check = [](auto const& x) {
        auto const moved = tx::function{shifted}(x);
        CHECK(tx::equal(moved, doubles<4>{4, 6, 8, 8}));
        CHECK(tx::equal(tx::function{read_later}(x), doubles<4>{2 + 40, 9 + 80, 15 + 120, 23 + 160}));
        auto const [n, set, before] = tx::function{returned}(x);
        CHECK(tx::equal(n, doubles<4>{2, 4, 6, 8}));
        CHECK(tx::equal(set, doubles<4>{2, 7, 6, 8}));
        CHECK(tx::equal(before, doubles<4>{2, 6, 12, 20}));
        auto const [sums, gram] = tx::function{read_as_a_view}(x);
        CHECK(tx::equal(sums, doubles<4>{2, 9, 15, 23}));
        CHECK(tx::equal(gram, doubles<2, 2>{{20, 44}, {44, 100}}));
        CHECK(tx::equal(tx::function{read_by_a_branch}(x), doubles<4>{2 + 2, 6 + 9, 12 + 15, 20 + 23}));
        CHECK(tx::equal(tx::function{read_by_a_branch}(-x), doubles<4>{0, -9, -5, 1}));
        auto const [a, b] = tx::function{twice_from_one}(x);
        CHECK(tx::equal(a, doubles<4>{7, 11, 17, 25}));
        CHECK(tx::equal(b, doubles<4>{9, 13, 19, 27}));
        auto const [added, order] = tx::function{added_at}(x, tensor<int, shape<2>>{1, 1});
        CHECK(tx::equal(added, doubles<4>{2, 12, 18, 26}));
        CHECK(order(3) == 3);
    };
    check(doubles<4>{1, 2, 3, 4});
    check(doubles<dyn>(doubles<4>{1, 2, 3, 4}));
}
