// This file holds the indices of slice, set and similar functions: each is a place or a part along an axis of x, in order from
// the first axis on; axes without an index are taken whole.
#pragma once

#include <tracexpr/trace/expr_element.hpp>

namespace tx {

// The index for one place, known to the compiler, which removes the axis. Negative places count from the end. A place that only
// the run knows is given as it is: as a C++ integer, an integer scalar, or a tensor of places, whose axes replace the axis.
template <std::int64_t Place> struct at_t {};
// An index for one place, tx::at<-1>; it removes the axis.
template <std::int64_t Place> inline constexpr at_t<Place> at{};
// An index for a range: range<start, stop> or range<start, stop, step> is Python's start:stop:step, with tx::open for an omitted
// bound; range<> is the whole axis.
enum open_t : std::int64_t { open = slice_open };
template <std::int64_t... Bounds> struct range_t {
    static_assert(sizeof...(Bounds) == 0 || sizeof...(Bounds) == 2 || sizeof...(Bounds) == 3,
                  "tx: range: takes start and stop, or start, stop and step; tx::open omits one");
};
template <std::int64_t... Bounds> constexpr range_t<Bounds...> range() { return {}; }
// An index for as many whole axes as the other indices leave over.
enum ellipsis_t { ellipsis };
// An index that adds an axis of extent 1.
enum new_axis_t { new_axis };

namespace detail {

// Is it a bound or a place, a C++ integer or an integer scalar?
template <class I> inline constexpr bool is_place = false;
template <operand I> requires(!character_type<I>)
inline constexpr bool is_place<I> = is_integer(dtype_of_operand<I>) && dims_of_operand<I>.rank == 0;
// Gives a place as an operand; a C++ integer becomes an int64 tensor, so that it doesn't take on another operand's dtype.
template <class I> constexpr auto as_place(I const& place) {
    if constexpr (scalar_type<I>) return tensor<std::int64_t, shape<>>(static_cast<std::int64_t>(place));
    else return place;
}
template <class I> inline constexpr bool is_bound = is_place<I> || std::is_same_v<I, open_t>;

// A range with bounds that only the run knows.
template <class Start, class Stop> struct open_range {
    Start start;
    Stop stop;
    std::int64_t step;
};

// tx::range<1, 3> is a function, so that tx::range(i, j) can be one, too. As an index it stands for its result.
template <class Index> struct index_named {
    using type = Index;
};
template <std::int64_t... Bounds> struct index_named<range_t<Bounds...> (*)()> {
    using type = range_t<Bounds...>;
};
template <class Index> using index_type = typename index_named<std::decay_t<Index>>::type;

template <class Index> inline constexpr bool is_static_index = false;
template <std::int64_t Place> inline constexpr bool is_static_index<at_t<Place>> = true;
template <std::int64_t... Bounds> inline constexpr bool is_static_index<range_t<Bounds...>> = true;
template <> inline constexpr bool is_static_index<ellipsis_t> = true;
template <> inline constexpr bool is_static_index<new_axis_t> = true;
template <class Index> concept static_index = is_static_index<index_type<Index>>;
template <class Index> inline constexpr bool is_open_range = false;
template <class Start, class Stop> inline constexpr bool is_open_range<open_range<Start, Stop>> = true;
// Is it a tensor of places, whose axes replace the axis?
template <class Index> inline constexpr bool are_places = false;
template <array_operand I> inline constexpr bool are_places<I> = is_integer(dtype_of_operand<I>) && dims_of_operand<I>.rank > 0;
// Is it a tensor of places whose type leaves the rank open? The type of the part can't show its rank either then.
template <class Index> inline constexpr bool are_places_of_open_rank = false;
template <array_operand I> inline constexpr bool are_places_of_open_rank<I> =
    is_integer(dtype_of_operand<I>) && dims_of_operand<I>.rank < 0 && !container_type<I>;
template <class Index> concept slice_index = static_index<Index> || is_open_range<Index> || is_place<Index> ||
                                             are_places<Index> || are_places_of_open_rank<Index> || container_type<Index>;
// The number of axes of the part that replace the axis of this index.
template <class I> inline constexpr int axes_left = is_place<I> ? 0 : 1;
template <class I> requires are_places<I> inline constexpr int axes_left<I> = dims_of_operand<I>.rank;

} // namespace detail

// The index start:stop:step with bounds that the run knows: C++ integers, integer scalars, tx::open. As in Python a negative
// bound counts from the end, and places outside the axis are left out. Throws shape_error for a step of 0.
template <class Start, class Stop> requires(detail::is_bound<Start> && detail::is_bound<Stop>)
[[nodiscard]] constexpr auto range(Start const& start, Stop const& stop, std::int64_t step = 1) {
    if (step == 0) throw shape_error("tx: range: the step must not be 0");
    return detail::open_range<Start, Stop>{start, stop, step};
}

} // namespace tx
