// Traces made at run time, into the same graph, through the same passes; the reference executor runs them.
#pragma once

#include <tracexpr/backends/reference/reference.hpp>
#include <tracexpr/graph/verify.hpp>
#include <tracexpr/run/execute.hpp>

namespace tx::detail {

// A graph made at run time and what it refers to.
struct runtime_program {
    graph traced;
    graph simplified;
    buffer<std::shared_ptr<void const>> kept;

    // Does its result depend on what others own, which is read at each run?
    bool reads_live() const {
        for (captured const& c : traced.view().captures) {
            bool is_kept = false;
            for (auto const& own : kept) is_kept = is_kept || own.get() == c.address;
            if (!is_kept) return true;
        }
        return false;
    }
};

// A copy of elements that the trace doesn't own, as a constant.
inline node_id append_elements(graph& g, appended_argument const& from) {
    reference::values const loaded = reference::loaded(from.type, from.shape, from.data);
    buffer<std::uint64_t> words;
    for (std::int64_t i = 0; i < loaded.size(); ++i)
        for (std::size_t k = 0; k < words_of(from.type); ++k) words.push_back(loaded[i].word(k));
    return g.append_constant(from.type, from.shape, words);
}
// What trace_scope::append does.
template <class Unused = void>
void append_graph(trace_scope& scope, graph_view const& from, table_view<appended_argument> arguments, node_id* outputs) {
    graph& to = scope.recorded;
    graph_copier copier(from, to, graph_copier::shapes::inferred);
    copier.copy_all([&](node_id id) {
        node const& n = from[id];
        if (n.code == op::token) return scope.last_token();
        if (n.code == op::capture) return scope.append_capture(n.type, from.shape_of(n), from.captures[n.bits[0]]);
        if (n.code != op::parameter) return node_id::none;
        appended_argument const& argument = arguments[n.bits[0]];
        return argument.id != node_id::none ? argument.id : append_elements(to, argument);
    });
    std::size_t const values = value_outputs(from);
    for (std::size_t k = 0; k < values; ++k) outputs[k] = copier[from.outputs[k]];
    if (values < from.outputs.size()) scope.token = copier[from.outputs[values]];
}
TRACEXPR_INSTANCE(void append_graph<void>(trace_scope&, graph_view const&, table_view<appended_argument>, node_id*))

template <class Unused = void>
std::vector<host_array> run_program(graph_view const& g, void const* const* data, table_view<dims> shapes) {
    buffer<array_view> views;
    for (std::size_t k = 0; k < shapes.size(); ++k) {
        if (g.parameters[k] == node_id::none) views.push_back({data[k], {}, shapes[k]});
        else views.push_back({data[k], g[g.parameters[k]].type, shapes[k]});
    }
    return run_reference<Unused>(g, views);
}

// The trace of a callable that runs eagerly, on the elements at `arguments`.
struct eager_scope : argument_scope {
    watched_values known;
    void const* const* arguments = nullptr;
};
// What trace_scope::evaluate does: computes all that the node needs.
template <class Unused = void> kept_value evaluated_node(trace_scope& scope, node_id id) {
    eager_scope const& at = static_cast<eager_scope&>(scope);
    graph upto = at.recorded;
    upto.add_output(id);
    graph_view const g = upto.view();
    if (live_placeholder(g) != node_id::none)
        throw trace_error("tx: value: inside the callable that tx::vmap maps, a value stands for many examples; read it outside "
                          "of that callable");
    auto const found =
        std::make_shared<host_array const>(run_program<Unused>(g, at.arguments, {at.extents.data(), g.parameters.size()}).back());
    return {found, found->bytes.data(), found->type, found->shape};
}
TRACEXPR_INSTANCE(kept_value evaluated_node<void>(trace_scope&, node_id))

// `shapes`: those of the parameters, with tx::dyn, or an unknown rank, for what the trace must not depend on. `arguments`: where
// the callable may read values, the parameters' elements.
template <class F, class... A>
TRACEXPR_NOINLINE runtime_program trace_now(table_view<dims> shapes, void const* const* arguments, F const& f, A const&... a) {
    runtime_program out;
    eager_scope scope;
    scope.extents = shapes;
    scope.arguments = arguments;
    if (arguments) scope.evaluate = evaluated_node<>;
    scope.kept = &out.kept;
    scope.watched = &scope.known;
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
