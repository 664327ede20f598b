// What is done when the graph runs, not while it is traced. Effects keep the order of the program: each takes the token of the
// one before it and gives its own.
#pragma once

#include <tracexpr/graph/shown.hpp>
#include <tracexpr/trace/apply.hpp>

#include <string_view>
#include <type_traits>

namespace tx {
namespace detail {

constexpr void record_effect(trace_scope& scope, op code, table_view<node_id> values, attribute_span attributes) {
    buffer<node_id> operands(values);
    operands.push_back(scope.last_token());
    scope.token = scope.recorded.append(code, dtype::token, dims{}, operands, attributes, {1, 0});
}

// Not constexpr: what calls it while a text is checked doesn't compile, and the compiler's message names it.
inline void the_text_must_have_a_pair_of_braces_for_each_value() {}

[[noreturn]] TRACEXPR_NOINLINE inline void throw_unseen_effect() {
    throw trace_error("tx: print: without an expr among its values it can't be found in a trace that the compiler makes");
}

// What a value looks like in a text, or the value of an expr while functions run eagerly.
template <class A> std::string text_of(A const& a) {
    if constexpr (text_type<A>) return std::string(std::string_view(a));
    else if constexpr (scalar_type<A>) return to_string(tensor<canonical<A>, shape<>>(a));
    else if constexpr (expr_type<A>) return to_string(a.value());
    else return to_string(as_operand(a));
}

// The scope that an effect belongs to, or null where it is done now.
template <class... A> constexpr trace_scope* scope_of_effect(A const&... a) {
    trace_scope* scope = nullptr;
    if constexpr (sizeof...(A) > 0) scope = scope_among(a...);
    if (!__builtin_is_constant_evaluated() && !scope) scope = innermost_trace;
    if (__builtin_is_constant_evaluated() && !scope) throw_unseen_effect();
    return scope && !scope->root->evaluate ? scope : nullptr;
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
template <operand... A> constexpr void print(print_text<std::type_identity_t<A>...> text, A const&... values) {
    if (trace_scope* const scope = detail::scope_of_effect(detail::plain_operand(values)...)) {
        node_id const nodes[]{detail::record_operand<detail::dtype_of_operand<A>>(*scope, detail::plain_operand(values))...,
                              node_id::none};
        if (!__builtin_is_constant_evaluated()) detail::know_printer<>();
        detail::record_effect(*scope, op::print, {nodes, sizeof...(A)}, message::attributes(text.text));
    } else {
        std::string const texts[]{detail::text_of(values)..., std::string()};
        detail::printed_lines()(filled_text(text.text, [&](std::size_t k) { return texts[k]; }));
    }
}

template <class Text, class... A> requires(!(operand<A> && ...)) constexpr void print(Text const&, A const&...) {
    static_assert((operand<A> && ...), "tx: print: its values must be tensors, exprs, C++ scalars or strings");
}

} // namespace TRACEXPR_CALLS
} // namespace tx
