// This file checks that a call on a device's memory gives what simd::run_call gives on the host's. Thrust's host systems have one
// memory for both.
#pragma once

#include <tracexpr/thrust/calls.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

namespace tx::testing {

using tx::detail::device_queue, tx::detail::run_device_call;
namespace calls = tx::detail::calls;

inline device_queue& queue() { return device_queue::of(0); }

// An operand and its memory.
struct held_operand {
    std::vector<std::byte> bytes;
    dims extents;
    std::array<std::int64_t, max_rank> strides{};
    std::int64_t first = 0;  // the byte of the first element

    simd::call_operand view() const { return {bytes.data() + first, extents, strides.data()}; }
};
// Makes an operand with f(i) for element number i.
template <class T, class F> held_operand made_operand(dims const& extents, F f) {
    auto const count = static_cast<std::size_t>(extents.size());
    held_operand out{std::vector<std::byte>(count * sizeof(T)), extents, row_major_strides(extents)};
    for (std::size_t i = 0; i < count; ++i) {
        T const value = static_cast<T>(f(static_cast<std::int64_t>(i)));
        std::memcpy(out.bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
    return out;
}
// Gives any value of T; they are integers where sums and products of them are exact.
template <class T> T some_value(std::mt19937_64& from, int range) {
    auto const number = [&] { return static_cast<int>(from() % static_cast<std::uint64_t>(2 * range + 1)) - range; };
    if constexpr (std::is_same_v<T, bool>) return number() > 0;
    else if constexpr (std::is_same_v<T, tx::detail::interned>) return T(std::to_string(number()));
    else if constexpr (std::is_integral_v<T>) return static_cast<T>(range > 100 ? static_cast<std::int64_t>(from()) : number());
    else if constexpr (tx::detail::is_dual_number<T>) {
        using V = typename T::value_type;
        return T(some_value<V>(from, range), some_value<V>(from, range));
    } else if constexpr (simd::detail::is_complex<T>) {
        using V = typename T::value_type;
        return T(some_value<V>(from, range), some_value<V>(from, range));
    } else return T(static_cast<float>(number()));
}
template <class T> held_operand some_operand(dims const& extents, unsigned seed, int range = 3) {
    std::mt19937_64 from(seed);
    return made_operand<T>(extents, [&](std::int64_t) { return some_value<T>(from, range); });
}
template <class Index> held_operand some_indices(dims const& extents, std::int64_t n, unsigned seed) {
    std::mt19937_64 from(seed);
    return made_operand<Index>(extents, [&](std::int64_t) {
        std::int64_t const at = static_cast<std::int64_t>(from() % static_cast<std::uint64_t>(n));
        return std::is_signed_v<Index> && from() % 2 ? at - n : at;
    });
}
inline held_operand permuted(held_operand from, std::vector<int> const& axes) {
    held_operand out = from;
    for (std::size_t k = 0; k < axes.size(); ++k) {
        out.extents[static_cast<int>(k)] = from.extents[axes[k]];
        out.strides[k] = from.strides[static_cast<std::size_t>(axes[k])];
    }
    return out;
}
// Gives the operand with an axis reversed.
inline held_operand reversed(held_operand from, int axis, std::size_t element_bytes) {
    auto& step = from.strides[static_cast<std::size_t>(axis)];
    if (from.extents.size() > 0) from.first += (from.extents[axis] - 1) * step * static_cast<std::int64_t>(element_bytes);
    step = -step;
    return from;
}
// Gives an operand with one element at all places.
template <class T> held_operand spread(dims const& extents, T value) {
    held_operand out = made_operand<T>(dims{{1}, 1}, [&](std::int64_t) { return value; });
    out.extents = extents;
    out.strides = {};
    return out;
}

// Gives the relative difference of two values.
template <class T> double difference(T const& a, T const& b) {
    if constexpr (std::is_same_v<T, tx::detail::interned>) return a == b ? 0 : 1;
    else if constexpr (tx::detail::is_dual_number<T>)
        return std::max(difference(a.value, b.value), difference(a.tangent, b.tangent));
    else if constexpr (simd::detail::is_complex<T>)
        return std::abs(std::complex<double>(a) - std::complex<double>(b)) / std::max(1.0, std::abs(std::complex<double>(b)));
    else {
        double const x = static_cast<double>(a), y = static_cast<double>(b);
        if (std::isnan(x) || std::isnan(y)) return std::isnan(x) == std::isnan(y) ? 0 : 1e300;
        return x == y ? 0 : std::abs(x - y) / std::max(1.0, std::abs(y));
    }
}
template <class T> bool agree(std::vector<std::byte> const& got, std::vector<std::byte> const& wanted, double tolerance) {
    if (tolerance == 0) return got == wanted;
    for (std::size_t i = 0; (i + 1) * sizeof(T) <= wanted.size(); ++i) {
        T a, b;
        std::memcpy(static_cast<void*>(&a), got.data() + i * sizeof(T), sizeof(T));
        std::memcpy(static_cast<void*>(&b), wanted.data() + i * sizeof(T), sizeof(T));
        if (!(difference(a, b) <= tolerance)) return false;
    }
    return true;
}

// Runs the call both ways, with canaries behind the results; with a tolerance of 0 bytes must be equal.
template <op Code, class T, class Index = std::int64_t>
void check_call(std::vector<held_operand> const& operands, dims const& extents, std::vector<std::int64_t> const& attributes,
                double tolerance = 0) {
    CAPTURE(info(Code).name);
    CAPTURE(to_string(extents));
    CAPTURE(sizeof(T));
    constexpr std::size_t margin = 64, count = static_cast<std::size_t>(info(Code).results);
    std::vector<simd::call_operand> given;
    for (held_operand const& o : operands) given.push_back(o.view());
    std::vector<std::byte> wanted[count], got[count];
    std::byte *wanted_at[count], *got_at[count];
    for (std::size_t k = 0; k < count; ++k) {
        auto const bytes = static_cast<std::size_t>(calls::result_bytes<Code, T>(k, extents, operands[0].extents, attributes));
        wanted[k].assign(bytes + margin, std::byte{0xA5}), got[k] = wanted[k];
        wanted_at[k] = wanted[k].data(), got_at[k] = got[k].data();
    }
    simd::run_call<Code, T, Index, xsimd::default_arch>(given, wanted_at, extents, attributes);
    run_device_call<Code, T, Index>(queue(), given, got_at, extents, attributes);
    queue().finish();
    for (std::size_t k = 0; k < count; ++k) {
        CHECK(agree<T>(got[k], wanted[k], Code == op::lu && k == 1 ? 0 : tolerance));
        CHECK(std::equal(got[k].end() - margin, got[k].end(), wanted[k].end() - margin));
    }
}

} // namespace tx::testing
