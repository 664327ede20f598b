// checkpoint: values of a callable that derivatives need are computed again instead of kept.
#pragma once

#include <tracexpr/ad/recomputation.hpp>
#include <tracexpr/transforms/grad.hpp>

namespace tx {
namespace detail {

// The part of the graph that a callable recorded. Reverse mode records it again, from the inputs behind a barrier that waits
// for the cotangents, and passes those back through the copy.
class checkpointed final : public custom_rule {
public:
    constexpr explicit checkpointed(trace_scope& scope) : scope_{scope} {}
    constexpr ~checkpointed() override {} // g++ 12 uses the implicit one before it defines it

    constexpr buffer<node_id> pull_back(table_view<node_id> cotangents, table_view<bool> wanted) const override {
        graph& g = scope_.recorded;
        std::size_t first = g.size();
        for (node_id const in : inputs) first = std::min(first, index(in));
        auto* const again = scope_.own(new ad::recomputation_pass(scope_, first));
        buffer<node_id> from, to;
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            node_id const in = inputs[k], operands[]{in, cotangents[0]};
            bool const is_fixed = !is_inexact(g[in].type);
            node_id const now = is_fixed ? in : g.append(op::barrier, g[in].type, dims(g.shape_of(in)), operands);
            again->replace(in, {now});
            from.push_back(wanted[k] ? now : node_id::none);
        }
        again->run(values());
        for (node_id const id : values()) to.push_back((*again)[id].id);
        return cotangents_of(scope_, from, to, cotangents);
    }
    constexpr buffer<node_id> push_forward(table_view<node_id> tangents) const override {
        graph& g = scope_.recorded;
        ad::forward_pass pass(scope_, inputs);
        for (std::size_t k = 0; k < inputs.size(); ++k) pass.set(inputs[k], {g, tangents[k]});
        pass.run(values());
        buffer<node_id> out;
        for (node_id const id : values()) out.push_back(pass.tangent(id).id());
        return out;
    }

private:
    // What the outputs are values of.
    constexpr buffer<node_id> values() const {
        buffer<node_id> out;
        for (node_id const id : outputs) out.push_back(scope_.recorded.operand(scope_.recorded[id], 0));
        return out;
    }

    trace_scope& scope_;
};

struct checkpoint_rule {
    template <class Call, class... A> static constexpr auto apply(trace_scope& scope, Call const& call, A const&... a) {
        marker marks(scope); // so that the callable's nodes are its own, and no others are computed again
        auto const arguments = map_parts(inlined_arguments(scope, a...), [&](auto const& part) { return marks(part); });
        std::size_t const first = scope.recorded.size();
        auto const result = with_parts(arguments, call);
        if (scope.outer) return result; // the derivatives of branches compute again what they need
        buffer<node_id> inputs = inputs_of(scope, arguments, result, first);
        std::size_t const known = inputs.size();
        return with_rule(scope, new checkpointed(scope), std::move(inputs), known, result);
    }
};

} // namespace detail

// f, whose derivatives keep only its arguments and what it captures: what else they need of its values is computed again when
// they are. What has effects happens once: of draws, of calls of opaque callables, and of branches and loops with such in them
// the results are kept. (JAX: checkpoint)
template <class F> [[nodiscard]] constexpr auto checkpoint(F const& f) { return detail::transform<detail::checkpoint_rule>(f); }

} // namespace tx
