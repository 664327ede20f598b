// This file handles trees of which only the run tells how many parts they have: std::vector, std::map and std::unordered_map with
// numbers or strings as keys, std::optional. Their form, how many parts under which keys, is a value that a trace is made for, so
// functions of such trees are traced when they are called. The parts of a map come in the order of the keys (JAX: dicts).
#pragma once

#include <tracexpr/base/error.hpp>

#include <algorithm>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tx::detail {

template <class K> concept text_key = std::is_convertible_v<K const&, std::string_view> && !std::is_pointer_v<K>;
template <class K> concept list_key = text_key<K> || std::is_integral_v<K> || std::is_enum_v<K>;

// list_form says how a list is taken apart and built. of<U, Symbolic> is the list with parts U; Symbolic says that these hold
// exprs. visit(a, f) calls f(key, part); add(out, key, part) appends a part to `out`.
template <class A> struct list_form;
template <class A> concept list_type = requires { typename list_form<A>::part; };
template <class A> using list_part = typename list_form<A>::part;

// no_key takes the place of a map's key in other lists.
struct no_key {};

template <class T, class Allocator> requires(!std::is_same_v<T, bool>) struct list_form<std::vector<T, Allocator>> {
    using part = T;
    template <class U, bool Symbolic> using of = std::vector<U>;
    template <class A> static constexpr std::size_t size(A const& a) { return a.size(); }
    template <class A, class F> static constexpr void visit(A& a, F const& f) {
        for (std::size_t k = 0; k < a.size(); ++k) f(k, a[k]);
    }
    template <class U> static constexpr void add(std::vector<U>& out, std::size_t, U&& made) { out.push_back(std::move(made)); }
};

template <class T> struct list_form<std::optional<T>> {
    using part = T;
    template <class U, bool Symbolic> using of = std::optional<U>;
    template <class A> static constexpr std::size_t size(A const& a) { return a ? 1 : 0; }
    template <class A, class F> static constexpr void visit(A& a, F const& f) {
        if (a) f(no_key{}, *a);
    }
    template <class U> static constexpr void add(std::optional<U>& out, no_key, U&& made) { out.emplace(std::move(made)); }
};

template <class K> std::string key_text(K const& key) {
    if constexpr (std::is_same_v<K, no_key>) {
        return {};
    } else if constexpr (text_key<K>) {
        std::string out = "[\"";
        out += std::string_view(key);
        return out += "\"]";
    } else if constexpr (std::is_enum_v<K>) {
        return '[' + std::to_string(static_cast<std::underlying_type_t<K>>(key)) + ']';
    } else {
        return '[' + std::to_string(key) + ']';
    }
}

// Calls f(key, part) in the order of the keys.
template <class Map, class F> void visit_sorted(Map& map, F const& f) {
    if constexpr (requires { typename Map::key_compare; }) {
        for (auto& [key, part] : map) f(key, part);
    } else {
        std::vector<decltype(&*map.begin())> entries;
        for (auto& entry : map) entries.push_back(&entry);
        std::sort(entries.begin(), entries.end(), [](auto* a, auto* b) { return a->first < b->first; });
        for (auto* entry : entries) f(entry->first, entry->second);
    }
}

// symbolic_map is a map of exprs, which have no default value that operator[] could add: it returns parts that exist, also of
// const maps.
template <class Map> struct symbolic_map : Map {
    using Map::Map;
    typename Map::mapped_type& operator[](typename Map::key_type const& key) { return found(*this, key); }
    typename Map::mapped_type const& operator[](typename Map::key_type const& key) const { return found(*this, key); }

private:
    template <class Self> static auto& found(Self& self, typename Map::key_type const& key) {
        auto const at = self.find(key);
        if (at != self.end()) return at->second;
        std::string message = "tx: function: a map has no key " + key_text(key) + "; its keys are ";
        visit_sorted(self, [&](auto const& known, auto const&) { message += key_text(known); });
        throw tx::error(message + ". To add one write insert_or_assign");
    }
};
template <class Map, bool Symbolic> using map_of = std::conditional_t<Symbolic, symbolic_map<Map>, Map>;

template <class Map> struct map_form {
    using part = typename Map::mapped_type;
    template <class A> static std::size_t size(A const& a) { return a.size(); }
    template <class A, class F> static void visit(A& a, F const& f) { visit_sorted(a, f); }
    template <class Out, class U> static void add(Out& out, typename Map::key_type const& key, U&& made) {
        out.emplace(key, std::move(made));
    }
};
// map_like recognizes std::map and std::unordered_map by their members, because only users include their headers.
template <class Map, class K, class T> concept map_like =
    list_key<K> && std::is_same_v<typename Map::value_type, std::pair<K const, T>> && requires(Map& map, K const& key) {
        { map[key] } -> std::same_as<T&>;
        map.find(key) == map.end();
    };
template <template <class...> class Map, class K, class T, class Own, class U> struct map_with_parts {
    using type = Map<K, U, typename Own::hasher, typename Own::key_equal>;
};
template <template <class...> class Map, class K, class T, class Own, class U> requires requires { typename Own::key_compare; }
struct map_with_parts<Map, K, T, Own, U> {
    using type = Map<K, U, typename Own::key_compare>;
};
template <template <class...> class Map, class K, class T, class... More> requires map_like<Map<K, T, More...>, K, T>
struct list_form<Map<K, T, More...>> : map_form<Map<K, T, More...>> {
    template <class U, bool Symbolic> using of =
        map_of<typename map_with_parts<Map, K, T, Map<K, T, More...>, U>::type, Symbolic>;
};
template <class Map> struct list_form<symbolic_map<Map>> : list_form<Map> {};

// Return the keys, or indices, and the parts of a list, in order.
template <list_type A> auto keys_of_list(A const& a) {
    if constexpr (requires { typename A::mapped_type; }) {
        std::vector<typename A::key_type const*> out;
        list_form<A>::visit(a, [&](auto const& key, auto const&) { out.push_back(&key); });
        return out;
    } else {
        return list_form<A>::size(a);
    }
}
template <list_type A> auto parts_of_list(A const& a) {
    std::vector<list_part<A> const*> out;
    list_form<A>::visit(a, [&](auto const&, auto const& part) { out.push_back(&part); });
    return out;
}
// Compares two lists' keys or numbers of parts, and says in words what differs; empty if nothing does.
template <class A, class B> concept lists_alike =
    list_type<A> && list_type<B> &&
    std::is_same_v<decltype(keys_of_list(std::declval<A const&>())), decltype(keys_of_list(std::declval<B const&>()))>;
template <list_type A, list_type B> requires lists_alike<A, B>
std::string difference_of_lists(A const& a, B const& b, std::string const& path) {
    auto const keys = keys_of_list(a);
    auto const others = keys_of_list(b);
    if constexpr (requires { typename A::mapped_type; }) {
        auto const lacks = [](auto const& all, auto const& key) {
            return std::none_of(all.begin(), all.end(), [&](auto* other) { return *other == key; });
        };
        for (auto* key : keys)
            if (lacks(others, *key)) return path + key_text(*key) + " is missing";
        for (auto* key : others)
            if (lacks(keys, *key)) return path + key_text(*key) + " is too much";
        return {};
    } else {
        if (keys == others) return {};
        return (path.empty() ? "it" : path) + " has " + std::to_string(others) + " parts, and not " + std::to_string(keys);
    }
}

// Calls f(part) for each part.
template <class A, class F> constexpr void for_each_part(A& a, F const& f) {
    list_form<std::remove_const_t<A>>::visit(a, [&](auto const&, auto& part) { f(part); });
}
// Calls g(value) for each value that tells the list's form.
template <list_type A, class G> constexpr void for_each_form_value(A const& a, G const& g) {
    g(list_form<A>::size(a));
    list_form<A>::visit(a, [&]<class K>(K const& key, auto const&) {
        if constexpr (!std::is_same_v<K, no_key> && requires { typename A::mapped_type; }) g(key);
    });
}

} // namespace tx::detail
