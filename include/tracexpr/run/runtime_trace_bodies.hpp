// This file holds the bodies of run/runtime_trace.hpp.
#pragma once

#include <tracexpr/graph/verify.hpp>
#include <tracexpr/passes/simplify.hpp>
#include <tracexpr/run/runtime_trace.hpp>

namespace tx::detail::inline TRACEXPR_RUNS {

// This is a function of its own, because nvcc repeats the default argument of a template with such a lambda.
inline buffer<std::uint64_t> words_of_elements(appended_argument const& from) {
    buffer<std::uint64_t> words(static_cast<std::size_t>(from.shape.size()) * words_of(from.type));
    with_element(from.type, [&]<class T>(T const&) {
        T const* const elements = static_cast<T const*>(from.data);
        for (std::size_t i = 0; i * words_of(from.type) < words.size(); ++i)
            to_words(elements[i], words.data() + i * words_of(from.type));
    });
    return words;
}
template <class Unused> node_id append_elements(graph& g, appended_argument const& from) {
    return g.append_constant(from.type, from.shape, words_of_elements(from));
}
template <class Unused>
void append_graph(trace_scope& scope, graph_view const& from, table_view<appended_argument> arguments, node_id* outputs) {
    graph& to = scope.recorded;
    graph_copier copier(from, to, graph_copier::shapes::inferred);
    copier.copy_all([&](node_id id) {
        node const& n = from[id];
        if (n.code == op::token) return scope.last_token();
        if (n.code == op::capture) return scope.append_capture(n.type, from.shape_of(n), from.captures[n.bits[0]]);
        if (n.code != op::parameter) return node_id::none;
        appended_argument const& argument = arguments[n.bits[0]];
        return argument.id != node_id::none ? argument.id : append_elements<>(to, argument);
    });
    std::size_t const values = value_outputs(from);
    for (std::size_t k = 0; k < values; ++k) outputs[k] = copier[from.outputs[k]];
    if (values < from.outputs.size()) scope.token = copier[from.outputs[values]];
}

// eager_scope is the trace of a callable that runs eagerly, on the elements at `arguments`.
struct eager_scope : argument_scope {
    watched_values known;
    void const* const* arguments = nullptr;
};
[[noreturn]] inline void throw_no_effect() {
    throw trace_error("tx: function: the callable returns nothing and has no effect; return what it computes");
}
template <class Unused> runtime_program traced_by(trace_request const& request) {
    runtime_program out;
    eager_scope scope;
    scope.extents = request.shapes;
    scope.arguments = request.arguments;
    if (request.arguments) scope.evaluate = evaluated_node<>;
    scope.kept = &out.kept;
    scope.watched = &scope.known;
    scope.append = append_graph<>;
    scope.form = &out.form;
    {
        open_trace const opened(scope);
        request.record(request.callable, scope);
    }
    out.traced = std::move(scope.recorded);
    if (request.returns_nothing && !request.arguments && loses_all(out.traced.view())) throw_no_effect();
    out.simplified = simplify(out.traced.view(), request.passes);
    return out;
}

template <class Unused> kept_value evaluated_node(trace_scope& scope, node_id id) {
    eager_scope const& at = static_cast<eager_scope&>(scope);
    graph upto = at.recorded;
    upto.add_output(id);
    graph_view const g = upto.view();
    if (live_placeholder(g) != node_id::none)
        throw trace_error("tx: value: inside the callable that tx::vmap maps, a value stands for many examples; read it outside "
                          "of that callable");
    if (needs_calls(g))
        throw trace_error(
            "tx: value: within a derivative or tx::vmap, what an opaque call or a collective gives is known when the "
            "function runs; read it outside of the callable that is differentiated or mapped");
    auto const found =
        std::make_shared<host_array const>(run_once<Unused>(g, at.arguments, {at.extents.data(), g.parameters.size()}).back());
    return {found, found->bytes.data(), found->type, found->shape};
}

} // namespace tx::detail::inline TRACEXPR_RUNS
