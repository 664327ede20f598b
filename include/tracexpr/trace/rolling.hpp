// This file holds roll, which moves elements along an axis and around its end.
#pragma once

#include <tracexpr/trace/shaping.hpp>

namespace tx {
namespace detail {

TRACEXPR_ONCE constexpr int open_extents(dims const& d) {
    int out = 0;
    for (int a = 0; a < d.rank; ++a) out += d[a] == dyn;
    return out;
}

// Rolls along an extent that only the run knows, and that may be less than the shift: the elements that go around the end are
// looked up, modulo the extent; all others are copied. A negative place in the look-up counts from the end.
TRACEXPR_ONCE constexpr node_id record_open_roll(lowering& low, node_id x, int a, std::int64_t shift) {
    if (shift == 0) return x;
    std::int64_t const distance = shift < 0 ? -shift : shift;
    node_id const n = low.axis_size<std::int64_t>(x, a);
    node_id const number = low.iota_like<std::int64_t>(low.slice(x, a, 0, distance), a);
    node_id const away =
        low.append(op::maximum, low.append(op::subtract, low.literal(distance), n), low.literal(std::int64_t{0}));
    node_id const back = shift > 0 ? low.append(op::remainder, low.literal(distance), n)
                                   : low.append(op::subtract, n, low.append(op::remainder, away, n));
    node_id const around = low.append(op::take_along_axis, x, low.append(op::subtract, number, back), attribute_list(a));
    node_id const rest = shift > 0 ? low.slice(x, a, 0, -shift) : low.slice(x, a, distance, slice_open);
    node_id const parts[]{shift > 0 ? around : rest, shift > 0 ? rest : around};
    return low.concatenate(parts, a);
}
TRACEXPR_ONCE constexpr node_id record_roll(lowering& low, node_id x, int a, std::int64_t shift) {
    std::int64_t const extent = low.extent(x, a);
    if (extent == dyn) return record_open_roll(low, x, a, shift);
    std::int64_t const first = extent == 0 ? 0 : (extent - shift % extent) % extent;
    if (first == 0) return x;
    node_id const parts[]{low.slice(x, a, first, slice_open), low.slice(x, a, 0, first)};
    return low.concatenate(parts, a);
}
template <class Shifts, class Axes> struct roll_fn;
template <int... Shifts, int... Axes> struct roll_fn<axes_t<Shifts...>, axes_t<Axes...>> {
    static constexpr char const* called = "roll";
    template <class A> constexpr auto operator()(A const& a) const {
        lowering low(a.scope());
        dims const d = known_rank(op::slice, a);
        if constexpr (dims_of_operand<A>.rank < 0) require_axes<Axes...>("roll", d);
        node_id x = a.id();
        if constexpr (sizeof...(Axes) > 0) ((x = record_roll(low, x, normalized_axis(Axes, low.rank(x)), Shifts)), ...);
        else x = rolled_flat(low, x);
        return expr<typename A::value_type, typename A::shape_type>(a.scope(), x);
    }
    static constexpr node_id rolled_flat(lowering& low, node_id x) {
        dims const d = low.shape(x);
        if (open_extents(d) > 1)
            throw shape_error("tx: roll: without an axis, at most one extent may be open while x is traced; name the axis");
        attribute_list back;
        for (int a = 0; a < d.rank; ++a) back.push_back(d[a]);
        return low.reshape((record_roll(low, low.reshape(x, attribute_list(-1)), 0, Shifts), ...), back);
    }
};

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Moves elements by Shift places, and around the end: roll<2>(x) in row-major order, roll<1, -1>(x, tx::axis<0, 1>) along axes.
template <int... Shifts, array_operand A, int... Axes> [[nodiscard]] constexpr auto roll(A const& x, axes_t<Axes...>) {
    constexpr bool is_paired = sizeof...(Shifts) == sizeof...(Axes);
    constexpr bool fits = detail::are_axes_of<A, Axes...>;
    static_assert(is_paired, "tx: roll: needs one shift for each axis");
    static_assert(fits, "tx: roll: axes must differ and lie within the rank of x; negative ones count from the end");
    return detail::apply_if<(is_paired && fits)>(detail::roll_fn<axes_t<Shifts...>, axes_t<Axes...>>{}, x);
}
template <int Shift, array_operand A> [[nodiscard]] constexpr auto roll(A const& x) {
    constexpr bool is_known = detail::open_extents(detail::dims_of_operand<A>) <= 1;
    static_assert(is_known, "tx: roll: without an axis, at most one extent of x may be open; name the axis");
    return detail::apply_if<is_known>(detail::roll_fn<axes_t<Shift>, axes_t<>>{}, x);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
