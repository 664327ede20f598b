// This file gives places in arrays as numbers: those of triangles and diagonals, and conversions between the number of an element
// in row-major order and its places along the axes.
#pragma once

#include <tracexpr/arrays/place_of_axis.hpp>
#include <tracexpr/base/create.hpp>

#include <array>
#include <tuple>
#include <utility>

namespace tx {

// This is an argument of ravel_multi_index, which then moves places outside of the shape to the nearest one inside.
enum clip_places_t { clip_places };
// This is an argument of ravel_multi_index, which then takes places modulo the extents.
enum wrap_places_t { wrap_places };

namespace detail {

template <bool Lower, std::int64_t N, std::int64_t Offset, std::int64_t M> struct triangle_places {
    static constexpr bool holds(std::int64_t row, std::int64_t column) {
        return Lower ? column - row <= Offset : column - row >= Offset;
    }
    // Gives how many elements of a row are in the triangle.
    static constexpr std::int64_t in_row(std::int64_t row) {
        std::int64_t const end = row + Offset + (Lower ? 1 : 0), cut = end < 0 ? 0 : end > M ? M : end;
        return Lower ? cut : M - cut;
    }
    static constexpr std::int64_t size() {
        std::int64_t out = 0;
        for (std::int64_t row = 0; row < N; ++row) out += in_row(row);
        return out;
    }
    using vector = tensor<std::int64_t, shape<size()>>;
    static constexpr std::pair<vector, vector> places() {
        vector rows, columns;
        auto* to_row = rows.mutable_data();
        auto* to_column = columns.mutable_data();
        for (std::int64_t row = 0; row < N; ++row)
            for (std::int64_t k = 0, first = Lower ? 0 : M - in_row(row); k < in_row(row); ++k) {
                *to_row++ = row;
                *to_column++ = first + k;
            }
        return {rows, columns};
    }
};

// Records the places along the axes of shape d for the numbers of elements.
TRACEXPR_ONCE constexpr void record_unraveled(lowering& low, node_id given, dims const& d, node_id* out) {
    node_id left = place_of_axis(low, low.as(given, dtype::int64), {d.size(), low.literal(d.size())}, 0);
    for (int a = d.rank - 1; a >= 0; --a) {
        node_id const n = low.literal(d[a] > 0 ? d[a] : std::int64_t{1});
        out[a] = a == 0 ? left : low.append(op::remainder, left, n);
        if (a > 0) left = low.append(op::floor_divide, left, n);
    }
}
template <class Shape> struct unravel_builder {
    static constexpr dims of = dims_of<Shape>;
    static constexpr std::size_t count = static_cast<std::size_t>(of.rank);
    static constexpr char const* called = "unravel_index";
    static constexpr char const* problem(builder_specs given) {
        return is_integer(given[0].type) ? nullptr : "indices must be integers";
    }
    static constexpr std::array<dtype, count> types(builder_specs) {
        std::array<dtype, count> out{};
        for (dtype& t : out) t = dtype::int64;
        return out;
    }
    static constexpr std::array<dims, count> shapes(builder_specs given) {
        std::array<dims, count> out{};
        for (dims& d : out) d = given[0].shape;
        return out;
    }
    static constexpr std::array<node_id, count> record(lowering& low, node_id const* x) {
        std::array<node_id, count> out{};
        record_unraveled(low, x[0], of, out.data());
        return out;
    }
};
enum class place_mode { refuse, clip, wrap };
TRACEXPR_ONCE constexpr node_id record_raveled(lowering& low, node_id const* places, dims const& d, place_mode mode) {
    node_id out{};
    for (int a = 0; a < d.rank; ++a) {
        node_id const n = low.literal(d[a]), zero = low.literal(std::int64_t{0});
        node_id place = low.as(places[a], dtype::int64);
        if (mode == place_mode::wrap) place = low.append(op::remainder, place, n);
        else if (mode == place_mode::clip)
            place = low.append(op::maximum, low.append(op::minimum, place, low.literal(d[a] - 1)), zero);
        else place = place_of_axis(low, place, {d[a], n}, a);
        out = a == 0 ? place : low.append(op::add, low.append(op::multiply, out, n), place);
    }
    return out;
}
template <class Shape, place_mode Mode> struct ravel_builder {
    static constexpr dims of = dims_of<Shape>;
    static constexpr char const* called = "ravel_multi_index";
    static constexpr char const* problem(builder_specs given) {
        for (builder_spec const& s : given)
            if (!is_integer(s.type)) return "places must be integers";
        return know_ranks(given) ? together(given).problem : nullptr;
    }
    static constexpr inferred together(builder_specs given) {
        inferred out{given[0].shape};
        for (builder_spec const& s : given)
            if (!out.problem) out = broadcast_shape(out.shape, s.shape);
        return out;
    }
    static constexpr std::array<dtype, 1> types(builder_specs) { return std::array<dtype, 1>{dtype::int64}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) { return std::array<dims, 1>{together(given).shape}; }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_raveled(low, x, of, Mode)};
    }
};
template <place_mode Mode, std::int64_t... E, class Places> constexpr auto raveled(Places const& places) {
    constexpr bool is_static = ((E >= 0) && ...);
    static_assert(is_static, "tx: ravel_multi_index: the shape must be static");
    return with_parts(places, [](auto const&... place) {
        using builder = ravel_builder<shape<E...>, Mode>;
        constexpr bool has_all = sizeof...(place) == sizeof...(E);
        static_assert(has_all, "tx: ravel_multi_index: there must be a tensor of places for each axis of the shape");
        if constexpr (has_all) {
            constexpr bool fits = built_problem<builder, std::remove_cvref_t<decltype(place)>...> == nullptr;
            static_assert(fits, "tx: ravel_multi_index: places must be integers whose shapes broadcast");
            return detail::apply_if<(is_static && fits)>(built_fn<builder>{}, place...);
        } else return failed{};
    });
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Gives the places of the lower triangle of a matrix with N rows and M columns, N by default, up to diagonal Offset, as a pair
// (rows, columns) of int64 vectors, row by row: tril_indices<3>(), tril_indices<3, -1, 4>().
template <std::int64_t N, std::int64_t Offset = 0, std::int64_t M = N> requires(N >= 0 && M >= 0)
[[nodiscard]] constexpr auto tril_indices() {
    return detail::triangle_places<true, N, Offset, M>::places();
}
// Gives the places of the upper triangle of a matrix with N rows and M columns, N by default, from diagonal Offset on, as a pair
// (rows, columns) of int64 vectors, row by row.
template <std::int64_t N, std::int64_t Offset = 0, std::int64_t M = N> requires(N >= 0 && M >= 0)
[[nodiscard]] constexpr auto triu_indices() {
    return detail::triangle_places<false, N, Offset, M>::places();
}
// Gives the places of the main diagonal of an array with Axes axes of extent N, as a std::array of that many vectors 0, 1, ..., N
// - 1.
template <std::int64_t N, std::size_t Axes = 2> requires(N >= 0 && Axes > 0) [[nodiscard]] constexpr auto diag_indices() {
    std::array<tensor<std::int64_t, shape<N>>, Axes> out;
    for (auto& along : out) along = tx::arange<std::int64_t, N>();
    return out;
}

// Gives the places along each axis of an array of that shape for elements that are given by their numbers in row-major order:
// auto const [i, j] = unravel_index(numbers, tx::shape<3, 4>{}), as int64. A number below 0 counts from the end. Throws
// shape_error for a number outside.
template <array_operand I, std::int64_t... E> [[nodiscard]] constexpr auto unravel_index(I const& numbers, shape<E...>) {
    constexpr bool fits = ((E >= 0) && ...) && sizeof...(E) > 0;
    static_assert(fits, "tx: unravel_index: the shape must be static and have an axis");
    constexpr bool has_integers = detail::are_indices<I>;
    static_assert(has_integers, "tx: unravel_index: the numbers must be integers");
    return detail::apply_if<(fits && has_integers)>(detail::built_fn<detail::unravel_builder<shape<E...>>>{}, numbers);
}
// Gives the numbers, in row-major order, of elements whose places along each axis are in a tuple or an array; it is the inverse
// of unravel_index: ravel_multi_index(std::tuple(i, j), tx::shape<3, 4>{}). The places broadcast. A place below 0 counts from the
// end. Throws shape_error for a place outside.
template <class Places, std::int64_t... E> [[nodiscard]] constexpr auto ravel_multi_index(Places const& places, shape<E...>) {
    return detail::raveled<detail::place_mode::refuse, E...>(places);
}
// Gives the numbers of elements as above, with places outside of the shape moved to the nearest one inside.
template <class Places, std::int64_t... E>
[[nodiscard]] constexpr auto ravel_multi_index(Places const& places, shape<E...>, clip_places_t) {
    return detail::raveled<detail::place_mode::clip, E...>(places);
}
// Gives the numbers of elements as above, with places taken modulo the extents.
template <class Places, std::int64_t... E>
[[nodiscard]] constexpr auto ravel_multi_index(Places const& places, shape<E...>, wrap_places_t) {
    return detail::raveled<detail::place_mode::wrap, E...>(places);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
