// This file records collectives: calls of a communicator between processes (ranks), in program order with other effects.
#pragma once

#include <tracexpr/trace/callees.hpp>

namespace tx::detail {

// A communicator as a trace refers to it: captured numbers, which a run reads from its transport, and a captured value of no
// elements whose extent is the number of ranks.
struct traced_communicator {
    node_id communicator = node_id::none, rank = node_id::none, ranks = node_id::none;
};

inline rank_transport const& transport_at(void const* address) { return *static_cast<rank_transport const*>(address); }
inline void const* handle_of_transport(void const* address) { return &transport_at(address).handle; }
inline void const* rank_of_transport(void const* address) { return &transport_at(address).rank; }
inline void const* ranks_of_transport(void const* address) { return address; } // has no elements
inline dims scalar_of_transport(void const*) { return {}; }
inline dims shape_of_ranks(void const* address) { return {{transport_at(address).size, 0}, 2}; }
inline seen_value seen_handle(void const* address) { return {nullptr, handle_of_transport(address), dtype::uint64, {}}; }
inline seen_value seen_rank(void const* address) { return {nullptr, rank_of_transport(address), dtype::int64, {}}; }
inline seen_value seen_ranks(void const* address) { return {nullptr, address, dtype::boolean, shape_of_ranks(address)}; }

// The address `transport` must stay valid for as long as the trace's graph may run.
TRACEXPR_ONCE constexpr traced_communicator record_communicator(trace_scope& scope, void const* transport) {
    return {scope.append_capture(dtype::uint64, dims{}, {transport, handle_of_transport, scalar_of_transport, seen_handle}),
            scope.append_capture(dtype::int64, dims{}, {transport, rank_of_transport, scalar_of_transport, seen_rank}),
            scope.append_capture(dtype::boolean, dims{{dyn, 0}, 2}, {transport, ranks_of_transport, shape_of_ranks, seen_ranks})};
}

// How the shape of a collective's result follows from its operand's.
TRACEXPR_ONCE constexpr call_form::relation relation_of(collective_kind what) {
    return gathers(what)    ? call_form::relation::with_ranks
           : scatters(what) ? call_form::relation::without_first
                            : call_form::relation::same;
}
TRACEXPR_ONCE constexpr buffer<std::int64_t> attributes_of_collective(collective_form const& form, dtype type) {
    bool const has_result = form.what != collective_kind::barrier;
    call_form::result const result{type, {}, static_cast<std::int64_t>(collective_operands::input), relation_of(form.what)};
    buffer<std::int64_t> out = call_form::attributes({&result, has_result ? std::size_t{1} : std::size_t{0}}, 0);
    form.append_to(out);
    return out;
}
TRACEXPR_ONCE constexpr buffer<node_id> operands_of_collective(trace_scope& scope, traced_communicator const& among,
                                                               table_view<node_id> inputs) {
    namespace at = collective_operands;
    buffer<node_id> out(at::input + inputs.size() + 1, among.communicator);
    out[at::rank] = among.rank;
    out[at::ranks] = among.ranks;
    for (std::size_t k = 0; k < inputs.size(); ++k) out[at::input + k] = inputs[k];
    out[at::input + inputs.size()] = scope.last_token();
    return out;
}
// Gives the node of the result; none for a barrier. `inputs` holds the operand and, for an exchange, then the ranks that it goes
// to and comes from.
template <class Unused = void> constexpr node_id append_collective(trace_scope& scope, collective_form const& form,
                                                                   traced_communicator const& among, table_view<node_id> inputs) {
    graph& g = scope.recorded;
    buffer<node_id> const operands = operands_of_collective(scope, among, inputs);
    dtype const type = inputs.empty() ? dtype::boolean : g[inputs[0]].type;
    node_id const node = g.append(op::collective, dtype::uint64, dims{}, operands, attributes_of_collective(form, type), {1, 0});
    node_id const out = inputs.empty() ? node_id::none : append_result(g, node, 1);
    scope.token = append_result(g, node, inputs.empty() ? 1 : 2);
    return out;
}
TRACEXPR_INSTANCE(node_id append_collective<void>(trace_scope&, collective_form const&, traced_communicator const&,
                                                  table_view<node_id>))

// Sums several values of one dtype over the ranks in one message, which is under way between two nodes: the first starts it as
// soon as the values are there, the second finishes it where something needs the sums. Gives the first node, the request, which
// the second one takes as an operand.
TRACEXPR_ONCE constexpr node_id append_sum_node(trace_scope& scope, collective_kind what, traced_communicator const& among,
                                                table_view<node_id> inputs, table_view<call_form::result> results,
                                                table_view<std::int64_t> leaves = {}) {
    graph& g = scope.recorded;
    buffer<node_id> const operands = operands_of_collective(scope, among, inputs);
    buffer<std::int64_t> attributes = call_form::attributes(results, 0);
    collective_form form(what);
    form.pairs = leaves;
    form.append_to(attributes);
    node_id const out = g.append(op::collective, dtype::uint64, dims{}, operands, attributes, {1, 0});
    scope.token = append_result(g, out, results.size() + 1);
    return out;
}
// `leaves` holds the numbers of the values, on which all ranks must agree.
template <class Unused = void> constexpr node_id append_begun_sums(trace_scope& scope, traced_communicator const& among,
                                                                   table_view<node_id> values, table_view<std::int64_t> leaves) {
    return append_sum_node(scope, collective_kind::begin_sums, among, values, {}, leaves);
}
template <class Unused = void> constexpr buffer<node_id>
append_finished_sums(trace_scope& scope, traced_communicator const& among, node_id request, table_view<node_id> values) {
    buffer<node_id> inputs, out;
    buffer<call_form::result> results;
    inputs.push_back(request);
    for (std::size_t k = 0; k < values.size(); ++k) {
        inputs.push_back(values[k]);
        results.push_back({scope.recorded[values[k]].type, {}, static_cast<std::int64_t>(collective_operands::input + 1 + k)});
    }
    node_id const made = append_sum_node(scope, collective_kind::finish, among, inputs, results);
    for (std::size_t k = 0; k < values.size(); ++k) out.push_back(append_result(scope.recorded, made, k + 1));
    return out;
}
TRACEXPR_INSTANCE(node_id append_begun_sums<void>(trace_scope&, traced_communicator const&, table_view<node_id>,
                                                  table_view<std::int64_t>))
TRACEXPR_INSTANCE(buffer<node_id> append_finished_sums<void>(trace_scope&, traced_communicator const&, node_id,
                                                             table_view<node_id>))

} // namespace tx::detail
