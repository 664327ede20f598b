// This file has nested brace lists: what `{{1, 2}, {3, 4}}` becomes, for a rank that is known and for one that the braces decide.
#pragma once

#include <tracexpr/base/element.hpp>
#include <tracexpr/base/shape.hpp>

#include <initializer_list>
#include <utility>

namespace tx::detail {

template <class T> inline constexpr bool is_complex_type = element<T> && is_complex(dtype_of<T>);

// This tells whether a scalar of type U may stand for a T. As in NumPy, the value may be rounded, but its kind must not be lost
// (no 1.5 in integers).
template <class U, class T> concept scalar_for =
    std::same_as<U, T> || (std::same_as<T, std::string> && std::convertible_to<U, std::string_view>) ||
    (!std::same_as<T, bool> && std::is_arithmetic_v<U> && (element<U> || std::same_as<U, long double>) &&
     (!std::is_integral_v<T> || std::is_integral_v<U>));

// another_kind is a number that is no value of the dtype, as 1.5 is no integer.
template <class U, class T> concept another_kind = std::is_arithmetic_v<U> && !scalar_for<U, T>;
template <class... U> constexpr void refuse_kind() {
    static_assert(always_false<U...>,
                  "tx: tensor: a value must be of the kind of the dtype: no fraction in integers, no number in bool or strings; "
                  "write static_cast<int>(1.7), or tx::cast<int>(x) of a tensor");
}

[[noreturn]] TRACEXPR_ONCE void throw_out_of_range(std::string const& value, dtype type) {
    throw type_error("tx: tensor: every value must fit the dtype; " + value + " does not fit " + std::string(name(type)));
}
[[noreturn]] TRACEXPR_ONCE void throw_out_of_range(std::int64_t value, dtype type) {
    throw_out_of_range(std::to_string(value), type);
}
[[noreturn]] TRACEXPR_ONCE void throw_out_of_range(std::uint64_t value, dtype type) {
    throw_out_of_range(std::to_string(value), type);
}
// Gives an integer in the widest type of its sign, for messages.
template <class U> constexpr auto widest(U value) {
    return static_cast<std::conditional_t<std::is_signed_v<U>, std::int64_t, std::uint64_t>>(value);
}

template <element T, scalar_for<T> U> constexpr stored<T> scalar_as(U const& value) {
    if constexpr (std::is_same_v<T, std::string>) return interned(value);
    else if constexpr (std::is_same_v<T, U>) return value;
    else if constexpr (is_complex_type<T>) return T(static_cast<typename T::value_type>(value));
    else if constexpr (std::is_integral_v<T> && !std::is_same_v<U, bool>) {
        if (!std::in_range<T>(value)) throw_out_of_range(widest(value), dtype_of<T>);
        return static_cast<T>(value);
    } else return static_cast<T>(value);
}

// brace_scalar is one scalar inside braces.
template <element T> struct brace_scalar {
    stored<T> value;
    template <scalar_for<T> U> constexpr brace_scalar(U scalar) : value{scalar_as<T>(scalar)} {}
    template <another_kind<T> U> constexpr brace_scalar(U) : value{} { refuse_kind<U>(); }
    template <scalar_for<T> U, scalar_for<T> V> requires is_complex_type<T>
    constexpr brace_scalar(U real, V imaginary) : value(scalar_as<T>(real).real(), scalar_as<T>(imaginary).real()) {}
};

// scalars_of tells which scalars an item can be made of.
template <class Item> struct scalars_of;
template <class T> struct scalars_of<brace_scalar<T>> {
    template <class U> static constexpr bool take = scalar_for<U, T>;
};
template <class U, class Item> concept scalar_item = scalars_of<Item>::template take<U>;

// `braces` is a scalar or a list of braces, nested to any depth. `{{1}, {2}}` is a list of lists, not of scalars.
template <element T> class braces {
public:
    constexpr braces() : is_list_(true) {} // This is for `{}`, for which nvcc doesn't take the list constructor.
    template <scalar_for<T> U> constexpr braces(U scalar) : value_{scalar_as<T>(scalar)} {}
    template <another_kind<T> U> constexpr braces(U) { refuse_kind<U>(); }
    constexpr braces(std::initializer_list<braces> items) : items_(items), is_list_(true) {}

    constexpr bool is_list() const { return is_list_; }
    constexpr std::initializer_list<braces> items() const { return items_; }
    constexpr stored<T> value() const { return value_; }

private:
    stored<T> value_{};
    std::initializer_list<braces> items_{};
    bool is_list_ = false;
};

// item_at is a list inside of other lists whose length the type tells.
template <class Item, std::size_t> using item_at = Item;
template <class Item> constexpr Item never() { throw "never called"; }
template <class Item, class Places> struct items_of_row;
template <class Item, std::size_t... I> struct items_of_row<Item, std::index_sequence<I...>> {
    Item item[sizeof...(I)];

    constexpr items_of_row(item_at<Item, I> const&... given) : item{given...} {}
    template <scalar_item<Item>... Given> requires(sizeof...(Given) != sizeof...(I))
    constexpr items_of_row(Given const&...) : item{(static_cast<void>(I), never<Item>())...} {
        static_assert(always_false<Given...>,
                      "tx: tensor: the braces must be as long as the type's extents say; the shape stands in the note");
    }
    constexpr std::size_t size() const { return sizeof...(I); }
    constexpr Item const* begin() const { return item; }
    constexpr Item const* end() const { return item + sizeof...(I); }
};
template <class Item, std::size_t Extent> struct brace_row : items_of_row<Item, std::make_index_sequence<Extent>> {
    using items_of_row<Item, std::make_index_sequence<Extent>>::items_of_row;
};
inline constexpr std::int64_t longest_row = 64; // The compiler checks the length of rows up to this.

struct no_braces {};
template <class T, std::int64_t... Extents> struct nested_row {
    using type = brace_scalar<T>;
};
template <class T, std::int64_t First, std::int64_t... Rest> struct nested_row<T, First, Rest...> {
    using item = typename nested_row<T, Rest...>::type;
    using type =
        std::conditional_t<(First > 0 && First <= longest_row), brace_row<item, static_cast<std::size_t>(First > 0 ? First : 0)>,
                           std::initializer_list<item>>;
};
// brace_list holds the braces that list a tensor's elements. `row` is their type where the compiler also counts the items along
// the first axis. One item is not counted, because its braces would also be those of a tensor to copy.
template <class T, class Shape> struct brace_list;
template <class T, std::int64_t First, std::int64_t... Rest> struct brace_list<T, shape<First, Rest...>> {
    using type = std::initializer_list<typename nested_row<T, Rest...>::type>;
    using row = std::conditional_t<(First > 1 && First <= longest_row), typename nested_row<T, First, Rest...>::type, no_braces>;
};
template <class T> struct brace_list<T, shape<>> {
    using type = no_braces;
    using row = no_braces;
};
template <class T> struct brace_list<T, any_shape> {
    using type = std::initializer_list<braces<T>>;
    using row = no_braces;
};

// These functions read a list of either kind.
template <class T> constexpr bool is_list(brace_scalar<T> const&) { return false; }
template <class T> constexpr bool is_list(braces<T> const& item) { return item.is_list(); }
template <class T> constexpr bool is_list(std::initializer_list<T> const&) { return true; }
template <class Item, std::size_t Extent> constexpr bool is_list(brace_row<Item, Extent> const&) { return true; }
template <class T> constexpr auto list_items(std::initializer_list<T> const& list) { return list; }
template <class Item, std::size_t Extent>
constexpr brace_row<Item, Extent> const& list_items(brace_row<Item, Extent> const& row) {
    return row;
}
template <class T> constexpr auto list_items(braces<T> const& item) { return item.items(); }
template <class T> constexpr stored<T> list_value(brace_scalar<T> const& item) { return item.value; }
template <class T> constexpr stored<T> list_value(braces<T> const& item) { return item.value(); }
template <class List> inline constexpr bool never_list = false;
template <class T> inline constexpr bool never_list<brace_scalar<T>> = true;
template <class List> inline constexpr bool always_list = false;
template <class T> inline constexpr bool always_list<std::initializer_list<T>> = true;
template <class Item, std::size_t Extent> inline constexpr bool always_list<brace_row<Item, Extent>> = true;

[[noreturn]] TRACEXPR_ONCE void throw_ragged(int axis, std::int64_t wanted, std::int64_t given) {
    throw shape_error("tx: tensor: lists side by side must be equally long; along axis " + std::to_string(axis) + " one has " +
                      std::to_string(wanted) + " elements, another " + std::to_string(given));
}
[[noreturn]] TRACEXPR_ONCE void throw_uneven_depth(int axis) {
    throw shape_error("tx: tensor: scalars and lists can't stand side by side; the braces mix them at axis " +
                      std::to_string(axis));
}
[[noreturn]] TRACEXPR_ONCE void throw_too_deep() {
    throw shape_error("tx: tensor: a tensor has at most " + std::to_string(max_rank) + " axes; the braces nest deeper");
}
template <class Unused = void>
[[noreturn]] TRACEXPR_NOINLINE void throw_wrong_extents(char const* caller, dims const& wanted, dims const& given) {
    throw shape_error(std::string("tx: ") + caller + ": the type says shape " + to_string(wanted) + "; given shape " +
                      to_string(given));
}
TRACEXPR_INSTANCE(void throw_wrong_extents<void>(char const*, dims const&, dims const&))

// Appends the extents along the first list of each level.
template <class List> constexpr void append_extents(List const& list, dims& out) {
    if constexpr (!never_list<List>) {
        if (!is_list(list)) return;
        if (out.rank == max_rank) throw_too_deep();
        auto const& items = list_items(list);
        out.push_back(static_cast<std::int64_t>(items.size()));
        if (items.size() != 0) append_extents(*items.begin(), out);
    }
}

// Appends the list's scalars to `out`. Throws shape_error unless every list has the extent of its level.
template <class List, class T> constexpr void copy_list(List const& list, dims const& d, int axis, T*& out) {
    bool const nested = axis < d.rank;
    if (is_list(list) != nested) throw_uneven_depth(axis);
    if constexpr (!never_list<List>) {
        if (nested) {
            auto const& items = list_items(list);
            auto const given = static_cast<std::int64_t>(items.size());
            if (given != d[axis]) throw_ragged(axis, d[axis], given);
            for (auto const& item : items) copy_list(item, d, axis + 1, out);
            return;
        }
    }
    if constexpr (!always_list<List>) *out++ = list_value(list);
}

} // namespace tx::detail
