// This file names the parts of a tree in files. A leaf's name consists of the fields, keys and numbers that lead to it,
// "layers.0.weights", so that two different trees of a type have different names. The last part is a key as it is where maps hold
// leaves; in a key that more parts follow, "%2E" stands for a dot. "%" in the place of a part marks a part of a list that has no
// leaves, and "%%" the same inside of an optional: without marks a list would lose its empty parts. It knows no format.
#pragma once

#include <tracexpr/base/tensor.hpp>
#include <tracexpr/run/trees/field_names.hpp>
#include <tracexpr/run/trees/lists.hpp>
#include <tracexpr/run/variable.hpp>

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace tx::detail {

// saved_leaf is a leaf that files hold: a tensor, a variable, or a number in any place.
template <class A> concept saved_leaf = tensor_type<A> || (variable_type<A> && !captured_type<A>) || scalar_type<A>;
// This stands in the place of a leaf where a part of a list has none.
struct no_leaves {};

inline bool is_mark(std::string_view text) { return !text.empty() && text.find_first_not_of('%') == text.npos; }
// Tells whether the '%' at this place begins an escape: "%2E" for a dot, or a mark. With "25" in between it is a key that looks
// like one of these, written with one "25" more than the key has. All other text is a key as it is.
inline bool begins_escape(std::string_view text, std::size_t at, bool has_dots) {
    std::string_view rest = text.substr(at + 1);
    while (rest.starts_with("25")) rest.remove_prefix(2);
    return (!has_dots && rest.starts_with("2E")) || (rest.empty() && is_mark(text.substr(0, at + 1)));
}
// These convert a key to its text in a name, and back. has_dots tells that it is the last part of the name, in which dots are
// written as they are.
inline std::string text_of_key(std::string_view key, bool has_dots) {
    std::string out;
    for (std::size_t k = 0; k < key.size(); ++k) {
        if (key[k] == '.' && !has_dots) out += "%2E";
        else out += key[k];
        if (key[k] == '%' && begins_escape(key, k, has_dots)) out += "25";
    }
    return out;
}
inline std::string key_of_text(std::string_view text, bool has_dots) {
    std::string out;
    for (std::size_t k = 0; k < text.size(); ++k) {
        bool const is_escape = text[k] == '%' && begins_escape(text, k, has_dots);
        bool const is_dot = is_escape && text.substr(k + 1).starts_with("2E");
        out += is_dot ? '.' : text[k];
        if (is_escape) k += 2;
    }
    return out;
}

template <class A> inline constexpr bool is_map = false;
template <list_type A> inline constexpr bool is_map<A> = requires { typename A::mapped_type; };
// This tells whether the text behind a list's name is a whole key, including dots.
template <list_type A> inline constexpr bool has_whole_keys = is_map<A> && saved_leaf<list_part<A>>;

// Gives the text of a list part's key in its name.
template <class K> std::string part_text(K const& key, bool has_dots) {
    if constexpr (text_key<K>) return text_of_key(std::string_view(key), has_dots);
    else if constexpr (std::is_enum_v<K>) return std::to_string(+static_cast<std::underlying_type_t<K>>(key));
    else return std::to_string(key);
}
// Gives the number in a name. A number that is too large for its type becomes another one, whose text differs.
template <class Number> std::optional<Number> number_of_text(std::string_view text) {
    std::conditional_t<std::is_signed_v<Number>, long long, unsigned long long> out{};
    auto const end = std::from_chars(text.data(), text.data() + text.size(), out);
    if (end.ec != std::errc{} || end.ptr != text.data() + text.size()) return {};
    return static_cast<Number>(out);
}
// Gives the key that has this text in the name of a map's part, if there is one. A string_view has none, because nothing would
// own its text.
template <class K> std::optional<K> map_key(std::string_view text, bool has_dots) {
    if constexpr (std::is_enum_v<K>) {
        auto const number = number_of_text<std::underlying_type_t<K>>(text);
        return number ? std::optional(static_cast<K>(*number)) : std::nullopt;
    } else if constexpr (!text_key<K>) {
        return number_of_text<K>(text);
    } else if constexpr (std::is_constructible_v<K, std::string> && !std::is_same_v<K, std::string_view>) {
        return is_mark(text) ? std::nullopt : std::optional<K>(std::in_place, key_of_text(text, has_dots));
    } else {
        return {};
    }
}

// tree_place is a place in a tree.
struct tree_place {
    std::string name;          // It has a dot before each part, and is empty for the tree itself.
    std::size_t optionals = 0; // the optionals that lead here behind the last dot; they add nothing to the name
    bool plain_dots = false;   // Keys have dots in any place, as earlier versions wrote them.

    tree_place within(std::string_view part) const { return {name + '.' + std::string(part), 0, plain_dots}; }
    tree_place in_optional() const { return {name, optionals + 1, plain_dots}; }
    std::string in_file() const { return name.empty() ? "value" : name.substr(1); }
    std::string mark() const { return within(std::string(optionals + 1, '%')).in_file(); }
};

// Calls f(name, leaf) for every leaf, and f(name, no_leaves{}) for every part of a list that has none. Tells whether there was
// any.
template <class A, class F> bool for_each_named_leaf(A& a, tree_place const& place, F const& f) {
    using plain = std::remove_const_t<A>;
    bool any = false;
    if constexpr (saved_leaf<plain>) {
        f(place.in_file(), a);
        any = true;
    } else if constexpr (list_type<plain>) {
        list_form<plain>::visit(a, [&]<class K>(K const& key, auto& part) {
            tree_place there;
            if constexpr (std::is_same_v<K, no_key>) there = place.in_optional();
            else there = place.within(part_text(key, has_whole_keys<plain> || place.plain_dots));
            constexpr no_leaves none{};
            if (!for_each_named_leaf(part, there, f)) f(there.mark(), none);
            any = true;
        });
    } else if constexpr (is_tuple_like<plain>) {
        std::size_t number = 0;
        with_parts(a, [&](auto&... part) {
            ((any = for_each_named_leaf(part, place.within(std::to_string(number++)), f) || any), ...);
        });
    } else if constexpr (aggregate<plain>) {
        std::size_t field = 0;
        detail::with_fields(a, [&](auto&... part) {
            ((any = for_each_named_leaf(part, place.within(field_names<plain>[field++]), f) || any), ...);
        });
    }
    return any;
}

// given_forms holds lists that have been given parts, and lose them again if the call fails.
class given_forms {
public:
    given_forms() = default;
    given_forms(given_forms const&) = delete;
    given_forms& operator=(given_forms const&) = delete;
    ~given_forms() {
        for (std::function<void()> const& undo : undo_) undo();
    }
    template <class List> void add(List& list) {
        undo_.push_back([&list] { list = List(); });
    }
    void keep() { undo_.clear(); }

private:
    std::vector<std::function<void()>> undo_;
};

// name_ends holds the rests of names behind the name of a part of a tree: nothing, or a dot and more.
using name_ends = std::vector<std::string_view>;
// Gives, for each text behind the first dot, what follows it. (Nothing follows if the part is a leaf.)
inline std::map<std::string_view, name_ends> by_part(name_ends const& ends) {
    std::map<std::string_view, name_ends> out;
    for (std::string_view const end : ends) {
        if (end.empty()) continue;
        std::size_t const next = std::min(end.find('.', 1), end.size());
        out[end.substr(1, next - 1)].push_back(end.substr(next));
    }
    return out;
}
// Gives a list the parts for which a file has names, keeping parts that it has already; `optionals` is the number of optionals
// that lead to the list.
template <list_type A> void take_parts_of_file(A& list, name_ends const& ends, std::size_t optionals) {
    if constexpr (is_map<A>) {
        std::set<std::string_view> texts;
        if constexpr (has_whole_keys<A>) {
            for (std::string_view const end : ends)
                if (!end.empty()) texts.insert(end.substr(1));
        } else {
            for (auto const& [text, more] : by_part(ends)) texts.insert(text);
        }
        std::erase_if(list, [&](auto const& each) { return !texts.contains(part_text(each.first, has_whole_keys<A>)); });
        for (std::string_view const text : texts)
            if (auto const key = map_key<typename A::key_type>(text, has_whole_keys<A>)) list.try_emplace(*key);
    } else if constexpr (requires { list.has_value(); }) {
        auto const holds = [&](std::string_view end) { // A mark of something within says that it is there.
            return end.empty() || !is_mark(end.substr(1)) || end.size() - 1 > optionals + 1;
        };
        bool const has_value = std::any_of(ends.begin(), ends.end(), holds);
        if (!has_value) list.reset();
        else if (!list) list.emplace();
    } else {
        auto const parts = by_part(ends);
        while (!list.empty() && !parts.contains(std::to_string(list.size() - 1))) list.pop_back();
        while (parts.contains(std::to_string(list.size()))) list.emplace_back();
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
                if (undo) undo->add(a);
                undo = nullptr;
                take_parts_of_file(a, ends, optionals);
            }
        }
        if constexpr (facts<list_part<plain>>.has_lists) {
            auto const parts = by_part(ends);
            list_form<plain>::visit(a, [&]<class K>(K const& key, auto& part) {
                if constexpr (std::is_same_v<K, no_key>) {
                    take_form_of_file(part, ends, optionals + 1, undo);
                } else {
                    auto const found = parts.find(part_text(key, false));
                    take_form_of_file(part, found == parts.end() ? name_ends{} : found->second, 0, undo);
                }
            });
        }
    } else {
        auto const parts = by_part(ends);
        auto const within = [&](std::string_view text, auto& part) {
            auto const found = parts.find(text);
            take_form_of_file(part, found == parts.end() ? name_ends{} : found->second, 0, undo);
        };
        if constexpr (is_tuple_like<plain>) {
            std::size_t number = 0;
            with_parts(a, [&](auto&... part) { (within(std::to_string(number++), part), ...); });
        } else {
            std::size_t field = 0;
            with_fields(a, [&](auto&... part) { (within(field_names<plain>[field++], part), ...); });
        }
    }
}

} // namespace tx::detail
