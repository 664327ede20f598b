// The definitions of special functions are written with the helpers of this file: polynomials, choices and bounds, on nodes.
#pragma once

#include <tracexpr/special/recording.hpp>

#include <limits>

namespace tx::detail::special_functions {

inline constexpr double infinity = std::numeric_limits<double>::infinity(),
                        not_a_number = std::numeric_limits<double>::quiet_NaN();
inline constexpr double pi = 3.14159265358979323846, euler_gamma = 0.57721566490153286061;

constexpr value absolute(value const& x) { return ad::unary(op::absolute, x); }
constexpr value maximum(value const& x, double low) { return ad::record(op::maximum, {x, x.like(low)}); }
constexpr value minimum(value const& x, double high) { return ad::record(op::minimum, {x, x.like(high)}); }
constexpr value minimum(value const& x, value const& y) { return ad::record(op::minimum, {x, y}); }
constexpr value maximum(value const& x, value const& y) { return ad::record(op::maximum, {x, y}); }
constexpr value clamp(value const& x, double low, double high) { return minimum(maximum(x, low), high); }
constexpr value less(value const& x, double than) { return ad::record(op::less, {x, x.like(than)}); }
constexpr value less(value const& x, value const& y) { return ad::record(op::less, {x, y}); }
constexpr value greater(value const& x, double than) { return ad::record(op::greater, {x, x.like(than)}); }
constexpr value equal(value const& x, double to) { return ad::record(op::equal, {x, x.like(to)}); }
constexpr value both(value const& a, value const& b) { return ad::record(op::logical_and, {a, b}); }
constexpr value either(value const& a, value const& b) { return ad::record(op::logical_or, {a, b}); }
constexpr value with_sign_of(value const& x, value const& sign) { return ad::record(op::copysign, {x, sign}); }
constexpr value fused(value const& a, value const& b, value const& c) { return ad::record(op::fma, {a, b, c}); }
constexpr value choose(value const& condition, value const& yes, value const& no) {
    return ad::record(op::where, {condition, yes, no});
}
constexpr value choose(value const& condition, double yes, value const& no) { return choose(condition, no.like(yes), no); }
constexpr value choose(value const& condition, value const& yes, double no) { return choose(condition, yes, yes.like(no)); }
constexpr value power(value const& x, value const& y) { return ad::record(op::power, {x, y}); }
constexpr value half(value const& x) { return x * 0.5; }
// Computes 1 / x where x isn't 0, and gives an arbitrary finite number there.
constexpr value reciprocal_but_at_zero(value const& x) { return 1 / choose(equal(x, 0), 1.0, x); }

// Computes sum c_k t^k. Even and odd powers are separate chains, whose latencies overlap.
TRACEXPR_ONCE constexpr value polynomial(value const& t, table_view<double> c) {
    if (c.size() < 6) {
        value sum = t.like(c[c.size() - 1]);
        for (std::size_t k = c.size() - 1; k-- > 0;) sum = fused(sum, t, t.like(c[k]));
        return sum;
    }
    value const square = ad::square(t);
    auto const chain = [&](std::size_t first) {
        std::size_t k = (c.size() - 1 - first) / 2 * 2 + first;
        value sum = t.like(c[k]);
        while (k > first) k -= 2, sum = fused(sum, square, t.like(c[k]));
        return sum;
    };
    return fused(chain(1), t, chain(0));
}
template <std::size_t N> constexpr value polynomial(value const& t, double const (&c)[N]) {
    return polynomial(t, table_view<double>(c, N));
}
// Computes x * c - rounded, where rounded is near x * c, for x in [0.3, 128]. Unlike fma, it is exact to 2^-70 on processors that
// round products before they add, too: x and c are split into parts whose products are exact (T. J. Dekker, Numerische
// Mathematik 18, 1971).
TRACEXPR_ONCE constexpr value lost_by_product(value const& x, double c, value const& rounded) {
    double const high_c = double(float(c)), low_c = c - high_c;
    value const high = ad::unary(op::round, x * 262144.0) * (1 / 262144.0), low = x - high;
    return high * high_c - rounded + high * low_c + low * c;
}
// Maps [low, high] to [-1, 1] linearly.
TRACEXPR_ONCE constexpr value from_interval(value const& x, double low, double high) {
    double const scale = 2 / (high - low);
    return fused(x, x.like(scale), x.like(-(high + low) / (high - low)));
}

} // namespace tx::detail::special_functions
