// This file computes every node's extents, either inferred from the arguments' shapes, or with a stand-in for the extents that a
// graph leaves unknown.
#pragma once

#include <tracexpr/graph/counting.hpp>
#include <tracexpr/graph/regions.hpp>
#include <tracexpr/passes/spaces.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx {

namespace detail {

// Checks indices: x[i] along an axis is recorded as a slice and a squeeze.
TRACEXPR_ONCE constexpr void check_places(graph_view const& g, node const& squeeze, table_view<dims> extents) {
    node_id const part = g.operand(squeeze, 0);
    if (g[part].code != op::slice) return;
    for (std::int64_t axis : g.attributes_of(squeeze))
        check_place(name(op::slice), extents[index(g.operand(g[part], 0))], g.attributes_of(g[part]), static_cast<int>(axis));
}
TRACEXPR_ONCE constexpr void check_stack(graph_view const& g, node const& joined, table_view<dims> extents) {
    buffer<dims> parts;
    for (std::size_t k = 0; k < joined.arity; ++k) {
        node const& part = g[g.operand(joined, k)];
        if (part.code != op::expand_dims || g.attributes_of(part).size() != 1 ||
            g.attributes_of(part)[0] != g.attributes_of(joined)[0])
            return;
        parts.push_back(extents[index(g.operand(part, 0))]);
    }
    check_stacked(parts);
}

// Is operand `k` of a product a vector? A vector is multiplied as a matrix whose new axis is squeezed from the result; messages
// show the vector, which the user gave.
TRACEXPR_ONCE constexpr bool is_vector_of(graph_view const& g, std::size_t product, std::size_t k) {
    node const& operand = g[g.operand(g.nodes[product], k)];
    if (operand.code != op::expand_dims) return false;
    for (std::size_t i = product + 1; i < g.size(); ++i)
        if (g.nodes[i].code == op::squeeze && index(g.operand(g.nodes[i], 0)) == product) return true;
    return false;
}
// Returns the names of the public functions that use an op, or null if the op is called by its own name. For lu the nodes that
// read it tell which function it was.
TRACEXPR_ONCE constexpr char const* functions_of(graph_view const& g, std::size_t node) {
    if (g.nodes[node].code != op::lu) return nullptr;
    for (std::size_t i = node + 1; i < g.size(); ++i)
        if (g.nodes[i].code == op::solve && index(g.operand(g.nodes[i], 2)) == node) return "solve, inv";
    return "det, slogdet, lu";
}
// Throws a shape error with the name and operands that users know, if the op is one that they call by another name or with
// vectors; else it does nothing.
TRACEXPR_ONCE constexpr void check_linalg(graph_view const& g, std::size_t at, char const* problem, table_view<dims> extents) {
    node const& n = g.nodes[at];
    if (n.code != op::matmul && n.code != op::solve && n.code != op::solve_triangular && n.code != op::lu) return;
    dims given[2];
    std::size_t const count = n.code == op::lu ? 1 : 2;
    for (std::size_t k = 0; k < count; ++k) {
        node_id const own = g.operand(n, k);
        given[k] = extents[index(is_vector_of(g, at, k) ? g.operand(g[own], 0) : own)];
    }
    char const* const functions = functions_of(g, at);
    throw_shape_error(functions ? functions : name(n.code), problem, {given, count});
}

// Throws if the operands of a function which is recorded as several ops don't fit. The node's first operand is one of these ops;
// the others are the function's operands.
TRACEXPR_ONCE constexpr void check_operands(graph_view const& g, node const& n, table_view<dims> given) {
    attribute_span const in_front = g.attributes_of(n);
    buffer<builder_spec> specs;
    for (std::size_t k = 1; k < given.size(); ++k) {
        dims one;
        for (int axis = in_front.empty() ? 0 : static_cast<int>(in_front[k]); axis < given[k].rank; ++axis)
            one.push_back(given[k][axis]);
        specs.push_back({g[g.operand(n, k)].type, one});
    }
    require_operands(g.checks[n.bits[0]], specs);
}

} // namespace detail

inline namespace TRACEXPR_TARGET {

// Returns the stand-in for a graph's unknown extents when it is lowered before they are known. It is large, but not so large that
// the size of a shape with several unknown extents overflows.
constexpr std::int64_t assumed_extent(graph_view const& g) {
    int most = 1;
    for (dims const& d : g.shapes) {
        int unknown = 0;
        for (int axis = 0; axis < d.rank; ++axis) unknown += d[axis] == dyn ? 1 : 0;
        most = unknown > most ? unknown : most;
    }
    return std::int64_t{1} << (most <= 3 ? 16 : 48 / most);
}

[[noreturn]] inline void throw_late_broadcast(dims const& shape) {
    throw shape_error("tx: grad: an operand of shape " + to_string(shape) +
                      " was broadcast along an axis whose extent was unknown when the function was "
                      "traced; give that axis the extent 1 in the operand's type");
}

// May a sum over what was broadcast along unknown axes remain in the graph? Loops can't express it, so there it is an error.
enum class late_broadcasts { refused, allowed };
constexpr buffer<dims> inferred_extents(graph_view const& g, table_view<dims> arguments,
                                        late_broadcasts late = late_broadcasts::refused);

} // namespace TRACEXPR_TARGET
namespace detail::inline TRACEXPR_TARGET {

// Holds the extents of all results of nodes that have regions.
class results_so_far {
public:
    // Appends a node's extents and returns those of its first result.
    constexpr dims add(node_id of, buffer<dims> const& extents) {
        of_.push_back({of, extents_.size()});
        for (dims const& d : extents) extents_.push_back(d);
        return extents[0];
    }
    constexpr dims find(node_id of, std::size_t k) const {
        std::size_t place = of_.size() - 1;
        while (of_[place].node != of) --place;
        return extents_[of_[place].first + k];
    }

private:
    struct entry {
        node_id node = node_id::none;
        std::size_t first = 0;
    };
    buffer<entry> of_;
    buffer<dims> extents_;
};

// Infers the results' extents, which both branches must agree on. A branch that these operands don't fit is skipped, because the
// other one may be taken.
constexpr buffer<dims> extents_of_branches(graph_view const& g, node const& n, table_view<dims> operands, late_broadcasts late) {
    buffer<dims> out;
    for (std::int64_t const number : g.attributes_of(n)) {
        graph_view const branch = g.region(number);
        buffer<dims> extents;
        bool const is_last = number == g.attributes_of(n).back();
        if (__builtin_is_constant_evaluated() || (is_last && out.empty())) {
            extents = inferred_extents(branch, operands.subspan(1), late);
        } else {
            try {
                extents = inferred_extents(branch, operands.subspan(1), late);
            } catch (shape_error const&) {
                continue;
            }
        }
        for (std::size_t k = 0; k < branch.outputs.size(); ++k) {
            dims const& d = extents[index(branch.outputs[k])];
            if (out.size() <= k) out.push_back(d);
            dims const both[]{out[k], d};
            if (out[k] != d) throw_shape_error(n.code, "both branches must return the same shapes", both);
        }
    }
    return out;
}

// Infers the extents of a loop's results. The state has the same extents in each iteration; sequences have one element for each
// iteration.
constexpr buffer<dims> extents_of_loop(graph_view const& g, node const& n, table_view<dims> operands, late_broadcasts late) {
    loop_form const loop = loop_form::of(n);
    graph_view const body = resulting_region(g, n);
    buffer<dims> arguments;
    for (std::size_t k = 0; k < operands.size(); ++k) {
        bool const is_part = n.code == op::scan && loop.is_sequence(k);
        dims const both[]{operands[loop.states], operands[k]};
        if (is_part && (operands[k].rank < 1 || operands[k][0] != both[0][0]))
            throw_shape_error(n.code, "sequences must have the same extent along their first axis", both);
        arguments.push_back(is_part ? without_leading(operands[k]) : operands[k]);
    }
    buffer<dims> const extents = inferred_extents(body, arguments, late);
    buffer<dims> out;
    for (std::size_t k = 0; k < body.outputs.size(); ++k) {
        dims const d = extents[index(body.outputs[k])];
        dims const both[]{arguments[k < loop.states ? k : 0], d};
        if (k < loop.states && both[0] != d)
            throw_shape_error(n.code, "the body must return a state of the shapes that it was given", both);
        if (n.code == op::while_loop && k == loop.states) out.push_back(dims{});
        bool const is_sequence = n.code == op::scan && k >= loop.states && body[body.outputs[k]].type != dtype::token;
        out.push_back(is_sequence ? with_leading(d, operands[loop.states][0]) : d);
    }
    if (n.code != op::while_loop) return out;
    if (body.outputs.size() == loop.states) out.push_back(dims{});
    graph_view const condition = g.region(g.attributes_of(n)[0]);
    dims const truth = inferred_extents(condition, arguments, late)[index(condition.outputs[0])];
    if (truth.rank != 0) throw_shape_error(n.code, "the condition must return a bool scalar", {&truth, 1});
    return out;
}
// Infers the extents of with_range's results; none of them may depend on the range's length.
constexpr buffer<dims> extents_with_range(graph_view const& g, node const& n, table_view<dims> operands, late_broadcasts late) {
    graph_view const region = resulting_region(g, n);
    buffer<dims> arguments(operands), out;
    arguments[0] = dims{{1}, 1};
    buffer<dims> const extents = inferred_extents(region, arguments, late);
    for (node_id const id : region.outputs) out.push_back(extents[index(id)]);
    return out;
}
// Infers the extents of op::blocks' results: those of one block, but as long along the first axis as the input that is cut.
// Unknown extents may turn out to be broadcast, so they are inferred from the body.
constexpr buffer<dims> extents_of_blocks(graph_view const& g, node const& n, table_view<dims> operands, late_broadcasts late) {
    block_form const blocks = block_form::of(n);
    graph_view const body = resulting_region(g, n);
    buffer<dims> arguments(operands), out;
    for (std::size_t k = 0; k < blocks.sequences && blocks.block > 0; ++k) arguments[k][0] = blocks.block;
    buffer<dims> const extents = inferred_extents(body, arguments, late);
    for (std::size_t k = 0; k < body.outputs.size(); ++k) {
        out.push_back(extents[index(body.outputs[k])]);
        if (k >= blocks.joined && blocks.block > 0) out[k][0] = operands[0][0];
    }
    return out;
}
constexpr buffer<dims> extents_of_results(graph_view const& g, node const& n, table_view<dims> operands, late_broadcasts late) {
    if (n.code == op::blocks) return extents_of_blocks(g, n, operands, late);
    if (n.code == op::cond) return extents_of_branches(g, n, operands, late);
    if (n.code == op::with_range) return extents_with_range(g, n, operands, late);
    return extents_of_loop(g, n, operands, late);
}

} // namespace detail::inline TRACEXPR_TARGET
inline namespace TRACEXPR_TARGET {

// Infers every node's extents from the arguments' shapes. A loop's instructions don't depend on extents, so an operand that was
// not broadcast when the graph was made can't be broadcast now.
constexpr buffer<dims> inferred_extents(graph_view const& g, table_view<dims> arguments, late_broadcasts late) {
    buffer<dims> out(g.size());
    buffer<dims> given;
    detail::results_so_far results;
    bool const counts = tells_extents(g);
    counting numbers(counts ? g.size() : 0);
    for (std::size_t i = 0; i < g.size(); ++i) {
        node const& n = g.nodes[i];
        if (counts) numbers.add(g, n, [&](node_id id) -> dims const& { return out[index(id)]; });
        if (n.code == op::parameter) {
            out[i] = arguments[n.bits[0]];
        } else if (n.code == op::capture) {
            captured const& c = g.captures[n.bits[0]];
            out[i] = g.shape_of(n).is_static() ? g.shape_of(n) : c.shape(c.address);
        } else {
            given.clear();
            for (std::size_t k = 0; k < n.arity; ++k) given.push_back(out[index(g.operand(n, k))]);
            if (has_regions(n)) {
                out[i] = results.add(to_id(i), detail::extents_of_results(g, n, given, late));
                continue;
            }
            if (n.code == op::result) {
                node_id const of = g.operand(n, 0);
                std::size_t const k = result_number(g, n);
                if (has_regions(g[of])) out[i] = results.find(of, k);
                else if (is_callback(g[of]) && follows_operand(g, g[of], k))
                    out[i] = shape_like_operand(g, g[of], k, [&](node_id id) { return out[index(id)]; });
                else out[i] = result_spec(g, g[of], given[0], out[index(g.operand(g[of], 0))], k).shape;
                continue;
            }
            inferred const found = infer(n.code, g.shape_of(n), given, g.attributes_of(n));
            if (found.problem) {
                if (n.code == op::squeeze) detail::check_places(g, n, out);
                if (n.code == op::concatenate) detail::check_stack(g, n, out);
                detail::check_linalg(g, i, found.problem, out);
                throw_shape_error(n.code, found.problem, given, g.attributes_of(n));
            }
            out[i] = found.shape;
            if (n.code == op::checked) detail::check_operands(g, n, given);
            if (n.code == op::extents)
                out[i] =
                    shape_with_numbers(found.shape, g.attributes_of(n), [&](std::size_t k) { return numbers[g.operand(n, k)]; });
            if (n.arity == 1) check_elements(n.code, n.type, given[0], g.attributes_of(n));
            if (n.code == op::sum_to && late == late_broadcasts::refused && out[i] != given[0]) throw_late_broadcast(out[i]);
        }
    }
    return out;
}
// Throws if arguments of these extents don't fit a trace: it makes the checks of functions that are recorded as several ops,
// which later stages of the graph no longer have.
constexpr void check_arguments(graph_view const& traced, table_view<dims> arguments) {
    if (!traced.checks.empty()) inferred_extents(traced, arguments, late_broadcasts::allowed);
}
// Returns every node's extents, with a stand-in for those that the graph leaves unknown.
constexpr buffer<dims> assumed_extents(graph_view const& g) {
    return detail::naming(g, detail::naming_for::assumption).assumed(assumed_extent(g));
}

} // namespace TRACEXPR_TARGET
} // namespace tx

TRACEXPR_END_PASSES
