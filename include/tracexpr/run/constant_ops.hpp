// This file computes ops on constants in constant expressions: inside a callable that the compiler traces, and in constants of
// the program.
#pragma once

#include <tracexpr/backends/reference/reference.hpp>
#include <tracexpr/passes/simplify.hpp>
#include <tracexpr/run/tracing.hpp>
#include <tracexpr/trace/pointwise.hpp>

namespace tx::detail::inline TRACEXPR_CALLS {

// The alias depends on T, because clang would otherwise compile the executor with the header.
template <class T> using constants_run = reference::run<std::enable_if_t<!std::is_void_v<T>>>;

// Copies the executor's values to a tensor, which gets their shape if its type leaves it open.
template <class Part> constexpr void take_values(Part& to, reference::values const& from) {
    if constexpr (!Part::static_dims().is_static()) to = Part::uninitialized(from.shape);
    auto* const elements = to.mutable_data();
    for (std::int64_t i = 0; i < from.size(); ++i) elements[i] = reference::element_of<typename Part::value_type>(from[i]);
}

// A computable_constant is the result of an op on constants; its elements are computed when they are read.
template <class T> struct computable_constant : recorded_constant<T> {
    buffer<T> computed;
    constexpr computable_constant(constant_trace const& of, node_id node) : recorded_constant<T>(of, node) {
        this->discard = [](deferred* constant) { delete static_cast<computable_constant*>(constant); };
        this->compute = [](deferred_elements<T>& constant) { return static_cast<computable_constant&>(constant).elements(); };
    }
    constexpr T const* elements() {
        graph const& recorded = this->trace.scope().recorded;
        if (!computed.empty()) return computed.data();
        graph part;
        part.add_output(append_part(part, recorded, {&this->id, 1})[0]);
        graph const lean = simplify(part.view());
        constants_run<T> const all(lean.view(), {});
        if (!all.is_complete()) reference::throw_not_constant(recorded[this->id].code);
        reference::values const& from = all[lean.outputs()[0]];
        for (std::int64_t i = 0; i < from.size(); ++i) computed.push_back(reference::element_of<T>(from[i]));
        return computed.data();
    }
};

template <class Tensor> constexpr Tensor tensor_of_constant(constant_trace const& constants, node_id id) {
    auto* const constant = new computable_constant<typename Tensor::stored_type>(constants, id);
    if (is_inline<typename Tensor::value_type, typename Tensor::shape_type>) constants.scope().pin(constant);
    return tensor_access::from_deferred<Tensor>(constant, constants.scope().recorded.shape_of(id));
}

// True if all nodes together take so few steps that they hardly use up the compilers' limits for constant evaluation. clang needs
// about 250 of its 1,048,576 steps for each of these.
constexpr bool is_quickly_computed(graph_view const& g) {
    constexpr double most_steps = 1024;
    double steps = 0;
    for (node const& n : g) {
        bool const is_costly = info(n.code).kind == kind::decomposition || info(n.code).kind == kind::routine;
        if (is_costly || !g.shape_of(n).is_static()) return false;
        double here = static_cast<double>(g.shape_of(n).size());
        if (n.code == op::matmul) here *= static_cast<double>(g.shape_of(g.operand(n, 0))[g.shape_of(g.operand(n, 0)).rank - 1]);
        steps += here;
    }
    return steps <= most_steps;
}

// Returns the result of an op on constants, inside a callable that the compiler traces or in a constant of the program. It is
// computed at once if that takes few steps, and if the result can live in a constexpr variable or is hardly larger. Otherwise,
// and where constant evaluation has no value for it, it is recorded. record(scope) returns the results' nodes.
template <class Result, class Record>
constexpr Result result_of_constants(constant_trace const& constants, Record const& record) {
    graph& recorded = constants.scope().recorded;
    buffer<node_id> const ids = record(constants.scope());
    Result out{};
    std::size_t number = 0;
    bool is_large = false, has_extents = true;
    for_each_output(out, [&]<class Part>(Part const&) {
        dims const& d = recorded.shape_of(ids[number++]);
        has_extents = has_extents && d.is_static();
        is_large = is_large ||
                   (may_be_deferred<typename Part::value_type, typename Part::shape_type> && d.is_static() && is_deferred(d));
    });
    number = 0;
    if (!is_large && recorded.view().captures.size() == 0) {
        graph part;
        for (node_id const id : append_part(part, recorded, ids)) part.add_output(id);
        graph const lean = simplify(part.view());
        if (!has_extents || is_quickly_computed(lean)) {
            constants_run<Result> const all(lean.view(), {});
            if (all.is_complete()) {
                for_each_output(out, [&]<class Part>(Part& to) { take_values(to, all[lean.outputs()[number++]]); });
                return out;
            }
        }
    }
    for_each_output(out, [&]<class Part>(Part& part) { part = tensor_of_constant<Part>(constants, ids[number++]); });
    return out;
}
template <class Result, class Fn, class... A> constexpr Result constant_result(Fn fn, A const&... a) {
    return result_of_constants<Result>(trace_of_constants(a...), [&](trace_scope& scope) {
        scope.recorded.clear_outputs();
        record_outputs(scope, fn(lift(scope, a)...));
        return buffer<node_id>(scope.recorded.outputs());
    });
}
template <class A> constexpr node_id node_of_operand(trace_scope& scope, A const& a) {
    if constexpr (tensor_type<A>) return record_tensor(scope, a);
    else return record_operand<dtype_of<A>>(scope, a);
}
// Returns the result of an op with a recorder on constants, of which some may belong to a trace.
template <class Fn, class... A> constexpr typename Fn::template result<A...> constant_op(A const&... a) {
    using result = typename Fn::template result<A...>;
    auto const record = [&](trace_scope& scope) {
        node_id const operands[]{node_of_operand(scope, a)...};
        op_recorder const& recorder = *Fn::template recorder_for<A...>;
        node_id made{};
        recorder.record(recorder, scope, operands, &made);
        return buffer<node_id>(1, made);
    };
    if (trace_scope* const scope = scope_among(a...)) {
        node_id const id = record(*scope)[0];
        return tensor_access::from_symbol<result>(scope, static_cast<std::int32_t>(id), scope->recorded.shape_of(id));
    }
    return result_of_constants<result>(trace_of_constants(a...), record);
}

} // namespace tx::detail::inline TRACEXPR_CALLS
