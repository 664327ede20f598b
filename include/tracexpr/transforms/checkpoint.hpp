// checkpoint: values of a callable that derivatives need are computed again instead of kept.
#pragma once

#include <tracexpr/transforms/grad.hpp>

namespace tx {
namespace detail {

struct checkpoint_rule {
    template <class Call, class... A> static constexpr auto apply(trace_scope& scope, Call const& call, A const&... a) {
        marker marks(scope); // so that the callable's nodes are its own, and no others are computed again
        auto const arguments = map_parts(inlined_arguments(scope, a...), [&](auto const& part) { return marks(part); });
        std::size_t const first = scope.recorded.size();
        auto const result = with_parts(arguments, call);
        if (scope.outer) return result; // the derivatives of branches compute again what they need
        buffer<node_id> const inputs = inputs_of(scope, arguments, result, first);
        return with_nodes(scope, result, ad::checkpointed(scope, inputs, leaf_nodes(scope, result), first));
    }
};

} // namespace detail

// f, whose derivatives keep only its arguments and what it captures: what else they need of its values is computed again when
// they are. What has effects happens once: of draws, of calls of opaque callables, and of branches and loops with such in them
// the results are kept. (JAX: checkpoint)
template <class F> [[nodiscard]] constexpr auto checkpoint(F const& f) { return detail::transform<detail::checkpoint_rule>(f); }

} // namespace tx
