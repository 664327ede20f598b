// What is done when the graph runs, not while it is traced. Effects keep the order of the program: each takes the token of the
// one before it and gives its own.
#pragma once

#include <tracexpr/graph/shown.hpp>
#include <tracexpr/graph/verify.hpp>
#include <tracexpr/trace/apply.hpp>

#include <string_view>
#include <type_traits>

namespace tx {
namespace detail {

// What has a text to show.
template <class A> concept shown_operand = operand<A> && !container_type<A>;

// Records an effect that says something of values.
template <class... A> constexpr void record_message(trace_scope& scope, op code, std::string_view text, A const&... values) {
    if (!__builtin_is_constant_evaluated()) know_effects<>();
    node_id const nodes[]{record_operand<dtype_of_operand<A>>(scope, plain_operand(values))..., node_id::none};
    buffer<node_id> operands(table_view<node_id>(nodes, sizeof...(A)));
    operands.push_back(scope.last_token());
    scope.token = scope.recorded.append(code, dtype::token, dims{}, operands, message::attributes(text), {1, 0});
}

// Not constexpr: what calls it while a text is checked doesn't compile, and the compiler's message names it.
inline void the_text_must_have_a_pair_of_braces_for_each_value() {}

[[noreturn]] TRACEXPR_NOINLINE inline void throw_unseen_effect() {
    throw trace_error("tx: an effect without an expr among its values can't be found in a trace that the compiler makes");
}

// What a value looks like in a text, or the value of an expr while functions run eagerly.
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
// As a tensor, where nothing is recorded.
template <class A> auto value_now(A const& a) {
    using plain = std::remove_cvref_t<decltype(plain_operand(a))>;
    if constexpr (scalar_type<plain>) return tensor<canonical<plain>, shape<>>(plain_operand(a));
    else if constexpr (expr_type<A>) return a.value();
    else return as_operand(plain_operand(a));
}

// The scope that is under way, or null.
template <class... A> constexpr trace_scope* scope_around(A const&... a) {
    trace_scope* scope = nullptr;
    if constexpr (sizeof...(A) > 0) scope = scope_among(a...);
    if (!__builtin_is_constant_evaluated() && !scope) scope = innermost_trace;
    if (__builtin_is_constant_evaluated() && !scope) throw_unseen_effect();
    return scope;
}
// The scope that an effect belongs to, or null where it is done now.
template <class... A> constexpr trace_scope* scope_of_effect(A const&... a) {
    trace_scope* const scope = scope_around(a...);
    return scope && !scope->root->evaluate ? scope : nullptr;
}
// The same of a call whose result has derivatives. While functions run eagerly it is done now, but not of what a derivative is
// taken with respect to, or what stands for a batch: such a call is recorded.
template <class... A> constexpr trace_scope* scope_of_call(A const&... a) {
    trace_scope* const scope = scope_around(a...);
    if (!scope || !scope->root->evaluate) return scope;
    node_id const nodes[]{record_operand<dtype_of_operand<A>>(*scope, a)..., node_id::none};
    return has_marks(scope->recorded.view(), {nodes, sizeof...(A)}) ? scope : nullptr;
}

} // namespace detail

// A text with {} in it for each value; {{ and }} are braces.
template <class... A> struct print_text {
    std::string_view text;
    template <class Text> requires std::is_convertible_v<Text const&, std::string_view>
    consteval print_text(Text const& t) : text(t) {
        if (values_in(text) != static_cast<int>(sizeof...(A))) detail::the_text_must_have_a_pair_of_braces_for_each_value();
    }
};

// Calls f(std::string const&) with each line that tx::print makes, instead of writing it to the standard output; f may be
// nullptr, for the standard output again.
template <class F> void on_print(F f) {
    constexpr bool takes_lines = std::is_null_pointer_v<F> || std::is_invocable_v<F&, std::string const&>;
    static_assert(takes_lines, "tx: on_print: takes a callable of a line, as [](std::string const& line) { ... }, or nullptr");
    if constexpr (!takes_lines) return;
    else if constexpr (std::is_null_pointer_v<F>) detail::printed_lines().reset();
    else detail::printed_lines().set(std::move(f));
}

inline namespace TRACEXPR_CALLS {

// Writes a line to the standard output: print("loss {}", loss). Inside of a traced callable it does so whenever the graph runs,
// exactly once, in program order with other effects. Values are tensors, exprs, scalars or strings, shown as NumPy shows them.
// The callable is traced by the compiler only where one of the values is an expr.
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

// Throws tx::assertion_error, with the text, where not all of a condition holds: assert_that(tx::all(x > 0), "not positive: {}",
// x). Inside of a traced callable whenever the graph runs; such a call has changed nothing. Text and values are as print's.
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

// Throws tx::assertion_error where an element is infinite or no number, and names the first: "tx: check_finite: <text>: nan at
// (3, 1)". Inside of a traced callable whenever the graph runs; such a call has changed nothing.
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
