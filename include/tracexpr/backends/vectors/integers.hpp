// This file computes ops on vectors of integers for which compilers have no operators, or for which integers.hpp in base defines
// another result.
#pragma once

#include <tracexpr/backends/vectors/values.hpp>
#include <tracexpr/graph/op.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

// Without optimization g++ 12 can't compile conversions of vectors to wider elements that don't fit a register.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13 && !defined(__OPTIMIZE__)
template <op> inline constexpr bool divides_vectors = false;
#else
template <op Code> inline constexpr bool divides_vectors = Code == op::floor_divide || Code == op::remainder || Code == op::fmod;
#endif
// Returns the quotient or remainder of integers, by way of a floating type that distinguishes any two quotients; 0 where b is 0.
// `floors` rounds down, as Python does, and not towards zero.
template <op Code, class T, class V> TRACEXPR_INLINE V divided(V const& a, V const& b) {
    constexpr int W = static_cast<int>(sizeof(V) / sizeof(T));
    constexpr bool floors = Code != op::fmod, gives_rest = Code != op::floor_divide;
    using F = std::conditional_t<sizeof(T) == 4, double, float>;
    using wider = std::conditional_t<sizeof(T) == 4, std::int64_t, std::int32_t>; // it also holds the least T divided by -1
    using wrapped = lanes<std::make_unsigned_t<T>, W>;
    V const divisor = b - (V)(b == V{}); // 1 where b is 0
    lanes<F, W> dividends, divisors;
    convert_into<W>(dividends, a);
    convert_into<W>(divisors, divisor);
    lanes<wider, W> whole;
    convert_into<W>(whole, dividends / divisors);
    V quotient = convert_lanes<T, W>(whole);
    V rest = (V)((wrapped)a - (wrapped)quotient * (wrapped)divisor);
    if constexpr (floors && std::is_signed_v<T>) {
        V const too_great = (V)(rest != V{}) & (V)((rest ^ divisor) < V{});
        quotient += too_great;
        rest += too_great & divisor;
    }
    return (V)(b != V{}) & (gives_rest ? rest : quotient);
}

// This is the least size in bytes of elements whose lanes the processor can shift by different counts.
#if defined(__AVX512BW__)
inline constexpr int shifted_bytes = 2;
#else
inline constexpr int shifted_bytes = 4;
#endif
// Shifts by the width or more, which negative counts are, too, leave only the sign.
template <op Code, class T, class V> TRACEXPR_INLINE V shifted(V const& a, V const& by) {
    constexpr int W = static_cast<int>(sizeof(V) / sizeof(T)), width = 8 * static_cast<int>(sizeof(T));
    using counts = lanes<std::make_unsigned_t<T>, W>;
    counts const given = (counts)by;
    if constexpr (sizeof(T) < shifted_bytes) { // wider lanes have room to shift by the width
        lanes<integer_of_size<T, shifted_bytes>, W> widened, widened_counts;
        convert_into<W>(widened, a);
        counts const most = counts{} + width;
        convert_into<W>(widened_counts, (V)(given < most ? given : most));
        if constexpr (Code == op::left_shift) widened <<= widened_counts;
        else widened >>= widened_counts;
        return convert_lanes<T, W>(widened);
    } else if constexpr (Code == op::right_shift && std::is_signed_v<T>) {
        counts const most = counts{} + (width - 1);
        return a >> (V)(given < most ? given : most);
    } else {
        counts const some = given & (width - 1), moved = Code == op::left_shift ? (counts)a << some : (counts)a >> some;
        return (V)(given < counts{} + width ? moved : counts{});
    }
}

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
