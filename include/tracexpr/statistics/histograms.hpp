// tx::histogram2d counts the points in each cell of a grid.
#pragma once

#include <tracexpr/statistics/reduced_rows.hpp>
#include <tracexpr/trace/counting.hpp>
#include <tracexpr/trace/misused.hpp>

namespace tx {
namespace detail {

// `binned` holds the bin of each number among bins of equal width, which is computed as in numpy.histogram: first by a division,
// then corrected by the edges, which are rounded. Numbers outside, and NaN, have `counts` false: they do not count.
struct binned {
    node_id bin, counts, edges;
};
TRACEXPR_ONCE constexpr binned record_bins(lowering& low, node_id x, node_id from, node_id to, std::int64_t bins) {
    node_id const is_point = low.test(op::equal, from, to);
    node_id const room = low.choose(is_point, low.number_like(from, 0.5), low.zero_like(from));
    from = low.append(op::subtract, from, room), to = low.append(op::add, to, room);
    node_id const count = low.number_like(from, static_cast<double>(bins));
    node_id const width = low.append(op::divide, low.append(op::subtract, to, from), count);
    node_id const number = low.as(low.iota<std::int64_t>(bins + 1), low.type(x));
    node_id const inner = low.append(op::add, low.append(op::multiply, number, width), from);
    node_id const edges = low.choose(low.test(op::equal, number, count), to, inner);
    node_id const counts = low.test(op::logical_and, low.test(op::greater_equal, x, from), low.test(op::less_equal, x, to));
    node_id const place = low.append(op::floor, low.append(op::divide, low.append(op::subtract, x, from), width));
    node_id const last = low.literal(bins - 1);
    node_id const near = low.append(op::minimum, low.as(low.choose(counts, place, low.zero_like(place)), dtype::int64), last);
    auto const edge = [&](node_id at) { return low.append(op::take, edges, at, attribute_list(0)); };
    node_id const down = low.as(low.test(op::less, x, edge(near)), dtype::int64);
    node_id const not_above = low.append(op::subtract, near, down);
    node_id const next = low.append(op::add, not_above, low.literal(std::int64_t{1}));
    node_id const up = low.as(low.test(op::greater_equal, x, edge(next)), dtype::int64);
    return {low.append(op::minimum, low.append(op::add, not_above, up), last), counts, edges};
}
TRACEXPR_ONCE constexpr char const* grid_problem(builder_specs given) {
    for (std::size_t k = 0; k < given.size(); ++k) {
        bool const is_range = k >= 2 && k < 6;
        if (!accepts(domain::real, given[k].type)) return "takes real numbers";
        if (is_range && given[k].shape.rank > 0) return "the ends of ranges must be scalars";
        if (!is_range && given[0].shape.rank >= 0 && given[k].shape.rank >= 0 && !may_equal(given[0].shape, given[k].shape))
            return "x, y and the weights must have one shape";
    }
    return nullptr;
}
// Records the histogram. The operands are x, y, the ends of both ranges, and weights if there are any.
template <std::size_t Operands>
constexpr std::array<node_id, 3> record_grid(lowering& low, node_id const* operands, std::int64_t rows, std::int64_t columns) {
    dtype const type = computed_dtype(common_inexact(low, operands, 2));
    attribute_list const in_a_row(-1), along(0);
    node_id as_type[6]{};
    for (int k = 0; k < 6; ++k) as_type[k] = low.as(k < 2 ? low.reshape(operands[k], in_a_row) : operands[k], type);
    binned const down = record_bins(low, as_type[0], as_type[2], as_type[3], rows);
    binned const across = record_bins(low, as_type[1], as_type[4], as_type[5], columns);
    node_id const cell = low.append(op::add, low.append(op::multiply, down.bin, low.literal(columns)), across.bin);
    node_id const counts = low.test(op::logical_and, down.counts, across.counts);
    node_id const place = low.choose(counts, cell, low.literal(rows * columns)); // points that don't count go behind the grid
    node_id weights = node_id::none;
    if constexpr (Operands > 6) weights = low.as(low.reshape(operands[6], in_a_row), computed_dtype(low.type(operands[6])));
    else weights = low.append(op::broadcast_to, low.literal(std::int64_t{1}), place);
    node_id const none = low.append(op::broadcast_to, low.zero_like(weights), attribute_list(rows * columns + 1));
    node_id const added[]{none, weights, place};
    node_id const sums = low.append(op::index_add, low.type(weights), added, along);
    node_id const grid = low.reshape(low.slice(sums, 0, 0, rows * columns), attribute_list(rows, columns));
    return {grid, down.edges, across.edges};
}
template <std::size_t Operands, std::int64_t Rows, std::int64_t Columns> struct grid_builder {
    static constexpr char const* called = "histogram2d";
    static constexpr char const* problem(builder_specs given) { return grid_problem(given); }
    static constexpr std::array<dtype, 3> types(builder_specs given) {
        dtype const edges = common_inexact(given.subspan(0, 2));
        return {Operands > 6 ? to_inexact(given[Operands - 1].type) : dtype::int64, edges, edges};
    }
    static constexpr std::array<dims, 3> shapes(builder_specs) {
        return {dims{{Rows, Columns}, 2}, dims{{Rows + 1}, 1}, dims{{Columns + 1}, 1}};
    }
    static constexpr std::array<node_id, 3> record(lowering& low, node_id const* operands) {
        return record_grid<Operands>(low, operands, Rows, Columns);
    }
};
template <class Builder, bool HasBins, class... A> constexpr bool check_grid() {
    static_assert(HasBins, "tx: histogram2d: needs at least one bin along each axis");
    constexpr bool fits = built_problem<Builder, A...> == nullptr;
    static_assert(fits, "tx: histogram2d: takes real x, y and weights of one shape, and scalars for the ends of both ranges");
    return HasBins && fits;
}
template <class L, class H> constexpr void check_ends(L const& low, H const& high) {
    if constexpr (std::is_arithmetic_v<L> && std::is_arithmetic_v<H>)
        if (double const from = static_cast<double>(low), to = static_cast<double>(high);
            !(from <= to) || to - from > std::numeric_limits<double>::max())
            throw error("tx: histogram2d: the ends of a range must be finite and in order; given " + std::to_string(from) + ", " +
                        std::to_string(to));
}
template <std::int64_t Rows, std::int64_t Columns, class X, class Y, class... More>
constexpr auto counted_grid(X const& x, Y const& y, More const&... more) {
    using builder = grid_builder<2 + sizeof...(More), (Rows > 0 ? Rows : 1), (Columns > 0 ? Columns : 1)>;
    return apply_if<check_grid<builder, (Rows > 0 && Columns > 0), X, Y, More...>()>(built_fn<builder>{}, x, y, more...);
}

} // namespace detail

inline namespace TRACEXPR_CALLS {

// Counts the points (x, y) in each cell of a grid of Rows bins of x and Columns bins of y, which have equal widths in both
// ranges, and gives the edges of the bins: auto const [counts, x_edges, y_edges] = histogram2d<4, 8>(x, y, 0, 1, 0, 2). The
// counts are int64, the edges have the dtype of x and y, or float64 for integers. With weights in the shape of x as the last
// argument, the weights in each cell are added instead. Bins include their lower edge, the last ones their upper edge, too;
// points outside are not counted. C++ numbers that are no range throw tx::error.
template <std::int64_t Rows, std::int64_t Columns, array_operand X, array_operand Y, operand A, operand B, operand C, operand D,
          array_operand... W>
requires(sizeof...(W) <= 1) [[nodiscard]] constexpr auto histogram2d(X const& x, Y const& y, A const& x_low, B const& x_high,
                                                                     C const& y_low, D const& y_high, W const&... weights) {
    detail::check_ends(x_low, x_high);
    detail::check_ends(y_low, y_high);
    return detail::counted_grid<Rows, Columns>(x, y, detail::as_float64_scalar(x_low), detail::as_float64_scalar(x_high),
                                               detail::as_float64_scalar(y_low), detail::as_float64_scalar(y_high), weights...);
}
template <std::int64_t... Bins, class... A> constexpr detail::failed histogram2d(detail::any_argument, A const&...) {
    static_assert(always_false<A...>, "tx: histogram2d: takes x, y, the ends of both ranges, and weights, with the numbers of "
                                      "bins in <>: tx::histogram2d<4, 8>(x, y, 0, 1, 0, 2)");
    return {};
}

} // namespace TRACEXPR_CALLS
} // namespace tx
