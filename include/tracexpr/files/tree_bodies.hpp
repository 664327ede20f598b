// This file holds the bodies of files/tree.hpp.
#pragma once

#include <tracexpr/files/npz_file.hpp>
#include <tracexpr/files/safetensors_file.hpp>
#include <tracexpr/files/tree.hpp>
#include <tracexpr/files/tree_names_bodies.hpp>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tx::detail {

// Opens a file to read by its extension.
inline std::unique_ptr<array_file> open_array_file(file_call const& call) {
    if (call.path.ends_with(".npz")) return std::make_unique<npz_file>(call);
    if (call.path.ends_with(".safetensors")) return std::make_unique<safetensors_file>(call);
    call.fail("the name must end in .npz or .safetensors, which says what is in the file");
}

// Gives the wanted names that are not among the given ones.
inline std::vector<std::string> missing_names(std::vector<std::string> const& wanted, std::set<std::string> const& given) {
    std::vector<std::string> out;
    for (std::string const& name : wanted)
        if (!given.contains(name)) out.push_back(name);
    return out;
}
inline tree_leaves leaves_of(saved_tree const& tree, tree_place const& place) {
    tree_leaves out;
    tree.list(tree.tree, place, out);
    return out;
}
// Gives the tree's leaves with those names that the file has; throws error if it has others.
inline tree_leaves leaves_in_file(file_call const& call, saved_tree const& tree, std::vector<std::string> const& file) {
    std::set<std::string> const given(file.begin(), file.end());
    auto const names = [&](tree_leaves const& leaves) {
        std::vector<std::string> out;
        for (tree_leaf const& leaf : leaves.all) // Earlier versions wrote no marks.
            if (leaf.access || given.contains(leaf.name)) out.push_back(leaf.name);
        return out;
    };
    tree_leaves leaves = leaves_of(tree, {});
    std::vector<std::string> const wanted = names(leaves);
    std::vector<std::string> const missing = missing_names(wanted, given);
    std::vector<std::string> const unknown = missing_names(file, {wanted.begin(), wanted.end()});
    if (missing.empty() && unknown.empty()) return leaves;
    tree_leaves earlier = leaves_of(tree, {.plain_dots = true});
    std::vector<std::string> const others = names(earlier);
    if (others.size() == given.size() && std::set<std::string>(others.begin(), others.end()) == given) return earlier;
    call.fail("is of another tree; it lacks: " + listed_pieces(missing) + "; it has besides: " + listed_pieces(unknown));
}
// Reads the mark in the place of a part without leaves.
inline void check_mark(array_file& file, std::string const& name) {
    opened_array array = file.open(name);
    if (array.layout.extents != std::vector<std::int64_t>{0})
        array.call.fail("has elements, where its name says that nothing is");
    file.check(array);
}
// Reads the value for a leaf, which must have the leaf's shape; for a leaf without elements it may be any shape that the type
// allows.
inline loaded_array value_for(array_file& file, tree_leaf const& leaf) {
    dims const extents = leaf.access->extents(leaf.leaf);
    dims const wanted = checked_size(extents) > 0 ? extents : leaf.access->type.shape;
    return read_whole(file, leaf.name, {leaf.access->type.type, wanted}, "the tree has");
}

TRACEXPR_BODY void save_tree(std::string const& path, saved_tree const& tree) {
    file_call const call{"save", path};
    tree_leaves const leaves = leaves_of(tree, {});
    named_arrays named;
    for (tree_leaf const& leaf : leaves.all)
        named.emplace_back(leaf.name, leaf.access ? array_elements{leaf.access->type.type, leaf.access->extents(leaf.leaf),
                                                                   leaf.access->elements(leaf.leaf)}
                                                  : array_elements{dtype::boolean, dims{{0}, 1}, ""});
    if (path.ends_with(".npz")) write_npz(call, named, {});
    else if (path.ends_with(".safetensors")) write_safetensors(call, std::move(named), {});
    else call.fail("the name must end in .npz or .safetensors, which says what to write");
}
TRACEXPR_BODY void load_tree(std::string const& path, saved_tree const& tree, form_of_file take_form, bool is_new) {
    file_call const call{"load", path};
    std::unique_ptr<array_file> const file = open_array_file(call);
    given_forms forms;
    std::vector<std::string> ends;
    for (std::string const& name : file->names()) ends.push_back('.' + name);
    if (take_form) take_form(tree.tree, name_ends(ends.begin(), ends.end()), is_new ? nullptr : &forms);
    tree_leaves const leaves = leaves_in_file(call, tree, file->names());
    std::vector<loaded_array> values;
    for (tree_leaf const& leaf : leaves.all) {
        if (leaf.access) values.push_back(value_for(*file, leaf));
        else if (file->has(leaf.name)) check_mark(*file, leaf.name);
    }
    loaded_array* value = values.data();
    for (tree_leaf const& leaf : leaves.all)
        if (leaf.access) leaf.access->store(leaf.leaf, *value++);
    forms.keep();
}

} // namespace tx::detail
