// This file makes plans while the program runs, for graphs that the compiler traced.
#pragma once

#include <tracexpr/passes/plan.hpp>

#include <memory>

namespace tx::detail::inline TRACEXPR_TARGET {

struct plan_made_now {
    plan of;
    fit_of_plan fit;
    // True if the plan concatenates or pads large values: a program which knows their extents might read the parts in place.
    bool joins = false;
};
constexpr bool joins_large_values(graph_view const& g, plan_view const& p) {
    constexpr std::int64_t large = 1 << 16;
    for (plan_step const& s : p.steps)
        if (s.call != node_id::none && info(g[s.call].code).kind == kind::structure &&
            p.extents[index(s.call)].size() * static_cast<std::int64_t>(size_in_bytes(g[s.call].type)) >= large)
            return true;
    return false;
}
// Makes a plan for arguments of these extents; `form` is the compiler's plan.
template <class Unused = void> plan_made_now* plan_now(graph_view const& g, clusters_view const& c, plan_view const& form,
                                                       table_view<dims> arguments, pass_options const& options) {
    buffer<dims> const extents = inferred_extents(g, arguments);
    auto out = std::make_unique<plan_made_now>();
    out->of = planning(g, c, lower(g, c, extents).view(), extents, options, target_of(options)).run();
    out->fit = keep_strategies(form, out->of);
    out->joins = joins_large_values(g, out->of.view());
    return out.release();
}
template <class Unused = void> void discard_now(plan_made_now* made) { delete made; }
TRACEXPR_KERNEL_INSTANCE(plan_made_now* plan_now<void>(graph_view const&, clusters_view const&, plan_view const&,
                                                       table_view<dims>, pass_options const&))
TRACEXPR_KERNEL_INSTANCE(void discard_now<void>(plan_made_now*))
struct discard_plan {
    void operator()(plan_made_now* made) const { discard_now(made); }
};

} // namespace tx::detail::inline TRACEXPR_TARGET
