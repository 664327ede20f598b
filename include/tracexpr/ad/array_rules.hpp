// This file holds the derivative rules of ops that are not pointwise. Most of these ops are linear: forward mode applies the op
// to the tangents, and in reverse mode each op has its adjoint. The results of the others change by a weighted sum of their
// operand's steps.
#pragma once

#include <tracexpr/ad/decomposition_rules.hpp>

namespace tx::ad {
namespace detail {

inline constexpr std::int64_t all = slice_open;

// Gives x moved by a number of places along the axis, with `fill` in the places that became free.
constexpr value shifted(value const& x, int axis, std::int64_t places, double fill) {
    attribute_list front;
    for (int other = 0; other < x.rank(); ++other) front.push_back(other == axis ? places : 0), front.push_back(0);
    return slice(record(op::pad, {x, x.like(fill)}, front), axis, all, -places); // This order keeps an extent of 0 at 0.
}

// Gives for each element the product of all other elements along the axis. It doesn't divide, as an element may be 0.
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

// The weight of a max or min is 1 at the extreme element; elements that are equally extreme share it evenly.
constexpr value extreme_weights(value const& x, value const& y, attribute_list const& attributes) {
    value const is_extreme = cast(equal(x, with_reduced_axes(y, attributes)), x.type());
    return is_extreme / reduce(op::sum, is_extreme, attributes);
}

// Gives the weights w of a reduction, whose result changes by sum(w * step). A sum's weights are 1, so it doesn't ask for them.
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

// Gives the place along the axis where each running extreme stands, which is the last place at which a new one was reached.
constexpr value running_place(site const& n) {
    int const axis = static_cast<int>(n.y.attributes()[0]);
    value const place = place_along(n.a, axis);
    value const before = shifted(n.y, axis, 1, 0);
    value const starts = equal(place, place.like(0));
    value const fresh = record(op::logical_or, {starts, record(op::not_equal, {n.y, before})});
    return unary(op::cummax, where(fresh, place, value{}), attribute_list(axis));
}

// Gives for each element of a sort's result its place in the operand.
constexpr value sorted_place(site const& n) {
    attribute_list const of_sort = n.y.attributes();
    attribute_list order(of_sort[0], of_sort[1], order_of_all);
    for (std::size_t k = order_attributes(op::sort); k < of_sort.count; ++k) order.push_back(of_sort[k]);
    return unary(op::argsort, n.a, order);
}

constexpr value reversed_cumsum(value const& x, int axis) {
    return flip(unary(op::cumsum, flip(x, axis), attribute_list(axis)), axis);
}

// Solves y_k = b_k + a_k y_(k-1) along an axis of known extent, in log n steps and without dividing: a scan by composition of the
// maps y -> a y + b (Hillis and Steele, Data parallel algorithms, 1986).
constexpr value linear_recurrence(value a, value b, int axis) {
    for (std::int64_t by = 1, count = b.shape()[axis]; by < count; by *= 2) {
        b = b + a * shifted(b, axis, by, 0);
        if (2 * by < count) a = a * shifted(a, axis, by, 1);
    }
    return b;
}
// These masks tell which elements stand before the first 0 of x, and which one is that 0. A cumprod can be divided by the
// elements before it.
struct zeros_along {
    value before, at_first;
    constexpr zeros_along(value const& x, int axis) {
        value const is_zero = equal(x, x.like(0));
        value const count = unary(op::cumsum, cast(is_zero, dtype::int64), attribute_list(axis));
        before = equal(count, count.like(0)), at_first = logical_and(is_zero, equal(count, count.like(1)));
    }
};

// The gradient of y = cumprod(x) is dL/dx_j = y_(j-1) (g_j + x_(j+1) (g_(j+1) + x_(j+2) (...))), a linear recurrence. Where the
// extent is unknown, another formula is used which is right to the first order: before the first 0 of x, dL/dx_j is the sum of
// g_k y_k over k >= j, divided by x_j; at that 0 it is the same sum with 1 in place of the 0; behind it, it is 0.
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
// The tangent of y = cumprod(x) follows the recurrence dy_k = y_(k-1) t_k + x_k dy_(k-1), the transpose of the gradient's. Where
// the extent is unknown, dy_k is y_k times the sum of t_i / x_i for i <= k; from the first 0 of x on it is that 0's step times
// the product without the 0.
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

// Gives the part of g where a pad's operand stands in the result.
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

// Gives x's extent along the axis as a scalar.
constexpr value extent_of(value const& x, int axis) {
    node_id const operand[]{x.id()};
    return {x.owner(), x.owner().append(op::axis_size, dtype::int64, dims{}, operand, attribute_list(axis))};
}
// Gives the part of g that came from operand k of a concatenate, by a lookup. It is used where too few extents are known to tell
// that part's bounds before the program runs.
constexpr value looked_up_part(site const& n, std::size_t k, value const& g, int axis) {
    value place = place_along(n.y.operand(k), axis);
    for (std::size_t other = 0; other < k; ++other) place = place + extent_of(n.y.operand(other), axis);
    return record(op::take_along_axis, {g, place}, attribute_list(axis));
}
// Gives the part of g that came from operand k of a concatenate.
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
    if (own == 0) return slice(g, axis, 0, 0); // The slice is a derivative, though an empty one.
    if ((open_before && (open_behind || own == dyn)) || (open_behind && own == dyn)) return looked_up_part(n, k, g, axis);
    if (open_before) return slice(g, axis, -behind - own, behind ? -behind : all);
    if (own == dyn) return slice(g, axis, before, behind ? -behind : all);
    return slice(g, axis, before, before + own);
}

// Gives the part of x that the update n changes.
constexpr value updated_part(site const& n, value const& x) {
    attribute_list const attributes = n.y.attributes();
    if (updates_view(n.code())) return unary(added_view(attributes), x, attribute_span(attributes).subspan(1));
    return record(updates_taken(n.code()) ? op::take : op::take_along_axis, {x, n.c}, attributes);
}
// Records the update n with other values in place of its first two operands.
constexpr value same_update(site const& n, value const& x, value const& changed) {
    if (updates_view(n.code())) return record(n.code(), {x, changed}, n.y.attributes());
    return record(n.code(), {x, changed, n.c}, n.y.attributes());
}
// Gives the part of g that belongs to the elements which the update n sets. Where several elements are written to one place, the
// last one has all of the gradient: the same update writes the elements' numbers, and an element whose number is read back is the
// one that was written last.
constexpr value set_part(site const& n, value const& g) {
    value const part = updated_part(n, g);
    bool const may_meet = n.code() == op::view_set ? added_view(n.y.attributes()) == op::sliding_window_view && n.b.rank() > 0
                                                   : n.c.rank() > 0; // Several elements may share one place.
    if (!may_meet) return part;
    int const axis = n.code() == op::view_set ? 0 : static_cast<int>(n.y.attributes()[0]);
    int const axes = n.code() == op::view_set ? n.b.rank() : n.code() == op::scatter_set ? 1 : n.c.rank();
    value number = place_along(n.b, axis);
    for (int k = 1; k < axes; ++k) number = number * extent_of(n.b, axis + k) + place_along(n.b, axis + k);
    return where(equal(updated_part(n, same_update(n, place_along(n.a, 0), number)), number), part, value{});
}
// extreme_shares holds the shares of the gradient in an update that keeps extremes (index_max, scatter_min, ...). Elements that
// are given and equal the result share evenly; the element that was there before has a share only where none of the given ones
// equals the result.
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

// Tells whether an op reads elements of its first operand, each any number of times. Lookups do, and views that are given no
// shape, except those whose adjoint is a view as well.
constexpr bool reads_parts(op code) {
    bool const has_inverse = code == op::transpose || code == op::expand_dims || code == op::squeeze;
    return info(code).kind == kind::lookup || (info(code).kind == kind::view && info(code).arity == 1 && !has_inverse);
}
// Adds g, the gradient of what the node n reads, to `known`, the operand's gradient so far. The node's op is one for which
// reads_parts() is true.
constexpr value read_back(site const& n, value const& g, value const& known) {
    value const base = known.is_zero() ? zeros_like(n.a) : known;
    attribute_list const attributes = n.y.attributes();
    if (info(n.code()).kind == kind::view) return view_add(base, g, n.code(), attributes);
    return record(n.code() == op::take ? op::index_add : op::scatter_add, {base, g, n.b}, attributes);
}

// Gives the gradient with respect to operand k of node n; g is the gradient of its result. Pointwise ops, and ops for which
// reads_parts() is true, have their own rules.
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
    default: // A reduction over no axes is its operand.
        if (info(n.code()).kind != kind::reduction) throw_no_rule(n.code());
        return attributes.count == 1 ? g : with_reduced_axes(g, attributes) * conj(detail::weights(n));
    }
}

namespace detail {
// Tells whether an op is linear in all operands that have derivatives together, as a view is. (A product is linear in each of
// them only.)
constexpr bool is_linear(op code) {
    kind const k = info(code).kind;
    return k == kind::view || k == kind::structure || k == kind::lookup || sets_elements(code) || adds_elements(code) ||
           code == op::sum || code == op::cumsum;
}
// Records node n's op with `replaced` in place of the operands that have derivatives; the other operands stay.
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

// Gives the tangent of the result of node n for the tangents t of its operands. Pointwise ops have their own rule.
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
