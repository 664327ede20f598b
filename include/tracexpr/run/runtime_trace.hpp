// Traces made at run time, into the same graph, through the same passes; the reference executor runs them.
#pragma once

#include <tracexpr/backends/reference.hpp>
#include <tracexpr/graph/verify.hpp>
#include <tracexpr/run/execute.hpp>

namespace tx::detail {

// A graph made at run time and what it refers to.
struct runtime_program {
    graph traced;
    graph simplified;
    buffer<std::shared_ptr<void const>> kept;
};

// A copy of elements that the trace doesn't own, as a constant.
inline node_id append_elements(graph& g, appended_argument const& from) {
    reference::values const loaded = reference::loaded(from.type, from.shape, from.data);
    buffer<std::uint64_t> words;
    for (auto const& cell : loaded.cells)
        for (std::size_t i = 0; i < words_of(from.type); ++i) words.push_back(cell.word(i));
    return g.append_constant(from.type, from.shape, words);
}
// Appends a node of another graph, for what is known of its operands' shapes here. What equals no other node there equals none here.
inline node_id append_like(graph& to, graph_view const& from, node const& n, table_view<node_id> operands) {
    buffer<dims> shapes;
    for (node_id const id : operands) shapes.push_back(to.shape_of(id));
    std::uint64_t const low = info(n.code).kind == kind::marker && n.bits[0] ? to.size() : n.bits[0];
    dims shape = infer_or_throw(n.code, from.shape_of(n), shapes, from.attributes_of(n));
    if (n.code == op::extents) {
        counting const numbers = counts_of(to);
        shape = shape_with_numbers(shape, from.attributes_of(n), [&](std::size_t k) { return numbers[operands[k]]; });
    }
    return to.append(n.code, n.type, shape, operands, from.attributes_of(n), {low, n.bits[1]});
}
// Appends the nodes of a graph, and says which they became. leaf(n): what a node without operands becomes.
template <class Leaf> buffer<node_id> append_nodes(graph& to, graph_view const& from, Leaf leaf) {
    buffer<node_id> moved, operands;
    moved.reserve(from.size());
    for (node const& n : from) {
        operands.clear();
        for (std::size_t k = 0; k < n.arity; ++k) operands.push_back(moved[index(from.operand(n, k))]);
        moved.push_back(n.arity == 0 ? leaf(n) : append_like(to, from, n, operands));
    }
    return moved;
}
// What trace_scope::append does.
template <class Unused = void> void append_graph(trace_scope& scope, graph_view const& from, table_view<appended_argument> arguments, node_id* outputs) {
    graph& to = scope.recorded;
    buffer<node_id> const moved = append_nodes(to, from, [&](node const& n) {
        if (n.code != op::parameter) return to.append_copy(from, n, {});
        appended_argument const& argument = arguments[n.bits[0]];
        return argument.id != node_id::none ? argument.id : append_elements(to, argument);
    });
    for (std::size_t k = 0; k < from.outputs.size(); ++k) outputs[k] = moved[index(from.outputs[k])];
}
TRACEXPR_INSTANCE(void append_graph<void>(trace_scope&, graph_view const&, table_view<appended_argument>, node_id*))

template <class Unused = void> std::vector<host_array> run_program(graph_view const& g, void const* const* data, table_view<dims> shapes) {
    buffer<array_view> views;
    for (std::size_t k = 0; k < shapes.size(); ++k) {
        if (g.parameters[k] == node_id::none) views.push_back({data[k], {}, shapes[k]});
        else views.push_back({data[k], g[g.parameters[k]].type, shapes[k]});
    }
    return run_reference<Unused>(g, views);
}

// The trace of a callable that runs eagerly, on the elements at `arguments`.
struct eager_scope : argument_scope {
    void const* const* arguments = nullptr;
};
// What trace_scope::evaluate does: computes all that the node needs.
template <class Unused = void> kept_value evaluated_node(trace_scope& scope, node_id id) {
    eager_scope const& at = static_cast<eager_scope&>(scope);
    graph upto = at.recorded;
    upto.add_output(id);
    graph_view const g = upto.view();
    if (live_placeholder(g) != node_id::none)
        throw trace_error("tx: value: inside the callable that tx::vmap maps, a value stands for many examples; read it outside of that callable");
    auto const found = std::make_shared<host_array const>(run_program<Unused>(g, at.arguments, {at.extents.data(), g.parameters.size()}).back());
    return {found, found->bytes.data(), found->type, found->shape};
}
TRACEXPR_INSTANCE(kept_value evaluated_node<void>(trace_scope&, node_id))

// `shapes`: those of the parameters, with tx::dyn, or an unknown rank, for what the trace must not depend on. `arguments`: where the callable
// may read values, the parameters' elements.
template <class F, class... A> TRACEXPR_NOINLINE runtime_program trace_now(table_view<dims> shapes, void const* const* arguments, F const& f, A const&... a) {
    runtime_program out;
    eager_scope scope;
    scope.extents = shapes;
    scope.arguments = arguments;
    if (arguments) scope.evaluate = evaluated_node<>;
    scope.kept = &out.kept;
    scope.append = append_graph<>;
    {
        open_trace const opened(scope);
        trace_into(scope, f, a...);
    }
    out.traced = std::move(scope.recorded);
    out.simplified = simplify(out.traced.view(), passes_of<F>);
    return out;
}

// The leaves of any call: its arguments' and the callable's.
template <class F, class... A> using call_leaves = leaf_list<(callable_form<F>::state.leaves + ... + facts<A>.leaves), true>;

template <class Result> void store_results(std::vector<host_array> const& arrays, Result& result) {
    std::size_t k = 0;
    for_each_output(result, [&](auto& part) {
        using Part = std::remove_cvref_t<decltype(part)>;
        host_array const& from = arrays[k++];
        if constexpr (tensor_type<Part>) {
            part = Part::uninitialized(from.shape);
            if (!from.bytes.empty()) std::memcpy(static_cast<void*>(part.mutable_data()), from.bytes.data(), from.bytes.size());
        } else {
            std::memcpy(static_cast<void*>(&part), from.bytes.data(), sizeof(Part));
        }
    });
}

template <class Result, class Leaves> void run_reference_on(graph_view const& g, Leaves const& arguments, Result& result) {
    store_results(run_program(g, arguments.data, arguments.shapes()), result);
}

} // namespace tx::detail
