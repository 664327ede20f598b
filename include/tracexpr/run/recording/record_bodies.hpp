// This file holds the bodies of run/recording/record.hpp.
#pragma once

#include <tracexpr/graph/copy.hpp>
#include <tracexpr/run/recording/element_writes.hpp>
#include <tracexpr/run/recording/record.hpp>
#include <tracexpr/trace/needed.hpp>

namespace tx::detail {

TRACEXPR_BODY tape_record::tape_record() {
    kept = &kept_alive_;
    append = append_graph<>;
    leaf = [](trace_scope& scope, seen_value const& value) {
        return static_cast<tape_record&>(scope).operand(tx::detail::kept(value));
    };
}
TRACEXPR_BODY tape_record::~tape_record() {}
TRACEXPR_BODY node_id tape_record::find(kept_value const& value) {
    if (!value.number) return node_id::none;
    if (number_map::entry const* const known = known_.find(value.number))
        return values_[slot(known->id)].is_same(value) ? known->id : find_changed<>(value, known->id);
    number_map::entry const* const written = written_.find(value.number);
    return written ? find_written<>(value, places_[index(written->id)]) : node_id::none;
}
TRACEXPR_BODY bool tape_record::knows_any(table_view<kept_value> values) {
    for (kept_value const& v : values)
        if (find(v) != node_id::none) return true;
    return false;
}
TRACEXPR_BODY node_id tape_record::watch(kept_value const& value) {
    node_id const known = find(value);
    node_id const id = known != node_id::none ? known : know(value, recorded.append_parameter(value.type, value.shape));
    extend(watched_, id, false) = true;
    return id;
}
TRACEXPR_BODY node_id tape_record::source_of(node_id id) const {
    for (node_id at = id; at != node_id::none; at = at_node(written_from_, at, node_id::none)) {
        if (at_node(watched_, at, false)) return at;
        if (at_node(forgotten_, at, false)) return node_id::none;
    }
    return id;
}
TRACEXPR_BODY bool tape_record::write(element_write const& write, std::uint32_t after, kept_value const& elsewhere) {
    return write_<>(write, after, elsewhere);
}
TRACEXPR_BODY kept_value tape_record::value_of(std::uint32_t its_number) const {
    if (number_map::entry const* const known = known_.find(its_number)) return values_[slot(known->id)];
    number_map::entry const* const written = written_.find(its_number);
    if (!written) return {};
    written_place const at = places_[index(written->id)];
    kept_value out = at.position < chains_[at.chain].knowable ? chains_[at.chain].elements(at.position) : kept_value{};
    if (out.data) out.number = its_number;
    return out;
}
TRACEXPR_BODY node_id tape_record::operand(kept_value const& value) {
    node_id const known = find(value);
    if (known != node_id::none) return known;
    if (value.shape.rank == 0 && !value.number && !is_dual(value.type))
        return recorded.append(op::literal, value.type, dims{}, {}, {}, literal_of(value));
    node_id const id = recorded.append_parameter(value.type, value.shape);
    keep(id, value);
    return id;
}
TRACEXPR_BODY void tape_record::know_result(kept_value const& value, node_id computed) {
    node_id const operand[]{computed};
    know(value, recorded.append(op::mark, value.type, value.shape, operand, {}, {recorded.size(), 1}));
}
TRACEXPR_BODY void tape_record::know_outputs(table_view<kept_value> values) {
    buffer<node_id> const computed(recorded.outputs());
    recorded.clear_outputs();
    for (std::size_t k = 0; k < values.size(); ++k) know_result(values[k], computed[k]);
}
TRACEXPR_BODY void tape_record::know_effects(std::size_t first, table_view<kept_value> values) {
    std::size_t given = 0;
    for (std::size_t i = first, count = recorded.size(); i < count; ++i) {
        node const& n = recorded[to_id(i)];
        if (n.type == dtype::token) extend(done_, to_id(i), false) = true;
        if (!is_result_of_effect(recorded.view(), n)) continue;
        if (given == values.size() || values[given].type != n.type) throw_other_effects();
        know(values[given++], to_id(i));
    }
    if (given != values.size()) throw_other_effects();
}
TRACEXPR_BODY void tape_record::know_call(graph_view const& from, table_view<kept_value> arguments,
                                          table_view<kept_value> captures, table_view<kept_value> results, std::size_t further) {
    graph_copier copier(from, recorded, graph_copier::shapes::inferred);
    copier.copy_all([&](node_id id) {
        node const& n = from[id];
        if (n.code == op::parameter) return operand(arguments[n.bits[0]]);
        if (n.type == dtype::token) return token_in_order(from, id, copier);
        return n.code == op::capture ? operand(captures[n.bits[0]]) : node_id::none;
    });
    for (std::size_t k = 0; k < results.size(); ++k) {
        node_id const computed = copier[from.outputs[k]];
        if (k + further >= results.size()) know(results[k], computed);
        else know_result(results[k], computed);
    }
}
// Returns the token, among those that the record knows, of a call that was run, or of a derivative of one. Effects such as
// printing have happened already, so they are not repeated.
TRACEXPR_BODY node_id tape_record::token_in_order(graph_view const& from, node_id id, graph_copier const& copier) {
    node const& n = from[id];
    if (n.code == op::token) return last_token();
    if (info(n.code).kind == kind::effect) return copier[from.operand(n, n.arity - 1)];
    if (n.code != op::result) return node_id::none;
    token = append_result(recorded, copier[from.operand(n, 0)], result_number(from, n));
    extend(done_, token, false) = true;
    return token;
}
TRACEXPR_BODY bool tape_record::is_handed_out(node_id id) const {
    for (; id != node_id::none && !at_node(watched_, id, false); id = at_node(written_from_, id, node_id::none))
        if (at_node(forgotten_, id, false)) return true;
    return false;
}
TRACEXPR_BODY node_id tape_record::made(written_place at) {
    return chains_[at.chain].made(recorded, at.position, [&](kept_value const& elements) { return operand(elements); });
}
TRACEXPR_BODY void tape_record::keep(node_id id, kept_value const& value) {
    while (value_of_.size() <= index(id)) value_of_.push_back(-1);
    values_.push_back(value);
    value_of_[index(id)] = static_cast<std::int32_t>(values_.size()) - 1;
}
TRACEXPR_BODY node_id tape_record::know(kept_value const& value, node_id id) {
    keep(id, value);
    known_.set(value.number, id);
    return id;
}
TRACEXPR_BODY literal_bits tape_record::literal_of(kept_value const& single) {
    return with_element(single.type, [&]<class T>(T element) {
        std::memcpy(static_cast<void*>(&element), single.data, sizeof(T));
        return to_literal(element);
    });
}

// Returns the node of a tensor after writes, if it has the elements that they gave it.
template <class Unused> node_id tape_record::find_written(kept_value const& value, written_place at) {
    write_chain& chain = chains_[at.chain];
    node_id const from = chain.node;
    bool const is_knowable = at.position < chain.knowable;
    bool is_changed = false;
    if (is_knowable) {
        kept_value expected = chain.elements(at.position);
        expected.number = value.number;
        is_changed = !expected.is_same(value);
        if (is_changed && !is_handed_out(from)) return node_id::none;
    }
    if (value.type != chain.before.type || value.shape != chain.before.shape) return node_id::none;
    node_id const computed = made(at);
    know_result(value, is_changed ? unknown_writes::append(*this, computed) : computed);
    node_id const id = known_.find(value.number)->id;
    chains_[at.chain].writes[at.position].made = id;
    extend(written_from_, id, node_id::none) = from;
    extend(forgotten_, id, false) = !is_knowable || is_changed;
    return id;
}
// Returns the node of a known tensor that has other elements by now. If the program has their address it may have written them;
// else there is none.
template <class Unused> node_id tape_record::find_changed(kept_value const& value, node_id known) {
    kept_value const& before = values_[slot(known)];
    if (!is_handed_out(known) || value.type != before.type || value.shape != before.shape) return node_id::none;
    know_result(value, unknown_writes::append(*this, known));
    node_id const id = known_.find(value.number)->id;
    extend(forgotten_, id, false) = true;
    return id;
}
// Returns the scalar node of the element that a write read, or none. `elsewhere` is the tensor in another tape's record. It
// becomes a constant here that keeps its number, so that the other tape finds it in what is computed from it.
template <class Unused> node_id tape_record::element_of(element_write const& write, kept_value const& elsewhere) {
    element_source const& from = write.from;
    if (!from.is_known() || !is_inexact(from.type) || !is_inexact(write.before.type)) return node_id::none;
    node_id of = node_id::none;
    if (number_map::entry const* const known = known_.find(from.number)) {
        if (at_node(forgotten_, known->id, false) || has_element(values_[slot(known->id)], write)) of = known->id;
    } else if (number_map::entry const* const written = written_.find(from.number)) {
        written_place const at = places_[index(written->id)];
        if (at.position >= chains_[at.chain].knowable || chains_[at.chain].has_source(at.position, write)) of = made(at);
    }
    if (of == node_id::none && elsewhere.number && has_element(elsewhere, write)) of = operand(elsewhere);
    return of == node_id::none ? of : element_ops(recorded).get(of, from.element, write.before.type);
}
template <class Unused> bool tape_record::write_(element_write const& write, std::uint32_t after, kept_value const& elsewhere) {
    std::uint32_t const before = write.before.number();
    node_id const from = element_of(write, elsewhere);
    number_map::entry const* const written = before && !known_.find(before) ? written_.find(before) : nullptr;
    written_place at = written ? places_[index(written->id)] : written_place{};
    if (!written || !chains_[at.chain].is_last(at.position)) {
        kept_value const value = tx::detail::kept(write.before);
        node_id node = find(value);
        if (node == node_id::none) {
            if (from == node_id::none) return false;
            node = operand(value);
        }
        chains_.push_back({value, node, {}});
        at.chain = chains_.size() - 1;
    }
    write_chain& chain = chains_[at.chain];
    recorded_write added(write);
    at.position = chain.writes.size();
    auto const latest = [&] { return at.position == 0 ? chain.node : made({at.chain, at.position - 1}); };
    if (write.change == element_change::anything) {
        chain.knowable = at.position;
        added.made = unknown_writes::append(*this, latest());
    } else if (from != node_id::none) {
        added.made = element_ops(recorded).changed(latest(), write.change, write.element, from);
    }
    chain.writes.push_back(added);
    written_.set(after, to_id(places_.size()));
    places_.push_back(at);
    return true;
}

template <class Unused> recorded_part tape_record::extract(table_view<node_id> wanted) const {
    graph_view const g = recorded.view();
    recorded_part out;
    graph_copier copier(g, out.program);
    copier.copy_needed(
        needed_of(*this, wanted, [&](node_id id) { return has_value(id) || at_node(done_, id, false); }), [&](node_id id) {
            if (at_node(done_, id, false)) return out.program.append(op::token, dtype::token, dims{}, {});
            if (!has_value(id))
                return g[id].code == op::mark ? copier[g.operand(g[id], 0)] : node_id::none; // a run needs no marks
            out.arguments.push_back(value(id));
            out.nodes.push_back(id);
            return out.program.append_parameter(g[id].type, g.shape_of(id));
        });
    copier.add_outputs(wanted);
    return out;
}

// copied_rule is a user's rule in another record than the one it was recorded in: the rule is called there, and what it records
// is copied.
struct tape_record::copied_rule : custom_rule {
    std::shared_ptr<tape_record> home;
    tape_record& here;
    custom_rule const& original;

    copied_rule(tape_record& from, tape_record& to, custom_rule const& rule)
        : home{from.shared_from_this()}, here{to}, original{rule} {
        known = rule.known, refused = rule.refused;
    }

    buffer<node_id> pull_back(table_view<node_id> cotangents, table_view<bool> wanted) const override {
        return asked(cotangents, original.outputs, [&](table_view<node_id> given) { return original.pull_back(given, wanted); });
    }
    buffer<node_id> push_forward(table_view<node_id> tangents) const override {
        return asked(tangents, original.inputs, [&](table_view<node_id> given) { return original.push_forward(given); });
    }

private:
    template <class Ask> buffer<node_id> asked(table_view<node_id> given, table_view<node_id> like, Ask const& ask) const {
        graph& g = home->recorded;
        buffer<node_id> from, to(given), stand_ins, wanted;
        for (node_id const id : like) stand_ins.push_back(g.append_placeholder(g[id].type, dims(g.shape_of(id))));
        buffer<node_id> out = ask(stand_ins);
        for (node_id const id : stand_ins) from.push_back(id);
        for (std::size_t k = 0; k < inputs.size(); ++k) from.push_back(original.inputs[k]), to.push_back(inputs[k]);
        for (std::size_t k = 0; k < outputs.size(); ++k) from.push_back(original.outputs[k]), to.push_back(outputs[k]);
        for (node_id const id : out)
            if (id != node_id::none) wanted.push_back(id);
        buffer<node_id> const copied = home->copy_to(here, wanted, from, to);
        std::size_t next = 0;
        for (node_id& id : out)
            if (id != node_id::none) id = copied[next++];
        return out;
    }
};
template <class Unused> buffer<node_id> tape_record::copy_to(tape_record& other, table_view<node_id> wanted,
                                                             table_view<node_id> replaced, table_view<node_id> by) {
    graph_view const g = recorded.view();
    graph_copier copier(g, other.recorded, graph_copier::shapes::inferred);
    for (std::size_t k = 0; k < replaced.size(); ++k) copier.replace(replaced[k], by[k]);
    auto const is_known = [&](node_id id) { return has_value(id) || copier[id] != node_id::none; };
    auto const copy_rule = [&](custom_rule const& rule) {
        auto* const copy = new copied_rule(*this, other, rule);
        std::uint64_t const rule_number = other.add(copy), unique = other.recorded.size();
        for (node_id const in : rule.inputs) copy->inputs.push_back(copier[in]);
        for (node_id const out : rule.outputs) {
            node const& n = g[out];
            copy->outputs.push_back(other.recorded.append(n.code, n.type, g.shape_of(n), copier.operands_of(n),
                                                          g.attributes_of(n), {rule_number, unique}));
            copier.replace(out, copy->outputs.back());
        }
    };
    copier.copy_needed(needed_of(*this, wanted, is_known), [&](node_id id) {
        if (copier[id] == node_id::none && has_value(id)) return other.operand(value(id));
        if (g[id].type == dtype::token) return other.token_in_order(g, id, copier);
        custom_rule const* const rule = copier[id] == node_id::none ? rule_of(id) : nullptr;
        if (rule) copy_rule(*rule);
        return copier[id];
    });
    buffer<node_id> out;
    for (node_id const id : wanted) out.push_back(copier[id]);
    return out;
}

} // namespace tx::detail
