// This file compares the forms of trees with lists, which only the run knows, and says in words where two trees differ.
#pragma once

#include <tracexpr/run/trees/field_names.hpp>
#include <tracexpr/run/trees/pytree.hpp>

#include <string>

namespace tx::detail {

template <class A> std::string name_of_part(std::size_t number) {
    if constexpr (is_tuple_like<A>) return '[' + std::to_string(number) + ']';
    else return '.' + std::string(field_names<A>[number]);
}
// Says where b, which is called `path`, has another form than a; empty if it has the same. Their types differ only in leaves.
template <class A, class B> std::string difference_of_forms(A const& a, B const& b, std::string const& path = "it") {
    std::string found;
    if constexpr (!facts<A>.has_lists) {
    } else if constexpr (list_type<A>) {
        found = difference_of_lists(a, b, path);
        if (!found.empty()) return found;
        auto const others = parts_of_list(b);
        std::size_t number = 0;
        list_form<A>::visit(a, [&](auto const& key, auto const& part) {
            if (found.empty()) found = difference_of_forms(part, *others[number], path + key_text(key));
            ++number;
        });
    } else {
        auto const parts = parts_of(a);
        auto const others = parts_of(b);
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            ((found.empty() ? static_cast<void>(
                                  found = difference_of_forms(std::get<I>(parts), std::get<I>(others), path + name_of_part<A>(I)))
                            : static_cast<void>(0)),
             ...);
        }(std::make_index_sequence<std::tuple_size_v<decltype(parts)>>{});
    }
    return found;
}

// Throws if lists in b, which is called `name`, have other parts than in a: "tx: optim: update: the trees must have one form".
template <class A, class B>
constexpr void require_form_of(char const* subject, A const& a, B const& b, char const* name, int number = 0) {
    if constexpr (facts<A>.has_lists) {
        std::string const path = number > 0 ? name + std::to_string(number) : name;
        std::string const differs = difference_of_forms(a, b, path);
        if (!differs.empty()) throw shape_error(std::string("tx: ") + subject + " must have one form; " + differs);
    }
}

} // namespace tx::detail
