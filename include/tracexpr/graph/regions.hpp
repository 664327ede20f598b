// What follows from a node itself, not from its operands' shapes alone: how many results it has, and their dtypes and shapes. A
// node stands for the first of its results; op::result, whose attribute is a number, for each of the others.
#pragma once

#include <tracexpr/graph/call_form.hpp>
#include <tracexpr/graph/infer.hpp>

namespace tx {

constexpr bool has_regions(node const& n) { return info(n.code).kind == kind::control; }

constexpr std::size_t result_count(graph_view const& g, node const& n) {
    if (is_callback(n)) return 1 + call_form(g.attributes_of(n)).results() + (n.bits[0] ? 1 : 0);
    return has_regions(n) ? g.region(g.attributes_of(n)[0]).outputs.size() : static_cast<std::size_t>(info(n.code).results);
}

// Of a node's result k, the first of which has this shape.
constexpr value_spec result_spec(graph_view const& g, node const& n, dims const& first, std::size_t k) {
    if (k == 0) return {n.type, first};
    if (has_regions(n)) {
        graph_view const branch = g.region(g.attributes_of(n)[0]);
        return {branch[branch.outputs[k]].type, branch.shape_of(branch.outputs[k])};
    }
    if (is_callback(n)) return call_form(g.attributes_of(n)).result(first, k - 1);
    dims vector = first; // of a decomposition: a number for each row
    --vector.rank;
    return {n.code == op::lu && k == 1 ? dtype::int64 : n.type, vector};
}
constexpr value_spec result_spec(graph_view const& g, node const& n, std::size_t k) {
    return result_spec(g, n, g.shape_of(n), k);
}

// Of an operand that chooses a branch: types, and traces of open rank, may leave it to the call.
constexpr void require_scalar_predicate(op code, dims const& shape) {
    if (shape.rank > 0)
        throw_shape_error(code, "the predicate must be a bool scalar; reduce it with tx::all or tx::any", {&shape, 1});
}

// The number of the result that a projection stands for.
constexpr std::size_t result_number(graph_view const& g, node const& projection) {
    return static_cast<std::size_t>(g.attributes_of(projection)[0]);
}
// The node of result k, recorded where it isn't yet.
constexpr node_id append_result(graph& g, node_id of, std::size_t k) {
    if (k == 0) return of;
    value_spec const spec = result_spec(g.view(), g[of], k);
    node_id const operand[]{of};
    std::int64_t const number[]{static_cast<std::int64_t>(k)};
    return g.append(op::result, spec.type, spec.shape, operand, number);
}

// How many outputs of a graph are values: behind them may stand its last token.
constexpr std::size_t value_outputs(graph_view const& g) {
    std::size_t const count = g.outputs.size();
    return count - (count > 0 && g[g.outputs[count - 1]].type == dtype::token ? 1 : 0);
}

namespace detail {
constexpr char const* region_problem(graph_view const& g, node const& n, graph_view const& branch) {
    if (branch.parameters.size() + 1 != n.arity) return "a branch must have a parameter for each operand but the predicate";
    for (std::size_t k = 0; k < branch.parameters.size(); ++k) {
        if (branch.parameters[k] == node_id::none) return "a branch must have all parameters";
        node const &parameter = branch[branch.parameters[k]], &operand = g[g.operand(n, k + 1)];
        if (parameter.type != operand.type) return "a branch's parameter must have the dtype of the operand";
        if (!may_equal(branch.shape_of(parameter), g.shape_of(operand)))
            return "a branch's parameter must have the shape of the operand";
    }
    return nullptr;
}
} // namespace detail

// What is wrong with a node that has several results or regions, or is one of several results.
constexpr char const* results_problem(graph_view const& g, node const& n) {
    if (n.code == op::result) {
        node const& of = g[g.operand(n, 0)];
        std::size_t const k = result_number(g, n);
        if (k == 0 || k >= result_count(g, of)) return "the operand must have a result of that number, which is not the first";
        value_spec const spec = result_spec(g, of, k);
        return spec.type == n.type && may_equal(spec.shape, g.shape_of(n)) ? nullptr : "a result must have its dtype and shape";
    }
    if (!has_regions(n) && info(n.code).kind != kind::effect && !is_callback(n)) return nullptr;
    if ((g[g.operand(n, n.arity - 1)].type == dtype::token) != (n.bits[0] == 1))
        return "a node must know whether it takes a token";
    if (!has_regions(n)) return nullptr;
    node const& predicate = g[g.operand(n, 0)];
    if (predicate.type != dtype::boolean || g.shape_of(predicate).rank != 0) return "the predicate must be a bool scalar";
    graph_view const first = g.region(g.attributes_of(n)[0]);
    for (std::int64_t const number : g.attributes_of(n)) {
        graph_view const branch = g.region(number);
        if (char const* const problem = detail::region_problem(g, n, branch)) return problem;
        if (branch.outputs.size() != first.outputs.size() || branch.outputs.empty()) return "branches must have as many results";
        for (std::size_t k = 0; k < branch.outputs.size(); ++k) {
            node const &mine = branch[branch.outputs[k]], &other = first[first.outputs[k]];
            if (mine.type != other.type || !may_equal(branch.shape_of(mine), first.shape_of(other)))
                return "branches must have results of the same dtypes and shapes";
        }
    }
    node const& result = first[first.outputs[0]];
    return result.type == n.type && may_equal(first.shape_of(result), g.shape_of(n))
               ? nullptr
               : "the first result must be that of the branches";
}

} // namespace tx
