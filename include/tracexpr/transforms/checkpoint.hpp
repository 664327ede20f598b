// tx::checkpoint computes intermediate values of a callable again when derivatives need them, instead of keeping them.
#pragma once

#include <tracexpr/transforms/grad.hpp>

namespace tx {
namespace detail {

struct checkpoint_rule {
    template <class Call, class... A> static constexpr auto apply(trace_scope& scope, Call const& call, A const&... a) {
        marker marks(scope); // marks make the callable's nodes its own, so that no others are computed again
        auto const arguments = map_parts(inlined_arguments(scope, a...), [&](auto const& part) { return marks(part); });
        std::size_t const first = scope.recorded.size();
        auto const result = with_parts(arguments, call);
        if (scope.outer) return result; // derivatives of branches compute again what they need
        buffer<node_id> const inputs = inputs_of(scope, arguments, result, first);
        return with_nodes(scope, result, ad::checkpointed(scope, inputs, leaf_nodes(scope, result), first));
    }
};

} // namespace detail

// Returns a callable like f whose derivatives keep only its arguments and what it captures: other values of f that they need are
// computed again when derivatives are. Effects happen once: the results of random draws, of opaque callables, and of branches and
// loops that contain such are kept. (JAX: checkpoint)
template <class F> [[nodiscard]] constexpr auto checkpoint(F const& f) { return detail::transform<detail::checkpoint_rule>(f); }

} // namespace tx
