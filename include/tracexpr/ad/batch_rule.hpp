// Batching records a computation of one example for many examples at once, with a batch axis in front. This file holds one rule
// for each op.
#pragma once

#include <tracexpr/ad/replay.hpp>

namespace tx::ad {

// A batch has an extent, if that is known, and a node whose first axis has it.
struct batch {
    value sample;
    std::int64_t extent = dyn;
};

namespace detail {

// Maps the shape (a, b, ...) to (b, ...), the shape of one example.
constexpr value shape_of_one(value const& x) { return unary(op::max, shape_carrier(x), attribute_list(0, 0)); }
// Gives a value with the shape that a and b broadcast to.
constexpr value shape_of_both(value const& a, value const& b) {
    return record(op::logical_or, {shape_carrier(a), shape_carrier(b)});
}

constexpr value expand(value const& x, int first, int count) {
    attribute_list axes;
    for (int k = 0; k < count; ++k) axes.push_back(first + k);
    return count ? unary(op::expand_dims, x, axes) : x;
}
// Gives x with axes of extent 1 behind the batch axis, so that one example has that rank.
constexpr value spread(value const& x, int rank) { return expand(x, 1, rank + 1 - x.rank()); }

constexpr attribute_list shifted_axes(attribute_list list, std::size_t first = 0) {
    for (std::size_t k = first; k < list.count; ++k) ++list.value[k];
    return list;
}
constexpr attribute_list prefixed(std::initializer_list<std::int64_t> front, attribute_list const& list) {
    attribute_list out;
    for (std::int64_t const a : front) out.push_back(a);
    for (std::size_t k = 0; k < list.count; ++k) out.push_back(list[k]);
    return out;
}

// Gives a view's attributes, which stand in `list` from number `first` on, with the batch axis in front of its operand.
constexpr attribute_list with_batch_axis(op view, attribute_list const& list, std::size_t first = 0) {
    tx::detail::view_rule const& rule = tx::detail::rule_of_view(view);
    attribute_list out;
    for (std::size_t k = 0; k < rule.in_front; ++k) out.push_back(rule.front[k]);
    for (std::size_t k = 0; first + k < list.count; ++k) {
        std::int64_t const a = list[first + k];
        bool const is_axis = rule.pace && k >= rule.first_axis && (k - rule.first_axis) % rule.pace == 0;
        out.push_back(is_axis ? a + 1 : view == op::reshape && a < -1 ? a - 1 : a);
    }
    return out;
}

[[noreturn]] TRACEXPR_NOINLINE inline void throw_unbatchable(dims const& shape) {
    throw shape_error(shape.rank < 0
                          ? "tx: vmap: the rank of every value must be known while it is traced"
                          : "tx: vmap: with the batch axis a value would have more than 8 axes; one example has shape " +
                                to_string(shape));
}

} // namespace detail

// Records one node for many examples. Each operand comes for one example or with the batch axis.
class batch_rule {
public:
    constexpr batch_rule(graph& g, batch const& all, node_id id, table_view<replayed> operands)
        : graph_{g}, all_{all}, id_{id}, node_{g[id]}, attributes_{value(g, id).attributes()} {
        if (shape().rank < 0 || shape().rank + 1 > max_rank) detail::throw_unbatchable(shape());
        for (replayed const& o : operands) operands_.push_back(o);
    }

    constexpr replayed recorded() const {
        bool any = false;
        for (replayed const& o : operands_) any = any || o.batched;
        if (!any) return unbatched(ids(), attributes_);
        switch (info(node_.code).kind) {
        case kind::leaf: return node_.code == op::iota ? counted() : sized();
        case kind::pointwise: return pointwise();
        case kind::view: return view();
        case kind::structure: return node_.code == op::pad ? padded() : joined();
        case kind::reduction:
        case kind::arg_reduction: return same_op({given(0)}, detail::shifted_axes(attributes_, 1));
        case kind::scan: return same_op({given(0)}, detail::shifted_axes(attributes_));
        case kind::order: {
            attribute_list behind = attributes_;
            ++behind.value[0];
            if (node_.code == op::argselect) return selected(behind);
            return same_op({given(0)}, behind);
        }
        case kind::lookup: return node_.code == op::take ? batched_take() : batched_take_along();
        case kind::contraction: return product();
        case kind::decomposition: return decomposed();
        case kind::routine: return routine();
        case kind::update: return updated();
        case kind::random: return drawn();
        case kind::control:
        case kind::effect:
        case kind::callback:
        case kind::projection: // batching_pass handles these.
        case kind::marker: break;
        }
        if (node_.code == op::mark) return operands_[0]; // Derivatives with respect to it have been taken by then.
        if (node_.code == op::stop_gradient) return same_op({given(0)}, {});
        if (node_.code == op::checked) return checked();
        if (node_.code == op::least_squares) return decomposed(); // Its first operand is the result.
        buffer<node_id> operands = ids();                         // a custom derivative whose rule is not known here
        operands[0] = whole(0).id();
        return finished(node_.code, operands, attributes_);
    }

    // Repeats x for every example.
    static constexpr value for_all(batch const& all, value const& x) {
        int const rank = x.rank();
        dims const wanted = batched_shape(all, x.shape());
        if (all.extent == dyn) {
            value const like = detail::shape_of_both(detail::spread(first_axis(all.sample), rank), x);
            node_id const operands[]{x.id(), like.id()};
            return {x.owner(), x.owner().append(op::broadcast_to, x.type(), wanted, operands)};
        }
        attribute_list target(all.extent);
        for (int axis = 0; axis < rank; ++axis) target.push_back(-1);
        node_id const operand[]{x.id()};
        return {x.owner(), x.owner().append(op::broadcast_to, x.type(), wanted, operand, target)};
    }

    // Gives the shape of `one` with the batch axis in front.
    static constexpr dims batched_shape(batch const& all, dims const& one) {
        if (one.rank < 0 || one.rank + 1 > max_rank) detail::throw_unbatchable(one);
        dims out;
        out.push_back(all.extent);
        for (int axis = 0; axis < one.rank; ++axis) out.push_back(one[axis]);
        return out;
    }

private:
    static constexpr value first_axis(value const& x) {
        attribute_list others(0);
        for (int axis = 1; axis < x.rank(); ++axis) others.push_back(axis);
        return x.rank() == 1 ? x : unary(op::max, detail::shape_carrier(x), others);
    }

    constexpr dims const& shape() const { return graph_.shape_of(id_); }
    constexpr value given(std::size_t k) const { return {graph_, operands_[k].id}; }
    constexpr bool batched(std::size_t k) const { return operands_[k].batched; }
    constexpr int axis() const { return static_cast<int>(attributes_[0]); }
    // Gives operand k with a batch axis.
    constexpr value whole(std::size_t k) const { return batched(k) ? given(k) : for_all(all_, given(k)); }
    // Gives the rank that operand k has for one example.
    constexpr int rank_of_one(std::size_t k) const { return given(k).rank() - (batched(k) ? 1 : 0); }
    // Gives a value that has the shape of operand k for one example; only its shape is meant.
    constexpr value shape_of_one(std::size_t k) const { return batched(k) ? detail::shape_of_one(given(k)) : given(k); }

    // Records the node's own op, so the type and shape are known.
    template <std::size_t N> constexpr replayed same_op(value const (&x)[N], attribute_list const& attributes) const {
        node_id operands[N]{};
        for (std::size_t k = 0; k < N; ++k) operands[k] = x[k].id();
        return finished(node_.code, operands, attributes);
    }
    constexpr replayed finished(op code, table_view<node_id> operands, attribute_list const& attributes) const {
        return {
            graph_.append(code, node_.type, batched_shape(all_, shape()), operands, attributes, {node_.bits[0], node_.bits[1]}),
            true};
    }
    // Records the node's own op without a batch axis, for a result that depends on shapes only.
    constexpr replayed unbatched(table_view<node_id> operands, attribute_list const& attributes) const {
        return {graph_.append(node_.code, node_.type, dims(shape()), operands, attributes, {node_.bits[0], node_.bits[1]}),
                false};
    }
    constexpr buffer<node_id> ids() const {
        buffer<node_id> out;
        for (replayed const& o : operands_) out.push_back(o.id);
        return out;
    }

    constexpr replayed counted() const {
        node_id const operand[]{shape_of_one(0).id()};
        return unbatched(operand, attributes_);
    }
    constexpr replayed sized() const {
        int const rank = rank_of_one(0);
        if (rank == 0) return {given(0).like(1, node_.type).id()};
        node_id const operand[]{given(0).id()};
        return unbatched(operand, detail::shifted_axes(attributes_.count ? attributes_ : tx::detail::every_axis(rank)));
    }

    // A check speaks of the axes of one example, so its attributes tell for each operand how many leading axes are batch axes.
    constexpr replayed checked() const {
        attribute_list in_front;
        for (std::size_t k = 0; k < operands_.size(); ++k)
            in_front.push_back((attributes_.count ? attributes_[k] : 0) + (batched(k) ? 1 : 0));
        return batched(0) ? finished(node_.code, ids(), in_front) : unbatched(ids(), in_front);
    }
    constexpr replayed pointwise() const {
        int const rank = shape().rank;
        node_id operands[3]{};
        for (std::size_t k = 0; k < operands_.size(); ++k)
            operands[k] = (batched(k) ? detail::spread(given(k), rank) : given(k)).id();
        return finished(node_.code, {operands, operands_.size()}, {});
    }

    constexpr replayed view() const {
        if (operands_.size() == 2) return view_like();
        value const x = node_.code == op::broadcast_to ? detail::spread(given(0), shape().rank) : given(0);
        return same_op({x}, detail::with_batch_axis(node_.code, attributes_));
    }
    // The second operand of these views gives the shape.
    constexpr replayed view_like() const {
        if (node_.code == op::barrier && batched(0)) return same_op({given(0), given(1)}, {});
        if (node_.code == op::barrier) return unbatched(ids(), {});
        if (!batched(0)) {
            node_id const operands[]{given(0).id(), shape_of_one(1).id()};
            return unbatched(operands, {});
        }
        if (node_.code == op::reshape) return same_op({given(0), whole(1)}, {});
        if (node_.code == op::broadcast_to) return same_op({detail::spread(given(0), shape().rank), whole(1)}, {});
        int const rank = rank_of_one(0), extra = rank - shape().rank;
        if (extra == 0) return same_op({given(0), whole(1)}, {});
        value const summed = record(op::sum_to, {given(0), detail::spread(whole(1), rank)});
        attribute_list axes;
        for (int k = 0; k < extra; ++k) axes.push_back(1 + k);
        node_id const operand[]{summed.id()};
        return finished(op::squeeze, operand, axes);
    }

    constexpr replayed joined() const {
        buffer<node_id> operands;
        for (std::size_t k = 0; k < operands_.size(); ++k) operands.push_back(whole(k).id());
        return finished(op::concatenate, operands, detail::shifted_axes(attributes_));
    }
    constexpr replayed padded() const {
        attribute_list const widths = detail::prefixed({0, 0}, attributes_);
        if (!batched(1)) return same_op({given(0), given(1)}, widths);
        // Each example is filled with a value of its own.
        value const x = whole(0), inside{graph_, graph_.append(op::literal, dtype::boolean, dims{}, {}, {}, {1, 0})};
        value const mask = record(
            op::pad, {broadcast_like(inside, x), value(graph_, graph_.append(op::literal, dtype::boolean, dims{}, {}, {}, {}))},
            widths);
        value const inner = record(op::pad, {x, x.like(0)}, widths);
        node_id const operands[]{mask.id(), inner.id(), detail::spread(given(1), shape().rank).id()};
        return finished(op::where, operands, {});
    }

    constexpr replayed product() const {
        int const ranks[]{rank_of_one(0), rank_of_one(1)}, rank = ranks[0] > ranks[1] ? ranks[0] : ranks[1];
        // A matrix times many vectors is one product with the vectors as rows.
        if (!batched(0) && rank == 2 && given(1).shape()[2] == 1 && ranks[0] == 2) {
            value const rows = unary(op::squeeze, given(1), attribute_list(2));
            node_id const operand[]{record(op::matmul, {rows, swap_last_axes(given(0))}).id()};
            return finished(op::expand_dims, operand, attribute_list(2));
        }
        return same_op(
            {batched(0) ? detail::spread(given(0), rank) : given(0), batched(1) ? detail::spread(given(1), rank) : given(1)}, {});
    }

    // Each key draws its own numbers.
    constexpr replayed drawn() const {
        buffer<node_id> operands;
        operands.push_back(given(0).id());
        if (operands_.size() == 2) operands.push_back(shape_of_one(1).id());
        return batched(0) ? finished(node_.code, operands, attributes_) : unbatched(operands, attributes_);
    }

    // Leading axes broadcast, as those of a matrix product do.
    constexpr replayed decomposed() const {
        int rank = 0;
        for (std::size_t k = 0; k < operands_.size(); ++k) rank = rank_of_one(k) > rank ? rank_of_one(k) : rank;
        buffer<node_id> operands;
        auto const has_rows = [&](std::size_t k) { return node_.code == op::solve && k == 3; }; // one axis less
        if (info(node_.code).kind == kind::marker) operands.push_back(whole(0).id());
        for (std::size_t k = operands.size(); k < operands_.size(); ++k)
            operands.push_back((batched(k) ? detail::spread(given(k), rank - (has_rows(k) ? 1 : 0)) : given(k)).id());
        return finished(node_.code, operands, attributes_);
    }

    // The batch becomes one more leading axis. Where a convolution's filter has that axis, or where the result is a filter, it is
    // one of the leading axes that are kept (convolution_form::kept).
    constexpr replayed routine() const {
        if (node_.code == op::eig) return same_op({given(0)}, attributes_);
        bool const convolves = node_.code == op::convolution;
        attribute_list attributes = attributes_;
        bool const any = batched(0) || (convolves && batched(1));
        bool const is_kept =
            convolves && any && (batched(1) || attributes[0] == tx::detail::convolution_form::filter || attributes[3] > 0);
        if (is_kept) ++attributes.value[3];
        if (!convolves && any) ++attributes.value[1];
        buffer<node_id> operands;
        for (std::size_t k = 0; k < operands_.size(); ++k) {
            bool const has_axis = any && (k != 1 || !convolves || is_kept);
            if (!any && batched(k)) operands.push_back(shape_of_one(k).id());
            else operands.push_back((batched(k) || !has_axis ? given(k) : detail::expand(given(k), 0, 1)).id());
        }
        return any ? finished(node_.code, operands, attributes) : unbatched(operands, attributes);
    }

    // A lookup in each example's own elements becomes a lookup along an axis, with the indices repeated along the other axes.
    constexpr replayed batched_take() const {
        if (!batched(1)) return same_op({given(0), given(1)}, detail::shifted_axes(attributes_));
        if (!batched(0)) return batch_to_front(record(op::take, {given(0), given(1)}, attributes_));
        value const x = given(0);
        value const indices = aligned_indices(1, x.rank());
        attribute_list const along(axis() + 1);
        attribute_list target;
        bool known = true;
        for (int k = 0; k < x.rank(); ++k) {
            target.push_back(k == 0 || k == axis() + 1 ? -1 : x.shape()[k]);
            known = known && (k == 0 || k == axis() + 1 || x.shape()[k] != dyn);
        }
        value const like =
            known ? indices
                  : detail::shape_of_both(indices, unary(op::max, detail::shape_carrier(x), attribute_list(1, axis() + 1)));
        value const everywhere = known ? unary(op::broadcast_to, indices, target) : record(op::broadcast_to, {indices, like});
        value const found = record(op::take_along_axis, {x, everywhere}, along);
        if (rank_of_one(1) == 1) return {found.id(), true};
        return unflattened(found);
    }
    // (pre, batch, indices, post) -> (batch, pre, indices, post)
    constexpr replayed batch_to_front(value const& x) const {
        if (axis() == 0) return {x.id(), true};
        attribute_list order(axis());
        for (int k = 0; k < x.rank(); ++k)
            if (k != axis()) order.push_back(k);
        node_id const operand[]{x.id()};
        return finished(op::transpose, operand, order);
    }
    // Gives indices of any rank as (batch, 1..., indices, 1...), of the given rank, which counts the batch axis.
    constexpr value aligned_indices(std::size_t k, int rank) const {
        value const flat = rank_of_one(k) == 1 ? given(k) : unary(op::reshape, given(k), attribute_list(-2, -1));
        return detail::expand(detail::expand(flat, 2, rank - 2 - axis()), 1, axis());
    }
    // Reshapes (batch, pre, flattened indices, post) to the node's shape.
    constexpr replayed unflattened(value const& x) const {
        int const before = 1 + axis(), indices = rank_of_one(1), rank = 1 + shape().rank;
        int unknown = 0;
        for (int k = before; k < before + indices; ++k) unknown += shape()[k - 1] == dyn;
        attribute_list codes;
        for (int k = 0; k < rank; ++k) {
            if (k < before) codes.push_back(-2 - k);
            else if (k < before + indices) codes.push_back(shape()[k - 1]); // tx::dyn is the code for what follows from the size.
            else codes.push_back(-2 - (k - indices + 1));
        }
        node_id const operand[]{x.id()};
        if (unknown <= 1) return finished(op::reshape, operand, codes);
        value const others =
            detail::expand(unary(op::max, detail::shape_carrier(x), attribute_list(1, before)), before, indices - 1);
        value const own = detail::expand(detail::expand(given(1), 1 + indices, rank - before - indices), 1, before - 1);
        node_id const operands[]{x.id(), detail::shape_of_both(others, own).id()};
        return finished(op::reshape, operands, {});
    }
    constexpr replayed batched_take_along() const {
        if (!batched(0) && given(0).rank() == 1) return finished_take();
        return same_op({whole(0), whole(1)}, detail::shifted_axes(attributes_));
    }
    // Where the ranks that a selection asks for differ between examples, each row is given its own ranks.
    constexpr replayed selected(attribute_list const& along) const {
        if (!batched(1) && rank_of_one(1) == 1) return same_op({given(0), given(1)}, along);
        if (rank_of_one(1) != 1) return same_op({whole(0), whole(1)}, along);
        int const before = axis(), behind = rank_of_one(0) - 1 - before;
        value const others = unary(op::max, detail::shape_carrier(whole(0)), attribute_list(1, 1 + before)),
                    own = detail::expand(detail::expand(given(1), 2, behind), 1, before);
        return same_op({whole(0), broadcast_like(own, detail::shape_of_both(others, own))}, along);
    }
    constexpr replayed finished_take() const {
        node_id const operands[]{given(0).id(), given(1).id()};
        return finished(op::take, operands, attribute_list(0));
    }

    constexpr replayed updated() const {
        switch (node_.code) {
        case op::view_add:
        case op::view_set: {
            attribute_list const behind = detail::with_batch_axis(added_view(attributes_), attributes_, 1);
            return same_op({whole(0), whole(1)}, detail::prefixed({attributes_[0]}, behind));
        }
        default: break;
        }
        attribute_list const along = detail::shifted_axes(attributes_);
        if (!updates_taken(node_.code)) return same_op({whole(0), whole(1), whole(2)}, along);
        if (!batched(2)) return same_op({whole(0), whole(1), given(2)}, along);
        int const before = 1 + axis(), indices = rank_of_one(2);
        value added = whole(1);
        attribute_list codes;
        for (int k = 0; k < before; ++k) codes.push_back(-2 - k);
        codes.push_back(-1);
        for (int k = before + indices; k < added.rank(); ++k) codes.push_back(-2 - k);
        if (indices != 1) added = unary(op::reshape, added, codes);
        node_id const operands[]{whole(0).id(), added.id(), broadcast_like(aligned_indices(2, added.rank()), added).id()};
        return finished(update_along_axis(node_.code), operands, along);
    }

    graph& graph_;
    batch const& all_;
    node_id id_;
    node node_;
    attribute_list attributes_;
    buffer<replayed> operands_;
};

} // namespace tx::ad
