// Batching: what was recorded for one example, recorded for many at once, with a batch axis in front. One rule an op.
#pragma once

#include <tracexpr/ad/branch_scope.hpp>
#include <tracexpr/ad/replay.hpp>
#include <tracexpr/graph/message.hpp>

namespace tx::ad {

// The batch: its extent, as far as it is known, and a node whose first axis has it.
struct batch {
    value sample;
    std::int64_t extent = dyn;
};

namespace detail {

// Bool, of shape x's; where only the shape is asked for, which then costs nothing.
constexpr value shape_carrier(value const& x) { return unary(op::isfinite, x); }
// (a, b, ...) -> (b, ...): the shape of one example.
constexpr value shape_of_one(value const& x) { return unary(op::max, shape_carrier(x), attribute_list(0, 0)); }
// Of the shape that a and b broadcast to.
constexpr value shape_of_both(value const& a, value const& b) {
    return record(op::logical_or, {shape_carrier(a), shape_carrier(b)});
}

constexpr value expand(value const& x, int first, int count) {
    attribute_list axes;
    for (int k = 0; k < count; ++k) axes.push_back(first + k);
    return count ? unary(op::expand_dims, x, axes) : x;
}
// x with batch axis and 1s behind it, so that one example has that rank.
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

[[noreturn]] TRACEXPR_NOINLINE inline void throw_unbatchable(dims const& shape) {
    throw shape_error(shape.rank < 0
                          ? "tx: vmap: the rank of every value must be known while it is traced"
                          : "tx: vmap: with the batch axis a value would have more than 8 axes; one example has shape " +
                                to_string(shape));
}

} // namespace detail

// One node for many examples. Operands come as they are for one example or for all.
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
        case kind::lookup: return node_.code == op::take ? taken() : taken_along();
        case kind::contraction: return product();
        case kind::decomposition: return decomposed();
        case kind::update: return updated();
        case kind::control:
        case kind::effect:
        case kind::projection: // batching_pass has these
        case kind::marker: break;
        }
        if (node_.code == op::mark) return operands_[0]; // who took derivatives with respect to it has done so
        if (node_.code == op::stop_gradient) return same_op({given(0)}, {});
        buffer<node_id> operands = ids(); // a custom derivative whose rule is not known here
        operands[0] = whole(0).id();
        return finished(node_.code, operands, attributes_);
    }

    // x for every example.
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

private:
    static constexpr dims batched_shape(batch const& all, dims const& one) {
        if (one.rank < 0 || one.rank + 1 > max_rank) detail::throw_unbatchable(one);
        dims out;
        out.push_back(all.extent);
        for (int axis = 0; axis < one.rank; ++axis) out.push_back(one[axis]);
        return out;
    }
    static constexpr value first_axis(value const& x) {
        attribute_list others(0);
        for (int axis = 1; axis < x.rank(); ++axis) others.push_back(axis);
        return x.rank() == 1 ? x : unary(op::max, detail::shape_carrier(x), others);
    }

    constexpr dims const& shape() const { return graph_.shape_of(id_); }
    constexpr value given(std::size_t k) const { return {graph_, operands_[k].id}; }
    constexpr bool batched(std::size_t k) const { return operands_[k].batched; }
    constexpr int axis() const { return static_cast<int>(attributes_[0]); }
    // Operand k with a batch axis.
    constexpr value whole(std::size_t k) const { return batched(k) ? given(k) : for_all(all_, given(k)); }
    // The rank operand k has for one example.
    constexpr int rank_of_one(std::size_t k) const { return given(k).rank() - (batched(k) ? 1 : 0); }
    // For its shape alone: operand k for one example.
    constexpr value shape_of_one(std::size_t k) const { return batched(k) ? detail::shape_of_one(given(k)) : given(k); }

    // The node's own op: its type and shape are known.
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
    // The same without a batch axis: of what depends on shapes alone.
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

    constexpr replayed pointwise() const {
        int const rank = shape().rank;
        node_id operands[3]{};
        for (std::size_t k = 0; k < operands_.size(); ++k)
            operands[k] = (batched(k) ? detail::spread(given(k), rank) : given(k)).id();
        return finished(node_.code, {operands, operands_.size()}, {});
    }

    constexpr replayed view() const {
        if (operands_.size() == 2) return view_like();
        std::int64_t const open = slice_open;
        switch (node_.code) {
        case op::reshape: {
            attribute_list codes(-2);
            for (std::size_t k = 0; k < attributes_.count; ++k)
                codes.push_back(attributes_[k] < -1 ? attributes_[k] - 1 : attributes_[k]);
            return same_op({given(0)}, codes);
        }
        case op::broadcast_to: return same_op({detail::spread(given(0), shape().rank)}, detail::prefixed({-1}, attributes_));
        case op::transpose: return same_op({given(0)}, detail::prefixed({0}, detail::shifted_axes(attributes_)));
        case op::slice: return same_op({given(0)}, detail::prefixed({open, open, 1}, attributes_));
        case op::diagonal: return same_op({given(0)}, detail::shifted_axes(attributes_, 1));
        default: return same_op({given(0)}, detail::shifted_axes(attributes_)); // expand_dims, squeeze
        }
    }
    // The second operand tells the shape.
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

    // Leading axes broadcast, as those of a product.
    constexpr replayed decomposed() const {
        int rank = 0;
        for (std::size_t k = 0; k < operands_.size(); ++k) rank = rank_of_one(k) > rank ? rank_of_one(k) : rank;
        buffer<node_id> operands;
        for (std::size_t k = 0; k < operands_.size(); ++k) // the last of solve's has a number for each row
            operands.push_back((batched(k) ? detail::spread(given(k), rank - (k == 3 ? 1 : 0)) : given(k)).id());
        return finished(node_.code, operands, attributes_);
    }

    // Lookups in each example's own elements are lookups along an axis, with indices for each of the other axes.
    constexpr replayed taken() const {
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
    // Indices of any rank as (batch, 1..., indices, 1...), to that rank with the batch axis.
    constexpr value aligned_indices(std::size_t k, int rank) const {
        value const flat = rank_of_one(k) == 1 ? given(k) : unary(op::reshape, given(k), attribute_list(-2, -1));
        return detail::expand(detail::expand(flat, 2, rank - 2 - axis()), 1, axis());
    }
    // (batch, pre, indices flattened, post) to the node's shape.
    constexpr replayed unflattened(value const& x) const {
        int const before = 1 + axis(), indices = rank_of_one(1), rank = 1 + shape().rank;
        int unknown = 0;
        for (int k = before; k < before + indices; ++k) unknown += shape()[k - 1] == dyn;
        attribute_list codes;
        for (int k = 0; k < rank; ++k) {
            if (k < before) codes.push_back(-2 - k);
            else if (k < before + indices) codes.push_back(shape()[k - 1]); // tx::dyn is the code for what follows from the size
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
    constexpr replayed taken_along() const {
        if (!batched(0) && given(0).rank() == 1) return finished_take();
        return same_op({whole(0), whole(1)}, detail::shifted_axes(attributes_));
    }
    constexpr replayed finished_take() const {
        node_id const operands[]{given(0).id(), given(1).id()};
        return finished(op::take, operands, attribute_list(0));
    }

    constexpr replayed updated() const {
        std::int64_t const open = slice_open;
        switch (node_.code) {
        case op::slice_add: return same_op({whole(0), whole(1)}, detail::prefixed({open, open, 1}, attributes_));
        case op::diagonal_add: return same_op({whole(0), whole(1)}, detail::shifted_axes(attributes_, 1));
        case op::scatter_add: return same_op({whole(0), whole(1), whole(2)}, detail::shifted_axes(attributes_));
        default: break;
        }
        attribute_list const along = detail::shifted_axes(attributes_);
        if (!batched(2)) return same_op({whole(0), whole(1), given(2)}, along);
        int const before = 1 + axis(), indices = rank_of_one(2);
        value added = whole(1);
        attribute_list codes;
        for (int k = 0; k < before; ++k) codes.push_back(-2 - k);
        codes.push_back(-1);
        for (int k = before + indices; k < added.rank(); ++k) codes.push_back(-2 - k);
        if (indices != 1) added = unary(op::reshape, added, codes);
        node_id const operands[]{whole(0).id(), added.id(), broadcast_like(aligned_indices(2, added.rank()), added).id()};
        return finished(op::scatter_add, operands, along);
    }

    graph& graph_;
    batch const& all_;
    node_id id_;
    node node_;
    attribute_list attributes_;
    buffer<replayed> operands_;
};

// A node with branches as the nodes of all of them, each example's result chosen among theirs: for predicates that differ from
// example to example. Recorded for one example; an effect happens where its branch is taken.
class flattened_branches {
public:
    constexpr explicit flattened_branches(graph& g) : graph_{g} {}

    // Its results. `inside`: where it runs at all.
    constexpr buffer<node_id> run(node_id of, table_view<node_id> operands, value const& inside = {}) {
        bool const has_token = graph_[of].bits[0] != 0;
        buffer<node_id> given;
        for (node_id const id : operands.subspan(1)) given.push_back(id);
        value const truth{graph_, operands[0]};
        buffer<buffer<node_id>> of_branches;
        for (std::size_t b = 0; b < 2; ++b) {
            value const taken = b == 0 ? truth : unary(op::logical_not, truth);
            of_branches.push_back(inlined(graph_.attributes_of(graph_[of])[b], given, has_token ? both(inside, taken) : value{}));
            if (has_token) given.back() = of_branches.back().back(); // effects of one, then those of the other
        }
        buffer<node_id> out;
        for (std::size_t k = 0, count = of_branches[0].size(); k < count; ++k) {
            value const first{graph_, of_branches[0][k]}, second{graph_, of_branches[1][k]};
            out.push_back(first.type() == dtype::token ? second.id() : record(op::where, {truth, first, second}).id());
        }
        return out;
    }

private:
    static constexpr value both(value const& a, value const& b) { return a.is_zero() ? b : logical_and(a, b); }
    constexpr buffer<node_id> inlined(std::int64_t number, table_view<node_id> given, value const& inside) {
        tx::graph const copy = copied(graph_.view().region(number));
        graph_view const branch = copy.view();
        graph_copier copier(branch, graph_, graph_copier::shapes::inferred);
        struct several {
            node_id of = node_id::none;
            buffer<node_id> results;
        };
        buffer<several> found;
        copier.copy_all([&](node_id id) {
            node const& n = branch[id];
            if (n.code == op::parameter) return given[n.bits[0]];
            if (info(n.code).kind == kind::effect) return append_message(n, branch, copier.operands_of(n), inside);
            if (n.code == op::result)
                for (several const& s : found)
                    if (s.of == branch.operand(n, 0)) return s.results[result_number(branch, n)];
            if (!has_regions(n) || !n.bits[0]) return node_id::none;
            buffer<node_id> const operands(copier.operands_of(n));
            found.push_back({id, run(copier.copy(id), operands, inside)});
            return found.back().results[0];
        });
        buffer<node_id> out;
        for (node_id const id : branch.outputs) out.push_back(copier[id]);
        return out;
    }
    constexpr node_id append_message(node const& n, graph_view const& branch, table_view<node_id> operands, value const& inside) {
        message const form(branch.attributes_of(n));
        value condition = inside;
        if (form.has_condition && !inside.is_zero()) condition = logical_and(inside, value(graph_, operands[0]));
        buffer<node_id> all;
        if (!inside.is_zero()) all.push_back(condition.id());
        for (std::size_t k = form.has_condition && !inside.is_zero() ? 1 : 0; k < operands.size(); ++k)
            all.push_back(operands[k]);
        return graph_.append(n.code, n.type, dims{}, all, message::with(branch.attributes_of(n), 0, !inside.is_zero()),
                             {n.bits[0], n.bits[1]});
    }

    graph& graph_;
};

class batching_pass : public replay_pass {
public:
    // The sample may be of any shape with the batch axis in front.
    constexpr batching_pass(trace_scope& scope, batch const& all) : replay_pass(scope), all_{all} {}
    constexpr ~batching_pass() override {}

    // A node that stands for one example of x.
    constexpr node_id example_of(value const& x) {
        dims const all = x.shape();
        if (all.rank < 0) detail::throw_unbatchable(all);
        dims one;
        for (int axis = 1; axis < all.rank; ++axis) one.push_back(all[axis]);
        node_id const placeholder = graph_.append_placeholder(x.type(), one);
        replace(placeholder, {x.id(), true});
        return placeholder;
    }
    // What was asked for, for all examples.
    constexpr replayed for_output(node_id one) override {
        replayed const now = (*this)[one];
        return now.batched ? now : replayed{batch_rule::for_all(all_, {graph_, now.id}).id(), true};
    }
    // What all examples do to an input that they share adds up.
    constexpr node_id for_input(node_id input, node_id given) override {
        node_id const all = for_output(given).id;
        return (*this)[input].batched ? all : unary(op::sum, {graph_, all}, attribute_list(0, 0)).id();
    }

protected:
    constexpr replayed record(node_id id) override {
        buffer<replayed> operands;
        bool any = false;
        for (std::size_t k = 0; k < graph_[id].arity; ++k) {
            operands.push_back((*this)[graph_.operand(graph_[id], k)]);
            any = any || operands.back().batched;
        }
        kind const k = info(graph_[id].code).kind;
        if (k == kind::projection) return further_result(id, operands[0]);
        if (k == kind::effect) return effect(id, operands, any);
        if (k == kind::control && any) return operands[0].batched ? flattened(id) : same_way(id, operands);
        return batch_rule(graph_, all_, id, operands).recorded();
    }

private:
    constexpr replayed further_result(node_id id, replayed const& of) const {
        node const& n = graph_[id];
        std::size_t const k = result_number(graph_.view(), n);
        for (several const& s : several_)
            if (s.of == graph_.operand(n, 0)) return s.results[k];
        return {append_result(graph_, of.id, k), of.batched && n.type != dtype::token};
    }
    constexpr replayed with_results(node_id of, buffer<replayed> results) {
        replayed const first = results[0];
        several_.push_back({of, std::move(results)});
        return first;
    }
    // A line for each example where a value has one for each.
    constexpr replayed effect(node_id id, table_view<replayed> operands, bool any) {
        node const n = graph_[id];
        buffer<node_id> all;
        for (replayed const& o : operands) all.push_back(any && value(graph_, o.id).type() != dtype::token ? for_all(o) : o.id);
        buffer<std::int64_t> const form = message::with(buffer<std::int64_t>(graph_.attributes_of(n)), any ? 1 : 0, false);
        return {graph_.append(n.code, n.type, dims{}, all, form, {n.bits[0], n.bits[1]}), false};
    }
    constexpr node_id for_all(replayed const& o) const {
        return o.batched ? o.id : batch_rule::for_all(all_, {graph_, o.id}).id();
    }
    // All examples take the same way: branches for all of them.
    constexpr replayed same_way(node_id id, table_view<replayed> operands) {
        buffer<std::int64_t> regions;
        buffer<std::int64_t> const originals(graph_.attributes_of(graph_[id]));
        for (std::int64_t const number : originals) regions.push_back(batched_branch(number, operands.subspan(1)));
        buffer<node_id> given;
        for (replayed const& o : operands) given.push_back(o.id);
        node_id const node = append_branching(graph_, graph_[id].code, graph_[id].bits[0] != 0, given, regions);
        buffer<replayed> results;
        for (std::size_t k = 0, count = result_count(graph_.view(), graph_[node]); k < count; ++k) {
            node_id const result = append_result(graph_, node, k);
            results.push_back({result, graph_[result].type != dtype::token});
        }
        return with_results(id, std::move(results));
    }
    constexpr std::int64_t batched_branch(std::int64_t number, table_view<replayed> operands) {
        tx::graph const copy = copied(graph_.view().region(number));
        graph_view const branch = copy.view();
        trace_scope own;
        graph_copier copier(branch, own.recorded);
        batch all{{}, all_.extent};
        for (std::size_t k = 0; k < operands.size(); ++k) {
            value const x{graph_, operands[k].id};
            value const parameter{own.recorded, own.recorded.append_parameter(x.type(), x.shape())};
            if (operands[k].batched) all.sample = parameter;
            copier.replace(branch.parameters[k], parameter.id());
        }
        batching_pass pass(own, all);
        for (std::size_t k = 0; k < operands.size(); ++k)
            if (node_id const at = branch.parameters[k]; operands[k].batched)
                copier.replace(at, pass.example_of({own.recorded, copier[at]}));
        copier.copy_all([&](node_id id) { return copier[id]; });
        buffer<node_id> targets, results;
        for (node_id const id : branch.outputs) targets.push_back(copier[id]);
        pass.run(targets);
        for (node_id const one : targets)
            results.push_back(own.recorded[one].type == dtype::token ? pass[one].id : pass.for_output(one).id);
        return append_closed(graph_, own.recorded.view(), results);
    }
    // Each example takes its own.
    constexpr replayed flattened(node_id id) {
        buffer<node_id> operands;
        for (std::size_t k = 0; k < graph_[id].arity; ++k) operands.push_back(graph_.operand(graph_[id], k));
        buffer<node_id> const ones = flattened_branches(graph_).run(id, operands);
        run(ones);
        buffer<replayed> results;
        for (node_id const one : ones) results.push_back((*this)[one]);
        return with_results(id, std::move(results));
    }

    // What took the place of a node with branches.
    struct several {
        node_id of = node_id::none;
        buffer<replayed> results;
    };
    batch all_;
    buffer<several> several_;
};

} // namespace tx::ad
