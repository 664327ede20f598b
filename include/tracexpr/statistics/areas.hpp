// tx::trapezoid and tx::cumulative_trapezoid compute areas under sampled curves by the trapezoidal rule.
#pragma once

#include <tracexpr/statistics/reduced_rows.hpp>

namespace tx {

// This argument of cumulative_trapezoid puts a 0 in front, the area up to the first sample.
enum initial_zero_t { initial_zero };

namespace detail {

// Checks the spacing of samples, which is a scalar, a vector of the samples' places, or places in the shape of y.
TRACEXPR_ONCE constexpr char const* spacing_problem(builder_specs given, int axis) {
    dims const& y = given[0].shape;
    if (y.rank < 0) return nullptr;
    if (axis < 0 || axis >= y.rank) return "the axis must lie within the rank of y; negative ones count from the end";
    if (given.size() < 2 || given[1].shape.rank <= 0) return nullptr;
    dims const& x = given[1].shape;
    bool const is_vector = x.rank == 1 && (x[0] == y[axis] || x[0] == dyn || y[axis] == dyn);
    return is_vector || may_equal(x, y) ? nullptr : "x must be a scalar, a vector along the axis, or have the shape of y";
}
// The area between neighbouring samples is `areas` times `factor`, which is the same for all.
struct trapezoids {
    node_id areas, factor;
};
TRACEXPR_ONCE constexpr trapezoids record_trapezoids(lowering& low, node_id const* operands, std::size_t count, dtype type,
                                                     int axis) {
    node_id const y = low.as(operands[0], type);
    node_id const pairs = low.append(op::add, low.slice(y, axis, 1, slice_open), low.slice(y, axis, slice_open, -1));
    node_id const half = low.number_like(y, 0.5);
    if (count == 1) return {pairs, half};
    node_id const x = low.as(operands[1], type);
    if (low.rank(x) == 0) return {pairs, low.append(op::multiply, x, half)};
    node_id widths = differences(low, x, low.rank(x) == 1 ? 0 : axis);
    if (low.rank(x) == 1) widths = along_axis(low, widths, axis, low.rank(y));
    return {low.append(op::multiply, widths, pairs), half};
}
template <std::size_t Operands, int Axis> struct trapezoid_builder {
    static constexpr char const* called = "trapezoid";
    static constexpr char const* problem(builder_specs given) {
        return spacing_problem(given, normalized_axis(Axis, given[0].shape.rank));
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{common_inexact(given)}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{reduced_dims(given[0].shape, normalized_axes(given[0].shape.rank, Axis), false)};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        int const axis = normalized_axis(Axis, low.rank(operands[0]));
        dtype const type = computed_dtype(common_inexact(low, operands, Operands));
        trapezoids const found = record_trapezoids(low, operands, Operands, type, axis);
        return std::array<node_id, 1>{
            low.append(op::multiply, low.reduce(op::sum, found.areas, attribute_list(axis)), found.factor)};
    }
};
template <std::size_t Operands, int Axis, bool FromZero> struct cumulative_trapezoid_builder {
    static constexpr char const* called = "cumulative_trapezoid";
    static constexpr char const* problem(builder_specs given) {
        dims const& y = given[0].shape;
        int const axis = normalized_axis(Axis, y.rank);
        if (char const* const found = spacing_problem(given, axis)) return found;
        return y.rank >= 0 && y[axis] == 0 ? "needs at least one sample" : nullptr;
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{common_inexact(given)}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        dims out = given[0].shape;
        std::int64_t& extent = out[normalized_axis(Axis, out.rank)];
        if (!FromZero && extent != dyn) --extent;
        return std::array<dims, 1>{out};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        int const axis = normalized_axis(Axis, low.rank(operands[0]));
        dtype const type = computed_dtype(common_inexact(low, operands, Operands));
        trapezoids const found = record_trapezoids(low, operands, Operands, type, axis);
        node_id const areas = low.append(op::multiply, found.areas, found.factor);
        node_id const sums = low.append(op::cumsum, areas, attribute_list(axis));
        if (!FromZero) return std::array<node_id, 1>{sums};
        attribute_list widths;
        for (int a = 0; a < low.rank(sums); ++a) widths.push_back(a == axis), widths.push_back(0);
        return std::array<node_id, 1>{low.append(op::pad, sums, low.zero_like(sums), widths)};
    }
};
template <class Builder, class... A> constexpr bool check_trapezoid() {
    constexpr bool are_numbers = (holds_numbers<A> && ...);
    static_assert(are_numbers, "tx: trapezoid, cumulative_trapezoid: take numbers, not strings");
    constexpr bool fits = built_problem<Builder, A...> == nullptr;
    static_assert(fits, "tx: trapezoid, cumulative_trapezoid: take an axis within the rank of y, and an x that is a scalar, a "
                        "vector along the axis, or of the shape of y; the shapes stand in the note above");
    return are_numbers && fits;
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Computes the area under y along an axis, the last one by default, where straight lines join the samples: (..., n, ...) ->
// (...). Samples are 1 apart, or x apart if that is a scalar; else x has their places: a vector along the axis, or a tensor in
// the shape of y. Without samples, or with one, the area is 0. Integers give float64.
template <array_operand Y, int Axis = -1> [[nodiscard]] constexpr auto trapezoid(Y const& y, axes_t<Axis> = {}) {
    using builder = detail::trapezoid_builder<1, Axis>;
    return detail::apply_if<detail::check_trapezoid<builder, Y>()>(detail::built_fn<builder>{}, y);
}
template <array_operand Y, operand X, int Axis = -1>
[[nodiscard]] constexpr auto trapezoid(Y const& y, X const& x, axes_t<Axis> = {}) {
    using builder = detail::trapezoid_builder<2, Axis>;
    return detail::apply_if<detail::check_trapezoid<builder, Y, X>()>(detail::built_fn<builder>{}, y, x);
}
// Computes the areas up to each sample except the first, (..., n, ...) -> (..., n - 1, ...), with the arguments of trapezoid.
// With tx::initial_zero as the last argument a 0 for the first sample is put in front: (..., n, ...) -> (..., n, ...).
template <array_operand Y, int Axis = -1> [[nodiscard]] constexpr auto cumulative_trapezoid(Y const& y, axes_t<Axis> = {}) {
    using builder = detail::cumulative_trapezoid_builder<1, Axis, false>;
    return detail::apply_if<detail::check_trapezoid<builder, Y>()>(detail::built_fn<builder>{}, y);
}
template <array_operand Y, operand X, int Axis = -1>
[[nodiscard]] constexpr auto cumulative_trapezoid(Y const& y, X const& x, axes_t<Axis> = {}) {
    using builder = detail::cumulative_trapezoid_builder<2, Axis, false>;
    return detail::apply_if<detail::check_trapezoid<builder, Y, X>()>(detail::built_fn<builder>{}, y, x);
}
template <array_operand Y> [[nodiscard]] constexpr auto cumulative_trapezoid(Y const& y, initial_zero_t) {
    using builder = detail::cumulative_trapezoid_builder<1, -1, true>;
    return detail::apply_if<detail::check_trapezoid<builder, Y>()>(detail::built_fn<builder>{}, y);
}
template <array_operand Y, int Axis> [[nodiscard]] constexpr auto cumulative_trapezoid(Y const& y, axes_t<Axis>, initial_zero_t) {
    using builder = detail::cumulative_trapezoid_builder<1, Axis, true>;
    return detail::apply_if<detail::check_trapezoid<builder, Y>()>(detail::built_fn<builder>{}, y);
}
template <array_operand Y, operand X> [[nodiscard]] constexpr auto cumulative_trapezoid(Y const& y, X const& x, initial_zero_t) {
    using builder = detail::cumulative_trapezoid_builder<2, -1, true>;
    return detail::apply_if<detail::check_trapezoid<builder, Y, X>()>(detail::built_fn<builder>{}, y, x);
}
template <array_operand Y, operand X, int Axis>
[[nodiscard]] constexpr auto cumulative_trapezoid(Y const& y, X const& x, axes_t<Axis>, initial_zero_t) {
    using builder = detail::cumulative_trapezoid_builder<2, Axis, true>;
    return detail::apply_if<detail::check_trapezoid<builder, Y, X>()>(detail::built_fn<builder>{}, y, x);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
