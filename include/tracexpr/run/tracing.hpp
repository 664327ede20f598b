// This file makes a graph of a callable and the types of its arguments: in the compiler if the callable allows it, else at run
// time.
#pragma once

#include <tracexpr/base/pack.hpp>
#include <tracexpr/run/callable.hpp>
#include <tracexpr/run/kept_constants.hpp>

#if TRACEXPR_TRACES_HERE
#include <tracexpr/passes/pipeline.hpp>
#endif

namespace tx::detail {

template <class Trace> struct stages;

// argument_scope is a trace whose parameters take their shapes from the arguments' types, or, if those leave something open, from
// `extents`.
struct argument_scope : trace_scope {
    table_view<dims> extents{};
    std::shared_ptr<void>* form = nullptr; // where the result's form is stored, if a call asks for it
    constexpr argument_scope() = default;
    constexpr ~argument_scope() {} // nvcc 13 does not take the implicit one for constexpr
    TRACEXPR_ONCE constexpr dims parameter_extents(dims const& typed) const {
        return typed.is_static() || extents.empty() ? typed : extents[recorded.view().parameters.size()];
    }
};

template <class R> constexpr void record_outputs(trace_scope& scope, R const& results) {
    detail::for_each_result(results, [&](auto const& part) {
        using T = typename result_tree_of<std::remove_cvref_t<decltype(part)>>::value_type;
        scope.recorded.add_output(record_operand<dtype_of<T>>(scope, part));
    });
}

// Gives an empty tree as many parts in its lists as another tree has.
template <class Result, class R> void take_parts(Result& out, R const& from) {
    if constexpr (!facts<Result>.has_lists) {
    } else if constexpr (list_type<Result>) {
        out = map_list_to<Result>(from, [](auto const& part) {
            list_part<Result> made{};
            take_parts(made, part);
            return made;
        });
    } else {
        auto const to_parts = parts_of(out);
        auto const from_parts = parts_of(from);
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (take_parts(std::get<I>(to_parts), std::get<I>(from_parts)), ...);
        }(std::make_index_sequence<std::tuple_size_v<decltype(to_parts)>>{});
    }
}
template <class R> constexpr void record_form(argument_scope& scope, R const& results) {
    using result = result_tree_of<R>;
    if constexpr (facts<result>.has_lists) {
        if (!scope.form) return;
        auto const made = std::make_shared<result>();
        take_parts(*made, results);
        *scope.form = made;
    }
}
template <class R> [[gnu::cold]] constexpr void record_results_and_form(argument_scope& scope, R const& results) {
    detail::record_outputs(scope, results);
    record_form(scope, results);
}
// Adds the assigned values as outputs after the results.
TRACEXPR_ONCE constexpr void record_assignments_here(trace_scope& scope) {
    for (assignment const& a : scope.assignments) scope.recorded.assign_capture(a.what, a.value);
    scope.recorded.add_assigned_outputs();
}
TRACEXPR_HERE_OR_ONCE(void, record_assignments, record_assignments_here, (trace_scope & scope), (scope))
// Calls the callable on exprs; the tensors of its state follow the arguments as parameters.
template <class F, class... A> [[gnu::cold]] constexpr void trace_into(argument_scope& scope, F const& f, A const&... a) {
    // This needs braces, not a call's parentheses, because parameters are numbered from left to right.
    pack<decltype(symbolic(a, scope))...> const arguments{{symbolic(a, scope)}...};
    arguments.pass_to([&](auto const&... argument) {
        using result = decltype(callable_form<F>::call(scope, f, argument...));
        if constexpr (std::is_void_v<result>) callable_form<F>::call(scope, f, argument...);
        else detail::record_results_and_form(scope, callable_form<F>::call(scope, f, argument...));
        record_assignments(scope);
        if (scope.token != node_id::none) scope.recorded.add_output(scope.token); // keeps the effects
    });
}

[[noreturn]] TRACEXPR_ONCE void throw_unseen_assignment() {
    throw trace_error("tx: variable: callables that assign are traced when they are called");
}

template <class F, class... A> struct compile_time_trace {
    static constexpr pass_options passes = passes_of<F>;
    static constexpr bool can_keep_constants = passes.simplify;
    template <class Constants> TRACEXPR_NAMES_TARGET static constexpr auto captures() {
        return captures_of_constants<Constants>();
    }
    static constexpr graph make() {
        argument_scope scope;
        detail::trace_into(scope, callable_form<F>::prototype(), prototype<A>()...);
        if (!scope.recorded.view().assigned.empty()) throw_unseen_assignment();
        scope.recorded.give_captures_of_callable();
        return std::move(scope.recorded);
    }
};

// Does a graph have ops, but neither results nor effects?
TRACEXPR_ONCE constexpr bool loses_all(graph_view const& g) {
    if (g.outputs.size() > 0) return false;
    for (std::size_t i = 0; i < g.size(); ++i)
        if (g.nodes[i].arity > 0) return true;
    return false;
}

template <class A> using symbolic_as = decltype(symbolic(std::declval<A const&>(), std::declval<argument_scope&>()));
// This is no concept, because compilers would add how they check it to each error in a callable.
template <class F, class... A> inline constexpr bool callable_with = callable_form<F>::template takes<symbolic_as<A>...>;
template <class F, class... A> using traced_result = decltype(callable_form<F>::call(
    std::declval<argument_scope&>(), std::declval<F const&>(), std::declval<symbolic_as<A> const&>()...));

template <class F> concept has_static_form = (TRACEXPR_TRACES_HERE != 0) && callable_form<F>::is_static;
template <class A> concept has_static_argument =
    facts<A>.is_tree && !facts<A>.has_values && !facts<A>.has_open_rank && !facts<A>.has_exprs && has_prototype<A>;

// Does a callable return a tree of which only the run tells how many parts it has?
template <class F, class... A> constexpr bool gives_lists_of() {
    if constexpr (!callable_with<F, A...>) return false;
    else if constexpr (std::is_void_v<traced_result<F, A...>>) return false;
    else return facts<std::remove_cvref_t<traced_result<F, A...>>>.has_lists;
}
template <class F, class... A> inline constexpr bool gives_lists = gives_lists_of<F, A...>();
// Can the compiler trace F for arguments of these types?
template <class F, class... A> concept statically_traceable =
    has_static_form<F> && (has_static_argument<A> && ...) && !gives_lists<F, A...> &&
    requires { typename std::integral_constant<std::size_t, compile_time_trace<F, A...>::make().size()>; };

} // namespace tx::detail
