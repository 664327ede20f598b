// simplify: constants, identities, equal nodes, dead nodes. One walk in program order; every node of the result is one that no
// rule changes, so simplifying twice is simplifying once. Parameters stay, needed or not; so do number and order of the outputs.
#pragma once

#include <tracexpr/passes/rules_lookups.hpp>
#include <tracexpr/passes/rules_pointwise.hpp>
#include <tracexpr/passes/rules_reductions.hpp>
#include <tracexpr/passes/spaces.hpp>

namespace tx {
namespace rules {

// Of what a transform records for one example nothing is left but through a callable that keeps an expr.
[[noreturn]] inline void throw_left_placeholder() {
    throw trace_error("tx: vmap: a value of one example was used outside of the callable that is mapped; return it from there");
}
constexpr node_id placeholder_rule(rewriter& r, node const& draft) {
    if (draft.code == op::placeholder) throw_left_placeholder();
    return r.append(draft);
}

// The rule of each op that is not pointwise.
struct structure_table {
    node_id (*rule[op_count])(rewriter&, node const&){};
    bool has_rule[op_count]{}; // as in pointwise_table

    constexpr structure_table() {
        set(literal_rule, {op::literal});
        set(axis_size_rule, {op::axis_size});
        set(iota_rule, {op::iota});
        set(placeholder_rule, {op::placeholder});
        set(view_rule, {op::reshape, op::transpose, op::broadcast_to, op::expand_dims, op::squeeze, op::slice, op::diagonal});
        set(sum_to_rule, {op::sum_to});
        set(marker_rule, {op::mark, op::stop_gradient, op::custom_derivative});
        set(concatenate_rule, {op::concatenate});
        set(pad_rule, {op::pad});
        set(reduction_rule, {op::sum, op::prod, op::max, op::min, op::argmax, op::argmin});
        set(take_along_axis_rule, {op::take_along_axis});
        set(scan_rule, {op::cumsum, op::cumprod, op::cummax, op::cummin});
    }

private:
    constexpr void set(node_id (*r)(rewriter&, node const&), std::initializer_list<op> codes) {
        for (op code : codes) rule[static_cast<std::size_t>(code)] = r, has_rule[static_cast<std::size_t>(code)] = true;
    }
};
inline constexpr structure_table structure_rules;

constexpr node_id simplified(rewriter& r, node const& draft) {
    if (draft.code >= op::cast && draft.code <= op::fma) return simplified_pointwise(r, draft);
    std::size_t const code = static_cast<std::size_t>(draft.code);
    node_id const out = structure_rules.has_rule[code] ? structure_rules.rule[code](r, draft) : node_id::none;
    return out == node_id::none ? r.append(draft) : out;
}
static_assert(info(op::cast).kind == kind::pointwise && info(op::fma).kind == kind::pointwise &&
                  info(op::placeholder).kind == kind::leaf && info(op::reshape).kind == kind::view,
              "pointwise ops stand together");

// What later passes don't know is expanded in any case.
constexpr node_id expanded(rewriter& r, node const& draft) {
    if (info(draft.code).kind == kind::marker) return marker_rule(r, draft);
    if (draft.code == op::placeholder) return placeholder_rule(r, draft);
    node_id const out = draft.code == op::sum_to ? sum_to_rule(r, draft) : node_id::none;
    return out == node_id::none ? r.append(draft) : out;
}

} // namespace rules

constexpr bool follows_open_shape(graph_view const& g) {
    for (node const& n : g)
        if ((n.code == op::broadcast_to || n.code == op::sum_to) && n.arity == 2 && !g.shape_of(n).is_static()) return true;
    return false;
}

namespace detail {
constexpr graph simplified(graph_view const& in, pass_options const& options) {
    if (!options.simplify) return rewriter(in, rules::expanded, options).run();
    if (follows_open_shape(in)) {
        graph const lean = without_idle_broadcasts(in);
        return rewriter(lean.view(), rules::simplified, options).run();
    }
    return rewriter(in, rules::simplified, options).run();
}
template <class Unused = void> graph simplified_now(graph_view const& in, pass_options const& options) {
    return simplified(in, options);
}
TRACEXPR_INSTANCE(graph simplified_now<void>(graph_view const&, pass_options const&))
} // namespace detail

constexpr graph simplify(graph_view const& in, pass_options const& options = {}) {
    if (std::is_constant_evaluated()) return detail::simplified(in, options);
    return detail::simplified_now(in, options);
}

} // namespace tx
