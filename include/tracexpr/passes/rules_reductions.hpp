// Identities of reductions, scans, structure and of what asks for extents.
#pragma once

#include <tracexpr/passes/rules_views.hpp>

namespace tx::rules {

// n elements of the same value, reduced; the sum only where it is exact in every order.
constexpr folded reduced_uniform(op code, dtype type, literal_bits value, std::int64_t n) {
    if (n <= 0) return {};
    if (n == 1 && code == op::sum && is_inexact(type)) {
        literal_bits const from_zero[]{value, {}};
        return fold(op::add, type, from_zero);
    }
    if (is_complex(type)) return {};
    if (code == op::max || code == op::min) return value;
    if (code != op::sum) return {};
    if (!is_floating(type)) return wrapped_literal(type, value.low * static_cast<std::uint64_t>(n));
    std::int64_t const limit = std::int64_t{1} << exact_bits(type);
    double const one = real_of(value), most = static_cast<double>(limit / n);
    if (n > limit || !(one <= most && one >= -most) || one != static_cast<double>(static_cast<std::int64_t>(one))) return {};
    return folded(real_literal(one == 0 ? 0 : one * static_cast<double>(n)));
}

// Axes of the transpose's operand, if reducing those leaves the other axes in the same order.
constexpr bool reduces_before_transpose(attribute_list const& order, std::uint32_t& axes, bool keeps_rank) {
    std::uint32_t before = 0;
    std::int64_t last = -1;
    for (int axis = 0; axis < order.count; ++axis) {
        if (axes >> axis & 1u) {
            before |= 1u << order.at[axis];
        } else {
            if (order.at[axis] < last || (keeps_rank && order.at[axis] != axis)) return false;
            last = order.at[axis];
        }
    }
    axes = before;
    return true;
}

constexpr node_id make_reduction(rewriter& r, node d, node_id x, std::int64_t keeps_rank, std::uint32_t axes) {
    attribute_list attributes;
    attributes.push_back(keeps_rank);
    for (int axis = 0; axis < max_rank; ++axis)
        if (axes >> axis & 1u) attributes.push_back(axis);
    d.operand[0] = x;
    return with_attributes(r, d, attributes);
}

// The same reduction where the graph has it already with the other choice of keepdims: one is a view of the other.
constexpr node_id view_of_twin(rewriter& r, node const& d, dims const& given, attribute_list attributes) {
    bool const keeps_rank = attributes.at[0] != 0;
    attributes.at[0] = !keeps_rank;
    std::size_t const count = static_cast<std::size_t>(attributes.count);
    node draft = d;
    draft.shape = r.shape_number(reduced_shape(given, {attributes.at, count}).shape);
    draft.attributes = r.add_attributes(attributes.at, count);
    node_id const twin = r.find(draft);
    return twin == node_id::none ? twin
                                 : make_view(r, keeps_rank ? op::expand_dims : op::squeeze, r.shape_of(d), twin,
                                             attribute_list(attributes.as_axes(1)));
}

// The sum of one element: sums begin with 0, so that of -0 is 0.
constexpr node_id added_to_zero(rewriter& r, node const& d, node_id x) {
    if (!is_inexact(d.type) || r.options().fast_math) return x;
    node draft = d;
    draft.code = op::add, draft.arity = 2, draft.attributes = {}, draft.shape = r[x].shape;
    draft.operand[0] = x, draft.operand[1] = r.literal(d.type, {});
    return r.append(draft);
}

constexpr node_id reduction_rule(rewriter& r, node const& d) {
    attribute_list const attributes(r, d);
    node const x = r[d.operand[0]];
    dims const given = r.shape_of(x);
    if (given.rank < 0) return node_id::none;
    bool const keeps_rank = attributes.at[0] != 0, picks_index = d.code == op::argmax || d.code == op::argmin;
    std::uint32_t axes = attributes.as_axes(1);
    bool sorted = true, trivial = true;
    std::int64_t count = 1;
    for (int k = 1; k < attributes.count; ++k) {
        std::int64_t const extent = given[static_cast<int>(attributes.at[k])];
        sorted = sorted && (k == 1 || attributes.at[k] > attributes.at[k - 1]);
        trivial = trivial && extent == 1;
        count = extent == dyn || count == dyn ? dyn : count * extent;
    }
    if (!sorted) return make_reduction(r, d, d.operand[0], attributes.at[0], axes);
    node_id const same_everywhere = uniform_value(r, d.operand[0]);
    dims const shape = r.shape_of(d);
    if (same_everywhere != node_id::none && shape.is_static()) {
        node const& value = r[same_everywhere];
        folded const out = reduced_uniform(d.code, d.type, {value.bits[0], value.bits[1]}, count);
        if (out.known) return make_broadcast(r, shape, r.literal(d.type, out.bits));
    }
    if (trivial && !picks_index) {
        node_id const only = d.code == op::sum && axes != 0 ? added_to_zero(r, d, d.operand[0]) : d.operand[0];
        if (keeps_rank || axes == 0) return instead(r, d, only);
        return make_view(r, op::squeeze, r.shape_of(d), only, attribute_list(axes));
    }
    if (picks_index) return node_id::none;
    if (x.code == op::transpose && reduces_before_transpose(attribute_list(r, x), axes, keeps_rank))
        return make_reduction(r, d, x.operand[0], attributes.at[0], axes);
    if (is_reshaping(x.code) && shape.rank == 0 && r.shape_of(x.operand[0]).is_static())
        return make_reduction(r, d, x.operand[0], 0, all_axes(r.shape_of(x.operand[0]).rank));
    return view_of_twin(r, d, given, attributes);
}

// The axes that surely were broadcast are summed; what is left is nothing, or axes whose extents only a run tells.
constexpr node_id sum_to_rule(rewriter& r, node const& draft) {
    node d = draft;
    dims const shape = r.shape_of(d), given = r.shape_of(d.operand[0]);
    if (shape.rank < 0 || given.rank < 0) return node_id::none;
    int const extra = given.rank - shape.rank;
    std::uint32_t summed = 0;
    dims left = given;
    bool open = false;
    for (int axis = 0; axis < given.rank; ++axis) {
        bool const gone = axis < extra || (shape[axis - extra] == 1 && given[axis] != 1);
        if (gone) summed |= 1u << axis, left[axis] = 1;
        else open = open || given[axis] != shape[axis - extra] || given[axis] == dyn;
    }
    node_id x = d.operand[0];
    if (summed) {
        attribute_list attributes;
        attributes.push_back(1);
        for (int axis = 0; axis < given.rank; ++axis)
            if (summed >> axis & 1u) attributes.push_back(axis);
        x = make_view(r, op::sum, left, x, attributes);
        if (extra > 0) x = make_view(r, op::squeeze, without_axes(left, all_axes(extra)), x, attribute_list(all_axes(extra)));
    }
    node_id const like = shape_source(r, d.operand[1]);
    if (!open || like == shape_source(r, x)) return instead(r, d, x) == node_id::none ? r.append(d) : x;
    d.operand[0] = x, d.operand[1] = like;
    return r.append(d);
}

constexpr node_id marker_rule(rewriter& r, node const& d) { return r.operands_of(d)[0]; }

constexpr node_id scan_rule(rewriter& r, node const& d) {
    int const along = static_cast<int>(r.attributes_of(d)[0]);
    dims const& given = r.shape_of(d.operand[0]);
    return given.rank >= 0 && given[along] == 1 ? instead(r, d, d.operand[0]) : node_id::none;
}

constexpr node_id axis_size_rule(rewriter& r, node const& draft) {
    node d = draft;
    dims const& given = r.shape_of(d.operand[0]);
    if (given.rank >= 0) {
        std::int64_t const count = elements_along(given, {r.attributes_of(d), d.attributes.count});
        folded const out = fold_cast({static_cast<std::uint64_t>(count), 0}, dtype::int64, d.type);
        if (count != dyn && out.known) return r.literal(d.type, out.bits);
    }
    d.operand[0] = shape_source(r, d.operand[0]);
    node const from = r[d.operand[0]];
    if (from.code == op::extents && d.attributes.count == 1 && is_integer(d.type)) {
        std::int64_t const code = r.attributes_of(from)[r.attributes_of(d)[0]];
        if (code >= 0) return r.literal(d.type, fold_cast({static_cast<std::uint64_t>(code), 0}, dtype::int64, d.type).bits);
        if (node_id const number = r.operands_of(from)[-1 - code]; r[number].type == d.type) return number;
    }
    return r.append(d);
}

// iota with an operand has that operand's shape.
constexpr node_id iota_rule(rewriter& r, node const& draft) {
    node d = draft;
    if (d.arity == 0) return node_id::none;
    if (r.shape_of(d).is_static()) d.arity = 0, d.operand[0] = node_id::none;
    else d.operand[0] = shape_source(r, d.operand[0]);
    return r.append(d);
}

// A literal is a scalar; one with axes is that, broadcast.
constexpr node_id literal_rule(rewriter& r, node const& d) {
    dims const shape = r.shape_of(d);
    return shape.rank == 0 ? node_id::none : make_broadcast(r, shape, r.literal(d.type, {d.bits[0], d.bits[1]}));
}

constexpr node_id pad_rule(rewriter& r, node const& d) {
    std::int64_t const* const widths = r.attributes_of(d);
    for (std::uint32_t k = 0; k < d.attributes.count; ++k)
        if (widths[k] != 0) return node_id::none;
    return instead(r, d, d.operand[0]);
}

constexpr node_id concatenate_rule(rewriter& r, node const& d) {
    return d.arity == 1 ? instead(r, d, d.operand[0]) : node_id::none;
}

} // namespace tx::rules
