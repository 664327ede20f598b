// This file names the parameters of a trace: where each lies in the call's arguments, by the names of fields.
#pragma once

#include <tracexpr/run/callable.hpp>

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace tx::detail {

// The pointer is a member of a struct, because Clang 16 and 17 take no pointer to a member of an object for a template argument.
template <class T> struct pointer_to {
    T* at;
};
template <auto Pointer> constexpr std::string_view text_of_pointer() {
#if defined(__GNUC__)
    return __PRETTY_FUNCTION__;
#else
    return {};
#endif
}
// Returns the identifier at the end of "... {&object.weights}" (Clang) or "... {(& object.model::weights)}" (g++).
TRACEXPR_ONCE constexpr std::string_view last_identifier(std::string_view text) {
    auto const is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    std::size_t end = text.rfind('}');
    if (end == text.npos || end < 2) return {};
    if (text[end - 1] == ')') --end;
    std::size_t first = end;
    while (first > 0 && is_letter(text[first - 1])) --first;
    return text.substr(first, end - first);
}
// Returns the name of field number I of an aggregate; empty if the compiler doesn't tell it.
template <class A, std::size_t I> constexpr std::string_view field_name() {
    constexpr auto* at = with_fields(unmade_object<A>.object, [](auto&... field) { return &std::get<I>(std::tie(field...)); });
    return last_identifier(text_of_pointer<pointer_to<std::remove_pointer_t<decltype(at)>>{at}>());
}

template <class A, std::size_t I> std::string part_name() {
    if constexpr (!is_tuple_like<A>)
        if (std::string_view const name = field_name<A, I>(); !name.empty()) return '.' + std::string(name);
    return '[' + std::to_string(I) + ']';
}
// Adds a name for each leaf of a tree that is called `path`, in the order of for_each_leaf.
template <class A, bool InStruct> void add_leaf_names(std::vector<std::string>& out, std::string const& path);
template <class A, bool InStruct, class... Parts, std::size_t... I> void
add_part_names(std::vector<std::string>& out, std::string const& path, std::tuple<Parts...> const*, std::index_sequence<I...>) {
    (add_leaf_names<std::remove_cv_t<Parts>, InStruct>(out, path + part_name<A, I>()), ...);
}
template <class A, class Parts, bool InStruct> void add_part_names(std::vector<std::string>& out, std::string const& path) {
    Parts const* const types = nullptr;
    add_part_names<A, InStruct>(out, path, types, std::make_index_sequence<std::tuple_size_v<Parts>>{});
}
template <class A, bool InStruct> void add_leaf_names(std::vector<std::string>& out, std::string const& path) {
    if constexpr (InStruct && held_value<A>) {
    } else if constexpr (leaf<A>) {
        out.push_back(path);
    } else if constexpr (is_tuple_like<A>) {
        using parts = decltype(with_parts(std::declval<A&>(), []<class... P>(P&...) -> std::tuple<P...>* { return nullptr; }));
        add_part_names<A, std::remove_pointer_t<parts>, InStruct>(out, path);
    } else if constexpr (aggregate<A>) {
        add_part_names<A, fields_of<A>, true>(out, path);
    }
}
// state_names adds a name for each leaf that a callable holds.
template <class F> struct state_names {
    static void add(std::vector<std::string>& out) {
        if constexpr (callable_form<F>::has_state) add_leaf_names<F, false>(out, "callable");
    }
};
template <class F, class... B> struct state_names<bound_callable<F, B...>> {
    static void add(std::vector<std::string>& out) {
        std::size_t number = 0;
        (add_leaf_names<B, false>(out, "bound[" + std::to_string(number++) + ']'), ...);
        state_names<callable_of<F>>::add(out);
    }
};
template <pass_options Options, class F, class Where> struct state_names<optioned_callable<Options, F, Where>>
    : state_names<callable_of<F>> {};

// Returns the names of the parameters of a call's trace: "[0].weights" is a field of the first argument. Names are empty for
// arguments that are tensors or numbers themselves; what tx::capture gave has none.
template <class F, class... A> std::vector<std::string> parameter_names() {
    std::vector<std::string> out;
    if constexpr ((callable_form<F>::state.has_lists || ... || facts<A>.has_lists)) return out; // only values tell how many
    std::size_t number = 0;
    ((add_leaf_names<A, false>(out, leaf<A> ? std::string() : '[' + std::to_string(number) + ']'), ++number), ...);
    state_names<F>::add(out);
    return out;
}

} // namespace tx::detail
