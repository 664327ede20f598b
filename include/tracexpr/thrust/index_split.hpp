// This file splits a point's number into its coordinates without a division instruction.
#pragma once

#include <tracexpr/base/config.hpp>

#include <bit>
#include <cstdint>

namespace tx::inline TRACEXPR_TARGET::simd {

// An axis, and the numbers that replace a division by its extent. With s = ceil(log2(extent)): n / extent = (n * ceil(2^(31 + s)
// / extent)) >> (31 + s) for n < 2^31, because the factor's relative error is less than 2^s / 2^(31 + s) (Granlund and
// Montgomery, Division by Invariant Integers using Multiplication, theorem 4.2). For n < 2^63, 63 replaces 31.
struct split_axis {
    std::int64_t extent = 1;
    std::uint64_t factor = 0;
    std::int32_t shift = 0;
};
// Spaces of at most this many points are counted in 32 bits.
inline constexpr std::int64_t most_narrow_points = (std::int64_t{1} << 31) - 1;

namespace detail {
__extension__ typedef unsigned __int128 double_word;
} // namespace detail

constexpr split_axis split_by(std::int64_t extent, bool narrow_index) {
    split_axis out{extent};
    if (extent <= 0) return out;
    int const bits = narrow_index ? 31 : 63;
    out.shift = bits + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(extent) - 1));
    detail::double_word const divisor = static_cast<std::uint64_t>(extent);
    out.factor = static_cast<std::uint64_t>(((detail::double_word{1} << out.shift) + divisor - 1) / divisor);
    return out;
}
// n / by.extent, with the `narrow_index` that the axis was made with.
TRACEXPR_HD constexpr std::int64_t quotient(std::int64_t n, split_axis const& by, bool narrow_index) {
    if (narrow_index)
        return static_cast<std::int64_t>(std::uint64_t{static_cast<std::uint32_t>(n)} * static_cast<std::uint32_t>(by.factor) >>
                                         by.shift);
    return static_cast<std::int64_t>(detail::double_word{static_cast<std::uint64_t>(n)} * by.factor >> by.shift);
}

} // namespace tx::inline TRACEXPR_TARGET::simd
