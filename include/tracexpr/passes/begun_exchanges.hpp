// This pass splits exchanges between ranks so that they travel while a program computes. An exchange that is recorded as a single
// node becomes two: the first begins it, in the place that the trace's order of effects gives it, and the second waits for it.
// What the first needs is computed as early as possible, then what needs neither, then the second. Other ranks see no difference
// but in time.
#pragma once

#include <tracexpr/graph/copy.hpp>
#include <tracexpr/graph/kept_calls.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::detail {

constexpr bool is_exchange(graph_view const& g, node const& n) { return is_collective(g, n, collective_kind::exchange); }
TRACEXPR_ONCE constexpr bool has_exchanges(graph_view const& g) {
    for (node const& n : g) {
        if (is_exchange(g, n)) return true;
        for (std::size_t k = 0; has_regions(n) && k < n.attributes.count; ++k)
            if (has_exchanges(g.region(g.attributes_of(n)[k]))) return true;
    }
    return false;
}

// Nodes are ordered in rounds: a node belongs to the round after the last exchange that it depends on. In each round the
// exchanges and what they need come first, then the other nodes, then the nodes that wait.
class begun_exchanges {
public:
    constexpr explicit begun_exchanges(graph_view const& g)
        : g_{g}, copier_(g, out_), received_(g.size(), node_id::none), is_begun_(g.size()), round_(g.size(), 0),
          is_early_(g.size()) {
        find_received();
        find_rounds();
        choose();
        find_rounds();
    }

    TRACEXPR_ONCE constexpr graph run() {
        for (node_id const id : g_.parameters) copier_.copy(id);
        buffer<node_id> const order = in_order();
        std::size_t begun = 0; // the index in `order` where the present round begins
        for (std::size_t k = 0; k < order.size(); ++k) {
            if (k > 0 && round_[index(order[k])] != round_[index(order[k - 1])]) finish(order, begun, k), begun = k;
            copy(order[k]);
        }
        finish(order, begun, order.size());
        copier_.add_outputs(g_.outputs);
        return std::move(out_);
    }

private:
    // Finds the node of each exchange that is its received value. There is none where nobody reads the value, or something needs
    // the handle.
    TRACEXPR_ONCE constexpr void find_received() {
        for (std::size_t i = 0; i < g_.size(); ++i) {
            node const& n = g_.nodes[i];
            if (n.code == op::result && result_number(g_, n) == 1 && is_exchange(g_, g_[g_.operand(n, 0)]))
                received_[index(g_.operand(n, 0))] = to_id(i);
        }
        for (node const& n : g_)
            for (std::size_t k = 0; n.code != op::result && k < n.arity; ++k) received_[index(g_.operand(n, k))] = node_id::none;
        for (node_id const id : g_.outputs) received_[index(id)] = node_id::none;
        for (std::size_t i = 0; i < g_.size(); ++i) is_begun_[i] = received_[i] != node_id::none;
    }
    TRACEXPR_ONCE constexpr bool is_received(std::size_t i) const {
        node const& n = g_.nodes[i];
        return n.code == op::result && is_begun_[index(g_.operand(n, 0))] && received_[index(g_.operand(n, 0))] == to_id(i);
    }
    TRACEXPR_ONCE constexpr void find_rounds() {
        for (std::size_t i = 0; i < g_.size(); ++i) {
            node const& n = g_.nodes[i];
            std::int32_t round = 0;
            for (std::size_t k = 0; k < n.arity; ++k) {
                std::int32_t const before = round_[index(g_.operand(n, k))];
                if (before > round) round = before;
            }
            round_[i] = is_received(i) ? round + 1 : round;
            is_early_[i] = is_begun_[i];
            if (round_[i] >= rounds_) rounds_ = round_[i] + 1;
        }
        for (std::size_t i = g_.size(); i-- > 0;) {
            node const& n = g_.nodes[i];
            for (std::size_t k = 0; is_early_[i] && k < n.arity; ++k) {
                std::size_t const o = index(g_.operand(n, k));
                if (round_[o] == round_[i]) is_early_[o] = true;
            }
        }
    }
    // An exchange is split where its round has several exchanges, or something else to compute. Views and single numbers don't
    // count, because they cost nothing.
    TRACEXPR_ONCE constexpr void choose() {
        buffer<std::int32_t> begun(static_cast<std::size_t>(rounds_), 0), other(static_cast<std::size_t>(rounds_), 0);
        for (std::size_t i = 0; i < g_.size(); ++i) {
            std::size_t const round = static_cast<std::size_t>(round_[i]);
            kind const is = info(g_.nodes[i].code).kind;
            bool const computes = is == kind::pointwise || is == kind::reduction || is == kind::contraction ||
                                  is == kind::random || is == kind::decomposition || is == kind::routine || is == kind::scan ||
                                  is == kind::lookup || is == kind::control;
            if (is_begun_[i]) ++begun[round];
            else if (!is_early_[i] && computes && g_.shape_of(g_.nodes[i]).size() != 1) ++other[round];
        }
        for (std::size_t i = 0; i < g_.size(); ++i) {
            std::size_t const round = static_cast<std::size_t>(round_[i]);
            is_begun_[i] = is_begun_[i] && (begun[round] > 1 || other[round] > 0);
        }
    }
    // Returns the nodes sorted by round, in each round the early ones first; the sort is stable.
    TRACEXPR_ONCE constexpr buffer<node_id> in_order() const {
        auto const place = [&](std::size_t i) { return 2 * static_cast<std::size_t>(round_[i]) + (is_early_[i] ? 0 : 1); };
        buffer<std::size_t> first(2 * static_cast<std::size_t>(rounds_) + 1, 0);
        for (std::size_t i = 0; i < g_.size(); ++i) ++first[place(i) + 1];
        for (std::size_t k = 1; k < first.size(); ++k) first[k] += first[k - 1];
        buffer<node_id> out(g_.size(), node_id::none);
        for (std::size_t i = 0; i < g_.size(); ++i) out[first[place(i)]++] = to_id(i);
        return out;
    }

    TRACEXPR_ONCE constexpr void copy(node_id id) {
        node const& n = g_[id];
        if (copier_[id] != node_id::none) return; // a parameter, or a received value
        if (is_begun_[index(id)]) {
            copier_.replace(id, begun(n));
        } else if (n.code == op::result && is_begun_[index(g_.operand(n, 0))]) {
            copier_.replace(id, append_result(out_, copier_[g_.operand(n, 0)], 1)); // the exchange's token
        } else if (has_regions(n) && takes_part_in_collectives(g_, n)) {
            buffer<std::int64_t> regions;
            for (std::int64_t const number : g_.attributes_of(n))
                regions.push_back(out_.append_region(begun_exchanges(g_.region(number)).run().view()));
            copier_.replace(id,
                            out_.append(n.code, n.type, g_.shape_of(n), copier_.operands_of(n), regions, {n.bits[0], n.bits[1]}));
        } else {
            copier_.copy(id);
        }
    }
    TRACEXPR_ONCE constexpr node_id begun(node const& exchange) {
        collective_form collective(call_form(g_.attributes_of(exchange)).rest());
        collective.what = collective_kind::begin_exchange;
        buffer<std::int64_t> attributes = call_form::attributes({}, 0);
        collective.append_to(attributes);
        return out_.append(op::collective, dtype::uint64, dims{}, copier_.operands_of(exchange), attributes, {1, 0});
    }
    // Appends the waiting nodes for the exchanges in [first, behind) of the order.
    TRACEXPR_ONCE constexpr void finish(buffer<node_id> const& order, std::size_t first, std::size_t behind) {
        namespace at = collective_operands;
        for (std::size_t k = first; k < behind; ++k) {
            std::size_t const i = index(order[k]);
            if (!is_begun_[i]) continue;
            node_id const begun = copier_[order[k]];
            buffer<node_id> operands(copier_.operands_of(g_.nodes[i]));
            node_id const value = operands[at::input];
            operands.shorten(at::input);
            for (node_id const id : {begun, value, append_result(out_, begun, 1)}) operands.push_back(id);
            call_form::result const result{g_[received_[i]].type, {}, static_cast<std::int64_t>(at::input + 1)};
            buffer<std::int64_t> attributes = call_form::attributes({&result, 1}, 0);
            collective_form(collective_kind::finish).append_to(attributes);
            node_id const finished = out_.append(op::collective, dtype::uint64, dims{}, operands, attributes, {1, 0});
            copier_.replace(received_[i], append_result(out_, finished, 1));
        }
    }

    graph_view g_;
    graph out_;
    graph_copier copier_;
    buffer<node_id> received_;
    buffer<bool> is_begun_;
    buffer<std::int32_t> round_;
    buffer<bool> is_early_;
    std::int32_t rounds_ = 1;
};

constexpr graph with_begun_exchanges(graph_view const& g) { return begun_exchanges(g).run(); }

} // namespace tx::detail

TRACEXPR_END_PASSES
