// This file records ONNX's reductions, ArgMax and ArgMin, and cumulative sums and products.
#pragma once

#include <tracexpr/conv/pooling.hpp>
#include <tracexpr/onnx/operators/pointwise.hpp>

namespace tx::onnx::detail {

struct reduced_axes {
    attribute_list axes;
    bool keep = true;        // reduced axes keep an extent of 1
    bool is_nothing = false; // x is returned as it is
};
inline reduced_axes axes_of_reduction(op_call const& c) {
    reduced_axes out;
    out.keep = c.integer("keepdims", 1) != 0;
    std::vector<std::int64_t> given = c.has(1) ? c.known_integers(1) : c.integers("axes");
    int const rank = c.rank(c[0]);
    if (given.empty() && c.integer("noop_with_empty_axes", 0)) {
        out.is_nothing = true;
    } else if (given.empty()) {
        for (int a = 0; a < rank; ++a) out.axes.push_back(a);
    }
    for (std::int64_t const a : given) {
        int const axis = c.axis(a, rank);
        if (!out.axes.contains(axis)) out.axes.push_back(axis);
    }
    out.axes.sort();
    return out;
}
inline node_id squared(op_call const& c, node_id x) { return c.append(op::multiply, x, x); }
inline node_id sum_over(op_call const& c, node_id x, reduced_axes const& over) {
    return over.is_nothing ? x : c.reduce(op::sum, x, over.axes, over.keep);
}
inline void record_reduce_sum(op_call& c) { c.give(sum_over(c, c[0], axes_of_reduction(c))); }
inline void record_reduce_l1(op_call& c) { c.give(sum_over(c, c.append(op::absolute, c[0]), axes_of_reduction(c))); }
inline void record_reduce_sum_square(op_call& c) { c.give(sum_over(c, squared(c, c[0]), axes_of_reduction(c))); }
inline void record_reduce_l2(op_call& c) {
    node_id const x = c[0];
    dtype const type = to_inexact(c.type(x));
    node_id const sums = sum_over(c, squared(c, c.as(x, type)), axes_of_reduction(c));
    c.give(c.as(c.append(op::sqrt, sums), c.type(x)));
}
inline void record_reduce_log_sum(op_call& c) {
    node_id const x = c[0];
    node_id const sums = sum_over(c, c.as(x, to_inexact(c.type(x))), axes_of_reduction(c));
    c.give(c.as(c.append(op::log, sums), c.type(x)));
}
inline void record_reduce_log_sum_exp(op_call& c) {
    reduced_axes const over = axes_of_reduction(c);
    node_id const x = c.as(c[0], to_inexact(c.type(c[0])));
    if (over.is_nothing) return c.give(c.as(x, c.type(c[0])));
    attribute_list attributes(1 | largest_of_none);
    for (std::size_t k = 0; k < over.axes.count; ++k) attributes.push_back(over.axes[k]);
    node_id shift = over.axes.count ? c.append(op::stop_gradient, c.append(op::max, x, attributes)) : x;
    shift = c.choose(c.append(op::isfinite, shift), shift, c.low().zero_like(shift));
    node_id const sums = c.reduce(op::sum, c.append(op::exp, c.append(op::subtract, x, shift)), over.axes, over.keep);
    node_id const back = over.keep || over.axes.count == 0 ? shift : c.low().append(op::squeeze, shift, over.axes);
    c.give(c.as(c.append(op::add, c.append(op::log, sums), back), c.type(c[0])));
}
inline void record_reduce_mean(op_call& c) {
    reduced_axes const over = axes_of_reduction(c);
    c.give(over.is_nothing ? c[0] : c.mean(c[0], over.axes, over.keep));
}
template <op Code> void record_reduce(op_call& c) {
    reduced_axes const over = axes_of_reduction(c);
    node_id const x = c[0];
    if (over.is_nothing || over.axes.count == 0) return c.give(x);
    attribute_list attributes(over.keep ? 1 : 0);
    for (std::size_t k = 0; k < over.axes.count; ++k) attributes.push_back(over.axes[k]);
    bool const is_extreme = (Code == op::max || Code == op::min) && c.type(x) != dtype::boolean;
    if (is_extreme && elements_along(c.shape(x), over.axes) == 0) { // without elements the result is the neutral element
        node_id const zeros = c.append(op::sum, x, attributes);     // in the result's shape
        return c.give(
            c.choose(c.append(op::equal, zeros, c.low().zero_like(zeros)), last_of_all(c.low(), x, Code == op::max), zeros));
    }
    c.give(c.append(Code, x, attributes));
}
inline node_id reversed(op_call const& c, node_id x, int axis) { return c.low().slice(x, axis, slice_open, slice_open, -1); }
template <op Code> void record_arg(op_call& c) {
    node_id const x = c[0];
    int const axis = c.axis(c.integer("axis", 0), c.rank(x));
    bool const is_last = c.integer("select_last_index", 0) != 0;
    node_id out = c.append(Code, is_last ? reversed(c, x, axis) : x, attribute_list(c.integer("keepdims", 1) ? 1 : 0, axis));
    if (is_last) out = c.append(op::subtract, c.append(op::subtract, c.size_along(x, axis), c.integer(1)), out);
    c.give(out);
}
inline void record_cum_prod(op_call& c) {
    node_id x = c[0];
    int const axis = c.axis(c.known_integer(1), c.rank(x));
    bool const is_reversed = c.integer("reverse", 0) != 0;
    if (is_reversed) x = reversed(c, x, axis);
    // An exclusive product begins with the neutral element and leaves out the last one.
    if (c.integer("exclusive", 0) && c.extent(x, axis) != 0) {
        attribute_list widths;
        for (int a = 0; a < c.rank(x); ++a) widths.push_back(a == axis ? 1 : 0), widths.push_back(0);
        x = c.append(op::pad, c.low().slice(x, axis, 0, -1), c.number_like(x, 1), widths);
    }
    node_id const out = c.append(op::cumprod, x, attribute_list(axis));
    c.give(is_reversed ? reversed(c, out, axis) : out);
}
inline void record_cum_sum(op_call& c) {
    node_id x = c[0];
    int const axis = c.axis(c.known_integer(1), c.rank(x));
    bool const is_reversed = c.integer("reverse", 0) != 0;
    if (is_reversed) x = reversed(c, x, axis);
    node_id out = c.append(op::cumsum, x, attribute_list(axis));
    if (c.integer("exclusive", 0)) out = c.append(op::subtract, out, x);
    c.give(is_reversed ? reversed(c, out, axis) : out);
}

} // namespace tx::onnx::detail
