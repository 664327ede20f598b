// The simplify pass folds constants and identities, merges equal nodes, and drops dead ones, in one walk in program order. No
// rule changes a node of the result, so simplifying twice is simplifying once. All parameters stay, and so do the number and
// order of the outputs.
#pragma once

#include <tracexpr/graph/call_form.hpp>
#include <tracexpr/graph/copy.hpp>
#include <tracexpr/graph/kept_calls.hpp>
#include <tracexpr/passes/begun_exchanges.hpp>
#include <tracexpr/passes/collectives.hpp>
#include <tracexpr/passes/rule_table.hpp>
#include <tracexpr/passes/spaces.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx {
namespace rules {

// A placeholder stands for one example while vmap records its callable, and vmap then replaces it. One is left only if the
// callable has stored an expr that was used outside.
[[noreturn]] inline void throw_left_placeholder() {
    throw trace_error("tx: vmap: a value of one example was used outside of the callable that is mapped; return it from there");
}
// Expands what the later passes have no code for; this happens even without options.simplify.
TRACEXPR_ONCE constexpr node_id expanded(rewriter& r, node const& draft) {
    if (info(draft.code).kind == kind::marker) return r.operands_of(draft)[0];
    if (draft.code == op::placeholder) throw_left_placeholder();
    node_id const out = draft.code == op::sum_to ? expanded_sum_to(r, draft) : node_id::none;
    return out == node_id::none ? r.append(draft) : out;
}
TRACEXPR_ONCE constexpr node_id simplified(rewriter& r, node const& draft) {
    if (draft.code >= op::cast && draft.code <= op::fma) return simplified_pointwise(r, draft);
    return r.table->has_rules[static_cast<std::size_t>(draft.code)] ? simplified_structure(r, draft) : expanded(r, draft);
}
static_assert(info(op::cast).kind == kind::pointwise && info(op::fma).kind == kind::pointwise &&
                  info(op::placeholder).kind == kind::leaf && info(op::reshape).kind == kind::view,
              "pointwise ops stand together");

} // namespace rules

TRACEXPR_ONCE constexpr bool follows_open_shape(graph_view const& g) {
    for (node const& n : g)
        if ((n.code == op::broadcast_to || n.code == op::sum_to) && n.arity == 2 && !g.shape_of(n).is_static()) return true;
    return false;
}

TRACEXPR_ONCE constexpr graph without_idle_handles(graph_view const& g);
namespace detail {
// Returns a region without its result number `handle`, which is the handle of the derivatives that its calls save; a loop passes
// the handle through.
TRACEXPR_ONCE constexpr graph without_kept(graph_view const& region, std::size_t handle, bool loops) {
    graph lean;
    graph_copier copier(region, lean);
    buffer<node_id> outputs(region.outputs);
    if (loops) outputs[handle] = region.parameters[handle];
    else outputs[handle] = node_id::none;
    for (node_id const id : region.parameters) copier.copy(id);
    buffer<node_id> wanted;
    for (node_id const id : outputs)
        if (id != node_id::none) wanted.push_back(id);
    copier.copy_needed(needed_nodes(region, wanted), [&](node_id id) { return copier[id]; });
    for (node_id const id : outputs) lean.add_output(id == node_id::none ? append_no_handle(lean) : copier[id]);
    return without_idle_handles(lean.view());
}
} // namespace detail

// Removes handles that nobody needs: calls of the user's functions then don't record derivatives, and regions don't keep their
// calls' handles.
TRACEXPR_ONCE constexpr graph without_idle_handles(graph_view const& g) {
    buffer<bool> asked(g.size());
    for (node const& n : g)
        for (std::size_t k = 0; n.code != op::result && k < n.arity; ++k) asked[index(g.operand(n, k))] = true;
    for (node_id const id : g.outputs) asked[index(id)] = true;
    auto const is_asked = [&](node_id of, std::int64_t result) {
        bool out = result == 0 && asked[index(of)];
        for (std::size_t i = 0; i < g.size(); ++i) {
            node const& n = g.nodes[i];
            out = out || (n.code == op::result && asked[i] && g.operand(n, 0) == of && g.attributes_of(n)[0] == result);
        }
        return out;
    };
    graph out;
    graph_copier copier(g, out);
    copier.copy_all([&](node_id id) {
        node const& n = g[id];
        if (std::int64_t const handle = detail::kept_result(g, n); handle >= 0 && !is_asked(id, handle)) {
            buffer<std::int64_t> regions;
            for (std::int64_t const number : g.attributes_of(n)) {
                graph_view const region = g.region(number);
                regions.push_back(out.append_region(
                    is_condition(n, regions.size())
                        ? region
                        : detail::without_kept(region, static_cast<std::size_t>(handle), is_loop(n.code)).view()));
            }
            return out.append(n.code, n.type, g.shape_of(n), copier.operands_of(n), regions, {n.bits[0], n.bits[1]});
        }
        if (!is_callback(n) || asked[index(id)]) return node_id::none;
        buffer<std::int64_t> const attributes = call_form::without_derivatives(g.attributes_of(n));
        return out.append(n.code, n.type, g.shape_of(n), copier.operands_of(n), attributes, {n.bits[0], n.bits[1]});
    });
    copier.add_outputs(g.outputs);
    return out;
}

namespace detail {
TRACEXPR_ONCE constexpr graph simplified_nodes(graph_view const& in, pass_options const& options) {
    if (!options.simplify) return rewriter(in, rules::expanded, options).run();
    auto const with = [&](rules::rule_table const& table) {
        graph out;
        if (!follows_open_shape(in)) {
            out = rewriter(in, rules::simplified, options, &table).run();
            if (!follows_open_shape(out.view())) return out; // else rules have made broadcasts
        }
        graph const lean = without_idle_broadcasts(out.size() > 0 ? out.view() : in);
        return rewriter(lean.view(), rules::simplified, options, &table).run();
    };
    if (!options.fast_math && options.off == rule_set()) return with(rules::exact_rules);
    return with(rules::rule_table(options.fast_math, options.off));
}
TRACEXPR_ONCE constexpr graph simplified(graph_view const& in, pass_options const& options) {
    graph out = simplified_nodes(in, options);
    if (!calls_functions(out.view())) return out;
    out = without_idle_handles(out.view());
    // no conditional expression: g++ 12 loses a temporary
    if (takes_part_in_collectives(out.view())) out = with_sequences(out.view());
    if (has_exchanges(out.view())) out = with_begun_exchanges(out.view());
    return out;
}
template <class Unused = void> graph simplified_now(graph_view const& in, pass_options const& options) {
    return simplified(in, options);
}
TRACEXPR_INSTANCE(graph simplified_now<void>(graph_view const&, pass_options const&))
} // namespace detail

constexpr graph simplify(graph_view const& in, pass_options const& options = {}) {
    if (__builtin_is_constant_evaluated()) return detail::simplified(in, options);
    else return detail::simplified_now(in, options);
}

} // namespace tx

TRACEXPR_END_PASSES
