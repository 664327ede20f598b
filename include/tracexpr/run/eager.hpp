// This file runs ops on concrete tensors at once: each op is a function of one op.
#pragma once

#include <tracexpr/run/on_numbers.hpp>
#include <tracexpr/run/op_calls.hpp>
#include <tracexpr/run/recording/recording.hpp>
#include <tracexpr/run/typed_call.hpp>
#include <tracexpr/trace/pointwise.hpp>

#if TRACEXPR_TRACES_HERE
#include <tracexpr/run/compiled_ops.hpp>
#include <tracexpr/run/constant_ops.hpp>
#endif
#if !TRACEXPR_HAS_ROUTINES
#include <tracexpr/run/eager_most_axes.hpp>
#endif

namespace tx::detail::inline TRACEXPR_CALLS {

// Makes a tensor of one value, with the extents of the only tensor among the operands.
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

// Returns the trace of an op and its program. Both depend only on the types of the op and its operands, and on these extents.
template <class Fn, class Result, class... A>
traced_program eager_program(Fn const& fn, Result const& result, table_view<dims> extents, A const&... a) {
    static_assert(!callable_form<Fn>::state.has_values);
    static op_programs known;
    auto const make = [&] {
        (for_each_leaf(a, need_routines_of_leaf{}), ...);
        for_each_output(result, need_routines_of_leaf{});
        return trace_now(extents, nullptr, fn, a...);
    };
    return program_of_op<>(known, extents, [](void const* by) { return (*static_cast<decltype(make) const*>(by))(); }, &make);
}

template <class Result, class Fn, class... A> Result run_checked(Fn fn, A const&... a) {
    if constexpr (is_handed_on<Fn, A...> && !facts<Result>.has_lists) {
        return result_of_op<Result>(source_of_op<Fn, A...>, a...);
#if !TRACEXPR_HAS_ROUTINES
    } else if constexpr (runs_with_most_axes<Fn, A...>) {
        return run_with_most_axes<Result>(fn, a...);
#endif
#if TRACEXPR_TRACES_HERE
    } else if constexpr (!(facts<A>.has_open_rank || ...)) {
        return run_compiled<Result>(fn, a...);
#endif
    } else {
        Result out{};
        listed_leaves<Fn, A...> arguments(fn, a...);
        traced_program const found = eager_program(fn, out, arguments.shapes(), a...);
        if constexpr (facts<Result>.has_lists) out = *static_cast<Result const*>(found.trace->form.get());
        listed_results<Result> const results(&out);
        run_listed<>(*found.made, arguments.view(), results.leaves.all);
        if (innermost_recorder) [[unlikely]]
            record_op(fn, found.trace->traced.view(), out, a...);
        return out;
    }
}

// eager_result is the type of an op's result. Scalars' values are known here, but not where Fn is traced.
template <class Fn, class... A> struct eager_result {
    using type = result_tree_of<traced_result<Fn, A...>>;
};
template <class Fn, class... A> requires has_recorder<Fn, A...> struct eager_result<Fn, A...> {
    using type = typename Fn::template result<A...>;
};
template <class Result, class Fn, class... A> Result run_now(Fn fn, A const&... a) {
    if constexpr (requires { Fn::foregone(a...); }) {
        if (verdict const known = Fn::foregone(a...); known != verdict::open)
            return uniform<Result>(known == verdict::always, a...);
        return run_eager(fn, Fn::template fitted<Fn::template computed_in<A...>>(a)...);
    } else {
        if constexpr (requires { Fn::check(a...); }) Fn::check(a...);
        return run_checked<Result>(fn, a...);
    }
}
template <class Fn, class... A> constexpr auto run_eager(Fn fn, A const&... a) {
    using result = typename eager_result<Fn, A...>::type;
    // With this order of branches g++ drops the first one, in the running program, before it compiles what that calls.
    if (__builtin_is_constant_evaluated()) {
#if TRACEXPR_TRACES_HERE
        if constexpr (looks_for_traces<Fn, A...> && has_recorder<Fn, A...> && tensor_type<result>) return constant_op<Fn>(a...);
        else return constant_result<result>(fn, a...);
#else
        return not_a_constant_with_kernels_none<result>();
#endif
    } else {
        return run_now<result>(fn, a...);
    }
}

} // namespace tx::detail::inline TRACEXPR_CALLS
