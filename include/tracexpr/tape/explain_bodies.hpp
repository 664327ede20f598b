// Defines the functions that tape/explain.hpp declares.
#pragma once

#include <tracexpr/ad/reverse.hpp>
#include <tracexpr/tape/explain.hpp>
#include <tracexpr/trace/needed.hpp>

namespace tx::detail {

// Returns which nodes depend on one of `from`, whether or not they can be differentiated.
inline buffer<bool> dependents(graph_view const& g, table_view<node_id> from) {
    buffer<bool> out(g.size());
    for (node_id const id : from) out[index(id)] = true;
    for (std::size_t i = 0; i < g.size(); ++i)
        for (std::size_t k = 0; k < value_operands(g.nodes[i]) && !out[i]; ++k) out[i] = out[index(g.operand(g.nodes[i], k))];
    return out;
}

inline std::string dtype_text(dtype type) { return std::string(name(type)); }

// Names the first node on a path from the sources to y at which derivatives end.
inline std::string explain_path(trace_scope const& scope, table_view<node_id> sources, node_id y) {
    graph const& recorded = scope.recorded;
    graph_view const g = recorded.view();
    buffer<bool> const behind = dependents(g, sources), before = needed_nodes(g, {&y, 1}, [&](node_id id, auto const& need) {
                                                            for (std::size_t k = 0; k < value_operands(g[id]); ++k)
                                                                need(g.operand(g[id], k));
                                                        });
    if (!behind[index(y)]) return "y does not depend on the elements of x";
    ad::active_nodes const active(recorded, sources, {}, buffer<bool>(recorded.size()));
    std::string const through = "the way from x to y leads through ";
    for (std::size_t i = 0; i <= index(y); ++i) {
        custom_rule const* const rule = active[to_id(i)] && before[i] ? scope.rule_of(to_id(i)) : nullptr;
        if (rule && rule->refused) return through + rule->refused;
    }
    if (active[y]) return "y depends on x, and the tape has its gradient";
    for (std::size_t i = 0; i <= index(y); ++i) {
        node const& n = g.nodes[i];
        if (!behind[i] || !before[i] || active[to_id(i)]) continue;
        std::string const where = through + std::string(name(n.code));
        if (n.code == op::stop_gradient) return where;
        if (!is_inexact(n.type)) return where + ", whose result is of integer dtype or bool (" + dtype_text(n.type) + ")";
        return where + ", which is constant wherever it has a derivative";
    }
    return "y does not depend on x";
}

template <class Unused> std::string explain(recorder& r, table_view<node_id> sources, kept_value const& x, kept_value const& y) {
    if (!is_inexact(x.type))
        return "x is of integer dtype or bool (" + dtype_text(x.type) + "): only floating and complex values have derivatives";
    if (sources.empty())
        return "x is not watched: watch it before it is used, and don't write to it afterwards by mutable_data() (a trainable "
               "variable is watched when it is read while the tape records)";
    node_id const target = r.record().find(y);
    if (target != node_id::none) return explain_path(r.record(), sources, target);
    if (r.has_missed(y.number)) return "y was computed after stop_recording";
    return "no operation that led to y was recorded: y was computed before x was watched, in another thread, or from elements "
           "that the program read "
           "itself (item, data, operator())";
}

} // namespace tx::detail
