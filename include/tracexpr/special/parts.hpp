// This file holds functions of the parts of floating-point numbers (sign, exponent and neighbours), and the angle of complex
// numbers.
#pragma once

#include <tracexpr/run/eager.hpp>
#include <tracexpr/special/values.hpp>
#include <tracexpr/trace/reductions.hpp>

namespace tx {
namespace detail::special_functions {

constexpr value value_of(lowering& low, node_id id) { return {low.scope().recorded, id}; }
// Returns whether the sign bit of a floating x is set.
constexpr value has_sign_bit(value const& x) { return less(with_sign_of(x.like(1), x), 0); }
// Computes 2^n exactly for integral n below 1000.
constexpr value power_of_two(value const& n) { return ad::unary(op::exp2, n); }

struct angle_builder {
    static constexpr char const* called = "angle";
    static constexpr char const* problem(builder_specs given) {
        return given[0].type == dtype::string ? "takes numbers" : nullptr;
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{real_part(to_inexact(given[0].type))};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) { return std::array<dims, 1>{given[0].shape}; }
    TRACEXPR_ONCE static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        value const x = value_of(low, low.as(operands[0], to_inexact(low.type(operands[0]))));
        if (!is_complex(x.type()))
            return std::array<node_id, 1>{choose(ad::unary(op::isnan, x), x, choose(has_sign_bit(x), pi, x.like(0))).id()};
        value const re = ad::real(x), im = ad::imag(x), is_zero = both(equal(re, 0), equal(im, 0));
        value const along = choose(is_zero, with_sign_of(re.like(1), re), re); // so that the derivative at 0 is not NaN
        return std::array<node_id, 1>{ad::record(op::atan2, {im, along}).id()};
    }
};

struct signbit_builder {
    static constexpr char const* called = "signbit";
    TRACEXPR_ONCE static constexpr char const* problem(builder_specs given) {
        return tx::is_complex(given[0].type) || given[0].type == dtype::string ? "takes real numbers" : nullptr;
    }
    static constexpr std::array<dtype, 1> types(builder_specs) { return std::array<dtype, 1>{dtype::boolean}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) { return std::array<dims, 1>{given[0].shape}; }
    TRACEXPR_ONCE static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        value const x = value_of(low, operands[0]);
        return std::array<node_id, 1>{(is_floating(x.type()) ? has_sign_bit(x) : less(x, 0)).id()};
    }
};

// The neighbours of c are c + e and c - e, where e is just over half a unit in the last place; small numbers are scaled up first.
// (Rump, Zimmermann, Boldo, Melquiond: Computing predecessor and successor in rounding to nearest, 2009)
struct nextafter_fn {
    static constexpr char const* called = "nextafter";
    TRACEXPR_ONCE static constexpr value compute(value const* operands) {
        value const &x = operands[0], &y = operands[1];
        bool const is_double = x.type() == dtype::float64;
        double const u = is_double ? 0x1p-53 : 0x1p-24, smallest = is_double ? 0x1p-1074 : 0x1p-149,
                     largest = is_double ? std::numeric_limits<double>::max() : double(std::numeric_limits<float>::max());
        value const size = absolute(x), scaled = less(size, smallest / u / u * 0.5), tiny = less(size, smallest / u);
        value const c = choose(scaled, x * (1 / u), x), step = absolute(c) * (u * (1 + 2 * u)), up = less(x, y);
        value const moved = choose(up, c + step, c - step);
        value const next = choose(tiny, choose(up, x + smallest, x - smallest), choose(scaled, moved * u, moved));
        value const signed_next = choose(equal(next, 0), with_sign_of(next.like(0), x), next); // -0 if x is negative
        value const ended = choose(ad::unary(op::isinf, x), with_sign_of(x.like(largest), x), signed_next);
        value const unknown = either(ad::unary(op::isnan, x), ad::unary(op::isnan, y));
        return choose(unknown, not_a_number, choose(ad::record(op::equal, {x, y}), y, ended));
    }
    static constexpr value slope(trace_scope&, value const* x, value const&, std::size_t k) {
        return k == 0 ? x[0].like(1) : value{};
    }
    static constexpr definition recorded{compute, slope, 2, false};
};
// Only float and double have neighbours here, as smaller types would be computed in one of these.
template <class... A> inline constexpr bool have_neighbours = [] {
    if constexpr (have_common_dtype<A...>) return !tx::is_small_float(common_dtype<A...>) && !tx::is_complex(common_dtype<A...>);
    else return false;
}();

// The multiplications by powers of two are ordered so that only the last result is rounded.
struct ldexp_builder {
    static constexpr char const* called = "ldexp";
    TRACEXPR_ONCE static constexpr char const* problem(builder_specs given) {
        // A C++ integer was converted to x's dtype, so it is treated as an integer here.
        builder_spec const operands[]{given[0], {dtype::int32, given[1].shape}};
        return special_functions::problem(operands);
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{to_inexact(given[0].type)}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) { return std::array<dims, 1>{result_shape(given)}; }
    TRACEXPR_ONCE static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        value const x = value_of(low, low.as(operands[0], dtype::float64)),
                    n = clamp(value_of(low, low.as(operands[1], dtype::float64)), -2699, 2699);
        value const steps = ad::unary(op::trunc, n / 900.0), by = choose(less(n, 0), 0x1p-900, n.like(0x1p900));
        value y = x * power_of_two(n - 900 * steps);
        for (double k = 1; k < 3; ++k) y = y * choose(less(absolute(steps), k), 1.0, by);
        return std::array<node_id, 1>{y.id()};
    }
};

struct frexp_builder {
    static constexpr char const* called = "frexp";
    static constexpr char const* problem(builder_specs given) { return special_functions::problem(given); }
    static constexpr std::array<dtype, 2> types(builder_specs given) { return {to_inexact(given[0].type), dtype::int32}; }
    static constexpr std::array<dims, 2> shapes(builder_specs given) { return {given[0].shape, given[0].shape}; }
    TRACEXPR_ONCE static constexpr std::array<node_id, 2> record(lowering& low, node_id const* operands) {
        value const x = value_of(low, low.as(operands[0], dtype::float64)), size = absolute(x);
        value const has_none = either(equal(size, 0), ad::unary(op::logical_not, ad::unary(op::isfinite, x)));
        value const small = less(size, 0x1p-900), large = greater(size, 0x1p900);
        value const near = size * choose(small, 0x1p200, choose(large, 0x1p-200, size.like(1))); // this product is exact
        value const inside = choose(has_none, 1.0, near), guess = ad::unary(op::floor, ad::unary(op::log2, inside)) + 1;
        value const m = inside * power_of_two(-guess), high = ad::record(op::greater_equal, {m, m.like(1)}), low_m = less(m, 0.5);
        value const mantissa = m * choose(high, 0.5, choose(low_m, 2.0, m.like(1)));
        value const exponent =
            guess + choose(high, 1.0, choose(low_m, -1.0, m.like(0))) + choose(small, -200.0, choose(large, 200.0, m.like(0)));
        return {choose(has_none, x, with_sign_of(mantissa, x)).id(), choose(has_none, 0.0, exponent).id()};
    }
};

} // namespace detail::special_functions

inline namespace TRACEXPR_CALLS {

// Computes the angle of a complex number, from -pi to pi; for real numbers it is pi where the sign bit is set, else 0.
template <array_operand A> [[nodiscard]] constexpr auto angle(A const& x) {
    return detail::apply_if<true>(detail::built_fn<detail::special_functions::angle_builder>{}, x);
}
// Returns whether the sign bit is set, also that of -0 and of NaN, as bool.
template <array_operand A> [[nodiscard]] constexpr auto signbit(A const& x) {
    constexpr bool is_real = detail::is_real_operand<A>;
    static_assert(is_real, "tx: signbit: takes real numbers; apply it to tx::real(x) or tx::imag(x)");
    return detail::apply_if<is_real>(detail::built_fn<detail::special_functions::signbit_builder>{}, x);
}
// Computes the next number of the dtype (float or double) after x towards y; it is y where both are equal.
template <class A, class B> requires elementwise<A, B> [[nodiscard]] constexpr auto nextafter(A const& x, B const& y) {
    constexpr bool fit = detail::special_functions::have_neighbours<A, B>;
    static_assert(fit, "tx: nextafter: takes float and double; cast half and bfloat16 to one of them first");
    if constexpr (fit) return detail::special_functions::apply<detail::special_functions::nextafter_fn>(x, y);
    else return detail::failed{};
}
// Computes x 2^n, rounded once, for integers n of any size.
template <array_operand A, operand N> [[nodiscard]] constexpr auto ldexp(A const& x, N const& n) {
    constexpr bool is_real = detail::is_real_operand<A>, is_whole = is_integer(detail::dtype_of_operand<N>);
    static_assert(is_real, "tx: ldexp: takes real numbers");
    static_assert(is_whole, "tx: ldexp: the exponents must be integers; cast them, or multiply by tx::exp2(n)");
    return detail::apply_if<(is_real && is_whole)>(detail::built_fn<detail::special_functions::ldexp_builder>{}, x, n);
}
template <class A, array_operand N> requires std::is_arithmetic_v<A> [[nodiscard]] constexpr auto ldexp(A x, N const& n) {
    return tx::ldexp(tensor<canonical<A>, shape<>>(x), n);
}
// Gives (m, n) with x = m 2^n and 1 / 2 <= |m| < 1, n as int32; 0, infinities and NaN give (x, 0).
template <array_operand A> [[nodiscard]] constexpr auto frexp(A const& x) {
    constexpr bool is_real = detail::is_real_operand<A>;
    static_assert(is_real, "tx: frexp: takes real numbers");
    return detail::apply_if<is_real>(detail::built_fn<detail::special_functions::frexp_builder>{}, x);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
