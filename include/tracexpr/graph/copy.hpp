// This file finds the nodes of a graph that are needed, and copies nodes from one graph to another. All passes do so by these
// functions, because only they and graph::append_copy know what a node may own besides operands and attributes.
#pragma once

#include <tracexpr/graph/counting.hpp>
#include <tracexpr/graph/infer.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx {

// Marks the roots and all nodes that they are computed from. Raw pointers are used, because simplify calls this in constant
// evaluation.
TRACEXPR_ONCE constexpr buffer<bool> needed_nodes(graph_view const& g, table_view<node_id> roots) {
    buffer<bool> needed(g.size());
    bool* const live = needed.data();
    node const* const nodes = g.nodes.data();
    for (node_id id : roots) live[index(id)] = true;
    for (std::size_t i = needed.size(); i-- > 0;) {
        if (!live[i]) continue;
        node const& n = nodes[i];
        node_id const* const operand = n.arity <= 3 ? n.operand : g.more_operands.data() + index(n.operand[0]);
        for (std::uint32_t k = 0; k < n.arity; ++k) live[static_cast<std::size_t>(operand[k])] = true;
    }
    return needed;
}
// Marks the roots and all nodes that they depend on in a sense of the caller's: follow(id, need) calls need(other) for each node
// that `id` depends on. Nodes before number `first` depend on nothing.
template <class Follow>
constexpr buffer<bool> needed_nodes(graph_view const& g, table_view<node_id> roots, Follow follow, std::size_t first = 0) {
    buffer<bool> needed(g.size());
    auto const need = [&](node_id id) { needed[index(id)] = true; };
    for (node_id id : roots) need(id);
    for (std::size_t i = needed.size(); i-- > first;)
        if (needed[i]) follow(to_id(i), need);
    return needed;
}

// Appends a view of a node, with the shape that follows from the node's shape.
TRACEXPR_ONCE constexpr node_id append_view(graph& to, op code, node_id x, table_view<std::int64_t> attributes) {
    node_id const operand[]{x};
    return to.append(code, to[x].type, view_map(code, to.shape_of(x), attributes).shape, operand, attributes);
}

// A graph_copier appends the nodes of one graph to another, each after its operands and unchanged, unless the caller has put
// another node in its place.
class graph_copier {
public:
    enum class shapes {
        kept,     // a node keeps its shape
        inferred, // a node's shape is inferred from its new operands
    };
    constexpr graph_copier(graph_view const& from, graph& to, shapes how = shapes::kept)
        : from_{from}, to_{to}, how_{how}, moved_(from.size(), node_id::none) {}

    // Returns the new node of an old one, or none if it has not been copied yet.
    constexpr node_id operator[](node_id old) const { return moved_[index(old)]; }
    constexpr void replace(node_id old, node_id by) { moved_[index(old)] = by; }
    TRACEXPR_ONCE constexpr node_id copy(node_id old) {
        node const& n = from_[old];
        table_view<node_id> const operands = operands_of(n);
        return moved_[index(old)] =
                   how_ == shapes::kept || n.arity == 0 ? to_.append_copy(from_, n, operands) : append_inferred(n, operands);
    }
    // Returns the new nodes of a node's operands. The list is valid until the next call.
    TRACEXPR_ONCE constexpr table_view<node_id> operands_of(node const& n) {
        operands_.clear();
        for (std::size_t k = 0; k < n.arity; ++k) operands_.push_back(moved_[index(from_.operand(n, k))]);
        return operands_;
    }
    // These copy every node, or those marked in `needed`, in order. instead(id) returns the new node that takes the place of an
    // old one, or none if the old one is to be copied.
    template <class Instead> constexpr void copy_all(Instead instead) {
        for (std::size_t i = 0; i < from_.size(); ++i) copy_or(to_id(i), instead);
    }
    template <class Instead> constexpr void copy_needed(buffer<bool> const& needed, Instead instead) {
        for (std::size_t i = 0; i < from_.size(); ++i)
            if (needed[i]) copy_or(to_id(i), instead);
    }
    constexpr void add_outputs(table_view<node_id> old) {
        for (node_id const id : old) to_.add_output((*this)[id]);
    }

private:
    template <class Instead> constexpr void copy_or(node_id old, Instead& instead) {
        node_id const by = instead(old);
        if (by == node_id::none) copy(old);
        else replace(old, by);
    }
    // A node which equals no other node of the old graph must equal none of the new one either, so it gets a fresh number. A
    // custom derivative that a user gave is left behind in the old trace: its number here belongs to no rule.
    TRACEXPR_ONCE constexpr node_id append_inferred(node const& n, table_view<node_id> operands) {
        buffer<dims> given;
        for (node_id const id : operands) given.push_back(to_.shape_of(id));
        std::uint64_t low = n.bits[0];
        if (n.code == op::custom_derivative) low = ~std::uint64_t{to_.size()};
        else if (n.code == op::mark) low = to_.size();
        if (n.code == op::checked) return to_.append_copy(from_, n, operands);
        dims shape = infer_or_throw(n.code, from_.shape_of(n), given, from_.attributes_of(n));
        if (n.code == op::extents) {
            counting const numbers = counts_of(to_);
            shape = shape_with_numbers(shape, from_.attributes_of(n), [&](std::size_t k) { return numbers[operands[k]]; });
        }
        if (info(n.code).kind == kind::control)
            return to_.append(n.code, n.type, shape, operands, to_.append_regions(from_, n), {low, n.bits[1]});
        return to_.append(n.code, n.type, shape, operands, from_.attributes_of(n), {low, n.bits[1]});
    }

    graph_view from_;
    graph& to_;
    shapes how_;
    buffer<node_id> moved_, operands_;
};

// Copies a graph into one that owns its nodes: useful for a region of a graph that is about to grow.
TRACEXPR_ONCE constexpr graph copied(graph_view const& from) {
    graph out;
    graph_copier copier(from, out);
    copier.copy_all([](node_id) { return node_id::none; });
    copier.add_outputs(from.outputs);
    return out;
}

} // namespace tx

TRACEXPR_END_PASSES
