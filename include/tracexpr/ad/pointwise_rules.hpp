// This file holds the derivatives of pointwise ops, with one rule an op for both modes. The conventions at kinks are
// TensorFlow's: abs has derivative 0 at 0, maximum and minimum of equal operands choose the first, and rounding and comparisons
// have no derivative. The formulas are in Abramowitz and Stegun, Handbook of Mathematical Functions, chapters 4 to 7.
#pragma once

#include <tracexpr/ad/value.hpp>

namespace tx::ad {

// A site is a node as derivative rules read it. Two chains of nodes are read as one op of other operands: log(a / b) and a * (1 /
// b).
struct site {
    value y;                         // the node
    value a, b, c;                   // its first operands
    bool is_log_of_quotient = false; // y = log(a / b)
    bool is_quotient = false;        // y = a / b, recorded as a * (1 / b)

    constexpr site(graph& g, node_id id) : y{g, id} {
        if (y.get().arity > 0) a = y.operand(0);
        if (y.get().arity > 1) b = y.operand(1);
        if (y.get().arity > 2) c = y.operand(2);
    }
    constexpr op code() const { return is_quotient ? op::divide : y.code(); }
    constexpr value operand(std::size_t k) const { return k == 0 ? a : k == 1 ? b : y.operand(k); }
    constexpr std::size_t differentiable() const { return is_log_of_quotient ? 2 : differentiable_operands(y.get()); }
    // Tells whether y is log(a / b), which is differentiated as one op of a and b: each of its slopes, 1 / a and -1 / b, depends
    // on one operand only.
    constexpr bool can_split() const { return code() == op::log && a.code() == op::divide; }
    constexpr void split() { b = a.operand(1), a = a.operand(0), is_log_of_quotient = true; }
    // Gives the operand 1 / b of a product x * (1 / b), or none. The product is differentiated as a quotient, whose slopes are
    // made of the quotient itself and of 1 / b.
    TRACEXPR_ONCE constexpr value reciprocal() const {
        if (code() != op::multiply) return {};
        return is_reciprocal(b) ? b : is_reciprocal(a) ? a : value{};
    }
    TRACEXPR_ONCE constexpr void divide(value const& inverse) {
        if (b.id() != inverse.id()) a = b;
        b = inverse.operand(1), is_quotient = true;
    }

private:
    TRACEXPR_ONCE constexpr bool is_reciprocal(value const& x) const {
        return x.code() == op::divide && x.shape() == y.shape() && is_literal(x.operand(0), 1);
    }
};

namespace detail {

inline constexpr double two_over_sqrt_pi = 1.1283791670955125739, ln2 = 0.69314718055994530942, ln10 = 2.3025850929940456840;

// Gives t / x as t * (1 / x), because 1 / x is computed once for all derivatives that divide by x.
TRACEXPR_ONCE constexpr value over(value const& t, value const& x) {
    return t.is_zero() || x.code() == op::literal ? t / x : t * (1 / x);
}

TRACEXPR_ONCE constexpr value power_partial(site const& n, std::size_t k, value const& t) {
    if (k == 0) {
        if (is_literal(n.b, 1)) return t;
        if (is_literal(n.b, 2)) return t * (2 * n.a);
        value const slope = t * (n.b * pow(n.a, n.b - 1));
        return n.b.code() == op::literal && !is_literal(n.b, 0) ? slope : where(equal(n.b, n.b.like(0)), value{}, slope);
    }
    // 0 to the power b is constant around any positive b, and the result for negative a, NumPy's NaN, has no slope either.
    value const inside = is_complex(n.a.type()) ? record(op::not_equal, {n.a, n.a.like(0)}) : greater(n.a, n.a.like(0));
    return t * (n.y * where(inside, log(where(inside, n.a, n.a.like(1))), value{}));
}
TRACEXPR_ONCE constexpr value absolute_partial(site const& n, value const& t) {
    if (!is_complex(n.a.type())) return t * sign(n.a);
    return where(equal(n.y, n.y.like(0)), value{}, real(conj(n.a) * t) / n.y);
}
// Gives the tangent of a / b where both operands change, and zero where only one does.
TRACEXPR_ONCE constexpr value quotient_change(site const& n, value const& da, value const& db) {
    return da.is_zero() || db.is_zero() ? value{} : over(da - db * n.y, n.b);
}
// Gives t / (a^2 + b^2) without a square that may overflow.
constexpr value over_squares(value const& t, value const& a, value const& b) {
    value const size = record(op::hypot, {a, b});
    return t / size / size;
}

// Gives (cos(pi x) - sinc x) / x, and around 0 its series, x sum c_k (pi x)^(2 k), which has derivatives there.
TRACEXPR_ONCE constexpr value sinc_slope(value const& x, value const& y) {
    constexpr double pi = 3.14159265358979323846;
    value const size = unary(op::absolute, x), is_near = record(op::less, {size, size.like(0.125)}), angle = square(pi * x);
    value series = x.like(1 / 31135104000.0);
    for (double const c : {-1 / 172972800.0, 1 / 1330560.0, -1 / 15120.0, 1 / 280.0, -1 / 10.0, 1.0}) series = series * angle + c;
    // Where the dtype has a `round`, whole turns are taken off the cosine's angle.
    value const nonzero = where(is_near, x.like(1), x),
                turn = is_complex(x.type()) ? nonzero : nonzero - 2 * unary(op::round, 0.5 * nonzero);
    return where(is_near, -pi * pi / 3 * x * series, (cos(pi * turn) - y) / nonzero);
}

// Tells where a maximum or minimum chooses the first operand. A literal is chosen where it equals the result, so that the other
// operand (that of a relu) need not be kept.
TRACEXPR_ONCE constexpr value first_is_chosen(site const& n) {
    op const code = n.code() == op::maximum ? op::greater_equal : op::less_equal;
    return record(code, {n.a, n.a.code() == op::literal ? n.y : n.b});
}

// Gives t times the slope of a pointwise op along operand k. (tests/ad/registry.cpp finds an op without a rule.)
TRACEXPR_ONCE constexpr value partial(site const& n, std::size_t k, value const& t) {
    value const &a = n.a, &b = n.b, &y = n.y;
    bool const first = k == 0;
    switch (n.code()) {
    case op::cast: return cast(is_complex(t.type()) && !is_complex(y.type()) ? real(t) : t, y.type());
    case op::add: return t;
    case op::subtract: return first ? t : -t;
    case op::multiply: return t * (first ? b : a);
    case op::divide: return first ? over(t, b) : -(over(t, b) * y);
    case op::remainder: return first ? t : -t * record(op::floor_divide, {a, b});
    case op::fmod: return first ? t : -t * unary(op::trunc, a / b);
    case op::power: return power_partial(n, k, t);
    case op::atan2: return first ? over_squares(t * b, a, b) : over_squares(-t * a, a, b);
    case op::hypot: return t * where(equal(y, y.like(0)), value{}, (first ? a : b) / y);
    case op::logaddexp: return t * sigmoid(first ? a - b : b - a);
    case op::copysign: return first ? t * (sign(a) * record(op::copysign, {b.like(1), b})) : value{};
    case op::polygamma: return first ? value{} : t * record(op::polygamma, {a + 1, b}); // a is a whole number, the order
    case op::maximum:
    case op::minimum: return first ? where(first_is_chosen(n), t, value{}) : where(first_is_chosen(n), value{}, t);
    case op::fmax:
    case op::fmin: return first ? where(equal(a, y), t, value{}) : where(equal(a, y), value{}, t);
    case op::where: return first ? value{} : k == 1 ? where(a, t, value{}) : where(a, value{}, t);
    case op::fma: return first ? t * b : k == 1 ? t * a : t;
    case op::negative: return -t;
    case op::absolute: return absolute_partial(n, t);
    case op::square: return t * (2 * a);
    case op::sqrt: return t * (0.5 * (1 / y));
    case op::rsqrt: return t * (-0.5 * y / a);
    case op::cbrt: return over(t, 3 * square(y));
    case op::reciprocal: return -t * square(y);
    case op::exp: return t * y;
    case op::exp2: return t * (ln2 * y);
    case op::expm1: return t * exp(a);
    case op::log: return over(t, a);
    case op::log2: return over(t, ln2 * a);
    case op::log10: return over(t, ln10 * a);
    case op::log1p: return over(t, 1 + a);
    case op::sin: return t * cos(a);
    case op::cos: return -t * sin(a);
    case op::tan: return t * (1 + square(y));
    case op::asin: return over(t, sqrt((1 - a) * (1 + a)));
    case op::acos: return over(-t, sqrt((1 - a) * (1 + a)));
    case op::atan: return over(t, 1 + square(a));
    case op::sinh: return t * cosh(a);
    case op::cosh: return t * sinh(a);
    case op::tanh: return t * (1 - square(y));
    case op::asinh: return over(t, sqrt(1 + square(a)));
    case op::acosh: return over(t, sqrt(a - 1) * sqrt(a + 1));
    case op::atanh: return over(t, (1 - a) * (1 + a));
    case op::erf: return t * (two_over_sqrt_pi * exp(-square(a)));
    case op::erfc: return t * (-two_over_sqrt_pi * exp(-square(a)));
    case op::lgamma: return t * record(op::polygamma, {a.like(0), a});
    case op::sigmoid: return t * (y * (1 - y));
    case op::sinc: return t * sinc_slope(a, y);
    case op::real: return real(t);
    case op::imag: return imag(t);
    case op::conj: return conj(t);
    case op::times_i: return unary(op::times_i, t);
    default: throw_no_rule(n.code());
    }
}

} // namespace detail

// Gives t times the derivative of the pointwise node n with respect to operand k. For complex numbers this is the change of n's
// result for a small step t of the operand.
TRACEXPR_ONCE constexpr value times_partial(site const& n, std::size_t k, value const& t) {
    if (t.is_zero()) return t;
    if (n.is_log_of_quotient) return k == 0 ? detail::over(t, n.a) : -detail::over(t, n.b);
    return detail::partial(n, k, t);
}

// Gives the gradient of a real loss with respect to operand k, where g is its gradient with respect to n's result. For complex
// numbers that is the conjugate derivative, as in TensorFlow.
TRACEXPR_ONCE constexpr value pulled_back(site const& n, std::size_t k, value const& g) {
    dtype const from = (k == 0 ? n.a : k == 1 ? n.b : n.c).type(), to = n.y.type();
    if (!is_complex(from) && !is_complex(to)) {
        if (n.code() == op::cast) return cast(g, from);
        return times_partial(n, k, g);
    }
    switch (n.code()) {
    case op::cast: return cast(real(g), from);
    case op::real: return cast(g, from);
    case op::imag: return unary(op::times_i, cast(g, from));
    case op::conj: return conj(g);
    case op::absolute: return where(equal(n.y, n.y.like(0)), value{}, cast(g / n.y, from) * n.a);
    default: return conj(times_partial(n, k, conj(g)));
    }
}

} // namespace tx::ad
