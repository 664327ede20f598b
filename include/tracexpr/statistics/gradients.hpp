// tx::gradient computes slopes of samples along axes by differences of neighbours.
#pragma once

#include <tracexpr/statistics/reduced_rows.hpp>

namespace tx {

// edge_order_t is the type of an argument of gradient: with tx::edge_order<2> the slopes at the first and the last sample are
// computed from three samples, not two.
template <int Order> struct edge_order_t {};
// Chooses from how many neighbours gradient computes the slopes at the ends of axes: tx::edge_order<1>, tx::edge_order<2>.
template <int Order> inline constexpr edge_order_t<Order> edge_order{};

namespace detail {

// Returns which operand is the spacing of axis k. The operands are f, then one distance for all axes, or for each axis a distance
// or a vector of places.
constexpr std::size_t spacing_of(std::size_t operands, std::size_t k) { return operands == 2 ? 1 : k + 1; }
TRACEXPR_ONCE constexpr char const* gradient_problem(builder_specs given, attribute_list const& axes, int order) {
    dims const& f = given[0].shape;
    std::size_t const spacings = given.size() - 1;
    if (spacings > 1 && spacings != axes.count) return "takes no spacing, one for all axes, or one for each axis";
    if (char const* const problem = axes_problem(f, axes)) return problem;
    if (f.rank < 0) return nullptr;
    for (std::size_t k = 0; k < axes.count; ++k) {
        std::int64_t const extent = f[static_cast<int>(axes[k])];
        if (extent != dyn && extent <= order) return "an axis needs at least two samples, or three for tx::edge_order<2>";
        if (spacings == 0) continue;
        dims const& x = given[spacing_of(given.size(), k)].shape;
        if (x.rank == 1 && spacings == 1 && axes.count > 1) return "places must be given for each axis";
        if (x.rank > 1 || (x.rank == 1 && x[0] != extent && x[0] != dyn && extent != dyn))
            return "a spacing must be a scalar, or a vector with a place for each sample along its axis";
    }
    return nullptr;
}

// Computes the slopes along one axis of f whose samples are h apart.
class even_gradient {
public:
    constexpr even_gradient(lowering& low, node_id f, node_id h, int axis) : low_{low}, f_{f}, h_{h}, axis_{axis} {}

    TRACEXPR_ONCE constexpr node_id inside() {
        node_id const rise = low_.append(op::subtract, part(2, slice_open), part(slice_open, -2));
        return h_ == node_id::none ? times(rise, 0.5) : divided(rise, low_.append(op::multiply, h_, low_.number_like(h_, 2)));
    }
    TRACEXPR_ONCE constexpr node_id first(int order) {
        if (order == 1) return divided(low_.append(op::subtract, part(1, 2), part(0, 1)), h_);
        node_id const sum = low_.append(op::add, times(part(0, 1), -1.5), times(part(1, 2), 2));
        return divided(low_.append(op::add, sum, times(part(2, 3), -0.5)), h_);
    }
    TRACEXPR_ONCE constexpr node_id last(int order) {
        node_id const end = part(-1, slice_open), before = part(-2, -1);
        if (order == 1) return divided(low_.append(op::subtract, end, before), h_);
        node_id const sum = low_.append(op::add, times(part(-3, -2), 0.5), times(before, -2));
        return divided(low_.append(op::add, sum, times(end, 1.5)), h_);
    }

private:
    constexpr node_id part(std::int64_t start, std::int64_t stop) { return low_.slice(f_, axis_, start, stop); }
    constexpr node_id times(node_id x, double factor) { return low_.append(op::multiply, x, low_.number_like(x, factor)); }
    constexpr node_id divided(node_id x, node_id h) { return h == node_id::none ? x : low_.append(op::divide, x, h); }

    lowering& low_;
    node_id f_, h_;
    int axis_;
};
// Computes the slopes along one axis of f whose samples stand at given places: at b, and at the ends a and c, the slope of the
// parabola through a, b and c. (B. Fornberg, Generation of finite difference formulas on arbitrarily spaced grids, 1988)
class uneven_gradient {
public:
    constexpr uneven_gradient(lowering& low, node_id f, node_id places, int axis)
        : low_{low}, f_{f}, widths_{differences(low, places, 0)}, axis_{axis} {}

    TRACEXPR_ONCE constexpr node_id inside() {
        node_id const d = width(slice_open, -1), e = width(1, slice_open);
        node_id const back = divided(minus(part(1, -1), part(slice_open, -2)), d);
        node_id const ahead = divided(minus(part(2, slice_open), part(1, -1)), e);
        return divided(plus(times(e, back), times(d, ahead)), plus(d, e));
    }
    TRACEXPR_ONCE constexpr node_id first(int order) {
        node_id const d = width(0, 1), slope = divided(minus(part(1, 2), part(0, 1)), d);
        if (order == 1) return slope;
        node_id const e = width(1, 2), next = divided(minus(part(2, 3), part(1, 2)), e);
        return minus(slope, times(d, divided(minus(next, slope), plus(d, e))));
    }
    TRACEXPR_ONCE constexpr node_id last(int order) {
        node_id const e = width(-1, slice_open), slope = divided(minus(part(-1, slice_open), part(-2, -1)), e);
        if (order == 1) return slope;
        node_id const d = width(-2, -1), before = divided(minus(part(-2, -1), part(-3, -2)), d);
        return plus(slope, times(e, divided(minus(slope, before), plus(d, e))));
    }

private:
    constexpr node_id part(std::int64_t start, std::int64_t stop) { return low_.slice(f_, axis_, start, stop); }
    TRACEXPR_ONCE constexpr node_id width(std::int64_t start, std::int64_t stop) {
        return along_axis(low_, low_.slice(widths_, 0, start, stop), axis_, low_.rank(f_));
    }
    constexpr node_id plus(node_id a, node_id b) { return low_.append(op::add, a, b); }
    constexpr node_id minus(node_id a, node_id b) { return low_.append(op::subtract, a, b); }
    constexpr node_id times(node_id a, node_id b) { return low_.append(op::multiply, a, b); }
    constexpr node_id divided(node_id a, node_id b) { return low_.append(op::divide, a, b); }

    lowering& low_;
    node_id f_, widths_;
    int axis_;
};
template <class Gradient> constexpr node_id record_gradient(lowering& low, Gradient of, int axis, int order) {
    node_id const parts[]{of.first(order), of.inside(), of.last(order)};
    return low.concatenate(parts, axis);
}
TRACEXPR_ONCE constexpr node_id record_gradient(lowering& low, node_id f, node_id spacing, int axis, int order) {
    if (spacing != node_id::none && low.rank(spacing) == 1)
        return record_gradient(low, uneven_gradient(low, f, spacing, axis), axis, order);
    return record_gradient(low, even_gradient(low, f, spacing, axis), axis, order);
}
template <std::size_t Operands, int Order, int... Axes> struct gradient_builder {
    static constexpr char const* called = "gradient";
    static constexpr std::size_t count = sizeof...(Axes);
    static constexpr attribute_list axes(int rank) { return normalized_axes(rank, Axes...); }
    static constexpr char const* problem(builder_specs given) {
        return gradient_problem(given, axes(given[0].shape.rank), Order);
    }
    static constexpr std::array<dtype, count> types(builder_specs given) {
        std::array<dtype, count> out{};
        for (dtype& t : out) t = common_inexact(given);
        return out;
    }
    static constexpr std::array<dims, count> shapes(builder_specs given) {
        std::array<dims, count> out{};
        for (dims& d : out) d = given[0].shape;
        return out;
    }
    static constexpr std::array<node_id, count> record(lowering& low, node_id const* operands) {
        std::array<node_id, count> out{};
        dtype const type = computed_dtype(common_inexact(low, operands, Operands));
        attribute_list const along = axes(low.rank(operands[0]));
        node_id const f = low.as(operands[0], type);
        for (std::size_t k = 0; k < count; ++k) {
            node_id const h = Operands == 1 ? node_id::none : low.as(operands[spacing_of(Operands, k)], type);
            out[k] = record_gradient(low, f, h, static_cast<int>(along[k]), Order);
        }
        return out;
    }
};

// If no axis is named, the gradient is that along all axes.
template <std::size_t Operands, int Order, class Axes, class All> struct gradient_builder_of;
template <std::size_t Operands, int Order, int... Axes, int... All>
struct gradient_builder_of<Operands, Order, axes_t<Axes...>, std::integer_sequence<int, All...>> {
    using type = gradient_builder<Operands, Order, Axes...>;
};
template <std::size_t Operands, int Order, int... All>
struct gradient_builder_of<Operands, Order, axes_t<>, std::integer_sequence<int, All...>> {
    using type = gradient_builder<Operands, Order, All...>;
};
// The arguments of a call are f and its spacings, then options in any order.
template <class A> inline constexpr bool is_gradient_option = false;
template <int... Axes> inline constexpr bool is_gradient_option<axes_t<Axes...>> = true;
template <int Order> inline constexpr bool is_gradient_option<edge_order_t<Order>> = true;
template <class A> concept gradient_argument = is_gradient_option<A> || operand<A>;
template <class... Options> struct gradient_options {
    static constexpr int order = 1;
    using axes = axes_t<>;
};
template <class First, class... Rest> struct gradient_options<First, Rest...> : gradient_options<Rest...> {};
template <int... Axes, class... Rest> struct gradient_options<axes_t<Axes...>, Rest...> : gradient_options<Rest...> {
    using axes = axes_t<Axes...>;
};
template <int Order, class... Rest> struct gradient_options<edge_order_t<Order>, Rest...> : gradient_options<Rest...> {
    static constexpr int order = Order;
};

template <class F, class... S> struct gradient_call {
    template <class... Options> static constexpr auto made(F const& f, S const&... spacings) {
        using options = gradient_options<Options...>;
        constexpr int rank = dims_of_operand<F>.rank;
        constexpr bool are_numbers = holds_numbers<F> && (holds_numbers<S> && ...);
        constexpr bool is_order = options::order == 1 || options::order == 2;
        constexpr bool has_axes = rank > 0 || (rank < 0 && !std::is_same_v<typename options::axes, axes_t<>>);
        static_assert(are_numbers, "tx: gradient: takes numbers, not strings");
        static_assert(is_order, "tx: gradient: the edge order is 1 or 2");
        static_assert(has_axes, "tx: gradient: f must have an axis; where the type leaves its rank open, name the axes");
        using builder = typename gradient_builder_of<1 + sizeof...(S), options::order, typename options::axes,
                                                     std::make_integer_sequence<int, (rank > 0 ? rank : 1)>>::type;
        constexpr bool fits = !has_axes || built_problem<builder, F, S...> == nullptr;
        static_assert(fits, "tx: gradient: takes axes within the rank of f, of two samples or more, three for tx::edge_order<2>, "
                            "and no spacing, one number for all axes, or for each axis a number or a vector of places");
        return apply_if<(are_numbers && is_order && has_axes && fits)>(built_fn<builder>{}, f, spacings...);
    }
};
// Splits the arguments into the leading spacings, of which there may be none, and the options.
template <std::size_t Spacings, class F, class Given, std::size_t... S, std::size_t... O>
constexpr auto sampled_gradient_of(F const& f, Given const& given, std::index_sequence<S...>, std::index_sequence<O...>) {
    return gradient_call<F, std::remove_cvref_t<std::tuple_element_t<S, Given>>...>::template made<
        std::remove_cvref_t<std::tuple_element_t<Spacings + O, Given>>...>(f, std::get<S>(given)...);
}
template <class... A> inline constexpr std::size_t leading_spacings = 0;
template <class First, class... Rest> inline constexpr std::size_t leading_spacings<First, Rest...> =
    is_gradient_option<First> ? 0 : 1 + leading_spacings<Rest...>;

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Computes the slope of f along an axis. Inside it is (f[i + 1] - f[i - 1]) / 2h, or for uneven places that of the parabola
// through three samples; at both ends it is that of the line through two samples, or with tx::edge_order<2> of the parabola. For
// all axes the result is a pair or tuple of tensors in the shape of f, for one axis a tensor: gradient(f), gradient(f, 0.1),
// gradient(f, places, tx::axis<0>), gradient(f, dx, dy, tx::edge_order<2>). Spacings are one number for all axes, or one for
// each: a number, or the vector of the samples' places. Integers give float64.
template <array_operand F, detail::gradient_argument... Arguments>
[[nodiscard]] constexpr auto gradient(F const& f, Arguments const&... spacings_and_options) {
    constexpr std::size_t spacings = detail::leading_spacings<Arguments...>;
    constexpr bool in_order = ((detail::is_gradient_option<Arguments> ? 1 : 0) + ... + 0) + spacings == sizeof...(Arguments);
    static_assert(in_order, "tx: gradient: spacings stand before tx::axis and tx::edge_order");
    if constexpr (in_order)
        return detail::sampled_gradient_of<spacings>(f, std::tuple<Arguments const&...>(spacings_and_options...),
                                                     std::make_index_sequence<spacings>{},
                                                     std::make_index_sequence<sizeof...(Arguments) - spacings>{});
    else return detail::failed{};
}

} // namespace TRACEXPR_CALLS
} // namespace tx
