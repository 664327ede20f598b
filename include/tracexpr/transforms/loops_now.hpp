// Runs iterations of tx::scan one by one: all of them where functions run eagerly, so that the body can read values and is called
// once for each element, and some in a scan that is unrolled.
#pragma once

#include <tracexpr/trace/lowering.hpp>
#include <tracexpr/transforms/loop_state.hpp>

namespace tx::detail {

// Returns the nodes of a tree, in the dtypes of State.
template <class State, class From> constexpr buffer<node_id> nodes_of_state(trace_scope& scope, From const& from) {
    loop_operands leading;
    append_leaves<State>(op::scan, scope, from, leading);
    return std::move(leading.nodes);
}
// Collects the elements of each of the results, iteration by iteration.
class collected_elements {
public:
    template <class Tree> constexpr void add(trace_scope& scope, Tree const& tree) {
        lowering low(scope);
        std::size_t k = 0;
        for_each_result(tree, [&](auto const& leaf) {
            node_id const id = record_operand<dtype_of_operand<decltype(leaf)>>(scope, plain_operand(leaf));
            if (k == all_.size()) all_.push_back({});
            all_[k++].push_back(low.expand(id, 0));
        });
    }
    // Stacks the elements of each result along a first axis.
    TRACEXPR_ONCE constexpr buffer<node_id> joined(trace_scope& scope, bool reversed) {
        lowering low(scope);
        buffer<node_id> out;
        for (buffer<node_id>& parts : all_) {
            for (std::size_t i = 0, j = parts.size() - 1; reversed && i < j; ++i, --j) std::swap(parts[i], parts[j]);
            out.push_back(low.concatenate(parts, 0));
        }
        return out;
    }

private:
    buffer<buffer<node_id>> all_;
};
// Runs `count` iterations, at least one, on sequences of as many elements. `state` is replaced by the next state, and `results`
// by the stacked results. Returns the results of the last iteration, whose types are needed.
template <class State, class Body, class Start, class Xs>
constexpr auto iterate(trace_scope& scope, Body const& body, Start const& start, Xs const& xs, table_view<node_id> sequences,
                       std::int64_t count, bool reversed, buffer<node_id>& state, buffer<node_id>& results) {
    collected_elements all;
    auto const iteration = [&](std::int64_t k) {
        lowering low(scope);
        buffer<node_id> elements;
        for (node_id const id : sequences) elements.push_back(low.squeeze(low.slice(id, 0, k, k + 1), 0));
        node_id const *next = state.data(), *next_element = elements.data();
        State const now = results_at<State>(scope, start, next);
        auto both = body(now, elements_at(scope, xs, next_element));
        require_form_of("scan: the carry and what the body returns", now, std::get<0>(both), "the latter");
        state = nodes_of_state<State>(scope, std::get<0>(both));
        all.add(scope, std::get<1>(both));
        return std::get<1>(both);
    };
    for (std::int64_t k = 0; k + 1 < count; ++k) iteration(reversed ? count - 1 - k : k);
    auto const last = iteration(reversed ? 0 : count - 1);
    results = all.joined(scope, reversed);
    return last;
}

template <class Xs> std::int64_t length_now(trace_scope& scope, Xs const& xs) {
    loop_operands sequences;
    append_sequences(scope, xs, sequences);
    if (sequences.nodes.empty()) return 0;
    auto const shape = [&](std::size_t k) {
        dims const known(scope.recorded.shape_of(sequences.nodes[k]));
        return leading_extent(known) != dyn ? known : scope.evaluate(scope, sequences.nodes[k]).shape;
    };
    for (std::size_t k = 1; k < sequences.nodes.size(); ++k) {
        dims const both[]{shape(0), shape(k)};
        if (both[0][0] != both[1][0])
            throw_shape_error(op::scan, "all sequences must have one extent along the first axis", both);
    }
    return shape(0)[0];
}

// Does what record_scan does, for at least one iteration, by running each.
template <class State, class To, std::int64_t Length, class Body, class Start, class Xs>
auto scan_now(trace_scope& scope, Body const& body, Start const& start, Xs const& xs, bool reversed, std::int64_t length) {
    loop_operands sequences;
    append_sequences(scope, xs, sequences);
    buffer<node_id> state = nodes_of_state<State>(scope, start), results;
    auto const like = iterate<State>(scope, body, start, xs, sequences.nodes, length, reversed, state, results);
    node_id const *next = state.data(), *next_result = results.data();
    To const end = results_at<To>(scope, start, next);
    return std::pair(end,
                     map_to_tree(like, [&]<class Leaf>(Leaf const&) { return stacked<Leaf, Length>(scope, *next_result++); }));
}

} // namespace tx::detail
