// The losses share the helpers in this file: the type of the option `.reduction = tx::none`, sums and means of all elements, and
// comparisons of shapes.
#pragma once

#include <tracexpr/trace/builder.hpp>
#include <tracexpr/trace/functions.hpp>
#include <tracexpr/transforms/vmap.hpp>

#include <limits>

namespace tx::detail {

// no_reduction is the type of the option `.reduction = tx::none`. It has no default value, so an overload with it is chosen only
// where the option is given.
struct no_reduction {
    constexpr no_reduction(none_t) {}
};

constexpr node_id record_sum(lowering& low, node_id x) { return low.reduce(op::sum, x, every_axis(low.rank(x))); }
// Returns the number of elements of x, in the dtype of x.
TRACEXPR_ONCE constexpr node_id record_size(lowering& low, node_id x) {
    if (std::int64_t const known = low.shape(x).size(); known != dyn) return low.number_like(x, static_cast<double>(known));
    node_id const operand[]{x};
    return low.as(low.append(op::axis_size, dtype::int64, operand, every_axis(low.rank(x))), low.type(x));
}
// Computes sum / count, and 0 where count is 0.
TRACEXPR_ONCE constexpr node_id record_quotient_or_zero(lowering& low, node_id sum, node_id count) {
    node_id const is_empty = low.test(op::equal, count, low.zero_like(count));
    return low.choose(is_empty, low.zero_like(sum),
                      low.append(op::divide, sum, low.choose(is_empty, low.number_like(count, 1), count)));
}
// Records the mean of all elements, which is 0 if there are none.
TRACEXPR_ONCE constexpr node_id record_loss_mean(lowering& low, node_id x) {
    std::int64_t const known = low.shape(x).size();
    if (known == 1) return record_sum(low, x);
    if (known != dyn && known != 0) return low.append(op::divide, record_sum(low, x), record_size(low, x));
    return record_quotient_or_zero(low, record_sum(low, x), record_size(low, x));
}

constexpr dims without_last(dims d) {
    if (d.rank > 0) --d.rank;
    return d;
}
// Returns whether these shapes may be equal when the program runs.
constexpr bool may_be_same(dims const& a, dims const& b) { return a.rank < 0 || b.rank < 0 || may_equal(a, b); }

} // namespace tx::detail
