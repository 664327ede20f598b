// This file describes each view op once: which index of the operand an index of the result reads, and what the attributes mean.
// Shape inference, the verifier, named extents, loop paths, batching, gradients, updates and the reference executor ask this map
// and know no view by name. Only reshape has no such map, as it keeps the elements' row-major numbers. Unknown extents of an
// operand give unknown extents of the result.
#pragma once

#include <tracexpr/graph/graph.hpp>

#include <limits>

TRACEXPR_BEGIN_PASSES

namespace tx {

// A shape rule gives a shape, or the text of what must hold but does not.
struct inferred {
    dims shape{};
    char const* problem = nullptr;
};

// This number stands for an omitted bound of a slice.
inline constexpr std::int64_t slice_open = std::numeric_limits<std::int64_t>::min();

using extents_span = table_view<dims>;
using attribute_span = table_view<std::int64_t>;

// An axis_map says which element of the operand an element of a view reads. Along axis a of the operand the read starts at
// start[a], and a step from axis `from` moves it by `by` for each index of the result's axis `to`. Where an extent of the operand
// is unknown, only the shape and `is_whole` count.
struct axis_map {
    struct step {
        int from = 0, to = 0;
        std::int64_t by = 1;
        bool is_whole = false; // True if the result's axis is as long as the operand's, whatever that extent is.
    };
    dims shape{}; // of the result
    char const* problem = nullptr;
    std::int64_t start[max_rank]{};
    step steps[max_rank]{}; // There are as many steps as the operand or the result has axes, whichever has more.
    int count = 0;
    bool keeps_numbers = false; // True of a map without steps: the elements keep their row-major numbers.

    constexpr void read(int from, int to, std::int64_t by = 1, bool is_whole = false) {
        steps[count++] = {from, to, by, is_whole};
    }
    // Makes the operand's axis `from` the next axis of the result.
    constexpr void keep(dims const& operand, int from) {
        read(from, shape.rank, 1, true);
        shape.push_back(operand[from]);
    }
    // True if no element is read twice, and no axis of the operand or of the result belongs to two steps.
    TRACEXPR_ONCE constexpr bool is_one_to_one() const {
        std::uint32_t from = 0, to = 0;
        for (int k = 0; k < count; ++k) {
            if ((from >> steps[k].from | to >> steps[k].to) & 1u) return false;
            from |= 1u << steps[k].from, to |= 1u << steps[k].to;
        }
        for (int axis = 0; axis < shape.rank; ++axis)
            if (!(to >> axis & 1u) && shape[axis] != 1) return false;
        return true;
    }
};

// A view of a row-major operand reads its elements at offset + sum over the axes of index * stride.
struct strided_place {
    std::int64_t offset = 0, stride[max_rank]{};
};
TRACEXPR_ONCE constexpr strided_place place_in(dims const& operand, axis_map const& m) {
    auto const strides = row_major_strides(operand);
    auto const along = [&](int axis) { return strides[static_cast<std::size_t>(axis)]; };
    strided_place out;
    for (int axis = 0; axis < operand.rank; ++axis) out.offset += m.start[axis] * along(axis);
    for (int k = 0; k < m.count; ++k) out.stride[m.steps[k].to] += m.steps[k].by * along(m.steps[k].from);
    return out;
}

// A slice_range says where a slice starts and how many elements it takes of an axis of known extent, as Python's slice.indices
// does.
struct slice_range {
    std::int64_t start = 0, count = 0, step = 1;
};
TRACEXPR_ONCE constexpr slice_range resolved_slice(std::int64_t start, std::int64_t stop, std::int64_t step,
                                                   std::int64_t extent) {
    std::int64_t const low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
    auto const bounded = [&](std::int64_t bound, std::int64_t open) {
        if (bound == slice_open) return open;
        std::int64_t const b = bound < 0 ? bound + extent : bound;
        return b < low ? low : b > high ? high : b;
    };
    std::int64_t const first = bounded(start, step > 0 ? low : high), last = bounded(stop, step > 0 ? high : low);
    std::int64_t const span = step > 0 ? last - first : first - last;
    std::int64_t const stride = step > 0 ? step : step == slice_open ? std::numeric_limits<std::int64_t>::max() : -step;
    return {first, span > 0 ? (span - 1) / stride + 1 : 0, step};
}

namespace detail {

TRACEXPR_ONCE constexpr axis_map same_map(dims const& d, attribute_span, dims const*) {
    axis_map m;
    m.shape.rank = d.rank < 0 ? d.rank : 0;
    for (int axis = 0; axis < d.rank; ++axis) m.keep(d, axis);
    return m;
}

// The attributes of reshape hold a number for each new axis: an extent, -1 for the extent that follows from the size, or -2 - k
// for the extent of axis k of the operand.
TRACEXPR_ONCE constexpr inferred reshaped(dims const& d, attribute_span target) {
    if (target.size() > std::size_t{max_rank}) return {{}, "the rank must be at most 8"};
    dims out;
    int open = -1;
    std::int64_t known = 1;
    for (std::int64_t code : target) {
        if (code == -1 && open >= 0) return {{}, "at most one extent may be left to infer"};
        if (code < -1 && -2 - code >= d.rank) return {{}, "a copied axis must lie within the rank"};
        std::int64_t const extent = code >= 0 ? code : code == -1 ? dyn : d[static_cast<int>(-2 - code)];
        if (code == -1) open = out.rank;
        else known = extent == dyn || known == dyn ? dyn : known * extent;
        out.push_back(extent);
    }
    std::int64_t const size = d.size();
    if (open >= 0) {
        // Extents that are copied to the result cancel, so (?, 4) -> (?, 2, -1) is known.
        std::int64_t top = d.rank < 0 ? dyn : 1, bottom = 1;
        std::uint32_t copied = 0;
        for (std::int64_t code : target) {
            int const axis = code < -1 ? static_cast<int>(-2 - code) : -1;
            if (axis >= 0 && !(copied >> axis & 1u)) copied |= 1u << axis;
            else if (code != -1) bottom = axis < 0 ? bottom * code : d[axis] == dyn || bottom == dyn ? dyn : bottom * d[axis];
        }
        for (int axis = 0; axis < d.rank; ++axis)
            if (!(copied >> axis & 1u)) top = top == dyn || d[axis] == dyn ? dyn : top * d[axis];
        if (bottom == dyn) top = dyn;
        if (top != dyn && (bottom == 0 ? top != 0 : top % bottom != 0))
            return {{}, "the size must stay the same, and the extents beside -1 must divide it"};
        out[open] = top == dyn ? dyn : bottom == 0 ? 0 : top / bottom;
    } else if (size != dyn && known != dyn && size != known) {
        return {{}, "the size must stay the same"};
    }
    return {out};
}

// A reshape with a second operand takes the shape of that operand.
TRACEXPR_ONCE constexpr axis_map reshape_map(dims const& d, attribute_span target, dims const* like) {
    bool const fits = !like || !d.is_static() || !like->is_static() || d.size() == like->size();
    inferred const out = !like ? reshaped(d, target) : inferred{*like, fits ? nullptr : "the size must stay the same"};
    axis_map m{out.shape, out.problem};
    m.keeps_numbers = true;
    return m;
}

TRACEXPR_ONCE constexpr axis_map transpose_map(dims const& d, attribute_span permutation, dims const*) {
    axis_map m;
    std::uint32_t seen = 0;
    for (std::int64_t axis : permutation)
        if (axis < 0 || axis >= d.rank) return {{}, "axes must differ and lie within the rank"};
    if (permutation.size() != static_cast<std::size_t>(d.rank)) return {{}, "the permutation must name every axis once"};
    for (std::int64_t axis : permutation) {
        if (seen >> axis & 1u) return {{}, "the permutation must name every axis once"};
        seen |= 1u << axis;
        m.keep(d, static_cast<int>(axis));
    }
    return m;
}

// The attributes of broadcast_to hold a number for each axis of the result: its extent, or -1 to keep the operand's. With a
// second operand it takes the shape of that operand instead.
TRACEXPR_ONCE constexpr axis_map broadcast_map(dims const& d, attribute_span target, dims const* like) {
    if (target.size() > std::size_t{max_rank}) return {{}, "the rank must be at most 8"};
    axis_map m{like ? *like : dims{{}, static_cast<int>(target.size())}};
    int const shift = m.shape.rank - d.rank;
    if (d.rank >= 0 && m.shape.rank >= 0 && shift < 0) return {{}, "the new shape must have at least the old rank"};
    for (int axis = 0; !like && axis < m.shape.rank; ++axis) {
        std::int64_t const wanted = target[static_cast<std::size_t>(axis)];
        if (wanted < -1) return {{}, "an extent must be -1 or more"};
        m.shape[axis] = wanted != -1 ? wanted : axis < shift ? 1 : d[axis - shift];
    }
    for (int axis = 0; axis < d.rank && shift + axis < m.shape.rank; ++axis) {
        int const to = shift + axis;
        std::int64_t const given = d[axis], wanted = m.shape[to];
        if (given != wanted && given != 1 && given != dyn && wanted != dyn) return {{}, "an extent can only be broadcast from 1"};
        if (given != 1 || wanted == 1) m.read(axis, to, 1, !like && target[static_cast<std::size_t>(to)] == -1);
    }
    return m;
}
// sum_to undoes a broadcast: its result has the shape of its second operand. The steps are right only where nothing is summed.
TRACEXPR_ONCE constexpr axis_map sum_to_map(dims const& d, attribute_span, dims const* like) {
    if (broadcast_map(*like, {}, &d).problem) return {{}, "the new shape must broadcast to the old one"};
    axis_map m{*like};
    for (int axis = 1; axis <= like->rank && axis <= d.rank; ++axis) m.read(d.rank - axis, like->rank - axis);
    return m;
}

TRACEXPR_ONCE constexpr axis_map expand_map(dims const& d, attribute_span axes, dims const*) {
    int const rank = d.rank + static_cast<int>(axes.size());
    if (rank > max_rank) return {{}, "the rank must be at most 8"};
    axis_map m;
    std::size_t next = 0;
    int from = 0;
    for (int axis = 0; axis < rank; ++axis) {
        if (next < axes.size() && axes[next] == axis) m.shape.push_back(1), ++next;
        else if (from < d.rank) m.keep(d, from++);
    }
    if (next != axes.size()) return {{}, "axes must lie within the new rank and differ"};
    return m;
}
TRACEXPR_ONCE constexpr axis_map squeeze_map(dims const& d, attribute_span axes, dims const*) {
    std::uint32_t gone = 0;
    for (std::int64_t axis : axes) {
        if (axis < 0 || axis >= d.rank) return {{}, "axes must lie within the rank"};
        if (gone >> axis) return {{}, "axes must ascend"};
        if (d[static_cast<int>(axis)] != 1 && d[static_cast<int>(axis)] != dyn) return {{}, "squeezed axes must have extent 1"};
        gone |= 1u << axis;
    }
    axis_map m;
    for (int axis = 0; axis < d.rank; ++axis)
        if (!(gone >> axis & 1u)) m.keep(d, axis);
    return m;
}

// The attributes of slice are start, stop and step for each axis.
TRACEXPR_ONCE constexpr axis_map slice_map(dims const& d, attribute_span bounds, dims const*) {
    if (bounds.size() != 3 * static_cast<std::size_t>(d.rank)) return {{}, "at most one index for each axis"};
    axis_map m;
    for (int axis = 0; axis < d.rank; ++axis) {
        attribute_span const b = bounds.subspan(3 * static_cast<std::size_t>(axis), 3);
        if (b[2] == 0) return {{}, "a slice's step must not be 0"};
        bool const is_whole = b[0] == slice_open && b[1] == slice_open && (b[2] == 1 || b[2] == -1);
        slice_range const r = d[axis] == dyn ? slice_range{0, dyn, b[2]} : resolved_slice(b[0], b[1], b[2], d[axis]);
        m.shape.push_back(r.count);
        m.start[axis] = r.start;
        m.read(axis, axis, r.step, is_whole);
    }
    return m;
}

// The attributes of diagonal are the offset and the two axes. The diagonal becomes the last axis of the result.
TRACEXPR_ONCE constexpr axis_map diagonal_map(dims const& d, attribute_span attributes, dims const*) {
    if (attributes.size() != 3) return {{}, "needs an offset and two axes"};
    std::int64_t const offset = attributes[0], below = offset < 0 ? -offset : 0, above = offset > 0 ? offset : 0;
    int const first = static_cast<int>(attributes[1]), second = static_cast<int>(attributes[2]);
    if (first == second || first < 0 || second < 0 || first >= d.rank || second >= d.rank)
        return {{}, "needs two different axes within the rank"};
    axis_map m;
    for (int axis = 0; axis < d.rank; ++axis)
        if (axis != first && axis != second) m.keep(d, axis);
    m.start[first] = below, m.start[second] = above;
    m.read(first, m.shape.rank), m.read(second, m.shape.rank);
    std::int64_t const rows = d[first] - below, columns = d[second] - above, shorter = rows < columns ? rows : columns;
    m.shape.push_back(d[first] == dyn || d[second] == dyn ? dyn : shorter > 0 ? shorter : 0);
    return m;
}

// The attributes of sliding_window_view are pairs of an axis and a window size. The axis then counts the positions where a window
// begins, and a new last axis runs within the window.
TRACEXPR_ONCE constexpr axis_map windows_map(dims const& d, attribute_span pairs, dims const*) {
    if (pairs.size() % 2) return {{}, "needs a size for each axis"};
    if (d.rank + static_cast<int>(pairs.size()) / 2 > max_rank) return {{}, "the rank must be at most 8"};
    axis_map m = same_map(d, {}, nullptr);
    for (std::size_t k = 0; k < pairs.size(); k += 2) {
        std::int64_t const size = pairs[k + 1];
        if (pairs[k] < 0 || pairs[k] >= d.rank) return {{}, "axes must lie within the rank"};
        int const axis = static_cast<int>(pairs[k]);
        std::int64_t& places = m.shape[axis];
        if (size < 1 || (places != dyn && size > places)) return {{}, "a window must have an element, and no more than its axis"};
        if (places != dyn) places -= size - 1;
        m.steps[axis].is_whole = false;
        m.read(axis, m.shape.rank);
        m.shape.push_back(size);
    }
    return m;
}

// A view_rule describes a view op. `map` makes its map from the operand's shape, the attributes, and the shape of a second
// operand if there is one. `attributes` is what the attributes are called; every `pace`-th of them from `first_axis` on is the
// number of an axis (none is if `pace` is 0). To apply the view to many operands which are stacked along a new first axis, the
// first `in_front` numbers of `front` are put before its attributes.
struct view_rule {
    op code;
    axis_map (*map)(dims const& operand, attribute_span attributes, dims const* like);
    char const* attributes = "";
    std::size_t first_axis = 0, pace = 0;
    std::size_t in_front = 0;
    std::int64_t front[3]{};
};
inline constexpr view_rule view_rules[]{
    // Of a stacked reshape, the attributes that copy an axis must count one axis more.
    {op::reshape, reshape_map, "shape", 0, 0, 1, {-2}},
    {op::transpose, transpose_map, "permutation", 0, 1, 1, {0}},
    {op::broadcast_to, broadcast_map, "shape", 0, 0, 1, {-1}},
    {op::sum_to, sum_to_map},
    {op::expand_dims, expand_map, "axes", 0, 1},
    {op::squeeze, squeeze_map, "axes", 0, 1},
    {op::slice, slice_map, "bounds", 0, 0, 3, {slice_open, slice_open, 1}},
    {op::diagonal, diagonal_map, "offset_and_axes", 1, 1},
    {op::sliding_window_view, windows_map, "axes_and_sizes", 0, 2},
    {op::barrier, same_map},
};
TRACEXPR_ONCE constexpr bool has_every_view(table_view<view_rule> rules) {
    std::size_t next = 0;
    for (op_info const& row : op_table)
        if (row.kind == kind::view && (next == rules.size() || rules[next++].code != row.code)) return false;
    return next == rules.size();
}
static_assert(has_every_view(view_rules), "view_rules lists every op of kind::view once, in the order of op_table");

TRACEXPR_ONCE constexpr view_rule const& rule_of_view(op view) {
    return view_rules[static_cast<std::size_t>(view) - static_cast<std::size_t>(view_rules[0].code)];
}

} // namespace detail

constexpr axis_map view_map(op view, dims const& operand, attribute_span attributes, dims const* like = nullptr) {
    return detail::rule_of_view(view).map(operand, attributes, like);
}
// The attributes of view_add and view_set are a view op and that op's own attributes; they say which elements of x are changed.
constexpr op added_view(attribute_span attributes) { return static_cast<op>(attributes[0]); }
TRACEXPR_ONCE constexpr axis_map updated_map(dims const& x, attribute_span attributes) {
    bool const is_op = !attributes.empty() && attributes[0] >= 0 && attributes[0] < static_cast<std::int64_t>(op_count);
    if (!is_op || info(added_view(attributes)).kind != kind::view || info(added_view(attributes)).arity != 1)
        return {{}, "needs a view of one operand"};
    return view_map(added_view(attributes), x, attributes.subspan(1));
}

} // namespace tx

TRACEXPR_END_PASSES
