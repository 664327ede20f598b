// This file maps indices of a loop to indices of the nodes that the loop needs. A path says, for every axis of a node, which
// indices of the loop's space drive it. Views only change paths; buffers turn them into strides.
#pragma once

#include <tracexpr/graph/axis_map.hpp>
#include <tracexpr/passes/cluster_tables.hpp>
#include <tracexpr/passes/program.hpp>

#include <bit>

TRACEXPR_BEGIN_PASSES

namespace tx {

namespace detail::inline TRACEXPR_TARGET {

// A path gives for each axis of a node: index = offset + sum of scale * (index of the space's axis), over the axes in
// `driven_by`.
struct path {
    std::uint32_t driven_by[max_rank]{};
    std::int64_t scale[max_rank][max_rank]{};
    std::int64_t offset[max_rank]{};
};

// Calls f(axis of the space, scale) for each axis that drives this one.
template <class F> constexpr void for_each_driver(path const& p, int axis, F f) {
    for (std::uint32_t left = p.driven_by[axis]; left; left &= left - 1) {
        int const driver = std::countr_zero(left);
        f(driver, p.scale[axis][driver]);
    }
}
// Adds the drivers of `from_axis`, times `scale`, to those of axis `to_axis`.
constexpr void add_axis(path& to, int to_axis, path const& from, int from_axis, std::int64_t scale = 1) {
    to.driven_by[to_axis] |= from.driven_by[from_axis];
    to.offset[to_axis] += scale * from.offset[from_axis];
    for_each_driver(from, from_axis, [&](int driver, std::int64_t own) { to.scale[to_axis][driver] += scale * own; });
}
// Returns the path to the operand of a view that is needed at `at`.
constexpr path path_through(axis_map const& m, path const& at) {
    path p;
    for (int axis = 0; axis < max_rank; ++axis) p.offset[axis] = m.start[axis];
    for (int k = 0; k < m.count; ++k) add_axis(p, m.steps[k].from, at, m.steps[k].to, m.steps[k].by);
    return p;
}
constexpr path through_view(graph_view const& g, node const& n, dims const& whole, dims const& part, path const& at) {
    return path_through(view_map(n.code, part, g.attributes_of(n), n.arity == 2 ? &whole : nullptr), at);
}
constexpr path through_broadcast(dims const& whole, dims const& part, path const& at) {
    return path_through(view_map(op::broadcast_to, part, {}, &whole), at);
}

// Return the paths to what a lookup that is needed at `at` reads: its indices, and its table, without the axis along which the
// indices point.
constexpr path path_to_indices(node const& n, dims const& indices, int along, path const& at) {
    path p;
    for (int axis = 0; axis < indices.rank; ++axis) add_axis(p, axis, at, n.code == op::take ? along + axis : axis);
    return p;
}
constexpr path path_to_table(node const& n, dims const& table, dims const& indices, int along, path const& at) {
    path p;
    for (int axis = 0; axis < table.rank; ++axis)
        if (axis != along) add_axis(p, axis, at, n.code == op::take && axis > along ? axis + indices.rank - 1 : axis);
    return p;
}

constexpr path identity_path() {
    path p;
    for (int axis = 0; axis < max_rank; ++axis) p.driven_by[axis] = 1u << axis, p.scale[axis][axis] = 1;
    return p;
}
// Returns the access to a row-major buffer of shape `shape` along a path.
constexpr buffer_access access_at(node_id buffer, dtype type, bool stores, path const& at, dims const& shape) {
    buffer_access a{buffer, type, stores};
    std::int64_t step = 1;
    for (int axis = shape.rank - 1; axis >= 0; --axis) {
        a.offset += step * at.offset[axis];
        for_each_driver(at, axis, [&](int driver, std::int64_t scale) { a.stride[driver] += step * scale; });
        step *= shape[axis];
    }
    return a;
}
// Returns the access to a node that is needed at a path; it is a buffer, a literal, or a chain of views of one.
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

} // namespace detail::inline TRACEXPR_TARGET
} // namespace tx

TRACEXPR_END_PASSES
