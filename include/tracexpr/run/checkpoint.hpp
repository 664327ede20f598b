// checkpoint: values of a callable that derivatives need are computed again instead of kept.
#pragma once

#include <tracexpr/run/transforms.hpp>

namespace tx {
namespace detail {

// The stretch of the graph that a callable recorded. Reverse mode records it again, from the inputs behind a barrier that waits for the
// cotangents, and passes those back through the copy.
class checkpointed final : public custom_rule {
public:
    constexpr checkpointed(trace_scope& scope, std::size_t first) : scope_{scope}, first_{first}, last_{scope.recorded.size()} {}
    constexpr ~checkpointed() override {} // g++ 12 uses the implicit one before it defines it

    constexpr buffer<node_id> pull_back(table_view<node_id> cotangents) const override {
        graph& g = scope_.recorded;
        buffer<node_id> from, sources;
        for (node_id const in : inputs) {
            node_id const operands[]{in, cotangents[0]};
            from.push_back(g.append(op::barrier, g[in].type, dims(g.shape_of(in)), operands));
            if (is_inexact(g[in].type)) sources.push_back(from.back());
        }
        buffer<node_id> const to = recorded_again(from);
        ad::reverse_pass pass(scope_, sources);
        for (std::size_t k = 0; k < to.size(); ++k)
            if (is_inexact(g[to[k]].type)) pass.add(to[k], {g, cotangents[k]});
        pass.run();
        buffer<node_id> out;
        for (node_id const id : from) out.push_back(is_inexact(g[id].type) ? pass.gradient(id).id() : node_id::none);
        return out;
    }
    constexpr buffer<node_id> push_forward(table_view<node_id> tangents) const override {
        graph& g = scope_.recorded;
        ad::forward_pass pass(scope_, inputs);
        for (std::size_t k = 0; k < inputs.size(); ++k) pass.set(inputs[k], {g, tangents[k]});
        buffer<node_id> values, out;
        for (node_id const id : outputs) values.push_back(g.operand(g[id], 0));
        pass.run(values);
        for (node_id const id : values) out.push_back(pass.tangent(id).id());
        return out;
    }

private:
    // The outputs' values, computed from other inputs.
    constexpr buffer<node_id> recorded_again(table_view<node_id> from) const {
        graph& g = scope_.recorded;
        buffer<node_id> moved(last_);
        for (std::size_t i = 0; i < last_; ++i) moved[i] = to_id(i);
        for (std::size_t k = 0; k < from.size(); ++k) moved[index(inputs[k])] = from[k];
        for (std::size_t i = first_; i < last_; ++i) {
            node const n = g[to_id(i)];
            buffer<node_id> operands(n.arity);
            bool changed = false;
            for (std::size_t k = 0; k < n.arity; ++k) {
                node_id const before = g.operand(n, k);
                operands[k] = moved[index(before)];
                changed = changed || operands[k] != before;
            }
            if (!changed) continue;
            buffer<std::int64_t> const attributes(g.attributes_of(n));
            moved[i] = g.append(n.code, n.type, n.shape, operands, attributes, {n.bits[0], n.bits[1]});
        }
        buffer<node_id> out;
        for (node_id const id : outputs) out.push_back(moved[index(g.operand(g[id], 0))]);
        return out;
    }

    trace_scope& scope_;
    std::size_t first_, last_;
};

struct checkpoint_rule {
    template <class Call, class... A> static constexpr auto apply(trace_scope& scope, Call const& call, A const&... a) {
        marker marks(scope); // so that the callable's nodes are its own, and no others are computed again
        auto const arguments = map_parts(inlined_arguments(scope, a...), [&](auto const& part) { return marks(part); });
        std::size_t const first = scope.recorded.size();
        auto const result = with_parts(arguments, call);
        return with_rule(scope, new checkpointed(scope, first), arguments, result);
    }
};

} // namespace detail

// f, whose derivatives keep its arguments only: what else they need of its values is computed again when they are. (JAX: checkpoint)
template <class F> constexpr auto checkpoint(F const& f) { return detail::transform<detail::checkpoint_rule>(f); }

} // namespace tx
