// simplify: constants, identities, equal nodes, dead nodes. One walk in program order; every node of the result is one that no
// rule changes, so simplifying twice is simplifying once. Parameters stay, needed or not; so do number and order of the outputs.
#pragma once

#include <tracexpr/passes/rules_pointwise.hpp>
#include <tracexpr/passes/rules_reductions.hpp>

namespace tx {
namespace rules {

constexpr node_id simplified(rewriter& r, node const& draft) {
    if (draft.code >= op::cast && draft.code <= op::fma) return simplified_pointwise(r, draft);
    return simplified_structure(r, draft);
}
static_assert(info(op::cast).kind == kind::pointwise && info(op::fma).kind == kind::pointwise && info(op::axis_size).kind == kind::leaf &&
                  info(op::reshape).kind == kind::view, "pointwise ops stand together");

} // namespace rules

constexpr graph simplify(graph_view in, pass_options const& options = {}) {
    if (!options.simplify) return live_part(in);
    return rewriter(in, rules::simplified, options).run();
}

} // namespace tx
