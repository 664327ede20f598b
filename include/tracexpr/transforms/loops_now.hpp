// tx::scan where functions run eagerly: iteration after iteration, so that its body can read values and is called once for each.
#pragma once

#include <tracexpr/trace/lowering.hpp>
#include <tracexpr/transforms/loop_state.hpp>

namespace tx::detail {

// The nodes of a tree, in the dtypes of State.
template <class State, class From> buffer<node_id> nodes_of_state(trace_scope& scope, From const& from) {
    loop_operands leading;
    append_leaves<State>(op::scan, scope, from, leading);
    return std::move(leading.nodes);
}
// What the leaves of a tree are in all iterations, one leaf's after the other's.
template <class Tree> void append_iteration(trace_scope& scope, Tree const& tree, buffer<buffer<node_id>>& all) {
    lowering low(scope);
    std::size_t k = 0;
    for_each_result(tree, [&](auto const& leaf) {
        node_id const id = record_operand<dtype_of_operand<decltype(leaf)>>(scope, plain_operand(leaf));
        if (k == all.size()) all.push_back({});
        all[k++].push_back(low.expand(id, 0));
    });
}

template <class Xs> std::int64_t length_now(trace_scope& scope, Xs const& xs) {
    loop_operands sequences;
    append_sequences(scope, xs, sequences);
    if (sequences.nodes.empty()) return 0;
    std::int64_t const known = leading_extent(scope.recorded.shape_of(sequences.nodes[0]));
    return known != dyn ? known : scope.evaluate(scope, sequences.nodes[0]).shape[0];
}

// As record_scan, for one iteration at least.
template <class State, class To, std::int64_t Length, class Body, class Start, class Xs>
auto scan_now(trace_scope& scope, Body const& body, Start const& start, Xs const& xs, bool reversed, std::int64_t length) {
    loop_operands sequences;
    append_sequences(scope, xs, sequences);
    buffer<node_id> state = nodes_of_state<State>(scope, start);
    buffer<buffer<node_id>> all;
    auto const iteration = [&](std::int64_t k) {
        lowering low(scope);
        buffer<node_id> elements;
        for (node_id const id : sequences.nodes) elements.push_back(low.squeeze(low.slice(id, 0, k, k + 1), 0));
        node_id const *next = state.data(), *next_element = elements.data();
        State const now = results_at<State>(scope, start, next);
        auto both = body(now, elements_at(scope, xs, next_element));
        state = nodes_of_state<State>(scope, std::get<0>(both));
        append_iteration(scope, std::get<1>(both), all);
        return std::get<1>(both);
    };
    for (std::int64_t k = 0; k + 1 < length; ++k) iteration(reversed ? length - 1 - k : k);
    auto const last = iteration(reversed ? 0 : length - 1);
    lowering low(scope);
    std::size_t k = 0;
    auto ys = map_to_tree(last, [&]<class Leaf>(Leaf const&) {
        buffer<node_id>& parts = all[k++];
        if (reversed)
            for (std::size_t i = 0, j = parts.size() - 1; i < j; ++i, --j) std::swap(parts[i], parts[j]);
        return stacked<Leaf, Length>(scope, low.concatenate(parts, 0));
    });
    node_id const* next = state.data();
    To const end = results_at<To>(scope, start, next);
    return std::pair(end, ys);
}

} // namespace tx::detail
