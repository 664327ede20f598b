// Traces made at run time, into the same graph, through the same passes; the reference executor runs them.
#pragma once

#include <tracexpr/backends/reference.hpp>
#include <tracexpr/run/execute.hpp>

namespace tx::detail {

// A graph made at run time and what it refers to.
struct runtime_program {
    graph traced;
    graph simplified;
    std::vector<std::shared_ptr<void const>> kept;
};

template <class F, class... A> runtime_program trace_now(std::span<dims const> extents, F const& f, A const&... a) {
    runtime_program out;
    argument_scope scope;
    scope.extents = extents;
    scope.kept = &out.kept;
    trace_into(scope, f, a...);
    out.traced = std::move(scope.recorded);
    out.simplified = simplify(out.traced.view());
    return out;
}

template <class Result> void store_results(std::vector<host_array> const& arrays, Result& result) {
    std::size_t k = 0;
    for_each_leaf(result, [&](auto& leaf_tensor) {
        using Tensor = std::remove_cvref_t<decltype(leaf_tensor)>;
        host_array const& from = arrays[k++];
        leaf_tensor = Tensor::uninitialized(from.shape);
        if (!from.bytes.empty()) std::memcpy(leaf_tensor.mutable_data(), from.bytes.data(), from.bytes.size());
    });
}

template <class Result, std::size_t Leaves> void run_reference_into(Result& result, graph_view const& g, leaf_list<Leaves> const& arguments) {
    std::vector<array_view> views;
    for (std::size_t k = 0; k < arguments.count; ++k) {
        node const& parameter = g[g.parameters[k]];
        views.push_back({arguments.data[k], parameter.type, arguments.extents[k]});
    }
    store_results(run_reference(g, views), result);
}

template <class Result, class F, class... A> Result run_traced_now(F const& f, A const&... a) {
    leaf_list<sizeof...(A)> arguments;
    (arguments.add(a), ...);
    runtime_program const program = trace_now({arguments.extents, arguments.count}, f, a...);
    Result result;
    run_reference_into(result, program.simplified.view(), arguments);
    return result;
}

} // namespace tx::detail
