// This file reduces rows of values that ids send to one of a known number of segments, to their sums, means, products and
// extremes, as JAX's segment_sum and TensorFlow's unsorted_segment_sum do.
#pragma once

#include <tracexpr/arrays/segment_form.hpp>
#include <tracexpr/arrays/segments_now.hpp>
#include <tracexpr/trace/reductions.hpp>
#include <tracexpr/transforms/associative_scan.hpp>

namespace tx {
namespace detail {

// Merges the first axes of x, as many as the ids have, into one.
TRACEXPR_ONCE constexpr node_id with_one_axis_for(lowering& low, node_id x, int axes) {
    if (axes == 1) return x;
    std::int64_t rows = 1;
    for (int a = 0; a < axes; ++a) rows = rows == dyn || low.extent(x, a) == dyn ? dyn : rows * low.extent(x, a);
    attribute_list target(rows);
    for (int a = axes; a < low.rank(x); ++a) target.push_back(low.copied(x, a));
    return low.reshape(x, target);
}

// segment_table makes a table with one row for each segment and a last one for rows of no segment; `places` has the table's row
// for each row of the values. Where only the run knows the number of segments, `like` is a node with as many elements as the
// table has rows.
struct segment_table {
    lowering& low;
    node_id places, like;
    std::int64_t count;

    constexpr segment_table(lowering& with, node_id ids, node_id carrier, std::int64_t known)
        : low{with}, places{}, like{carrier}, count{known} {
        node_id const row = low.as(low.reshape(ids, attribute_list(row_extent(ids))), dtype::int64);
        if (count == dyn) { // The library made these ids itself, so they fit.
            places = row;
            return;
        }
        // An id below 0 becomes a large unsigned number.
        node_id const unsigned_row = low.as(row, dtype::uint64), behind = low.literal(static_cast<std::uint64_t>(count));
        places = low.as(low.append(op::minimum, unsigned_row, behind), dtype::int64);
    }
    constexpr std::int64_t row_extent(node_id ids) const {
        std::int64_t const size = low.shape(ids).size();
        return size < 0 ? dyn : size;
    }
    // Records a table that is full of this number; `rows` are the rows of the values.
    TRACEXPR_ONCE constexpr node_id filled(node_id rows, node_id number) {
        dims d = low.shape(rows);
        d[0] = count == dyn ? low.extent(like, 0) : count + 1;
        if (d.is_static())
            return low.append(op::broadcast_to, number, attribute_span(d.extent, static_cast<std::size_t>(d.rank)));
        node_id const none = low.slice(rows, 0, 0, 0);
        attribute_list widths(count == dyn ? 1 : count + 1, 0);
        for (int a = 1; a < d.rank; ++a) widths.push_back(0), widths.push_back(0);
        node_id const table = low.append(op::pad, none, number, widths);
        if (count != dyn) return table;
        node_id column = like;
        for (int a = 1; a < d.rank; ++a) column = low.expand(column, a);
        node_id const operands[]{low.test(op::equal, column, column), table, table};
        return low.append(op::where, low.type(table), operands);
    }
    TRACEXPR_ONCE constexpr node_id sums(node_id rows) {
        node_id const operands[]{filled(rows, low.zero_like(rows)), rows, places};
        return low.append(op::index_add, low.type(rows), operands, attribute_list(0));
    }
    // Records the number of rows of each segment in that dtype.
    TRACEXPR_ONCE constexpr node_id counts(dtype type) {
        node_id const zero = low.as(low.literal(std::int64_t{0}), type), one = low.as(low.literal(std::int64_t{1}), type);
        node_id const ones = low.append(op::broadcast_to, one, places);
        node_id const operands[]{filled(ones, zero), ones, places};
        return low.append(op::index_add, type, operands, attribute_list(0));
    }
    // Leaves out the last row, which is that of no segment.
    TRACEXPR_ONCE constexpr node_id in_segments(node_id table) {
        if (count != dyn) return low.slice(table, 0, 0, count);
        return low.slice(table, 0, 0, -1);
    }
    // Expands a number for each segment to rows of that rank.
    TRACEXPR_ONCE constexpr node_id standing(node_id numbers, int rank) {
        for (int a = 1; a < rank; ++a) numbers = low.expand(numbers, a);
        return numbers;
    }
};

TRACEXPR_ONCE constexpr node_id segment_means(segment_table& table, node_id rows) {
    lowering& low = table.low;
    dtype const real = real_part(low.type(rows));
    node_id const divisor = low.append(op::maximum, table.counts(real), low.as(low.literal(std::int64_t{1}), real));
    node_id const sums = table.sums(rows);
    return low.append(op::divide, sums, low.as(table.standing(divisor, low.rank(rows)), low.type(rows)));
}
TRACEXPR_ONCE constexpr node_id segment_extremes(segment_table& table, node_id rows, bool greatest) {
    lowering& low = table.low;
    double const end = combination::inf;
    node_id const operands[]{table.filled(rows, low.number_like(rows, greatest ? -end : end)), rows, table.places};
    return low.append(greatest ? op::index_max : op::index_min, low.type(rows), operands, attribute_list(0));
}
TRACEXPR_ONCE constexpr node_id record_segments(lowering& low, segment_result result, node_id values, node_id ids, node_id like,
                                                std::int64_t count) {
    segment_table table(low, ids, like, count);
    if (result == segment_result::count) return table.in_segments(table.counts(dtype::int64));
    dtype const given = low.type(values);
    bool const orders = result == segment_result::min || result == segment_result::max, greatest = result == segment_result::max;
    node_id rows = with_one_axis_for(low, values, low.rank(ids));
    if (!orders) {
        rows = low.as(rows, segment_sum_type(result, given));
        return table.in_segments(result == segment_result::mean ? segment_means(table, rows) : table.sums(rows));
    }
    if (given == dtype::boolean) rows = low.as(rows, dtype::uint8);
    if (is_floating(given) && size_in_bytes(given) < 4) rows = low.as(rows, dtype::float32);
    return table.in_segments(segment_extremes(table, rows, greatest));
}

// Records segments of values and ids. Where Count is open, a third operand has one more element than there are segments. A count
// has ids only, which also stand for the values.
template <segment_result What, std::int64_t Count> struct segment_builder {
    static constexpr char const* called = Count == dyn                   ? "group_by"
                                          : What == segment_result::sum  ? "segment_sum"
                                          : What == segment_result::mean ? "segment_mean"
                                          : What == segment_result::min  ? "segment_min"
                                          : What == segment_result::max  ? "segment_max"
                                                                         : "segment_count";
    static constexpr int ids_at = What == segment_result::count ? 0 : 1;
    static constexpr char const* problem(builder_specs given) { return segment_problem(What, given[0], given[ids_at]); }
    static constexpr std::array<dtype, 1> types(builder_specs given) {
        return std::array<dtype, 1>{segment_type(What, given[0].type)};
    }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        std::int64_t const known = Count != dyn || given[ids_at + 1].shape[0] == dyn ? Count : given[ids_at + 1].shape[0] - 1;
        return std::array<dims, 1>{segment_shape(What, given[0].shape, given[ids_at].shape, known)};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{
            record_segments(low, What, x[0], x[ids_at], Count == dyn ? x[ids_at + 1] : node_id{}, Count)};
    }
};

// Records the rows in the order of their segments, with their ids. A scan then multiplies each row by the product before it if
// both are of one segment.
struct segment_factors_builder {
    static constexpr char const* called = "segment_prod";
    static constexpr char const* problem(builder_specs given) {
        return segment_problem(segment_result::product, given[0], given[1]);
    }
    static constexpr std::array<dtype, 2> types(builder_specs given) {
        return {segment_sum_type(segment_result::product, given[0].type), dtype::int64};
    }
    TRACEXPR_ONCE static constexpr std::array<dims, 2> shapes(builder_specs given) {
        std::int64_t const size = given[1].shape.size();
        dims rows{{size < 0 ? dyn : size}, 1}, ids = rows;
        for (int a = given[1].shape.rank; a < given[0].shape.rank; ++a) rows.push_back(given[0].shape[a]), ids.push_back(1);
        return {rows, ids};
    }
    TRACEXPR_ONCE static constexpr std::array<node_id, 2> record(lowering& low, node_id const* x) {
        node_id const rows = with_one_axis_for(low, x[0], low.rank(x[1]));
        std::int64_t const size = low.shape(x[1]).size();
        node_id const ids[]{low.as(low.reshape(x[1], attribute_list(size < 0 ? dyn : size)), dtype::int64)};
        node_id const order = low.append(op::argsort, dtype::int64, ids, attribute_list(0, 0, order_of_all));
        node_id sorted = low.append(op::take, ids[0], order, attribute_list(0));
        for (int a = 1; a < low.rank(rows); ++a) sorted = low.expand(sorted, a);
        return {low.as(low.append(op::take, rows, order, attribute_list(0)), types_of(low, x)), sorted};
    }
    static constexpr dtype types_of(lowering& low, node_id const* x) {
        return segment_sum_type(segment_result::product, low.type(x[0]));
    }
};
// Takes the products in the last row of each segment, which are complete; the others go to the row behind the table.
TRACEXPR_ONCE constexpr node_id record_last_products(lowering& low, node_id products, node_id sorted_ids, std::int64_t count) {
    std::int64_t const rows = low.extent(products, 0);
    node_id const ids = low.reshape(sorted_ids, attribute_list(rows));
    segment_table table(low, ids, node_id{}, count);
    attribute_list const one_behind(0, 1);
    node_id const next = low.slice(low.append(op::pad, table.places, low.literal(count + 1), one_behind), 0, 1, slice_open);
    table.places = low.choose(low.test(op::equal, table.places, next), low.literal(count), table.places);
    node_id const operands[]{table.filled(products, low.number_like(products, 1)), products, table.places};
    return table.in_segments(low.append(op::index_set, low.type(products), operands, attribute_list(0)));
}
template <std::int64_t Count> struct segment_products_builder {
    static constexpr char const* called = "segment_prod";
    static constexpr char const* problem(builder_specs) { return nullptr; }
    static constexpr std::array<dtype, 1> types(builder_specs given) { return std::array<dtype, 1>{given[0].type}; }
    static constexpr std::array<dims, 1> shapes(builder_specs given) {
        return std::array<dims, 1>{segment_shape(segment_result::product, given[0].shape, dims{{dyn}, 1}, Count)};
    }
    static constexpr std::array<node_id, 1> record(lowering& low, node_id const* x) {
        return std::array<node_id, 1>{record_last_products(low, x[0], x[1], Count)};
    }
};
// Gives an expr of open rank as a table with its first axis and all others merged into one.
template <class A> constexpr auto as_table(A const& rows) {
    if constexpr (dims_of_operand<A>.rank >= 0) {
        return rows;
    } else {
        lowering low(rows.scope());
        attribute_list const target(low.copied(rows.id(), 0), low.rank(rows.id()) == 1 ? 1 : dyn);
        return expr<typename A::value_type, shape<dyn, dyn>>(rows.scope(), low.reshape(rows.id(), target));
    }
}
// Gives the table of products in the shape that the sums of the values have, where only the run knows the rank.
template <class T, class P, class A> constexpr auto in_shape_of_sums(P const& products, A const& sums) {
    lowering low(products.scope());
    return expr<T, typename A::shape_type>(products.scope(), low.append(op::reshape, products.id(), sums.id()));
}
template <std::int64_t Count> struct segment_prod_fn {
    static constexpr char const* called = "segment_prod";
    template <class A, class I> constexpr auto operator()(A const& values, I const& ids) const {
        auto const given = built_fn<segment_factors_builder>{}(values, ids);
        auto const join = [](auto const& before, auto const& now) {
            auto const& [left, left_id] = before;
            auto const& [right, right_id] = now;
            return std::pair(where(left_id == right_id, left * right, right), right_id);
        };
        auto const products = associative_scan(join, std::pair(as_table(given.first), as_table(given.second)));
        auto const last = cast_to<ctype<segment_type(segment_result::product, dtype_of_operand<A>)>>(
            built_fn<segment_products_builder<Count>>{}(products.first, products.second));
        if constexpr (dims_of_operand<A>.rank >= 0 && dims_of_operand<I>.rank >= 0) {
            return last;
        } else {
            auto const sums = built_fn<segment_builder<segment_result::sum, Count>>{}(values, ids);
            return in_shape_of_sums<typename decltype(last)::value_type>(last, sums);
        }
    }
};

template <class V, class I> inline constexpr bool lead_axes_of = lead_axes(dims_of_operand<V>, dims_of_operand<I>);
template <segment_result What, std::int64_t Count, class V, class I> constexpr bool check_segments() {
    constexpr bool has_count = Count >= 0;
    constexpr bool has_ids = is_integer(dtype_of_operand<I>) && dims_of_operand<I>.rank != 0;
    constexpr bool orders = What == segment_result::min || What == segment_result::max;
    constexpr bool takes_values = dtype_of_operand<V> != dtype::string && (!orders || !is_complex(dtype_of_operand<V>));
    constexpr bool fits = lead_axes_of<V, I>;
    static_assert(has_count, "tx: segment_sum and its kin: the number of segments must not be negative");
    static_assert(has_ids, "tx: segment_sum and its kin: ids must be integers, one for each of the values along the first axis");
    static_assert(takes_values, "tx: segment_sum and its kin: takes numbers, and for min and max those that have an order");
    static_assert(fits, "tx: segment_sum and its kin: ids must have the extents of the values' first axes");
    return has_count && has_ids && takes_values && fits;
}

template <segment_result What, std::int64_t N, class V, class I> constexpr auto segments_by_ops(V const& values, I const& ids) {
    constexpr bool checks = check_segments<What, N, V, I>();
    if constexpr (What == segment_result::product) return apply_if<checks>(segment_prod_fn<N>{}, values, ids);
    else return apply_if<checks>(built_fn<segment_builder<What, N>>{}, values, ids);
}
template <segment_result What, std::int64_t N, class V, class I> constexpr auto segments_of(V const& values, I const& ids) {
    using result = decltype(segments_by_ops<What, N>(values, ids));
    if constexpr (!is_failed<result> && tensor_type<V> && tensor_type<I>)
        if (!__builtin_is_constant_evaluated() && lie_in_memory(values, ids) && ids.dimensions().rank > 0 &&
            lead_axes(values.dimensions(), ids.dimensions())) {
            auto const* const from = ids.data();
            return segments_in_memory<What, result>(
                values, [=](std::int64_t i) { return static_cast<std::int64_t>(from[i]); }, ids.dimensions().rank, N);
        }
    return segments_by_ops<What, N>(values, ids);
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Gives the sums of the rows of values that ids send to each of N segments: segment_sum<3>(values, ids), (n, ...) x (n) -> (N,
// ...). A row whose id is outside of 0 .. N - 1 is dropped; a segment without rows has 0. If ids have several axes, these are the
// first ones of values. Integers and bool are summed in 64 bits, as tx::sum does. (JAX: segment_sum; TensorFlow:
// unsorted_segment_sum)
template <std::int64_t N, array_operand V, array_operand I>
[[nodiscard]] constexpr auto segment_sum(V const& values, I const& ids) {
    return detail::segments_of<detail::segment_result::sum, N>(values, ids);
}
// Gives the means of the rows of values that ids send to each of N segments, (n, ...) x (n) -> (N, ...), in the dtype of values,
// or float64 for integers; a segment without rows has 0.
template <std::int64_t N, array_operand V, array_operand I>
[[nodiscard]] constexpr auto segment_mean(V const& values, I const& ids) {
    return detail::segments_of<detail::segment_result::mean, N>(values, ids);
}
// Gives the least of the rows of values that ids send to each of N segments, element by element, (n, ...) x (n) -> (N, ...). A
// segment without rows has inf, or the greatest number of an integer dtype or bool. NaN wins; equal elements share the
// derivative.
template <std::int64_t N, array_operand V, array_operand I>
[[nodiscard]] constexpr auto segment_min(V const& values, I const& ids) {
    return detail::segments_of<detail::segment_result::min, N>(values, ids);
}
// Gives the greatest of the rows of values that ids send to each of N segments, element by element, (n, ...) x (n) -> (N, ...). A
// segment without rows has -inf, or the least number of an integer dtype or bool. NaN wins; equal elements share the derivative.
template <std::int64_t N, array_operand V, array_operand I>
[[nodiscard]] constexpr auto segment_max(V const& values, I const& ids) {
    return detail::segments_of<detail::segment_result::max, N>(values, ids);
}
// Gives the products of the rows of values that ids send to each of N segments, (n, ...) x (n) -> (N, ...), with the dtypes of
// segment_sum; a segment without rows has 1.
template <std::int64_t N, array_operand V, array_operand I>
[[nodiscard]] constexpr auto segment_prod(V const& values, I const& ids) {
    return detail::segments_of<detail::segment_result::product, N>(values, ids);
}
// Gives the number of rows of each segment as int64: segment_count<3>(ids).
template <std::int64_t N, array_operand I> [[nodiscard]] constexpr auto segment_count(I const& ids) {
    constexpr auto count = detail::segment_result::count;
    return detail::apply_if<detail::check_segments<count, N, I, I>()>(detail::built_fn<detail::segment_builder<count, N>>{}, ids);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
