// tx::unwrap removes jumps by multiples of a period from angles.
#pragma once

#include <tracexpr/statistics/reduced_rows.hpp>

namespace tx {
namespace detail {

// The operands are x, the period, and the least step that counts as a jump, by default half a period. (numpy.unwrap)
template <std::size_t Operands, int Axis> struct unwrap_builder {
    static constexpr char const* called = "unwrap";
    static constexpr char const* problem(builder_specs given) {
        dims const& d = given[0].shape;
        for (builder_spec const& s : given)
            if (!accepts(domain::real, s.type)) return "takes real numbers";
        for (std::size_t k = 1; k < given.size(); ++k)
            if (given[k].shape.rank > 0) return "the period and the discontinuity must be scalars";
        if (d.rank < 0) return nullptr;
        int const axis = normalized_axis(Axis, d.rank);
        return axis >= 0 && axis < d.rank ? nullptr : "the axis must lie within the rank of x; negative ones count from the end";
    }
    // Integers stay integers if the period is one.
    static constexpr dtype type_of(dtype x, dtype period) {
        if (Operands > 1 && is_integer(x) && is_integer(period)) return promote(x, period);
        return Operands > 1 && is_inexact(period) ? promote(to_inexact(x), period) : to_inexact(x);
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{type_of(given[0].type, given[Operands > 1].type)};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) { return std::array<dims, 1>{given[0].shape}; }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* operands) {
        dtype const given = type_of(low.type(operands[0]), low.type(operands[Operands > 1]));
        dtype const type = is_integer(given) ? given : computed_dtype(given);
        node_id const x = low.as(operands[0], type);
        int const axis = normalized_axis(Axis, low.rank(x));
        node_id const period = Operands > 1 ? low.as(operands[Operands > 1], type) : low.number_like(x, 6.283185307179586476925);
        node_id const least = Operands > 2 ? operands[Operands > 2 ? 2 : 0] : node_id::none;
        node_id const steps = differences(low, x, axis);
        node_id const corrections = record_corrections(low, steps, period, least);
        node_id const sums = low.append(op::cumsum, corrections, attribute_list(axis));
        node_id const parts[]{low.slice(x, axis, 0, 1), low.append(op::add, low.slice(x, axis, 1, slice_open), sums)};
        return std::array<node_id, 1>{low.concatenate(parts, axis)};
    }
    // Computes the multiples of the period that bring steps into the half-open interval around 0; a step of half a period keeps
    // its sign.
    static constexpr node_id record_corrections(lowering& low, node_id steps, node_id period, node_id least) {
        bool const is_whole = is_integer(low.type(steps));
        node_id const two = low.number_like(period, 2), zero = low.zero_like(steps);
        node_id const high = low.append(is_whole ? op::floor_divide : op::divide, period, two);
        node_id const from_low = low.append(op::remainder, low.append(op::add, steps, high), period);
        node_id const within = low.append(op::subtract, from_low, high);
        node_id is_edge = low.test(op::logical_and, low.test(op::equal, from_low, zero), low.test(op::greater, steps, zero));
        if (is_whole) {
            node_id const is_even = low.test(op::equal, low.append(op::remainder, period, two), low.zero_like(period));
            is_edge = low.test(op::logical_and, is_edge, is_even);
        }
        node_id const correction = low.append(op::subtract, low.choose(is_edge, high, within), steps);
        node_id const size = low.append(op::absolute, steps);
        node_id const is_small = least != node_id::none ? low.test(op::less, low.as(size, computed_dtype(low.type(least))),
                                                                   low.as(least, computed_dtype(low.type(least))))
                                 : is_whole             ? low.test(op::less, low.append(op::multiply, size, two), period)
                                                        : low.test(op::less, size, high);
        return low.choose(is_small, zero, correction);
    }
};
template <class Builder, class... A> constexpr bool check_unwrap() {
    constexpr bool fits = built_problem<Builder, A...> == nullptr;
    static_assert(fits, "tx: unwrap: takes real numbers, an axis within the rank of x, and scalars for the period and the "
                        "discontinuity");
    return fits;
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Adds multiples of the period to x along an axis, the last one by default, so that no step is larger than half a period:
// unwrap(x), unwrap(x, 360), unwrap(x, 360, tx::axis<0>). The period is 2 pi by default. A step is a jump if it is at least half
// a period, or at least `discontinuity`. Integers stay integers with an integer period, and else become float64.
template <array_operand A, int Axis = -1> [[nodiscard]] constexpr auto unwrap(A const& x, axes_t<Axis> = {}) {
    using builder = detail::unwrap_builder<1, Axis>;
    return detail::apply_if<detail::check_unwrap<builder, A>()>(detail::built_fn<builder>{}, x);
}
template <array_operand A, operand P, int Axis = -1>
[[nodiscard]] constexpr auto unwrap(A const& x, P const& period, axes_t<Axis> = {}) {
    using builder = detail::unwrap_builder<2, Axis>;
    return detail::apply_if<detail::check_unwrap<builder, A, P>()>(detail::built_fn<builder>{}, x, period);
}
template <array_operand A, operand P, operand D, int Axis = -1>
[[nodiscard]] constexpr auto unwrap(A const& x, P const& period, D const& discontinuity, axes_t<Axis> = {}) {
    using builder = detail::unwrap_builder<3, Axis>;
    return detail::apply_if<detail::check_unwrap<builder, A, P, D>()>(detail::built_fn<builder>{}, x, period, discontinuity);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
