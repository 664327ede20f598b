// Identities of views: those that change nothing go, two of a kind become one, attributes take one form. An extent that is not
// known yet may hide an error; a view that would find it stays.
#pragma once

#include <tracexpr/graph/infer.hpp>
#include <tracexpr/passes/rules_common.hpp>

namespace tx::rules {

// Attributes that are being put together.
struct attribute_list {
    std::int64_t at[3 * max_rank]{};
    int count = 0;

    constexpr attribute_list() = default;
    constexpr attribute_list(rewriter const& r, node const& n) : count{static_cast<int>(n.attributes.count)} {
        std::int64_t const* const from = r.attributes_of(n);
        for (int k = 0; k < count; ++k) at[k] = from[k];
    }
    // The axes whose bits are set.
    constexpr explicit attribute_list(std::uint32_t axes) {
        for (int axis = 0; axis < max_rank; ++axis)
            if (axes >> axis & 1u) at[count++] = axis;
    }
    constexpr void push_back(std::int64_t value) { at[count++] = value; }
    constexpr std::uint32_t as_axes(int from = 0) const {
        std::uint32_t axes = 0;
        for (int k = from; k < count; ++k) axes |= 1u << at[k];
        return axes;
    }
    friend constexpr bool operator==(attribute_list const& a, attribute_list const& b) {
        if (a.count != b.count) return false;
        for (int k = 0; k < a.count; ++k)
            if (a.at[k] != b.at[k]) return false;
        return true;
    }
};

constexpr node_id make_view(rewriter& r, op code, dims const& shape, node_id x, attribute_list const& attributes) {
    return make_view(r, code, shape, x, attributes.at, attributes.count);
}
// `d` with other attributes.
constexpr node_id with_attributes(rewriter& r, node d, attribute_list const& attributes) {
    d.attributes = r.add_attributes(attributes.at, static_cast<std::size_t>(attributes.count));
    return r.make(d);
}
// x in the place of d, unless d promises more about its shape.
constexpr node_id instead(rewriter const& r, node const& d, node_id x) { return r[x].shape == d.shape ? x : node_id::none; }

// Bit k set: the axis of `axes` that is the k-th of those in `among`.
constexpr std::uint32_t renumbered(std::uint32_t axes, std::uint32_t among) {
    std::uint32_t out = 0, number = 0;
    for (std::uint32_t axis = 0; axis < max_rank; ++axis)
        if (among >> axis & 1u) out |= (axes >> axis & 1u) << number++;
    return out;
}
constexpr std::uint32_t all_axes(int rank) { return (1u << rank) - 1u; }

// The node whose extents, all of them in order, these are; or none.
constexpr node_id told_shape(rewriter const& r, node const& extents) {
    node_id told = node_id::none;
    for (std::uint32_t axis = 0; axis < extents.attributes.count; ++axis) {
        std::int64_t const code = r.attributes_of(extents)[axis];
        if (code >= 0) return node_id::none;
        node const& number = r[r.operands_of(extents)[-1 - code]];
        bool const is_extent = number.code == op::axis_size && number.attributes.count == 1 && r.attributes_of(number)[0] == axis;
        if (!is_extent || (axis > 0 && number.operand[0] != told)) return node_id::none;
        told = number.operand[0];
    }
    return told != node_id::none && r.shape_of(told).rank == static_cast<int>(extents.attributes.count) ? told : node_id::none;
}

// A node that has y's shape whenever the graph runs, and needs less computation.
constexpr node_id shape_source(rewriter const& r, node_id y) {
    for (;;) {
        node const& n = r[y];
        node_id next = node_id::none;
        if (n.code >= op::cast && n.code <= op::fma) {
            for (std::uint32_t k = 0; k < n.arity && next == node_id::none; ++k)
                if (has_shape_of(r, n, n.operand[k])) next = n.operand[k];
        } else if ((n.code == op::broadcast_to || n.code == op::sum_to || n.code == op::reshape) && n.arity == 2) {
            next = n.operand[1];
        } else if (n.code == op::extents) {
            next = told_shape(r, n);
        } else if (info(n.code).kind == kind::update) {
            next = n.operand[0];
        } else if (n.code >= op::cumsum && n.code <= op::cummin) {
            next = n.operand[0];
        }
        if (next == node_id::none) return y;
        y = next;
    }
}

// Both broadcasts at once, unless the inner one checks an extent that the outer one does not.
constexpr bool broadcasts_merge(dims const& first, dims const& middle, dims const& last) {
    for (int i = 1; i <= middle.rank; ++i) {
        std::int64_t const given = i <= first.rank ? first[first.rank - i] : 1, between = middle[middle.rank - i];
        if (given == dyn && between != dyn && between != last[last.rank - i]) return false;
    }
    return first.rank >= 0;
}

constexpr node_id broadcast_rule(rewriter& r, node d) {
    node const x = r[d.operand[0]];
    dims const shape = r.shape_of(d);
    if (d.arity == 2) {
        if (shape.is_static()) return make_broadcast(r, shape, d.operand[0]);
        d.operand[1] = shape_source(r, d.operand[1]);
        if (x.code == op::broadcast_to && x.arity == 1 && r.shape_of(x.operand[0]).rank == 0 &&
            r.shape_of(d.operand[0]).size() == 1) {
            d.operand[0] = x.operand[0];
            return r.make(d);
        }
        if (d.operand[0] == d.operand[1] || (x.code == op::broadcast_to && x.arity == 2 && x.operand[1] == d.operand[1]))
            return d.operand[0];
        return r.append(d);
    }
    dims const& given = r.shape_of(x);
    bool canonical = true;
    for (int axis = 0; axis < shape.rank; ++axis) canonical = canonical && r.attributes_of(d)[axis] == shape[axis];
    if (!canonical) return make_broadcast(r, shape, d.operand[0]);
    if (given == shape) return d.operand[0];
    if (x.code == op::broadcast_to && x.arity == 1 && broadcasts_merge(r.shape_of(x.operand[0]), given, shape))
        return make_broadcast(r, shape, x.operand[0]);
    // New axes in front are what broadcasting makes anyway.
    if (x.code == op::expand_dims && attribute_list(r, x).as_axes() == all_axes(static_cast<int>(x.attributes.count)))
        return make_broadcast(r, shape, x.operand[0]);
    return node_id::none;
}

constexpr bool is_reshaping(op code) { return code == op::reshape || code == op::expand_dims || code == op::squeeze; }

// A reshape to the shape of another operand: that is needed where no attribute could say it.
constexpr node_id reshape_to_other_rule(rewriter& r, node d) {
    dims const shape = r.shape_of(d);
    if (!shape.is_static()) {
        d.operand[1] = shape_source(r, d.operand[1]);
        return d.operand[0] == d.operand[1] ? instead(r, d, d.operand[0]) : r.append(d);
    }
    attribute_list plain;
    for (int axis = 0; axis < shape.rank; ++axis) plain.push_back(shape[axis]);
    return make_view(r, op::reshape, shape, d.operand[0], plain);
}
constexpr node_id reshape_rule(rewriter& r, node const& d) {
    if (d.arity == 2) return reshape_to_other_rule(r, d);
    node const x = r[d.operand[0]];
    dims const shape = r.shape_of(d), given = r.shape_of(x);
    attribute_list const target(r, d);
    attribute_list plain;
    bool keeps_all = shape.rank == given.rank, has_zero = false, has_open = false, stays_open = false;
    for (int axis = 0; axis < shape.rank; ++axis) {
        std::int64_t const code = target.at[axis];
        has_open = has_open || code == -1, has_zero = has_zero || code == 0;
        stays_open = stays_open || (code == -1 && shape[axis] == dyn);
        keeps_all = keeps_all && (code == -2 - axis || code == -1 || (given[axis] != dyn && code == given[axis]));
    }
    // An extent that is known replaces a copied one, but for 0: the open extent follows from the size without what is copied.
    for (int axis = 0; axis < shape.rank; ++axis)
        plain.push_back(shape[axis] == dyn || (stays_open && shape[axis] == 0) ? target.at[axis] : shape[axis]);
    if (has_open && has_zero) keeps_all = false; // else the open extent is what the others leave: the old one
    if (keeps_all || (shape.is_static() && given == shape)) return instead(r, d, d.operand[0]);
    if (!(plain == target)) return with_attributes(r, d, plain);
    if (is_reshaping(x.code) && shape.is_static() && (given.is_static() || r.shape_of(x.operand[0]).is_static()))
        return make_view(r, op::reshape, shape, x.operand[0], plain);
    return node_id::none;
}

constexpr node_id transpose_rule(rewriter& r, node const& d) {
    attribute_list order(r, d);
    bool changes = false;
    for (int axis = 0; axis < order.count; ++axis) changes = changes || order.at[axis] != axis;
    node const x = r[d.operand[0]];
    if (!changes) return instead(r, d, d.operand[0]);
    if (x.code != op::transpose) return node_id::none;
    attribute_list const first(r, x);
    for (int axis = 0; axis < order.count; ++axis) order.at[axis] = first.at[order.at[axis]];
    return make_view(r, op::transpose, r.shape_of(d), x.operand[0], order);
}

constexpr node_id expand_rule(rewriter& r, node const& d) {
    attribute_list const axes(r, d);
    if (axes.count == 0) return instead(r, d, d.operand[0]);
    node const x = r[d.operand[0]];
    dims const shape = r.shape_of(d);
    if (x.code == op::squeeze && attribute_list(r, x) == axes && r[x.operand[0]].shape == d.shape) return x.operand[0];
    if (x.code != op::expand_dims) return node_id::none;
    std::uint32_t const outer = axes.as_axes(), inner = attribute_list(r, x).as_axes();
    std::uint32_t both = outer;
    for (int axis = 0, from = 0; axis < shape.rank; ++axis)
        if (!(outer >> axis & 1u)) both |= (inner >> from++ & 1u) << axis;
    return make_view(r, op::expand_dims, shape, x.operand[0], attribute_list(both));
}

constexpr dims without_axes(dims const& d, std::uint32_t axes) {
    dims out;
    for (int axis = 0; axis < d.rank; ++axis)
        if (!(axes >> axis & 1u)) out.push_back(d[axis]);
    return out;
}

constexpr node_id squeeze_rule(rewriter& r, node const& d) {
    attribute_list const axes(r, d);
    if (axes.count == 0) return instead(r, d, d.operand[0]);
    std::uint32_t const gone = axes.as_axes();
    if (!(attribute_list(gone) == axes)) return with_attributes(r, d, attribute_list(gone));
    node const x = r[d.operand[0]];
    dims const given = r.shape_of(x), shape = r.shape_of(d);
    if (x.code == op::squeeze) {
        std::uint32_t const before = attribute_list(r, x).as_axes();
        std::uint32_t both = before;
        for (int axis = 0, from = 0; from < given.rank; ++axis)
            if (!(before >> axis & 1u)) both |= (gone >> from++ & 1u) << axis;
        return make_view(r, op::squeeze, shape, x.operand[0], attribute_list(both));
    }
    if (x.code != op::expand_dims) return node_id::none;
    std::uint32_t const made = attribute_list(r, x).as_axes(), cancelled = made & gone;
    if (!cancelled) return node_id::none;
    std::uint32_t const kept = all_axes(given.rank) & ~cancelled;
    node_id out = x.operand[0];
    if (made != cancelled)
        out = make_view(r, op::expand_dims, without_axes(given, cancelled), out,
                        attribute_list(renumbered(made & ~cancelled, kept)));
    if (gone == cancelled) return out;
    return make_view(r, op::squeeze, shape, out, attribute_list(renumbered(gone & ~cancelled, kept)));
}

// The one form of start, stop, step for a range of an axis of known extent.
constexpr void push_range(attribute_list& out, slice_range range, std::int64_t extent) {
    if (range.count == 0) range = {0, 0, 1};
    if (range.count == 1) range.step = 1;
    bool const whole = range.start == 0 && range.count == extent && range.step == 1;
    std::int64_t const stop = range.start + (range.count - 1) * range.step + (range.step > 0 ? 1 : -1);
    out.push_back(whole ? slice_open : range.start);
    out.push_back(whole || stop < 0 ? slice_open : range.count == 0 ? 0 : stop);
    out.push_back(range.step);
}

constexpr bool is_whole_slice(std::int64_t const* bounds) {
    return bounds[0] == slice_open && bounds[1] == slice_open && bounds[2] == 1;
}

constexpr node_id slice_rule(rewriter& r, node const& d) {
    node const x = r[d.operand[0]];
    dims const given = r.shape_of(x);
    attribute_list const bounds(r, d);
    attribute_list canonical;
    bool whole = true;
    for (int axis = 0; axis < given.rank; ++axis) {
        std::int64_t const* const b = bounds.at + 3 * axis;
        if (given[axis] != dyn) {
            push_range(canonical, resolved_slice(b[0], b[1], b[2], given[axis]), given[axis]);
        } else {
            canonical.push_back(b[0] == 0 && b[2] > 0 ? slice_open : b[0]);
            canonical.push_back(b[1]);
            canonical.push_back(b[2]);
        }
        whole = whole && is_whole_slice(canonical.at + 3 * axis);
    }
    if (whole) return instead(r, d, d.operand[0]);
    if (!(canonical == bounds)) return with_attributes(r, d, canonical);
    if (x.code != op::slice) return node_id::none;
    attribute_list const first(r, x);
    dims const original = r.shape_of(x.operand[0]);
    attribute_list both;
    for (int axis = 0; axis < given.rank; ++axis) {
        std::int64_t const* const b = bounds.at + 3 * axis;
        std::int64_t const* const a = first.at + 3 * axis;
        if (original[axis] != dyn) {
            slice_range const outer = resolved_slice(b[0], b[1], b[2], given[axis]),
                              inner = resolved_slice(a[0], a[1], a[2], original[axis]);
            push_range(both, {inner.start + outer.start * inner.step, outer.count, inner.step * outer.step}, original[axis]);
        } else if (is_whole_slice(a) || is_whole_slice(b)) {
            for (int k = 0; k < 3; ++k) both.push_back(is_whole_slice(a) ? b[k] : a[k]);
        } else {
            return node_id::none;
        }
    }
    return make_view(r, op::slice, r.shape_of(d), x.operand[0], both);
}

constexpr node_id view_rule(rewriter& r, node const& d) {
    if (d.code == op::broadcast_to) return broadcast_rule(r, d);
    if (r.shape_of(d.operand[0]).rank < 0) return node_id::none;
    node_id const same_everywhere = uniform_value(r, d.operand[0]);
    if (same_everywhere != node_id::none && r.shape_of(d).is_static())
        return make_broadcast(r, dims(r.shape_of(d)), same_everywhere);
    switch (d.code) {
    case op::reshape: return reshape_rule(r, d);
    case op::transpose: return transpose_rule(r, d);
    case op::expand_dims: return expand_rule(r, d);
    case op::squeeze: return squeeze_rule(r, d);
    case op::slice: return slice_rule(r, d);
    default: return node_id::none;
    }
}

} // namespace tx::rules
