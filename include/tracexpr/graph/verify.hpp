// This file checks a graph. A valid graph has the properties that every pass and executor relies on: operands come before their
// users, side tables are used fully and within bounds, and every node has the arity, attributes, dtype and shape that its op's
// rules give.
#pragma once

#include <tracexpr/graph/copy.hpp>
#include <tracexpr/graph/regions.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx {

// A finding says what is wrong and at which node; its text is null if nothing is.
struct finding {
    char const* problem = nullptr;
    node_id at = node_id::none;
};

namespace detail {

// True if an op has the right number of attributes, given its number of operands and the rank of the first one.
TRACEXPR_ONCE constexpr bool attribute_count_fits(op code, std::size_t operands, int rank, std::size_t count) {
    std::size_t const axes = rank < 0 ? 0 : static_cast<std::size_t>(rank);
    switch (info(code).kind) {
    case kind::reduction:
    case kind::arg_reduction: return count >= 1;
    case kind::scan:
    case kind::lookup: return count == 1;
    case kind::order: return count == order_attributes(code) || (code != op::argselect && count == order_attributes(code) + 1);
    case kind::marker:
        return code == op::custom_derivative ? count == 1 || count == 2
                                             : count == 0 || (code == op::checked && count == operands);
    case kind::decomposition: return count == (code == op::solve_triangular ? 3 : code == op::solve ? 1 : 0);
    case kind::routine: return routine_attribute_count_fits(code, count);
    case kind::pointwise:
    case kind::contraction: return count == 0;
    case kind::control:
        return code == op::blocks ? count == 2 || count == 3 : count == (code == op::cond || code == op::while_loop ? 2 : 1);
    case kind::projection: return count == 1;
    case kind::effect: return count >= 3;
    case kind::callback: return count >= call_form::numbers_in_front;
    case kind::random: return operands == 1 ? count >= 2 : count == 2;
    case kind::view: return operands == 1 || count == 0; // The map of the view checks the rest.
    default: break;
    }
    switch (code) {
    case op::iota:
    case op::index_add:
    case op::scatter_add:
    case op::index_set:
    case op::scatter_set:
    case op::index_max:
    case op::index_min:
    case op::scatter_max:
    case op::scatter_min:
    case op::concatenate: return count == 1;
    case op::pad: return count == 2 * axes;
    case op::axis_size:
    case op::extents: // The shape rule checks that there is one attribute for each axis of the result.
    case op::view_add:
    case op::view_set: return true;
    default: return count == 0;
    }
}

// Checks the attributes that the shape rules do not look at.
TRACEXPR_ONCE constexpr char const* attribute_problem(op code, attribute_span attributes) {
    kind const k = info(code).kind;
    if ((k == kind::reduction || k == kind::arg_reduction) && attributes[0] != 0 && attributes[0] != 1 &&
        (code != op::max || attributes[0] != (1 | largest_of_none)))
        return "keepdims must be 0 or 1";
    if (k == kind::order && code != op::argselect) {
        if (attributes[1] != 0 && attributes[1] != 1) return "an order must be 0 or 1";
        if (!orders_all(code, attributes) && attributes[2] < 0) return "a number of elements must not be negative";
        if (orders_around(code, attributes) && (attributes[1] != 0 || !orders_all(code, attributes)))
            return "an order around an element must ascend, and have all elements";
    }
    if (k == kind::decomposition)
        for (std::int64_t flag : attributes)
            if (flag != 0 && flag != 1) return "a form must be 0 or 1";
    if (k == kind::routine) return routine_attribute_problem(code, attributes);
    if (code == op::axis_size)
        for (std::size_t i = 1; i < attributes.size(); ++i)
            if (attributes[i] <= attributes[i - 1]) return "axes must ascend";
    return nullptr;
}

TRACEXPR_ONCE constexpr bool arity_fits(node const& n) {
    switch (n.code) {
    case op::iota: return n.arity <= 1;
    case op::reshape:
    case op::random_bits:
    case op::random_permutation:
    case op::broadcast_to: return n.arity == 1 || n.arity == 2;
    case op::fft: return n.arity == 1 || n.arity == 2;
    case op::convolution: return n.arity == 2 || n.arity == 3;
    case op::least_squares: return n.arity == 2 || n.arity == 4;
    case op::extents:
    case op::custom_derivative:
    case op::checked:
    case op::cond:
    case op::while_loop:
    case op::scan:
    case op::with_range:
    case op::blocks:
    case op::print:
    case op::assert_that:
    case op::check_finite:
    case op::opaque:
    case op::collective:
    case op::concatenate: return n.arity >= 1;
    default: return n.arity == static_cast<std::uint32_t>(info(n.code).arity);
    }
}

// Checks the parts of a node that refer to the graph's tables.
TRACEXPR_ONCE constexpr char const* reference_problem(graph_view const& g, node const& n, node_id self) {
    if (n.shape >= g.shapes.size()) return "the shape's number is outside the table of shapes";
    if (std::size_t{n.attributes.first} + n.attributes.count > g.attributes.size()) return "attributes lie outside their table";
    if (!arity_fits(n)) return "the op does not take that many operands";
    if (n.arity > 3 && index(n.operand[0]) + n.arity > g.more_operands.size()) return "operands lie outside their table";
    if (has_regions(n))
        for (std::int64_t const number : g.attributes_of(n))
            if (number < 0 || static_cast<std::size_t>(number) >= g.regions.size()) return "a region is outside its table";
    for (std::size_t k = 0; k < n.arity; ++k) {
        node_id const operand = g.operand(n, k);
        if (operand < node_id{0} || operand >= self) return "operands must stand before their user";
    }
    return nullptr;
}

TRACEXPR_ONCE constexpr char const* leaf_problem(graph_view const& g, node const& n, node_id self) {
    dims const& shape = g.shape_of(n);
    switch (n.code) {
    case op::parameter:
        return n.bits[0] < g.parameters.size() && g.parameters[n.bits[0]] == self ? nullptr
                                                                                  : "the list of parameters does not name it";
    case op::checked: return n.bits[0] < g.checks.size() ? nullptr : "the check is outside its table";
    case op::capture: return n.bits[0] < g.captures.size() ? nullptr : "the capture is outside its table";
    case op::constant: {
        if (!shape.is_static()) return "a constant's extents must be known";
        std::uint64_t const words = static_cast<std::uint64_t>(shape.size()) * words_of(n.type);
        bool const inside = n.bits[0] <= g.blob.size() && n.bits[1] <= g.blob.size() - n.bits[0];
        return inside && n.bits[1] == words ? nullptr
                                            : "a constant's elements must be in the blob, as many words each as their dtype has";
    }
    case op::literal: return shape.is_static() ? nullptr : "a literal's extents must be known";
    case op::iota: return n.arity == 1 || shape.is_static() ? nullptr : "iota must have an operand, or extents that are known";
    case op::axis_size: return shape.rank == 0 ? nullptr : "axis_size must be a scalar";
    default: return nullptr;
    }
}

TRACEXPR_ONCE constexpr char const* rule_problem(graph_view const& g, node const& n) {
    dims inline_shapes[4];
    dtype inline_types[4]{};
    buffer<dims> heap_shapes(n.arity > 4 ? n.arity : 0);
    buffer<dtype> heap_types(n.arity > 4 ? n.arity : 0);
    dims* const shapes = n.arity > 4 ? heap_shapes.data() : inline_shapes;
    dtype* const types = n.arity > 4 ? heap_types.data() : inline_types;
    for (std::size_t k = 0; k < n.arity; ++k) {
        node const& operand = g[g.operand(n, k)];
        shapes[k] = g.shape_of(operand);
        types[k] = operand.type;
    }
    dims const& shape = g.shape_of(n);
    attribute_span const attributes = g.attributes_of(n);
    if (!attribute_count_fits(n.code, n.arity, n.arity ? shapes[0].rank : shape.rank, attributes.size()))
        return "the op does not have that many attributes";
    if (char const* const problem = attribute_problem(n.code, attributes)) return problem;
    inferred const rule = infer(n.code, shape, {shapes, n.arity}, attributes);
    if (rule.problem) return rule.problem;
    if (!may_equal(rule.shape, shape)) return "the shape is not what the op gives";
    if (info(n.code).kind == kind::random && attributes[1] != static_cast<std::int64_t>(size_in_bytes(n.type) / 4))
        return "an element must have the words that its dtype has";
    if (n.code == op::pad && shapes[1].rank != 0) return "pad must be given a scalar to fill with";
    if (char const* const problem = results_problem(g, n)) return problem;
    inferred_dtype const type = infer_dtype(n.code, n.type, {types, n.arity});
    if (type.problem) return type.problem;
    return type.type == n.type ? nullptr : "the dtype is not what the op gives";
}

// Returns a placeholder that an output needs, or none.
TRACEXPR_ONCE constexpr node_id live_placeholder(graph_view const& g) {
    buffer<bool> const needed = needed_nodes(g, g.outputs);
    for (std::size_t i = g.size(); i-- > 0;)
        if (needed[i] && g.nodes[i].code == op::placeholder) return to_id(i);
    return node_id::none;
}

// True if values depend on a mark, which a derivative is taken with respect to, or on a placeholder for one example of a batch.
template <class Unused = void> constexpr bool has_marks(graph_view const& g, table_view<node_id> values) {
    buffer<bool> const needed = needed_nodes(g, values);
    for (std::size_t i = 0; i < g.size(); ++i)
        if (needed[i] && (g.nodes[i].code == op::mark || g.nodes[i].code == op::placeholder)) return true;
    return false;
}
// True if an output needs an effect or call of a run.
TRACEXPR_ONCE constexpr bool needs_calls(graph_view const& g) {
    buffer<bool> const needed = needed_nodes(g, g.outputs);
    for (std::size_t i = 0; i < g.size(); ++i)
        if (needed[i] && has_effect(g.nodes[i])) return true;
    return false;
}

// Returns an op::extents node whose operands do not all follow from extents, or none.
TRACEXPR_ONCE constexpr node_id unfounded_extents(graph_view const& g) {
    counting const numbers = counts_of(g, true);
    for (std::size_t i = 0; i < g.size(); ++i)
        for (std::size_t k = 0; g.nodes[i].code == op::extents && k < g.nodes[i].arity; ++k)
            if (!numbers[g.operand(g.nodes[i], k)].known) return to_id(i);
    return node_id::none;
}

} // namespace detail

namespace detail {
// table_use counts the entries of the side tables that a graph and its regions use.
struct table_use {
    std::size_t attributes = 0, operands = 0, words = 0;
};
// Finds the first problem within a graph or a region.
TRACEXPR_ONCE constexpr finding problem_within(graph_view const& g, table_use& used) {
    bool has_placeholders = false;
    for (std::size_t i = 0; i < g.size(); ++i) {
        node_id const self = to_id(i);
        node const& n = g.nodes[i];
        char const* problem = reference_problem(g, n, self);
        if (!problem && info(n.code).kind == kind::leaf) problem = leaf_problem(g, n, self);
        if (!problem) problem = rule_problem(g, n);
        if (problem) return {problem, self};
        has_placeholders = has_placeholders || n.code == op::placeholder;
        used.attributes += n.attributes.count;
        used.operands += n.arity > 3 ? n.arity : 0;
        if (n.code == op::constant && n.bits[0] == used.words)
            used.words += n.bits[1]; // Otherwise the words belong to an earlier constant of another shape.
    }
    for (std::size_t k = 0; k < g.parameters.size(); ++k) {
        node_id const id = g.parameters[k];
        if (id == node_id::none) continue;
        if (id < node_id{0} || index(id) >= g.size() || g[id].code != op::parameter || g[id].bits[0] != k)
            return {"the list of parameters must name parameters, each at its number", id};
    }
    for (node_id id : g.outputs)
        if (id < node_id{0} || index(id) >= g.size()) return {"an output must be a node of the graph", id};
    node_id const left = has_placeholders ? live_placeholder(g) : node_id::none;
    if (left != node_id::none) return {"no output may need a placeholder", left};
    node_id const unfounded = tells_extents(g) ? unfounded_extents(g) : node_id::none;
    if (unfounded != node_id::none) return {"extents must be numbers that follow from extents", unfounded};
    return {};
}
} // namespace detail

// Returns the first problem of the graph, or none. O(nodes + attributes).
TRACEXPR_ONCE constexpr finding first_problem(graph_view const& g) {
    detail::table_use used;
    if (finding const f = detail::problem_within(g, used); f.problem) return f;
    for (std::size_t k = 0; k < g.regions.size(); ++k) {
        if (finding const f = detail::problem_within(g.region(static_cast<std::int64_t>(k)), used); f.problem) return f;
        used.operands += g.regions[k].parameters.count + g.regions[k].outputs.count;
    }
    if (used.attributes != g.attributes.size()) return {"no two nodes may share attributes, and no attribute may be unused"};
    if (used.operands != g.more_operands.size())
        return {"no two nodes may share a list of operands, and no listed operand may be unused"};
    if (g.regions.empty() && used.words != g.blob.size()) return {"every word must be a constant's"};
    return {};
}

// Returns null for a valid graph, else what is wrong with it.
constexpr char const* verify(graph_view const& g) { return first_problem(g).problem; }

} // namespace tx

TRACEXPR_END_PASSES
