// This file inserts rows at places and deletes them, as NumPy's insert and delete do.
#pragma once

#include <tracexpr/trace/builder.hpp>
#include <tracexpr/trace/parts.hpp>
#include <tracexpr/trace/shaping.hpp>

namespace tx {
namespace detail {

// named_places holds places along an axis that the call names as template arguments.
struct named_places {
    table_view<std::int64_t> given;

    // Gives the places counted from the front in ascending order; equal ones keep their order. `order` gets the number of each
    // place among the given ones.
    TRACEXPR_ONCE constexpr void in_order(std::int64_t extent, buffer<std::int64_t>& places, buffer<std::size_t>& order) const {
        for (std::size_t k = 0; k < given.size(); ++k) {
            std::int64_t const place = given[k] < 0 ? given[k] + extent : given[k];
            std::size_t at = places.size();
            places.push_back(place);
            order.push_back(k);
            for (; at > 0 && places[at - 1] > place; --at) {
                std::swap(places[at - 1], places[at]);
                std::swap(order[at - 1], order[at]);
            }
        }
    }
    TRACEXPR_ONCE constexpr bool lie_within(std::int64_t extent, std::int64_t beyond) const {
        if (extent == dyn) return true;
        for (std::int64_t const place : given)
            if (place < -extent || place >= extent + beyond) return false;
        return true;
    }
};
// Records the given places as a vector.
TRACEXPR_ONCE constexpr node_id record_places_named(lowering& low, table_view<std::int64_t> given) {
    buffer<node_id> parts;
    for (std::int64_t const place : given) parts.push_back(low.expand(low.literal(place), 0));
    return low.concatenate(parts, 0);
}
TRACEXPR_ONCE constexpr node_id extent_as_number(lowering& low, node_id x, int a) {
    return low.extent(x, a) == dyn ? low.axis_size<std::int64_t>(x, a) : low.literal(low.extent(x, a));
}
TRACEXPR_ONCE constexpr node_id places_from_front(lowering& low, node_id places, node_id extent) {
    node_id const given = low.as(places, dtype::int64);
    return low.choose(low.test(op::less, given, low.literal(std::int64_t{0})), low.append(op::add, given, extent), given);
}
// Records 0, 1, 2, ... for axis a of x as a vector.
TRACEXPR_ONCE constexpr node_id numbers_along(lowering& low, node_id x, int a) {
    if (low.extent(x, a) != dyn) return low.iota<std::int64_t>(low.extent(x, a));
    node_id column = x;
    for (int other = low.rank(x) - 1; other >= 0; --other) {
        if (other == a) continue;
        node_id const none = low.slice(column, other, 0, 0);
        attribute_list widths;
        for (int k = 0; k < low.rank(column); ++k) widths.push_back(k == other ? 1 : 0), widths.push_back(0);
        column = low.squeeze(low.append(op::pad, none, low.zero_like(x), widths), other);
    }
    return low.iota_like<std::int64_t>(column, 0);
}
constexpr node_id of_so_many(lowering& low, node_id number, std::int64_t count) {
    return low.append(op::broadcast_to, number, attribute_list(count));
}

// Records the places that the elements of x, and then the `count` new ones, have in the result: an element of x moves back by the
// number of places up to it.
TRACEXPR_ONCE constexpr node_id targets_of_insertion(lowering& low, node_id numbers, node_id places, std::int64_t count) {
    node_id const zero = low.literal(std::int64_t{0}), one = low.literal(std::int64_t{1});
    node_id const room = low.append(op::pad, low.append(op::multiply, numbers, zero), zero, attribute_list(0, 1));
    node_id const marks[]{room, of_so_many(low, one, count), places};
    node_id const before =
        low.append(op::cumsum, low.append(op::index_add, dtype::int64, marks, attribute_list(0)), attribute_list(0));
    node_id const old = low.append(op::add, numbers, low.slice(before, 0, 0, -1));
    node_id const sort_key[]{places};
    node_id const order = low.append(op::argsort, dtype::int64, sort_key, attribute_list(0, 0, order_of_all));
    node_id const rank = low.iota<std::int64_t>(count);
    node_id const ranks[]{rank, rank, order};
    node_id const place_in_order = low.append(op::index_set, dtype::int64, ranks, attribute_list(0));
    node_id const both[]{old, low.append(op::add, places, place_in_order)};
    return low.concatenate(both, 0);
}
TRACEXPR_ONCE constexpr node_id record_insertion_at(lowering& low, node_id x, node_id values, node_id given, int a,
                                                    std::int64_t count) {
    node_id const extent = extent_as_number(low, x, a), places = places_from_front(low, given, extent);
    node_id const to = targets_of_insertion(low, numbers_along(low, x, a), places, count);
    node_id const all = low.iota_like<std::int64_t>(to, 0);
    node_id const inverse[]{all, all, to};
    node_id const from = low.append(op::index_set, dtype::int64, inverse, attribute_list(0));
    node_id const parts[]{x, values};
    return low.append(op::take, low.concatenate(parts, a), from, attribute_list(a));
}
// Records an insertion at places that are known; where the extent is known, it joins pieces of x and values in turn.
TRACEXPR_ONCE constexpr node_id record_insertion(lowering& low, node_id x, node_id values, table_view<std::int64_t> given,
                                                 int a) {
    std::int64_t const extent = low.extent(x, a);
    if (extent == dyn)
        return record_insertion_at(low, x, values, record_places_named(low, given), a, static_cast<std::int64_t>(given.size()));
    buffer<std::int64_t> places;
    buffer<std::size_t> order;
    named_places{given}.in_order(extent, places, order);
    buffer<node_id> parts;
    std::int64_t done = 0;
    for (std::size_t k = 0; k < places.size(); ++k) {
        if (places[k] > done) parts.push_back(low.slice(x, a, done, places[k]));
        done = places[k];
        auto const number = static_cast<std::int64_t>(order[k]);
        parts.push_back(low.slice(values, a, number, number + 1));
    }
    if (extent > done) parts.push_back(low.slice(x, a, done, extent));
    return low.concatenate(parts, a);
}
// Records the values in the dtype of x, broadcast to the extents of x except on axis a, which has an element for each place.
TRACEXPR_ONCE constexpr node_id values_for(lowering& low, node_id x, node_id values, int a, std::int64_t count) {
    dims d = low.shape(x);
    d[a] = count;
    node_id const own = low.as(values, low.type(x));
    if (d.is_static()) return low.append(op::broadcast_to, own, attribute_span(d.extent, static_cast<std::size_t>(d.rank)));
    attribute_list widths;
    for (int k = 0; k < d.rank; ++k) widths.push_back(k == a ? count : 0), widths.push_back(0);
    return low.append(op::broadcast_to, own, low.append(op::pad, low.slice(x, a, 0, 0), low.zero_like(x), widths));
}
TRACEXPR_ONCE constexpr char const* insertion_problem(builder_spec const& x, builder_spec const& values, int axis,
                                                      std::int64_t count, table_view<std::int64_t> named) {
    if ((x.type == dtype::string) != (values.type == dtype::string)) return "the values must fit into the dtype of x";
    if (x.shape.rank < 0) return nullptr;
    int const a = normalized_axis(axis, x.shape.rank);
    if (a < 0 || a >= x.shape.rank) return "the axis must lie within the rank of x";
    if (!named_places{named}.lie_within(x.shape[a], 1)) return "places must lie within the axis, or right behind it";
    dims part = x.shape;
    part[a] = count;
    return values.shape.rank < 0 || fills(values.shape, part) ? nullptr
                                                              : "the values must broadcast to x with as many elements as places";
}
TRACEXPR_ONCE constexpr dims changed_extent(dims d, int axis, std::int64_t by) {
    int const a = normalized_axis(axis, d.rank);
    if (d[a] != dyn) d[a] += by;
    return d;
}
template <int Axis, std::int64_t... Places> struct insert_builder {
    static constexpr std::int64_t places[]{Places...};
    static constexpr char const* called = "insert";
    static constexpr char const* problem(builder_specs given) {
        return insertion_problem(given[0], given[1], Axis, sizeof...(Places), {places, sizeof...(Places)});
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{given[0].type}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{changed_extent(given[0].shape, Axis, sizeof...(Places))};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        int const a = normalized_axis(Axis, low.rank(x[0]));
        return std::array<node_id, 1>{
            record_insertion(low, x[0], values_for(low, x[0], x[1], a, sizeof...(Places)), {places, sizeof...(Places)}, a)};
    }
};
TRACEXPR_ONCE constexpr char const* places_problem(builder_spec const& places) {
    if (!is_integer(places.type)) return "places must be integers";
    if (places.shape.rank < 0) return nullptr;
    return places.shape.rank == 1 && places.shape[0] != dyn ? nullptr : "places must be a vector of known extent";
}
template <int Axis> struct insert_at_builder {
    static constexpr char const* called = "insert";
    static constexpr char const* problem(builder_specs given) {
        if (char const* const wrong = places_problem(given[2])) return wrong;
        return given[2].shape.rank < 0 ? nullptr : insertion_problem(given[0], given[1], Axis, given[2].shape[0], {});
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{given[0].type}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{changed_extent(given[0].shape, Axis, given[2].shape[0])};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        int const a = normalized_axis(Axis, low.rank(x[0]));
        std::int64_t const count = low.extent(x[2], 0);
        return std::array<node_id, 1>{record_insertion_at(low, x[0], values_for(low, x[0], x[1], a, count), x[2], a, count)};
    }
};

// Records x without the elements at the given places. Each element that stays has a rank, counted from 1, among those that stay,
// and is written at that place of a list; those that go have rank 0, whose place is cut off. If two places are equal, more
// elements stay than the list has room for, and the lookup throws.
TRACEXPR_ONCE constexpr node_id record_deletion_at(lowering& low, node_id x, node_id given, int a, std::int64_t count) {
    node_id const extent = extent_as_number(low, x, a), places = places_from_front(low, given, extent);
    node_id const numbers = numbers_along(low, x, a), one = low.literal(std::int64_t{1}), zero = low.literal(std::int64_t{0});
    node_id const ones = low.append(op::add, low.append(op::multiply, numbers, zero), one);
    node_id const marks[]{ones, of_so_many(low, zero, count), places};
    node_id const stays = low.append(op::index_set, dtype::int64, marks, attribute_list(0));
    node_id const rank = low.append(op::multiply, low.append(op::cumsum, stays, attribute_list(0)), stays);
    // This is one place more, for the elements that go.
    node_id const room = low.append(op::pad, numbers, zero, attribute_list(1, 0));
    std::int64_t const left = low.extent(x, a) == dyn ? dyn : low.extent(x, a) - count;
    node_id const list = left == dyn ? low.slice(room, 0, 0, count == 0 ? slice_open : -count) : low.slice(room, 0, 0, left + 1);
    node_id const set_operands[]{list, numbers, rank};
    node_id const all = low.append(op::index_set, dtype::int64, set_operands, attribute_list(0));
    return low.append(op::take, x, low.slice(all, 0, 1, slice_open), attribute_list(a));
}
TRACEXPR_ONCE constexpr node_id record_deletion(lowering& low, node_id x, table_view<std::int64_t> given, int a) {
    std::int64_t const extent = low.extent(x, a);
    if (extent == dyn)
        return record_deletion_at(low, x, record_places_named(low, given), a, static_cast<std::int64_t>(given.size()));
    buffer<std::int64_t> places;
    buffer<std::size_t> order;
    named_places{given}.in_order(extent, places, order);
    buffer<node_id> parts;
    std::int64_t done = 0;
    for (std::int64_t const place : places) {
        if (place > done) parts.push_back(low.slice(x, a, done, place));
        done = place + 1;
    }
    if (extent > done || parts.size() == 0) parts.push_back(low.slice(x, a, done, extent));
    return low.concatenate(parts, a);
}
TRACEXPR_ONCE constexpr std::int64_t count_different(table_view<std::int64_t> given, std::int64_t extent) {
    std::int64_t out = 0;
    for (std::size_t k = 0; k < given.size(); ++k) {
        bool is_new = true;
        for (std::size_t other = 0; other < k; ++other)
            if (given[other] == given[k] || (extent != dyn && (given[other] - given[k]) % extent == 0)) is_new = false;
        out += is_new;
    }
    return out;
}
TRACEXPR_ONCE constexpr char const* deletion_problem(builder_spec const& x, int axis, table_view<std::int64_t> named) {
    if (x.shape.rank < 0) return nullptr;
    int const a = normalized_axis(axis, x.shape.rank);
    if (a < 0 || a >= x.shape.rank) return "the axis must lie within the rank of x";
    return named_places{named}.lie_within(x.shape[a], 0) ? nullptr : "places must lie within the axis";
}
template <int Axis, std::int64_t... Places> struct delete_builder {
    static constexpr std::int64_t places[]{Places...};
    static constexpr table_view<std::int64_t> named() { return {places, sizeof...(Places)}; }
    static constexpr char const* called = "delete_at";
    static constexpr char const* problem(builder_specs given) { return deletion_problem(given[0], Axis, named()); }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{given[0].type}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        std::int64_t const extent = given[0].shape[normalized_axis(Axis, given[0].shape.rank)];
        return std::array<dims, 1>{changed_extent(given[0].shape, Axis, -count_different(named(), extent))};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_deletion(low, x[0], named(), normalized_axis(Axis, low.rank(x[0])))};
    }
};
template <int Axis> struct delete_places_builder {
    static constexpr char const* called = "delete_at";
    static constexpr char const* problem(builder_specs given) {
        if (char const* const wrong = places_problem(given[1])) return wrong;
        if (char const* const wrong = deletion_problem(given[0], Axis, {})) return wrong;
        if (given[0].shape.rank < 0 || given[1].shape.rank < 0) return nullptr;
        std::int64_t const extent = given[0].shape[normalized_axis(Axis, given[0].shape.rank)];
        return extent == dyn || given[1].shape[0] <= extent ? nullptr : "there must not be more places than elements";
    }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{given[0].type}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{changed_extent(given[0].shape, Axis, -given[1].shape[0])};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{
            record_deletion_at(low, x[0], x[1], normalized_axis(Axis, low.rank(x[0])), low.extent(x[1], 0))};
    }
};
// Throws if two places are equal, as far as their values are known in the call.
template <class I> constexpr void check_places_differ(I const& places, dims const& x, int axis) {
    buffer<double> seen;
    double const extent = x.rank < 0 ? 0 : static_cast<double>(x[normalized_axis(axis, x.rank)]);
    for_each_known(places, [&](double given) {
        double const place = given < 0 ? given + extent : given;
        for (double const other : seen)
            if (other == place) throw_value("delete_at", "places must differ; one is there twice", given);
        seen.push_back(place);
    });
}
// Without an axis, functions take x in row-major order.
template <class A> constexpr auto in_one_row(A const& x) {
    if constexpr (dims_of_operand<A>.rank == 1) return x;
    else return ravel(x);
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Gives x with values inserted before the elements at Places of an axis; the places are those in x: insert<1>(x, v), insert<0,
// -1>(x, v, tx::axis<1>). The values broadcast to the shape of x with as many elements along the axis as there are places, and
// take the dtype of x. A place may be right behind the last element. Without an axis x is taken in row-major order, as NumPy
// does.
template <std::int64_t... Places, array_operand A, operand V, int Axis> requires(sizeof...(Places) > 0)
[[nodiscard]] constexpr auto insert(A const& x, V const& values, axes_t<Axis>) {
    using builder = detail::insert_builder<Axis, Places...>;
    constexpr bool fits = detail::built_problem<builder, A, V> == nullptr;
    static_assert(fits,
                  "tx: insert: the axis must lie within the rank of x, the places within the axis, or right behind it, and the "
                  "values must broadcast to x with as many elements as places");
    return detail::apply_if<fits>(detail::built_fn<builder>{}, x, values);
}
template <std::int64_t... Places, array_operand A, operand V> requires(sizeof...(Places) > 0)
[[nodiscard]] constexpr auto insert(A const& x, V const& values) {
    return tx::insert<Places...>(detail::in_one_row(x), values, axis<0>);
}
// Gives x with values inserted at the places that a vector has: insert(x, places, v, tx::axis<1>). Throws shape_error for a place
// outside of the axis.
template <array_operand A, array_operand I, operand V, int Axis>
[[nodiscard]] constexpr auto insert(A const& x, I const& places, V const& values, axes_t<Axis>) {
    using builder = detail::insert_at_builder<Axis>;
    constexpr bool fits = detail::built_problem<builder, A, V, I> == nullptr;
    static_assert(fits,
                  "tx: insert: places must be an integer vector of known extent, the axis must lie within the rank of x, and the "
                  "values must broadcast to x with as many elements as places");
    return detail::apply_if<fits>(detail::built_fn<builder>{}, x, values, places);
}
template <array_operand A, array_operand I, operand V>
[[nodiscard]] constexpr auto insert(A const& x, I const& places, V const& values) {
    return tx::insert(detail::in_one_row(x), places, values, axis<0>);
}
// Gives x without the elements at Places of an axis: delete_at<1, -1>(x, tx::axis<0>). Without an axis x is taken in row-major
// order, as NumPy does. (NumPy: delete)
template <std::int64_t... Places, array_operand A, int Axis> requires(sizeof...(Places) > 0)
[[nodiscard]] constexpr auto delete_at(A const& x, axes_t<Axis>) {
    using builder = detail::delete_builder<Axis, Places...>;
    constexpr bool fits = detail::built_problem<builder, A> == nullptr;
    static_assert(fits, "tx: delete_at: the axis must lie within the rank of x, and the places within the axis");
    return detail::apply_if<fits>(detail::built_fn<builder>{}, x);
}
template <std::int64_t... Places, array_operand A> requires(sizeof...(Places) > 0)
[[nodiscard]] constexpr auto delete_at(A const& x) {
    return tx::delete_at<Places...>(detail::in_one_row(x), axis<0>);
}
// Gives x without the elements at the places that a vector has, which must differ: delete_at(x, places, tx::axis<1>). Throws
// shape_error for a place outside of the axis and for two that are equal.
template <array_operand A, array_operand I, int Axis>
[[nodiscard]] constexpr auto delete_at(A const& x, I const& places, axes_t<Axis>) {
    using builder = detail::delete_places_builder<Axis>;
    constexpr bool fits = detail::built_problem<builder, A, I> == nullptr;
    static_assert(fits,
                  "tx: delete_at: places must be an integer vector of known extent, no longer than the axis, which must lie "
                  "within the rank of x");
    if constexpr (fits) detail::check_places_differ(places, detail::shape_of_operand(x), Axis);
    return detail::apply_if<fits>(detail::built_fn<builder>{}, x, places);
}
template <array_operand A, array_operand I> [[nodiscard]] constexpr auto delete_at(A const& x, I const& places) {
    return tx::delete_at(detail::in_one_row(x), places, axis<0>);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
