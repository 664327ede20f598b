// This file finds the names of an aggregate's fields. The compiler spells a pointer to a field when it is a template argument,
// and shows the spelling in __PRETTY_FUNCTION__: "... &unmade_object.object.weights}]" (Clang 19), "...
// ::object.layer::weights)}; ..." (g++ 12). The method is known from Boost.PFR.
#pragma once

#include <tracexpr/run/trees/prototype.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <tuple>
#include <utility>

namespace tx::detail {

// The pointer is a member of a class, because Clang before 18 takes no pointer to a part of an object as an argument by itself.
template <class T> struct field_pointer {
    T* field;
};
template <class T> field_pointer(T*) -> field_pointer<T>; // Clang 16 needs it
template <class A> constexpr auto field_pointers() {
    return detail::with_fields(unmade_object<A>.object,
                               [](auto&... field) { return std::tuple(field_pointer{std::addressof(field)}...); });
}
template <auto Pointer> constexpr std::string_view spelled() {
    std::string_view const all = __PRETTY_FUNCTION__;
    return all.substr(0, all.rfind('}')); // g++ writes more after it
}
template <auto Pointer> constexpr std::string_view field_name() {
    constexpr auto is_part = [](char c) {
        return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0;
    };
    std::string_view text = spelled<Pointer>();
    while (!text.empty() && !is_part(text.back())) text.remove_suffix(1);
    std::size_t first = text.size();
    while (first > 0 && is_part(text[first - 1])) --first;
    return text.substr(first);
}
template <class A, std::size_t... I> constexpr auto names_of_fields(std::index_sequence<I...>) {
    return std::array<std::string_view, sizeof...(I)>{field_name<std::get<I>(field_pointers<A>())>()...};
}
// The fields' names, in order.
template <class A> inline constexpr auto field_names = names_of_fields<A>(std::make_index_sequence<field_count<A>()>{});

struct field_names_probe {
    int first, second_field;
};
// nvcc's own front end spells the position of a field, "... + 4)}]"; the host's compiler makes the names of what it compiles.
static_assert(field_names<field_names_probe>[1] == "second_field" || field_names<field_names_probe>[1] == "4",
              "tx: this compiler spells pointers to fields in another way");

} // namespace tx::detail
