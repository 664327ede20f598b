// This file computes the reference executor's pointwise ops, one element at a time, as apply.hpp defines them, but in double,
// std::complex<double>, dual numbers of double or 64-bit integers; the result is then rounded or wrapped to the dtype.
#pragma once

#include <tracexpr/backends/pointwise/apply.hpp>
#include <tracexpr/backends/reference/cell.hpp>
#include <tracexpr/graph/fold.hpp>

#include <utility>

namespace tx::reference {

[[noreturn]] inline void throw_no_kernel(op code, dtype type) {
    throw type_error("tx: " + std::string(name(code)) + ": no rule for operands of dtype " + std::string(name(type)));
}

// Computes whole powers by repeated squaring, as exp(n log z) would lose digits.
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

// Converts a cell to a number, and a number to a cell.
template <class T> T number_of(cell const& c) {
    if constexpr (tx::detail::is_dual_number<T>) return dual_of<double>(c);
    else if constexpr (std::is_same_v<T, tx::detail::interned>) return T::from_bits(c.low);
    else return from_literal<T>(c.low, c.high);
}
template <class T> cell cell_of_number(dtype type, T const& x) {
    if constexpr (std::is_same_v<T, bool>) return flag(x);
    else if constexpr (std::is_same_v<T, tx::detail::interned>) return {x.bits(), 0};
    else if constexpr (std::is_integral_v<T>) return wrapped(type, static_cast<std::uint64_t>(x));
    else return rounded(type, x);
}

template <op Code, class T, class... X> cell computed(dtype type, X const&... x) {
    if constexpr (Code == op::power && tx::detail::is_complex_number<T>) return rounded(type, complex_power(number_of<T>(x)...));
    // This has one rounding: to float32 for dtypes that other executors compute in float32.
    else if constexpr (Code == op::fma && std::is_same_v<T, double>)
        return type == dtype::float64 ? rounded(type, simd::apply<Code>(number_of<T>(x)...))
                                      : rounded(type, simd::apply<Code>(static_cast<float>(number_of<T>(x))...));
    else return cell_of_number(type, simd::apply<Code>(number_of<T>(x)...));
}
// Computes the op on operands of a dtype which it accepts.
template <op Code, class... X> cell computed_in(dtype type, X const&... x) {
    if constexpr (counts_bits(Code)) { // the counts differ for 64-bit integers
        literal_bits const operand[]{x...};
        return fold(Code, type, operand).bits;
    }
    if constexpr (accepts(Code, dtype::complex128))
        if (is_complex(type)) return computed<Code, std::complex<double>>(type, x...);
    if constexpr (accepts(Code, dtype::string))
        if (type == dtype::string) return computed<Code, tx::detail::interned>(type, x...);
    if constexpr (accepts(Code, dtype::float64)) {
        if (is_dual(type)) return computed<Code, nested<double>>(type, x...);
        if (is_floating(type)) return computed<Code, double>(type, x...);
    }
    if constexpr (accepts(Code, dtype::boolean))
        if (type == dtype::boolean) return computed<Code, bool>(type, x...);
    if constexpr (accepts(Code, dtype::int64))
        if (is_integer(type))
            return is_signed_integer(type) ? computed<Code, std::int64_t>(type, x...) : computed<Code, std::uint64_t>(type, x...);
    throw_no_kernel(Code, type);
}
template <op Code> cell pointwise_of(dtype type, cell const* x) {
    if constexpr (info(Code).kind != kind::pointwise || Code == op::cast || Code == op::where) throw_no_kernel(Code, type);
    else if constexpr (info(Code).arity == 1) return computed_in<Code>(type, x[0]);
    else if constexpr (info(Code).arity == 2) return computed_in<Code>(type, x[0], x[1]);
    else return computed_in<Code>(type, x[0], x[1], x[2]);
}
template <std::size_t... Codes> cell pointwise_among(std::index_sequence<Codes...>, op code, dtype type, cell const* x) {
    static constexpr cell (*table[])(dtype, cell const*){&pointwise_of<static_cast<op>(Codes)>...};
    return table[static_cast<std::size_t>(code)](type, x);
}

// Constant evaluation computes no functions of <cmath>, no NaN and no overflow.
constexpr rules::folded constant_pointwise(op code, dtype type, cell const* x) {
    literal_bits const operands[]{x[0], x[1], x[2]};
    return is_dual(type) ? rules::folded() : fold(code, type, operands);
}

template <class Unused> cell run_pointwise(op code, dtype type, cell const* x) {
    return pointwise_among(std::make_index_sequence<op_count>(), code, type, x);
}
TRACEXPR_INSTANCE(cell run_pointwise<void>(op, dtype, cell const*))
template <class Unused = void> constexpr cell pointwise(op code, dtype type, cell const* x) {
    if (__builtin_is_constant_evaluated()) {
        rules::folded const out = constant_pointwise(code, type, x);
        if (!out.known) throw_not_constant(code);
        return out.bits;
    }
    return run_pointwise<Unused>(code, type, x);
}

} // namespace tx::reference
