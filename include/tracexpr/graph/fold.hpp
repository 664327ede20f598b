// This file computes the value of a pointwise op on literals at compile time. The answers are those of the reference executor, to
// the bit; where constant evaluation has none (an overflow, a NaN, a function of <cmath>) the op stays in the graph. A dual
// literal has no tangent, and neither has a result of dual literals.
#pragma once

#include <tracexpr/base/integers.hpp>
#include <tracexpr/graph/literal.hpp>

#include <bit>
#include <cstdint>

TRACEXPR_BEGIN_PASSES

namespace tx {
namespace rules {

constexpr double real_of(literal_bits x) { return std::bit_cast<double>(x.low); }
constexpr literal_bits flag_literal(bool value) { return {value ? 1u : 0u, 0}; }

inline constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;
// Returns the exponent of a floating literal. Zero and subnormal numbers have -1023, infinities and NaN 1024.
constexpr int exponent_of(std::uint64_t bits) { return static_cast<int>(bits >> 52 & 0x7ffu) - 1023; }
constexpr bool is_nan(double value) { return (std::bit_cast<std::uint64_t>(value) & ~sign_bit) > 0x7ff0000000000000u; }

// A whole number of at most this many bits is exact in the floating dtype.
TRACEXPR_ONCE constexpr unsigned exact_bits(dtype type) {
    type = primal(type);
    return type == dtype::float64 ? 53 : type == dtype::float32 ? 24 : type == dtype::float16 ? 11 : 8;
}

struct folded {
    literal_bits bits{};
    bool known = false;
    constexpr folded() = default;
    constexpr folded(literal_bits value) : bits{value}, known{true} {}
    constexpr folded(bool value) : folded(flag_literal(value)) {}
};

TRACEXPR_ONCE constexpr folded fold_cast(literal_bits x, dtype from, dtype to) {
    if (from == to) return x;
    if (is_complex(to)) {
        dtype const part = real_part(to);
        if (is_complex(from))
            return literal_bits{rounded_literal(part, real_of(x)).low, rounded_literal(part, real_of({x.high, 0})).low};
        folded const real = fold_cast(x, from, part);
        return real.known ? folded(literal_bits{real.bits.low, 0}) : real;
    }
    if (is_complex(from) && to == dtype::boolean) return real_of(x) != 0 || real_of({x.high, 0}) != 0;
    if (is_complex(from)) return fold_cast({x.low, 0}, real_part(from), to);
    if (to == dtype::boolean) return is_floating(from) ? real_of(x) != 0 : x.low != 0;
    from = primal(from), to = primal(to);
    if (is_floating(from) && is_floating(to)) {
        // A cast from double to half goes through float, which is two roundings: where the first changes the value, the cast is
        // not folded.
        if (from == dtype::float64 && (to == dtype::float16 || to == dtype::bfloat16) &&
            rounded_literal(dtype::float32, real_of(x)).low != x.low)
            return {};
        return rounded_literal(to, real_of(x));
    }
    if (is_floating(from)) {
        constexpr double limit = 0x1p63;
        if (!(real_of(x) < limit && real_of(x) >= -limit)) return {};
        auto const whole = static_cast<std::uint64_t>(static_cast<std::int64_t>(real_of(x)));
        if (to == dtype::uint64 && !(real_of(x) > -1)) return {};
        literal_bits const value = wrapped_literal(to, whole);
        return value.low == whole ? folded(value) : folded();
    }
    if (!is_floating(to)) return wrapped_literal(to, x.low);
    bool const below_zero = is_signed_integer(from) && x.low >= sign_bit;
    std::uint64_t const magnitude = below_zero ? 0 - x.low : x.low;
    if (magnitude >> 24 && to != dtype::float64 && to != dtype::float32) return {};
    double const value = to == dtype::float32 ? double{static_cast<float>(magnitude)} : static_cast<double>(magnitude);
    return rounded_literal(to, below_zero ? -value : value);
}

// Rounds x to a whole number in the direction of the op; a zero keeps the sign of x.
TRACEXPR_ONCE constexpr double whole_number(op code, double x) {
    constexpr double all_whole = 0x1p52;
    if (!(x < all_whole && x > -all_whole)) return x;
    std::int64_t const cut = static_cast<std::int64_t>(x);
    double out = static_cast<double>(cut);
    double const rest = x - out;
    switch (code) {
    case op::floor: out -= rest < 0 ? 1 : 0; break;
    case op::ceil: out += rest > 0 ? 1 : 0; break;
    case op::round:
        if (rest > 0.5 || (rest == 0.5 && cut % 2 != 0)) out += 1;
        if (rest < -0.5 || (rest == -0.5 && cut % 2 != 0)) out -= 1;
        break;
    default: break;
    }
    if (out != 0) return out;
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & sign_bit);
}

TRACEXPR_ONCE constexpr folded fold_real_unary(op code, dtype type, literal_bits x) {
    double const value = real_of(x);
    switch (code) {
    case op::negative: return literal_bits{x.low ^ sign_bit, 0};
    case op::absolute: return literal_bits{x.low & ~sign_bit, 0};
    case op::sign: return is_nan(value) ? folded(x) : folded(real_literal(value > 0 ? 1 : value < 0 ? -1 : 0));
    case op::floor:
    case op::ceil:
    case op::round:
    case op::trunc: return rounded_literal(type, whole_number(code, value));
    case op::isnan: return is_nan(value);
    case op::isinf: return exponent_of(x.low) == 1024 && !is_nan(value);
    case op::isfinite: return exponent_of(x.low) < 1024;
    default: return {};
    }
}

// Computes a + b, a - b, a * b or a / b where nothing overflows. Operands and result of a smaller dtype pass through double: the
// result is the correctly rounded one, because double has at least 2 p + 2 bits for their p (Figueroa, "When is double rounding
// innocuous?", 1995).
TRACEXPR_ONCE constexpr folded fold_arithmetic(op code, dtype type, literal_bits a, literal_bits b) {
    int const first = exponent_of(a.low), second = exponent_of(b.low);
    if (first >= 1023 || second >= 1023) return {};
    switch (code) {
    case op::add: return rounded_literal(type, real_of(a) + real_of(b));
    case op::subtract: return rounded_literal(type, real_of(a) - real_of(b));
    case op::multiply: return first + second < 1022 ? folded(rounded_literal(type, real_of(a) * real_of(b))) : folded();
    default: return second > -1023 && first - second < 1022 ? folded(rounded_literal(type, real_of(a) / real_of(b))) : folded();
    }
}

// Divides whole numbers only, as those divide exactly.
TRACEXPR_ONCE constexpr folded fold_real_division(op code, literal_bits x, literal_bits y) {
    double const a = real_of(x), b = real_of(y);
    constexpr double limit = 0x1p53;
    if (!(a < limit && a > -limit && b < limit && b > -limit) || b == 0) return {};
    auto const dividend = static_cast<std::int64_t>(a), divisor = static_cast<std::int64_t>(b);
    if (static_cast<double>(dividend) != a || static_cast<double>(divisor) != b) return {};
    std::int64_t const out = code == op::floor_divide ? integers::floor_divide(dividend, divisor)
                             : code == op::remainder  ? integers::remainder(dividend, divisor)
                                                      : integers::fmod(dividend, divisor);
    if (out) return real_literal(static_cast<double>(out));
    std::uint64_t const sign_from = code == op::floor_divide ? x.low ^ y.low : code == op::remainder ? y.low : x.low;
    return literal_bits{sign_from & sign_bit, 0};
}

template <class T> constexpr folded fold_comparison(op code, T a, T b) {
    switch (code) {
    case op::equal: return a == b;
    case op::not_equal: return a != b;
    case op::less: return a < b;
    case op::less_equal: return a <= b;
    case op::greater: return a > b;
    case op::greater_equal: return a >= b;
    default: return {};
    }
}

TRACEXPR_ONCE constexpr folded fold_real_binary(op code, dtype type, literal_bits x, literal_bits y) {
    double const a = real_of(x), b = real_of(y);
    switch (code) {
    case op::add:
    case op::subtract:
    case op::multiply:
    case op::divide: return fold_arithmetic(code, type, x, y);
    case op::floor_divide:
    case op::remainder:
    case op::fmod: {
        folded const out = fold_real_division(code, x, y);
        return out.known ? folded(rounded_literal(type, real_of(out.bits))) : out;
    }
    case op::maximum: return a > b || is_nan(a) ? x : y;
    case op::minimum: return a < b || is_nan(a) ? x : y;
    case op::copysign: return literal_bits{(x.low & ~sign_bit) | (y.low & sign_bit), 0};
    default: return fold_comparison(code, a, b);
    }
}

// T is std::int64_t or std::uint64_t. The bits that the dtype has no room for are cut off at the end.
template <class T> constexpr folded fold_integer_unary(op code, dtype type, T x) {
    std::uint64_t const bits = static_cast<std::uint64_t>(x);
    bool const below_zero = std::is_signed_v<T> && bits >= sign_bit;
    int const width = 8 * static_cast<int>(size_in_bytes(type)), unused = 64 - width;
    auto const count = [&](int found) { return literal_bits{static_cast<std::uint64_t>(found < width ? found : width), 0}; };
    switch (code) {
    case op::negative: return wrapped_literal(type, 0 - bits);
    case op::absolute: return wrapped_literal(type, below_zero ? 0 - bits : bits);
    case op::sign: return wrapped_literal(type, below_zero ? ~std::uint64_t{0} : x != 0);
    case op::logical_not:
    case op::bitwise_not: return wrapped_literal(type, ~bits);
    case op::population_count: return count(std::popcount(bits << unused));
    case op::count_leading_zeros: return count(std::countl_zero(bits << unused));
    case op::count_trailing_zeros: return count(std::countr_zero(bits));
    default: return {};
    }
}
template <class T> constexpr folded fold_integer_binary(op code, dtype type, T x, T y) {
    std::uint64_t const a = static_cast<std::uint64_t>(x), b = static_cast<std::uint64_t>(y);
    auto const cut = [&](T value) { return folded(wrapped_literal(type, static_cast<std::uint64_t>(value))); };
    if (y == 0 && (code == op::floor_divide || code == op::remainder || code == op::fmod)) return {};
    switch (code) {
    case op::add: return type == dtype::boolean ? folded((a | b) != 0) : folded(wrapped_literal(type, a + b));
    case op::subtract: return wrapped_literal(type, a - b);
    case op::multiply: return wrapped_literal(type, a * b);
    case op::floor_divide: return cut(integers::floor_divide(x, y));
    case op::remainder: return cut(integers::remainder(x, y));
    case op::fmod: return cut(integers::fmod(x, y));
    case op::power: return cut(integers::pow(x, y));
    case op::maximum: return cut(x >= y ? x : y);
    case op::minimum: return cut(x >= y ? y : x);
    case op::logical_and:
    case op::bitwise_and: return literal_bits{a & b, 0};
    case op::logical_or:
    case op::bitwise_or: return literal_bits{a | b, 0};
    case op::logical_xor:
    case op::bitwise_xor: return literal_bits{a ^ b, 0};
    case op::left_shift: return cut(integers::left_shift(x, y));
    case op::right_shift: return cut(integers::right_shift(x, y));
    default: return fold_comparison(code, x, y);
    }
}
template <class T> constexpr folded fold_integers(op code, dtype type, literal_bits const* x) {
    T const a = static_cast<T>(x[0].low);
    return info(code).arity == 1 ? fold_integer_unary(code, type, a)
                                 : fold_integer_binary(code, type, a, static_cast<T>(x[1].low));
}

TRACEXPR_ONCE constexpr folded fold_complex(op code, literal_bits const* x) {
    switch (code) {
    case op::real: return literal_bits{x[0].low, 0};
    case op::imag: return literal_bits{x[0].high, 0};
    case op::conj: return literal_bits{x[0].low, x[0].high ^ sign_bit};
    case op::times_i: return literal_bits{x[0].high ^ sign_bit, x[0].low};
    case op::negative: return literal_bits{x[0].low ^ sign_bit, x[0].high ^ sign_bit};
    default: return {};
    }
}

} // namespace rules

// Computes one element of a pointwise op other than cast. `type` is the operands' dtype (of where: that of the two choices).
TRACEXPR_ONCE constexpr rules::folded fold(op code, dtype type, literal_bits const* x) {
    if (code == op::where) return x[0].low ? x[1] : x[2];
    if (code == op::fma || type == dtype::string) return {};
    if (is_complex(type)) return rules::fold_complex(code, x);
    if (is_floating(type))
        return info(code).arity == 1 ? rules::fold_real_unary(code, type, x[0]) : rules::fold_real_binary(code, type, x[0], x[1]);
    return is_signed_integer(type) ? rules::fold_integers<std::int64_t>(code, type, x)
                                   : rules::fold_integers<std::uint64_t>(code, type, x);
}

} // namespace tx

TRACEXPR_END_PASSES
