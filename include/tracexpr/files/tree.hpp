// This file saves and loads trees of parameters: nested structs, tuples, pairs, arrays, vectors, maps and optionals with tensors,
// variables and numbers as leaves, as functions take them.
#pragma once

#include <tracexpr/files/safetensors.hpp>
#include <tracexpr/files/tree_names.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

namespace tx {

namespace detail {

// Tells whether a tree's type has a leaf of a dtype that files don't hold.
template <class A> constexpr bool holds_duals_in();
template <class... Parts> struct parts_hold_duals {
    static constexpr bool value = (holds_duals_in<std::remove_cv_t<Parts>>() || ...);
};
template <class A> constexpr bool holds_duals_in() {
    auto const parts = []<class... P>(P&...) { return parts_hold_duals<P...>{}; };
    if constexpr (saved_leaf<A> && element<A>) return !file_element<A>;
    else if constexpr (saved_leaf<A>) return !file_element<typename A::value_type>;
    else if constexpr (list_type<A>) return holds_duals_in<list_part<A>>();
    else if constexpr (is_tuple_like<A>) return decltype(with_parts(std::declval<A&>(), parts))::value;
    else if constexpr (aggregate<A>) return decltype(with_fields(std::declval<A&>(), parts))::value;
    else return false;
}
template <class A> inline constexpr bool is_saved_tree = facts<A>.is_tree && !facts<A>.has_exprs && !facts<A>.has_foreign;

template <class T> array_elements array_of_leaf(T const& leaf) {
    if constexpr (tensor_type<T>) return array_of(leaf);
    else if constexpr (variable_type<T>) return array_of(leaf.unrecorded());
    else if constexpr (std::is_same_v<T, no_leaves>) return {dtype::boolean, dims_of<shape<0>>, ""};
    else return {dtype_of<T>, {}, &leaf};
}

// Calls f with the file, opened to read by its extension.
template <class F> void with_array_file(file_call const& call, F const& f) {
    if (call.path.ends_with(".npz")) {
        npz_file file(call);
        f(file);
    } else if (call.path.ends_with(".safetensors")) {
        safetensors_file file(call);
        f(file);
    } else {
        call.fail("the name must end in .npz or .safetensors, which says what is in the file");
    }
}

// Gives the wanted names that are not among the given ones.
inline std::vector<std::string> missing_names(std::vector<std::string> const& wanted, std::set<std::string> const& given) {
    std::vector<std::string> out;
    for (std::string const& name : wanted)
        if (!given.contains(name)) out.push_back(name);
    return out;
}

// Reads the value for a leaf, which must have the leaf's shape; for a leaf without elements it may be any shape that the type
// allows.
template <class File, class Leaf> auto value_for(File& file, std::string const& name, Leaf const& leaf) {
    return file.read(name, [&](file_call const& array, byte_source& in, array_layout const& layout) {
        if constexpr (element<Leaf>) {
            return read_tensor<canonical<Leaf>, shape<>>(array, in, layout, dims{}, "the tree has");
        } else {
            dims const wanted = leaf.size() > 0 ? leaf.dimensions() : dims_of<typename Leaf::shape_type>;
            return read_tensor<typename Leaf::value_type, typename Leaf::shape_type>(array, in, layout, wanted, "the tree has");
        }
    });
}
// Gives a function that stores a value that was read in its leaf. The function does not throw.
template <class Leaf, class Value> std::function<void()> storing(Leaf& leaf, Value value) {
    return [&leaf, value = std::move(value)] {
        if constexpr (element<Leaf>) leaf = static_cast<Leaf>(value.item());
        else if constexpr (variable_type<Leaf>) leaf.assign(value);
        else leaf = value;
    };
}
// Gives the place of the tree with which its names are those of the file; throws error if there is none.
template <class Tree> tree_place place_of_tree(file_call const& call, Tree const& tree, std::vector<std::string> const& file) {
    std::set<std::string> const given(file.begin(), file.end());
    auto const names = [&](tree_place const& place) {
        std::vector<std::string> out;
        for_each_named_leaf(tree, place, [&]<class Leaf>(std::string const& name, Leaf const&) {
            if (!std::is_same_v<Leaf, no_leaves> || given.contains(name)) out.push_back(name); // Earlier versions wrote no marks.
        });
        return out;
    };
    std::vector<std::string> const wanted = names({});
    std::vector<std::string> const missing = missing_names(wanted, given);
    std::vector<std::string> const unknown = missing_names(file, {wanted.begin(), wanted.end()});
    if (missing.empty() && unknown.empty()) return {};
    tree_place const earlier{.name = "", .optionals = 0, .plain_dots = true};
    std::vector<std::string> const others = names(earlier);
    if (others.size() == given.size() && std::set<std::string>(others.begin(), others.end()) == given) return earlier;
    call.fail("is of another tree; it lacks: " + listed_pieces(missing) + "; it has besides: " + listed_pieces(unknown));
}
// Reads the mark in the place of a part without leaves.
template <class File> void check_mark(File& file, std::string const& name) {
    file.read(name, [](file_call const& array, byte_source&, array_layout const& layout) {
        if (layout.extents != std::vector<std::int64_t>{0}) array.fail("has elements, where its name says that nothing is");
        return true;
    });
}
template <class Tree> constexpr bool is_loaded_tree() {
    static_assert(is_saved_tree<Tree>,
                  "tx: load: a tree is made of tensors, variables and numbers, and of structs, tuples, pairs, "
                  "arrays, vectors, maps and optionals of these");
    static_assert(!holds_duals_in<Tree>(), "tx: load: files hold no dual numbers; load their values and tangents");
    return is_saved_tree<Tree>;
}
// is_new tells that the call has made the tree, and drops it if it fails.
template <class Tree> void load_tree(std::string const& path, Tree& tree, bool is_new) {
    file_call const call{"load", path};
    with_array_file(call, [&](auto& file) {
        std::vector<std::string> ends;
        for (std::string const& name : file.names()) ends.push_back('.' + name);
        given_forms forms;
        take_form_of_file(tree, name_ends(ends.begin(), ends.end()), 0, is_new ? nullptr : &forms);
        tree_place const place = place_of_tree(call, tree, file.names());
        std::vector<std::function<void()>> stores;
        for_each_named_leaf(tree, place, [&]<class Leaf>(std::string const& name, Leaf& leaf) {
            if constexpr (!std::is_same_v<Leaf, no_leaves const>) stores.push_back(storing(leaf, value_for(file, name, leaf)));
            else if (file.has(name)) check_mark(file, name);
        });
        for (std::function<void()> const& store : stores) store();
        forms.keep();
    });
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
    static_assert(!detail::holds_duals_in<Tree>(), "tx: save: files hold no dual numbers; save their values and tangents");
    if constexpr (detail::is_saved_tree<Tree>) {
        detail::file_call const call{"save", path};
        detail::named_arrays named;
        detail::for_each_named_leaf(
            tree, {}, [&](std::string const& name, auto const& leaf) { named.emplace_back(name, detail::array_of_leaf(leaf)); });
        if (path.ends_with(".npz")) detail::save_npz(call, named, {});
        else if (path.ends_with(".safetensors")) detail::save_safetensors(call, std::move(named), {});
        else call.fail("the name must end in .npz or .safetensors, which says what to write");
    }
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
