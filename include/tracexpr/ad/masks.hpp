// This file tells which elements of a cotangent may differ from 0: those that a `where` takes. In the operand that a `where` does
// not take, the cotangent is exactly 0, and 0 times an infinite slope would be NaN. Where a slope may be infinite, the product is
// therefore put inside of a `where` again.
#pragma once

#include <tracexpr/ad/array_rules.hpp>

namespace tx::ad {

// Tells whether a node is x, x^2, x^3, ..., whose slopes are polynomials.
constexpr bool is_whole_power(graph_view const& g, node const& n) {
    node const& exponent = g[g.operand(n, 1)];
    if (exponent.code != op::literal || !is_floating(exponent.type)) return false;
    double const e = std::bit_cast<double>(exponent.bits[0]);
    return e >= 1 && e <= 64 && e == static_cast<double>(static_cast<int>(e));
}
// Tells whether a node's slope, or the slope of its slope, may be infinite or NaN for finite operands. Every pointwise op counts
// as such unless it is listed here.
constexpr bool is_singular(graph_view const& g, node const& n) {
    switch (n.code) {
    case op::absolute: return is_complex(g[g.operand(n, 0)].type);
    case op::power: return !is_whole_power(g, n);
    case op::cast:
    case op::negative:
    case op::square:
    case op::sin:
    case op::cos:
    case op::atan:
    case op::tanh:
    case op::asinh:
    case op::erf:
    case op::erfc:
    case op::sigmoid:
    case op::sinc:
    case op::real:
    case op::imag:
    case op::conj:
    case op::times_i:
    case op::add:
    case op::subtract:
    case op::multiply:
    case op::copysign:
    case op::maximum:
    case op::minimum:
    case op::fmax:
    case op::fmin:
    case op::where:
    case op::fma: return false;
    default: return info(n.code).kind == kind::pointwise && has_slope(n.code);
    }
}
// Tells whether an op's slope is finite for any operands, finite or not.
constexpr bool has_constant_slope(op code) {
    switch (info(code).kind) {
    case kind::pointwise:
        return code == op::cast || code == op::negative || code == op::add || code == op::subtract || code == op::where ||
               code == op::maximum || code == op::minimum || code == op::real || code == op::imag || code == op::conj ||
               code == op::times_i;
    case kind::reduction: return code == op::sum;
    case kind::scan: return code == op::cumsum;
    case kind::contraction: return false;
    default: return true;
    }
}
// Tells whether an op's gradient is more than g times a slope, so that nothing is known of the elements that are 0.
constexpr bool has_own_rule(op code) {
    kind const k = info(code).kind;
    return k == kind::decomposition || k == kind::routine || k == kind::control || code == op::custom_derivative ||
           code == op::least_squares;
}

// For each of a graph's first nodes, singular_nodes tells whether a cotangent meets singular slopes at the node or on its way
// from there to a source, and which nodes have equal shapes.
class singular_nodes {
public:
    constexpr singular_nodes() = default;
    constexpr singular_nodes(graph_view const& g, table_view<bool> active)
        : here_(active.size()), ahead_(active.size()), shape_(active.size()) {
        buffer<bool> may_be_nonfinite(active.size()); // whether the node itself may be infinite or NaN
        for (std::size_t i = 0; i < active.size(); ++i) {
            node const& n = g.nodes[i];
            shape_[i] = g.shape_of(n).is_static() ? node_id::none : shape_source(g, to_id(i));
            bool const singular = is_singular(g, n);
            may_be_nonfinite[i] = singular;
            for (std::size_t k = 0, count = value_operands(n); k < count && !may_be_nonfinite[i]; ++k)
                may_be_nonfinite[i] = may_be_nonfinite[index(g.operand(n, k))];
            here_[i] = singular || has_own_rule(n.code) || (may_be_nonfinite[i] && !has_constant_slope(n.code));
            ahead_[i] = active[i] && here_[i];
            if (active[i])
                for (std::size_t k = 0, count = differentiable_operands(n); k < count && !ahead_[i]; ++k)
                    ahead_[i] = ahead_[index(g.operand(n, k))];
        }
    }
    constexpr bool are_known() const { return !here_.empty(); }
    constexpr bool here(node_id id) const { return here_[index(id)]; }
    constexpr bool ahead(node_id id) const { return ahead_[index(id)]; } // at the node or further on
    constexpr bool same_shape(value const& a, value const& b) const {
        node_id const source = shape_[index(a.id())];
        return source == node_id::none ? a.shape() == b.shape() : source == shape_[index(b.id())];
    }

private:
    // Gives the first node that surely has the same shape as this one, whose shape is not static.
    constexpr node_id shape_source(graph_view const& g, node_id id) const {
        node const& n = g[id];
        kind const k = info(n.code).kind;
        if (n.arity == 2 && value_operands(n) == 1 && k == kind::view) return shape_[index(g.operand(n, 1))];
        if (k == kind::scan || k == kind::update || n.code == op::sort ||
            (k == kind::marker && (n.arity == 1 || n.code == op::checked)))
            return shape_[index(g.operand(n, 0))];
        node_id source = node_id::none;
        for (std::size_t i = 0; k == kind::pointwise && i < n.arity; ++i) {
            node_id const x = g.operand(n, i);
            if (g.shape_of(x).rank == 0) continue;
            if (shape_[index(x)] == node_id::none || (source != node_id::none && source != shape_[index(x)])) return id;
            source = shape_[index(x)];
        }
        return source == node_id::none ? id : source;
    }
    buffer<bool> here_, ahead_;
    buffer<node_id> shape_; // for a shape that isn't static: the first node that surely has it
};

// A mask tells where a cotangent may differ from 0: where the condition equals `holds`. The condition has the cotangent's shape
// or is a scalar.
struct mask {
    value condition; // zero: the cotangent may differ from 0 everywhere
    bool holds = true;
    bool is_extreme = false; // from a maximum or minimum; such a mask is dropped where keeping it would take sums

    constexpr bool is_everywhere() const { return condition.is_zero(); }
    constexpr bool operator==(mask const& other) const { return holds == other.holds && condition.id() == other.condition.id(); }
    // Gives x inside of the mask, and 0 outside.
    constexpr value around(value const& x) const {
        return is_everywhere() ? x : holds ? where(condition, x, value{}) : where(condition, value{}, x);
    }
    constexpr value as_value() const { return holds ? condition : unary(op::logical_not, condition); }
};

namespace detail {
// `masked` takes a value apart that equals `inside` within a mask and 0 elsewhere. A `where` gives such gradients to its
// operands.
struct masked {
    mask by;
    value inside;
    constexpr explicit masked(value const& x) {
        if (x.is_zero() || x.code() != op::where) return;
        if (is_literal(x.operand(2), 0)) by.condition = x.operand(0), inside = x.operand(1);
        else if (is_literal(x.operand(1), 0)) by = {x.operand(0), false}, inside = x.operand(2);
    }
    constexpr bool is_mask() const { return !by.is_everywhere(); }
};

// Pulls back a gradient inside of its masks, so that an infinite slope in a branch that isn't taken never meets the gradient's 0
// (0 * inf is NaN).
constexpr value pulled_back_inside(site const& n, std::size_t k, value const& g) {
    masked const m(g);
    return m.is_mask() ? m.by.around(pulled_back_inside(n, k, m.inside)) : pulled_back(n, k, g);
}
// Tells whether g surely is 0 outside of a mask.
constexpr bool is_masked_by(value const& g, mask const& by) {
    if (by.is_everywhere()) return true;
    for (masked m(g); m.is_mask(); m = masked(m.inside))
        if (m.by == by) return true;
    if (by.condition.code() == op::logical_not) return is_masked_by(g, {by.condition.operand(0), !by.holds});
    return by.condition.code() == op::logical_and && by.holds && is_masked_by(g, {by.condition.operand(0)}) &&
           is_masked_by(g, {by.condition.operand(1)});
}

// Gives the union of two masks.
constexpr mask either(mask const& a, mask const& b) {
    if (a.is_everywhere() || b.is_everywhere()) return {};
    if (a.condition.id() == b.condition.id()) return a.holds == b.holds ? a : mask{};
    return {record(op::logical_or, {a.as_value(), b.as_value()}), true, a.is_extreme || b.is_extreme};
}
// Gives the intersection of two masks.
constexpr mask both(mask const& a, mask const& b) {
    if (a.is_everywhere() || a == b) return b;
    return b.is_everywhere() ? a : mask{record(op::logical_and, {a.as_value(), b.as_value()})};
}
// Gives the mask of the elements of x that are not 0; x was computed from the mask `by`.
constexpr mask marked(value const& x, mask const& by) {
    return x.is_zero() ? mask{} : mask{record(op::not_equal, {x, x.like(0)}), true, by.is_extreme};
}
// Gives a mask whose condition is a scalar: whether any element is inside of m. It sums int64 numbers, for which every program
// has kernels.
constexpr mask any_of(mask const& m) {
    if (m.is_everywhere() || m.condition.rank() == 0) return m;
    return m.condition.rank() < 0 || m.is_extreme ? mask{} : marked(total(cast(m.as_value(), dtype::int64)), m);
}

// Tells where the result of a where, maximum or minimum is the value of operand k.
constexpr mask chosen_operand(site const& n, std::size_t k) {
    if (n.code() == op::where) return {n.a, k == 1};
    return {first_is_chosen(n), k == 0, true};
}
// Tells whether sum_to(from, to) surely sums along an axis.
constexpr bool surely_sums(value const& from, value const& to) {
    dims const &d = from.shape(), &wanted = to.shape();
    if (d.rank < 0 || wanted.rank < 0) return false;
    for (int axis = 1; axis <= d.rank; ++axis)
        if (d[d.rank - axis] != 1 && (axis > wanted.rank || wanted[wanted.rank - axis] == 1)) return true;
    return false;
}
// Counts, for each element of a product's factor, the results that it goes into and that `ones` has a 1 for. from_end is 1 for
// the first factor, whose rows make the result's rows, and 2 for the second, whose columns make its columns.
constexpr value of_factor(value const& ones, value const& factor, int from_end) {
    value const sums = reduce(op::sum, ones, attribute_list(1, ones.rank() - from_end));
    return broadcast_like(sum_to(sums, reduce(op::sum, factor, attribute_list(1, factor.rank() - from_end))), factor);
}
// Gives the mask of operand k's cotangent for an op that is not pointwise, from the mask of the op's own. Most of these ops only
// move elements. Where elements are added, the mask is converted to numbers, and what is not 0 afterwards is inside.
constexpr mask mask_moved_back(site const& n, std::size_t k, mask const& m) {
    attribute_list const attributes = n.y.attributes();
    value const ones = cast(m.as_value(), n.operand(k).type());
    if (reads_parts(n.code())) return marked(read_back(n, ones, {}), m);
    if (info(n.code()).kind == kind::reduction)
        return {broadcast_like(with_reduced_axes(m.as_value(), attributes), n.a), true, m.is_extreme};
    switch (n.code()) {
    case op::cumsum:
    case op::cumprod:
    case op::cummax:
    case op::cummin: return marked(reversed_cumsum(ones, static_cast<int>(attributes[0])), m);
    case op::sort:
    case op::index_max:
    case op::index_min:
    case op::scatter_max:
    case op::scatter_min: return marked(array_pulled_back(n, k, ones), m);
    case op::matmul: return marked(k == 0 ? of_factor(ones, n.a, 1) : of_factor(ones, n.b, 2), m);
    case op::broadcast_to: return marked(array_pulled_back(n, k, ones), m);
    case op::pad:
        if (k == 1) return {};
        [[fallthrough]];
    default: return {array_pulled_back(n, k, m.as_value()), true, m.is_extreme};
    }
}
// Gives the mask of operand k's cotangent from the mask of node n's. of_one_shape tells that n and the operand have equal shapes.
constexpr mask mask_pulled_back(site const& n, std::size_t k, mask const& m, bool of_one_shape) {
    value const to = n.operand(k);
    if (m.is_everywhere() || m.condition.rank() == 0 || passes_on(n.code())) return m;
    if (has_own_rule(n.code())) return any_of(m);
    bool const is_pointwise = info(n.code()).kind == kind::pointwise;
    if (is_pointwise && of_one_shape) return m;
    if (m.is_extreme && (surely_sums(n.y, to) || info(n.code()).kind != kind::view)) return {};
    if (is_pointwise) return marked(sum_to(cast(m.as_value(), to.type()), to), m);
    return n.y.rank() < 0 || to.rank() < 0 ? mask{} : mask_moved_back(n, k, m);
}
} // namespace detail

} // namespace tx::ad
