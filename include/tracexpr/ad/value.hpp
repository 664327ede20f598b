// Derivative rules are written with the values of this file: a value is a node of the graph under construction, and its operators
// record further nodes. A value without a node is zero, so that rules need no cases for missing tangents and gradients. Shapes
// broadcast as in the graph.
#pragma once

#include <tracexpr/graph/kept_calls.hpp>
#include <tracexpr/trace/axes.hpp>

namespace tx::ad {

using detail::attribute_list;

class value {
public:
    constexpr value() = default; // zero
    constexpr value(graph& g, node_id id) : graph_{&g}, id_{id} {}

    constexpr bool is_zero() const { return id_ == node_id::none; }
    constexpr node_id id() const { return id_; }
    constexpr graph& owner() const { return *graph_; }
    constexpr node const& get() const { return (*graph_)[id_]; }
    constexpr op code() const { return get().code; }
    constexpr dtype type() const { return get().type; }
    constexpr dims const& shape() const { return graph_->shape_of(id_); }
    constexpr int rank() const { return shape().rank; }
    constexpr value operand(std::size_t k) const { return {*graph_, graph_->operand(get(), k)}; }
    TRACEXPR_ONCE constexpr attribute_list attributes() const {
        attribute_list out;
        for (std::int64_t const a : graph_->attributes_of(get())) out.push_back(a);
        return out;
    }

    // Gives a scalar in this value's dtype.
    constexpr value like(double number) const { return like(number, type()); }
    TRACEXPR_ONCE constexpr value like(double number, dtype type) const {
        return {*graph_,
                graph_->append(op::literal, type, dims{}, {}, {}, cast_literal(to_literal(number), dtype::float64, type))};
    }

private:
    graph* graph_ = nullptr;
    node_id id_ = node_id::none;
};

// An op without a rule is an error, because silence would mean a derivative of 0. Ops whose derivative is 0 are listed in
// is_locally_constant.
[[noreturn]] inline void throw_no_rule(op code) {
    throw trace_error("tx: grad: " + std::string(name(code)) + " has no derivative rule");
}

// Records any op, with the shape and dtype that the op's rules give.
template <std::size_t N> constexpr value record(op code, value const (&x)[N], attribute_span attributes = {}) {
    graph& g = x[0].owner();
    node_id operands[N]{};
    dims shapes[N]{};
    dtype types[N]{};
    for (std::size_t k = 0; k < N; ++k) operands[k] = x[k].id(), shapes[k] = x[k].shape(), types[k] = x[k].type();
    inferred_dtype const type = infer_dtype(code, types[0], types);
    return {g, g.append(code, type.type, infer_or_throw(code, dims{}, shapes, attributes), operands, attributes)};
}
constexpr value unary(op code, value const& x, attribute_span attributes = {}) { return record(code, {x}, attributes); }

// Gives the literal that all elements of x equal, or none.
TRACEXPR_ONCE constexpr value repeated_literal(value x) {
    while (info(x.code()).kind == kind::view && x.code() != op::sum_to && x.code() != op::barrier) x = x.operand(0);
    return x.code() == op::literal && x.rank() == 0 ? x : value{};
}
TRACEXPR_ONCE constexpr bool is_literal(value const& x, double number) {
    value const repeated = repeated_literal(x);
    if (repeated.is_zero()) return false;
    literal_bits const bits = cast_literal(to_literal(number), dtype::float64, x.type());
    return repeated.get().bits[0] == bits.low && repeated.get().bits[1] == bits.high;
}

// `scaled` writes a value as another value times a real number. Derivatives multiply by numbers again and again, so the numbers
// are combined.
struct scaled {
    value of; // none: the number alone
    double by = 1;

    constexpr explicit scaled(value const& x) : of{x} {
        if (!is_floating(x.type())) return;
        if (value const all = repeated_literal(x); !all.is_zero()) of = {}, by = number(all);
        else if (x.code() == op::negative) of = x.operand(0), by = -1;
        else if (x.code() == op::multiply && is_number(x.operand(1))) of = x.operand(0), by = number(x.operand(1));
        else if (x.code() == op::multiply && is_number(x.operand(0))) of = x.operand(1), by = number(x.operand(0));
    }
    constexpr bool is_alone() const { return of.is_zero(); }
    // Tells whether the product of the two numbers stays far from the ends of the dtype's range.
    TRACEXPR_ONCE constexpr bool combines_with(scaled const& other, dtype type) const {
        int const limit = type == dtype::float16 ? 10 : 100, first = exponent(), second = other.exponent();
        return first > -limit && first < limit && second > -limit && second < limit && first + second > -limit &&
               first + second < limit;
    }

private:
    static constexpr bool is_number(value const& x) { return x.code() == op::literal && x.rank() == 0; }
    static constexpr double number(value const& x) { return std::bit_cast<double>(x.get().bits[0]); }
    constexpr int exponent() const { return static_cast<int>(std::bit_cast<std::uint64_t>(by) >> 52 & 0x7ffu) - 1023; }
};
TRACEXPR_ONCE constexpr value times(value const& x, double by) {
    return by == 1 ? x : by == -1 ? unary(op::negative, x) : record(op::multiply, {x, x.like(by)});
}
// Gives a * b, with the numbers in both combined into one.
TRACEXPR_ONCE constexpr value scaled_product(value const& a, value const& b) {
    scaled const x(a), y(b);
    auto const keeps_shape = [](value const& of, value const& number) {
        return !of.is_zero() && (number.rank() == 0 || (number.shape() == of.shape() && of.shape().is_static()));
    };
    if (x.combines_with(y, a.type())) {
        if (x.is_alone() && y.is_alone() && a.rank() == 0 && b.rank() == 0) return a.like(x.by * y.by);
        if (x.is_alone() && keeps_shape(y.of, a)) return times(y.of, x.by * y.by);
        if (y.is_alone() && keeps_shape(x.of, b)) return times(x.of, x.by * y.by);
        if (!x.is_alone() && !y.is_alone() && x.by != 1 && y.by != 1) return times(scaled_product(x.of, y.of), x.by * y.by);
    }
    return record(op::multiply, {a, b});
}

// scaled_pair writes a value as a product of two values times a real number.
struct scaled_pair {
    value first, second; // zero: the value is no such product
    double by = 1;

    constexpr explicit scaled_pair(scaled const& x, dtype type) {
        if (x.is_alone() || x.of.code() != op::multiply) return;
        scaled const a(x.of.operand(0)), b(x.of.operand(1));
        if (a.is_alone() || b.is_alone() || !a.combines_with(b, type)) return;
        first = a.of, second = b.of, by = x.by * a.by * b.by;
    }
    TRACEXPR_ONCE constexpr bool has_factors_of(scaled_pair const& other) const {
        if (first.is_zero() || other.first.is_zero()) return false;
        return (first.id() == other.first.id() && second.id() == other.second.id()) ||
               (first.id() == other.second.id() && second.id() == other.first.id());
    }
};

TRACEXPR_ONCE constexpr value operator-(value const& a) {
    if (a.is_zero()) return a;
    scaled const x(a);
    return x.is_alone() ? unary(op::negative, a) : times(x.of, -x.by);
}
// Multiples of one value are added to one multiple, and equal multiples of two values to a multiple of their sum.
TRACEXPR_ONCE constexpr value operator+(value const& a, value const& b) {
    if (a.is_zero() || b.is_zero()) return a.is_zero() ? b : a;
    scaled const x(a), y(b);
    if (!x.is_alone() && !y.is_alone()) {
        if (x.of.id() == y.of.id()) return times(x.of, x.by + y.by);
        scaled_pair const p(x, a.type()), q(y, a.type());
        if (p.has_factors_of(q)) return times(record(op::multiply, {p.first, p.second}), p.by + q.by);
        if (x.by == y.by && x.by != 1 && x.by != -1) return times(record(op::add, {x.of, y.of}), x.by);
        if (x.by == -y.by && x.by != 1 && x.by != -1) return times(record(op::subtract, {x.of, y.of}), x.by);
    }
    return record(op::add, {a, b});
}
TRACEXPR_ONCE constexpr value operator-(value const& a, value const& b) {
    return b.is_zero() ? a : a.is_zero() ? -b : record(op::subtract, {a, b});
}
constexpr value operator*(value const& a, value const& b) { return a.is_zero() || b.is_zero() ? value{} : scaled_product(a, b); }
constexpr value operator/(value const& a, value const& b) { return a.is_zero() ? value{} : record(op::divide, {a, b}); }
constexpr value operator+(value const& a, double b) { return record(op::add, {a, a.like(b)}); }
constexpr value operator+(double a, value const& b) { return b + a; }
constexpr value operator-(value const& a, double b) { return record(op::subtract, {a, a.like(b)}); }
constexpr value operator-(double a, value const& b) { return record(op::subtract, {b.like(a), b}); }
constexpr value operator*(value const& a, double b) { return a.is_zero() ? a : scaled_product(a, a.like(b)); }
constexpr value operator*(double a, value const& b) { return b * a; }
constexpr value operator/(value const& a, double b) { return a.is_zero() ? a : record(op::divide, {a, a.like(b)}); }
constexpr value operator/(double a, value const& b) { return record(op::divide, {b.like(a), b}); }

constexpr value exp(value const& x) { return unary(op::exp, x); }
constexpr value log(value const& x) { return unary(op::log, x); }
constexpr value sqrt(value const& x) { return unary(op::sqrt, x); }
constexpr value sin(value const& x) { return unary(op::sin, x); }
constexpr value cos(value const& x) { return unary(op::cos, x); }
constexpr value sinh(value const& x) { return unary(op::sinh, x); }
constexpr value cosh(value const& x) { return unary(op::cosh, x); }
constexpr value square(value const& x) { return unary(op::square, x); }
constexpr value sign(value const& x) { return unary(op::sign, x); }
constexpr value sigmoid(value const& x) { return unary(op::sigmoid, x); }
TRACEXPR_ONCE constexpr value conj(value const& x) { return x.is_zero() || !is_complex(x.type()) ? x : unary(op::conj, x); }
TRACEXPR_ONCE constexpr value real(value const& x) { return x.is_zero() || !is_complex(x.type()) ? x : unary(op::real, x); }
constexpr value imag(value const& x) { return unary(op::imag, x); }
constexpr value pow(value const& x, value const& y) { return record(op::power, {x, y}); }
constexpr value equal(value const& a, value const& b) { return record(op::equal, {a, b}); }
constexpr value greater(value const& a, value const& b) { return record(op::greater, {a, b}); }
constexpr value greater_equal(value const& a, value const& b) { return record(op::greater_equal, {a, b}); }
constexpr value less_equal(value const& a, value const& b) { return record(op::less_equal, {a, b}); }
constexpr value logical_and(value const& a, value const& b) { return record(op::logical_and, {a, b}); }
// Either of a and b may be zero.
TRACEXPR_ONCE constexpr value where(value const& condition, value const& a, value const& b) {
    if (a.is_zero() && b.is_zero()) return a;
    return record(op::where, {condition, a.is_zero() ? b.like(0) : a, b.is_zero() ? a.like(0) : b});
}
TRACEXPR_ONCE constexpr value cast(value const& x, dtype type) {
    if (x.is_zero() || x.type() == type) return x;
    node_id const operand[]{x.id()};
    return {x.owner(), x.owner().append(op::cast, type, x.shape(), operand)};
}

// Gives how many operands, counted from the first, have derivatives. Ops that read elements have one in the array that they read,
// their first operand. solve and least_squares also get factors or a pseudo-inverse of their matrix; the derivative with respect
// to the matrix includes those.
TRACEXPR_ONCE constexpr std::size_t differentiable_operands(node const& n) {
    if (n.code == op::least_squares) return n.arity == 2 ? 2 : 3;
    if (n.code == op::fft || n.code == op::convolution) return n.code == op::fft ? 1 : 2; // A further operand only has a shape.
    return n.code == op::solve ? 2 : n.code == op::result ? 1 : value_operands(n);
}
// Tells whether the dtypes of a node's results allow a derivative.
TRACEXPR_ONCE constexpr bool may_have_derivative(node const& n) {
    return is_inexact(n.type) || info(n.code).kind == kind::control || info(n.code).kind == kind::callback ||
           info(n.code).results > 1;
}

namespace detail {
// Gives a bool value of x's shape, which costs nothing where only the shape is asked for.
constexpr value shape_carrier(value const& x) { return unary(op::isfinite, x); }
} // namespace detail

// Gives x broadcast to the shape of y.
TRACEXPR_ONCE constexpr value broadcast_like(value const& x, value const& y) {
    if (x.is_zero()) return x;
    dims const wanted = y.shape();
    if (x.shape() == wanted && wanted.is_static()) return x;
    if (wanted.is_static())
        return unary(op::broadcast_to, x, attribute_span(wanted.extent, static_cast<std::size_t>(wanted.rank)));
    return record(op::broadcast_to, {x, y});
}
constexpr value zeros_like(value const& y) { return broadcast_like(y.like(0), y); }
// Tells whether x is 0 except for what was added to a part of it.
TRACEXPR_ONCE constexpr bool adds_to_zeros(value const& x) {
    return !x.is_zero() && adds_elements(x.code()) && is_literal(x.operand(0), 0);
}
// Gives x summed over the axes along which something of y's shape was broadcast to x's. Values that were scattered into zeros
// along such an axis are summed directly.
TRACEXPR_ONCE constexpr value sum_to(value const& x, value const& y) {
    if (x.is_zero()) return x;
    if (x.shape() == y.shape() && y.shape().is_static()) return x;
    if (x.code() == op::scatter_add && adds_to_zeros(x)) {
        std::int64_t const axis = x.attributes()[0] - (x.rank() - y.rank());
        if (axis < 0 || y.shape()[static_cast<int>(axis)] == 1) return sum_to(x.operand(1), y);
    }
    return record(op::sum_to, {x, y});
}
// Gives a + b for values of one shape. Where one of them is zeros with something added, that is added to the other one.
TRACEXPR_ONCE constexpr value total(value const& a, value const& b) {
    if (adds_to_zeros(b) && !adds_to_zeros(a)) return total(b, a);
    if (!adds_to_zeros(a) || b.is_zero()) return a + b;
    if (a.get().arity == 2) return record(a.code(), {b, a.operand(1)}, a.attributes());
    return record(a.code(), {b, a.operand(1), a.operand(2)}, a.attributes());
}
TRACEXPR_ONCE constexpr value reshape_like(value const& x, value const& y) {
    if (x.is_zero()) return x;
    dims const wanted = y.shape();
    if (x.shape() == wanted && wanted.is_static()) return x;
    if (wanted.is_static()) return unary(op::reshape, x, attribute_span(wanted.extent, static_cast<std::size_t>(wanted.rank)));
    return record(op::reshape, {x, y});
}

// Gives 0, 1, 2, ... along the axis, in x's shape.
TRACEXPR_ONCE constexpr value place_along(value const& x, int axis) {
    node_id const operand[]{x.id()};
    return {x.owner(), x.owner().append(op::iota, dtype::int64, x.shape(), operand, attribute_list(axis))};
}

// Gives x[..., start:stop:step, ...], which slices one axis.
TRACEXPR_ONCE constexpr value slice(value const& x, int axis, std::int64_t start, std::int64_t stop, std::int64_t step = 1) {
    attribute_list bounds;
    for (int other = 0; other < x.rank(); ++other) {
        bounds.push_back(other == axis ? start : slice_open);
        bounds.push_back(other == axis ? stop : slice_open);
        bounds.push_back(other == axis ? step : 1);
    }
    return unary(op::slice, x, bounds);
}
// Gives x with `added` added to the part of it that a view with these attributes reads. If x is zeros, they belong to a
// derivative; the node's bits tell that nothing depends on them (passes/element_values.hpp).
TRACEXPR_ONCE constexpr value view_add(value const& x, value const& added, op view, attribute_list const& attributes) {
    attribute_list of(static_cast<std::int64_t>(view));
    for (std::size_t k = 0; k < attributes.count; ++k) of.push_back(attributes[k]);
    node_id const operands[]{x.id(), added.id()};
    literal_bits const bits{is_literal(x, 0) ? 1u : 0u, 0};
    return {x.owner(), x.owner().append(op::view_add, x.type(), x.shape(), operands, of, bits)};
}
constexpr value flip(value const& x, int axis) { return slice(x, axis, slice_open, slice_open, -1); }
// Gives x with one axis moved to another place.
TRACEXPR_ONCE constexpr value with_moved_axis(value const& x, int from, int to) {
    if (from == to) return x;
    attribute_list order;
    for (int axis = 0, next = 0; axis < x.rank(); ++axis) {
        if (axis == to) order.push_back(from);
        else {
            if (next == from) ++next;
            order.push_back(next++);
        }
    }
    return unary(op::transpose, x, order);
}
TRACEXPR_ONCE constexpr value swap_last_axes(value const& x) {
    attribute_list order;
    for (int axis = 0; axis < x.rank() - 2; ++axis) order.push_back(axis);
    order.push_back(x.rank() - 1);
    order.push_back(x.rank() - 2);
    return unary(op::transpose, x, order);
}
// Reduces over the axes of a reduction's attributes, which keep an extent of 1.
constexpr value reduce(op code, value const& x, attribute_list attributes) {
    attributes.value[0] = 1;
    return unary(code, x, attributes);
}
// Gives a reduction's result with an extent of 1 for each reduced axis.
TRACEXPR_ONCE constexpr value with_reduced_axes(value const& y, attribute_list const& attributes) {
    if (y.is_zero() || attributes[0] || attributes.count == 1) return y;
    attribute_list axes;
    for (std::size_t k = 1; k < attributes.count; ++k) axes.push_back(attributes[k]);
    axes.sort();
    return unary(op::expand_dims, y, axes);
}

// recorded_so_far remembers how much a scope had recorded before a part that is to be recorded once more.
struct recorded_so_far {
    node_id token;
    std::size_t nodes, rules;

    constexpr explicit recorded_so_far(trace_scope const& scope)
        : token{scope.token}, nodes{scope.recorded.size()}, rules{scope.rules.size()} {}
    // Adds the scope's last token, if there is a new one, and the nodes that take part in collectives, which all ranks need.
    TRACEXPR_ONCE constexpr void add_what_all_ranks_have_since(trace_scope const& scope, buffer<node_id>& targets) const {
        graph_view const g = scope.recorded.view();
        if (scope.token != token) targets.push_back(scope.token);
        buffer<bool> is_example(g.size());
        for (node_id const id : scope.examples) is_example[index(id)] = true;
        for (std::size_t i = nodes; i < g.size(); ++i)
            if (!is_example[i] && !has_effect(g.nodes[i]) && tx::detail::has_collectives(g, g.nodes[i]))
                targets.push_back(to_id(i));
        for (std::size_t k = rules; k < scope.rules.size(); ++k) {
            table_view<node_id> const outputs = scope.rules[k]->outputs;
            if (scope.rules[k]->has_collectives && !outputs.empty() && !is_example[index(outputs[0])])
                targets.push_back(outputs[0]);
        }
    }
};

// Tells whether a node stands for a value with a custom derivative whose rule is not known here, and has the derivatives of its
// first operand instead.
TRACEXPR_ONCE constexpr bool stands_for_first_operand(trace_scope const& scope, node_id id) {
    node const& n = scope.recorded[id];
    return n.code == op::custom_derivative && scope.recorded.attributes_of(n).size() == 2 && !scope.rule_of(id);
}

// Records values that have a custom derivative and gives the nodes that stand for them. The values were computed from `inputs` by
// nodes from number `first` on; the rule has derivatives in the first `known` inputs, and the scope takes it over. Where the rule
// is not known, as in a loop's body, values that are `differentiable` have the derivatives of what they are computed by.
template <class Rule> constexpr table_view<node_id> append_ruled(trace_scope& scope, Rule* rule, buffer<node_id> inputs,
                                                                 std::size_t known, table_view<node_id> values, std::size_t first,
                                                                 bool differentiable = false) {
    graph& g = scope.recorded;
    std::uint64_t const number = scope.add(rule), unique = g.size();
    rule->inputs = std::move(inputs), rule->known = known;
    node_id before = scope.token;
    while (before != node_id::none && index(before) >= first) {
        node_id const by = tx::detail::effect_of(g, before);
        if (by == node_id::none) break;
        rule->has_collectives = rule->has_collectives || tx::detail::has_collectives(g, g[by]);
        before = tx::detail::token_before(g, by);
    }
    if (before != scope.token) rule->token_before = before, rule->token_after = scope.token;
    for (std::size_t k = 0; k < values.size(); ++k) {
        buffer<node_id> operands;
        operands.push_back(values[k]);
        for (node_id const in : rule->inputs) operands.push_back(in);
        attribute_list attributes(static_cast<std::int64_t>(k));
        if (differentiable) attributes.push_back(1);
        rule->outputs.push_back(g.append(op::custom_derivative, g[values[k]].type, dims(g.shape_of(values[k])), operands,
                                         attributes, {number, unique}));
    }
    return rule->outputs;
}

} // namespace tx::ad
