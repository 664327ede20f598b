// This file holds functions that count how often values occur: bincount and histogram.
#pragma once

#include <tracexpr/trace/functions.hpp>
#include <tracexpr/trace/updates.hpp>

#include <utility>

namespace tx {
namespace detail {

// Gives the elements of any shape as a vector.
template <class A> constexpr auto row_of(A const& a) {
    if constexpr (dims_of_operand<A>.rank < 0) return in_a_row(a);
    else return record_rule<flatten_rule>(a);
}
// Gives an operand as an expr of dtype T.
template <class T, class V> constexpr auto as_expr(trace_scope& scope, V const& v) {
    if constexpr (expr_type<V>) return cast_to<T>(v);
    else return expr<T, shape<>>(scope, record_operand<dtype_of<T>>(scope, v));
}
// Counts how often each of the places 0 .. Length - 1 occurs, or sums the weights at each. Elements that don't count have the
// place Length, which is dropped.
template <std::int64_t Length, class P, class... W> constexpr auto counted_places(P const& at, W const&... weights) {
    auto const total = [&]<class T>(T const&, auto const& added) {
        return slice(add_at(tensor<T, shape<Length + 1>>{}, added, at), range<0, Length>);
    };
    if constexpr (sizeof...(W) == 0) {
        return total(std::int64_t{}, std::int64_t{1});
    } else {
        using weight = std::common_type_t<typename W::value_type...>;
        return cast_to<mean_type<weight>>(total(mean_sum_type<weight>{}, cast_to<mean_sum_type<weight>>(weights)...));
    }
}

template <std::int64_t Length> struct bincount_fn {
    static constexpr char const* called = "bincount";
    template <class A, class... W> constexpr auto operator()(A const& a, W const&... weights) const {
        using given = typename A::value_type;
        constexpr std::uint64_t most = std::numeric_limits<given>::max(), length = Length;
        using index = std::conditional_t<length <= most, given, std::int64_t>; // holds Length, too, the place that is dropped
        auto const value = cast_to<index>(row_of(a));
        constexpr index behind{Length};
        if constexpr (!std::is_unsigned_v<given>)
            return counted_places<Length>(where(logical_and(value >= index(0), value < behind), value, behind),
                                          row_of(weights)...);
        else if constexpr (length <= most) return counted_places<Length>(minimum(value, behind), row_of(weights)...);
        else return counted_places<Length>(row_of(a), row_of(weights)...); // every value is less than Length
    }
};

// Bins are of equal width from `low` to `high`. As in numpy.histogram an element's bin is found by a product, then corrected by
// the rounded edges.
template <std::int64_t Bins> struct histogram_fn {
    static constexpr char const* called = "histogram";
    template <class A, class L, class H> constexpr auto operator()(A const& a, L const& lowest, H const& highest) const {
        using T = mean_type<typename A::value_type>;
        using accumulator = mean_sum_type<typename A::value_type>;
        auto const given_low = as_expr<accumulator>(a.scope(), lowest), given_high = as_expr<accumulator>(a.scope(), highest);
        auto const room = where(given_low == given_high, accumulator(0.5), accumulator(0));
        auto const low = given_low - room, high = given_high + room, width = (high - low) / static_cast<double>(Bins);
        auto const number = tx::arange<accumulator, Bins + 1>();
        auto const edges = cast_to<T>(where(number == static_cast<double>(Bins), high, low + number * width));
        auto const x = row_of(a);
        auto const value = cast_to<T>(x);
        auto const counts = logical_and(value >= slice(edges, at<0>), value <= slice(edges, at<-1>));
        auto const near =
            minimum(cast_to<std::int64_t>(where(counts, floor((cast_to<accumulator>(x) - low) / width), 0.0)), Bins - 1);
        auto const not_above = near - cast_to<std::int64_t>(value < take(edges, near));
        auto const bin = minimum(not_above + cast_to<std::int64_t>(value >= take(edges, not_above + 1)), Bins - 1);
        return std::pair{counted_places<Bins>(where(counts, bin, Bins)), edges};
    }
};

[[noreturn]] TRACEXPR_ONCE void throw_uncounted(std::int64_t value) {
    throw error("tx: bincount: the values must not be negative; given " + std::to_string(value));
}
[[noreturn]] TRACEXPR_ONCE void throw_unfit_weights(dims const& x, dims const& weights) {
    throw shape_error("tx: bincount: the weights must have the shape of x; given " + to_string(x) + ", " + to_string(weights));
}
template <class A, class... W> constexpr bool check_bincount() {
    constexpr bool has_integers = is_integer(dtype_of_operand<A>);
    constexpr bool are_numbers = (!is_complex(dtype_of_operand<W>) && ...);
    constexpr bool fits = (may_equal(dims_of_operand<A>, dims_of_operand<W>) && ...);
    static_assert(has_integers, "tx: bincount: takes integers");
    static_assert(are_numbers, "tx: bincount: the weights must be real");
    static_assert(fits, "tx: bincount: the weights must have the shape of x");
    return has_integers && are_numbers && fits;
}
template <class L, class H> constexpr bool check_histogram() {
    constexpr bool are_scalars = dims_of_operand<L>.rank == 0 && dims_of_operand<H>.rank == 0;
    constexpr bool are_real = is_real_operand<L> && is_real_operand<H>;
    static_assert(are_scalars, "tx: histogram: low and high must be scalars");
    static_assert(are_real, "tx: histogram: low and high must be real");
    return are_scalars && are_real;
}
TRACEXPR_ONCE constexpr void check_range(double low, double high) {
    if (!(low <= high) || high - low > std::numeric_limits<double>::max())
        throw error("tx: histogram: low and high must be finite and in order; given " + std::to_string(low) + ", " +
                    std::to_string(high));
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// How often each of the numbers 0 .. Length - 1 occurs in x, as int64: bincount<4>(x). With weights of x's shape it is the sum of
// the weights at the number's places, in their dtype, float64 for integers. Other numbers are not counted. x holds integers and
// may have any shape.
template <std::int64_t Length, array_operand A, array_operand... W> requires(sizeof...(W) <= 1)
[[nodiscard]] constexpr auto bincount(A const& x, W const&... weights) {
    constexpr bool checks = detail::check_bincount<A, W...>();
    static_assert(Length >= 0, "tx: bincount: the length must not be negative");
    return detail::apply_if<(checks && Length >= 0)>(detail::bincount_fn<(Length < 0 ? 0 : Length)>{}, x, weights...);
}
// How often each number from 0 to the greatest in x occurs. The length depends on the values, so this form takes tensors outside
// of callables. Throws error for a negative number.
template <array_operand A, array_operand... W> requires(sizeof...(W) <= 1)
[[nodiscard]] auto bincount(A const& x, W const&... weights) {
    constexpr bool has_values = !expr_type<A> && (!expr_type<W> && ...);
    constexpr bool checks = detail::check_bincount<A, W...>();
    static_assert(has_values,
                  "tx: bincount: how many numbers there are follows from the values, which a trace hasn't: give their "
                  "number, bincount<10>(x)");
    if constexpr (has_values && checks) {
        auto const held = detail::as_operand(detail::plain_operand(x));
        std::int64_t length = 0;
        for (std::int64_t i = 0; i < held.size(); ++i) {
            auto const value = static_cast<std::int64_t>(held.data()[i]);
            if (value < 0) detail::throw_uncounted(value);
            length = std::max(length, value + 1);
        }
        auto const count = [&]<class T>(T, auto weight) {
            auto out = tx::zeros<T, shape<dyn>>(length);
            T* const to = out.mutable_data();
            for (std::int64_t i = 0; i < held.size(); ++i) to[static_cast<std::int64_t>(held.data()[i])] += weight(i);
            return out;
        };
        if constexpr (sizeof...(W) == 0) {
            return count(std::int64_t{}, [](std::int64_t) { return std::int64_t{1}; });
        } else {
            auto const given = std::get<0>(std::tuple{detail::as_operand(detail::plain_operand(weights))...});
            using weight = typename decltype(given)::value_type;
            using accumulator = detail::mean_sum_type<weight>;
            if (given.dimensions() != held.dimensions()) detail::throw_unfit_weights(held.dimensions(), given.dimensions());
            return cast<detail::mean_type<weight>>(
                count(accumulator{}, [&](std::int64_t i) { return static_cast<accumulator>(given.data()[i]); }));
        }
    } else return detail::failed{};
}
// How many elements lie in each of Bins bins of equal width between low and high, as int64, and the edges of the bins, in the
// dtype of x, float64 for integers: auto const [counts, edges] = histogram<10>(x, 0, 1). A bin includes its lower edge, and the
// last one its upper edge, too; elements outside are not counted. C++ numbers that are not finite or not in order throw error.
template <std::int64_t Bins, array_operand A, operand L, operand H>
[[nodiscard]] constexpr auto histogram(A const& x, L const& low, H const& high) {
    constexpr bool checks = detail::check_histogram<L, H>();
    constexpr bool is_real = detail::is_real_operand<A>;
    static_assert(Bins > 0, "tx: histogram: needs at least one bin");
    static_assert(is_real, "tx: histogram: complex numbers have no order; use tx::abs(x) or tx::real(x)");
    if constexpr (std::is_arithmetic_v<L> && std::is_arithmetic_v<H>)
        detail::check_range(static_cast<double>(low), static_cast<double>(high));
    return detail::apply_if<(checks && is_real && Bins > 0)>(detail::histogram_fn<(Bins > 0 ? Bins : 1)>{}, x, low, high);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
