// Forward mode: each node's change for a small step of the sources, node after node in program order.
#pragma once

#include <tracexpr/ad/reverse.hpp>

namespace tx::ad {

class forward_pass {
public:
    constexpr forward_pass(graph& g, std::span<node_id const> sources) : graph_{g}, active_(g, sources), tangent_(g.size()) {}

    // The step of a source.
    constexpr void set(node_id source, value const& step) { tangent_[index(source)] = step; }
    constexpr void run() {
        for (std::size_t i = 0; i < active_.size(); ++i)
            if (active_[to_id(i)] && tangent_[i].is_zero()) tangent_[i] = pushed_forward(to_id(i));
    }
    // Of a node that was in the graph when the pass was made; zero where it doesn't change.
    constexpr value tangent(node_id of) const { return tangent_[index(of)]; }

private:
    constexpr value pushed_forward(node_id id) {
        site const n(graph_, id);
        std::size_t const count = value_operands(n.y.get());
        kind const k = info(n.code()).kind;
        if (k == kind::marker) return count ? tangent_of(n, 0) : value{};
        if (k == kind::pointwise) {
            value sum;
            for (std::size_t operand = 0; operand < count; ++operand) sum = sum + times_partial(n, operand, tangent_of(n, operand));
            return broadcast_like(sum, n.y);
        }
        buffer<value> steps;
        bool any = false;
        for (std::size_t operand = 0; operand < count; ++operand) {
            steps.push_back(tangent_of(n, operand));
            any = any || !steps.back().is_zero();
        }
        return any ? array_pushed_forward(n, {steps.data(), steps.size()}) : value{};
    }
    constexpr value tangent_of(site const& n, std::size_t operand) const {
        node_id const id = n.y.operand(operand).id();
        return active_[id] ? tangent_[index(id)] : value{};
    }

    graph& graph_;
    active_nodes active_;
    buffer<value> tangent_;
};

} // namespace tx::ad
