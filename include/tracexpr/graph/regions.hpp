// This file says how many results a node has, and their dtypes and shapes, where that follows from the node itself and not from
// its operands' shapes alone. A node stands for the first of its results; an op::result, whose attribute is a number, stands for
// each of the others.
#pragma once

#include <tracexpr/graph/block_form.hpp>
#include <tracexpr/graph/call_form.hpp>
#include <tracexpr/graph/infer.hpp>

namespace tx {

constexpr bool has_regions(node const& n) { return info(n.code).kind == kind::control; }
constexpr bool is_loop(op code) { return code == op::scan || code == op::while_loop; }
// True if region number k of the node is the condition of a while_loop.
constexpr bool is_condition(node const& n, std::size_t k) { return n.code == op::while_loop && k == 0; }

// The operands of op::scan and op::while_loop are, in this order: the initial state, sequences of which each iteration gets one
// element along the first axis, and values that all iterations share. A scan's body is given an iteration's state, elements and
// the shared values; it returns the next state, and one element of each sequence that the node returns after the last state. A
// while_loop has no sequences, and two regions of the same parameters: its condition, which returns a bool scalar, and its body;
// its result after the last state is the number of iterations, int64. op::with_range gives its region the numbers below its first
// operand, an int64 scalar: this number may be an extent inside of the region, and not outside.
struct loop_form {
    std::size_t states = 0, sequences = 0;
    bool reversed = false; // If true, the loop goes from the last elements to the first.

    TRACEXPR_ONCE constexpr std::uint64_t bits() const {
        return static_cast<std::uint64_t>(states) | static_cast<std::uint64_t>(sequences) << 24 |
               static_cast<std::uint64_t>(reversed) << 48;
    }
    TRACEXPR_ONCE static constexpr loop_form of(node const& n) {
        constexpr std::uint64_t count = (1u << 24) - 1;
        return {static_cast<std::size_t>(n.bits[1] & count), static_cast<std::size_t>(n.bits[1] >> 24 & count),
                (n.bits[1] >> 48 & 1) != 0};
    }
    constexpr bool is_sequence(std::size_t operand) const { return operand >= states && operand < states + sequences; }
};

// Returns the region whose outputs are the node's results.
constexpr graph_view resulting_region(graph_view const& g, node const& n) {
    return g.region(g.attributes_of(n)[n.code == op::while_loop ? 1 : 0]);
}
TRACEXPR_ONCE constexpr std::size_t result_count(graph_view const& g, node const& n) {
    if (is_callback(n)) return 1 + call_form(g.attributes_of(n)).results() + (n.bits[0] ? 1 : 0);
    if (!has_regions(n)) return static_cast<std::size_t>(info(n.code).results);
    return resulting_region(g, n).outputs.size() + (n.code == op::while_loop ? 1 : 0);
}
TRACEXPR_ONCE constexpr dims with_leading(dims const& d, std::int64_t extent) {
    if (d.rank < 0) return d;
    dims out;
    out.push_back(extent);
    for (int axis = 0; axis < d.rank; ++axis) out.push_back(d[axis]);
    return out;
}
TRACEXPR_ONCE constexpr dims without_leading(dims const& d) {
    if (d.rank <= 0) return d;
    dims out;
    for (int axis = 1; axis < d.rank; ++axis) out.push_back(d[axis]);
    return out;
}

// Returns the dtype and shape of result k of a node with these regions. `length` is the extent of the sequences.
TRACEXPR_ONCE constexpr value_spec region_result_spec(op code, loop_form const& form, graph_view const& region,
                                                      std::int64_t length, std::size_t k) {
    if (code == op::while_loop && k == form.states) return {dtype::int64, dims{}};
    node_id const output = region.outputs[code == op::while_loop && k > form.states ? k - 1 : k];
    value_spec out{region[output].type, region.shape_of(output)};
    if (code == op::scan && k >= form.states && out.type != dtype::token) out.shape = with_leading(out.shape, length);
    return out;
}
constexpr std::int64_t leading_extent(dims const& d) { return d.rank < 1 ? dyn : d[0]; }
TRACEXPR_ONCE constexpr value_spec region_result_spec(graph_view const& g, node const& n, std::size_t k) {
    if (n.code == op::blocks) {
        graph_view const body = resulting_region(g, n);
        value_spec out{body[body.outputs[k]].type, body.shape_of(body.outputs[k])};
        if (k >= block_form::of(n).joined) out.shape[0] = leading_extent(g.shape_of(g.operand(n, 0)));
        return out;
    }
    loop_form const form = loop_form::of(n);
    std::int64_t const length = n.code == op::scan ? leading_extent(g.shape_of(g.operand(n, form.states))) : dyn;
    return region_result_spec(n.code, form, resulting_region(g, n), length, k);
}
// True if the shape of result k of a call follows from that of an operand.
TRACEXPR_ONCE constexpr bool follows_operand(graph_view const& g, node const& n, std::size_t k) {
    call_form const form(g.attributes_of(n));
    return k >= 1 && k <= form.results() && form.like(k - 1) >= 0;
}
// The shape of result k of a call which follows from an operand's shape; extents(operand) is the shape of an operand.
template <class Extents>
constexpr dims shape_like_operand(graph_view const& g, node const& n, std::size_t k, Extents const& extents) {
    call_form const form(g.attributes_of(n));
    node_id const like = g.operand(n, static_cast<std::size_t>(form.like(k - 1)));
    if (form.related(k - 1) == call_form::relation::same) return extents(like);
    return form.shape_like(k - 1, extents(like), extents(g.operand_of_many(n, detail::collective_operands::ranks)));
}
// Returns the dtype and shape of result k of a node whose first result has the shape `first`, and whose first operand has the
// shape `operand`.
TRACEXPR_ONCE constexpr value_spec result_spec(graph_view const& g, node const& n, dims const& first, dims const& operand,
                                               std::size_t k) {
    if (k == 0) return {n.type, first};
    if (has_regions(n)) return region_result_spec(g, n, k);
    if (is_callback(n)) {
        call_form const form(g.attributes_of(n));
        if (k > form.results()) return {dtype::token, {}};
        if (!follows_operand(g, n, k)) return {form.result_type(k - 1), form.result_shape(first, k - 1)};
        return {form.result_type(k - 1), shape_like_operand(g, n, k, [&](node_id id) { return dims(g.shape_of(id)); })};
    }
    if (n.code == op::eig) return {n.type, operand}; // the eigenvectors
    return {n.code == op::lu && k == 1 ? dtype::int64 : n.type, decomposed_part(n.code, operand, k)};
}
TRACEXPR_ONCE constexpr value_spec result_spec(graph_view const& g, node const& n, std::size_t k) {
    return result_spec(g, n, g.shape_of(n), n.arity ? g.shape_of(g.operand(n, 0)) : dims{}, k);
}

// Checks the operand that chooses a branch. Types and traces of open rank may leave its shape to the call.
constexpr void require_scalar_predicate(op code, dims const& shape) {
    if (shape.rank > 0)
        throw_shape_error(code, "the predicate must be a bool scalar; reduce it with tx::all or tx::any", {&shape, 1});
}

// Returns the number of the result that an op::result node stands for.
constexpr std::size_t result_number(graph_view const& g, node const& projection) {
    return static_cast<std::size_t>(g.attributes_of(projection)[0]);
}
// Returns the node of result k, and appends it if it does not exist yet.
template <class Unused = void> constexpr node_id append_further_result(graph& g, node_id of, std::size_t k) {
    value_spec const spec = result_spec(g.view(), g[of], k);
    node_id const operand[]{of};
    std::int64_t const number[]{static_cast<std::int64_t>(k)};
    return g.append(op::result, spec.type, spec.shape, operand, number);
}
TRACEXPR_INSTANCE(node_id append_further_result<void>(graph&, node_id, std::size_t))
constexpr node_id append_result(graph& g, node_id of, std::size_t k) { return k == 0 ? of : append_further_result(g, of, k); }

// Appends a node with regions, which are given by their numbers.
TRACEXPR_ONCE constexpr node_id append_with_regions(graph& g, op code, bool takes_token, loop_form const& form,
                                                    table_view<node_id> operands, table_view<std::int64_t> regions) {
    graph_view const all = g.view();
    std::int64_t const length = code == op::scan ? leading_extent(all.shape_of(operands[form.states])) : dyn;
    value_spec const first = region_result_spec(code, form, all.region(regions[code == op::while_loop ? 1 : 0]), length, 0);
    return g.append(code, first.type, dims(first.shape), operands, regions, {takes_token, form.bits()});
}

// Returns the number of outputs of a graph that are values. Its last token may be one more output, behind them.
TRACEXPR_ONCE constexpr std::size_t value_outputs(graph_view const& g) {
    std::size_t const count = g.outputs.size();
    return count - (count > 0 && g[g.outputs[count - 1]].type == dtype::token ? 1 : 0);
}
// Returns the number of outputs of a trace that are results of the callable. Behind them are the values that it assigns to
// variables.
constexpr std::size_t result_outputs(graph_view const& trace) { return value_outputs(trace) - trace.assigned.size(); }

namespace detail {
TRACEXPR_ONCE constexpr char const* region_problem(graph_view const& g, node const& n, graph_view const& region) {
    bool const is_branch = n.code == op::cond;
    std::size_t const before = is_branch ? 1 : 0; // operands that are not parameters
    if (region.parameters.size() + before != n.arity) return "a region must have a parameter for each operand but a predicate";
    loop_form const form = loop_form::of(n);
    for (std::size_t k = 0; k < region.parameters.size(); ++k) {
        if (region.parameters[k] == node_id::none) return "a region must have all parameters";
        node const &parameter = region[region.parameters[k]], &operand = g[g.operand(n, k + before)];
        if (parameter.type != operand.type) return "a region's parameter must have the dtype of the operand";
        dims given = g.shape_of(operand);
        if (n.code == op::scan && form.is_sequence(k)) {
            if (given.rank == 0) return "a sequence must have an axis to go along";
            given = without_leading(given);
        }
        if (n.code == op::blocks && k < block_form::of(n).sequences) {
            if (given.rank == 0) return "what is cut into blocks must have an axis";
            given[0] = dyn;
        }
        if (n.code == op::with_range && k == 0) given = dims{{dyn}, 1};
        if (!may_equal(region.shape_of(parameter), given)) return "a region's parameter must have the shape of the operand";
    }
    return nullptr;
}
TRACEXPR_ONCE constexpr char const* cond_problem(graph_view const& g, node const& n) {
    node const& predicate = g[g.operand(n, 0)];
    if (predicate.type != dtype::boolean || g.shape_of(predicate).rank != 0) return "the predicate must be a bool scalar";
    graph_view const first = g.region(g.attributes_of(n)[0]);
    for (std::int64_t const number : g.attributes_of(n)) {
        graph_view const branch = g.region(number);
        if (branch.outputs.size() != first.outputs.size() || branch.outputs.empty()) return "branches must have as many results";
        for (std::size_t k = 0; k < branch.outputs.size(); ++k) {
            node const &mine = branch[branch.outputs[k]], &other = first[first.outputs[k]];
            if (mine.type != other.type || !may_equal(branch.shape_of(mine), first.shape_of(other)))
                return "branches must have results of the same dtypes and shapes";
        }
    }
    return nullptr;
}
TRACEXPR_ONCE constexpr char const* loop_problem(graph_view const& g, node const& n) {
    loop_form const form = loop_form::of(n);
    graph_view const body = resulting_region(g, n);
    if (form.states + form.sequences > n.arity) return "a loop must have operands for its state and sequences";
    if (n.code == op::scan && form.sequences == 0) return "a scan must have a sequence";
    if (body.outputs.size() < form.states) return "a loop's body must return the state";
    for (std::size_t k = 0; k < form.states; ++k) {
        node const &next = body[body.outputs[k]], &given = body[body.parameters[k]];
        if (next.type != given.type || !may_equal(body.shape_of(next), body.shape_of(given)))
            return "a loop's body must return a state of the dtypes and shapes that it was given";
    }
    if (n.code == op::scan) return nullptr;
    graph_view const condition = g.region(g.attributes_of(n)[0]);
    if (condition.outputs.empty()) return "a loop's condition must return something";
    node const& truth = condition[condition.outputs[0]];
    bool const is_scalar = truth.type == dtype::boolean && condition.shape_of(truth).rank <= 0;
    return is_scalar ? nullptr : "a loop's condition must return a bool scalar";
}
TRACEXPR_ONCE constexpr char const* blocks_problem(graph_view const& g, node const& n) {
    block_form const form = block_form::of(n);
    graph_view const body = resulting_region(g, n);
    if (form.sequences == 0 || form.sequences > n.arity) return "blocks must have something to cut";
    if (form.joined > body.outputs.size() || (form.joined > 0) != (n.attributes.count == 3))
        return "blocks must say how what they make is joined";
    for (std::size_t k = form.joined; k < body.outputs.size(); ++k)
        if (body.shape_of(body.outputs[k]).rank == 0) return "what blocks make side by side must have an axis";
    if (form.joined == 0) return nullptr;
    graph_view const join = g.region(g.attributes_of(n)[2]);
    bool const fits = join.outputs.size() == form.joined && join.parameters.size() == 2 * form.joined;
    return fits ? nullptr : "two blocks' results must be joined to one's";
}
} // namespace detail

// Says what is wrong with a node that has several results or regions, or that is an op::result; null if nothing is.
TRACEXPR_ONCE constexpr char const* results_problem(graph_view const& g, node const& n) {
    if (n.code == op::result) {
        node const& of = g[g.operand(n, 0)];
        std::size_t const k = result_number(g, n);
        if (k == 0 || k >= result_count(g, of)) return "the operand must have a result of that number, which is not the first";
        value_spec const spec = result_spec(g, of, k);
        return spec.type == n.type && may_equal(spec.shape, g.shape_of(n)) ? nullptr : "a result must have its dtype and shape";
    }
    if (!may_take_token(n.code)) return nullptr;
    if ((g[g.operand(n, n.arity - 1)].type == dtype::token) != (n.bits[0] == 1))
        return "a node must know whether it takes a token";
    if (!has_regions(n)) return nullptr;
    for (std::size_t k = 0; k < n.attributes.count; ++k)
        if (n.code != op::blocks || k < 2)
            if (char const* const problem = detail::region_problem(g, n, g.region(g.attributes_of(n)[k]))) return problem;
    bool const loops = n.code == op::while_loop || n.code == op::scan;
    if (char const* const problem = n.code == op::cond     ? detail::cond_problem(g, n)
                                    : loops                ? detail::loop_problem(g, n)
                                    : n.code == op::blocks ? detail::blocks_problem(g, n)
                                                           : nullptr)
        return problem;
    if (n.code == op::with_range && (g[g.operand(n, 0)].type != dtype::int64 || g.shape_of(g.operand(n, 0)).rank > 0))
        return "how many numbers there are must be an int64 scalar";
    if (result_count(g, n) == 0) return "a node must have a result";
    value_spec const first = region_result_spec(g, n, 0);
    return first.type == n.type && may_equal(first.shape, g.shape_of(n)) ? nullptr
                                                                         : "the first result must be that of the region";
}

} // namespace tx
