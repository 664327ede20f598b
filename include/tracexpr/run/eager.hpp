// Ops on concrete tensors: a function of one op, run at once.
#pragma once

#include <tracexpr/run/execute.hpp>
#include <tracexpr/run/recording.hpp>
#include <tracexpr/trace/pointwise.hpp>

namespace tx::detail::inline TRACEXPR_TARGET {

// What the compiler makes of an op on constants, element by element: inside a callable that it traces.
template <class Result, class Fn, class... A> constexpr Result constant_result(Fn fn, A const&... a) {
    argument_scope scope;
    record_outputs(scope, fn(lift(scope, a)...));
    graph const lean = simplify(scope.recorded.view());
    // void, but not before Result is known: clang would compile the executor with the header.
    reference::run<std::enable_if_t<!std::is_void_v<Result>>> const all(lean.view(), {});
    Result out{};
    std::size_t number = 0;
    for_each_output(out, [&]<class Part>(Part& part) {
        reference::values const& from = all[lean.outputs()[number++]];
        if constexpr (!Part::static_dims().is_static()) part = Part::uninitialized(from.shape);
        auto* const to = part.mutable_data();
        for (std::size_t i = 0; i < from.cells.size(); ++i) to[i] = reference::element_of<typename Part::value_type>(from.cells[i]);
    });
    return out;
}

// A value for each element of the only tensor.
template <class Result, class... A> Result uniform(typename Result::value_type value, A const&... a) {
    dims d;
    auto const look = [&](auto const& operand) {
        if constexpr (tensor_type<decltype(operand)>) d = operand.dimensions();
    };
    (look(a), ...);
    Result out = Result::uninitialized(d);
    fill(out.mutable_data(), out.size(), value);
    return out;
}

// Scalars' values are known here, not where Fn is traced.
template <class Fn, class... A> constexpr auto run_eager(Fn fn, A const&... a) {
    using result = result_tree_of<traced_result<Fn, A...>>;
    if (std::is_constant_evaluated()) return constant_result<result>(fn, a...);
    if constexpr (requires { Fn::foregone(a...); }) {
        if (verdict const known = Fn::foregone(a...); known != verdict::open) return uniform<result>(known == verdict::always, a...);
    } else if constexpr (requires { Fn::check(a...); }) Fn::check(a...);
    if constexpr ((facts<A>.has_open_rank || ...)) {
        call_leaves<Fn, A...> arguments;
        (arguments.add(a), ...);
        runtime_program const program = trace_now(arguments.shapes(), nullptr, fn, a...);
        result out{};
        run_reference_on(program.simplified.view(), arguments, out);
        if (innermost_recorder) [[unlikely]] record_op(program.traced.view(), out, a...);
        return out;
    } else {
        using traced = stages<compile_time_trace<Fn, A...>>;
        result out{};
        run_to_result(out, leaves_of_call<traced>(fn, a...));
        if (innermost_recorder) [[unlikely]] record_op(traced::trace(), out, a...);
        return out;
    }
}

} // namespace tx::detail
