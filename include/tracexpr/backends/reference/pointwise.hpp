// The reference executor's pointwise ops: one element at a time, in double, std::complex<double>, dual numbers of double or
// 64-bit integers, then rounded or wrapped to the dtype. Special cases are NumPy's.
#pragma once

#include <tracexpr/backends/reference/cell.hpp>
#include <tracexpr/base/dual.hpp>
#include <tracexpr/base/polygamma.hpp>
#include <tracexpr/graph/fold.hpp>

#include <numbers>

namespace tx::reference {

[[noreturn]] inline void throw_no_kernel(op code, dtype type) {
    throw type_error("tx: " + std::string(name(code)) + ": no rule for operands of dtype " + std::string(name(type)));
}

// T: double, or a dual number.
template <class T> T sigmoid(T const& x) {
    using std::exp, std::signbit;
    T const e = signbit(x) ? exp(x) : exp(-x); // at most 1
    return (signbit(x) ? e : T(1)) / (T(1) + e);
}

template <class T> T real_unary(op code, T const& x) {
    using std::abs, std::sqrt, std::cbrt, std::exp, std::exp2, std::expm1, std::log, std::log2, std::log10, std::log1p, std::sin,
        std::cos, std::tan, std::asin, std::acos, std::atan, std::sinh, std::cosh, std::tanh, std::asinh, std::acosh, std::atanh,
        std::erf, std::erfc, std::lgamma, std::floor, std::ceil, std::nearbyint, std::trunc;
    switch (code) {
    case op::negative: return -x;
    case op::absolute: return abs(x);
    case op::sign: return x > T(0) ? T(1) : x < T(0) ? T(-1) : x == T(0) ? T(0) : x;
    case op::square: return x * x;
    case op::sqrt: return sqrt(x);
    case op::rsqrt: return T(1) / sqrt(x);
    case op::cbrt: return cbrt(x);
    case op::reciprocal: return T(1) / x;
    case op::exp: return exp(x);
    case op::exp2: return exp2(x);
    case op::expm1: return expm1(x);
    case op::log: return log(x);
    case op::log2: return log2(x);
    case op::log10: return log10(x);
    case op::log1p: return log1p(x);
    case op::sin: return sin(x);
    case op::cos: return cos(x);
    case op::tan: return tan(x);
    case op::asin: return asin(x);
    case op::acos: return acos(x);
    case op::atan: return atan(x);
    case op::sinh: return sinh(x);
    case op::cosh: return cosh(x);
    case op::tanh: return tanh(x);
    case op::asinh: return asinh(x);
    case op::acosh: return acosh(x);
    case op::atanh: return atanh(x);
    case op::erf: return erf(x);
    case op::erfc: return erfc(x);
    case op::lgamma: return lgamma(x);
    case op::sigmoid: return sigmoid(x);
    case op::floor: return floor(x);
    case op::ceil: return ceil(x);
    case op::round: return nearbyint(x);
    case op::trunc: return trunc(x);
    default: throw_no_kernel(code, dtype::float64);
    }
}

// Quotient and remainder of a floor division with remainder of the divisor's sign; as npy_divmod.
struct quotient_and_rest {
    double quotient, rest;
};
inline quotient_and_rest floor_division(double a, double b) {
    double rest = std::fmod(a, b);
    if (b == 0) return {a / b, rest};
    double quotient = (a - rest) / b;
    if (rest == 0) rest = std::copysign(0.0, b);
    else if ((b < 0) != (rest < 0)) rest += b, quotient -= 1;
    if (quotient == 0) return {std::copysign(0.0, a / b), rest};
    double const whole = std::floor(quotient);
    return {quotient - whole > 0.5 ? whole + 1 : whole, rest};
}

inline double polygamma_of(double n, double x) { return special::polygamma(n, x); }
template <class T> dual<T> polygamma_of(double n, dual<T> const& x) { return polygamma(static_cast<int>(n), x); }

template <class T> T logaddexp(T const& a, T const& b) {
    using std::exp, std::isinf, std::log1p;
    if (a == b && isinf(a)) return a;
    T const rest = a > b ? b - a : a - b;
    return (a > b ? a : b) + log1p(exp(rest));
}

// What is left of a, of a division of a by b whose value has this rest.
inline double rest_of(double, double, double rest) { return rest; }
template <class T> dual<T> rest_of(dual<T> const& a, dual<T> const& b, double rest) {
    return tx::detail::remainder_of(a, b, rest_of(a.value, b.value, rest));
}

template <class T> T real_binary(op code, T const& a, T const& b) {
    using std::atan2, std::copysign, std::fmod, std::hypot, std::isnan, std::pow;
    bool const takes_first =
        isnan(a) || (tx::detail::is_dual_number<T> && a == b); // of equal numbers it makes no difference but to zeros
    switch (code) {
    case op::add: return a + b;
    case op::subtract: return a - b;
    case op::multiply: return a * b;
    case op::divide: return a / b;
    case op::floor_divide: return T(floor_division(primal(a), primal(b)).quotient);
    case op::remainder: return rest_of(a, b, floor_division(primal(a), primal(b)).rest);
    case op::fmod: return fmod(a, b);
    case op::power: return pow(a, b);
    case op::atan2: return atan2(a, b);
    case op::hypot: return hypot(a, b);
    case op::logaddexp: return logaddexp(a, b);
    case op::copysign: return copysign(a, b);
    case op::polygamma: return polygamma_of(primal(a), b);
    case op::maximum: return a > b || takes_first ? a : b;
    case op::minimum: return a < b || takes_first ? a : b;
    default: throw_no_kernel(code, dtype::float64);
    }
}

template <class T> bool ordered_test(op code, T const& a, T const& b) {
    switch (code) {
    case op::equal: return a == b;
    case op::not_equal: return a != b;
    case op::less: return a < b;
    case op::less_equal: return a <= b;
    case op::greater: return a > b;
    default: return a >= b;
    }
}

inline cell dual_pointwise(op code, dtype type, cell const* x) {
    auto const a = dual_of<double>(x[0]);
    if (info(code).arity == 1) return rounded(type, real_unary(code, a));
    auto const b = dual_of<double>(x[1]);
    return rounded(type, code == op::fma ? a * b + dual_of<double>(x[2]) : real_binary(code, a, b));
}

inline cell real_pointwise(op code, dtype type, cell const* x) {
    double const a = real_of(x[0]);
    if (code == op::isnan) return flag(std::isnan(a));
    if (code == op::isinf) return flag(std::isinf(a));
    if (code == op::isfinite) return flag(std::isfinite(a));
    if (is_dual(type) && info(code).result != result_rule::boolean) return dual_pointwise(code, type, x);
    if (info(code).arity == 1) return rounded(type, real_unary(code, a));
    double const b = real_of(x[1]);
    if (info(code).result == result_rule::boolean) return flag(ordered_test(code, a, b));
    if (code == op::fma) {
        double const c = real_of(x[2]);
        if (type == dtype::float64) return rounded(type, std::fma(a, b, c));
        return rounded(type, std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)));
    }
    return rounded(type, real_binary(code, a, b));
}

inline std::complex<double> complex_unary(op code, std::complex<double> z) {
    switch (code) {
    case op::negative: return -z;
    case op::square: return z * z;
    case op::sqrt: return std::sqrt(z);
    case op::reciprocal: return 1.0 / z;
    case op::exp: return std::exp(z);
    case op::log: return std::log(z);
    case op::log10: return std::log10(z);
    case op::sin: return std::sin(z);
    case op::cos: return std::cos(z);
    case op::tan: return std::tan(z);
    case op::asin: return std::asin(z);
    case op::acos: return std::acos(z);
    case op::atan: return std::atan(z);
    case op::sinh: return std::sinh(z);
    case op::cosh: return std::cosh(z);
    case op::tanh: return std::tanh(z);
    case op::asinh: return std::asinh(z);
    case op::acosh: return std::acosh(z);
    case op::atanh: return std::atanh(z);
    case op::conj: return std::conj(z);
    default: throw_no_kernel(code, dtype::complex128);
    }
}

// Whole powers by repeated squaring: exp(n log z) would lose digits.
inline std::complex<double> complex_power(std::complex<double> z, std::complex<double> exponent) {
    if (exponent == 0.0) return 1;
    if (z == 0.0 && exponent.real() > 0) return 0;
    if (exponent.imag() != 0 || std::abs(exponent.real()) > 100 || std::trunc(exponent.real()) != exponent.real())
        return std::pow(z, exponent);
    std::complex<double> out = 1, square = z;
    for (int n = std::abs(static_cast<int>(exponent.real())); n; n /= 2, square *= square)
        if (n % 2) out *= square;
    return exponent.real() < 0 ? 1.0 / out : out;
}

inline cell complex_pointwise(op code, dtype type, cell const* x) {
    std::complex<double> const a = complex_of(x[0]);
    switch (code) {
    case op::isnan: return flag(std::isnan(a.real()) || std::isnan(a.imag()));
    case op::isinf: return flag(std::isinf(a.real()) || std::isinf(a.imag()));
    case op::isfinite: return flag(std::isfinite(a.real()) && std::isfinite(a.imag()));
    case op::absolute: return rounded(real_part(type), std::hypot(a.real(), a.imag()));
    case op::real: return {x[0].low, 0};
    case op::imag: return {x[0].high, 0};
    default: break;
    }
    if (info(code).arity == 1) return rounded(type, complex_unary(code, a));
    std::complex<double> const b = complex_of(x[1]);
    switch (code) {
    case op::equal: return flag(a == b);
    case op::not_equal: return flag(a != b);
    case op::add: return rounded(type, a + b);
    case op::subtract: return rounded(type, a - b);
    case op::multiply: return rounded(type, a * b);
    case op::divide: return rounded(type, a / b);
    case op::power: return rounded(type, complex_power(a, b));
    case op::fma: return rounded(type, a * b + complex_of(x[2]));
    default: throw_no_kernel(code, type);
    }
}

// Shifts by the width or more, which also negative counts are, leave nothing but the sign.
inline std::uint64_t shifted_left(dtype type, std::uint64_t a, std::uint64_t by) {
    return by < 8 * size_in_bytes(type) ? a << by : 0;
}
inline std::uint64_t shifted_right(dtype type, std::uint64_t a, std::uint64_t by) {
    bool const stays = by < 8 * size_in_bytes(type);
    if (is_signed_integer(type)) return static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> (stays ? by : 63));
    return stays ? a >> by : 0;
}

// A negative exponent leaves 1 / base cut to a whole number; 0 for a base of 0.
inline std::uint64_t integer_power(dtype type, std::uint64_t base, std::uint64_t exponent) {
    std::uint64_t const minus_one = ~std::uint64_t{0};
    if (is_signed_integer(type) && static_cast<std::int64_t>(exponent) < 0)
        return base == 1 || (base == minus_one && exponent % 2 == 0) ? 1 : base == minus_one ? minus_one : 0;
    std::uint64_t out = 1;
    for (; exponent; exponent /= 2, base *= base)
        if (exponent % 2) out *= base;
    return out;
}

// Division by 0 gives 0; the most negative number divided by -1 is itself.
inline std::uint64_t integer_division(op code, dtype type, std::uint64_t a, std::uint64_t b) {
    if (b == 0) return 0;
    if (!is_signed_integer(type)) return code == op::floor_divide ? a / b : a % b;
    if (b == ~std::uint64_t{0}) return code == op::floor_divide ? 0 - a : 0;
    auto const dividend = static_cast<std::int64_t>(a), divisor = static_cast<std::int64_t>(b);
    std::int64_t const rest = dividend % divisor;
    bool const round_down = code != op::fmod && rest != 0 && (rest < 0) != (divisor < 0);
    return static_cast<std::uint64_t>(code == op::floor_divide ? dividend / divisor - (round_down ? 1 : 0)
                                                               : rest + (round_down ? divisor : 0));
}

inline cell integer_unary(op code, dtype type, cell x) {
    bool const below_zero = is_signed_integer(type) && signed_of(x) < 0;
    switch (code) {
    case op::isnan:
    case op::isinf: return flag(false);
    case op::isfinite: return flag(true);
    case op::negative: return wrapped(type, 0 - x.low);
    case op::absolute: return wrapped(type, below_zero ? 0 - x.low : x.low);
    case op::sign: return wrapped(type, below_zero ? ~std::uint64_t{0} : x.low != 0);
    case op::square: return wrapped(type, x.low * x.low);
    case op::logical_not:
    case op::bitwise_not: return wrapped(type, ~x.low);
    case op::floor:
    case op::ceil:
    case op::round:
    case op::trunc: return x;
    default: throw_no_kernel(code, type);
    }
}

inline cell integer_pointwise(op code, dtype type, cell const* x) {
    if (info(code).arity == 1) return integer_unary(code, type, x[0]);
    std::uint64_t const a = x[0].low, b = x[1].low;
    auto const test = [&](op which) {
        return is_signed_integer(type) ? ordered_test(which, signed_of(x[0]), signed_of(x[1])) : ordered_test(which, a, b);
    };
    switch (code) {
    case op::add: return type == dtype::boolean ? flag(a || b) : wrapped(type, a + b);
    case op::subtract: return wrapped(type, a - b);
    case op::multiply: return wrapped(type, a * b);
    case op::fma: return wrapped(type, a * b + x[2].low);
    case op::floor_divide:
    case op::remainder:
    case op::fmod: return wrapped(type, integer_division(code, type, a, b));
    case op::power: return wrapped(type, integer_power(type, a, b));
    case op::maximum: return test(op::greater_equal) ? x[0] : x[1];
    case op::minimum: return test(op::less_equal) ? x[0] : x[1];
    case op::logical_and:
    case op::bitwise_and: return {a & b, 0};
    case op::logical_or:
    case op::bitwise_or: return {a | b, 0};
    case op::logical_xor:
    case op::bitwise_xor: return {a ^ b, 0};
    case op::left_shift: return wrapped(type, shifted_left(type, a, b));
    case op::right_shift: return wrapped(type, shifted_right(type, a, b));
    default: break;
    }
    if (info(code).result != result_rule::boolean) throw_no_kernel(code, type);
    return flag(test(code));
}

// The compiler computes no functions of <cmath>, no NaN and no overflow.
constexpr rules::folded constant_pointwise(op code, dtype type, cell const* x) {
    literal_bits const operands[]{x[0], x[1], x[2]};
    return is_dual(type) ? rules::folded() : fold(code, type, operands);
}
inline void throw_not_constant(op code) { throw error("tx: " + std::string(name(code)) + ": not a constant expression"); }

inline cell string_pointwise(op code, cell const* x) {
    auto const a = tx::detail::interned::from_bits(x[0].low), b = tx::detail::interned::from_bits(x[1].low);
    return code == op::string_add ? cell((a + b).bits(), 0) : flag(ordered_test(code, a.str(), b.str()));
}

// One element of any pointwise op but cast and where, whose operands differ in dtype. x has room for all that an op may have.
inline constexpr std::size_t max_pointwise_operands = 3;
constexpr cell pointwise(op code, dtype type, cell const* x) {
    if (std::is_constant_evaluated()) {
        rules::folded const out = constant_pointwise(code, type, x);
        if (!out.known) throw_not_constant(code);
        return out.bits;
    }
    if (is_complex(type)) return complex_pointwise(code, type, x);
    if (type == dtype::string) return string_pointwise(code, x);
    if (is_floating(type)) return real_pointwise(code, type, x);
    return integer_pointwise(code, type, x);
}

} // namespace tx::reference
