// How the elements of an operand are met where a view, a lookup or a pointwise op of it is needed: a path says, for every axis of
// a node, which index of a loop's space drives it. Views only change paths; buffers turn them into strides.
#pragma once

#include <tracexpr/graph/shape_rules.hpp>
#include <tracexpr/passes/cluster_tables.hpp>
#include <tracexpr/passes/program.hpp>

namespace tx {

namespace detail::inline TRACEXPR_PROCESSOR {

// For each axis of a node: index = offset + scale * (index of the space's axis), or the offset alone.
struct path {
    std::int32_t axis[max_rank]{-1, -1, -1, -1, -1, -1, -1, -1};
    std::int64_t scale[max_rank]{};
    std::int64_t offset[max_rank]{};
};

// Axis `to_axis` of an operand is driven as `from_axis` was, with index = offset + scale * (index there).
constexpr void copy_axis(path& to, int to_axis, path const& from, int from_axis, std::int64_t scale = 1,
                         std::int64_t offset = 0) {
    to.axis[to_axis] = from.axis[from_axis];
    to.scale[to_axis] = scale * from.scale[from_axis];
    to.offset[to_axis] = offset + scale * from.offset[from_axis];
}
constexpr path through_broadcast(dims const& whole, dims const& part, path const& at) {
    path p;
    for (int axis = 0; axis < part.rank; ++axis) {
        int const across = axis + whole.rank - part.rank;
        if (part[axis] != 1 || whole[across] == 1) copy_axis(p, axis, at, across);
    }
    return p;
}
// The path to the operand (of shape `part`) of a view that is needed at `at`.
constexpr path through_view(graph_view const& g, node const& n, dims const& whole, dims const& part, path const& at) {
    table_view<std::int64_t> const attributes = g.attributes_of(n);
    path p;
    switch (n.code) {
    case op::transpose:
        for (int axis = 0; axis < whole.rank; ++axis)
            copy_axis(p, static_cast<int>(attributes[static_cast<std::size_t>(axis)]), at, axis);
        break;
    case op::expand_dims:
    case op::squeeze: {
        // Walk both shapes; the longer one has the listed axes extra.
        bool const expands = n.code == op::expand_dims;
        int longer = 0, shorter = 0;
        std::size_t next = 0;
        for (; longer < (expands ? whole.rank : part.rank); ++longer) {
            if (next < attributes.size() && attributes[next] == longer) ++next;
            else if (expands) copy_axis(p, shorter++, at, longer);
            else copy_axis(p, longer, at, shorter++);
        }
        break;
    }
    case op::slice:
        for (int axis = 0; axis < whole.rank; ++axis) {
            std::size_t const k = 3 * static_cast<std::size_t>(axis);
            slice_range const r = resolved_slice(attributes[k], attributes[k + 1], attributes[k + 2], part[axis]);
            copy_axis(p, axis, at, axis, r.step, r.start);
        }
        break;
    case op::diagonal: {
        int from = 0;
        for (int axis = 0; axis < part.rank; ++axis) {
            if (axis == attributes[1]) copy_axis(p, axis, at, whole.rank - 1, 1, attributes[0] < 0 ? -attributes[0] : 0);
            else if (axis == attributes[2]) copy_axis(p, axis, at, whole.rank - 1, 1, attributes[0] > 0 ? attributes[0] : 0);
            else copy_axis(p, axis, at, from++);
        }
        break;
    }
    default: p = through_broadcast(whole, part, at); break; // broadcast_to, and sum_to where it sums nothing
    }
    return p;
}

// The paths to what a lookup needed at `at` reads: its indices, and its table but for the axis that they point along.
constexpr path path_to_indices(node const& n, dims const& indices, int along, path const& at) {
    path p;
    for (int axis = 0; axis < indices.rank; ++axis) copy_axis(p, axis, at, n.code == op::take ? along + axis : axis);
    return p;
}
constexpr path path_to_table(node const& n, dims const& table, dims const& indices, int along, path const& at) {
    path p;
    for (int axis = 0; axis < table.rank; ++axis)
        if (axis != along) copy_axis(p, axis, at, n.code == op::take && axis > along ? axis + indices.rank - 1 : axis);
    return p;
}

constexpr path identity_path() {
    path p;
    for (int axis = 0; axis < max_rank; ++axis) p.axis[axis] = axis, p.scale[axis] = 1;
    return p;
}
// Where the elements of a row-major buffer of that shape are met.
constexpr buffer_access access_at(node_id buffer, dtype type, bool stores, path const& at, dims const& shape) {
    buffer_access a{buffer, type, stores};
    std::int64_t step = 1;
    for (int axis = shape.rank - 1; axis >= 0; --axis) {
        a.offset += step * at.offset[axis];
        if (at.axis[axis] >= 0) a.stride[at.axis[axis]] += step * at.scale[axis];
        step *= shape[axis];
    }
    return a;
}
// A node that is a buffer, a literal, or a chain of views of one: how to walk it, needed at a path.
constexpr buffer_access access_through_views(graph_view const& g, clusters_view const& c, table_view<dims> extents, node_id id,
                                             path at = identity_path()) {
    while (c.storage[index(id)] == storage_of::none && g[id].code != op::literal) {
        node const& n = g[id];
        node_id const operand = g.operand(n, 0);
        at = through_view(g, n, extents[index(id)], extents[index(operand)], at);
        id = operand;
    }
    return access_at(id, g[id].type, false, at, extents[index(id)]);
}

} // namespace detail::inline TRACEXPR_PROCESSOR
} // namespace tx
