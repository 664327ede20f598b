// This file contracts two operands whose axes have labels: their product is summed over some of the axes. It is one batched
// matmul, or a product and a sum where every axis that isn't summed belongs to both operands.
#pragma once

#include <tracexpr/trace/lowering.hpp>

namespace tx::detail {

// The name of each axis of an operand or result; equal names mean the same axis.
struct axis_labels {
    int name[max_rank]{};
    int count = 0;

    constexpr void push_back(int label) {
        if (count < max_rank) name[count++] = label;
    }
    TRACEXPR_ONCE constexpr int place(int label) const {
        for (int k = 0; k < count; ++k)
            if (name[k] == label) return k;
        return -1;
    }
    constexpr bool has(int label) const { return place(label) >= 0; }
    TRACEXPR_ONCE constexpr bool has_all(axis_labels const& others) const {
        for (int k = 0; k < others.count; ++k)
            if (!has(others.name[k])) return false;
        return true;
    }
    TRACEXPR_ONCE constexpr axis_labels operator+(axis_labels const& more) const {
        axis_labels out = *this;
        for (int k = 0; k < more.count; ++k) out.push_back(more.name[k]);
        return out;
    }
};

// An operand of a contraction: a node and the labels of its axes.
struct labelled {
    node_id node{};
    axis_labels labels{};
};

class contraction {
public:
    constexpr contraction(lowering& low, dtype type) : low_{low}, type_{type} {}

    // Sums a times b over every label that `out` doesn't have. No label may repeat within a, within b or within out.
    TRACEXPR_ONCE constexpr node_id product(labelled a, labelled b, axis_labels const& out) {
        a = summed(a, b.labels, out);
        b = summed(b, a.labels, out);
        axis_labels batch, inner, free_a, free_b;
        for (int k = 0; k < out.count; ++k) {
            int const label = out.name[k];
            (a.labels.has(label) ? (b.labels.has(label) ? batch : free_a) : free_b).push_back(label);
        }
        for (int k = 0; k < a.labels.count; ++k)
            if (!out.has(a.labels.name[k])) inner.push_back(a.labels.name[k]);
        bool const joins = inner.count > 0 && free_a.count + free_b.count > 0 && batch.count <= max_rank - 2;
        if (joins) {
            a.node = reordered(a, batch + free_a + inner);
            b.node = reordered(b, batch + inner + free_b);
            bool const fits = joins_axes(a.node, batch.count, free_a.count, inner.count) &&
                              joins_axes(b.node, batch.count, inner.count, free_b.count);
            a.labels = batch + free_a + inner, b.labels = batch + inner + free_b;
            if (fits && splits(a.node, batch.count, free_a.count, b.node, batch.count + inner.count, free_b.count))
                return reordered(
                    {joined(a.node, b.node, batch.count, free_a.count, inner.count, free_b.count), batch + free_a + free_b}, out);
        }
        axis_labels const all = out + inner;
        return total(times(aligned(a, all), aligned(b, all)), out.count);
    }
    // Sums one operand over the labels that `out` doesn't have.
    constexpr node_id single(labelled a, axis_labels const& out) { return reordered(summed(a, {}, out), out); }

private:
    constexpr node_id times(node_id a, node_id b) {
        return low_.append(type_ == dtype::boolean ? op::logical_and : op::multiply, a, b);
    }
    constexpr op sum_op() const { return type_ == dtype::boolean ? op::max : op::sum; }
    // Sums all axes from `kept` on.
    TRACEXPR_ONCE constexpr node_id total(node_id x, int kept) {
        attribute_list summed_axes;
        for (int k = kept; k < low_.rank(x); ++k) summed_axes.push_back(k);
        return low_.reduce(sum_op(), x, summed_axes);
    }
    TRACEXPR_ONCE constexpr labelled summed(labelled const& x, axis_labels const& other, axis_labels const& out) {
        attribute_list summed_axes;
        labelled left{x.node, {}};
        for (int k = 0; k < x.labels.count; ++k)
            if (out.has(x.labels.name[k]) || other.has(x.labels.name[k])) left.labels.push_back(x.labels.name[k]);
            else summed_axes.push_back(k);
        left.node = low_.reduce(sum_op(), x.node, summed_axes);
        return left;
    }
    TRACEXPR_ONCE constexpr node_id reordered(labelled const& x, axis_labels const& order) {
        attribute_list permutation;
        for (int k = 0; k < order.count; ++k) permutation.push_back(x.labels.place(order.name[k]));
        return low_.transpose(x.node, permutation);
    }
    // Gives x with an axis for each label, of extent 1 where x doesn't have the label.
    TRACEXPR_ONCE constexpr node_id aligned(labelled const& x, axis_labels const& all) {
        axis_labels own;
        attribute_list missing;
        for (int k = 0; k < all.count; ++k)
            if (x.labels.has(all.name[k])) own.push_back(all.name[k]);
            else missing.push_back(k);
        node_id const ordered = reordered(x, own);
        return missing.count ? low_.append(op::expand_dims, ordered, missing) : ordered;
    }

    TRACEXPR_ONCE constexpr int open_among(node_id x, int first, int count) const {
        int out = 0;
        for (int k = first; k < first + count; ++k) out += low_.extent(x, k) == dyn;
        return out;
    }
    // Can each of the two groups of axes after the batch be joined into one? A reshape can infer only one extent.
    TRACEXPR_ONCE constexpr bool joins_axes(node_id x, int batch, int first, int second) const {
        return (first > 1 && open_among(x, batch, first) > 0) + (second > 1 && open_among(x, batch + first, second) > 0) <= 1;
    }
    // Can the product's joined axes be split again? That takes a reshape, which can infer only one extent.
    TRACEXPR_ONCE constexpr bool splits(node_id a, int from_a, int count_a, node_id b, int from_b, int count_b) const {
        return (count_a > 1 ? open_among(a, from_a, count_a) : 0) + (count_b > 1 ? open_among(b, from_b, count_b) : 0) <= 1;
    }
    // Gives the extent of `count` axes joined into one.
    TRACEXPR_ONCE constexpr std::int64_t joined_extent(node_id x, int first, int count) const {
        if (count == 1) return low_.copied(x, first);
        std::int64_t size = 1;
        for (int k = first; k < first + count; ++k)
            size = size == dyn || low_.extent(x, k) == dyn ? dyn : size * low_.extent(x, k);
        return size;
    }
    TRACEXPR_ONCE constexpr node_id two_axes(node_id x, int batch, int first, int second) {
        attribute_list target;
        for (int k = 0; k < batch; ++k) target.push_back(low_.copied(x, k));
        target.push_back(joined_extent(x, batch, first));
        target.push_back(joined_extent(x, batch + first, second));
        if (first > 1 || second > 1) return low_.reshape(x, target);
        // an empty group becomes an axis of extent 1
        if (first == 0) return low_.expand(x, batch);
        return second == 0 ? low_.expand(x, batch + 1) : x;
    }
    // The matmul of (batch, free_a, inner) and (batch, inner, free_b), where each group is joined into one axis, and is split
    // again in the result.
    TRACEXPR_ONCE constexpr node_id joined(node_id a, node_id b, int batch, int free_a, int inner, int free_b) {
        node_id const x = low_.append(op::matmul, two_axes(a, batch, free_a, inner), two_axes(b, batch, inner, free_b));
        if (free_a == 1 && free_b == 1) return x;
        if (free_a + free_b == 1) return low_.squeeze(x, free_a == 0 ? batch : batch + 1);
        attribute_list target;
        for (int k = 0; k < batch; ++k) target.push_back(low_.copied(x, k));
        append_split(target, a, batch, free_a, x, batch);
        append_split(target, b, batch + inner, free_b, x, batch + 1);
        return low_.reshape(x, target);
    }
    TRACEXPR_ONCE constexpr void append_split(attribute_list& target, node_id from, int first, int count, node_id x,
                                              int x_axis) const {
        if (count == 1) target.push_back(low_.copied(x, x_axis));
        else
            for (int k = first; k < first + count; ++k) target.push_back(low_.extent(from, k));
    }

    lowering& low_;
    dtype type_;
};

constexpr node_id contract_here(lowering& low, dtype type, labelled const& a, labelled const& b, axis_labels const& out) {
    return contraction(low, type).product(a, b, out);
}
TRACEXPR_HERE_OR_ONCE(node_id, contract, contract_here,
                      (lowering & low, dtype type, labelled const& a, labelled const& b, axis_labels const& out),
                      (low, type, a, b, out))

} // namespace tx::detail
