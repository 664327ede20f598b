// This file tests lookups, and additions at the places that they read, against their definitions.
#include <tracexpr/backends/calls/gather.hpp>
#include <tracexpr/backends/calls/update.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace {

using tx::simd::index_origin;
using arch = xsimd::default_arch;
using add = tx::simd::detail::plus;

// As many indices into an axis of n elements, with neighbours that are the same; where `signs`, some count from its end.
template <class I> std::vector<I> indices_into(std::int64_t n, std::int64_t count, bool signs) {
    std::vector<I> out;
    for (std::int64_t k = 0; k < count; ++k) {
        std::int64_t const at = k * k / 3 % n;
        out.push_back(static_cast<I>(signs && k % 3 == 1 ? at - n : at));
    }
    return out;
}
std::size_t at(std::int64_t k) { return static_cast<std::size_t>(k); }

// Elements of which each sum depends on the order.
template <class T> std::vector<T> uneven(std::int64_t count) {
    std::vector<T> out;
    for (std::int64_t k = 0; k < count; ++k) {
        if constexpr (std::is_floating_point_v<T>) out.push_back(static_cast<T>(k % 5 == 0 ? 1e7 + static_cast<double>(k) : 1.0 / static_cast<double>(k + 1)));
        else out.push_back(T(static_cast<float>(k % 7)));
    }
    return out;
}
template <class T> void add_plainly(T& to, T more) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) to = static_cast<T>(static_cast<std::uint64_t>(to) + static_cast<std::uint64_t>(more));
    else to = static_cast<T>(to + more);
}

template <class T, class I> void check_additions(std::int64_t outer, std::int64_t n, std::int64_t inner, std::int64_t count) {
    for (bool const signs : {false, true}) {
        if (signs && std::is_unsigned_v<I>) continue;
        auto const indices = indices_into<I>(n, count, signs), each = indices_into<I>(n, outer * count * inner, signs);
        index_origin const from = tx::simd::check_indices(indices.data(), count, n, 0, "index_add");
        index_origin const from_each = tx::simd::check_indices(each.data(), outer * count * inner, n, 0, "scatter_add");
        auto const added = uneven<T>(outer * count * inner);
        auto sums = uneven<T>(outer * n * inner), with_same = sums, of_each = sums;
        auto wanted = sums, wanted_same = sums, wanted_each = sums;
        tx::simd::update_indexed<add, arch>(outer, n, inner, sums.data(), count, indices.data(), from, added.data());
        tx::simd::update_indexed<add, arch>(outer, n, inner, with_same.data(), count, indices.data(), from, tx::simd::same_elements<T>{T(3)});
        tx::simd::update_scattered<add>(outer, n, inner, of_each.data(), count, each.data(), from_each, added.data());
        for (std::int64_t o = 0, k = 0; o < outer; ++o)
            for (std::int64_t i = 0; i < count; ++i)
                for (std::int64_t j = 0; j < inner; ++j, ++k) {
                    auto const place = [&](I index) {
                        std::int64_t const to = static_cast<std::int64_t>(index);
                        return at((o * n + (to < 0 ? to + n : to)) * inner + j);
                    };
                    add_plainly(wanted[place(indices[at(i)])], added[at(k)]);
                    add_plainly(wanted_same[place(indices[at(i)])], T(3));
                    add_plainly(wanted_each[place(each[at(k)])], added[at(k)]);
                }
        INFO(outer, " ", n, " ", inner, " ", count, " ", signs);
        CHECK(sums == wanted); // bit by bit: one after the other in the order of the indices
        CHECK(with_same == wanted_same);
        CHECK(of_each == wanted_each);
    }
}
template <class T, class I> void check_additions() {
    for (std::int64_t const inner : {1, 2, 3, 5, 8, 16, 21, 64, 67})
        for (std::int64_t const count : {0, 1, 3, 4, 7, 40}) check_additions<T, I>(2, 9, inner, count);
    check_additions<T, I>(1, 100, 1, 1001);
}

} // namespace

TEST_CASE("index_add, scatter_add: in order, whatever repeats, from either end") {
    check_additions<float, std::int32_t>();
    check_additions<double, std::int64_t>();
    check_additions<float, std::uint8_t>();
    check_additions<std::int32_t, std::int8_t>();
    check_additions<std::uint8_t, std::int16_t>();
    check_additions<std::complex<float>, std::uint32_t>();
}
TEST_CASE("index_add, scatter_add: elements that are no vectors' lanes") {
    std::int32_t const indices[]{1, -1, 1, 0};
    tx::half halves[]{tx::half(1.0f), tx::half(2.0f)};
    tx::half const added[]{tx::half(0.5f), tx::half(4.0f), tx::half(8.0f), tx::half(0.25f)};
    tx::simd::update_indexed<add, arch>(1, 2, 1, halves, 4, indices, index_origin::either, static_cast<tx::half const*>(added));
    CHECK(static_cast<float>(halves[0]) == 1.25f);
    CHECK(static_cast<float>(halves[1]) == 14.5f);
    bool any[]{false, false};
    bool const some[]{false, true, true, false};
    tx::simd::update_indexed<add, arch>(1, 2, 1, any, 4, indices, index_origin::either, static_cast<bool const*>(some));
    CHECK(!any[0]);
    CHECK(any[1]);
    float zeros[]{-0.0f, -0.0f};
    tx::simd::update_indexed<add, arch>(1, 1, 2, zeros, 1, indices + 3, index_origin::begin, tx::simd::same_elements<float>{-0.0f});
    CHECK(std::signbit(zeros[0]));
}

TEST_CASE_TEMPLATE("indices: all are checked, wherever the bad one is", I, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t) {
    for (std::int64_t const count : {1, 3, 16, 64, 127, 128, 129, 300}) {
        std::vector<I> indices(at(count), I(5));
        CHECK(tx::simd::check_indices(indices.data(), count, 100, 0, "take") == index_origin::begin);
        for (std::int64_t const bad : {std::int64_t{0}, count / 2, count - 1}) {
            auto const with = [&](std::int64_t index, std::int64_t n) {
                auto some = indices;
                some[at(bad)] = static_cast<I>(index);
                return tx::simd::check_indices(some.data(), count, n, 0, "take");
            };
            CHECK(with(99, 100) == index_origin::begin);
            CHECK_THROWS_WITH_AS(with(100, 100), "tx: take: index 100 is out of bounds for axis 0 with size 100", tx::shape_error);
            CHECK_THROWS_AS(with(static_cast<std::int64_t>(std::numeric_limits<I>::max()), 100), tx::shape_error);
            if constexpr (std::is_signed_v<I>) {
                CHECK(with(-100, 100) == index_origin::either);
                CHECK_THROWS_WITH_AS(with(-101, 100), "tx: take: index -101 is out of bounds for axis 0 with size 100", tx::shape_error);
                CHECK_THROWS_AS(with(static_cast<std::int64_t>(std::numeric_limits<I>::min()), 100), tx::shape_error);
            }
            // An axis that is longer than the dtype can say.
            if constexpr (sizeof(I) < 8) CHECK_NOTHROW(with(static_cast<std::int64_t>(std::numeric_limits<I>::max()), std::int64_t{1} << 40));
        }
        CHECK_THROWS_AS(tx::simd::check_indices(indices.data(), count, 0, 0, "take"), tx::shape_error);
        CHECK_THROWS_AS(tx::simd::check_indices(std::vector<I>(at(count), I(0)).data(), count, 0, 0, "take"), tx::shape_error);
    }
    CHECK_NOTHROW(tx::simd::check_indices(static_cast<I const*>(nullptr), 0, 0, 0, "take"));
}

TEST_CASE("gather: indices from either end") {
    int const in[2][3][2] = {{{0, 1}, {2, 3}, {4, 5}}, {{6, 7}, {8, 9}, {10, 11}}};
    std::int64_t const indices[] = {2, -3, -1, 1};
    int out[2][4][2];
    tx::simd::gather(2, 3, 2, &in[0][0][0], 4, indices, &out[0][0][0]);
    CHECK(out[0][0][1] == 5);
    CHECK(out[0][1][0] == 0);
    CHECK(out[1][2][0] == 10);
    CHECK(out[1][3][1] == 9);
    std::uint8_t const bytes[] = {0, 2};
    int flat[2];
    tx::simd::gather(1, 3, 1, &in[0][0][0], 2, bytes, flat);
    CHECK(flat[1] == 2);
}

TEST_CASE("gather: an index outside throws before anything is written") {
    int const in[5] = {};
    int out[2] = {7, 7};
    std::int32_t const high[] = {0, 7}, low[] = {0, -6};
    CHECK_THROWS_WITH_AS(tx::simd::gather(1, 5, 1, in, 2, high, out), "tx: take: index 7 is out of bounds for axis 0 with size 5",
                         tx::shape_error);
    CHECK_THROWS_WITH_AS(tx::simd::gather(1, 5, 1, in, 2, low, out, 3), "tx: take: index -6 is out of bounds for axis 3 with size 5",
                         tx::shape_error);
    CHECK(out[0] == 7);
    std::uint64_t const huge[] = {std::numeric_limits<std::uint64_t>::max()};
    CHECK_THROWS_AS(tx::simd::gather(1, 5, 1, in, 1, huge, out), tx::shape_error);
}

TEST_CASE("take_along_axis: an index per element") {
    float const in[2][3] = {{10, 30, 20}, {3, 1, 2}};
    std::int64_t const order[2][3] = {{0, 2, 1}, {1, 2, -3}};
    float out[2][3];
    tx::simd::take_along_axis(2, 3, 1, &in[0][0], 3, &order[0][0], &out[0][0]);
    CHECK(out[0][1] == 20);
    CHECK(out[0][2] == 30);
    CHECK(out[1][0] == 1);
    CHECK(out[1][2] == 3);
    std::int32_t const rows[1][3] = {{1, 0, 1}};
    tx::simd::take_along_axis(1, 2, 3, &in[0][0], 1, &rows[0][0], &out[0][0], 0);
    CHECK(out[0][0] == 3);
    CHECK(out[0][1] == 30);
    std::int32_t const wrong[1][3] = {{1, 0, 2}};
    CHECK_THROWS_WITH_AS(tx::simd::take_along_axis(1, 2, 3, &in[0][0], 1, &wrong[0][0], &out[0][0], 0),
                         "tx: take_along_axis: index 2 is out of bounds for axis 0 with size 2", tx::shape_error);
}
