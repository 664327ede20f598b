// This file finds the calls of a graph, and the nodes which save the results of calls in a region for derivatives.
#pragma once

#include <tracexpr/graph/regions.hpp>

namespace tx::detail {

// True if a node, or a node in one of its regions, is a collective.
TRACEXPR_ONCE constexpr bool takes_part_in_collectives(graph_view const& g, node const& n) {
    if (n.code == op::collective) return true;
    for (std::size_t k = 0; has_regions(n) && k < g.attributes_of(n).size(); ++k) {
        graph_view const region = g.region(g.attributes_of(n)[k]);
        for (node const& inner : region)
            if (takes_part_in_collectives(region, inner)) return true;
    }
    return false;
}

constexpr bool takes_part_in_collectives(graph_view const& g) {
    for (node const& n : g)
        if (takes_part_in_collectives(g, n)) return true;
    return false;
}

// True if the node is a collective of that kind.
TRACEXPR_ONCE constexpr bool is_collective(graph_view const& g, node const& n, collective_kind what) {
    if (n.code != op::collective) return false;
    call_form const form(g.attributes_of(n));
    return form.does == call_form::call && collective_form(form.rest()).what == what;
}
// True if the node begins a collective which is waited for later, or waits for one.
TRACEXPR_ONCE constexpr bool is_of_begun(graph_view const& g, node const& n) {
    if (n.code != op::collective) return false;
    collective_kind const what = collective_form(call_form(g.attributes_of(n)).rest()).what;
    return what == collective_kind::begin_sums || what == collective_kind::begin_exchange || what == collective_kind::finish;
}
constexpr bool begins_collectives(graph_view const& g) {
    for (node const& n : g)
        if (is_of_begun(g, n)) return true;
    return false;
}
// True if the node, or one in its regions, is a collective that has derivatives.
TRACEXPR_ONCE constexpr bool has_collectives(graph_view const& g, node const& n) {
    if (n.code == op::collective) {
        call_form const form(g.attributes_of(n));
        return !is_of_begun(g, n) && form.results() == 1 && is_inexact(form.result_type(0)) &&
               (form.does == call_form::call || form.does >= call_form::replay);
    }
    for (std::size_t k = 0; has_regions(n) && k < g.attributes_of(n).size(); ++k) {
        graph_view const region = g.region(g.attributes_of(n)[k]);
        for (node const& inner : region)
            if (has_collectives(region, inner)) return true;
    }
    return false;
}
// Returns the node that a token comes from, or none if no effect has happened before it. token_before is the token that an effect
// was given.
TRACEXPR_ONCE constexpr node_id effect_of(graph_view const& g, node_id token) {
    node_id const by = g[token].code == op::result ? g.operand(g[token], 0) : token;
    return has_effect(g[by]) ? by : node_id::none;
}
constexpr node_id token_before(graph_view const& g, node_id effect) { return g.operand(g[effect], g[effect].arity - 1); }

TRACEXPR_ONCE constexpr bool keeps(graph_view const& g, node_id id) {
    return is_callback(g[id]) && call_form(g.attributes_of(g[id])).does == call_form::keep;
}

// Returns the number of the result of a node that is the handle of what its regions saved, or -1.
TRACEXPR_ONCE constexpr std::int64_t kept_result(graph_view const& g, node const& n) {
    if (!has_regions(n) || !n.bits[0]) return -1;
    bool const loops = is_loop(n.code);
    graph_view const region = resulting_region(g, n);
    std::size_t const states = loop_form::of(n).states, values = region.outputs.size() - 1;
    std::size_t const at = (loops ? states : values) - 1;
    if ((loops ? states : values) == 0) return -1;
    for (std::int64_t const number : g.attributes_of(n)) {
        graph_view const one = g.region(number);
        if (at < one.outputs.size() && keeps(one, one.outputs[at])) return static_cast<std::int64_t>(at);
    }
    return -1;
}

// True if all that a node saves comes from collectives, which the examples of a batch share.
TRACEXPR_ONCE constexpr bool keeps_only_collectives(graph_view const& g, node_id id) {
    if (!keeps(g, id)) return false;
    for (std::size_t k = 1; k < g[id].arity; ++k) {
        node_id const saved = g.operand(g[id], k);
        if (g[saved].code == op::collective) {
            ++k; // skip the result, which follows its handle
            continue;
        }
        if (g[saved].code == op::literal || keeps_only_collectives(g, saved)) continue;
        node const& by = g[g[saved].code == op::result ? g.operand(g[saved], 0) : saved];
        std::int64_t const at = kept_result(g, by);
        if (at < 0) return false;
        for (std::int64_t const number : g.attributes_of(by)) {
            graph_view const region = g.region(number);
            std::size_t const place = static_cast<std::size_t>(at);
            bool const has_handle = place < region.outputs.size() && keeps(region, region.outputs[place]);
            if (has_handle && !keeps_only_collectives(region, region.outputs[place])) return false;
        }
    }
    return true;
}
TRACEXPR_ONCE constexpr bool is_next_kept(graph_view const& g, node_id id) {
    return is_callback(g[id]) && call_form(g.attributes_of(g[id])).does == call_form::next_kept;
}
// True if a handle comes from what another iteration saved, or belongs only to collectives: the examples of a batch then share
// it.
constexpr bool is_shared_handle(graph_view const& g, node_id id) { return is_next_kept(g, id) || keeps_only_collectives(g, id); }

// True of a value that a call returned, or that comes from a node with calls in its regions.
TRACEXPR_ONCE constexpr bool is_result_of_effect(graph_view const& g, node const& n) {
    return n.type != dtype::token && has_effect(n.code == op::result ? g[g.operand(n, 0)] : n);
}
// Marks the nodes with effects that happen up to a token. The unmarked ones were recorded for one example, and then once more for
// the whole batch.
TRACEXPR_ONCE constexpr buffer<bool> effects_until(graph_view const& g, node_id token) {
    buffer<bool> out(g.size());
    while (token != node_id::none) {
        node_id const by = effect_of(g, token);
        if (by == node_id::none) break;
        out[index(by)] = true;
        token = token_before(g, by);
    }
    return out;
}
// Lists what calls up to a token returned and must not be computed again: for each call its handle, then its results; and the
// handles of nodes whose regions save some.
TRACEXPR_ONCE constexpr buffer<node_id> results_to_keep(graph& g, node_id token) {
    buffer<node_id> out;
    buffer<bool> const happens = effects_until(g, token);
    for (std::size_t i = 0; i < happens.size(); ++i) {
        if (!happens[i]) continue;
        node const n = g[to_id(i)];
        if (is_callback(n)) {
            call_form const form(g.attributes_of(n));
            std::size_t const results = form.results();
            bool known = !form.takes_handle() && results > 0;
            for (std::size_t k = 0; k < results; ++k) known = known && form.result_type(k) != dtype::string;
            if (!known) continue;
            out.push_back(to_id(i));
            for (std::size_t k = 1; k <= results; ++k) out.push_back(append_result(g, to_id(i), k));
        } else if (std::int64_t const k = kept_result(g, n); k >= 0) {
            out.push_back(append_result(g, to_id(i), static_cast<std::size_t>(k)));
        }
    }
    return out;
}
// Appends a node that handles saved results. `does` is a call_form::action.
TRACEXPR_ONCE constexpr node_id append_kept(graph& g, std::int64_t does, node_id handle, table_view<node_id> values = {}) {
    buffer<node_id> operands;
    operands.push_back(handle);
    for (node_id const id : values) operands.push_back(id);
    buffer<std::int64_t> form = call_form::attributes({}, 0, does);
    form[0] = g.shape_of(handle).rank;
    return g.append(op::opaque, dtype::uint64, dims(g.shape_of(handle)), operands, form, {0, 0});
}
TRACEXPR_ONCE constexpr node_id append_no_handle(graph& g) {
    return g.append(op::literal, dtype::uint64, dims{}, {}, {}, {0, 0});
}

} // namespace tx::detail
