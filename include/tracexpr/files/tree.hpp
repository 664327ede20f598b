// Trees of parameters from and to files: structs, tuples, pairs, arrays, vectors, maps and optionals, nested, with tensors,
// variables and numbers as leaves, as functions take them. A leaf is called by the names of the fields, the keys and the numbers
// of the parts that lead to it: "layers.0.weights".
#pragma once

#include <tracexpr/files/safetensors.hpp>
#include <tracexpr/run/trees/field_names.hpp>
#include <tracexpr/run/variable.hpp>

#include <charconv>
#include <exception>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tx {

namespace detail {

// What a file holds of a tree: a number wherever it stands, too.
template <class A> concept saved_leaf = tensor_type<A> || (variable_type<A> && !captured_type<A>) || scalar_type<A>;

// What a part of a list is called, whose name is `name`; what an optional holds has the name of that.
template <class K> std::string name_within(std::string const& name, K const& key) {
    std::string out = name;
    if (!name.empty() && !std::is_same_v<K, no_key>) out += '.';
    if constexpr (text_key<K>) return out += std::string_view(key);
    else if constexpr (std::is_enum_v<K>) return out + std::to_string(static_cast<std::underlying_type_t<K>>(key));
    else if constexpr (!std::is_same_v<K, no_key>) return out + std::to_string(key);
    else return out;
}
// f(name, leaf) for every leaf. What stands alone is called "value".
template <class A, class F> void for_each_named_leaf(A& a, std::string const& name, F const& f) {
    using plain = std::remove_const_t<A>;
    if constexpr (saved_leaf<plain>) {
        f(name.empty() ? "value" : name, a);
    } else if constexpr (list_type<plain>) {
        list_form<plain>::visit(a, [&](auto const& key, auto& part) { for_each_named_leaf(part, name_within(name, key), f); });
    } else if constexpr (is_tuple_like<plain>) {
        std::size_t part = 0;
        with_parts(a, [&](auto&... each) { (for_each_named_leaf(each, name_within(name, part++), f), ...); });
    } else if constexpr (aggregate<plain>) {
        std::size_t field = 0;
        with_fields(a,
                    [&](auto&... each) { (for_each_named_leaf(each, name_within(name, field_names<plain>[field++]), f), ...); });
    }
}

// Has a tree's type a leaf of a dtype that files don't hold?
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

template <class T> kept_array array_of_leaf(T const& leaf) {
    if constexpr (tensor_type<T>) return array_of(leaf);
    else if constexpr (variable_type<T>) return array_of(leaf.unrecorded());
    else return {dtype_of<T>, {}, &leaf};
}

// f(the file, opened to read) by its extension.
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

// Names that only one of the two has.
inline std::vector<std::string> missing_names(std::vector<std::string> const& wanted, std::vector<std::string> const& given) {
    std::set<std::string_view> const known(given.begin(), given.end());
    std::vector<std::string> out;
    for (std::string const& name : wanted)
        if (!known.contains(name)) out.push_back(name);
    return out;
}
inline void check_names(file_call const& call, std::vector<std::string> const& tree, std::vector<std::string> const& file) {
    std::vector<std::string> const missing = missing_names(tree, file), unknown = missing_names(file, tree);
    if (missing.empty() && unknown.empty()) return;
    call.fail("is of another tree; it lacks: " + listed_pieces(missing) + "; it has besides: " + listed_pieces(unknown));
}

// The value for a leaf, which must have its shape; one without elements takes what its type allows.
template <class File, class Leaf> auto value_for(File& file, std::string const& name, Leaf const& leaf) {
    return file.read(name, [&](file_call const& array, byte_source& in, array_form const& form) {
        if constexpr (element<Leaf>) {
            return read_tensor<canonical<Leaf>, shape<>>(array, in, form, dims{}, "the tree has");
        } else {
            dims const wanted = leaf.size() > 0 ? leaf.dimensions() : dims_of<typename Leaf::shape_type>;
            return read_tensor<typename Leaf::value_type, typename Leaf::shape_type>(array, in, form, wanted, "the tree has");
        }
    });
}
// What puts a value that was read into its leaf. It does not throw.
template <class Leaf, class Value> std::function<void()> storing(Leaf& leaf, Value value) {
    return [&leaf, value = std::move(value)] {
        if constexpr (element<Leaf>) leaf = static_cast<Leaf>(value.item());
        else if constexpr (variable_type<Leaf>) leaf.assign(value);
        else leaf = value;
    };
}
// Lists that have got parts, and lose them again where the call fails.
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
// The key that a text is, if it is one.
template <class K> std::optional<K> key_of_text(std::string const& text) {
    if constexpr (text_key<K>) {
        return K(text);
    } else {
        using number = typename std::conditional_t<std::is_enum_v<K>, std::underlying_type<K>, std::type_identity<K>>::type;
        number out{};
        auto const end = std::from_chars(text.data(), text.data() + text.size(), out);
        if (end.ec != std::errc{} || end.ptr != text.data() + text.size()) return {};
        return static_cast<K>(out);
    }
}
// The part called `text` of a list without parts, which a file has names for: behind the name of a map of leaves all is the key,
// else it ends at a dot.
template <class A> void add_part_of_file(A& list, std::string text) {
    constexpr bool is_map = requires { typename A::mapped_type; };
    if (!is_map || !saved_leaf<list_part<A>>) text = text.substr(0, text.find('.'));
    if constexpr (is_map) {
        if (auto const key = key_of_text<typename A::key_type>(text)) list.try_emplace(*key);
    } else if (auto const number = key_of_text<std::size_t>(text); number && *number == list.size()) {
        list.emplace_back();
    }
}
// Gives lists that have no parts those which a file has names for.
template <class A>
void take_form_of_file(A& a, std::string const& name, std::vector<std::string> const& names, given_forms* undo) {
    using plain = std::remove_const_t<A>;
    auto const within = [&](auto const& key, auto& part) { take_form_of_file(part, name_within(name, key), names, undo); };
    if constexpr (!facts<plain>.has_lists) {
    } else if constexpr (list_type<plain>) {
        if constexpr (!std::is_const_v<A> && std::is_default_constructible_v<list_part<plain>>) {
            std::string const front = name.empty() ? name : name + '.';
            if (list_form<plain>::size(a) == 0) {
                if (undo) undo->add(a);
                undo = nullptr;
                if constexpr (requires { a.has_value(); }) {
                    for (std::string const& each : names)
                        if (!a && (each == name || each.starts_with(front))) a.emplace();
                } else {
                    std::vector<std::string> texts;
                    for (std::string const& each : names)
                        if (each.starts_with(front)) texts.push_back(each.substr(front.size()));
                    // Parts of a vector come in the order of their numbers, in which names need not stand: one round for each.
                    for (std::size_t before = texts.size() + 1; before != list_form<plain>::size(a);) {
                        before = list_form<plain>::size(a);
                        for (std::string const& text : texts) add_part_of_file(a, text);
                    }
                }
            }
        }
        list_form<plain>::visit(a, within);
    } else if constexpr (is_tuple_like<plain>) {
        std::size_t number = 0;
        with_parts(a, [&](auto&... part) { (within(number++, part), ...); });
    } else if constexpr (aggregate<plain>) {
        std::size_t field = 0;
        with_fields(a, [&](auto&... part) { (within(field_names<plain>[field++], part), ...); });
    }
}
template <class Tree> void load_tree(std::string const& path, Tree& tree) {
    file_call const call{"load", path};
    with_array_file(call, [&](auto& file) {
        std::vector<std::string> names;
        given_forms forms;
        take_form_of_file(tree, "", file.names(), &forms);
        for_each_named_leaf(tree, "", [&](std::string const& name, auto const&) { names.push_back(name); });
        check_names(call, names, file.names());
        std::vector<std::function<void()>> stores;
        for_each_named_leaf(
            tree, "", [&](std::string const& name, auto& leaf) { stores.push_back(storing(leaf, value_for(file, name, leaf))); });
        for (std::function<void()> const& store : stores) store();
        forms.keep();
    });
}

} // namespace detail

// save("model.safetensors", model), or .npz: the tree's tensors, variables and numbers, under names such as "layers.0.weights".
// Other values in structs (strings, enums, what tx::key wraps) are no parameters and are left out. Throws error where the name
// ends in neither, or where the file can't be written; type_error for complex128 in .safetensors. The old file stays until the
// new one is whole.
template <class Tree> void save(std::string const& path, Tree const& tree) {
    static_assert(detail::is_saved_tree<Tree>,
                  "tx: save: a tree is made of tensors, variables and numbers, and of structs, tuples, pairs, arrays, "
                  "vectors, maps and optionals of these");
    static_assert(!detail::holds_duals_in<Tree>(), "tx: save: files hold no dual numbers; save their values and tangents");
    if constexpr (detail::is_saved_tree<Tree>) {
        detail::file_call const call{"save", path};
        detail::named_arrays named;
        detail::for_each_named_leaf(
            tree, "", [&](std::string const& name, auto const& leaf) { named.emplace_back(name, detail::array_of_leaf(leaf)); });
        if (path.ends_with(".npz")) detail::save_npz(call, named, {});
        else if (path.ends_with(".safetensors")) detail::save_safetensors(call, std::move(named), {});
        else call.fail("the name must end in .npz or .safetensors, which says what to write");
    }
}

// Puts into a tree what save stored: load("model.safetensors", model), load("model.npz", std::tie(weights, bias)). The file must
// have the tree's names, no more and no fewer, with its dtypes and shapes; a tensor without elements takes the file's shape where
// its type allows it, and a vector, map or optional without parts those of the file: load<std::map<std::string,
// tx::tensor<float>>>("model.safetensors"). Throws error, type_error and shape_error where it has not, and then leaves the tree
// as it was.
template <class Tree> void load(std::string const& path, Tree&& tree) {
    using plain = std::remove_reference_t<Tree>;
    using parts = std::remove_const_t<plain>;
    constexpr bool is_open = !std::is_const_v<plain> || detail::is_tuple_like<parts>; // as const ones of references are
    static_assert(is_open, "tx: load: the tree to load into must not be const; load<Tree>(path) gives a new one");
    static_assert(detail::is_saved_tree<parts>,
                  "tx: load: a tree is made of tensors, variables and numbers, and of structs, tuples, pairs, arrays, "
                  "vectors, maps and optionals of these");
    static_assert(!detail::holds_duals_in<parts>(), "tx: load: files hold no dual numbers; load their values and tangents");
    if constexpr (is_open && detail::is_saved_tree<parts>) detail::load_tree(path, tree);
}
// The same into a new tree: load<model>("model.safetensors").
template <class Tree> [[nodiscard]] Tree load(std::string const& path) {
    constexpr bool is_made = std::is_default_constructible_v<Tree>;
    static_assert(is_made,
                  "tx: load<Tree>: the tree must have a default constructor; or make one and load into it: load(path, tree)");
    if constexpr (is_made) {
        Tree tree{};
        tx::load(path, tree);
        return tree;
    } else {
        std::terminate(); // never compiled
    }
}

} // namespace tx
