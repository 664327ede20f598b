// This file captures functions that a graph calls: a trace refers to each through a captured number, its address.
#pragma once

#include <tracexpr/graph/foreign_call.hpp>
#include <tracexpr/graph/regions.hpp>
#include <tracexpr/trace/scope.hpp>

namespace tx::detail {

inline dims shape_of_callee(void const*) { return {}; }
template <void const* (*Number)(void const*)> seen_value seen_callee(void const* address) {
    return {nullptr, Number(address), dtype::uint64, {}};
}
template <void const* (*Number)(void const*)> constexpr captured captured_callee(void const* address) {
    return {address, Number, shape_of_callee, seen_callee<Number>};
}

// A callee for a function without state; it has an address of its own in the compiler, too.
template <auto Run> struct stateless_callee {
    static constexpr char place = 0;
    static void const* number(void const*) {
        static constexpr foreign_call call{Run, nullptr};
        static std::uint64_t const address = address_of(&call);
        return &address;
    }
    static constexpr captured as_captured() { return captured_callee<number>(&place); }
};

// What a call's node says of its function: whether it has derivatives, and whether it takes tensors on the device that the graph
// runs on.
struct callee_traits {
    bool has_derivative = false, on_device = false;
};
// Records a call, in program order with other effects, and writes the nodes of its results to `out`.
template <class Unused = void> constexpr void record_callee(trace_scope& scope, captured const& callee,
                                                            table_view<node_id> inputs, table_view<call_form::result> results,
                                                            callee_traits of, node_id* out) {
    buffer<node_id> operands;
    operands.push_back(scope.append_capture(dtype::uint64, dims{}, callee));
    for (node_id const id : inputs) operands.push_back(id);
    operands.push_back(scope.last_token());
    graph& g = scope.recorded;
    node_id const node =
        g.append(op::opaque, dtype::uint64, dims{}, operands,
                 call_form::attributes(results, of.has_derivative ? 1 : 0, call_form::call, of.on_device), {1, 0});
    for (std::size_t k = 0; k < results.size(); ++k) out[k] = append_result(g, node, k + 1);
    scope.token = append_result(g, node, results.size() + 1);
}
TRACEXPR_INSTANCE(void record_callee<void>(trace_scope&, captured const&, table_view<node_id>, table_view<call_form::result>,
                                           callee_traits, node_id*))

} // namespace tx::detail
