// This file reads and writes parts of a tensor whose places only the run knows. As in JAX a place below 0 counts from the end,
// and a part that would reach out of the tensor is shifted into it.
#pragma once

#include <tracexpr/trace/places_together.hpp>

#include <array>
#include <limits>
#include <tuple>
#include <utility>

namespace tx {
namespace detail {

// Gives where a part of `size` of `extent` elements starts, after these corrections.
template <class I, class D, class S> constexpr auto start_within(I const& place, D const& extent, S const& size) {
    auto const from = [&] {
        if constexpr (dtype_of_operand<I> != dtype::uint64) return cast_to<std::int64_t>(place);
        else return cast_to<std::int64_t>(minimum(place, std::uint64_t{std::numeric_limits<std::int64_t>::max()}));
    }();
    return maximum(minimum(where(from < 0, from + extent, from), extent - size), std::int64_t{0});
}
// Appends `Behind` axes of extent 1 to a vector.
template <int Behind, class V> constexpr auto standing_before(V const& along_one) {
    return [&]<int... K>(std::integer_sequence<int, K...>) {
        return expand_dims(along_one, axis<(K + 1)...>);
    }(std::make_integer_sequence<int, Behind>{});
}

// Slices a part of this shape; where that is open, the first of the operands is a tensor `like` whose extents give it.
template <class Shape> struct dynamic_slice_fn {
    static constexpr char const* called = "dynamic_slice";
    template <class A, class... I> constexpr auto operator()(A const& x, I const&... operands) const {
        if constexpr (dims_of<Shape>.is_static()) return along<0>(x, x, operands...);
        else return along<0>(x, operands...);
    }

private:
    template <int K, class A, class L, class I, class... More>
    static constexpr auto along(A const& x, L const& like, I const& start, More const&... more) {
        constexpr std::int64_t n = dims_of<Shape>[K];
        auto const part = [&] {
            if constexpr (n != dyn && n == known_extent<K, A>) return x;
            else if constexpr (n != dyn)
                return take(x, counted<n>(x.scope()) + start_within(start, tx::extent<K>(x), n), axis<K>);
            else return take(x, places_along<K>(like) + start_within(start, tx::extent<K>(x), tx::extent<K>(like)), axis<K>);
        }();
        if constexpr (sizeof...(More) == 0) return part;
        else return along<K + 1>(part, like, more...);
    }
};
template <std::size_t Rank> struct dynamic_update_slice_fn {
    static constexpr char const* called = "dynamic_update_slice";
    template <class A, class U, class... I> constexpr auto operator()(A const& x, U const& update, I const&... starts) const {
        return along<0>(x, cast_to<typename A::value_type>(update), starts...);
    }

private:
    // Gives the update, spread over x, where x is within it along axis K and all later ones, else x.
    template <int K, class A, class U, class I, class... More>
    static constexpr auto along(A const& x, U const& update, I const& start, More const&... more) {
        constexpr std::int64_t n = known_extent<K, U>;
        auto const within = [&](auto const& rest) {
            if constexpr (sizeof...(More) == 0) return rest;
            else return along<K + 1>(x, rest, more...);
        };
        if constexpr (n != dyn && n == known_extent<K, A>) {
            return within(update);
        } else if constexpr (n == 0) {
            return x;
        } else {
            auto const size = tx::extent<K>(update);
            auto const place = places_along<K>(x) - start_within(start, tx::extent<K>(x), size);
            auto const within_it = maximum(minimum(place, size - std::int64_t{1}), std::int64_t{0});
            auto const spread = take(with_an_element<K>(update), refused_unless_fits<K>(x, size, within_it), axis<K>);
            return where(standing_before<static_cast<int>(Rank) - K - 1>(place >= 0 && place < size), within(spread), x);
        }
    }
    // Throws where an update turns out to be longer than x: it moves the places outside of the update, which `take` refuses.
    template <int K, class A, class S, class P>
    static constexpr auto refused_unless_fits(A const& x, S const& size, P const& places) {
        if constexpr (known_extent<K, A> != dyn && std::is_integral_v<S>) return places;
        else return where(size <= tx::extent<K>(x), places, size + std::int64_t{1});
    }
    // Pads the update by one element along axis K where it may have none, as `take` needs at least one.
    template <int K, class U> static constexpr auto with_an_element(U const& update) {
        if constexpr (known_extent<K, U> != dyn) {
            return update;
        } else {
            return [&]<int... W>(std::integer_sequence<int, W...>) {
                return pad(update, widths_t<(W == 2 * K + 1 ? 1 : 0)...>{});
            }(std::make_integer_sequence<int, 2 * static_cast<int>(Rank)>{});
        }
    }
};
template <int Axis> struct dynamic_index_fn {
    static constexpr char const* called = "dynamic_index";
    template <class A, class I> constexpr auto operator()(A const& x, I const& place) const {
        return take(x, start_within(place, tx::extent<Axis>(x), std::int64_t{1}), axis<Axis>);
    }
};

// Selects the update, which lacks axis Axis, where x is at that place along the axis; else x.
template <int Axis> struct dynamic_update_index_fn {
    static constexpr char const* called = "dynamic_update_index";
    template <class A, class U, class I> constexpr auto operator()(A const& x, U const& update, I const& place) const {
        constexpr int behind = dims_of_operand<A>.rank - Axis - 1;
        auto const at_place = places_along<Axis>(x) == start_within(place, tx::extent<Axis>(x), std::int64_t{1});
        if constexpr (dims_of_operand<U>.rank == 0) return where(standing_before<behind>(at_place), update, x);
        else return where(standing_before<behind>(at_place), expand_dims(update, axis<Axis>), x);
    }
};

// Calls f(place...) for a tuple or an array of scalars, for a scalar, or for a vector of static extent.
template <class Places, class F> constexpr auto with_places(Places const& places, F const& f) {
    if constexpr (requires { std::tuple_size<Places>::value; }) {
        return std::apply([&](auto const&... place) { return f(as_place(place)...); }, places);
    } else if constexpr (dims_of_operand<Places>.rank == 1) {
        return [&]<int... K>(std::integer_sequence<int, K...>) {
            return f(slice(places, at<K>)...);
        }(std::make_integer_sequence<int, static_cast<int>(dims_of_operand<Places>[0])>{});
    } else {
        return f(as_place(places));
    }
}
// The number of places; -1 for other types.
template <class Places> inline constexpr int count_of_places = -1;
template <operand I> inline constexpr int count_of_places<I> =
    is_place<I> ? 1
    : is_integer(dtype_of_operand<I>) && dims_of_operand<I>.is_static() && dims_of_operand<I>.rank == 1
        ? static_cast<int>(dims_of_operand<I>[0])
        : -1;
template <class... I> inline constexpr int count_of_places<std::tuple<I...>> =
    (is_place<I> && ...) ? static_cast<int>(sizeof...(I)) : -1;
template <class I, std::size_t N> inline constexpr int count_of_places<std::array<I, N>> = is_place<I> ? static_cast<int>(N) : -1;

template <class A, class Places> constexpr bool check_places() {
    constexpr int count = count_of_places<Places>;
    constexpr bool are_places = count > 0, fits = dims_of_operand<A>.rank < 0 || dims_of_operand<A>.rank == count;
    static_assert(are_places, "tx: dynamic_slice, dynamic_update_slice: the starts must be integer scalars in a std::tuple or "
                              "std::array, one scalar, or an integer vector of static extent");
    static_assert(!are_places || fits, "tx: dynamic_slice, dynamic_update_slice: there must be a start for each axis of x");
    return are_places && fits;
}
template <class A, class Shape> inline constexpr bool holds_part = [] {
    dims const whole = dims_of_operand<A>, part = dims_of<Shape>;
    if (whole.rank >= 0 && whole.rank != part.rank) return false;
    for (int axis = 0; axis < whole.rank; ++axis)
        if (whole[axis] != dyn && part[axis] != dyn && part[axis] > whole[axis]) return false;
    return true;
}();
// Is `part`, as far as shapes are known, the shape `whole` without that axis?
template <int Axis> constexpr bool fits_beside(dims const& whole, dims const& part) {
    if (whole.rank < 0 || part.rank != whole.rank - 1) return false;
    for (int k = 0; k < part.rank; ++k)
        if (std::int64_t const extent = whole[k < Axis ? k : k + 1]; extent != dyn && part[k] != dyn && extent != part[k])
            return false;
    return true;
}
template <std::size_t Rank> struct open_shape_of_rank {
    template <std::size_t... K> static shape<(static_cast<void>(K), dyn)...> of(std::index_sequence<K...>);
    using type = decltype(of(std::make_index_sequence<Rank>{}));
};

} // namespace detail

inline namespace TRACEXPR_CALLS {

// The part of x of this static shape that starts at `starts`: dynamic_slice(x, std::tuple(i, j), tx::shape<2, 3>{}).
template <array_operand A, class Starts, std::int64_t... E>
[[nodiscard]] constexpr auto dynamic_slice(A const& x, Starts const& starts, shape<E...>) {
    constexpr bool is_static = ((E != dyn) && ...);
    static_assert(is_static,
                  "tx: dynamic_slice: the shape must be static; run-time extents are given as numbers, one for each axis");
    if constexpr (!is_static || !detail::check_places<A, Starts>()) {
        return detail::failed{};
    } else {
        constexpr bool fits = detail::count_of_places<Starts> == sizeof...(E) && detail::holds_part<A, shape<E...>>;
        static_assert(fits, "tx: dynamic_slice: the shape must have the rank of x, and no extent that is greater than x has");
        if constexpr (!fits) return detail::failed{};
        else
            return detail::with_places(starts, [&](auto const&... start) {
                return detail::apply(detail::dynamic_slice_fn<shape<E...>>{}, x, start...);
            });
    }
}
// The part of x of these run-time extents that starts at `starts`: dynamic_slice(x, std::tuple(i, j), 2, 3).
template <array_operand A, class Starts, std::integral... N> requires(sizeof...(N) > 0)
[[nodiscard]] constexpr auto dynamic_slice(A const& x, Starts const& starts, N... sizes) {
    using open = typename detail::open_shape_of_rank<sizeof...(N)>::type;
    if constexpr (!detail::check_places<A, Starts>()) {
        return detail::failed{};
    } else {
        constexpr bool fits = detail::count_of_places<Starts> == sizeof...(N);
        static_assert(fits, "tx: dynamic_slice: there must be an extent for each start");
        if constexpr (!fits) return detail::failed{};
        else
            return detail::with_places(starts, [&](auto const&... start) {
                return detail::apply(detail::dynamic_slice_fn<open>{}, x,
                                     detail::carrier<open>("dynamic_slice", dyn, static_cast<std::int64_t>(sizes)...), start...);
            });
    }
}
// x with `update` in place of the part that starts at `starts`.
template <array_operand A, array_operand U, class Starts>
[[nodiscard]] constexpr auto dynamic_update_slice(A const& x, U const& update, Starts const& starts) {
    constexpr bool same_dtype = detail::dtype_of_operand<A> == detail::dtype_of_operand<U>;
    static_assert(same_dtype, "tx: dynamic_update_slice: the update must have the dtype of x");
    if constexpr (!same_dtype || !detail::check_places<A, Starts>()) {
        return detail::failed{};
    } else {
        constexpr bool fits = detail::dims_of_operand<U>.rank == detail::count_of_places<Starts> &&
                              detail::holds_part<A, typename detail::traits<U>::shape_type>;
        static_assert(fits,
                      "tx: dynamic_update_slice: the update must have the rank of x, and no extent that is greater than x has");
        if constexpr (!fits) return detail::failed{};
        else
            return detail::with_places(starts, [&](auto const&... start) {
                return detail::apply(detail::dynamic_update_slice_fn<sizeof...(start)>{}, x, update, start...);
            });
    }
}
// x at one place along an axis, which the result doesn't have: dynamic_index(x, i, tx::axis<1>).
template <int Axis = 0, array_operand A, operand I>
[[nodiscard]] constexpr auto dynamic_index(A const& x, I const& place, axes_t<Axis> = {}) {
    constexpr bool has_axis = detail::dims_of_operand<A>.rank < 0 || (Axis < detail::dims_of_operand<A>.rank && Axis >= 0);
    static_assert(has_axis, "tx: dynamic_index: x must have that axis; it is counted from the front");
    static_assert(detail::is_place<I>, "tx: dynamic_index: the place must be an integer scalar");
    return detail::apply_if<(has_axis && detail::is_place<I>)>(detail::dynamic_index_fn<Axis>{}, x, detail::as_place(place));
}

// x with `update` at one place along an axis; the update has the shape of x without that axis: dynamic_update_index(x, row, i). A
// C++ number is converted to the dtype of x.
template <int Axis = 0, array_operand A, operand U, operand I>
[[nodiscard]] constexpr auto dynamic_update_index(A const& x, U const& update, I const& place, axes_t<Axis> = {}) {
    constexpr int rank = detail::dims_of_operand<A>.rank;
    constexpr bool has_axis = Axis < rank && Axis >= 0, is_place = detail::is_place<I>;
    constexpr bool same_dtype = scalar_type<U> || detail::dtype_of_operand<A> == detail::dtype_of_operand<U>;
    constexpr bool fits = scalar_type<U> || detail::fits_beside<Axis>(detail::dims_of_operand<A>, detail::dims_of_operand<U>);
    static_assert(has_axis, "tx: dynamic_update_index: x must have a known rank and that axis; it is counted from the front");
    static_assert(is_place, "tx: dynamic_update_index: the place must be an integer scalar");
    static_assert(same_dtype, "tx: dynamic_update_index: the update must have the dtype of x");
    static_assert(!has_axis || fits, "tx: dynamic_update_index: the update must have the shape of x without that axis");
    return detail::apply_if<(has_axis && is_place && same_dtype && fits)>(detail::dynamic_update_index_fn<Axis>{}, x, update,
                                                                          detail::as_place(place));
}

} // namespace TRACEXPR_CALLS
} // namespace tx
