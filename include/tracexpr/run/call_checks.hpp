// This file checks at compile time that a function can run its callable, and explains by static_assert why it can't, before
// anything else of the callable is compiled.
#pragma once

#include <tracexpr/run/signature.hpp>
#include <tracexpr/run/tracing.hpp>

namespace tx::detail {

// Explains what is wrong with a callable's result, or with what a trace is asked for; returns false if it can't be compiled.
template <class R> constexpr bool check_result() {
    constexpr tree_facts returned = [] {
        if constexpr (std::is_void_v<R>) return tree_facts{};
        else return facts<R>;
    }();
    static_assert(
        returned.is_tree,
        "tx: function: the callable must return a tensor, an expr, a scalar, or a tuple, array, pair, aggregate, vector, map or "
        "optional of these");
    if constexpr (!returned.is_tree || returned.has_failed) {
        return false;
    } else {
        static_assert(
            is_rebuilt<R>,
            "tx: function: a struct that the callable returns must hold tensors, or be a template of types only, which can "
            "hold tensors as well as exprs; give its members the type tx::tensor");
        return is_rebuilt<R>;
    }
}
// Explains that a callable can't be called with so many arguments. The compiler doesn't tell the reason: a callable in whose body
// it has found, and shown, an error can't be called either.
template <bool Is, std::size_t Count> constexpr void check_count() {
    static_assert(Is || Count != 0,
                  "tx: function: the callable was called without arguments and must take none (tensors and scalars "
                  "reach it as tx::expr); where an error stands above, that is the cause: what it names must be captured, and "
                  "defined before the call, and all returns must have one type");
    static_assert(Is || Count != 1,
                  "tx: function: the callable was called with 1 argument and must take 1, of its type (tensors and scalars "
                  "reach it as tx::expr); where an error stands above, that is the cause: what it names must be captured, and "
                  "defined before the call, and all returns must have one type");
    static_assert(Is || Count != 2,
                  "tx: function: the callable was called with 2 arguments and must take 2, of their types (tensors and scalars "
                  "reach it as tx::expr); where an error stands above, that is the cause: what it names must be captured, and "
                  "defined before the call, and all returns must have one type");
    static_assert(Is || Count != 3,
                  "tx: function: the callable was called with 3 arguments and must take 3, of their types (tensors and scalars "
                  "reach it as tx::expr); where an error stands above, that is the cause: what it names must be captured, and "
                  "defined before the call, and all returns must have one type");
    static_assert(Is || Count < 4,
                  "tx: function: the callable was called with 4 arguments or more and must take as many, of their types (tensors "
                  "and scalars reach it as tx::expr); where an error stands above, that is the cause: what it names must be "
                  "captured, and defined before the call, and all returns must have one type");
}
// Checks both the call of a callable and its result.
template <class F, class... A> constexpr bool check_call_of_trees() {
    constexpr bool is_callable = callable_with<F, A...>;
    check_count<is_callable, sizeof...(A)>();
    if constexpr (!is_callable) return false;
    else return check_result<std::remove_cvref_t<traced_result<F, A...>>>();
}
template <class F, class... A> constexpr bool check_call() {
    static_assert((facts<A>.is_tree && ...),
                  "tx: function: an argument must be a tensor, a C++ scalar, tx::key(value), an integral_constant, "
                  "or a tuple, array, pair, aggregate, vector, map or optional of these; an aggregate holds no other library's "
                  "arrays, and a vector of numbers is an array: tx::from_range(v)");
    if constexpr (!(facts<A>.is_tree && ...) || (facts<A>.has_failed || ...)) return false;
    else if constexpr ((facts<A>.has_foreign || ...) || (facts<A>.has_exprs || ...)) return true;
    else return check_call_of_trees<F, A...>();
}
// Checks the arguments' extents where a transform has requirements that its trace doesn't check.
template <class F, class... A> TRACEXPR_INLINE void check_extents_of_call(A const&... a) {
    if constexpr (requires { callable_form<F>::check_extents(a...); }) callable_form<F>::check_extents(a...);
}
// Checks that a callable which returns nothing has an effect. For what is traced at run time, trace_now checks it.
template <class F, class... A> constexpr bool check_effect() {
    if constexpr (!std::is_void_v<traced_result<F, A...>>) {
        return true;
    } else if constexpr (!statically_traceable<F, A...>) {
        return true;
    } else {
        constexpr bool has_effect = !loses_all(stages<compile_time_trace<F, A...>>::trace());
        static_assert(has_effect, "tx: function: the callable returns nothing and has no effect; return what it computes");
        return has_effect;
    }
}
template <class F, class... Specs> constexpr bool check_specs() {
    static_assert((is_spec<Specs> && ...),
                  "tx: function::concrete, graph_of, spec_of: take a tx::spec<dtype, shape> for each argument, a tuple, pair or "
                  "array of them, or the argument's type");
    constexpr bool has_lists = (facts<tensor_of<Specs>>.has_lists || ...);
    static_assert(!has_lists,
                  "tx: function::concrete, graph_of, spec_of: how many parts a vector, map or optional has only a call "
                  "tells; call the function, or give a tuple or array of specs");
    if constexpr (!(is_spec<Specs> && ...) || has_lists) {
        return false;
    } else {
        static_assert(callable_with<F, tensor_of<Specs>...>, "tx: function::concrete, graph_of, spec_of: the callable must take "
                                                             "one argument for each spec, of its dtype and shape");
        if constexpr (!callable_with<F, tensor_of<Specs>...>) return false;
        else return check_result<std::remove_cvref_t<traced_result<F, tensor_of<Specs>...>>>();
    }
}

} // namespace tx::detail
