// This file records a part of the graph under construction once more, with other nodes in place of its placeholders. Only nodes
// that depend on a placeholder and are asked for are recorded anew; the others are shared. Each kind of pass defines how a node
// is recorded.
#pragma once

#include <tracexpr/ad/value.hpp>
#include <tracexpr/trace/needed.hpp>

namespace tx::ad {

// `replayed` is what takes a node's place; it is the node itself where nothing changes.
struct replayed {
    node_id id = node_id::none; // none: not asked for so far
    bool batched = false;       // It has a batch axis in front, which the original has not.
    bool keeps_all = false; // It is the handle of results that regions kept, and collectives have given these for all examples.
};

class replay_pass : public tx::detail::scope_owned {
public:
    // Placeholders are appended after the pass is made or, with `first`, from node number `first` on.
    constexpr explicit replay_pass(trace_scope& scope) : replay_pass(scope, scope.recorded.size()) {}
    constexpr replay_pass(trace_scope& scope, std::size_t first)
        : scope_{scope}, graph_{scope.recorded}, first_{first}, replayed_(graph_.size() - first) {}
    constexpr ~replay_pass() override {}

    // Keeps a node as it is, without asking for its operands, as it is no part of what is recorded once more.
    constexpr void keep(node_id id) {
        if (index(id) >= first_ && (*this)[id].id == node_id::none) replace(id, {id});
    }
    constexpr void replace(node_id placeholder, replayed by) {
        reach(index(placeholder) + 1);
        replayed_[index(placeholder) - first_] = by;
    }
    // Asks for these nodes. It may be called again, for nodes that were appended since.
    constexpr void run(table_view<node_id> targets) {
        if (__builtin_is_constant_evaluated()) replay(targets);
        else run_now(targets);
    }
    constexpr replayed operator[](node_id id) const {
        if (index(id) < first_) return {id};
        return index(id) - first_ < replayed_.size() ? replayed_[index(id) - first_] : replayed{};
    }
    constexpr bool changes(node_id id) const { return (*this)[id].id != id; }

    // These convert values that a custom rule gave for one example: a result of the rule, and an input's cotangent. (Each pass
    // overrides all of its virtual functions itself: where one is inherited, nvcc 13 loses the object in a constant evaluation,
    // or crashes.)
    constexpr virtual replayed for_output(node_id given) = 0;
    constexpr virtual node_id for_input(node_id input, node_id given) = 0;

protected:
    // record() records a node one of whose operands changes, or for which differs() tells that it isn't the same here though its
    // operands are.
    constexpr virtual replayed record(node_id) = 0;
    constexpr virtual bool differs(node_id) const = 0;
    // Records the same node with the operands that took the place of its own.
    constexpr replayed with_replaced_operands(node_id id) {
        node const n = graph_[id];
        buffer<node_id> operands;
        for (std::size_t k = 0; k < n.arity; ++k) operands.push_back((*this)[graph_.operand(n, k)].id);
        buffer<std::int64_t> const attributes(graph_.attributes_of(n));
        return {graph_.append(n.code, n.type, n.shape, operands, attributes, {n.bits[0], n.bits[1]})};
    }
    // Replaces a rule's outputs by others that have these values and the rule's derivatives at the inputs' replacements.
    constexpr void replace_outputs(tx::detail::custom_rule const& rule, table_view<replayed> values);

    trace_scope& scope_;
    graph& graph_;
    std::size_t examples_ = 0; // Nodes from this number on serve only to be recorded once more.
    constexpr bool is_example_with_collectives(node_id id) const {
        return index(id) >= examples_ && !has_effect(graph_[id]) && tx::detail::has_collectives(graph_, graph_[id]);
    }

private:
    struct custom_copy;

    template <class Unused = void> void run_now(table_view<node_id> targets);
    constexpr void replay(table_view<node_id> targets) {
        std::size_t const end = graph_.size();
        reach(end);
        auto const is_known = [&](node_id id) { return (*this)[id].id != node_id::none; };
        buffer<bool> const wanted = tx::detail::needed_of(scope_, targets, is_known, first_);
        for (std::size_t i = first_; i < end; ++i)
            if (wanted[i]) visit(to_id(i));
    }
    constexpr void reach(std::size_t end) {
        if (first_ + replayed_.size() >= end) return;
        buffer<replayed> more(end - first_);
        for (std::size_t i = 0; i < replayed_.size(); ++i) more[i] = replayed_[i];
        replayed_ = std::move(more);
    }
    constexpr void visit(node_id id) {
        if ((*this)[id].id != node_id::none) return;
        node const& n = graph_[id];
        tx::detail::custom_rule const* const rule = scope_.rule_of(id);
        bool depends = differs(id) || (rule && rule->has_collectives); // All ranks have such rules in one order.
        for (std::size_t k = 0; k < n.arity && !depends; ++k) depends = changes(graph_.operand(n, k));
        if (depends && rule) return visit_custom(*rule);
        bool const is_example = depends && is_example_with_collectives(id);
        replayed const by = depends ? record(id) : replayed{id}; // record() may append nodes and so reallocate replayed_.
        replayed_[index(id) - first_] = by;
        if (is_example && by.id != id) scope_.examples.push_back(id);
    }
    constexpr void visit_custom(tx::detail::custom_rule const& rule) {
        buffer<replayed> values;
        for (node_id const out : rule.outputs) values.push_back(for_output(graph_.operand(graph_[out], 0)));
        replace_outputs(rule, values);
        bool const is_example = rule.has_collectives && rule.token_after == node_id::none && index(rule.outputs[0]) >= examples_;
        if (is_example) scope_.examples.push_back(rule.outputs[0]);
    }

    std::size_t first_;
    buffer<replayed> replayed_; // by node number, from first_ on
};

// custom_copy is the custom rule of nodes that were recorded once more. It asks the original rule for one example, and what that
// records is recorded once more as well.
struct replay_pass::custom_copy : tx::detail::custom_rule {
    replay_pass& pass;
    tx::detail::custom_rule const& original;

    constexpr custom_copy(replay_pass& p, tx::detail::custom_rule const& o) : pass{p}, original{o} {
        known = o.known, refused = o.refused, has_collectives = o.has_collectives;
        if (o.token_after == node_id::none || !p.changes(o.token_after) || p[o.token_after].id == node_id::none) return;
        token_after = p[o.token_after].id;
        token_before = o.token_before == node_id::none ? o.token_before : p[o.token_before].id;
    }
    constexpr ~custom_copy() override {}

    constexpr buffer<node_id> pull_back(table_view<node_id> cotangents, table_view<bool> wanted) const override {
        buffer<node_id> const given = stand_ins(original.outputs, cotangents);
        recorded_so_far const before(pass.scope_);
        buffer<node_id> out = original.pull_back(given, wanted);
        ask_for(out, before);
        for (std::size_t k = 0; k < out.size(); ++k)
            if (out[k] != node_id::none) out[k] = pass.for_input(original.inputs[k], out[k]);
        return out;
    }
    constexpr buffer<node_id> push_forward(table_view<node_id> tangents) const override {
        buffer<node_id> const given = stand_ins(original.inputs, tangents);
        recorded_so_far const before(pass.scope_);
        buffer<node_id> out = original.push_forward(given);
        ask_for(out, before);
        for (node_id& id : out)
            if (id != node_id::none) id = pass.for_output(id).id;
        return out;
    }

private:
    constexpr buffer<node_id> stand_ins(table_view<node_id> originals, table_view<node_id> values) const {
        graph& g = pass.graph_;
        buffer<node_id> out;
        for (std::size_t k = 0; k < values.size(); ++k) {
            replayed const now = pass[originals[k]];
            if (now.id == originals[k]) {
                pass.keep(values[k]);
                out.push_back(values[k]);
                continue;
            }
            out.push_back(g.append_placeholder(g[values[k]].type, dims(g.shape_of(originals[k]))));
            pass.replace(out.back(), {values[k], now.batched});
        }
        return out;
    }
    // Asks for these nodes and for what the rule did since `before`, in order with the scope's effects.
    constexpr void ask_for(table_view<node_id> nodes, recorded_so_far const& before) const {
        node_id& token = pass.scope_.token;
        buffer<node_id> targets;
        for (node_id const id : nodes)
            if (id != node_id::none) targets.push_back(id);
        if (before.token != node_id::none) pass.keep(before.token);
        before.add_what_all_ranks_have_since(pass.scope_, targets);
        pass.run(targets);
        if (token != before.token) token = pass[token].id;
    }
};

constexpr void replay_pass::replace_outputs(tx::detail::custom_rule const& rule, table_view<replayed> values) {
    auto* const copy = new custom_copy(*this, rule);
    std::uint64_t const number = scope_.add(copy), unique = graph_.size();
    for (node_id const in : rule.inputs) copy->inputs.push_back((*this)[in].id);
    for (std::size_t k = 0; k < rule.outputs.size(); ++k) {
        node_id const old = rule.outputs[k];
        replayed const value = values[k];
        buffer<node_id> operands;
        operands.push_back(value.id);
        for (node_id const in : copy->inputs) operands.push_back(in);
        copy->outputs.push_back(graph_.append(op::custom_derivative, graph_[old].type, dims(graph_.shape_of(value.id)), operands,
                                              ad::value(graph_, old).attributes(), {number, unique}));
        replace(old, {copy->outputs.back(), value.batched});
    }
}

template <class Unused> void replay_pass::run_now(table_view<node_id> targets) { replay(targets); }
TRACEXPR_INSTANCE(void replay_pass::run_now<void>(table_view<node_id>))

// Records the same nodes with replacements in place of the placeholders.
class substitution_pass : public replay_pass {
public:
    using replay_pass::replay_pass;
    constexpr ~substitution_pass() override {}
    constexpr replayed for_output(node_id given) override { return (*this)[given]; }
    constexpr node_id for_input(node_id, node_id given) override { return (*this)[given].id; }

protected:
    constexpr replayed record(node_id id) override { return with_replaced_operands(id); }
    constexpr bool differs(node_id) const override { return false; }
};

} // namespace tx::ad
