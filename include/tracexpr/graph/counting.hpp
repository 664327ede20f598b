// This file evaluates the integer scalars of a graph that follow from extents alone: integer arithmetic of literals and of the
// extents of nodes. They are known before any element is computed, and so may be extents themselves: those of op::extents, whose
// shape is found here.
#pragma once

#include <tracexpr/graph/fold.hpp>
#include <tracexpr/graph/infer.hpp>

#include <limits>

namespace tx {

// A counting holds the known values of a graph's integer scalars, in the order of the nodes.
class counting {
public:
    constexpr explicit counting(std::size_t nodes) { known_.reserve(nodes); }

    // Adds node n, which comes next in the graph, with its value if that is known. shape_of(id) is the shape of a node, as far as
    // it is known.
    template <class ShapeOf> constexpr void add(graph_view const& g, node const& n, ShapeOf const& shape_of) {
        known_.push_back(found(g, n, shape_of));
    }
    constexpr rules::folded operator[](node_id id) const { return known_[index(id)]; }

private:
    template <class ShapeOf> constexpr rules::folded found(graph_view const& g, node const& n, ShapeOf const& shape_of) const {
        if ((!is_integer(n.type) && n.type != dtype::boolean) || g.shape_of(n).rank != 0) return {};
        if (n.code == op::literal) return literal_bits{n.bits[0], n.bits[1]};
        if (n.code == op::axis_size) {
            std::int64_t const count = elements_along(shape_of(g.operand(n, 0)), g.attributes_of(n));
            return count == dyn ? rules::folded()
                                : rules::fold_cast({static_cast<std::uint64_t>(count), 0}, dtype::int64, n.type);
        }
        if (n.code == op::barrier || info(n.code).kind == kind::marker) return (*this)[g.operand(n, 0)];
        return info(n.code).kind == kind::pointwise ? computed(g, n) : rules::folded();
    }
    TRACEXPR_ONCE constexpr rules::folded computed(graph_view const& g, node const& n) const {
        literal_bits x[3];
        for (std::size_t k = 0; k < n.arity; ++k) {
            rules::folded const operand = (*this)[g.operand(n, k)];
            if (!operand.known) return {};
            x[k] = operand.bits;
        }
        dtype const type = g[g.operand(n, n.arity - 1)].type;
        if (n.code == op::cast) return rules::fold_cast(x[0], type, n.type);
        if (n.code == op::square) return fold(op::multiply, type, (x[1] = x[0], x));
        bool const divides = n.code == op::floor_divide || n.code == op::remainder || n.code == op::fmod;
        // Every executor divides an integer by 0 with the result 0.
        return divides && x[1].low == 0 ? rules::folded(literal_bits{}) : fold(n.code, type, x);
    }

    buffer<rules::folded> known_;
};

// True if extents in the graph follow from numbers that the graph computes.
constexpr bool tells_extents(graph_view const& g) {
    for (node const& n : g)
        if (n.code == op::extents) return true;
    return false;
}

// Evaluates the integer scalars of a graph as far as its shapes are known. with_stand_ins takes 1 for every unknown extent, so
// that all nodes which follow from extents count as known.
TRACEXPR_ONCE constexpr counting counts_of(graph_view const& g, bool with_stand_ins = false) {
    counting out(g.size());
    for (node const& n : g)
        out.add(g, n, [&](node_id id) {
            dims d = g.shape_of(id);
            if (with_stand_ins && d.rank < 0) d.rank = max_rank;
            for (int axis = 0; with_stand_ins && axis < d.rank; ++axis) d[axis] = 1;
            return d;
        });
    return out;
}

// The shape of an op::extents node, of which number(k) is the value of operand k as far as it is known. Throws shape_error for a
// value that cannot be an extent.
template <class Number> constexpr dims shape_with_numbers(dims const& declared, attribute_span attributes, Number const& number,
                                                          char const* asked_by = nullptr) {
    dims out = declared;
    char const* problem = nullptr;
    for (int axis = 0; axis < out.rank; ++axis) {
        std::int64_t const code = attributes[static_cast<std::size_t>(axis)];
        if (code >= 0) continue;
        rules::folded const found = number(static_cast<std::size_t>(-1 - code));
        if (!found.known) continue;
        auto const extent = static_cast<std::int64_t>(found.bits.low);
        if (extent < 0) problem = "must not be negative";
        else if (declared[axis] != dyn && declared[axis] != extent) problem = "must be those that the type tells";
        out[axis] = extent;
    }
    std::int64_t elements = 1;
    for (int axis = 0; axis < out.rank; ++axis) {
        if (out[axis] > 1 && elements > std::numeric_limits<std::int64_t>::max() / out[axis])
            problem = "must not be more than memory can be";
        else if (out[axis] > 1) elements *= out[axis];
    }
    if (problem)
        throw shape_error((asked_by ? "tx: " + std::string(asked_by) + ": extents " : "tx: extents: ") + problem + "; given " +
                          to_string(out, "-1"));
    return out;
}

} // namespace tx
