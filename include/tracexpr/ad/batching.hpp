// A part of the graph under construction for many examples at once. Branches and effects, for which that is more than a rule.
#pragma once

#include <tracexpr/ad/batch_rule.hpp>
#include <tracexpr/ad/branch_scope.hpp>
#include <tracexpr/graph/message.hpp>

namespace tx::ad {

[[noreturn]] TRACEXPR_NOINLINE inline void throw_unbatched_loop(op code) {
    throw trace_error(
        "tx: vmap: " + std::string(name(code)) +
        ": where the number of iterations differs from example to example it has no effects, and no place in a branch "
        "that does so as well; or use tx::map");
}

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
            if (is_callback(n) && !inside.is_zero()) return append_call(n, branch, copier.operands_of(n), inside);
            if (info(n.code).kind == kind::effect) return append_message(n, branch, copier.operands_of(n), inside);
            if (n.code == op::result)
                for (several const& s : found)
                    if (s.of == branch.operand(n, 0)) return s.results[result_number(branch, n)];
            if (!has_regions(n) || !n.bits[0]) return node_id::none;
            if (n.code != op::cond) throw_unbatched_loop(n.code);
            buffer<node_id> const operands(copier.operands_of(n));
            found.push_back({id, run(copier.copy(id), operands, inside)});
            return found.back().results[0];
        });
        buffer<node_id> out;
        for (node_id const id : branch.outputs) out.push_back(copier[id]);
        return out;
    }
    constexpr node_id append_call(node const& n, graph_view const& branch, table_view<node_id> operands, value const& inside) {
        call_form const form(branch.attributes_of(n));
        buffer<node_id> all;
        all.push_back(operands[0]);
        all.push_back((form.has_condition ? logical_and(inside, value(graph_, operands[1])) : inside).id());
        for (std::size_t k = form.first_input(); k < operands.size(); ++k) all.push_back(operands[k]);
        return graph_.append(n.code, n.type, branch.shape_of(n), all, call_form::with(branch.attributes_of(n), 0, true),
                             {n.bits[0], n.bits[1]});
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
        if (k == kind::callback) return call(id, operands, any);
        if (k == kind::control && any && graph_[id].code != op::cond) return loop(id, operands);
        if (k == kind::control && any) return operands[0].batched ? flattened(id) : same_way(id, operands);
        return batch_rule(graph_, all_, id, operands).recorded();
    }

private:
    constexpr replayed further_result(node_id id, replayed const& of) const {
        node const n = graph_[id]; // the graph grows
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
    // Called for each example where a value has one for each.
    constexpr replayed call(node_id id, table_view<replayed> operands, bool) {
        node const n = graph_[id];
        bool any = false;
        bool const has_handle = call_form(graph_.attributes_of(n)).takes_handle();
        for (replayed const& o : operands) any = any || o.batched;
        buffer<node_id> all;
        for (std::size_t k = 0; k < operands.size(); ++k) {
            replayed const& o = operands[k];
            all.push_back(any && (k > 0 || has_handle) && value(graph_, o.id).type() != dtype::token ? for_all(o) : o.id);
        }
        dims shape;
        if (any) shape.push_back(all_.extent);
        for (int axis = 0; axis < graph_.shape_of(id).rank; ++axis) shape.push_back(graph_.shape_of(id)[axis]);
        buffer<std::int64_t> const form = call_form::with(buffer<std::int64_t>(graph_.attributes_of(n)), any ? 1 : 0, false);
        return {graph_.append(n.code, n.type, shape, all, form, {n.bits[0], n.bits[1]}), any};
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
        node_id const node =
            append_with_regions(graph_, graph_[id].code, graph_[id].bits[0] != 0, loop_form::of(graph_[id]), given, regions);
        buffer<replayed> results;
        for (std::size_t k = 0, count = result_count(graph_.view(), graph_[node]); k < count; ++k) {
            node_id const result = append_result(graph_, node, k);
            results.push_back({result, graph_[result].type != dtype::token});
        }
        return with_results(id, std::move(results));
    }
    constexpr std::int64_t batched_branch(std::int64_t number, table_view<replayed> operands);
    constexpr replayed loop(node_id id, table_view<replayed> operands);
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

#include <tracexpr/ad/batched_loops.hpp>
