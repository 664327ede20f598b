// Exchanges that travel while a program computes. One that is recorded as a single node becomes two: the first begins it, in the
// place that the trace's order of effects gives it, and the second waits for it. What the first needs comes as early as it can,
// then what needs neither, then the second. Other ranks see no difference but in time.
#pragma once

#include <tracexpr/graph/copy.hpp>
#include <tracexpr/graph/kept_calls.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::detail {

constexpr bool is_exchange(graph_view const& g, node const& n) { return is_collective(g, n, collective_kind::exchange); }
constexpr bool has_exchanges(graph_view const& g) {
    for (node const& n : g) {
        if (is_exchange(g, n)) return true;
        for (std::size_t k = 0; has_regions(n) && k < n.attributes.count; ++k)
            if (has_exchanges(g.region(g.attributes_of(n)[k]))) return true;
    }
    return false;
}

class begun_exchanges {
public:
    constexpr explicit begun_exchanges(graph_view const& g)
        : g_{g}, copier_(g, out_), received_(g.size(), node_id::none), is_begun_(g.size()), is_copied_(g.size()) {}

    constexpr graph run() {
        find_received();
        for (std::size_t i = 0; i < g_.size(); ++i) is_begun_[i] = is_worth_it(i);
        for (node_id const id : g_.parameters) copy(id);
        while (true) {
            buffer<bool> const waits = waiting();
            buffer<node_id> first;
            for (std::size_t i = 0; i < g_.size(); ++i)
                if (is_begun_[i] && !is_copied_[i] && !waits[i]) first.push_back(to_id(i));
            buffer<bool> const comes_first = needed_nodes(g_, first);
            for (std::size_t i = 0; i < g_.size(); ++i)
                if (comes_first[i]) copy(to_id(i));
            for (std::size_t i = 0; i < g_.size(); ++i)
                if (!waits[i] && !is_received(i)) copy(to_id(i));
            if (!finish_all()) break;
        }
        copier_.add_outputs(g_.outputs);
        return std::move(out_);
    }

private:
    // Of each exchange the node that its result is; none where nobody reads that, or asks for the handle.
    constexpr void find_received() {
        for (std::size_t i = 0; i < g_.size(); ++i) {
            node const& n = g_.nodes[i];
            if (n.code == op::result && result_number(g_, n) == 1 && is_exchange(g_, g_[g_.operand(n, 0)]))
                received_[index(g_.operand(n, 0))] = to_id(i);
        }
        for (node const& n : g_)
            for (std::size_t k = 0; n.code != op::result && k < n.arity; ++k) received_[index(g_.operand(n, k))] = node_id::none;
        for (node_id const id : g_.outputs) received_[index(id)] = node_id::none;
    }
    // Is there something to do that neither needs it nor is needed by it? Views are made nowhere, and numbers cost nothing.
    constexpr bool is_worth_it(std::size_t exchange) const {
        if (received_[exchange] == node_id::none) return false;
        node_id const root = to_id(exchange);
        buffer<bool> const before = needed_nodes(g_, {&root, 1});
        buffer<bool> behind(g_.size());
        behind[index(received_[exchange])] = true;
        for (std::size_t i = 0; i < g_.size(); ++i) {
            node const& n = g_.nodes[i];
            for (std::size_t k = 0; k < n.arity; ++k) behind[i] = behind[i] || behind[index(g_.operand(n, k))];
            if (behind[i] || i == exchange) continue;
            if (received_[i] != node_id::none && !before[index(received_[i])]) return true; // two are under way at once
            kind const is = info(n.code).kind;
            bool const computes = is == kind::pointwise || is == kind::reduction || is == kind::contraction ||
                                  is == kind::random || is == kind::decomposition || is == kind::scan || is == kind::lookup ||
                                  is == kind::control;
            if (!before[i] && computes && g_.shape_of(n).size() != 1) return true;
        }
        return false;
    }

    constexpr bool is_received(std::size_t i) const {
        node const& n = g_.nodes[i];
        return n.code == op::result && is_begun_[index(g_.operand(n, 0))] && received_[index(g_.operand(n, 0))] == to_id(i);
    }
    // What can't be done before an exchange is waited for that hasn't been.
    constexpr buffer<bool> waiting() const {
        buffer<bool> out(g_.size());
        for (std::size_t i = 0; i < g_.size(); ++i) {
            node const& n = g_.nodes[i];
            out[i] = is_received(i) && !is_copied_[i];
            for (std::size_t k = 0; k < n.arity; ++k) out[i] = out[i] || (!is_copied_[i] && out[index(g_.operand(n, k))]);
        }
        return out;
    }

    constexpr void copy(node_id id) {
        if (is_copied_[index(id)]) return;
        is_copied_[index(id)] = true;
        node const& n = g_[id];
        if (is_begun_[index(id)]) {
            copier_.replace(id, begun(n));
        } else if (n.code == op::result && is_begun_[index(g_.operand(n, 0))] && received_[index(g_.operand(n, 0))] != id) {
            copier_.replace(id, append_result(out_, copier_[g_.operand(n, 0)], 1)); // its token
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
    constexpr node_id begun(node const& exchange) {
        collective_form form(call_form(g_.attributes_of(exchange)).rest());
        form.what = collective_kind::begin_exchange;
        buffer<std::int64_t> attributes = call_form::attributes({}, 0);
        form.append_to(attributes);
        return out_.append(op::collective, dtype::uint64, dims{}, copier_.operands_of(exchange), attributes, {1, 0});
    }
    // Waits for all that have been begun. False: there is none.
    constexpr bool finish_all() {
        namespace at = collective_operands;
        bool any = false;
        for (std::size_t i = 0; i < g_.size(); ++i) {
            if (!is_begun_[i] || !is_copied_[i] || is_copied_[index(received_[i])]) continue;
            node const& n = g_.nodes[i];
            node_id const begun = copier_[to_id(i)];
            buffer<node_id> operands(copier_.operands_of(n));
            node_id const value = operands[at::input];
            operands.shorten(at::input);
            for (node_id const id : {begun, value, append_result(out_, begun, 1)}) operands.push_back(id);
            call_form::result const result{g_[received_[i]].type, {}, static_cast<std::int64_t>(at::input + 1)};
            buffer<std::int64_t> attributes = call_form::attributes({&result, 1}, 0);
            collective_form(collective_kind::finish).append_to(attributes);
            node_id const finished = out_.append(op::collective, dtype::uint64, dims{}, operands, attributes, {1, 0});
            copier_.replace(received_[i], append_result(out_, finished, 1));
            is_copied_[index(received_[i])] = any = true;
        }
        return any;
    }

    graph_view g_;
    graph out_;
    graph_copier copier_;
    buffer<node_id> received_;
    buffer<bool> is_begun_, is_copied_;
};

constexpr graph with_begun_exchanges(graph_view const& g) { return begun_exchanges(g).run(); }

} // namespace tx::detail

TRACEXPR_END_PASSES
