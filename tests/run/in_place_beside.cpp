// This file tests values that overwrite others beside further results, other types, sums and calls.
#include "in_place_checks.hpp"

using namespace in_place;

namespace {

// Several results of one loop; the first is needed again.
struct several {
    constexpr auto operator()(auto x) const {
        auto const a = tx::cumsum(x, tx::axis<0>), b = tx::cumprod(x, tx::axis<0>);
        auto const sum = tx::sum(a * b);
        auto const e = tx::exp(a * 0.01f);
        return std::tuple(e + b, tx::cumsum(e, tx::axis<0>) - sum, a);
    }
};
// Other types and shapes than what they are made from.
struct other_types {
    constexpr auto operator()(auto x) const {
        auto const sums = tx::cumsum(x, tx::axis<0>);
        auto const whole = tx::cast<std::int32_t>(sums - tx::min(sums));
        auto const back = tx::cast<float>(tx::cumsum(whole, tx::axis<0>)) * tx::slice(sums, tx::range<0, 1>);
        return back - tx::mean(back);
    }
};
// A value that is summed down its columns, and needed again.
struct column_sums {
    constexpr auto operator()(auto x) const {
        auto const e = tx::exp(tx::cumsum(x, tx::axis<0>) * 0.01f);
        return std::tuple(tx::sum(e, tx::axis<0>), tx::cumsum(e, tx::axis<0>));
    }
};

} // namespace

TEST_CASE("in place: several results of a loop") { check_shapes<several>(); }
TEST_CASE("in place: other types") { check_shapes<other_types>(); }
TEST_CASE("in place: beside sums down the columns") {
    static_assert(room<column_sums, matrix<64, 128>>() <= 64 * 128 * 4 + 64);
    static_assert(room<column_sums, matrix<64, 131>>() <= 64 * 131 * 4 + 128);
    check<column_sums>(numbers(matrix<64, 128>{}));
    check<column_sums>(numbers(matrix<64, 131>{}));
    check<column_sums>(numbers(matrix<9, 640>{}));
    check<column_sums>(numbers(tensor<float, shape<dyn, dyn>>(matrix<300, 128>{})));
    check<column_sums>(numbers(tensor<float, shape<dyn, dyn>>(matrix<40, 131>{})));
}
TEST_CASE("in place: calls read what lies there through added and dropped axes") {
    auto const chosen = [](auto z, auto label) { return tx::take_along_axis(z, tx::expand_dims(label, tx::axis<1>), tx::axis<1>); };
    using labels = tensor<std::int32_t, shape<3>>;
    static_assert(room<decltype(chosen), matrix<3, 2>, labels>() == 0);
    matrix<3, 2> const x{{1, 2}, {3, 4}, {5, 6}};
    CHECK(tx::equal(tx::function{chosen}(x, labels{1, 0, -1}), tensor<float, shape<3, 1>>{{2}, {3}, {6}}));
    auto const added = [=](auto z, auto label) { return tx::sum(tx::square(chosen(z, label))); };
    CHECK(tx::equal(tx::grad(added)(x, labels{1, 0, -1}), matrix<3, 2>{{0, 4}, {6, 0}, {0, 12}}));
    auto const dropped = [](auto z, auto given) { return tx::cumsum(tx::squeeze(tx::slice(z, tx::range<1, 2>), tx::axis<0>) + tx::squeeze(given, tx::axis<0>), tx::axis<0>); };
    CHECK(tx::equal(tx::function{dropped}(x, tensor<float, shape<1, 2>>{{1, 1}}), row<2>{4, 9}));
    auto const prefix = [](auto given) { return tx::cumsum(tx::squeeze(given, tx::axis<0>), tx::axis<0>); };
    static_assert(room<decltype(prefix), matrix<1, 300>>() == 0);
    CHECK(same(tx::function{prefix}(numbers(matrix<1, 300>{})), tx::cumsum(numbers(row<300>{}), tx::axis<0>)));
}
TEST_CASE("in place: the gradient of a regression keeps one value for each example") {
    auto const loss = [](auto w, auto x, auto y) { return tx::logsumexp(tx::matmul(x, w) - y) + 0.5f * tx::sum(tx::square(w)); };
    using gradient = std::remove_const_t<decltype(tx::value_and_grad(loss))>;
    static_assert(room<gradient, row<1024>, matrix<4096, 1024>, row<4096>>() <= 4096 * 4 + 4 * 64);
}
