// This file holds functions whose number of results depends on values: nonzero, and unique and its variants.
#pragma once

#include <tracexpr/trace/counting.hpp>
#include <tracexpr/trace/rows.hpp>

#include <array>
#include <utility>

namespace tx {
namespace detail {

// Gives the values that are chosen, one after the other: the first Size, and `fill` where there are fewer.
template <std::int64_t Size, class M, class V, class F>
constexpr auto first_chosen(M const& chosen, V const& values, F const& fill) {
    auto const number = cumsum(cast_to<std::int64_t>(chosen), axis<0>) - std::int64_t{1};
    // unchosen values go to the place behind the last
    auto const place = where(logical_and(chosen, number < Size), number, Size);
    using T = typename V::value_type;
    auto const start = cast_to<T>(broadcast_to(fill, shape<Size + 1>{}));
    return slice(set(start, values, place), range<0, Size>);
}

template <std::int64_t Size> struct nonzero_fn {
    static constexpr char const* called = "nonzero";
    template <class A, class F> constexpr auto operator()(A const& a, F const& fill) const {
        return along(a, fill, std::make_integer_sequence<int, dims_of<typename A::shape_type>.rank>{});
    }
    template <class A, class F, int... Axes>
    static constexpr auto along(A const& a, F const& fill, std::integer_sequence<int, Axes...>) {
        auto const chosen = row_of(cast_to<bool>(a));
        auto const filled = as_expr<std::int64_t>(a.scope(), fill);
        return std::array{first_chosen<Size>(chosen, row_of(cast_to<std::int64_t>(iota_like(a, axis<Axes>))), filled)...};
    }
};

// Says which elements of a sorted row differ from the one before them. NaNs count as equal; the first element always differs.
template <class S> constexpr auto are_first(S const& sorted) {
    auto const before = roll<1>(sorted);
    auto const differs = [&] {
        if constexpr (is_floating(dtype_of<typename S::value_type>))
            return logical_and(sorted != before, logical_not(logical_and(isnan(sorted), isnan(before))));
        else return sorted != before;
    }();
    return logical_or(differs, iota_like(cast_to<std::int64_t>(differs)) == 0);
}
// Gives all elements in ascending order, and which of them are the first of equal ones.
struct first_of_kind_fn {
    static constexpr char const* called = "unique";
    template <class A> constexpr auto operator()(A const& a) const {
        auto const sorted = sort(row_of(a));
        return std::pair{sorted, are_first(sorted)};
    }
};
// A C++ integer that fills the places of missing elements must fit the dtype.
template <class A, class... F> constexpr void check_fill([[maybe_unused]] char const* called, A const&, F const&... fill) {
    (check_scalar<dtype_of<typename A::value_type>>(called, fill), ...);
}
template <std::int64_t Size> struct unique_fn {
    static constexpr char const* called = "unique";
    template <class... A> static constexpr void check(A const&... a) { check_fill(called, a...); }
    template <class A, class... F> constexpr auto operator()(A const& a, F const&... fill) const {
        check(a, fill...);
        auto const [sorted, chosen] = first_of_kind_fn{}(a);
        if constexpr (sizeof...(F) == 0) return first_chosen<Size>(chosen, sorted, slice(sorted, at<0>));
        else return first_chosen<Size>(chosen, sorted, as_expr<typename A::value_type>(a.scope(), fill...));
    }
};

// Gives the sorted elements, which of them are the first of equal ones, and where each stands in x; equal ones are in the order
// of their places.
struct places_of_kinds_fn {
    static constexpr char const* called = "unique_all";
    template <class A> constexpr auto operator()(A const& a) const {
        auto const row = row_of(a);
        auto const places = argsort(row);
        auto const sorted = take(row, places);
        return std::tuple{sorted, are_first(sorted), places};
    }
};
// Reshapes a row of as many elements to x's shape.
template <class A, class V> constexpr auto in_shape_of(A const& a, V const& row) {
    using T = typename V::value_type;
    dims const d = known_rank(op::reshape, a);
    if (open_extents(d) > 1)
        throw shape_error("tx: unique_inverse, unique_all: at most one extent may be open while x is traced");
    attribute_list target;
    for (int k = 0; k < d.rank; ++k) target.push_back(d[k]);
    return expr<T, typename A::shape_type>(a.scope(), lowering(a.scope()).reshape(row.id(), target));
}
// What a variant of unique gives besides the values.
enum class also : unsigned { none = 0, counts = 1, inverse = 2, all = 7 };
template <std::int64_t Size, also What> struct unique_also_fn {
    static constexpr char const* called = What == also::counts    ? "unique_counts"
                                          : What == also::inverse ? "unique_inverse"
                                                                  : "unique_all";
    template <class... A> static constexpr void check(A const&... a) { check_fill(called, a...); }
    template <class A, class... F> constexpr auto operator()(A const& a, F const&... fill) const {
        check(a, fill...);
        auto const kinds = [&] {
            if constexpr (What == also::counts) return first_of_kind_fn{}(a);
            else return places_of_kinds_fn{}(a);
        }();
        auto const& sorted = std::get<0>(kinds);
        auto const& chosen = std::get<1>(kinds);
        auto const values = [&] {
            if constexpr (sizeof...(F) == 0) return first_chosen<Size>(chosen, sorted, slice(sorted, at<0>));
            else return first_chosen<Size>(chosen, sorted, as_expr<typename A::value_type>(a.scope(), fill...));
        }();
        auto const number = cumsum(cast_to<std::int64_t>(chosen), axis<0>) - std::int64_t{1};
        auto const counts = [&] { return counted_places<Size>(number, number < Size); };
        if constexpr (What == also::counts) {
            return std::pair{values, counts()};
        } else {
            auto const& places = std::get<2>(kinds);
            auto const inverse = in_shape_of(a, set(zeros_like(number), number, places));
            if constexpr (What == also::inverse) {
                return std::pair{values, inverse};
            } else {
                auto const least = sum(where(logical_and(chosen, number == 0), places, std::int64_t{0}));
                return std::tuple{values, first_chosen<Size>(chosen, places, least), inverse, counts()};
            }
        }
    }
};

// Gives the distance of each place from the next one, the last one's from the end.
TRACEXPR_ONCE tensor<std::int64_t, shape<dyn>> counts_between(tensor<std::int64_t, shape<dyn>> const& places, std::int64_t end) {
    auto out = tensor<std::int64_t, shape<dyn>>::uninitialized(places.dimensions());
    std::int64_t const* const from = places.data();
    std::int64_t* const to = out.mutable_data();
    for (std::int64_t i = 0, n = places.size(); i < n; ++i) to[i] = (i + 1 < n ? from[i + 1] : end) - from[i];
    return out;
}
template <class Shape> tensor<std::int64_t, Shape> inverse_places(dims const& d, tensor<bool, shape<dyn>> const& chosen,
                                                                  tensor<std::int64_t, shape<dyn>> const& places) {
    auto out = tensor<std::int64_t, Shape>::uninitialized(d);
    std::int64_t* const to = out.mutable_data();
    for (std::int64_t i = 0, number = -1; i < chosen.size(); ++i) to[places.data()[i]] = number += chosen.data()[i];
    return out;
}
template <also What, class A> auto unique_now(A const& x) {
    if constexpr (What == also::counts) {
        auto const [sorted, chosen] = detail::apply(first_of_kind_fn{}, x);
        auto const firsts = places_of(chosen);
        return std::pair{take(sorted, firsts), counts_between(firsts, chosen.size())};
    } else {
        auto const [sorted, chosen, places] = detail::apply(places_of_kinds_fn{}, x);
        auto const firsts = places_of(chosen);
        auto const inverse = inverse_places<typename traits<A>::shape_type>(shape_of_held(x), tensor<bool, shape<dyn>>(chosen),
                                                                            tensor<std::int64_t, shape<dyn>>(places));
        if constexpr (What == also::inverse) return std::pair{take(sorted, firsts), inverse};
        else return std::tuple{take(sorted, firsts), take(places, firsts), inverse, counts_between(firsts, chosen.size())};
    }
}
template <class A, also What = also::none> constexpr bool check_order() {
    constexpr bool is_real = is_real_operand<A>, has_numbers = holds_numbers<A>;
    static_assert(is_real, "tx: unique: complex numbers have no order; use tx::abs(x) or tx::real(x)");
    static_assert(has_numbers || What != also::none,
                  "tx: unique: takes numbers, not strings; outside of callables tx::unique(x) of strings is in "
                  "<tracexpr/arrays.hpp>");
    static_assert(has_numbers || What != also::counts,
                  "tx: unique_counts: takes numbers, not strings; with <tracexpr/arrays.hpp> write "
                  "tx::unique_counts(tx::searchsorted(tx::unique(x), x)), which counts the strings' numbers");
    static_assert(has_numbers || What != also::inverse,
                  "tx: unique_inverse: takes numbers, not strings; with <tracexpr/arrays.hpp> write "
                  "tx::searchsorted(tx::unique(x), x), which is the inverse");
    static_assert(has_numbers || What != also::all,
                  "tx: unique_all: takes numbers, not strings; with <tracexpr/arrays.hpp> write "
                  "tx::unique_all(tx::searchsorted(tx::unique(x), x)), which takes the strings' numbers");
    if constexpr (any_unusable<A>) return used<A>(), false;
    else return is_real && has_numbers;
}
template <also What, class A> auto checked_unique(A const& x) {
    constexpr bool has_values = !expr_type<A>;
    constexpr bool is_ordered = check_order<A, What>();
    static_assert(has_values, "tx: unique: how many there are follows from the values, which a trace hasn't: give their number, "
                              "unique_counts<10>(x)");
    if constexpr (has_values && is_ordered) return unique_now<What>(as_operand(plain_operand(x)));
    else return failed{};
}

template <std::int64_t Size, class A, class... F> constexpr bool check_chosen() {
    constexpr bool has_size = Size >= 0;
    constexpr bool are_scalars = ((dims_of_operand<F>.rank == 0) && ...);
    static_assert(has_size, "tx: nonzero, unique: the size must not be negative");
    static_assert(are_scalars, "tx: nonzero, unique: what stands where there are no more must be a scalar");
    return has_size && are_scalars;
}
template <std::int64_t Size, also What, class A, class... F> constexpr auto checked_unique(A const& x, F const&... fill) {
    constexpr bool sized = check_chosen<Size, A, F...>();
    constexpr bool is_ordered = check_order<A, What>();
    constexpr bool is_known = What == also::counts || open_extents(dims_of_operand<A>) <= 1;
    static_assert(is_known, "tx: unique_inverse, unique_all: at most one extent of x may be open where their number is given");
    return apply_if<(sized && is_ordered && is_known)>(unique_also_fn<(Size < 0 ? 0 : Size), What>{}, x, fill...);
}
template <class A> constexpr bool check_nonzero() {
    constexpr bool has_rank = dims_of_operand<A>.rank > 0;
    static_assert(has_rank,
                  "tx: nonzero: the type of x must tell its rank, which must not be 0; there is a result for each axis");
    return has_rank;
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Where the elements of x are not 0, in row-major order: for each axis a vector of places along it, as int64. auto const [rows,
// columns] = nonzero(x). The number of places depends on the values, so this form takes tensors outside of callables.
template <array_operand A> [[nodiscard]] auto nonzero(A const& x) {
    constexpr bool has_values = !expr_type<A>;
    constexpr bool has_rank = detail::check_nonzero<A>();
    static_assert(has_values, "tx: nonzero: how many places there are follows from the values, which a trace hasn't: give their "
                              "number, nonzero<10>(x)");
    if constexpr (has_values && has_rank) {
        auto const held = detail::as_operand(detail::plain_operand(x));
        auto const chosen = detail::places_of(cast<bool>(held));
        constexpr int rank = detail::dims_of_operand<A>.rank;
        if constexpr (rank == 1) return std::array{chosen};
        std::array<tensor<std::int64_t, shape<dyn>>, rank> out;
        std::int64_t behind = 1;
        for (int axis = rank - 1; axis >= 0; behind *= held.extent(axis--)) {
            auto& along = out[static_cast<std::size_t>(axis)];
            along = tensor<std::int64_t, shape<dyn>>::uninitialized(chosen.dimensions());
            std::int64_t* const to = along.mutable_data();
            for (std::int64_t i = 0; i < chosen.size(); ++i) to[i] = chosen.data()[i] / behind % held.extent(axis);
        }
        return out;
    } else return detail::failed{};
}
// The first Size places where x is not 0; this form works in callables, too. `fill` stands where there are fewer: nonzero<4>(x,
// -1). (JAX's size and fill_value.)
template <std::int64_t Size, array_operand A, operand F = int>
[[nodiscard]] constexpr auto nonzero(A const& x, F const& fill = 0) {
    constexpr bool checks = detail::check_nonzero<A>();
    constexpr bool sized = detail::check_chosen<Size, A, F>();
    constexpr bool fits = is_integer(detail::dtype_of_operand<F>);
    static_assert(fits, "tx: nonzero: what stands where there are no more must be an integer");
    return detail::apply_if<(checks && sized && fits)>(detail::nonzero_fn<(Size < 0 ? 0 : Size)>{}, x, fill);
}
// The different elements of x in ascending order, a vector; NaN is one of them. The number of elements depends on the values, so
// this form takes tensors outside of callables. x may have any dtype but complex and string.
template <array_operand A> [[nodiscard]] auto unique(A const& x) {
    constexpr bool has_values = !expr_type<A>;
    constexpr bool is_ordered = detail::check_order<A>();
    static_assert(has_values, "tx: unique: how many there are follows from the values, which a trace hasn't: give their number, "
                              "unique<10>(x)");
    if constexpr (has_values && is_ordered) {
        auto const [sorted, chosen] = detail::apply(detail::first_of_kind_fn{}, x);
        return compress(chosen, sorted);
    } else return detail::failed{};
}
// The first Size different elements of x in ascending order; this form works in callables, too. Where there are fewer, `fill`
// stands or, without it, the least element: unique<4>(x).
template <std::int64_t Size, array_operand A, operand... F> requires(sizeof...(F) <= 1)
[[nodiscard]] constexpr auto unique(A const& x, F const&... fill) {
    constexpr bool sized = detail::check_chosen<Size, A, F...>();
    constexpr bool is_ordered = detail::check_order<A>();
    return detail::apply_if<(sized && is_ordered)>(detail::unique_fn<(Size < 0 ? 0 : Size)>{}, x, fill...);
}

// The different elements of x in ascending order, and how often each occurs, as int64: auto const [values, counts] =
// unique_counts(x).
template <array_operand A> [[nodiscard]] auto unique_counts(A const& x) {
    return detail::checked_unique<detail::also::counts>(x);
}
// The first Size different elements of x and their counts; this form works in callables, too. A filled-in value occurs 0 times:
// unique_counts<4>(x), unique_counts<4>(x, 9).
template <std::int64_t Size, array_operand A, operand... F> requires(sizeof...(F) <= 1)
[[nodiscard]] constexpr auto unique_counts(A const& x, F const&... fill) {
    return detail::checked_unique<Size, detail::also::counts>(x, fill...);
}
// The different elements of x in ascending order, and for each element of x the place of its equal among them, as int64 in x's
// shape: take(values, inverse) is x. auto const [values, inverse] = unique_inverse(x).
template <array_operand A> [[nodiscard]] auto unique_inverse(A const& x) {
    return detail::checked_unique<detail::also::inverse>(x);
}
// The first Size different elements of x and the inverse places; this form works in callables, too. Places also count the values
// beyond the first Size. At most one extent of x may be open, else it throws shape_error.
template <std::int64_t Size, array_operand A, operand... F> requires(sizeof...(F) <= 1)
[[nodiscard]] constexpr auto unique_inverse(A const& x, F const&... fill) {
    return detail::checked_unique<Size, detail::also::inverse>(x, fill...);
}
// A tuple (values, indices, inverse, counts): what unique_inverse and unique_counts give, and `indices`, where each value stands
// first in x in row-major order.
template <array_operand A> [[nodiscard]] auto unique_all(A const& x) { return detail::checked_unique<detail::also::all>(x); }
// The first Size different elements of x, as a tuple (values, indices, inverse, counts); this form works in callables, too. A
// filled-in value occurs 0 times, and its index is that of the least element.
template <std::int64_t Size, array_operand A, operand... F> requires(sizeof...(F) <= 1)
[[nodiscard]] constexpr auto unique_all(A const& x, F const&... fill) {
    return detail::checked_unique<Size, detail::also::all>(x, fill...);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
