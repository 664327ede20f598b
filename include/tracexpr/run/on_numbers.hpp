// This file computes pointwise ops on C++ numbers alone: tx::sqrt(8.0) is a double. In a constant expression the result is what
// the graph would fold to; functions of <cmath>, except sqrt and log, are constant expressions only for g++, as std::exp is.
#pragma once

#include <tracexpr/graph/fold.hpp>
#include <tracexpr/trace/pointwise.hpp>

#if TRACEXPR_TRACES_HERE
#include <tracexpr/backends/pointwise/apply.hpp>
#include <tracexpr/backends/pointwise/cast.hpp>
#endif
#if TRACEXPR_HAS_BODIES
#include <tracexpr/backends/reference/pointwise.hpp>
#endif

#include <array>
#include <bit>

namespace tx::detail {

// Returns the square root of a positive normal number, rounded once. It is the root of the mantissa as an integer of 108 bits,
// digit by digit.
TRACEXPR_ONCE constexpr double constant_sqrt(double x) {
    constexpr std::uint64_t hidden = std::uint64_t{1} << 52;
    std::uint64_t const bits = std::bit_cast<std::uint64_t>(x);
    int exponent = rules::exponent_of(bits);
    std::uint64_t mantissa = (bits & (hidden - 1)) | hidden;
    if (exponent % 2 != 0) mantissa *= 2, exponent -= 1;
    // r * r <= mantissa * 2^54 < (r + 1)^2, where r has 54 bits; `rest` is mantissa * 2^54 - r * r.
    std::uint64_t root = 0, rest = 0;
    for (int digit = 53; digit >= 0; --digit) {
        std::uint64_t const next = digit >= 27 ? mantissa >> (2 * (digit - 27)) & 3u : 0u;
        rest = rest * 4 + next;
        root *= 2;
        if (rest >= 2 * root + 1) rest -= 2 * root + 1, root += 1;
    }
    std::uint64_t const rounded = root / 2 + (root & 1); // no root lies halfway between two numbers
    return std::bit_cast<double>((static_cast<std::uint64_t>(exponent / 2 + 1023) << 52) + (rounded - hidden));
}

// Returns the logarithm of a positive normal number, with an error of up to two units in the last place: x = m 2^e with m around
// 1, log m = 2 (s + s^3 / 3 + s^5 / 5 + ...) where s = (m - 1) / (m + 1). (Abramowitz and Stegun, 4.1.27)
TRACEXPR_ONCE constexpr double constant_log(double x) {
    std::uint64_t const bits = std::bit_cast<std::uint64_t>(x), mantissa = bits & 0xfffffffffffffu;
    double m = std::bit_cast<double>(mantissa | std::uint64_t{1023} << 52);
    int exponent = rules::exponent_of(bits);
    if (m > 1.4142135623730951) m /= 2, exponent += 1;
    double const s = (m - 1) / (m + 1), square = s * s;
    double sum = 0;
    for (int k = 45; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
    return 2 * s * sum + exponent * 0.69314718055994530942;
}

#if defined(__GNUC__) && !defined(__clang__)
// Computes a function by the compiler's builtins. They have no constant value if the function would set errno; the call is then
// no constant expression.
constexpr rules::folded constant_function(op code, double x, [[maybe_unused]] double y) {
    switch (code) {
    case op::rsqrt: return real_literal(1 / __builtin_sqrt(x));
    case op::cbrt: return real_literal(__builtin_cbrt(x));
    case op::exp: return real_literal(__builtin_exp(x));
    case op::exp2: return real_literal(__builtin_exp2(x));
    case op::expm1: return real_literal(__builtin_expm1(x));
    case op::log2: return real_literal(__builtin_log2(x));
    case op::log10: return real_literal(__builtin_log10(x));
    case op::log1p: return real_literal(__builtin_log1p(x));
    case op::sin: return real_literal(__builtin_sin(x));
    case op::cos: return real_literal(__builtin_cos(x));
    case op::tan: return real_literal(__builtin_tan(x));
    case op::asin: return real_literal(__builtin_asin(x));
    case op::acos: return real_literal(__builtin_acos(x));
    case op::atan: return real_literal(__builtin_atan(x));
    case op::sinh: return real_literal(__builtin_sinh(x));
    case op::cosh: return real_literal(__builtin_cosh(x));
    case op::tanh: return real_literal(__builtin_tanh(x));
    case op::asinh: return real_literal(__builtin_asinh(x));
    case op::acosh: return real_literal(__builtin_acosh(x));
    case op::atanh: return real_literal(__builtin_atanh(x));
    case op::erf: return real_literal(__builtin_erf(x));
    case op::erfc: return real_literal(__builtin_erfc(x));
    case op::power: return real_literal(__builtin_pow(x, y));
    case op::atan2: return real_literal(__builtin_atan2(x, y));
    case op::hypot: return real_literal(__builtin_hypot(x, y));
    default: return {};
    }
}
#else
constexpr rules::folded constant_function(op, double, double) { return {}; }
#endif

// Computes an op on literals of a floating-point dtype that the folding of a graph leaves to the run.
TRACEXPR_ONCE constexpr rules::folded constant_real(op code, dtype type, literal_bits const* x) {
    double const a = rules::real_of(x[0]), b = rules::real_of(x[1]);
    bool const is_normal_positive = a > 0 && rules::exponent_of(x[0].low) > -1023 && rules::exponent_of(x[0].low) < 1024;
    rules::folded out;
    if (code == op::square) out = fold(op::multiply, type, std::array{x[0], x[0]}.data());
    else if (code == op::reciprocal) out = fold(op::divide, type, std::array{real_literal(1), x[0]}.data());
    else if (code == op::fmax)
        out = fold(op::maximum, type, std::array{rules::is_nan(a) ? x[1] : x[0], rules::is_nan(b) ? x[0] : x[1]}.data());
    else if (code == op::fmin)
        out = fold(op::minimum, type, std::array{rules::is_nan(a) ? x[1] : x[0], rules::is_nan(b) ? x[0] : x[1]}.data());
    else if (code == op::sqrt && a == 0) out = x[0];
    else if (code == op::sqrt && is_normal_positive) out = real_literal(constant_sqrt(a));
    else if (code == op::log && is_normal_positive) out = real_literal(constant_log(a));
    else if (code == op::log && a == 0) out = literal_bits{0xfff0000000000000u, 0};
    else out = constant_function(code, a, b);
    return out.known ? rules::folded(rounded_literal(type, rules::real_of(out.bits))) : out;
}

inline void throw_no_constant(op code) { throw error("tx: " + std::string(name(code)) + ": not a constant expression"); }

// number_words is a number of any dtype. run_on_words computes the op on some of them, as numbers of a dtype; the result replaces
// the first.
struct number_words {
    dtype type{};
    std::uint64_t words[4]{};
};
template <class Unused = void> void run_on_words(op code, dtype computed, number_words* x);
#if TRACEXPR_HAS_BODIES
template <class Unused> void run_on_words(op code, dtype computed, number_words* x) {
    reference::cell operands[reference::max_pointwise_operands];
    for (std::size_t k = 0; k < reference::max_pointwise_operands; ++k) {
        reference::cell const given = reference::cell_of({x[k].words, 4});
        operands[k] = k < static_cast<std::size_t>(info(code).arity) ? reference::cast(given, x[k].type, computed) : given;
    }
    reference::cell const out = reference::run_pointwise<>(code, computed, operands);
    for (std::size_t i = 0; i < 4; ++i) x[0].words[i] = out.word(i);
}
#endif
TRACEXPR_INSTANCE(void run_on_words<void>(op, dtype, number_words*))

inline namespace TRACEXPR_CALLS {

template <op Code, class... A> constexpr auto run_on_numbers(A const&... a) {
    constexpr dtype computed = pointwise_fn<Code>::template computed_in<A...>;
    using result = ctype<result_dtype(Code, computed)>;
    if (__builtin_is_constant_evaluated()) {
        literal_bits const x[3]{cast_literal(to_literal(static_cast<canonical<A>>(a)), dtype_of<A>, computed)...};
        rules::folded out = fold(Code, computed, x);
        if (!out.known && is_floating(computed)) out = constant_real(Code, computed, x);
        if (!out.known && Code == op::square) out = fold(op::multiply, computed, std::array{x[0], x[0]}.data());
        if (!out.known) throw_no_constant(Code);
        return from_literal<result>(out.bits.low, out.bits.high);
    }
#if TRACEXPR_TRACES_HERE
    return static_cast<result>(simd::apply<Code>(simd::cast_element<ctype<computed>>(static_cast<canonical<A>>(a))...));
#else
    number_words x[3];
    std::size_t count = 0;
    auto const add = [&]<class T>(T const& number) {
        x[count].type = dtype_of<T>;
        to_words(number, x[count++].words);
    };
    (add(static_cast<canonical<A>>(a)), ...);
    run_on_words<>(Code, computed, x);
    return from_words<result>(x[0].words);
#endif
}

} // namespace TRACEXPR_CALLS
} // namespace tx::detail
