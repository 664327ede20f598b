// This file batches a part of the graph under construction for many examples at once. It handles branches and effects, for which
// batching is more than one rule an op: where examples take different branches, all branches are computed, and an example takes
// no part in the effects of a branch that it doesn't take.
#pragma once

#include <tracexpr/ad/batch_rule.hpp>
#include <tracexpr/ad/branch_scope.hpp>
#include <tracexpr/graph/message.hpp>

namespace tx::ad {

namespace detail {

// Tells whether a node, or a node in its regions, must know which examples take part. Those that take no part have no effects,
// the results of their calls are neither kept nor read (another branch may have kept them), and their loops end.
constexpr bool asks_who_takes_part(graph_view const& g, node_id id) {
    node const& n = g[id];
    bool const is_about_calls = is_callback(n) && call_form(g.attributes_of(n)).does != call_form::call;
    if (n.code == op::while_loop || has_effect(n) || is_about_calls) return !tx::detail::keeps_only_collectives(g, id);
    for (std::size_t k = 0; has_regions(n) && k < g.attributes_of(n).size(); ++k) {
        graph_view const region = g.region(g.attributes_of(n)[k]);
        for (std::size_t i = 0; i < region.size(); ++i)
            if (asks_who_takes_part(region, to_id(i))) return true;
    }
    return false;
}

[[noreturn]] TRACEXPR_NOINLINE inline void throw_batched_sums() {
    throw trace_error("tx: vmap: mpi: data_parallel can't be mapped; map the function that it is given");
}
[[noreturn]] TRACEXPR_NOINLINE inline void throw_batched_rank() {
    throw trace_error("tx: vmap: mpi: exchange: all examples go to one rank and come from one; `to` and `from` can't be mapped");
}
// Tells whether a node needs a value with the batch axis as a further operand. Collectives in its regions are done for all
// examples, and where the batch's extent is unknown, the region may have no value that tells how many examples there are.
constexpr bool needs_sample(batch const& examples, graph_view const& g, node const& n) {
    return examples.extent == dyn && tx::detail::takes_part_in_collectives(g, n);
}
constexpr value sample_of(batch const& examples, graph& g) {
    return batch_rule::for_all(examples, {g, g.append(op::literal, dtype::boolean, dims{}, {}, {}, {})});
}
// Gives x with axes 0 and 1 swapped.
constexpr value with_swapped_axes(value const& x) {
    attribute_list order(1);
    order.push_back(0);
    for (int axis = 2; axis < x.rank(); ++axis) order.push_back(axis);
    return unary(op::transpose, x, order);
}

} // namespace detail

// `numbers` is the range that a with_range gives its region; `counts` tells for each example how many of these numbers, from the
// first on, it has.
struct own_range {
    node_id numbers = node_id::none;
    value counts;
};

class batching_pass : public replay_pass {
public:
    // The sample may be of any shape with the batch axis in front. `inside` tells which examples take part, a bool for each; if
    // it is none, all do.
    constexpr batching_pass(trace_scope& scope, batch const& all, value const& inside = {}, own_range const& range = {})
        : replay_pass(scope), all_{all}, inside_{inside}, range_{range} {}
    constexpr ~batching_pass() override {}

    // Gives a node that stands for one example of x.
    constexpr node_id example_of(value const& x) {
        dims const all = x.shape();
        if (all.rank < 0) detail::throw_unbatchable(all);
        dims one;
        for (int axis = 1; axis < all.rank; ++axis) one.push_back(all[axis]);
        node_id const placeholder = graph_.append_placeholder(x.type(), one);
        replace(placeholder, {x.id(), true});
        return placeholder;
    }
    // Gives a node that stands for what has taken another node's place. The handle of what was kept for all examples isn't
    // batched.
    constexpr node_id one_of(replayed const& x) {
        value const all{graph_, x.id};
        if (!x.batched && !x.keeps_all) return x.id;
        node_id const placeholder = x.batched ? example_of(all) : graph_.append_placeholder(all.type(), all.shape());
        replace(placeholder, x);
        return placeholder;
    }
    // Gives the value that was asked for, for all examples.
    constexpr replayed for_output(node_id one) override {
        replayed const now = (*this)[one];
        return now.batched ? now : replayed{batch_rule::for_all(all_, {graph_, now.id}).id(), true};
    }
    // Records a region's results here, for those examples of this pass that are inside.
    constexpr buffer<replayed> inlined(std::int64_t number, table_view<replayed> given, value const& inside) {
        tx::graph const copy = copied(graph_.view().region(number));
        graph_view const region = copy.view();
        graph_.stop_sharing(); // The work for the examples that are inside has nodes of its own.
        batching_pass within(scope_, all_, inside);
        buffer<node_id> ones;
        for (replayed const& x : given) ones.push_back(within.one_of(x));
        graph_copier copier(region, graph_, graph_copier::shapes::inferred);
        copier.copy_all([&](node_id id) {
            return region[id].code == op::parameter ? ones[static_cast<std::size_t>(region[id].bits[0])] : node_id::none;
        });
        buffer<node_id> results;
        for (node_id const id : region.outputs) results.push_back(copier[id]);
        within.run(results);
        buffer<replayed> out;
        for (node_id const id : results) out.push_back(within[id]);
        return out;
    }
    // The cotangents that all examples give an input which they share are summed.
    constexpr node_id for_input(node_id input, node_id given) override {
        node_id const all = for_output(given).id;
        return (*this)[input].batched ? all : unary(op::sum, {graph_, all}, attribute_list(0, 0)).id();
    }

protected:
    constexpr replayed record(node_id id) override {
        buffer<replayed> operands;
        bool any = false, any_keeps_all = false;
        for (std::size_t k = 0; k < graph_[id].arity; ++k) {
            operands.push_back((*this)[graph_.operand(graph_[id], k)]);
            any = any || operands.back().batched, any_keeps_all = any_keeps_all || operands.back().keeps_all;
        }
        kind const k = info(graph_[id].code).kind;
        if (k == kind::projection) return further_result(id, operands[0]);
        if (k == kind::effect) return effect(id, operands, any);
        if (graph_[id].code == op::collective) return collective(id, operands);
        if (tx::detail::keeps(graph_.view(), id)) {
            keep_as_they_came(id, operands);
            any = false;
            for (replayed const& o : operands) any = any || o.batched;
        }
        if (k == kind::callback) return call(id, operands, any);
        if (k == kind::control) {
            if (graph_[id].code != op::cond) return loop(id, operands);
            return operands[0].batched ? flattened(id, operands) : same_way(id, operands);
        }
        replayed out = batch_rule(graph_, all_, id, operands).recorded();
        out.keeps_all = any_keeps_all && graph_[id].type == dtype::uint64;
        return out;
    }

    // Collectives, and nodes that need to know who takes part, are recorded anew even where their operands don't change: as
    // recorded for one example, they would be done for all examples.
    constexpr bool differs(node_id id) const override {
        node const& n = graph_[id];
        loop_form const form = loop_form::of(n);
        for (std::size_t k = form.states; n.code == op::scan && k < form.states + form.sequences; ++k)
            if (range_.numbers != node_id::none && graph_.operand(n, k) == range_.numbers) return true;
        return tx::detail::takes_part_in_collectives(graph_.view(), n) || is_masked(id);
    }

private:
    constexpr replayed further_result(node_id id, replayed const& of) const {
        node const n = graph_[id]; // a copy, as the graph grows
        std::size_t const k = result_number(graph_.view(), n);
        for (several const& s : several_)
            if (s.of == graph_.operand(n, 0)) return s.results[k];
        return {append_result(graph_, of.id, k), of.batched && n.type != dtype::token};
    }
    constexpr replayed with_results(node_id of, buffer<replayed> results) {
        std::int64_t const handle_at = tx::detail::kept_result(graph_.view(), graph_[of]);
        if (handle_at >= 0) results[static_cast<std::size_t>(handle_at)].keeps_all = true;
        replayed const first = results[0];
        several_.push_back({of, std::move(results)});
        return first;
    }
    constexpr bool is_masked(node_id id) const { return !inside_.is_zero() && detail::asks_who_takes_part(graph_.view(), id); }
    // Tells which examples take part, for values with `axes` more batch axes, all in front; `sample` is one of these values.
    constexpr value inside_for(std::int64_t axes, value const& sample) {
        if (axes == 0) return inside_;
        value leading = detail::shape_carrier(sample);
        while (leading.rank() > axes + 1) leading = unary(op::max, leading, attribute_list(0, leading.rank() - 1));
        return broadcast_like(detail::expand(inside_, 1, static_cast<int>(axes)), leading);
    }
    // Gives the operands of a node that happens only where a condition holds; the node has `axes` batch axes so far. Operand `at`
    // becomes the condition, combined with the one that the node has already.
    constexpr buffer<node_id> where_inside(table_view<node_id> operands, std::size_t at, bool has_condition, std::int64_t axes) {
        std::size_t const sample = at < operands.size() && graph_[operands[at]].type != dtype::token ? at : 0;
        value const inside = inside_for(axes, {graph_, operands[sample]});
        buffer<node_id> out;
        for (std::size_t k = 0; k < operands.size(); ++k) {
            if (k == at) out.push_back((has_condition ? logical_and(inside, {graph_, operands[k]}) : inside).id());
            if (k != at || !has_condition) out.push_back(operands[k]);
        }
        if (at == operands.size()) out.push_back(inside.id());
        return out;
    }
    // The effect happens once for each example if an operand has a batch axis or only some examples take part.
    constexpr replayed effect(node_id id, table_view<replayed> operands, bool any) {
        node const n = graph_[id];
        buffer<std::int64_t> const before(graph_.attributes_of(n));
        bool const has_condition = is_masked(id), has_axis = any || has_condition;
        buffer<node_id> all;
        for (replayed const& o : operands)
            all.push_back(has_axis && value(graph_, o.id).type() != dtype::token ? for_all(o) : o.id);
        message const form(before);
        if (has_condition) all = where_inside(all, 0, form.has_condition, form.batch_axes);
        return {graph_.append(n.code, n.type, dims{}, all, message::with(before, has_axis ? 1 : 0, has_condition),
                              {n.bits[0], n.bits[1]}),
                false};
    }
    // All examples are sent in one message, behind the axis of the ranks where there is one. It includes values that are the same
    // for all examples, as those of other ranks may differ, and examples that take no part, as other ranks wait for this one.
    constexpr replayed collective(node_id id, buffer<replayed> operands) {
        namespace at = tx::detail::collective_operands;
        node const n = graph_[id];
        buffer<std::int64_t> const attributes(graph_.attributes_of(n));
        call_form const form(attributes);
        auto const what = tx::detail::collective_form(form.rest()).what;
        if (tx::detail::is_of_begun(graph_.view(), n)) detail::throw_batched_sums();
        bool const has_result = form.results() > 0;
        if (form.does >= call_form::replay) {
            if (!operands[0].keeps_all) return read_again(n, attributes, operands);
            operands[0] = shared_handle(operands[0]);
        }
        buffer<node_id> all;
        for (std::size_t k = 0; k < operands.size(); ++k) {
            bool const is_input = has_result && k == at::input;
            if (!is_input && operands[k].batched) detail::throw_batched_rank();
            value const x{graph_, is_input ? for_all(operands[k]) : operands[k].id};
            all.push_back((is_input && takes_rows(what) ? detail::with_swapped_axes(x) : x).id());
        }
        node_id const made = graph_.append(n.code, n.type, dims{}, all, attributes, {n.bits[0], n.bits[1]});
        buffer<replayed> results;
        results.push_back({made, false});
        if (has_result) {
            value const raw{graph_, append_result(graph_, made, 1)};
            bool const has_rows = gathers(what) || what == collective_kind::all_to_all;
            results.push_back({(has_rows ? detail::with_swapped_axes(raw) : raw).id(), true});
        }
        if (has_effect(n)) results.push_back({append_result(graph_, made, results.size()), false});
        return with_results(id, std::move(results));
    }
    // Reads the result of a collective that had no batch axis when it was done, though it may now be read in a batched region.
    constexpr replayed read_again(node const& n, table_view<std::int64_t> attributes, table_view<replayed> operands) {
        buffer<node_id> all;
        for (replayed const& o : operands)
            all.push_back(o.batched ? unary(op::sum, slice(value{graph_, o.id}, 0, 0, 1), attribute_list(0, 0)).id() : o.id);
        all[0] = shared_handle(operands[0]).id;
        return {graph_.append(n.code, n.type, dims{}, all, attributes, {n.bits[0], n.bits[1]}), false};
    }
    // Gives the one handle of what the examples share, from the handles that they have.
    constexpr replayed shared_handle(replayed const& handle) const {
        if (!handle.batched) return handle;
        value const all{graph_, handle.id};
        value const own = inside_.is_zero() ? all : record_where(inside_, all, all.like(0));
        return {any_handle(own).id(), false, handle.keeps_all};
    }
    static constexpr value record_where(value const& truth, value const& a, value const& b) {
        return tx::ad::record(op::where, {truth, a, b});
    }
    // Where a region keeps the results of a collective, they are kept for all examples, as the collective gave them.
    constexpr void keep_as_they_came(node_id id, buffer<replayed>& operands) {
        for (std::size_t k = 1; k + 1 < operands.size(); ++k)
            if (node_id const made = operands[k].id;
                graph_[made].code == op::collective && graph_[graph_.operand(graph_[id], k)].code == op::collective)
                operands[k] = {made, false}, operands[k + 1] = {append_result(graph_, made, 1), false};
    }
    // The callable is called once for each example if an operand has a batch axis or only some examples take part.
    constexpr replayed call(node_id id, table_view<replayed> operands, bool any) {
        node const n = graph_[id];
        buffer<std::int64_t> const before(graph_.attributes_of(n));
        call_form const form(before);
        bool const walks =
            form.does == call_form::first_kept || form.does == call_form::next_kept; // There may be nothing that was kept.
        bool const is_shared = walks || (form.does >= call_form::replay && form.results() == 0 && !any);
        bool const has_condition = is_masked(id) && !is_shared, has_axis = any || has_condition;
        buffer<node_id> all;
        for (std::size_t k = 0; k < operands.size(); ++k) {
            replayed const& o = operands[k];
            bool const is_value = (k > 0 || form.takes_handle()) && value(graph_, o.id).type() != dtype::token;
            all.push_back(has_axis && is_value ? for_all(o) : o.id);
        }
        if (has_condition) all = where_inside(all, 1, form.has_condition, form.batch_axes);
        dims shape;
        if (has_axis) shape.push_back(all_.extent);
        for (int axis = 0; axis < graph_.shape_of(id).rank; ++axis) shape.push_back(graph_.shape_of(id)[axis]);
        return {graph_.append(n.code, n.type, shape, all, call_form::with(before, has_axis ? 1 : 0, has_condition),
                              {n.bits[0], n.bits[1]}),
                has_axis, operands[0].keeps_all || form.does == call_form::keep};
    }
    constexpr node_id for_all(replayed const& o) const {
        return o.batched ? o.id : batch_rule::for_all(all_, {graph_, o.id}).id();
    }
    // All examples take the same branch, so the branches are recorded for all of them and are told which take part.
    constexpr replayed same_way(node_id id, table_view<replayed> operands) {
        node const n = graph_[id];
        std::size_t const behind = operands.size() - (has_effect(n) ? 1 : 0); // the values' end
        buffer<replayed> all;
        std::int32_t inside = -1, sample = -1;
        for (std::size_t k = 0; k <= operands.size(); ++k) {
            auto const next = [&] { return static_cast<std::int32_t>(all.size()) - 1; }; // without the predicate
            if (k == behind && is_masked(id)) inside = next(), all.push_back({inside_.id(), true});
            if (k == behind && detail::needs_sample(all_, graph_, n))
                sample = next(), all.push_back({detail::sample_of(all_, graph_).id(), true});
            if (k < operands.size()) all.push_back(operands[k]);
        }
        buffer<std::int64_t> regions;
        buffer<std::int64_t> const originals(graph_.attributes_of(n));
        std::int64_t shared = shared_handle_result(n);
        for (std::size_t k = 0; k < originals.size(); ++k) {
            regions.push_back(batched_branch(originals[k], table_view<replayed>(all).subspan(1), inside, sample, shared));
            if (shared < 0 || !has_more_axes(regions[k], originals[k], static_cast<std::size_t>(shared))) continue;
            shared = -1, regions.clear(), k = originals.size();
            for (std::int64_t const number : originals)
                regions.push_back(batched_branch(number, table_view<replayed>(all).subspan(1), inside, sample, shared));
        }
        buffer<node_id> given;
        for (replayed const& o : all) given.push_back(o.id);
        node_id const node = append_with_regions(graph_, n.code, has_effect(n), loop_form::of(n), given, regions);
        buffer<replayed> results;
        for (std::size_t k = 0, count = result_count(graph_.view(), graph_[node]); k < count; ++k) {
            node_id const result = append_result(graph_, node, k);
            results.push_back({result, graph_[result].type != dtype::token && static_cast<std::int64_t>(k) != shared});
        }
        return with_results(id, std::move(results));
    }
    // `inside` and `sample` are numbers of operands that the branch has no parameters for: the one that tells which examples take
    // part, and the one of needs_sample(). `shared` is the number of a result that has no batch axis. Each is -1 if there is
    // none.
    constexpr std::int64_t batched_branch(std::int64_t number, table_view<replayed> operands, std::int32_t inside,
                                          std::int32_t sample, std::int64_t shared);
    constexpr bool has_more_axes(std::int64_t region, std::int64_t than, std::size_t output) const {
        graph_view const now = graph_.view().region(region), before = graph_.view().region(than);
        return now.shape_of(now.outputs[output]).rank > before.shape_of(before.outputs[output]).rank;
    }
    // Gives the number of the result that is the handle of collectives which the branches keep, if they keep nothing else; -1
    // otherwise.
    constexpr std::int64_t shared_handle_result(node const& n) const {
        std::int64_t const handle_at = tx::detail::kept_result(graph_, n);
        for (std::size_t k = 0; handle_at >= 0 && k < graph_.attributes_of(n).size(); ++k) {
            graph_view const region = graph_.view().region(graph_.attributes_of(n)[k]);
            node_id const handle = region.outputs[static_cast<std::size_t>(handle_at)];
            if (tx::detail::keeps(region, handle) && !tx::detail::keeps_only_collectives(region, handle)) return -1;
        }
        return handle_at;
    }
    constexpr replayed loop(node_id id, table_view<replayed> operands);
    // Examples take different branches, so both branches are computed, each for the examples that take it, and a `where` chooses
    // between the results.
    constexpr replayed flattened(node_id id, table_view<replayed> operands) {
        value const truth{graph_, operands[0].id};
        node_id const predicate = graph_.operand(graph_[id], 0);
        buffer<replayed> given(operands.subspan(1));
        buffer<buffer<replayed>> of_branches;
        for (std::size_t b = 0; b < 2; ++b) {
            value const is_taken = b == 0 ? truth : unary(op::logical_not, truth);
            std::int64_t const number = graph_.attributes_of(graph_[id])[b];
            buffer<replayed> own(given);
            for (replayed& x : own) // handle_of_both() keeps the handles of both branches; this selects that of this branch.
                if (!x.batched && x.keeps_all)
                    x.id = tx::detail::append_kept(graph_, call_form::replay + static_cast<std::int64_t>(b), x.id);
            of_branches.push_back(inlined(number, own, inside_.is_zero() ? is_taken : logical_and(inside_, is_taken)));
            // The effects of one branch come before those of the other.
            if (has_effect(graph_[id])) given.back() = of_branches[b].back();
        }
        buffer<replayed> results;
        std::int64_t const handle_at = tx::detail::kept_result(graph_, graph_[id]);
        for (std::size_t k = 0, count = of_branches[0].size(); k < count; ++k) {
            replayed const first = of_branches[0][k], second = of_branches[1][k];
            bool const is_shared = static_cast<std::int64_t>(k) == handle_at && !first.batched && !second.batched;
            if (graph_[second.id].type == dtype::token) results.push_back(second);
            else if (is_shared) results.push_back(handle_of_both(first.id, second.id));
            else results.push_back(chosen(predicate, first, second));
        }
        return with_results(id, std::move(results));
    }
    // All examples took part in the collectives of both branches, so the handle keeps both.
    constexpr replayed handle_of_both(node_id first, node_id second) {
        node_id const both[]{first, second};
        return {tx::detail::append_kept(graph_, call_form::keep, tx::detail::append_no_handle(graph_), both), false, true};
    }
    // Chooses between the branches' results by the predicate of one example.
    constexpr replayed chosen(node_id predicate, replayed const& first, replayed const& second) {
        auto const one = [&](replayed const& x) {
            if (!x.batched) keep(x.id);
            return value{graph_, x.batched ? example_of({graph_, x.id}) : x.id};
        };
        value const a = one(first), b = one(second);
        node_id const choice[]{tx::ad::record(op::where, {value{graph_, predicate}, a, b}).id()};
        run(choice);
        return (*this)[choice[0]];
    }

    // `several` holds the results that took the place of a node with several results.
    struct several {
        node_id of = node_id::none;
        buffer<replayed> results;
    };
    batch all_;
    value inside_;
    own_range range_; // set in the region of a with_range
    buffer<several> several_;
};

} // namespace tx::ad

#include <tracexpr/ad/batched_loops.hpp>
