// This file tests elements of exprs, compound assignments, parts by [], rows one after the other, and rows chosen by a mask.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <ranges>
#include <string>
#include <vector>

namespace {
using matrix = tx::tensor<float, tx::shape<2, 3>>;
using open_matrix = tx::tensor<float, tx::shape<tx::dyn, tx::dyn>>;
matrix const given{{1, 2, 3}, {4, 5, 6}};
} // namespace

TEST_CASE("elements of exprs: an assignment gives the name another value") {
    constexpr auto f = [](auto x, auto i) {
        auto const before = x;
        x(0, i) = 7;
        x(1, 1) *= 3;
        auto const e = x(1, 1);
        x(0, 0) = e + x(0, i);
        return std::tuple(x, before, x(1, -1));
    };
    auto const check = [&](auto const& g, auto const& x) {
        auto const [y, before, last] = g(x, 1);
        CHECK(tx::equal(y, matrix{{22, 7, 3}, {4, 15, 6}}));
        CHECK(tx::equal(before, given));
        CHECK(last.item() == 6);
    };
    check(tx::static_function{f}, given);
    check(tx::static_function{f}, open_matrix(given));
    check(tx::function{f, tx::options{.jit = tx::jit::never}}, given);
    check(tx::function{f, tx::options{.jit = tx::jit::never}}, open_matrix(given));
    auto const d = tx::grad([](auto x) {
        x(0, 0) = x(1, 1) * x(1, 2);
        return tx::sum(x * x);
    })(given);
    CHECK(tx::equal(d, matrix{{0, 4, 6}, {8, 370, 312}}));
    tx::function const running{[](auto x) {
        for (int i = 1; i < 3; ++i) x(0, i) += x(0, i - 1);
        return x;
    }};
    CHECK(tx::equal(running(given), matrix{{1, 3, 6}, {4, 5, 6}}));
}
TEST_CASE("compound assignments: tensors and exprs keep their dtype and shape") {
    matrix a = given;
    matrix const copy = a;
    a += given;
    a -= 1;
    a *= tx::tensor<float, tx::shape<3>>{1, 2, 3};
    a /= 2;
    CHECK(tx::equal(a, matrix{{0.5f, 3, 7.5f}, {3.5f, 9, 16.5f}}));
    CHECK(tx::equal(copy, given));
    tx::tensor<std::int32_t, tx::shape<tx::dyn>> k{1, 2, 3};
    k <<= 2, k |= 1, k ^= 3, k &= 14, k %= 4, k >>= 1;
    CHECK(tx::equal(k, ((((k * 0 + tx::tensor<std::int32_t, tx::shape<3>>{1, 2, 3}) << 2 | 1) ^ 3) & 14) % 4 >> 1));
    tx::tensor<float> open = given;
    CHECK_THROWS_WITH_AS(open += tx::ones<float>(tx::shape<4, 1, 1>{}), doctest::Contains("keeps its shape (2, 3)"),
                         tx::shape_error);
    CHECK(tx::equal(open, given));
    tx::static_function const f{[](auto x, auto n) {
        auto y = x;
        y += x;
        y *= n;
        n += 1;
        return y - n;
    }};
    CHECK(tx::equal(f(given, 3.0f), given * 6 - 4));
    std::string const text = "!";
    tx::tensor<std::string, tx::shape<2>> names{"a", "b"};
    names += text;
    CHECK(names(1) == "b!");
}
TEST_CASE("parts by []: one axis less") {
    CHECK(tx::equal(given[1], tx::tensor<float, tx::shape<3>>{4, 5, 6}));
    CHECK(tx::equal(given[-2][2], tx::tensor<float, tx::shape<>>(3)));
    open_matrix const open = given;
    for (int i = 0; i < 2; ++i) CHECK(tx::equal(open[i], given[i]));
    tx::tensor<std::int32_t, tx::shape<>> const one(1);
    CHECK(tx::equal(tx::tensor<float>(given)[one], given[1]));
    CHECK_THROWS_WITH_AS(given[2], doctest::Contains("index 2 is out of bounds for axis 0 with size 2"), tx::shape_error);
    tx::static_function const f{[](auto x, auto i) { return x[i] - x[0] + tx::slice(x, tx::at<-1>); }};
    CHECK(tx::equal(f(given, 1), tx::tensor<float, tx::shape<3>>{7, 8, 9}));
}
TEST_CASE("rows: one part after the other") {
    std::vector<float> sums;
    for (auto const row : tx::rows(open_matrix(given))) sums.push_back(tx::sum(row).item());
    CHECK(sums == std::vector<float>{6, 15});
    auto const all = tx::rows(given);
    CHECK(all.size() == 2);
    CHECK(tx::equal(all.begin()[1], given[1]));
    CHECK(all.end() - all.begin() == 2);
    CHECK(tx::rows(tx::tensor<float, tx::shape<0, 3>>{}).begin() == tx::rows(tx::tensor<float, tx::shape<0, 3>>{}).end());
    tx::static_function const f{[](auto x) {
        auto total = x[0] * 0;
        for (auto const row : tx::rows(x)) total = total * 10 + row;
        return total;
    }};
    CHECK(tx::equal(f(given), tx::tensor<float, tx::shape<3>>{14, 25, 36}));
}
TEST_CASE("rows: a range of random access") {
    using range = decltype(tx::rows(given));
    static_assert(std::ranges::random_access_range<range> && std::ranges::sized_range<range> && std::ranges::common_range<range>);
    static_assert(std::is_same_v<std::ranges::range_value_t<range>, tx::tensor<float, tx::shape<3>>>);
    auto const all = tx::rows(given);
    CHECK(!all.empty());
    CHECK(tx::equal(all[1], given[1]));
    auto const last = std::ranges::max_element(all, {}, [](auto const& row) { return row(0); });
    CHECK(last - all.begin() == 1);
    CHECK(last > all.begin());
    CHECK(tx::equal(*(1 + all.begin()), *last));
    CHECK(tx::equal(*--all.end(), *last));
    std::vector<float> firsts;
    for (auto const row : tx::rows(given) | std::views::reverse) firsts.push_back(row(0));
    CHECK(firsts == std::vector<float>{4, 1});
    auto const longer = std::find_if(all.begin(), all.end(), [](auto const& row) { return row(2) > 5; });
    CHECK(tx::equal(*longer, given[1]));
}
TEST_CASE("compress, set_where: what a mask chooses") {
    CHECK(tx::equal(tx::compress(given > 2, given), tx::tensor<float, tx::shape<4>>{3, 4, 5, 6}));
    tx::tensor<bool, tx::shape<3>> const ends{true, false, true};
    CHECK(tx::equal(tx::compress(ends, given, tx::axis<1>), tx::tensor<float, tx::shape<2, 2>>{{1, 3}, {4, 6}}));
    CHECK(tx::compress(given > 9, given).size() == 0);
    CHECK_THROWS_WITH_AS(tx::compress(ends, given, tx::axis<0>), doctest::Contains("given (3,), (2, 3)"), tx::shape_error);
    CHECK_THROWS_AS(tx::compress(ends, given), tx::shape_error);
    CHECK(tx::equal(tx::set_where(given, given > 4, 0), matrix{{1, 2, 3}, {4, 0, 0}}));
    tx::static_function const clipped{[](auto x, auto v) { return tx::set_where(x, x > v, v); }};
    CHECK(tx::equal(clipped(given, 3.0f), tx::minimum(given, 3)));
    matrix x = given;
    tx::gradient_tape tape;
    tape.watch(x);
    auto const chosen = tx::sum(tx::compress(x > 3, x) * 2);
    CHECK(tx::equal(tape.gradient(chosen, x), matrix{{0, 0, 0}, {2, 2, 2}}));
}
