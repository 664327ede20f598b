// This file holds the rules of simplify for reductions, scans, structure (concatenate, pad) and ops that ask for extents.
#pragma once

#include <tracexpr/passes/rules_views.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::rules {

// Reduces n elements of the same value. A sum is only folded if it is exact in every order.
TRACEXPR_ONCE constexpr folded reduced_uniform(op code, dtype type, literal_bits value, std::int64_t n) {
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

// Replaces the axes by those of the transpose's operand; false if reducing these leaves the other axes in another order.
TRACEXPR_ONCE constexpr bool reduces_before_transpose(attribute_list const& order, std::uint32_t& axes, bool keeps_rank) {
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

TRACEXPR_ONCE constexpr node_id make_reduction(rewriter& r, node d, node_id x, std::int64_t keeps_rank, std::uint32_t axes) {
    attribute_list attributes;
    attributes.push_back(keeps_rank);
    for (int axis = 0; axis < max_rank; ++axis)
        if (axes >> axis & 1u) attributes.push_back(axis);
    d.operand[0] = x;
    return with_attributes(r, d, attributes);
}

// Returns how many elements are reduced to one; dyn if that is not known.
TRACEXPR_ONCE constexpr std::int64_t reduced_count(site const& s) {
    std::int64_t count = 1;
    std::int64_t const* const attributes = s.r.attributes_of(s.d);
    for (std::uint32_t k = 1; k < s.d.attributes.count; ++k) {
        std::int64_t const extent = s.given()[static_cast<int>(attributes[k])];
        count = extent == dyn || count == dyn ? dyn : count * extent;
    }
    return count;
}
TRACEXPR_ONCE constexpr node_id sorted_reduction(site& s) {
    std::int64_t const* const attributes = s.r.attributes_of(s.d);
    for (std::uint32_t k = 2; k < s.d.attributes.count; ++k)
        if (attributes[k] <= attributes[k - 1])
            return make_reduction(s.r, s.d, s.a(), attributes[0], attribute_list(s.r, s.d).as_axes(1));
    return node_id::none;
}
TRACEXPR_ONCE constexpr node_id reduction_of_uniform(site& s) {
    dims const shape = s.r.shape_of(s.d);
    if (!shape.is_static()) return node_id::none;
    folded const out = reduced_uniform(s.d.code, s.d.type, s.bits_of(0), reduced_count(s));
    return out.known ? make_broadcast(s.r, shape, s.r.literal(s.d.type, out.bits)) : node_id::none;
}
// Sums up one element: sums begin with 0, so the sum of -0 is 0.
TRACEXPR_ONCE constexpr node_id added_to_zero(site& s) {
    if (!is_inexact(s.d.type) || s.r.options().fast_math) return s.a();
    node draft = s.d;
    draft.code = op::add, draft.arity = 2, draft.attributes = {}, draft.shape = s.r[s.a()].shape;
    draft.operand[1] = s.r.literal(s.d.type, {});
    if (node const x = s.r[s.a()]; x.code == op::negative)
        draft.code = op::subtract, draft.operand[0] = draft.operand[1], draft.operand[1] = x.operand[0];
    return s.r.append(draft);
}
TRACEXPR_ONCE constexpr node_id reduction_of_one(site& s) {
    attribute_list const attributes(s.r, s.d);
    for (int k = 1; k < attributes.count; ++k)
        if (s.given()[static_cast<int>(attributes.at[k])] != 1) return node_id::none;
    std::uint32_t const axes = attributes.as_axes(1);
    node_id const only = s.d.code == op::sum && axes != 0 ? added_to_zero(s) : s.a();
    if (attributes.at[0] != 0 || axes == 0) return s.instead(only);
    return make_view(s.r, op::squeeze, dims(s.r.shape_of(s.d)), only, attribute_list(axes));
}
TRACEXPR_ONCE constexpr node_id reduction_of_transposed(site& s) {
    node const x = s.r[s.a()];
    if (x.code != op::transpose) return node_id::none;
    attribute_list const attributes(s.r, s.d);
    std::uint32_t axes = attributes.as_axes(1);
    if (!reduces_before_transpose(attribute_list(s.r, x), axes, attributes.at[0] != 0)) return node_id::none;
    return make_reduction(s.r, s.d, x.operand[0], attributes.at[0], axes);
}
TRACEXPR_ONCE constexpr node_id reduction_of_reshaped(site& s) {
    node const x = s.r[s.a()];
    if (!is_reshaping(x.code) || s.r.shape_of(s.d).rank != 0 || !s.r.shape_of(x.operand[0]).is_static()) return node_id::none;
    return make_reduction(s.r, s.d, x.operand[0], 0, all_axes(s.r.shape_of(x.operand[0]).rank));
}
// Returns a view of the same reduction with the other choice of keepdims, if the graph already has that.
TRACEXPR_ONCE constexpr node_id view_of_twin(site& s) {
    attribute_list attributes(s.r, s.d);
    if (attributes.at[0] & largest_of_none) return node_id::none; // the other reduction would need an element
    bool const keeps_rank = attributes.at[0] != 0;
    attributes.at[0] = !keeps_rank;
    std::size_t const count = static_cast<std::size_t>(attributes.count);
    node draft = s.d;
    draft.shape = s.r.shape_number(reduced_shape(dims(s.given()), {attributes.at, count}).shape);
    draft.attributes = s.r.add_attributes(attributes.at, count);
    node_id const twin = s.r.find(draft);
    if (twin == node_id::none) return twin;
    op const view = keeps_rank ? op::expand_dims : op::squeeze;
    return make_view(s.r, view, dims(s.r.shape_of(s.d)), twin, attribute_list(attributes.as_axes(1)));
}

// Sums over the axes that surely were broadcast; a sum_to remains only for axes whose extents are known at run time.
TRACEXPR_ONCE constexpr node_id expanded_sum_to(rewriter& r, node const& draft) {
    node d = draft;
    dims const shape = r.shape_of(d), given = r.shape_of(d.operand[0]);
    if (shape.rank < 0 || given.rank < 0) return node_id::none;
    int const extra = given.rank - shape.rank;
    std::uint32_t summed = 0;
    dims left = given;
    bool open = false;
    for (int axis = 0; axis < given.rank; ++axis) {
        bool const is_summed = axis < extra || (shape[axis - extra] == 1 && given[axis] != 1);
        if (is_summed) summed |= 1u << axis, left[axis] = 1;
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
    if (!open || like == shape_source(r, x)) return r[x].shape == d.shape ? x : r.append(d);
    d.operand[0] = x, d.operand[1] = like;
    return r.append(d);
}

TRACEXPR_ONCE constexpr node_id known_axis_size(site& s) {
    std::int64_t const count = elements_along(s.given(), {s.r.attributes_of(s.d), s.d.attributes.count});
    folded const out = fold_cast({static_cast<std::uint64_t>(count), 0}, dtype::int64, s.d.type);
    return count != dyn && out.known ? s.r.literal(s.d.type, out.bits) : node_id::none;
}
TRACEXPR_ONCE constexpr node_id axis_size_of_extents(site& s) {
    node const from = s.r[s.a()];
    if (from.code != op::extents || s.d.attributes.count != 1 || !is_integer(s.d.type)) return node_id::none;
    std::int64_t const code = s.r.attributes_of(from)[s.r.attributes_of(s.d)[0]];
    if (code >= 0) return s.r.literal(s.d.type, fold_cast({static_cast<std::uint64_t>(code), 0}, dtype::int64, s.d.type).bits);
    node_id const number = s.r.operands_of(from)[-1 - code];
    return s.r[number].type == s.d.type ? number : node_id::none;
}
TRACEXPR_ONCE constexpr node_id iota_of_known_shape(site& s) {
    if (!s.r.shape_of(s.d).is_static()) return node_id::none;
    s.d.arity = 0, s.d.operand[0] = node_id::none;
    return s.r.append(s.d);
}

inline constexpr rule_row reduction_rules[]{
    exactly("reduction, axes in order", ops_of(kind::reduction), is::ranked, sorted_reduction),
    exactly("place, axes in order", ops_of(kind::arg_reduction), is::ranked, sorted_reduction),
    exactly("reduction of equal elements", {op::sum, op::max, op::min}, first(is::uniform) | is::ranked, reduction_of_uniform),
    exactly("reduction of one element", ops_of(kind::reduction), is::ranked, reduction_of_one),
    exactly("reduction of a transpose", ops_of(kind::reduction), is::ranked, reduction_of_transposed),
    exactly("reduction of all elements, reshaped", ops_of(kind::reduction), is::ranked, reduction_of_reshaped),
    exactly("reduction as another one with the axes kept", ops_of(kind::reduction), is::ranked, view_of_twin),
    exactly("scan or sort of one element", {op::cumsum, op::cumprod, op::cummax, op::cummin, op::sort}, is::ranked,
            [](site& s) {
                int const along = static_cast<int>(s.r.attributes_of(s.d)[0]);
                return s.given()[along] == 1 ? s.instead(s.a()) : node_id::none;
            }),
    exactly("axis_size of a known extent", {op::axis_size}, is::ranked, known_axis_size),
    exactly("iota of a known shape", {op::iota}, is::single, iota_of_known_shape),
    exactly("iota like f(y) = like y", {op::axis_size, op::iota}, is::single, shape_from_source<0>),
    exactly("axis_size of extents", {op::axis_size}, 0, axis_size_of_extents),
    exactly("literal with axes = a broadcast", {op::literal}, 0,
            [](site& s) {
                dims const shape = s.r.shape_of(s.d);
                if (shape.rank == 0) return node_id::none;
                return make_broadcast(s.r, shape, s.r.literal(s.d.type, {s.d.bits[0], s.d.bits[1]}));
            }),
    exactly("pad by nothing", {op::pad}, 0,
            [](site& s) {
                std::int64_t const* const widths = s.r.attributes_of(s.d);
                for (std::uint32_t k = 0; k < s.d.attributes.count; ++k)
                    if (widths[k] != 0) return node_id::none;
                return s.instead(s.a());
            }),
    exactly("concatenate of one", {op::concatenate}, is::single, [](site& s) { return s.instead(s.a()); }),
};

} // namespace tx::rules

TRACEXPR_END_PASSES
