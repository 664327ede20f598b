// This file names the parts of a tree in files. A leaf's name consists of the fields, keys and numbers that lead to it,
// "layers.0.weights", so that two different trees of a type have different names. The last part is a key as it is where maps hold
// leaves; in a key that more parts follow, "%2E" stands for a dot. "%" in the place of a part marks a part of a list that has no
// leaves, and "%%" the same inside of an optional: without marks a list would lose its empty parts. It knows no format.
#pragma once

#include <tracexpr/files/array.hpp>
#include <tracexpr/run/trees/field_names.hpp>
#include <tracexpr/run/trees/lists.hpp>
#include <tracexpr/run/variable.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

namespace tx::detail {

// saved_leaf is a leaf that files hold: a tensor, a variable, or a number in any place.
template <class A> concept saved_leaf = tensor_type<A> || (variable_type<A> && !captured_type<A>) || scalar_type<A>;

// These convert a key to its text in a name, and back. has_dots tells that it is the last part of the name, in which dots are
// written as they are.
std::string text_of_key(std::string_view key, bool has_dots);
std::string key_of_text(std::string_view text, bool has_dots);
std::string text_of_number(std::int64_t number);
std::string text_of_number(std::uint64_t number);

template <class A> inline constexpr bool is_map = false;
template <list_type A> inline constexpr bool is_map<A> = requires { typename A::mapped_type; };
// This tells whether the text behind a list's name is a whole key, including dots.
template <list_type A> inline constexpr bool has_whole_keys = is_map<A> && saved_leaf<list_part<A>>;

// Gives the text of a list part's key in its name.
template <class K> std::string part_text(K const& key, bool has_dots) {
    if constexpr (text_key<K>) return text_of_key(std::string_view(key), has_dots);
    else if constexpr (std::is_enum_v<K>) return part_text(static_cast<std::underlying_type_t<K>>(key), has_dots);
    else if constexpr (std::is_signed_v<K>) return text_of_number(static_cast<std::int64_t>(key));
    else return text_of_number(static_cast<std::uint64_t>(key));
}

// tree_place is a place in a tree.
struct tree_place {
    std::string name{};        // It has a dot before each part, and is empty for the tree itself.
    std::size_t optionals = 0; // the optionals that lead here behind the last dot; they add nothing to the name
    bool plain_dots = false;   // Keys have dots in any place, as earlier versions wrote them.

    tree_place within(std::string_view part) const;
    tree_place within(std::size_t number) const;
    tree_place in_optional() const;
    std::string in_file() const;
    std::string mark() const;
};

// saved_leaf_access says how code that doesn't know a leaf's type saves and loads its value.
struct saved_leaf_access {
    array_type type; // The shape is what the leaf's type says.
    dims (*extents)(void const* leaf);
    void const* (*elements)(void const* leaf);
    void (*store)(void* leaf, loaded_array& value); // It does not throw. The value fits the leaf.
};
template <class Leaf> struct access_to_saved_leaf {
    static auto const& of(void const* leaf) {
        if constexpr (variable_type<Leaf>) return static_cast<Leaf const*>(leaf)->unrecorded();
        else return *static_cast<Leaf const*>(leaf);
    }
    static dims extents(void const* leaf) { return of(leaf).dimensions(); }
    static void const* elements(void const* leaf) { return of(leaf).data(); }
    static void store(void* leaf, loaded_array& value) {
        using value_tensor = tensor<typename Leaf::value_type, typename Leaf::shape_type>;
        *static_cast<Leaf*>(leaf) = value.to_tensor<value_tensor>();
    }
    static constexpr saved_leaf_access access{type_of_array<Leaf>, extents, elements, store};
};
template <scalar_type Number> struct access_to_saved_leaf<Number> {
    static dims extents(void const*) { return {}; }
    static void const* elements(void const* leaf) { return leaf; }
    static void store(void* leaf, loaded_array& value) {
        *static_cast<Number*>(leaf) = static_cast<Number>(*static_cast<canonical<Number> const*>(value.elements()));
    }
    static constexpr saved_leaf_access access{{dtype_of<Number>, {}}, extents, elements, store};
};

// tree_leaves lists the leaves of a tree with their names, and marks for parts of lists that have none.
struct tree_leaves;
void add_leaf(tree_leaves& all, tree_place const& place, void* leaf, saved_leaf_access const& access);
void add_mark(tree_leaves& all, tree_place const& place);

// Lists what is in a tree, and tells whether that is anything. Nothing is written to the tree, which may be const.
template <class A> bool list_leaves(A const& tree, tree_place const& place, tree_leaves& all) {
    A& a = const_cast<A&>(tree);
    bool any = false;
    if constexpr (saved_leaf<A>) {
        add_leaf(all, place, std::addressof(a), access_to_saved_leaf<A>::access);
        any = true;
    } else if constexpr (list_type<A>) {
        list_form<A>::visit(a, [&]<class K>(K const& key, auto const& part) {
            tree_place there;
            if constexpr (std::is_same_v<K, no_key>) there = place.in_optional();
            else there = place.within(part_text(key, has_whole_keys<A> || place.plain_dots));
            if (!list_leaves(part, there, all)) add_mark(all, there);
            any = true;
        });
    } else if constexpr (is_tuple_like<A>) {
        std::size_t number = 0;
        with_parts(a, [&](auto const&... part) { ((any = list_leaves(part, place.within(number++), all) || any), ...); });
    } else if constexpr (aggregate<A>) {
        std::string_view const* name = field_names<A>.data();
        detail::with_fields(a, [&](auto const&... part) { ((any = list_leaves(part, place.within(*name++), all) || any), ...); });
    }
    return any;
}

} // namespace tx::detail
