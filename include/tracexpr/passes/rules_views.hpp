// This file holds the rules of simplify for views: they remove views that change nothing, merge views of the same kind, and bring
// attributes into one form. An unknown extent may hide an error, so a view that would detect it stays.
#pragma once

#include <tracexpr/graph/infer.hpp>
#include <tracexpr/passes/rules_common.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::rules {

// An attribute_list holds attributes under construction.
struct attribute_list {
    std::int64_t at[3 * max_rank]{};
    int count = 0;

    constexpr attribute_list() = default;
    constexpr attribute_list(rewriter const& r, node const& n) : count{static_cast<int>(n.attributes.count)} {
        std::int64_t const* const from = r.attributes_of(n);
        for (int k = 0; k < count; ++k) at[k] = from[k];
    }
    // Makes a list of the axes whose bits are set.
    constexpr explicit attribute_list(std::uint32_t axes) {
        for (int axis = 0; axis < max_rank; ++axis)
            if (axes >> axis & 1u) at[count++] = axis;
    }
    constexpr void push_back(std::int64_t value) { at[count++] = value; }
    TRACEXPR_ONCE constexpr std::uint32_t as_axes(int from = 0) const {
        std::uint32_t axes = 0;
        for (int k = from; k < count; ++k) axes |= 1u << at[k];
        return axes;
    }
    TRACEXPR_ONCE friend constexpr bool operator==(attribute_list const& a, attribute_list const& b) {
        if (a.count != b.count) return false;
        for (int k = 0; k < a.count; ++k)
            if (a.at[k] != b.at[k]) return false;
        return true;
    }
};

constexpr node_id make_view(rewriter& r, op code, dims const& shape, node_id x, attribute_list const& attributes) {
    return make_view(r, code, shape, x, attributes.at, attributes.count);
}
// Makes `d` with other attributes.
TRACEXPR_ONCE constexpr node_id with_attributes(rewriter& r, node d, attribute_list const& attributes) {
    d.attributes = r.add_attributes(attributes.at, static_cast<std::size_t>(attributes.count));
    return r.make(d);
}
// Returns a set in which bit k says that `axes` has the k-th axis of `among`.
TRACEXPR_ONCE constexpr std::uint32_t renumbered(std::uint32_t axes, std::uint32_t among) {
    std::uint32_t out = 0, number = 0;
    for (std::uint32_t axis = 0; axis < max_rank; ++axis)
        if (among >> axis & 1u) out |= (axes >> axis & 1u) << number++;
    return out;
}
constexpr std::uint32_t all_axes(int rank) { return (1u << rank) - 1u; }

// Returns the node whose extents, all of them in order, op::extents copies; or none.
TRACEXPR_ONCE constexpr node_id told_shape(rewriter const& r, node const& extents) {
    node_id source = node_id::none;
    for (std::uint32_t axis = 0; axis < extents.attributes.count; ++axis) {
        std::int64_t const code = r.attributes_of(extents)[axis];
        if (code >= 0) return node_id::none;
        node const& number = r[r.operands_of(extents)[-1 - code]];
        bool const is_extent = number.code == op::axis_size && number.attributes.count == 1 && r.attributes_of(number)[0] == axis;
        if (!is_extent || (axis > 0 && number.operand[0] != source)) return node_id::none;
        source = number.operand[0];
    }
    return source != node_id::none && r.shape_of(source).rank == static_cast<int>(extents.attributes.count) ? source
                                                                                                            : node_id::none;
}

// Returns a node that has y's shape whenever the graph runs, and needs less computation.
TRACEXPR_ONCE constexpr node_id shape_source(rewriter const& r, node_id y) {
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
        } else if ((n.code >= op::cumsum && n.code <= op::cummin) || n.code == op::sort) {
            next = n.operand[0];
        }
        if (next == node_id::none) return y;
        y = next;
    }
}

// Can two broadcasts become one? Not if the inner one checks an extent that the outer one does not.
TRACEXPR_ONCE constexpr bool broadcasts_merge(dims const& first, dims const& middle, dims const& last) {
    for (int i = 1; i <= middle.rank; ++i) {
        std::int64_t const given = i <= first.rank ? first[first.rank - i] : 1, between = middle[middle.rank - i];
        if (given == dyn && between != dyn && between != last[last.rank - i]) return false;
    }
    return first.rank >= 0;
}

constexpr bool is_told(node const& broadcast) { return broadcast.code == op::broadcast_to && broadcast.arity == 2; }

TRACEXPR_ONCE constexpr node_id broadcast_of_scalar(site& s) {
    node const x = s.r[s.a()];
    bool const from_scalar = x.code == op::broadcast_to && x.arity == 1 && s.r.shape_of(x.operand[0]).rank == 0;
    if (!from_scalar || s.given().size() != 1) return node_id::none;
    s.d.operand[0] = x.operand[0];
    return s.r.make(s.d);
}
TRACEXPR_ONCE constexpr node_id plain_broadcast(site& s) {
    dims const shape = s.r.shape_of(s.d);
    for (int axis = 0; axis < shape.rank; ++axis)
        if (s.r.attributes_of(s.d)[axis] != shape[axis]) return make_broadcast(s.r, shape, s.a());
    return node_id::none;
}
TRACEXPR_ONCE constexpr node_id merged_broadcast(site& s) {
    node const x = s.r[s.a()];
    dims const shape = s.r.shape_of(s.d);
    bool const merges = x.arity == 1 && broadcasts_merge(s.r.shape_of(x.operand[0]), s.r.shape_of(x), shape);
    return merges ? make_broadcast(s.r, shape, x.operand[0]) : node_id::none;
}
// Removes new axes in front, which broadcasting adds anyway.
TRACEXPR_ONCE constexpr node_id broadcast_of_expanded(site& s) {
    node const x = s.r[s.a()];
    if (x.code != op::expand_dims) return node_id::none;
    bool const in_front = attribute_list(s.r, x).as_axes() == all_axes(static_cast<int>(x.attributes.count));
    return in_front ? make_broadcast(s.r, dims(s.r.shape_of(s.d)), x.operand[0]) : node_id::none;
}
// Replaces an operand of which only the shape is used by another one of the same shape that needs less computation.
template <std::uint32_t K> constexpr node_id shape_from_source(site& s) {
    s.d.operand[K] = shape_source(s.r, s.d.operand[K]);
    return node_id::none;
}

constexpr bool is_reshaping(op code) { return code == op::reshape || code == op::expand_dims || code == op::squeeze; }

TRACEXPR_ONCE constexpr node_id reshape_to_known(site& s) {
    dims const shape = s.r.shape_of(s.d);
    return shape.is_static() ? make_view(s.r, op::reshape, shape, s.a(), shape.extent, shape.rank) : node_id::none;
}
// Replaces a copied extent that is known by its number. A known 0 is not written if another extent stays open, because that
// extent would then follow from the size of nothing.
TRACEXPR_ONCE constexpr node_id plain_reshape(site& s) {
    dims const& shape = s.r.shape_of(s.d);
    attribute_list const target(s.r, s.d);
    attribute_list plain;
    bool stays_open = false;
    for (int axis = 0; axis < shape.rank; ++axis) stays_open = stays_open || (target.at[axis] == -1 && shape[axis] == dyn);
    for (int axis = 0; axis < shape.rank; ++axis)
        plain.push_back(shape[axis] == dyn || (stays_open && shape[axis] == 0) ? target.at[axis] : shape[axis]);
    return plain == target ? node_id::none : with_attributes(s.r, s.d, plain);
}
TRACEXPR_ONCE constexpr node_id idle_reshape(site& s) {
    dims const &shape = s.r.shape_of(s.d), &given = s.given();
    if (shape.is_static() && given == shape) return s.instead(s.a());
    std::int64_t const* const target = s.r.attributes_of(s.d);
    bool has_zero = false, has_open = false;
    for (int axis = 0; axis < shape.rank; ++axis) {
        has_open = has_open || target[axis] == -1, has_zero = has_zero || target[axis] == 0;
        bool const known = given[axis] != dyn && target[axis] == given[axis];
        if (shape.rank != given.rank || (target[axis] != -2 - axis && target[axis] != -1 && !known)) return node_id::none;
    }
    // The open extent is what the others leave: the old one, unless one of them is 0.
    return shape.rank == given.rank && !(has_open && has_zero) ? s.instead(s.a()) : node_id::none;
}
TRACEXPR_ONCE constexpr node_id reshape_of_reshaped(site& s) {
    node const x = s.r[s.a()];
    dims const& shape = s.r.shape_of(s.d);
    if (!is_reshaping(x.code) || !shape.is_static()) return node_id::none;
    if (!s.given().is_static() && !s.r.shape_of(x.operand[0]).is_static()) return node_id::none;
    return make_view(s.r, op::reshape, dims(shape), x.operand[0], attribute_list(s.r, s.d));
}

TRACEXPR_ONCE constexpr node_id idle_view(site& s) {
    axis_map const m = view_map(s.d.code, s.given(), {s.r.attributes_of(s.d), s.d.attributes.count});
    bool moves = m.shape.rank != s.given().rank;
    for (int k = 0; k < m.count; ++k)
        moves = moves || m.steps[k].from != m.steps[k].to || m.steps[k].by != 1 || !m.steps[k].is_whole;
    return moves ? node_id::none : s.instead(s.a());
}
TRACEXPR_ONCE constexpr node_id merged_transpose(site& s) {
    node const x = s.r[s.a()];
    attribute_list const first(s.r, x);
    attribute_list order(s.r, s.d);
    for (int axis = 0; axis < order.count; ++axis) order.at[axis] = first.at[order.at[axis]];
    return make_view(s.r, op::transpose, dims(s.r.shape_of(s.d)), x.operand[0], order);
}

TRACEXPR_ONCE constexpr node_id expanded_back(site& s) {
    node const x = s.r[s.a()];
    bool const undoes =
        x.code == op::squeeze && s.r[x.operand[0]].shape == s.d.shape && attribute_list(s.r, x) == attribute_list(s.r, s.d);
    return undoes ? x.operand[0] : node_id::none;
}
// Returns the axes that are new after two expand_dims: those in `axes`, and `others`, renumbered for the axes put among them.
TRACEXPR_ONCE constexpr std::uint32_t put_among(std::uint32_t axes, std::uint32_t others, int rank) {
    std::uint32_t both = axes;
    for (int axis = 0, from = 0; axis < rank; ++axis)
        if (!(axes >> axis & 1u)) both |= (others >> from++ & 1u) << axis;
    return both;
}
TRACEXPR_ONCE constexpr node_id merged_expand(site& s) {
    node const x = s.r[s.a()];
    dims const shape = s.r.shape_of(s.d);
    std::uint32_t const both = put_among(attribute_list(s.r, s.d).as_axes(), attribute_list(s.r, x).as_axes(), shape.rank);
    return make_view(s.r, op::expand_dims, shape, x.operand[0], attribute_list(both));
}

TRACEXPR_ONCE constexpr dims without_axes(dims const& d, std::uint32_t axes) {
    dims out;
    for (int axis = 0; axis < d.rank; ++axis)
        if (!(axes >> axis & 1u)) out.push_back(d[axis]);
    return out;
}

TRACEXPR_ONCE constexpr node_id merged_squeeze(site& s) {
    node const x = s.r[s.a()];
    int const rank = s.given().rank + static_cast<int>(x.attributes.count);
    std::uint32_t const both = put_among(attribute_list(s.r, x).as_axes(), attribute_list(s.r, s.d).as_axes(), rank);
    return make_view(s.r, op::squeeze, dims(s.r.shape_of(s.d)), x.operand[0], attribute_list(both));
}
TRACEXPR_ONCE constexpr node_id squeeze_of_expanded(site& s) {
    node const x = s.r[s.a()];
    if (x.code != op::expand_dims) return node_id::none;
    dims const given = s.given(), shape = s.r.shape_of(s.d);
    std::uint32_t const made = attribute_list(s.r, x).as_axes(), squeezed = attribute_list(s.r, s.d).as_axes(),
                        both = made & squeezed;
    if (!both) return node_id::none;
    std::uint32_t const remaining = all_axes(given.rank) & ~both;
    node_id out = x.operand[0];
    if (made != both)
        out =
            make_view(s.r, op::expand_dims, without_axes(given, both), out, attribute_list(renumbered(made & ~both, remaining)));
    if (squeezed == both) return out;
    return make_view(s.r, op::squeeze, shape, out, attribute_list(renumbered(squeezed & ~both, remaining)));
}

// Appends start, stop and step of a range over an axis of known extent in their one form.
TRACEXPR_ONCE constexpr void push_range(attribute_list& out, slice_range range, std::int64_t extent) {
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

TRACEXPR_ONCE constexpr node_id plain_slice(site& s) {
    dims const& given = s.given();
    attribute_list const bounds(s.r, s.d);
    attribute_list plain;
    for (int axis = 0; axis < given.rank; ++axis) {
        std::int64_t const* const b = bounds.at + 3 * axis;
        if (given[axis] != dyn) {
            push_range(plain, resolved_slice(b[0], b[1], b[2], given[axis]), given[axis]);
        } else {
            plain.push_back(b[0] == 0 && b[2] > 0 ? slice_open : b[0]);
            plain.push_back(b[1]);
            plain.push_back(b[2]);
        }
    }
    return plain == bounds ? node_id::none : with_attributes(s.r, s.d, plain);
}
TRACEXPR_ONCE constexpr node_id merged_slice(site& s) {
    node const x = s.r[s.a()];
    dims const given = s.given(), original = s.r.shape_of(x.operand[0]);
    attribute_list const bounds(s.r, s.d), first(s.r, x);
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
    return make_view(s.r, op::slice, dims(s.r.shape_of(s.d)), x.operand[0], both);
}

TRACEXPR_ONCE constexpr node_id view_of_uniform(site& s) {
    dims const shape = s.r.shape_of(s.d);
    return shape.is_static() ? make_broadcast(s.r, shape, s.value[0]) : node_id::none;
}

inline constexpr rule_row view_rules[]{
    exactly("view of equal elements", {op::reshape, op::transpose, op::expand_dims, op::squeeze, op::slice, op::diagonal},
            first(is::uniform) | is::ranked, view_of_uniform),
    exactly("broadcast_to like y, of known shape", {op::broadcast_to}, is::pair,
            [](site& s) {
                dims const shape = s.r.shape_of(s.d);
                return shape.is_static() ? make_broadcast(s.r, shape, s.a()) : node_id::none;
            }),
    exactly("reshape like y, of known shape", {op::reshape}, is::pair | is::ranked, reshape_to_known),
    exactly("broadcast_to like f(y) = like y", {op::broadcast_to, op::reshape}, is::pair, shape_from_source<1>),
    exactly("broadcast_to of a broadcast scalar", {op::broadcast_to}, is::pair, broadcast_of_scalar),
    exactly("broadcast_to like itself", {op::broadcast_to}, is::pair,
            [](site& s) {
                node const& x = s.r[s.a()];
                return s.a() == s.b() || (is_told(x) && x.operand[1] == s.b()) ? s.a() : node_id::none;
            }),
    exactly("broadcast_to, extents as known", {op::broadcast_to}, is::single, plain_broadcast),
    exactly("broadcast_to its own shape", {op::broadcast_to}, is::single,
            [](site& s) { return s.given() == s.r.shape_of(s.d) ? s.a() : node_id::none; }),
    exactly("broadcast_to twice", {op::broadcast_to}, is::single | first(is::same_op), merged_broadcast),
    exactly("broadcast_to of expand_dims", {op::broadcast_to}, is::single, broadcast_of_expanded),

    exactly("reshape like itself", {op::reshape}, is::pair | is::ranked,
            [](site& s) { return s.a() == s.b() ? s.instead(s.a()) : node_id::none; }),
    exactly("reshape, extents as known", {op::reshape}, is::single | is::ranked, plain_reshape),
    exactly("reshape to its own shape", {op::reshape}, is::single | is::ranked, idle_reshape),
    exactly("reshape of what was reshaped", {op::reshape}, is::single | is::ranked, reshape_of_reshaped),
    exactly("view that moves nothing", {op::transpose, op::expand_dims, op::squeeze, op::slice}, is::ranked, idle_view),
    exactly("transpose twice", {op::transpose}, first(is::same_op) | is::ranked, merged_transpose),
    exactly("expand_dims of the axes that squeeze took", {op::expand_dims}, is::ranked, expanded_back),
    exactly("expand_dims twice", {op::expand_dims}, first(is::same_op) | is::ranked, merged_expand),
    exactly("squeeze twice", {op::squeeze}, first(is::same_op) | is::ranked, merged_squeeze),
    exactly("squeeze of axes that expand_dims put in", {op::squeeze}, is::ranked, squeeze_of_expanded),
    exactly("slice, bounds in one form", {op::slice}, is::ranked, plain_slice),
    exactly("slice twice", {op::slice}, first(is::same_op) | is::ranked, merged_slice),
};

} // namespace tx::rules

TRACEXPR_END_PASSES
