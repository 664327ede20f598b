// What is needed of a graph, and how nodes of one graph come into another. Whoever walks a graph for one of these does it here:
// what a node may own besides operands and attributes is known to these functions and to graph::append_copy.
#pragma once

#include <tracexpr/graph/counting.hpp>
#include <tracexpr/graph/infer.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx {

// The nodes that `roots` are made of, and the roots. Raw pointers, because simplify asks in constant evaluations.
constexpr buffer<bool> needed_nodes(graph_view const& g, table_view<node_id> roots) {
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
// The same with another idea of what a node is made of: follow(id, need) calls need(other) for each such node. Nodes before
// number `first` are made of nothing.
template <class Follow>
constexpr buffer<bool> needed_nodes(graph_view const& g, table_view<node_id> roots, Follow follow, std::size_t first = 0) {
    buffer<bool> needed(g.size());
    auto const need = [&](node_id id) { needed[index(id)] = true; };
    for (node_id id : roots) need(id);
    for (std::size_t i = needed.size(); i-- > first;)
        if (needed[i]) follow(to_id(i), need);
    return needed;
}

// A view of a node, with the shape that follows from it.
constexpr node_id append_view(graph& to, op code, node_id x, table_view<std::int64_t> attributes) {
    node_id const operand[]{x};
    return to.append(code, to[x].type, view_map(code, to.shape_of(x), attributes).shape, operand, attributes);
}

// Appends nodes of one graph to another: each after its operands, as it was, unless something else has taken its place.
class graph_copier {
public:
    enum class shapes {
        kept,     // a node has the shape it had
        inferred, // the one that its operands give it here
    };
    constexpr graph_copier(graph_view const& from, graph& to, shapes how = shapes::kept)
        : from_{from}, to_{to}, how_{how}, moved_(from.size(), node_id::none) {}

    // What a node has become; none so far.
    constexpr node_id operator[](node_id old) const { return moved_[index(old)]; }
    constexpr void replace(node_id old, node_id by) { moved_[index(old)] = by; }
    constexpr node_id copy(node_id old) {
        node const& n = from_[old];
        table_view<node_id> const operands = operands_of(n);
        return moved_[index(old)] =
                   how_ == shapes::kept || n.arity == 0 ? to_.append_copy(from_, n, operands) : append_inferred(n, operands);
    }
    // What a node's operands have become; until the next call.
    constexpr table_view<node_id> operands_of(node const& n) {
        operands_.clear();
        for (std::size_t k = 0; k < n.arity; ++k) operands_.push_back(moved_[index(from_.operand(n, k))]);
        return operands_;
    }
    // Every node, or those of `needed`, in order. instead(id): what takes a node's place; none where it is copied.
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
    // What equals no other node there equals none here. A derivative that a user gave stayed behind in the other's trace: no rule
    // here has the node's number.
    constexpr node_id append_inferred(node const& n, table_view<node_id> operands) {
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

// The same nodes in a graph of their own: of a region of a graph that is about to grow.
constexpr graph copied(graph_view const& from) {
    graph out;
    graph_copier copier(from, out);
    copier.copy_all([](node_id) { return node_id::none; });
    copier.add_outputs(from.outputs);
    return out;
}

} // namespace tx

TRACEXPR_END_PASSES
