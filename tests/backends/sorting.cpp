// This file tests the kernels of sort and argsort against std::sort of pairs of an element and its place: rows of all lengths
// around those where the algorithm changes, with many equal elements, with none, and already in order.
#include <tracexpr/backends/calls/sort.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace {

enum class order { random, few, equal, ascends, descends };

template <class T> std::vector<T> elements(std::int64_t count, order how) {
    std::mt19937_64 from(7);
    std::vector<T> out;
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t const any = static_cast<std::int64_t>(from() >> 8);
        std::int64_t const n = how == order::random ? any : how == order::few ? any % 5 : how == order::equal ? 3 : how == order::ascends ? i : count - i;
        if constexpr (std::is_same_v<T, tx::half> || std::is_same_v<T, tx::bfloat16>) out.push_back(T(static_cast<float>(n % 1000 - 500)));
        else out.push_back(static_cast<T>(std::is_floating_point_v<T> && how == order::random ? n - (std::int64_t{1} << 54) : n));
        if (tx::simd::detail::infinite_bits<T> != 0 && how == order::random && i % 11 == 5) out.back() = T(std::numeric_limits<float>::quiet_NaN());
    }
    return out;
}
// NaN behind all numbers, at first in descending order.
template <class T> bool precedes(T a, T b, bool descending) {
    auto const missing = [](T x) { return !(x == x); };
    if (missing(a) || missing(b)) return descending ? missing(a) && !missing(b) : missing(b) && !missing(a);
    return descending ? b < a : a < b;
}
template <class T> bool same(T a, T b) { return a == b || (!(a == a) && !(b == b)); }

template <class T> void check_rows(std::int64_t outer, std::int64_t n, std::int64_t inner, order how, bool descending) {
    CAPTURE(outer);
    CAPTURE(n);
    CAPTURE(inner);
    CAPTURE(static_cast<int>(how));
    CAPTURE(descending);
    auto const size = static_cast<std::size_t>(outer * n * inner);
    std::vector<T> const in = elements<T>(outer * n * inner, how);
    std::vector<T> out(size);
    std::vector<std::int64_t> places(size);
    std::int64_t const wanted = std::min<std::int64_t>(n, 3);
    std::vector<std::int64_t> first(static_cast<std::size_t>(outer * wanted * inner));
    tx::simd::sort<T>(outer, n, inner, in.data(), descending, out.data());
    tx::simd::argsort<T>(outer, n, inner, in.data(), descending, n, places.data());
    tx::simd::argsort<T>(outer, n, inner, in.data(), descending, wanted, first.data());
    bool sorted = true, placed = true, chosen = true;
    for (std::int64_t row = 0; row < outer * inner; ++row) {
        auto const at = [&](std::int64_t i, std::int64_t of) { return static_cast<std::size_t>((row / inner * of + i) * inner + row % inner); };
        std::vector<std::int64_t> expected;
        for (std::int64_t i = 0; i < n; ++i) expected.push_back(i);
        std::sort(expected.begin(), expected.end(), [&](std::int64_t a, std::int64_t b) {
            T const x = in[at(a, n)], y = in[at(b, n)];
            return precedes(x, y, descending) || (!precedes(y, x, descending) && a < b);
        });
        for (std::int64_t i = 0; i < n; ++i) {
            std::int64_t const place = expected[static_cast<std::size_t>(i)];
            sorted = sorted && same(out[at(i, n)], in[at(place, n)]), placed = placed && places[at(i, n)] == place;
            if (i < wanted) chosen = chosen && first[at(i, wanted)] == place;
        }
    }
    CHECK(sorted);
    CHECK(placed);
    CHECK(chosen);
}
template <class T> void check_lengths() {
    for (order const how : {order::random, order::few, order::equal, order::ascends, order::descends})
        for (bool const descending : {false, true}) {
            for (std::int64_t const n : {0, 1, 2, 7, 16, 17, 63, 100, 128, 129, 300, 1000}) {
                check_rows<T>(3, n, 1, how, descending);
                check_rows<T>(2, n, 3, how, descending);
            }
            check_rows<T>(1, 20000, 1, how, descending), check_rows<T>(100, 5, 1, how, descending);
        }
}

} // namespace

TEST_CASE_TEMPLATE("sort, argsort: of all lengths", T, std::int8_t, std::uint8_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, tx::half, tx::bfloat16, float, double) {
    check_lengths<T>();
}
TEST_CASE("sort: -0 stands before 0, which argsort takes for equal") {
    double const in[]{0.0, -0.0, 1, 0.0};
    double out[4];
    std::int64_t places[4];
    tx::simd::sort<double>(1, 4, 1, in, false, out);
    CHECK((std::signbit(out[0]) && !std::signbit(out[1])));
    tx::simd::argsort<double>(1, 4, 1, in, true, 4, places);
    CHECK((places[0] == 2 && places[1] == 0 && places[2] == 1 && places[3] == 3));
}
TEST_CASE("argsort: keys of 64 bits that differ in the last ones only") {
    std::vector<std::int64_t> in;
    for (std::int64_t i = 0; i < 1000; ++i) in.push_back((i % 2 ? std::int64_t{1} << 62 : -(std::int64_t{1} << 62)) + (i * 7919) % 1000);
    std::vector<std::int64_t> places(in.size()), first(5);
    tx::simd::argsort<std::int64_t>(1, 1000, 1, in.data(), false, 1000, places.data());
    CHECK(std::is_sorted(places.begin(), places.end(), [&](std::int64_t a, std::int64_t b) { return in[static_cast<std::size_t>(a)] < in[static_cast<std::size_t>(b)]; }));
    tx::simd::argsort<std::int64_t>(1, 1000, 1, in.data(), false, 5, first.data());
    CHECK(std::equal(first.begin(), first.end(), places.begin()));
}
