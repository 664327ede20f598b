// This file turns places along an axis into numbers from its front, with an error for places outside of the axis.
#pragma once

#include <tracexpr/trace/builder.hpp>

namespace tx::detail {

// axis_length is the length of an axis: the extent, as far as the trace knows it, and a node with it.
struct axis_length {
    std::int64_t known = dyn;
    node_id number = node_id::none;
};
TRACEXPR_ONCE constexpr axis_length length_of_axis(lowering& low, node_id x, int a) {
    std::int64_t const known = low.extent(x, a);
    return {known, known == dyn ? low.axis_size<std::int64_t>(x, a) : low.literal(known)};
}
// An axis that is longer than this has no vector of zeros.
inline constexpr std::int64_t most_zeros = 65536;
// Records zeros along axis a, behind axes of extent 1.
TRACEXPR_ONCE constexpr node_id zeros_along(lowering& low, axis_length const& length, int a) {
    node_id zero = low.iota<std::int64_t>(1);
    attribute_list to;
    for (int k = 0; k < a; ++k) zero = low.expand(zero, 0), to.push_back(1);
    if (length.known != dyn) {
        to.push_back(length.known);
        return low.append(op::broadcast_to, zero, to);
    }
    to.push_back(-1);
    node_id const count = low.append(op::minimum, length.number, low.literal(most_zeros));
    return low.append(op::broadcast_to, zero, low.append(op::extents, dtype::boolean, {&count, 1}, to));
}
// Gives 0 for a place within the axis. For another place a lookup throws, and its message names index, axis and length. For an
// axis that is longer than most_zeros the message names another length, because a vector of zeros for it would take much memory.
TRACEXPR_ONCE constexpr node_id zero_or_refusal(lowering& low, node_id place, axis_length const& length, int a) {
    bool const is_long = length.known > most_zeros;
    if (is_long || length.known == dyn) {
        node_id const least = low.append(op::negative, length.number);
        node_id let_pass =
            low.test(op::logical_and, low.test(op::greater_equal, place, least), low.test(op::less, place, length.number));
        if (!is_long)
            let_pass = low.test(op::logical_and, let_pass, low.test(op::greater, length.number, low.literal(most_zeros)));
        place = low.choose(let_pass, low.literal(std::int64_t{0}), place);
    }
    if (is_long) return low.append(op::take, low.iota<std::int64_t>(1), place, attribute_list(0));
    if (low.rank(place) + a > max_rank) a = 0;
    node_id out = low.append(op::take, zeros_along(low, length, a), place, attribute_list(a));
    for (int k = 0; k < a; ++k) out = low.squeeze(out, 0);
    return out;
}
// Gives the place counted from the front; a place below 0 counts from the end. A place outside of the axis throws when a run
// looks it up.
TRACEXPR_ONCE constexpr node_id place_of_axis(lowering& low, node_id place, axis_length const& length, int a) {
    node_id const is_behind = low.test(op::less, place, low.literal(std::int64_t{0}));
    node_id const from_front = low.choose(is_behind, low.append(op::add, place, length.number), place);
    return low.append(op::add, from_front, zero_or_refusal(low, place, length, a));
}

} // namespace tx::detail
