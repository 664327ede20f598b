// This file holds logspace and geomspace, which give numbers between two ends, each the same multiple of the one before.
#pragma once

#include <tracexpr/trace/builder.hpp>
#include <tracexpr/trace/reductions.hpp>

#include <string>

namespace tx {
namespace detail {

constexpr char const* spacing_problem(builder_specs given) {
    for (builder_spec const& s : given)
        if (s.shape.rank > 0) return "the ends must be scalars";
    return nullptr;
}
// Records `count` evenly spaced numbers from 0 to 1, the last of which is exactly 1. A single one is 0.
TRACEXPR_ONCE constexpr node_id steps_to_one(lowering& low, std::int64_t count, dtype type) {
    node_id const number = low.as(low.iota<std::int64_t>(count), type);
    return low.append(op::divide, number, low.number_like(number, count > 1 ? static_cast<double>(count - 1) : 1.0));
}
// Records x[2] to the power of x[0] + t (x[1] - x[0]), an exponent that is exact at both ends.
TRACEXPR_ONCE constexpr node_id record_logspace(lowering& low, node_id const* x, std::int64_t count, dtype type) {
    node_id const t = steps_to_one(low, count, type), start = low.as(x[0], type), stop = low.as(x[1], type);
    node_id const between = low.append(op::add, start, low.append(op::multiply, t, low.append(op::subtract, stop, start)));
    node_id const exponent = low.choose(low.test(op::equal, t, low.number_like(t, 1)), stop, between);
    return low.append(op::power, low.as(x[2], type), exponent);
}
// Records a^(1 - t) b^t of the ends' magnitudes, which overflows nowhere between them; the ends themselves are exact.
TRACEXPR_ONCE constexpr node_id record_geomspace(lowering& low, node_id const* x, std::int64_t count, dtype type) {
    node_id const t = steps_to_one(low, count, type), start = low.as(x[0], type), stop = low.as(x[1], type);
    node_id const zero = low.number_like(t, 0), one = low.number_like(t, 1);
    node_id const first = low.append(op::power, low.append(op::absolute, start), low.append(op::subtract, one, t));
    node_id const second = low.append(op::power, low.append(op::absolute, stop), t);
    node_id const between = low.append(op::multiply, low.append(op::sign, start), low.append(op::multiply, first, second));
    node_id const from_start = low.choose(low.test(op::equal, t, zero), start, between);
    return low.choose(low.test(op::equal, t, one), stop, from_start);
}
template <dtype Type, std::int64_t Count, bool Logarithms> struct spacing_builder {
    static constexpr char const* called = Logarithms ? "logspace" : "geomspace";
    static constexpr dtype computed_type = size_in_bytes(Type) < 4 ? dtype::float32 : Type;
    static constexpr char const* problem(builder_specs given) { return spacing_problem(given); }
    static constexpr std::array<dtype, 1> types(builder_specs) { return std::array<dtype, 1>{Type}; }
    static constexpr std::array<dims, 1> shapes(builder_specs) { return std::array<dims, 1>{dims{{Count}, 1}}; }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{Logarithms ? record_logspace(low, x, Count, computed_type)
                                                 : record_geomspace(low, x, Count, computed_type)};
    }
};
// Converts a C++ number to a scalar tensor of the dtype to compute in, and gives other values as they are.
template <class T, class V> constexpr auto end_of_range(V const& v) {
    using number = std::conditional_t<(size_in_bytes(dtype_of<T>) < 4), float, T>;
    if constexpr (scalar_type<V>) return tensor<number, shape<>>(static_cast<number>(v));
    else return v;
}
template <class T, std::int64_t N, class... V> constexpr bool check_spacing() {
    constexpr bool has_count = N >= 0;
    constexpr bool are_scalars = ((dims_of_operand<V>.rank <= 0) && ...) && ((is_real_operand<V> && holds_numbers<V>) && ...);
    static_assert(has_count, "tx: logspace, geomspace: the number of elements must not be negative");
    static_assert(is_floating(dtype_of<T>), "tx: logspace, geomspace: the dtype must be floating");
    static_assert(are_scalars, "tx: logspace, geomspace: the ends and the base must be real scalars");
    return has_count && is_floating(dtype_of<T>) && are_scalars;
}
TRACEXPR_ONCE void check_ratio(double start, double stop) {
    if (start == 0 || stop == 0 || (start < 0) != (stop < 0))
        throw error("tx: geomspace: the ends must have one sign and not be 0; given " + std::to_string(start) + ", " +
                    std::to_string(stop));
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Gives N numbers base^start, ..., base^stop, whose exponents are evenly spaced: logspace<double, 5>(0, 4), logspace<float, 9>(0,
// 8, 2). Start, stop and base are numbers or scalars, which may be part of a trace.
template <element T, std::int64_t N, operand A, operand B, operand C = double>
[[nodiscard]] constexpr auto logspace(A const& start, B const& stop, C const& base = 10.0) {
    return detail::apply_if<detail::check_spacing<T, N, A, B, C>()>(
        detail::built_fn<detail::spacing_builder<dtype_of<T>, N, true>>{}, detail::end_of_range<T>(start),
        detail::end_of_range<T>(stop), detail::end_of_range<T>(base));
}
// Gives N numbers from start to stop, both included, each the same multiple of the one before: geomspace<double, 4>(1, 1000).
// Ends that are C++ numbers throw error if they are 0 or differ in sign; for scalars of such values the numbers between them are
// NaN.
template <element T, std::int64_t N, operand A, operand B> [[nodiscard]] constexpr auto geomspace(A const& start, B const& stop) {
    if constexpr (std::is_arithmetic_v<A> && std::is_arithmetic_v<B>)
        detail::check_ratio(static_cast<double>(start), static_cast<double>(stop));
    return detail::apply_if<detail::check_spacing<T, N, A, B>()>(
        detail::built_fn<detail::spacing_builder<dtype_of<T>, N, false>>{}, detail::end_of_range<T>(start),
        detail::end_of_range<T>(stop));
}

} // namespace TRACEXPR_CALLS
} // namespace tx
