// This file selects the elements with given ranks in the sorted order of an axis, without a sort; quantiles of all kinds use it.
#pragma once

#include <tracexpr/trace/builder.hpp>

namespace tx::detail {

// Gives the elements of x with those ranks along an axis. Ranks are int64: a vector for all rows, or indices as take_along_axis
// has them; negative ones count from the last.
TRACEXPR_ONCE constexpr node_id record_at_ranks(lowering& low, node_id x, node_id ranks, int axis) {
    node_id const operands[]{x, ranks};
    node_id const places = low.append(op::argselect, dtype::int64, operands, attribute_list(axis));
    return low.append(op::take_along_axis, x, places, attribute_list(axis));
}
// Gives the elements for several lists of ranks, which are selected together where the trace knows the lists' lengths.
TRACEXPR_ONCE constexpr buffer<node_id> record_at_ranks_of(lowering& low, node_id x, buffer<node_id> lists, int axis) {
    buffer<node_id> out;
    for (node_id& list : lists) list = low.as(list, dtype::int64);
    int const along = low.rank(lists[0]) == 1 ? 0 : axis;
    bool are_known = lists.size() > 1;
    for (node_id const list : lists) are_known = are_known && low.extent(list, along) != dyn;
    if (!are_known) {
        for (node_id const list : lists) out.push_back(record_at_ranks(low, x, list, axis));
        return out;
    }
    node_id const all = record_at_ranks(low, x, low.concatenate(lists, along), axis);
    std::int64_t first = 0;
    for (node_id const list : lists) {
        std::int64_t const count = low.extent(list, along);
        out.push_back(low.slice(all, axis, first, first + count));
        first += count;
    }
    return out;
}
// Gives the elements at ranks of any shape, whose axes replace the axis of x in the result, as with take.
template <int Axis, bool IsMedian = false> struct at_ranks_builder {
    static constexpr char const* called = IsMedian ? "median" : "quantile";
    static constexpr std::uint32_t hidden = 0b1110;
    static constexpr std::size_t lists = 3;
    static constexpr char const* problem(builder_specs given) {
        dims const& x = given[0].shape;
        return x.rank > 0 && x[normalized_axis(Axis, x.rank)] == 0 ? "must not reduce an axis of extent 0" : nullptr;
    }
    static constexpr std::array<dtype, lists> types(builder_specs given) { return {given[0].type, given[0].type, given[0].type}; }
    static constexpr std::array<dims, lists> shapes(builder_specs given) {
        std::array<dims, lists> out;
        attribute_list const along(normalized_axis(Axis, given[0].shape.rank));
        for (std::size_t k = 0; k < lists; ++k) out[k] = taken(given[0].shape, given[k + 1].shape, along).shape;
        return out;
    }
    static constexpr std::array<node_id, lists> record(lowering& low, node_id const* x) {
        return record_lists(low, x, normalized_axis(Axis, low.rank(x[0])));
    }
    static constexpr std::array<node_id, lists> record_lists(lowering& low, node_id const* x, int axis) {
        buffer<node_id> ranks;
        for (std::size_t k = 1; k <= lists; ++k) {
            std::int64_t const size = low.shape(x[k]).size();
            ranks.push_back(low.reshape(x[k], attribute_list(size < 0 ? dyn : size)));
        }
        ranks = record_at_ranks_of(low, x[0], ranks, axis);
        std::array<node_id, lists> out{};
        for (std::size_t k = 0; k < lists; ++k) {
            int const axes = low.rank(x[k + 1]);
            out[k] = axes == 0   ? low.squeeze(ranks[k], axis)
                     : axes == 1 ? ranks[k]
                                 : low.append(op::reshape, ranks[k], low.append(op::take, x[0], x[k + 1], attribute_list(axis)));
        }
        return out;
    }
};

} // namespace tx::detail
