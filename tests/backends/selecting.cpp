// This file tests the kernels of argselect and partition against std::sort of places: rows of all lengths around those where the
// algorithm changes, with many equal elements, with none, and already in order.
#include <tracexpr/backends/calls/select.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace {

enum class order { random, few, equal, ascends, descends, ends };

template <class T> std::vector<T> elements(std::int64_t count, order how) {
    std::mt19937_64 from(7);
    std::vector<T> out;
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t const any = static_cast<std::int64_t>(from() >> 8);
        std::int64_t const n = how == order::random ? any : how == order::few ? any % 5 : how == order::equal ? 3 : how == order::ascends ? i : count - i;
        if constexpr (std::is_same_v<T, tx::half>) out.push_back(T(static_cast<float>(n % 1000 - 500)));
        else out.push_back(static_cast<T>(n));
        using limits = std::numeric_limits<T>;
        if (limits::is_integer && how == order::ends) out.back() = any % 3 ? limits::max() : limits::min();
        if (tx::simd::detail::infinite_bits<T> != 0 && how == order::random && i % 11 == 5) out.back() = T(std::numeric_limits<float>::quiet_NaN());
        if (tx::simd::detail::infinite_bits<T> != 0 && how == order::few && i % 3 == 1) out.back() = i % 2 ? T(0.0f) : T(-0.0f);
    }
    return out;
}
template <class T> bool precedes(T a, T b) { return a == a && (b == b ? a < b : true); }
template <class T> bool same(T a, T b) { return a == b || (!(a == a) && !(b == b)); }

template <class T> void check_rows(std::int64_t outer, std::int64_t n, std::int64_t inner, order how) {
    INFO(outer, " ", n, " ", inner, " ", static_cast<int>(how));
    std::vector<T> const in = elements<T>(outer * n * inner, how);
    std::vector<std::int64_t> ranks{n / 2, 0, -1, n / 3, n / 2, -n}, dense(static_cast<std::size_t>(n));
    std::iota(dense.begin(), dense.end(), std::int64_t{0});
    if (n > 50 && n < 3000) ranks = dense;
    auto const count = static_cast<std::int64_t>(ranks.size());
    std::vector<std::int64_t> found(static_cast<std::size_t>(outer * inner * count)), of_each = found, each(found.size()), places(in.size());
    std::vector<T> around(in.size());
    auto const at = [&](std::int64_t row, std::int64_t i, std::int64_t of) { return static_cast<std::size_t>((row / inner * of + i) * inner + row % inner); };
    for (std::int64_t row = 0; row < outer * inner; ++row)
        for (std::int64_t k = 0; k < count; ++k) each[at(row, k, count)] = (ranks[static_cast<std::size_t>(k)] + row) % n;
    tx::simd::argselect<T>(outer, n, inner, in.data(), {ranks.data(), count, true}, 0, found.data());
    tx::simd::argselect<T>(outer, n, inner, in.data(), {each.data(), count, false}, 0, of_each.data());
    std::int64_t const rank = n / 3;
    tx::simd::partition<tx::op::sort>(outer, n, inner, in.data(), rank, 0, around.data());
    tx::simd::partition<tx::op::argsort>(outer, n, inner, in.data(), rank - n, 0, places.data());
    bool selected = true, each_selected = true, placed = true, moved = true;
    for (std::int64_t row = 0; row < outer * inner; ++row) {
        std::vector<std::int64_t> expected = dense;
        std::sort(expected.begin(), expected.end(), [&](std::int64_t a, std::int64_t b) {
            T const x = in[at(row, a, n)], y = in[at(row, b, n)];
            return precedes(x, y) || (!precedes(y, x) && a < b);
        });
        auto const wanted = [&](std::int64_t k) { return expected[static_cast<std::size_t>(k < 0 ? k + n : k)]; };
        for (std::int64_t k = 0; k < count; ++k) {
            selected = selected && found[at(row, k, count)] == wanted(ranks[static_cast<std::size_t>(k)]);
            each_selected = each_selected && of_each[at(row, k, count)] == wanted(each[at(row, k, count)]);
        }
        std::sort(expected.begin(), expected.begin() + rank), std::sort(expected.begin() + rank + 1, expected.end());
        for (std::int64_t i = 0; i < n; ++i) {
            placed = placed && places[at(row, i, n)] == wanted(i);
            moved = moved && same(around[at(row, i, n)], in[at(row, wanted(i), n)]);
        }
    }
    CHECK(selected);
    CHECK(each_selected);
    CHECK(placed);
    CHECK(moved);
}

} // namespace

TEST_CASE_TEMPLATE("argselect, partition: of all lengths", T, std::int8_t, std::uint8_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, tx::half, float, double) {
    for (order const how : {order::random, order::few, order::equal, order::ascends, order::descends, order::ends}) {
        for (std::int64_t const n : {1, 2, 7, 64, 65, 300}) check_rows<T>(3, n, 1, how), check_rows<T>(2, n, 3, how);
        check_rows<T>(1, 2048, 1, how), check_rows<T>(1, 2049, 2, how), check_rows<T>(100, 5, 1, how), check_rows<T>(1, 50000, 1, how);
    }
}
TEST_CASE("argselect: ranks on both sides of a gap") {
    std::vector<double> in;
    for (int i = 0; i < 30000; ++i) in.push_back(i % 31 == 0 ? 1e9 + i : -i);
    std::int64_t const ranks[]{0, 29031, 29032, 29999};
    std::int64_t places[4];
    tx::simd::argselect<double>(1, 30000, 1, in.data(), {ranks, 4, true}, 0, places);
    CHECK(places[0] == 29999);
    CHECK(places[1] == 1);
    CHECK(places[2] == 0);
    CHECK(places[3] == 29977);
}
TEST_CASE("argselect: ranks outside of the axis, and no rows") {
    double const in[]{1, 2, 3};
    std::int64_t const ranks[]{0, 3};
    std::int64_t places[2];
    CHECK_THROWS_WITH_AS(tx::simd::argselect<double>(1, 3, 1, in, {ranks, 2, true}, 1, places), "tx: argselect: index 3 is out of bounds for axis 1 with size 3",
                         tx::shape_error);
    tx::simd::argselect<double>(0, 3, 1, in, {ranks, 1, true}, 0, places);
    tx::simd::argselect<double>(1, 3, 1, in, {ranks, 0, true}, 0, places);
}
