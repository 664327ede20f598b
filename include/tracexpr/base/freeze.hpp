// This file copies tables that were made in a constant evaluation to arrays of exactly their size, so that static constexpr
// members can hold them. Each type here costs compile time for every function, so there are no tuples and no lambdas.
#pragma once

#include <tracexpr/base/buffer.hpp>

#include <utility>

namespace tx {
namespace detail {

template <class... T> struct table_types {
    using indices = std::index_sequence_for<T...>;
};
struct types_of_tables {
    template <class... T> constexpr table_types<T...> operator()(table_view<T> const&...) const { return {}; }
};
template <class View> using types_in = decltype(std::declval<View const&>().with_tables(types_of_tables{}));

template <std::size_t I, class T, std::size_t N> struct frozen_array {
    T elements[N]{};
    constexpr T* data() { return elements; }
    constexpr T const* data() const { return elements; }
};
template <std::size_t I, class T> struct frozen_array<I, T, 0> {
    constexpr T* data() const { return nullptr; }
};
template <class T> constexpr void copy_table(T* to, table_view<T> const& from) {
    T const* const elements = from.data();
#if defined(__clang__) && !defined(__CUDACC__) // For Clang this is one step, not three for each element.
    if constexpr (std::is_trivially_copyable_v<T>)
        if (from.size() > 0) return static_cast<void>(__builtin_memcpy(to, elements, from.size() * sizeof(T)));
#endif
    for (std::size_t i = 0, count = from.size(); i < count; ++i) to[i] = elements[i];
}

// frozen_arrays holds copies of tables of at most N entries each; if one is longer, only the sizes are copied.
template <class Types, class Indices, std::size_t... N> struct frozen_arrays;
template <class... T, std::size_t... I, std::size_t... N> struct frozen_arrays<table_types<T...>, std::index_sequence<I...>, N...>
    : frozen_array<I, T, N>... {
    std::size_t sizes[sizeof...(T)];
    bool fits;

    constexpr frozen_arrays(table_view<T> const&... table) : sizes{table.size()...}, fits{((table.size() <= N) && ...)} {
        if (fits) (copy_table(frozen_array<I, T, N>::data(), table), ...);
    }
    template <class View> constexpr View view() const { return {{frozen_array<I, T, N>::data(), sizes[I]}...}; }
};
template <class Frozen> struct freezing {
    template <class... T> constexpr Frozen operator()(table_view<T> const&... table) const { return {table...}; }
};
template <class Frozen, class View> constexpr Frozen freeze(View const& view) { return view.with_tables(freezing<Frozen>{}); }

} // namespace detail

// Owner::make() returns something whose view() is a struct of tables. It is evaluated once if each table has at most Owner::room
// entries, or a few dozen if there is no Owner::room, and twice otherwise.
template <class Owner> struct frozen {
private:
    using view_type = decltype(Owner::make().view());
    using types = detail::types_in<view_type>;
    static constexpr std::size_t room(std::size_t) {
        if constexpr (requires { Owner::room; }) return Owner::room;
        else return 48;
    }
    template <class> struct shaped;
    template <std::size_t... I> struct shaped<std::index_sequence<I...>> {
        using draft_type = detail::frozen_arrays<types, std::index_sequence<I...>, room(I)...>;
        static constexpr draft_type draft = detail::freeze<draft_type>(Owner::make().view());
        using exact_type = detail::frozen_arrays<types, std::index_sequence<I...>, draft.sizes[I]...>;
    };
    using tables = shaped<typename types::indices>;
    static constexpr typename tables::exact_type exact = [] {
        if constexpr (tables::draft.fits)
            return detail::freeze<typename tables::exact_type>(tables::draft.template view<view_type>());
        else return detail::freeze<typename tables::exact_type>(Owner::make().view());
    }();
    static constexpr view_type value = exact.template view<view_type>();

public:
    static constexpr view_type const& view() { return value; }
};

} // namespace tx
