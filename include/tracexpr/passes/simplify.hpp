// simplify: constants, identities, equal nodes, dead nodes. One walk in program order; every node of the result is one that no
// rule changes, so simplifying twice is simplifying once. Parameters stay, needed or not; so do number and order of the outputs.
#pragma once

#include <tracexpr/passes/rules_pointwise.hpp>
#include <tracexpr/passes/rules_views.hpp>

namespace tx {
namespace detail {

constexpr node_id simplified(rewriter& r, draft d) {
    if (d.code >= op::cast && d.code <= op::fma) return simplified_pointwise(r, d);
    return simplified_view(r, d);
}
static_assert(info(op::cast).kind == kind::pointwise && info(op::fma).kind == kind::pointwise && info(op::axis_size).kind == kind::leaf &&
                  info(op::reshape).kind == kind::view, "pointwise ops stand together");

constexpr std::size_t live_count(graph_view const& g) {
    buffer<bool> live(g.size(), false);
    std::size_t count = 0;
    auto const mark = [&](node_id id) {
        if (id != node_id::none && !live[index(id)]) live[index(id)] = true, ++count;
    };
    for (node_id id : g.parameters) mark(id);
    for (node_id id : g.outputs) mark(id);
    for (std::size_t i = g.size(); i-- > 0;)
        if (live[i])
            for (std::uint32_t k = 0; k < g.nodes[i].arity; ++k) mark(g.operand(g.nodes[i], k));
    return count;
}

} // namespace detail

constexpr graph simplify(graph_view in, pass_options const& options = {}) {
    if (!options.simplify) return live_part(in);
    rewriter r(in, detail::simplified, options);
    r.walk();
    if (r.made_any() || detail::live_count(r.out()) != r.out().size()) return live_part(r.out());
    return std::move(r.out());
}

} // namespace tx
