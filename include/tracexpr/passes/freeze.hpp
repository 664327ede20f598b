// Tables that a pass made during constant evaluation, in arrays of exactly their size; the counterpart of graph/freeze.hpp for
// structs of tables such as plan_tables and cluster_tables.
#pragma once

#include <tracexpr/base/buffer.hpp>

#include <array>
#include <tuple>

namespace tx {


namespace detail {
template <class Tables> constexpr auto table_sizes(Tables const& t) {
    return Tables::fields(t, [](auto const&... table) { return std::array<std::size_t, sizeof...(table)>{table.size()...}; });
}
template <class T, std::size_t N, class Table> constexpr std::array<T, N> table_copy(Table const& from, bool fits) {
    std::array<T, N> out{};
    T* const to = out.data();
    if (fits)
        for (std::size_t i = 0, n = from.size(); i < n; ++i) to[i] = from[i];
    return out;
}
template <std::size_t N, class T, std::size_t M> constexpr std::array<T, N> table_front(std::array<T, M> const& from) {
    std::array<T, N> out{};
    T* const to = out.data();
    for (std::size_t i = 0; i != N; ++i) to[i] = from[i];
    return out;
}
template <auto Sizes, class Tables, std::size_t... I> constexpr auto tables_copy(Tables const& t, bool fits, std::index_sequence<I...>) {
    return Tables::fields(t, [&](auto const&... table) {
        return std::tuple<std::array<typename std::remove_cvref_t<decltype(table)>::value_type, Sizes[I]>...>(
            table_copy<typename std::remove_cvref_t<decltype(table)>::value_type, Sizes[I]>(table, fits)...);
    });
}
} // namespace detail

// Owner::make() returns Tables<buffer>. Evaluated once where the tables have at most Owner::room entries, which is a few dozen unless
// it says otherwise; twice where not.
template <template <template <class> class> class Tables, class Owner> struct frozen_tables {
private:
    using made = Tables<buffer>;
    static constexpr std::size_t count = std::tuple_size_v<decltype(detail::table_sizes(std::declval<made>()))>;
    static constexpr std::size_t room = [] {
        if constexpr (requires { Owner::room; }) return Owner::room;
        else return std::size_t{48};
    }();
    static constexpr auto small_sizes = [] {
        std::array<std::size_t, count> out{};
        out.fill(room);
        return out;
    }();
    struct draft_type {
        std::array<std::size_t, count> sizes{};
        bool fits = true;
        decltype(detail::tables_copy<small_sizes>(std::declval<made const&>(), true, std::make_index_sequence<count>{})) tables;
    };
    static constexpr draft_type draft = [] {
        made const t = Owner::make();
        auto const sizes = detail::table_sizes(t);
        bool fits = true;
        for (std::size_t s : sizes) fits = fits && s <= room;
        return draft_type{sizes, fits, detail::tables_copy<small_sizes>(t, fits, std::make_index_sequence<count>{})};
    }();
    template <std::size_t... I> static constexpr auto trimmed(std::index_sequence<I...>) {
        constexpr auto sizes = draft.sizes;
        return std::tuple(detail::table_front<sizes[I]>(std::get<I>(draft.tables))...);
    }
    static constexpr auto tables = [] {
        if constexpr (draft.fits) {
            return trimmed(std::make_index_sequence<count>{});
        } else {
            made const t = Owner::make();
            return detail::tables_copy<draft.sizes>(t, true, std::make_index_sequence<count>{});
        }
    }();

public:
    static constexpr Tables<table_view> value = std::apply([](auto const&... t) { return Tables<table_view>{{t.data(), t.size()}...}; }, tables);
};

} // namespace tx
