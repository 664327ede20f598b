// This file gives the lists of a tree the parts for which a file has names.
#pragma once

#include <tracexpr/files/tree_names.hpp>

#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tx::detail {

// given_forms holds lists that have been given parts, and lose them again if the call fails.
struct given_forms;
void add_form(given_forms& all, void* list, void (*undo)(void* list));

// name_ends holds the rests of names behind the name of a part of a tree: nothing, or a dot and more.
using name_ends = std::vector<std::string_view>;
// named_parts gives, for each text behind the first dot, what follows it. (Nothing follows if the part is a leaf.)
struct named_parts {
    std::vector<std::pair<std::string_view, name_ends>> all; // in the order of the texts
    name_ends const& behind(std::string_view text) const;
    name_ends const& behind(std::size_t number) const;
};
named_parts by_part(name_ends const& ends);

// Gives the texts of a map's keys, each once. If the map holds leaves they are all that follows.
name_ends texts_of_keys(name_ends const& ends, bool are_whole);
bool is_among(name_ends const& texts, std::string_view text);
// Tells whether an optional has a value; `optionals` is the number of those that lead to it.
bool has_named_value(name_ends const& ends, std::size_t optionals);
// Gives the number of parts of a vector that has `count` now.
std::size_t named_count(name_ends const& ends, std::size_t count);

bool is_mark(std::string_view text);
bool number_of_text(std::string_view text, std::int64_t& out);
bool number_of_text(std::string_view text, std::uint64_t& out);
// Gives the key that has this text in the name of a map's part, if there is one. A string_view has none, because nothing would
// own its text. A number that is too large for its type becomes another one, whose text differs.
template <class K> std::optional<K> map_key(std::string_view text, bool has_dots) {
    if constexpr (std::is_enum_v<K>) {
        auto const number = map_key<std::underlying_type_t<K>>(text, has_dots);
        return number ? std::optional(static_cast<K>(*number)) : std::nullopt;
    } else if constexpr (!text_key<K>) {
        std::conditional_t<std::is_signed_v<K>, std::int64_t, std::uint64_t> number{};
        return number_of_text(text, number) ? std::optional(static_cast<K>(number)) : std::nullopt;
    } else if constexpr (std::is_constructible_v<K, std::string> && !std::is_same_v<K, std::string_view>) {
        return is_mark(text) ? std::nullopt : std::optional<K>(std::in_place, key_of_text(text, has_dots));
    } else {
        return {};
    }
}

// Gives a list the parts for which a file has names, keeping parts that it has already; `optionals` is the number of optionals
// that lead to the list.
template <list_type A> void take_parts_of_file(A& list, name_ends const& ends, std::size_t optionals) {
    if constexpr (is_map<A>) {
        constexpr bool are_whole = has_whole_keys<A>;
        name_ends const texts = texts_of_keys(ends, are_whole);
        for (auto each = list.begin(); each != list.end();)
            each = is_among(texts, part_text(each->first, are_whole)) ? std::next(each) : list.erase(each);
        for (std::string_view const text : texts)
            if (auto const key = map_key<typename A::key_type>(text, are_whole)) list.try_emplace(*key);
    } else if constexpr (requires { list.has_value(); }) {
        if (!has_named_value(ends, optionals)) list.reset();
        else if (!list) list.emplace();
    } else {
        std::size_t const count = named_count(ends, list.size());
        while (list.size() > count) list.pop_back();
        while (list.size() < count) list.emplace_back();
    }
}
// Gives lists without parts those for which a file has names. Without `undo` it does so for all lists, because the call has made
// the tree and none of its parts matters.
template <class A> void take_form_of_file(A& a, name_ends const& ends, std::size_t optionals, given_forms* undo) {
    using plain = std::remove_const_t<A>;
    if constexpr (!facts<plain>.has_lists) {
    } else if constexpr (list_type<plain>) {
        if constexpr (!std::is_const_v<A> && std::is_default_constructible_v<list_part<plain>>) {
            if (undo == nullptr || list_form<plain>::size(a) == 0) {
                if (undo) add_form(*undo, std::addressof(a), [](void* list) { *static_cast<A*>(list) = A(); });
                undo = nullptr;
                take_parts_of_file(a, ends, optionals);
            }
        }
        if constexpr (facts<list_part<plain>>.has_lists) {
            named_parts const parts = by_part(ends);
            list_form<plain>::visit(a, [&]<class K>(K const& key, auto& part) {
                if constexpr (std::is_same_v<K, no_key>) take_form_of_file(part, ends, optionals + 1, undo);
                else take_form_of_file(part, parts.behind(part_text(key, false)), 0, undo);
            });
        }
    } else {
        named_parts const parts = by_part(ends);
        if constexpr (is_tuple_like<plain>) {
            std::size_t number = 0;
            with_parts(a, [&](auto&... part) { (take_form_of_file(part, parts.behind(number++), 0, undo), ...); });
        } else {
            std::string_view const* name = field_names<plain>.data();
            with_fields(a, [&](auto&... part) { (take_form_of_file(part, parts.behind(*name++), 0, undo), ...); });
        }
    }
}

} // namespace tx::detail
