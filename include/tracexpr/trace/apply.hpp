// This file decides how an op is executed for every kind of operand: exprs, symbolic and concrete tensors, variables, scalars.
// The op is recorded in the trace that an operand belongs to, or that reads an operand anew at each run; else it is computed at
// once.
#pragma once

#include <tracexpr/trace/op_recorder.hpp>
#include <tracexpr/trace/record.hpp>

namespace tx::detail {

// Gives the tensor in a variable, without recording that it was read.
template <class A> constexpr decltype(auto) unrecorded(A const& a) {
    if constexpr (variable_type<A>) return a.unrecorded();
    else return (a);
}

template <class T, class Shape> constexpr trace_scope* scope_of_symbol(tensor<T, Shape> const& a) {
    if (tensor_access::constant(a)) return nullptr;
    symbol_scope* const owner = tensor_access::symbol_owner(a);
    if (owner && !__builtin_is_constant_evaluated()) require_live(owner, tensor_access::identity(a).number());
    return owner ? static_cast<trace_scope*>(owner)->root->innermost : nullptr;
}
// The scope of the first expr or symbolic tensor among the operands, or null.
template <class A> constexpr trace_scope* scope_of(A const& a) {
    if constexpr (expr_type<A>) return &a.scope();
    else if constexpr (captured_type<A>) return a.scope();
    else if constexpr (variable_type<A>) return scope_of(a.unrecorded());
    else if constexpr (tensor_type<A>) return a.readable() ? scope_of_symbol(a) : nullptr;
    else return nullptr;
}
// Is the operand read anew at each run of a trace that mentions it? Variables are, and tensors with static storage duration.
template <class A> bool is_read_live(A const& a) {
    if constexpr (variable_type<A>) return true;
    else if constexpr (tensor_type<A>) return has_static_storage(&a);
    else return false;
}
// Does a concrete tensor stand for a node of the trace, because a tape watches it there?
TRACEXPR_ONCE bool is_watched_in(trace_scope const* scope, tensor_identity const& identity, captured const& tensor) {
    if (!scope || !scope->watched || !identity.number()) return false;
    return scope->watched->find(tensor.see(tensor.address)) != node_id::none;
}
template <class A> bool is_watched_in(trace_scope const* scope, A const& a) {
    if constexpr (tensor_type<A>) return is_watched_in(scope, tensor_access::identity(a), capture_of(a));
    else return false;
}
// Does an op on this operand alone belong to the trace under way on this thread?
template <class A> bool is_live(A const& a) { return is_read_live(a) || is_watched_in(innermost_trace, a); }
// Gives the trace under way on this thread where one of the operands is live, else null.
template <class... A> trace_scope* scope_of_live(A const&... a) {
    return innermost_trace && (is_live(a) || ...) ? innermost_trace : nullptr;
}
// A trace that uses the extents of a live operand as numbers holds for these extents only. The capture that is appended here,
// used or not, has the trace check them at each run.
template <class A> void depend_on_extents(A const& a) {
    if constexpr (held_type<A>)
        if (trace_scope* const scope = innermost_trace; scope && !scope->leaf && is_read_live(a) && !scope_of(a))
            scope->append_capture(dtype_of<typename A::value_type>, a.dimensions(), capture_of(a));
}
template <class First, class... Rest> constexpr trace_scope* scope_among(First const& first, Rest const&... rest) {
    if constexpr (expr_type<First> || sizeof...(Rest) == 0) {
        return scope_of(first);
    } else if constexpr (held_type<First>) {
        if (trace_scope* const scope = scope_of(first)) return scope;
    }
    if constexpr (sizeof...(Rest) > 0) return scope_among(rest...);
}

// A string and another library's array stand for tensors; a constant type and a character stand for scalars.
template <class A> inline constexpr bool has_other_form = text_type<A> || static_scalar<A> || character_type<A> || foreign<A>;
template <class A> constexpr decltype(auto) plain_operand(A const& a) {
    if constexpr (text_type<A>) return tensor<std::string, shape<>>(std::string_view(a));
    else if constexpr (static_scalar<A>) return std::remove_cv_t<decltype(A::value)>(A::value);
    else if constexpr (character_type<A>) return +a;
    else if constexpr (is_element_reference<A>) return foreign_access<A>::borrow(a);
    else if constexpr (foreign<A>) return foreign_access<A>::to_tensor(a);
    else return (a);
}

template <class A> constexpr auto lift(trace_scope& scope, A const& a) {
    if constexpr (tensor_type<A>) return expr<typename A::value_type, typename A::shape_type>(scope, record_tensor(scope, a));
    else if constexpr (variable_type<A>) return a.record(scope);
    else return a;
}
// Records an operand that is read at each run, in a trace made at run time or in the graph of a tape.
TRACEXPR_ONCE node_id record_live(trace_scope& scope, dtype type, dims const& shape, captured const& what) {
    if (scope.leaf) return scope.leaf(scope, what.see(what.address));
    if (watched_values const* const watched = scope.root->watched)
        if (node_id const known = watched->find(what.see(what.address)); known != node_id::none)
            return scope.taken_from(*scope.root, known);
    return scope.append_capture(type, shape, what);
}
template <class E> constexpr auto to_symbolic(E const& e) {
    if constexpr (expr_type<E>) return tensor<typename E::value_type, typename E::shape_type>(e);
    else return e; // a tuple of exprs converts where the caller stores it
}
template <class E, std::size_t N> constexpr auto to_symbolic(std::array<E, N> const& parts) {
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
        return std::array<decltype(to_symbolic(parts[0])), N>{to_symbolic(parts[K])...};
    }(std::make_index_sequence<N>{});
}

// Gives the tensor that a variable stands for, by a read that watching tapes record.
template <class A> constexpr decltype(auto) as_operand(A const& a) {
    if constexpr (variable_type<A>) return a.read();
    else return (a);
}

// The name of the function that users call, for a functor or rule that records ops of other names; else null.
template <class Fn> inline constexpr char const* called_by = nullptr;
template <class Fn> requires requires { Fn::called; } inline constexpr char const* called_by<Fn> = Fn::called;

// Throws the error of an inner op under the name of the function that the user called.
template <class Unused = void> [[noreturn]] TRACEXPR_NOINLINE void throw_as(char const* function, char const* message) {
    std::string_view const text = message;
    std::size_t const end = text.starts_with("tx: ") ? text.find(": ", 4) : text.npos;
    throw shape_error(end == text.npos ? std::string(text) : "tx: " + std::string(function) + std::string(text.substr(end)));
}
TRACEXPR_INSTANCE(void throw_as<void>(char const*, char const*))

// Gives what is known of an operand's shape.
template <class A> constexpr dims shape_of_operand(A const& a) {
    if constexpr (expr_type<A> || tensor_type<A>) return a.dimensions();
    else if constexpr (captured_type<A>) return dims_of_operand<A>;
    else if constexpr (variable_type<A>) return a.unrecorded().dimensions();
    else if constexpr (foreign<A>) return shape_of_operand(foreign_access<A>::to_tensor(a));
    else return {};
}
// Throws the error in the words of the function's own rule, with the shapes that the user gave, where Fn::explain(shapes...)
// finds that rule broken. The inner op's message may show other shapes, such as a matrix made of a vector.
template <class Fn, class... A> [[noreturn]] void throw_as_given(char const* message, A const&... a) {
    if constexpr (requires { Fn::explain(shape_of_operand(a)...); })
        if (((shape_of_operand(a).rank >= 0) && ...)) Fn::explain(shape_of_operand(a)...);
    throw_as(called_by<Fn>, message);
}

inline namespace TRACEXPR_CALLS {

// Computes the op on C++ numbers alone and gives a number; defined with the eager executor.
template <op Code, class... A> constexpr auto run_on_numbers(A const&... a);
// Computes the functor Fn on concrete tensors and scalars, and on symbolic ones where the call itself looks for traces. Defined
// with the eager executor.
template <class Fn, class... A> constexpr auto run_eager(Fn fn, A const&... a);
// Computes Fn in a constant evaluation, as far as that is possible.
template <class Result, class Fn, class... A> constexpr Result constant_result(Fn fn, A const&... a);
template <class Fn, class... A> constexpr auto apply_op(Fn fn, A const&... a);

// Does the function compute each element of its result from one element of each operand, with broadcasting?
template <class Fn> inline constexpr bool is_elementwise = false;
// A tensor lies inside where its elements are stored in the object itself. Ops on such tensors have their own kernels where the
// file does not ask for the compiled library, because calling one takes less time than a call into the library.
template <class A> inline constexpr bool lies_inside = true;
template <class T, class Shape> inline constexpr bool lies_inside<tensor<T, Shape>> = is_inline<T, Shape>;
template <variable_type A> inline constexpr bool lies_inside<A> =
    lies_inside<std::remove_cvref_t<decltype(unrecorded(std::declval<A const&>()))>>;
// Does the compiled library run an op on operands of these types?
template <class Fn, class... A> inline constexpr bool runs_on_routines =
    TRACEXPR_PREFERS_TILES || (TRACEXPR_HAS_ROUTINES && !(lies_inside<A> && ...));
// Is a call handed on, with the way to record it, to one compiled function that runs all ops and looks whether the call is part
// of a trace? A functor with members is not: its members act as operands, and its trace is made by the compiler.
template <class Fn, class... A> inline constexpr bool is_handed_on =
    TRACEXPR_HAS_ROUTINES && runs_on_routines<Fn, A...> && std::is_empty_v<Fn> && ((tensor_type<A> || scalar_type<A>) && ...);
// Does the handing on complete the call, with nothing left to be done here?
template <class Fn, class... A> inline constexpr bool looks_for_traces =
    is_handed_on<Fn, A...> && !requires(A const&... a) { Fn::foregone(a...); };

// Every op is called through this function: `fn` records it on exprs and scalars. On tensors it is computed at once, unless one
// is symbolic, or is live while this thread traces a callable.
template <class Fn, class... A> constexpr auto apply(Fn fn, A const&... a) {
    if constexpr (any_unusable<A...>) {
        return used<A...>();
    } else if constexpr (called_by<Fn> == nullptr) {
        return apply_op(fn, a...);
    } else {
        try {
            return apply_op(fn, a...);
        } catch (shape_error const& e) {
            throw_as_given<Fn>(e.what(), a...);
        }
    }
}
// Calls apply where the arguments have passed the checks of the function that the user called (Pass), else gives failed{}.
template <bool Pass, class Fn, class... A> constexpr auto apply_if(Fn fn, A const&... a) {
    if constexpr (Pass) return detail::apply(fn, a...);
    else return failed{};
}
template <class Fn, class... A> constexpr auto apply_to_values(Fn fn, A const&... a) {
    using eager = decltype(run_eager(fn, unrecorded(a)...));
    trace_scope* scope = scope_among(a...);
    if (!scope && !__builtin_is_constant_evaluated()) scope = scope_of_live(a...);
    if (scope) return eager(to_symbolic(fn(lift(*scope, a)...)));
    if constexpr ((captured_type<A> || ...))
        if (__builtin_is_constant_evaluated()) return constant_result<eager>(fn, a...);
    return run_eager(fn, as_operand(a)...);
}
template <class Fn, class... A> constexpr auto apply_op(Fn fn, A const&... a) {
    if constexpr ((has_other_form<A> || ...)) {
        return apply_op(fn, plain_operand(a)...);
    } else if constexpr (sizeof...(A) > 0 && (number_type<A> && ...)) {
        return apply_op(fn, tensor<canonical<A>, shape<>>(static_cast<canonical<A>>(a))...).item();
    } else if constexpr ((expr_type<A> || ...)) {
        if constexpr (!(held_type<A> || ...)) return fn(a...); // the common case, in few steps of constant evaluation
        else return fn(lift(*scope_among(a...), a)...);
    } else if constexpr (!looks_for_traces<Fn, A...>) {
        return apply_to_values(fn, a...);
    } else if constexpr (has_recorder<Fn, A...>) {
        return run_eager(fn, a...);
    } else {
        if (__builtin_is_constant_evaluated()) return apply_to_values(fn, a...);
        else return run_eager(fn, a...);
    }
}

} // namespace TRACEXPR_CALLS
} // namespace tx::detail
