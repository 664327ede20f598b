// This file holds effects (print, assert_that, check_finite), which happen when the graph runs, not while it is traced. Effects
// keep the order of the program: each takes the token of the one before it and gives its own.
#pragma once

#include <tracexpr/graph/shown.hpp>
#include <tracexpr/graph/verify.hpp>
#include <tracexpr/trace/apply.hpp>

#include <string_view>
#include <type_traits>

namespace tx {
namespace detail {

// An operand that can be shown as text.
template <class A> concept shown_operand = operand<A> && !container_type<A>;

// Records an effect that shows values: print, assert_that or check_finite.
template <class... A> constexpr void record_message(trace_scope& scope, op code, std::string_view text, A const&... values) {
    if (!__builtin_is_constant_evaluated()) know_effects<>();
    node_id const nodes[]{record_operand<dtype_of_operand<A>>(scope, plain_operand(values))..., node_id::none};
    buffer<node_id> operands(table_view<node_id>(nodes, sizeof...(A)));
    operands.push_back(scope.last_token());
    scope.token = scope.recorded.append(code, dtype::token, dims{}, operands, message::attributes(text), {1, 0});
}

// This function is not constexpr: a call of it while a text is checked in the compiler doesn't compile, and the compiler's
// message shows its name.
inline void the_text_must_have_a_pair_of_braces_for_each_value() {}

[[noreturn]] TRACEXPR_ONCE void throw_unseen_effect() {
    throw trace_error("tx: an effect without an expr among its values can't be found in a trace that the compiler makes");
}

// Gives the text of a value, or of an expr's value while functions run eagerly.
template <class A> std::string text_of(A const& a) {
    if constexpr (text_type<A>) return std::string(std::string_view(a));
    else if constexpr (scalar_type<A>) return to_string(tensor<canonical<A>, shape<>>(a));
    else if constexpr (expr_type<A>) return to_string(a.value());
    else return to_string(as_operand(a));
}

template <class... A> std::string filled_with(std::string_view text, A const&... values) {
    std::string const texts[]{text_of(values)..., std::string()};
    return filled_text(text, [&](std::size_t k) { return texts[k]; });
}
// Gives a value as a tensor, for an effect that happens at once.
template <class A> auto value_now(A const& a) {
    using plain = std::remove_cvref_t<decltype(plain_operand(a))>;
    if constexpr (scalar_type<plain>) return tensor<canonical<plain>, shape<>>(plain_operand(a));
    else if constexpr (expr_type<A>) return a.value();
    else return as_operand(plain_operand(a));
}

// Gives the scope of the trace under way, or null.
template <class... A> constexpr trace_scope* scope_around(A const&... a) {
    trace_scope* scope = nullptr;
    if constexpr (sizeof...(A) > 0) scope = scope_among(a...);
    if (!__builtin_is_constant_evaluated() && !scope) scope = innermost_trace;
    if (__builtin_is_constant_evaluated() && !scope) throw_unseen_effect();
    return scope;
}
// Gives the scope that records an effect, or null where the effect happens at once.
template <class... A> constexpr trace_scope* scope_of_effect(A const&... a) {
    trace_scope* const scope = scope_around(a...);
    return scope && !scope->root->evaluate ? scope : nullptr;
}
// Gives the scope that records a call whose result has derivatives, or null where the call happens at once. While functions run
// eagerly that is at once, unless a value depends on what a derivative is taken with respect to, or stands for a batch: such a
// call is recorded.
template <class... A> constexpr trace_scope* scope_of_call(A const&... a) {
    trace_scope* const scope = scope_around(a...);
    if (!scope || !scope->root->evaluate) return scope;
    node_id const nodes[]{record_operand<dtype_of_operand<A>>(*scope, a)..., node_id::none};
    return has_marks(scope->recorded.view(), {nodes, sizeof...(A)}) ? scope : nullptr;
}

} // namespace detail

// A text with {} for each value; {{ and }} stand for braces.
template <class... A> struct print_text {
    std::string_view text;
    template <class Text> requires std::is_convertible_v<Text const&, std::string_view>
    consteval print_text(Text const& t) : text(t) {
        if (values_in(text) != static_cast<int>(sizeof...(A))) detail::the_text_must_have_a_pair_of_braces_for_each_value();
    }
};

// Calls f(std::string const&) with each line that tx::print makes, instead of writing the line to the standard output; nullptr
// for f sets the standard output again.
template <class F> void on_print(F f) {
    constexpr bool takes_lines = std::is_null_pointer_v<F> || std::is_invocable_v<F&, std::string const&>;
    static_assert(takes_lines, "tx: on_print: takes a callable of a line, as [](std::string const& line) { ... }, or nullptr");
    if constexpr (!takes_lines) return;
    else if constexpr (std::is_null_pointer_v<F>) detail::printed_lines().reset();
    else detail::printed_lines().set(std::move(f));
}

inline namespace TRACEXPR_CALLS {

// Writes a line to the standard output: print("loss {}", loss). Inside a traced callable it does so whenever the graph runs,
// exactly once, in program order with other effects. Values are tensors, exprs, scalars or strings, shown as NumPy shows them.
// The compiler traces the callable only where one of the values is an expr.
template <detail::shown_operand... A> constexpr void print(print_text<std::type_identity_t<A>...> text, A const&... values) {
    if (trace_scope* const scope = detail::scope_of_effect(detail::plain_operand(values)...))
        detail::record_message(*scope, op::print, text.text, values...);
    else detail::printed_lines()(detail::filled_with(text.text, values...));
}

template <class Text, class... A> requires(!(detail::shown_operand<A> && ...)) constexpr void print(Text const&, A const&...) {
    static_assert((detail::shown_operand<A> && ...),
                  "tx: print: its values must be tensors, exprs, C++ scalars or strings; of a std::vector v write "
                  "tx::from_range(v)");
}

// Throws tx::assertion_error, with the text, unless all elements of the condition are true: assert_that(tx::all(x > 0), "not
// positive: {}", x). Inside a traced callable it does so whenever the graph runs; a call that throws has changed nothing. Text
// and values are those of print.
template <detail::shown_operand P, detail::shown_operand... A>
constexpr void assert_that(P const& condition, print_text<std::type_identity_t<A>...> text, A const&... values) {
    constexpr bool is_bool = detail::dtype_of_operand<P> == dtype::boolean;
    static_assert(is_bool, "tx: assert_that: the condition must be bool: compare something (x > 0)");
    if constexpr (is_bool) {
        if (trace_scope* const scope =
                detail::scope_of_effect(detail::plain_operand(condition), detail::plain_operand(values)...)) {
            detail::record_message(*scope, op::assert_that, text.text, condition, values...);
        } else {
            auto const all = detail::value_now(condition);
            if (!detail::all_hold({all.data(), dtype::boolean, all.dimensions()}))
                detail::throw_assertion(op::assert_that, detail::filled_with(text.text, values...));
        }
    }
}
template <class P, class Text, class... A> requires(!(detail::shown_operand<P> && (detail::shown_operand<A> && ...)))
constexpr void assert_that(P const&, Text const&, A const&...) {
    static_assert((detail::shown_operand<P> && (detail::shown_operand<A> && ...)),
                  "tx: assert_that: the condition and its values must be tensors, exprs, C++ scalars or strings; of a "
                  "std::vector v write tx::from_range(v)");
}

// Throws tx::assertion_error where an element is infinite or NaN, and names the first: "tx: check_finite: <text>: nan at (3, 1)".
// Inside a traced callable it does so whenever the graph runs; a call that throws has changed nothing.
template <operand A> constexpr void check_finite(A const& x, std::string_view text = {}) {
    constexpr bool is_number = detail::dtype_of_operand<A> != dtype::string && !detail::container_type<A>;
    static_assert(is_number, "tx: check_finite: takes numbers; of a std::vector v write tx::from_range(v)");
    if constexpr (is_number) {
        if (trace_scope* const scope = detail::scope_of_effect(detail::plain_operand(x))) {
            detail::record_message(*scope, op::check_finite, text, x);
        } else {
            auto const now = detail::value_now(x);
            if (std::string const bad = detail::not_finite(now.data(), now.dimensions()); !bad.empty())
                detail::throw_not_finite(std::string(text), bad);
        }
    }
}

} // namespace TRACEXPR_CALLS
} // namespace tx
