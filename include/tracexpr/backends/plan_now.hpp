// Plans made while the program runs, of what the compiler traced.
#pragma once

#include <tracexpr/passes/plan.hpp>

#include <memory>

namespace tx::detail::inline TRACEXPR_TARGET {

// For arguments of some extents; `form` is the compiler's.
template <class Unused = void> plan* plan_now(graph_view const& g, clusters_view const& c, plan_view const& form,
                                              table_view<dims> arguments, pass_options const& options) {
    buffer<dims> const extents = inferred_extents(g, arguments);
    auto out = std::make_unique<plan>(planning(g, c, lower(g, c, extents).view(), extents, options, target_of(options)).run());
    keep_strategies(form, *out);
    return out.release();
}
template <class Unused = void> void discard_now(plan* made) { delete made; }
TRACEXPR_KERNEL_INSTANCE(plan* plan_now<void>(graph_view const&, clusters_view const&, plan_view const&, table_view<dims>,
                                       pass_options const&))
TRACEXPR_KERNEL_INSTANCE(void discard_now<void>(plan*))
struct discard_plan {
    void operator()(plan* made) const { discard_now(made); }
};

} // namespace tx::detail::inline TRACEXPR_TARGET
