// Writes pointwise ops as nodes of ONNX. Ops that ONNX doesn't have are composed of others, with the special values and nearly
// the accuracy of the library's own; operands are cast to dtypes that ONNX Runtime supports.
#pragma once

#include <tracexpr/backends/math/special.hpp>
#include <tracexpr/onnx/export/exporter.hpp>

namespace tx::onnx::detail {

// Writes arithmetic on values of one dtype.
class pointwise_writer {
public:
    pointwise_writer(exporter& e, dtype type) : e_{e}, type_{type} {}

    value_name of(std::string_view op, value_name const& a) { return e_.add(op, {a}); }
    value_name of(std::string_view op, value_name const& a, value_name const& b) { return e_.add(op, {a, b}); }
    value_name number(double value) { return e_.number(type_, value); }
    value_name add(value_name const& a, value_name const& b) { return of("Add", a, b); }
    value_name subtract(value_name const& a, value_name const& b) { return of("Sub", a, b); }
    value_name multiply(value_name const& a, value_name const& b) { return of("Mul", a, b); }
    value_name divide(value_name const& a, value_name const& b) { return of("Div", a, b); }
    value_name choose(value_name const& condition, value_name const& yes, value_name const& no) {
        return e_.add("Where", {condition, yes, no});
    }
    value_name is_less(value_name const& a, value_name const& b) { return of("Less", a, b); }
    value_name is_zero(value_name const& a) { return of("Equal", a, number(0)); }
    value_name is_nan(value_name const& a) { return of("IsNaN", a); }
    value_name is_infinite(value_name const& a) { return of("IsInf", a); }
    value_name absolute(value_name const& a) { return of("Abs", a); }

    // The result has the sign of y.
    value_name remainder(value_name const& x, value_name const& y) {
        if (is_integer(type_)) return without_zero(y, [&](value_name const& by) { return e_.add("Mod", {x, by}); });
        value_name const rest = fmod(x, y);
        value_name const differs = of("Xor", is_less(rest, number(0)), is_less(y, number(0)));
        return choose(of("And", of("Not", is_zero(rest)), differs), add(rest, y),
                      choose(is_zero(rest), copysign(number(0), y), rest));
    }
    value_name fmod(value_name const& x, value_name const& y) {
        auto const rest = [&](value_name const& by) { return e_.add("Mod", {x, by}, {{"fmod", 1}}); };
        return is_integer(type_) ? without_zero(y, rest) : rest(y);
    }
    value_name floor_divide(value_name const& x, value_name const& y) {
        if (is_integer(type_))
            return without_zero(y, [&](value_name const& by) { return divide(subtract(x, e_.add("Mod", {x, by})), by); });
        value_name const plain = divide(x, y), whole = of("Round", divide(subtract(x, remainder(x, y)), y));
        return choose(is_zero(y), plain, choose(is_zero(whole), copysign(number(0), plain), whole));
    }
    value_name trunc(value_name const& x) { return choose(is_less(x, number(0)), of("Ceil", x), of("Floor", x)); }
    // -0 counts as negative.
    value_name is_negative(value_name const& x) {
        return of("Or", is_less(x, number(0)), of("And", is_zero(x), is_less(divide(number(1), x), number(0))));
    }
    value_name copysign(value_name const& x, value_name const& y) {
        value_name const size = absolute(x);
        return choose(is_negative(y), of("Neg", size), size);
    }
    value_name hypot(value_name const& x, value_name const& y) {
        value_name const a = absolute(x), b = absolute(y), most = of("Max", a, b), ratio = divide(of("Min", a, b), most);
        value_name const length = multiply(most, of("Sqrt", add(number(1), multiply(ratio, ratio))));
        value_name const infinite = of("Or", is_infinite(x), is_infinite(y));
        return choose(infinite, number(std::numeric_limits<double>::infinity()), choose(is_zero(most), most, length));
    }
    value_name atan2(value_name const& y, value_name const& x) {
        constexpr double pi = 3.14159265358979323846;
        value_name const a = absolute(y), b = absolute(x), high = of("Max", a, b), low = of("Min", a, b);
        value_name const ratio =
            choose(of("Or", is_zero(high), of("Equal", a, b)), choose(is_zero(high), high, number(1)), divide(low, high));
        value_name const angle = of("Atan", ratio), steep = choose(is_less(b, a), subtract(number(pi / 2), angle), angle);
        value_name const turned = choose(is_negative(x), subtract(number(pi), steep), steep);
        return choose(of("Or", is_nan(x), is_nan(y)), add(x, y), copysign(turned, y));
    }
    // Computes log(1 + x) as log(u) x / (u - 1), where u = 1 + x is rounded (Kahan, 1981).
    value_name log1p(value_name const& x) {
        value_name const u = add(number(1), x), rest = subtract(u, number(1)), log = of("Log", u);
        value_name const plain = of("Or", is_infinite(u), is_zero(u));
        return choose(plain, log, choose(is_zero(rest), x, multiply(log, divide(x, rest))));
    }
    // Computes 2 t / (1 - t) with t = tanh(x / 2), which loses no digits near 0.
    value_name expm1(value_name const& x) {
        value_name const t = of("Tanh", multiply(x, number(0.5)));
        value_name const small = divide(multiply(number(2), t), subtract(number(1), t));
        return choose(is_less(absolute(x), number(1)), choose(is_zero(x), x, small), subtract(of("Exp", x), number(1)));
    }
    value_name logaddexp(value_name const& x, value_name const& y) {
        value_name const most = of("Max", x, y), apart = absolute(subtract(x, y));
        return choose(of("Equal", x, y), add(x, number(0.693147180559945309417)), add(most, log1p(of("Exp", of("Neg", apart)))));
    }
    value_name cbrt(value_name const& x) {
        value_name const root = of("Pow", absolute(x), number(1.0 / 3));
        // One Newton step corrects the rounding of the exponent; it isn't used for infinities and 0.
        value_name const better = subtract(root, divide(subtract(root, divide(absolute(x), multiply(root, root))), number(3)));
        value_name const keeps = of("Or", is_infinite(x), is_zero(x));
        return choose(keeps, x, multiply(of("Sign", x), better));
    }
    // The sine is computed from the distance of x to the nearest integer.
    value_name sinc(value_name const& x) {
        constexpr double pi = 3.14159265358979323846;
        value_name const whole = of("Round", x), half = multiply(whole, number(0.5));
        value_name const odd = subtract(whole, multiply(number(2), of("Round", half)));
        value_name const sine = multiply(of("Sin", multiply(number(pi), subtract(x, whole))),
                                         subtract(number(1), multiply(number(2), multiply(odd, odd))));
        return choose(is_zero(x), number(1), divide(sine, multiply(number(pi), x)));
    }
    // Computes v p(v - middle) e^(-a^2) with a = |x| and v = 1 / (a + offset), as the library does (backends/math/special.hpp).
    // a^2 is split into an exact part and a rest.
    template <class T> value_name erfc(value_name const& x) {
        using fit = simd::math::detail::erfc_fit<T>;
        value_name const a = of("Min", absolute(x), number(double{fit::zero_from}));
        value_name const v = divide(number(1), add(a, number(double{fit::offset})));
        value_name const u = subtract(v, number(double{fit::middle}));
        value_name p = number(double{fit::scaled.back()});
        for (std::size_t k = fit::scaled.size() - 1; k-- > 0;) p = add(multiply(p, u), number(double{fit::scaled[k]}));
        constexpr double steps = sizeof(T) == 4 ? 64 : 1 << 20;
        value_name const rough = divide(of("Round", multiply(a, number(steps))), number(steps));
        value_name const square = of("Exp", of("Neg", multiply(rough, rough)));
        value_name const rest = of("Exp", multiply(subtract(rough, a), add(rough, a)));
        value_name const far = multiply(multiply(multiply(v, p), rest), square);
        value_name const beyond = choose(is_less(number(double{fit::zero_from}), absolute(x)), number(0), far);
        value_name const turned = choose(is_less(x, number(0)), subtract(number(2), beyond), beyond);
        return choose(is_less(absolute(x), number(0.75)), subtract(number(1), of("Erf", x)), choose(is_nan(x), x, turned));
    }
    value_name logarithm(value_name const& x, double of_base) { return multiply(of("Log", x), number(1 / of_base)); }
    value_name chosen_number(value_name const& x, value_name const& y, std::string_view op) {
        return choose(is_nan(x), y, choose(is_nan(y), x, of(op, x, y)));
    }

private:
    // Returns by(y), and 0 where y is 0, for which processors and ONNX define no result.
    template <class By> value_name without_zero(value_name const& y, By const& by) {
        node const& divisor = e_.graph()[e_.operand_id(1)];
        if (divisor.code == op::literal && divisor.bits[0] != 0) return by(y);
        return choose(is_zero(y), number(0), by(choose(is_zero(y), number(1), y)));
    }

    exporter& e_;
    dtype type_;
};

// Returns the dtype in which operands are passed to a node of ONNX, whose result is cast back.
inline dtype computed_in(op code, dtype type) {
    if (type == dtype::bfloat16 || (type == dtype::float16 && code == op::erfc)) return dtype::float32;
    if (type == dtype::boolean) return is_comparison(code) && code != op::equal && code != op::not_equal ? dtype::int32 : type;
    bool const shifts = code == op::left_shift || code == op::right_shift;
    if (!is_integer(type) || (type == dtype::int32 && !shifts) || type == dtype::int64) return type;
    if (code >= op::bitwise_and && code <= op::bitwise_xor) return type;
    if (code == op::bitwise_not || code == op::cast) return type;
    bool const wraps = code == op::add || code == op::subtract || code == op::multiply || code == op::fma || code == op::square ||
                       code == op::negative;
    return type == dtype::uint64 && !wraps ? type : dtype::int64;
}

inline value_name write_shift(exporter& e, pointwise_writer& w, value_name const& x, value_name const& by) {
    if (e.type(0) == dtype::uint64)
        return e.add("BitShift", {e[0], e[1]}, {{"direction", e.at().code == op::left_shift ? "LEFT" : "RIGHT"}});
    // A shift by at least as many places as there are bits, or by a negative number, loses all bits but the sign.
    value_name const last = w.number(8 * static_cast<double>(size_in_bytes(e.type(0))) - 1);
    value_name const beyond = w.of("Or", w.is_less(by, w.number(0)), w.is_less(last, by));
    if (e.at().code == op::left_shift)
        return w.multiply(x, w.choose(beyond, w.number(0), e.add("Pow", {w.number(2), w.choose(beyond, last, by)})));
    value_name const fills = w.of("Or", beyond, w.of("Equal", by, last));
    value_name const power = e.add("Pow", {w.number(2), w.choose(fills, w.number(0), by)});
    value_name const sign = w.choose(w.is_less(x, w.number(0)), w.number(-1), w.number(0));
    return w.choose(fills, sign, w.divide(w.subtract(x, e.add("Mod", {x, power})), power));
}

inline value_name write_unary(exporter& e, op code, dtype type, value_name const& x) {
    pointwise_writer w(e, type);
    bool const is_float = is_floating(type);
    auto const everywhere = [&](bool value) { return e.add(value ? "Equal" : "Less", {x, x}); };
    switch (code) {
    case op::square: return w.multiply(x, x);
    case op::rsqrt: return w.of("Reciprocal", w.of("Sqrt", x));
    case op::cbrt: return w.cbrt(x);
    case op::exp2: return e.add("Pow", {w.number(2), x});
    case op::expm1: return w.expm1(x);
    case op::log1p: return w.log1p(x);
    case op::log2: return w.logarithm(x, 0.693147180559945309417);
    case op::log10: return w.logarithm(x, 2.30258509299404568402);
    case op::sinc: return w.sinc(x);
    case op::trunc: return is_float ? w.trunc(x) : x;
    case op::floor:
    case op::ceil:
    case op::round: return is_float ? w.of(info(code).onnx, x) : x;
    case op::sign: return is_float ? w.choose(w.is_nan(x), x, w.of("Sign", x)) : w.of("Sign", x);
    case op::erfc: return type == dtype::float64 ? w.erfc<double>(x) : w.erfc<float>(x);
    case op::isnan: return is_float ? w.is_nan(x) : everywhere(false);
    case op::isinf: return is_float ? w.is_infinite(x) : everywhere(false);
    case op::isfinite: return is_float ? w.of("Not", w.of("Or", w.is_nan(x), w.is_infinite(x))) : everywhere(true);
    case op::bitwise_not: return w.of(type == dtype::boolean ? "Not" : "BitwiseNot", x);
    case op::negative: return is_unsigned_integer(type) ? w.subtract(w.number(0), x) : w.of("Neg", x);
    case op::absolute: return is_unsigned_integer(type) ? x : w.of("Abs", x);
    default: return info(code).onnx.empty() ? e.fail() : w.of(info(code).onnx, x);
    }
}
inline value_name write_bool_pair(exporter& e, op code, value_name const& x, value_name const& y) {
    switch (code) {
    case op::add:
    case op::maximum:
    case op::fmax:
    case op::bitwise_or: return e.add("Or", {x, y});
    case op::multiply:
    case op::minimum:
    case op::fmin:
    case op::bitwise_and: return e.add("And", {x, y});
    case op::bitwise_xor:
    case op::not_equal: return e.add("Xor", {x, y});
    case op::equal: return e.add("Not", {e.add("Xor", {x, y})});
    default: return info(code).onnx.empty() ? e.fail() : e.add(info(code).onnx, {x, y});
    }
}
inline value_name write_pair(exporter& e, op code, dtype type, value_name const& x, value_name const& y) {
    pointwise_writer w(e, type);
    if (type == dtype::boolean) return write_bool_pair(e, code, x, y);
    if (type == dtype::string) {
        if (e.out().opset() < 20) return e.fail(std::string(name(code)) + " of strings before opset 20");
        if (code == op::equal) return e.add("Equal", {x, y});
        if (code == op::not_equal) return e.add("Not", {e.add("Equal", {x, y})});
        return code == op::string_add ? e.add("StringConcat", {x, y}) : e.fail(std::string(name(code)) + " of strings");
    }
    switch (code) {
    case op::not_equal: return e.add("Not", {e.add("Equal", {x, y})});
    case op::floor_divide: return w.floor_divide(x, y);
    case op::remainder: return w.remainder(x, y);
    case op::fmod: return w.fmod(x, y);
    case op::atan2: return w.atan2(x, y);
    case op::hypot: return w.hypot(x, y);
    case op::logaddexp: return w.logaddexp(x, y);
    case op::copysign: return w.copysign(x, y);
    case op::fmax: return is_floating(type) ? w.chosen_number(x, y, "Max") : w.of("Max", x, y);
    case op::fmin: return is_floating(type) ? w.chosen_number(x, y, "Min") : w.of("Min", x, y);
    case op::left_shift:
    case op::right_shift: return write_shift(e, w, x, y);
    default: return info(code).onnx.empty() ? e.fail() : w.of(info(code).onnx, x, y);
    }
}

inline value_name write_pointwise(exporter& e) {
    node const& n = e.at();
    if (n.code == op::cast) return e.cast(e[0], e.type(0), n.type);
    if (n.code == op::where) return e.add("Where", {e[0], e[1], e[2]});
    dtype const type = computed_in(n.code, e.type(0));
    auto const operand = [&](std::size_t k) { return e.cast(e[k], e.type(k), type); };
    value_name const made = n.code == op::fma ? e.add("Add", {e.add("Mul", {operand(0), operand(1)}), operand(2)})
                            : n.arity == 1    ? write_unary(e, n.code, type, operand(0))
                                              : write_pair(e, n.code, type, operand(0), operand(1));
    return n.type == dtype::boolean ? made : e.cast(made, type, n.type);
}

} // namespace tx::onnx::detail
