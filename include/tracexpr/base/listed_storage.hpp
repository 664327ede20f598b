// This file has a tensor's elements together with the constructors that list them: where the type tells the first extent, there
// is one parameter for each item along the first axis, so that another number of items doesn't compile. (A list's length is no
// part of std::initializer_list's type.)
#pragma once

#include <tracexpr/base/nested.hpp>
#include <tracexpr/base/storage.hpp>

namespace tx::detail {

// Throws unless `given`, which has known extents, is a shape that the type `wanted` allows.
constexpr void check_fits(char const* what, dims const& wanted, dims const& given) {
    if (!may_equal(wanted, given)) throw_wrong_extents(what, wanted, given);
}
// Gives the extents of a tensor that is listed, from those along the first list of each level; below an empty list they are 0.
template <class Shape> constexpr dims listed_extents(dims d) {
    if constexpr (dims_of<Shape>.rank > 0)
        while (d.rank < dims_of<Shape>.rank) d.push_back(0);
    check_fits("tensor", dims_of<Shape>, d);
    return d;
}

// This is a namespace of its own because that of a base class is searched for functions that are called with a tensor.
namespace tensor_lists {

enum class uninitialized { elements }; // No braces of elements convert to it.

template <class T, class Shape, class Row = typename brace_list<T, Shape>::row> class listed_storage {
protected:
    using storage = tensor_storage<T, Shape>;
    constexpr listed_storage() = default;
    constexpr listed_storage(uninitialized, dims const& d) : storage_(d) {} // It copies no uninitialized elements.
    constexpr explicit listed_storage(storage const& given) : storage_(given) {}
    constexpr explicit listed_storage(storage&& given) : storage_(std::move(given)) {}

    storage storage_{};
};

template <class T, class Shape, class Item, class Places> class items_storage;
template <class T, class Shape, class Item, std::size_t... I>
class items_storage<T, Shape, Item, std::index_sequence<I...>> : protected listed_storage<T, Shape, no_braces> {
    using base = listed_storage<T, Shape, no_braces>;

public:
    constexpr items_storage(item_at<Item, I> const&... items) // There are as many as the type's first extent.
        : base(uninitialized::elements, extents_of(items...)) {
        auto* out = base::storage_.mutable_data();
        (copy_list(items, base::storage_.extents(), 1, out), ...);
    }
    // This reports a wrong number of scalars. (One scalar is no list.)
    template <scalar_item<Item>... Given> requires(sizeof...(Given) != sizeof...(I) && sizeof...(Given) > 1)
    constexpr items_storage(Given const&...) {
        say_how_many<Given...>();
    }
    // This reports a wrong number of lists, up to 12. It is a template so that it comes after the constructor above.
    template <class Unused = void> requires(!never_list<Item>)
    constexpr items_storage(braces<T> const&, braces<T> const&, braces<T> const& = {}, braces<T> const& = {},
                            braces<T> const& = {}, braces<T> const& = {}, braces<T> const& = {}, braces<T> const& = {},
                            braces<T> const& = {}, braces<T> const& = {}, braces<T> const& = {}, braces<T> const& = {}) {
        say_how_many<Unused>();
    }

protected:
    using base::base;
    constexpr items_storage() = default;

private:
    template <class... Items> static constexpr dims extents_of(Item const& first, Items const&...) {
        if constexpr (dims_of<Shape>.is_static()) {
            return dims_of<Shape>;
        } else {
            dims d{{static_cast<std::int64_t>(sizeof...(I))}, 1};
            append_extents(first, d);
            return listed_extents<Shape>(d);
        }
    }
    template <class... Given> static constexpr void say_how_many() {
        static_assert(always_false<Given...>,
                      "tx: tensor: the braces must be as long as the type's extents say; the shape stands in the note");
    }
};
template <class T, class Shape, class Item, std::size_t Extent> class listed_storage<T, Shape, brace_row<Item, Extent>>
    : protected items_storage<T, Shape, Item, std::make_index_sequence<Extent>> {
    using base = items_storage<T, Shape, Item, std::make_index_sequence<Extent>>;

public:
    using base::base;

protected:
    constexpr listed_storage() = default;
};

} // namespace tensor_lists
} // namespace tx::detail
