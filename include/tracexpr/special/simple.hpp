// This file holds x log y and functions made of it, and logit. Operands of float32 are computed in float32.
#pragma once

#include <tracexpr/special/values.hpp>

namespace tx::detail::special_functions {

// Computes x log y, which is 0 where x is 0 and y isn't NaN; there the derivative with respect to x is 0, as in TensorFlow.
struct xlogy_fn {
    static constexpr char const* called = "xlogy";
    TRACEXPR_ONCE static constexpr value compute(value const* x) {
        value const none = both(equal(x[0], 0), ad::record(op::equal, {x[1], x[1]}));
        return choose(none, 0.0, x[0] * ad::log(choose(none, 1.0, x[1])));
    }
    TRACEXPR_ONCE static constexpr value slope(trace_scope& scope, value const* x, value const&, std::size_t k);
    static constexpr definition recorded{compute, slope, 2, false};
};
// Computes x / y, which is 0 where x is 0.
struct xdivy_fn {
    TRACEXPR_ONCE static constexpr value compute(value const* x) {
        value const none = both(equal(x[0], 0), ad::record(op::equal, {x[1], x[1]}));
        return choose(none, 0.0, x[0] / choose(none, 1.0, x[1]));
    }
};
TRACEXPR_ONCE constexpr value is_not_zero(value const& x) {
    return ad::cast(ad::record(op::not_equal, {x, x.like(0)}), x.type());
}
TRACEXPR_ONCE constexpr value xlogy_fn::slope(trace_scope& scope, value const* x, value const&, std::size_t k) {
    return k == 0 ? call(scope, recorded, is_not_zero(x[0]), x[1]) : xdivy_fn::compute(x);
}

struct xlog1py_fn {
    static constexpr char const* called = "xlog1py";
    TRACEXPR_ONCE static constexpr value compute(value const* x) {
        value const none = both(equal(x[0], 0), ad::record(op::equal, {x[1], x[1]}));
        return choose(none, 0.0, x[0] * ad::unary(op::log1p, choose(none, 0.0, x[1])));
    }
    TRACEXPR_ONCE static constexpr value slope(trace_scope& scope, value const* x, value const&, std::size_t k);
    static constexpr definition recorded{compute, slope, 2, false};
};
TRACEXPR_ONCE constexpr value xlog1py_fn::slope(trace_scope& scope, value const* x, value const&, std::size_t k) {
    if (k == 0) return call(scope, recorded, is_not_zero(x[0]), x[1]);
    value const shifted[]{x[0], 1 + x[1]};
    return xdivy_fn::compute(shifted);
}

// Computes -x log x, which is 0 at 0 and -infinity below.
struct entr_fn {
    static constexpr char const* called = "entr";
    TRACEXPR_ONCE static constexpr value compute(value const* x) {
        value const positive = greater(x[0], 0), other = choose(less(x[0], 0), -infinity, x[0] * 0.0);
        return choose(positive, -x[0] * ad::log(choose(positive, x[0], 1.0)), other);
    }
    TRACEXPR_ONCE static constexpr value slope(trace_scope&, value const* x, value const&, std::size_t) {
        value const below = less(x[0], 0);
        return choose(below, 0.0, -ad::log(choose(below, 1.0, x[0])) - 1);
    }
    static constexpr definition recorded{compute, slope, 1, false};
};

// Computes log(x / y) of positive numbers without losing digits near 1 and without overflow.
TRACEXPR_ONCE constexpr value log_of_ratio(value const& x, value const& y) {
    value const ratio = x / y, distance = (x - y) / y, near = both(greater(ratio, 0.5), less(ratio, 2)),
                inside = both(greater(ratio, 1e-37), less(ratio, 1e37));
    value const far = choose(inside, ad::log(choose(inside, ratio, 1.0)), ad::log(x) - ad::log(y));
    return choose(near, ad::unary(op::log1p, choose(near, distance, 0.0)), far);
}
// Computes x log(x / y), which is 0 where x is 0 and y isn't negative, and infinity where either is negative or y is 0.
struct rel_entr_fn {
    static constexpr char const* called = "rel_entr";
    TRACEXPR_ONCE static constexpr value compute(value const* x) {
        value const inside = both(greater(x[0], 0), greater(x[1], 0)),
                    zero = both(equal(x[0], 0), ad::record(op::greater_equal, {x[1], x[1].like(0)}));
        value const known = either(ad::unary(op::isnan, x[0]), ad::unary(op::isnan, x[1]));
        value const outside = choose(known, not_a_number, choose(zero, 0.0, x[0].like(infinity)));
        return choose(inside, x[0] * log_of_ratio(choose(inside, x[0], 1.0), choose(inside, x[1], 1.0)), outside);
    }
    TRACEXPR_ONCE static constexpr value slope(trace_scope&, value const* x, value const&, std::size_t k) {
        value const inside = both(greater(x[0], 0), greater(x[1], 0)), a = choose(inside, x[0], 1.0),
                    b = choose(inside, x[1], 1.0);
        if (k == 1) return choose(inside, -(a / b), 0.0);
        value const at_zero = both(equal(x[0], 0), greater(x[1], 0));
        return choose(inside, log_of_ratio(a, b) + 1, choose(at_zero, -infinity, x[0] * 0.0));
    }
    static constexpr definition recorded{compute, slope, 2, false};
};

// Computes log(x / (1 - x)); near 1 / 2 it uses log1p.
struct logit_fn {
    static constexpr char const* called = "logit";
    TRACEXPR_ONCE static constexpr value compute(value const* x) {
        value const near = both(greater(x[0], 0.3), less(x[0], 0.65)), twice = 2 * (choose(near, x[0], 0.5) - 0.5);
        return choose(near, ad::unary(op::log1p, twice) - ad::unary(op::log1p, -twice), ad::log(x[0] / (1 - x[0])));
    }
    static constexpr value slope(trace_scope&, value const* x, value const&, std::size_t) { return 1 / (x[0] * (1 - x[0])); }
    static constexpr definition recorded{compute, slope, 1, false};
};

} // namespace tx::detail::special_functions
