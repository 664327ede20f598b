// Derivatives of ops that are not pointwise. Most are linear: forward they are applied to tangents, backward each has its
// adjoint. The others weigh their operand: their result changes by the sum of weight times step.
#pragma once

#include <tracexpr/ad/decomposition_rules.hpp>

namespace tx::ad {
namespace detail {

inline constexpr std::int64_t all = slice_open;

// x moved by a number of places along the axis, with another value where nothing was.
constexpr value shifted(value const& x, int axis, std::int64_t places, double fill) {
    attribute_list front;
    for (int other = 0; other < x.rank(); ++other) front.push_back(other == axis ? places : 0), front.push_back(0);
    return slice(record(op::pad, {x, x.like(fill)}, front), axis, all, -places); // in this order an extent of 0 stays 0
}

// The products of all elements along the axis but one's own, without dividing by what may be 0.
constexpr value product_of_others(value const& x, int axis) {
    attribute_list const along(axis);
    value const left = unary(op::cumprod, shifted(x, axis, 1, 1), along);
    value const right = unary(op::cumprod, shifted(flip(x, axis), axis, 1, 1), along);
    return left * flip(right, axis);
}
constexpr value product_weights(value const& x, attribute_list const& attributes, std::size_t first = 1) {
    int const axis = static_cast<int>(attributes[first]);
    value const others = product_of_others(x, axis);
    if (first + 1 == attributes.count) return others;
    return others * product_weights(reduce(op::prod, x, attribute_list(1, axis)), attributes, first + 1);
}

// The extremes share evenly where there are several.
constexpr value extreme_weights(value const& x, value const& y, attribute_list const& attributes) {
    value const is_extreme = cast(equal(x, with_reduced_axes(y, attributes)), x.type());
    return is_extreme / reduce(op::sum, is_extreme, attributes);
}

// Of a reduction: the result changes by the sum of weight times step. (A sum's weights are 1; it has no need of them.)
constexpr value weights(site const& n) {
    switch (n.code()) {
    case op::prod: return product_weights(n.a, n.y.attributes());
    case op::max:
    case op::min:
    case op::nanmax:
    case op::nanmin: return extreme_weights(n.a, n.y, n.y.attributes());
    default: throw_no_rule(n.code());
    }
}

// Where along the axis each running extreme stands: the last place at which a new one was reached.
constexpr value running_place(site const& n) {
    int const axis = static_cast<int>(n.y.attributes()[0]);
    value const place = place_along(n.a, axis);
    value const before = shifted(n.y, axis, 1, 0);
    value const starts = equal(place, place.like(0));
    value const fresh = record(op::logical_or, {starts, record(op::not_equal, {n.y, before})});
    return unary(op::cummax, where(fresh, place, value{}), attribute_list(axis));
}

// Where in the operand each element of a sort stands.
constexpr value sorted_place(site const& n) {
    attribute_list const of_sort = n.y.attributes();
    attribute_list order(of_sort[0], of_sort[1], order_of_all);
    for (std::size_t k = order_attributes(op::sort); k < of_sort.count; ++k) order.push_back(of_sort[k]);
    return unary(op::argsort, n.a, order);
}

constexpr value reversed_cumsum(value const& x, int axis) {
    return flip(unary(op::cumsum, flip(x, axis), attribute_list(axis)), axis);
}

// y_k = b_k + a_k y_(k-1) along an axis of known extent, in log n steps without dividing. (Hillis and Steele, Data parallel
// algorithms, 1986, of the maps y -> a y + b)
constexpr value linear_recurrence(value a, value b, int axis) {
    for (std::int64_t by = 1, count = b.shape()[axis]; by < count; by *= 2) {
        b = b + a * shifted(b, axis, by, 0);
        if (2 * by < count) a = a * shifted(a, axis, by, 1);
    }
    return b;
}
// Where the first 0 of x is, and before it: the numbers of a cumprod that may be divided by.
struct zeros_along {
    value before, at_first;
    constexpr zeros_along(value const& x, int axis) {
        value const is_zero = equal(x, x.like(0));
        value const count = unary(op::cumsum, cast(is_zero, dtype::int64), attribute_list(axis));
        before = equal(count, count.like(0)), at_first = logical_and(is_zero, equal(count, count.like(1)));
    }
};

// Of cumprod y = x0, x0 x1, ...: dL/dx_j = y_(j-1) (g_j + x_(j+1) (g_(j+1) + x_(j+2) (...))). Where the extent is unknown, which
// is right to the first order: before the first 0 of x it is sum(g y) / x from there on; at that 0 the same with 1 in its place;
// 0 behind it.
constexpr value cumprod_pulled_back(site const& n, value const& g) {
    int const axis = static_cast<int>(n.y.attributes()[0]);
    value const x = conj(n.a), y = conj(n.y);
    if (std::int64_t const extent = x.shape()[axis]; extent == 0 || extent == 1) return g;
    else if (extent != dyn)
        return shifted(y, axis, 1, 1) * flip(linear_recurrence(shifted(flip(x, axis), axis, 1, 1), flip(g, axis), axis), axis);
    zeros_along const zeros(x, axis);
    value const filled = where(zeros.at_first, x.like(1), x);
    value const left_out = unary(op::cumprod, filled, attribute_list(axis));
    value const slope = reversed_cumsum(g * y, axis) / where(zeros.before, x, x.like(1));
    value const slope_at_zero = reversed_cumsum(where(zeros.before, value{}, g * left_out), axis);
    return where(zeros.before, slope, where(zeros.at_first, slope_at_zero, value{}));
}
// The transpose of that: dy_k = y_(k-1) t_k + x_k dy_(k-1). Else y_k times the sum up to k of t_i / x_i, and with the first 0
// left out behind it.
constexpr value cumprod_pushed_forward(site const& n, value const& t) {
    int const axis = static_cast<int>(n.y.attributes()[0]);
    attribute_list const along(axis);
    value const& x = n.a;
    if (std::int64_t const extent = x.shape()[axis]; extent == 0 || extent == 1) return t;
    else if (extent != dyn) return linear_recurrence(x, shifted(n.y, axis, 1, 1) * t, axis);
    zeros_along const zeros(x, axis);
    value const left_out = unary(op::cumprod, where(zeros.at_first, x.like(1), x), along);
    value const relative = unary(op::cumsum, where(zeros.before, t / where(zeros.before, x, x.like(1)), value{}), along);
    value const at_zero = unary(op::cumsum, where(zeros.at_first, t, value{}), along);
    return where(zeros.before, n.y * relative, left_out * at_zero);
}

// What remains of g where a pad's operand was.
constexpr value unpadded(site const& n, value const& g) {
    attribute_list const widths = n.y.attributes();
    attribute_list bounds;
    for (std::size_t k = 0; k < widths.count; k += 2) {
        bounds.push_back(widths[k]);
        bounds.push_back(widths[k + 1] ? -widths[k + 1] : all);
        bounds.push_back(1);
    }
    return unary(op::slice, g, bounds);
}
constexpr value total(value const& x) {
    attribute_list every(0);
    for (int axis = 0; axis < x.rank(); ++axis) every.push_back(axis);
    return x.rank() ? unary(op::sum, x, every) : x;
}

// x's extent along the axis, as a scalar.
constexpr value extent_of(value const& x, int axis) {
    node_id const operand[]{x.id()};
    return {x.owner(), x.owner().append(op::axis_size, dtype::int64, dims{}, operand, attribute_list(axis))};
}
// The part of g that came from operand k, where too few extents are known to tell its place before the run.
constexpr value looked_up_part(site const& n, std::size_t k, value const& g, int axis) {
    value place = place_along(n.y.operand(k), axis);
    for (std::size_t other = 0; other < k; ++other) place = place + extent_of(n.y.operand(other), axis);
    return record(op::take_along_axis, {g, place}, attribute_list(axis));
}
// The part of g that came from operand k.
constexpr value joined_part(site const& n, std::size_t k, value const& g) {
    int const axis = static_cast<int>(n.y.attributes()[0]);
    std::int64_t before = 0, behind = 0;
    bool open_before = false, open_behind = false;
    for (std::size_t other = 0; other < n.y.get().arity; ++other) {
        std::int64_t const extent = n.y.operand(other).shape()[axis];
        if (other < k) before += extent, open_before = open_before || extent == dyn;
        if (other > k) behind += extent, open_behind = open_behind || extent == dyn;
    }
    std::int64_t const own = n.y.operand(k).shape()[axis];
    if (own == 0) return slice(g, axis, 0, 0); // a derivative, if an empty one
    if ((open_before && (open_behind || own == dyn)) || (open_behind && own == dyn)) return looked_up_part(n, k, g, axis);
    if (open_before) return slice(g, axis, -behind - own, behind ? -behind : all);
    if (own == dyn) return slice(g, axis, before, behind ? -behind : all);
    return slice(g, axis, before, before + own);
}

// The part of x that an update changes.
constexpr value updated_part(site const& n, value const& x) {
    attribute_list const attributes = n.y.attributes();
    if (updates_view(n.code())) return unary(added_view(attributes), x, attribute_span(attributes).subspan(1));
    return record(updates_taken(n.code()) ? op::take : op::take_along_axis, {x, n.c}, attributes);
}
// Node n, which is an update, of other values.
constexpr value same_update(site const& n, value const& x, value const& changed) {
    if (updates_view(n.code())) return record(n.code(), {x, changed}, n.y.attributes());
    return record(n.code(), {x, changed, n.c}, n.y.attributes());
}
// What of g belongs to the elements that node n sets. Where several are for one place it is the last one's: each has a number,
// and the place tells whose it got.
constexpr value set_part(site const& n, value const& g) {
    value const part = updated_part(n, g);
    bool const may_meet = n.code() == op::view_set ? added_view(n.y.attributes()) == op::sliding_window_view && n.b.rank() > 0
                                                   : n.c.rank() > 0; // may several be for one place?
    if (!may_meet) return part;
    int const axis = n.code() == op::view_set ? 0 : static_cast<int>(n.y.attributes()[0]);
    int const axes = n.code() == op::view_set ? n.b.rank() : n.code() == op::scatter_set ? 1 : n.c.rank();
    value number = place_along(n.b, axis);
    for (int k = 1; k < axes; ++k) number = number * extent_of(n.b, axis + k) + place_along(n.b, axis + k);
    return where(equal(updated_part(n, same_update(n, place_along(n.a, 0), number)), number), part, value{});
}
// Of an update that keeps extremes: the share that each element has of what comes of it. Equal ones of what is given share
// evenly; what was there before has its share where none of those is the result.
struct extreme_shares {
    value own, given;
    constexpr explicit extreme_shares(site const& n) {
        value const is_result = cast(equal(n.b, updated_part(n, n.y)), n.b.type());
        value const count = record(updates_taken(n.code()) ? op::index_add : op::scatter_add, {zeros_like(n.a), is_result, n.c},
                                   n.y.attributes());
        own = cast(logical_and(equal(n.a, n.y), equal(count, count.like(0))), n.a.type());
        given = is_result / updated_part(n, record(op::maximum, {count, count.like(1)}));
    }
};
constexpr value extreme_pulled_back(site const& n, std::size_t k, value const& g) {
    if (k > 1) return {};
    extreme_shares const shares(n);
    return k == 0 ? g * shares.own : updated_part(n, g) * shares.given;
}
constexpr value extreme_pushed_forward(site const& n, table_view<value> t) {
    extreme_shares const shares(n);
    value const own = t[0].is_zero() ? zeros_like(n.a) : t[0] * shares.own;
    if (t[1].is_zero()) return own;
    return record(updates_taken(n.code()) ? op::index_add : op::scatter_add, {own, t[1] * shares.given, n.c}, n.y.attributes());
}
} // namespace detail

// Does a node read elements of its first operand, some of them perhaps never or more than once? So do views that are told no
// shape, but for those whose adjoint is a view, too.
constexpr bool reads_parts(op code) {
    bool const has_inverse = code == op::transpose || code == op::expand_dims || code == op::squeeze;
    return info(code).kind == kind::lookup || (info(code).kind == kind::view && info(code).arity == 1 && !has_inverse);
}
// Node n reads parts: the gradient g of those, added to what is known of the operand's gradient.
constexpr value read_back(site const& n, value const& g, value const& known) {
    value const base = known.is_zero() ? zeros_like(n.a) : known;
    attribute_list const attributes = n.y.attributes();
    if (info(n.code()).kind == kind::view) return view_add(base, g, n.code(), attributes);
    return record(n.code() == op::take ? op::index_add : op::scatter_add, {base, g, n.b}, attributes);
}

// The gradient with respect to operand k of node n, given g, that of its result. Not of pointwise ops and of those that read
// parts.
constexpr value array_pulled_back(site const& n, std::size_t k, value const& g) {
    attribute_list const attributes = n.y.attributes();
    auto const axis = [&] { return static_cast<int>(attributes[0]); };
    switch (n.code()) {
    case op::reshape: return k == 0 ? reshape_like(g, n.a) : value{};
    case op::transpose: {
        attribute_list inverse = attributes;
        for (std::size_t i = 0; i < attributes.count; ++i) inverse.value[attributes[i]] = static_cast<std::int64_t>(i);
        return unary(op::transpose, g, inverse);
    }
    case op::barrier: return k == 0 ? g : value{};
    case op::least_squares: return detail::least_squares_pulled_back(n, k, g);
    case op::broadcast_to: return k == 0 ? sum_to(g, n.a) : value{};
    case op::sum_to: return k == 0 ? broadcast_like(g, n.a) : value{};
    case op::expand_dims: return unary(op::squeeze, g, attributes);
    case op::squeeze: return unary(op::expand_dims, g, attributes);
    case op::concatenate: return detail::joined_part(n, k, g);
    case op::pad: {
        value const inner = detail::unpadded(n, g);
        return k == 0 ? inner : detail::total(g) - detail::total(inner);
    }
    case op::sum: return broadcast_like(with_reduced_axes(g, attributes), n.a);
    case op::cumsum: return detail::reversed_cumsum(g, axis());
    case op::cumprod: return detail::cumprod_pulled_back(n, g);
    case op::cummax:
    case op::cummin: return record(op::scatter_add, {zeros_like(n.a), g, detail::running_place(n)}, attributes);
    case op::sort: return record(op::scatter_add, {zeros_like(n.a), g, detail::sorted_place(n)}, attribute_list(attributes[0]));
    case op::matmul:
        return k == 0 ? sum_to(record(op::matmul, {g, swap_last_axes(conj(n.b))}), n.a)
                      : sum_to(record(op::matmul, {swap_last_axes(conj(n.a)), g}), n.b);
    case op::view_add:
    case op::index_add:
    case op::scatter_add: return k == 0 ? g : k == 1 ? detail::updated_part(n, g) : value{};
    case op::view_set:
    case op::index_set:
    case op::scatter_set: return k == 0 ? detail::same_update(n, g, zeros_like(n.b)) : k == 1 ? detail::set_part(n, g) : value{};
    case op::index_max:
    case op::index_min:
    case op::scatter_max:
    case op::scatter_min: return detail::extreme_pulled_back(n, k, g);
    default: // over no axes a reduction is its operand
        if (info(n.code()).kind != kind::reduction) throw_no_rule(n.code());
        return attributes.count == 1 ? g : with_reduced_axes(g, attributes) * conj(detail::weights(n));
    }
}

namespace detail {
// Ops that are linear in all operands with derivatives together, as views are. (A product is, in each.)
constexpr bool is_linear(op code) {
    kind const k = info(code).kind;
    return k == kind::view || k == kind::structure || k == kind::lookup || sets_elements(code) || adds_elements(code) ||
           code == op::sum || code == op::cumsum;
}
// Node n's own op, of what replaces the operands with derivatives; the others stay.
constexpr value applied_to(site const& n, table_view<value> replaced) {
    graph& g = n.y.owner();
    buffer<node_id> operands;
    for (std::size_t k = 0; k < n.y.get().arity; ++k) {
        value const x = n.y.operand(k);
        bool const stays = k >= replaced.size() || !is_inexact(x.type());
        operands.push_back((stays ? x : replaced[k].is_zero() ? zeros_like(x) : replaced[k]).id());
    }
    return {g, g.append(n.code(), n.y.type(), dims(n.y.shape()), operands, n.y.attributes())};
}
} // namespace detail

// What steps t of the operands make of the result. Not of pointwise ops.
constexpr value array_pushed_forward(site const& n, table_view<value> t) {
    attribute_list const attributes = n.y.attributes();
    bool const updates_nothing = adds_elements(n.code()) && t[1].is_zero();
    if (n.code() == op::barrier || updates_nothing) return t[0];
    if (detail::is_linear(n.code())) return detail::applied_to(n, t);
    switch (n.code()) {
    case op::matmul: {
        value const left = t[0].is_zero() ? t[0] : record(op::matmul, {t[0], n.b}),
                    right = t[1].is_zero() ? t[1] : record(op::matmul, {n.a, t[1]});
        return left + right;
    }
    case op::least_squares: return detail::least_squares_pushed_forward(n, t);
    case op::cumprod: return detail::cumprod_pushed_forward(n, t[0]);
    case op::cummax:
    case op::cummin: return record(op::take_along_axis, {t[0], detail::running_place(n)}, attributes);
    case op::sort: return record(op::take_along_axis, {t[0], detail::sorted_place(n)}, attribute_list(attributes[0]));
    case op::index_max:
    case op::index_min:
    case op::scatter_max:
    case op::scatter_min: return detail::extreme_pushed_forward(n, t);
    default:
        if (info(n.code()).kind != kind::reduction) throw_no_rule(n.code());
        return attributes.count == 1 ? t[0] : unary(op::sum, t[0] * detail::weights(n), attributes);
    }
}

} // namespace tx::ad
