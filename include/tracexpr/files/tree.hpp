// This file saves and loads trees of parameters: nested structs, tuples, pairs, arrays, vectors, maps and optionals with tensors,
// variables and numbers as leaves, as functions take them.
#pragma once

#include <tracexpr/files/tree_forms.hpp>
#include <tracexpr/files/tree_names.hpp>

#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace tx {

namespace detail {

// leaf_kinds tells whether a tree has leaves of a dtype that files don't hold, and const ones.
struct leaf_kinds {
    bool has_duals = false, has_constants = false;
    constexpr leaf_kinds operator+(leaf_kinds b) const { return {has_duals || b.has_duals, has_constants || b.has_constants}; }
};
template <class A> constexpr leaf_kinds kinds_of_leaves();
template <class... Parts> struct kinds_of_parts {
    static constexpr leaf_kinds value = (leaf_kinds{} + ... + kinds_of_leaves<Parts>());
};
template <class A> constexpr leaf_kinds kinds_of_leaves() {
    using plain = std::remove_const_t<A>;
    auto const parts = []<class... P>(P&...) { return kinds_of_parts<P...>{}; };
    if constexpr (saved_leaf<plain> && element<plain>) return {!file_element<plain>, std::is_const_v<A>};
    else if constexpr (saved_leaf<plain>) return {!file_element<typename plain::value_type>, std::is_const_v<A>};
    else if constexpr (list_type<plain>) return kinds_of_leaves<list_part<plain>>() + leaf_kinds{false, std::is_const_v<A>};
    else if constexpr (is_tuple_like<plain>) return decltype(with_parts(std::declval<A&>(), parts))::value;
    else if constexpr (aggregate<plain>) return decltype(with_fields(std::declval<A&>(), parts))::value;
    else return {};
}
template <class A> inline constexpr bool is_saved_tree = facts<A>.is_tree && !facts<A>.has_exprs && !facts<A>.has_foreign;

// saved_tree is a tree of any type: list(tree, place, all) lists its leaves.
struct saved_tree {
    void* tree;
    void (*list)(void* tree, tree_place const& place, tree_leaves& all);
};
template <class Tree> saved_tree saved_tree_of(Tree const& tree) {
    return {const_cast<Tree*>(std::addressof(tree)),
            [](void* of, tree_place const& place, tree_leaves& all) { list_leaves(*static_cast<Tree const*>(of), place, all); }};
}
// A form_of_file gives the lists of a tree the parts that a file has. It is null for trees without lists.
using form_of_file = void (*)(void* tree, name_ends const& ends, given_forms* undo);
template <class Tree> constexpr form_of_file form_of_file_for() {
    if constexpr (!facts<Tree>.has_lists) return nullptr;
    else
        return [](void* tree, name_ends const& ends, given_forms* undo) {
            take_form_of_file(*static_cast<Tree*>(tree), ends, 0, undo);
        };
}
void save_tree(std::string const& path, saved_tree const& tree);
// is_new tells that the call has made the tree, and drops it if it fails.
void load_tree(std::string const& path, saved_tree const& tree, form_of_file take_form, bool is_new);
template <class Tree> void load_tree(std::string const& path, Tree const& tree, bool is_new) {
    load_tree(path, saved_tree_of(tree), form_of_file_for<Tree>(), is_new);
}

template <class Tree> constexpr bool is_loaded_tree() {
    static_assert(is_saved_tree<Tree>,
                  "tx: load: a tree is made of tensors, variables and numbers, and of structs, tuples, pairs, "
                  "arrays, vectors, maps and optionals of these");
    static_assert(!kinds_of_leaves<Tree>().has_duals, "tx: load: files hold no dual numbers; load their values and tangents");
    return is_saved_tree<Tree>;
}

} // namespace detail

// Writes save("model.safetensors", model), or .npz: the tree's tensors, variables and numbers, under names such as
// "layers.0.weights". Other values in structs (strings, enums, what tx::key wraps) are no parameters and are left out. A key of a
// map of leaves is the rest of the name, including dots; in other keys "%2E" stands for a dot, and "%" as a name for an empty
// part of a list. Throws error if the name ends in neither extension, for keys that are no UTF-8 in .safetensors, or if the file
// can't be written, and type_error for complex128 in .safetensors. The old file stays until the new one is whole.
template <class Tree> void save(std::string const& path, Tree const& tree) {
    static_assert(detail::is_saved_tree<Tree>,
                  "tx: save: a tree is made of tensors, variables and numbers, and of structs, tuples, pairs, arrays, "
                  "vectors, maps and optionals of these");
    static_assert(!detail::kinds_of_leaves<Tree>().has_duals,
                  "tx: save: files hold no dual numbers; save their values and tangents");
    if constexpr (detail::is_saved_tree<Tree>) detail::save_tree(path, detail::saved_tree_of(tree));
}

// Loads what save stored into a tree: load("model.safetensors", model), load("model.npz", std::tie(weights, bias)). The file must
// have exactly the tree's names, with its dtypes and shapes. A tensor without elements takes the file's shape where its type
// allows it, and a vector, map or optional without parts takes those of the file: load<std::map<std::string,
// tx::tensor<float>>>("model.safetensors"). Throws error, type_error and shape_error if the file doesn't fit, and then leaves the
// tree as it was.
template <class Tree> void load(std::string const& path, Tree&& tree) {
    using plain = std::remove_reference_t<Tree>;
    using parts = std::remove_const_t<plain>;
    constexpr bool is_open = !std::is_const_v<plain> || detail::is_tuple_like<parts>; // Tuples of references may be const.
    static_assert(is_open, "tx: load: the tree to load into must not be const; load<Tree>(path) gives a new one");
    constexpr bool is_loaded = detail::is_loaded_tree<parts>();
    if constexpr (is_open && is_loaded)
        static_assert(!detail::kinds_of_leaves<plain>().has_constants, "tx: load: no part of the tree may be const");
    if constexpr (is_open && is_loaded) detail::load_tree(path, tree, false);
}
// Loads what save stored into a new tree, all of whose vectors, maps and optionals have the parts that the file has:
// load<model>("model.safetensors").
template <class Tree> [[nodiscard]] Tree load(std::string const& path) {
    constexpr bool is_made = std::is_default_constructible_v<Tree>;
    static_assert(is_made,
                  "tx: load<Tree>: the tree must have a default constructor; or make one and load into it: load(path, tree)");
    if constexpr (is_made) {
        std::remove_const_t<Tree> tree{};
        if constexpr (detail::is_loaded_tree<std::remove_const_t<Tree>>()) detail::load_tree(path, tree, true);
        return tree;
    } else {
        std::terminate(); // never compiled
    }
}

} // namespace tx

#if TRACEXPR_HAS_BODIES
#include <tracexpr/files/tree_bodies.hpp>
#endif
