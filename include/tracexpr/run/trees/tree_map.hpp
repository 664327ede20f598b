// This file holds tree_map: one function over the leaves of several trees of one form, as optimizers need it. (JAX: tree.map)
#pragma once

#include <tracexpr/run/trees/forms.hpp>

namespace tx {
namespace detail {

template <class First, class... Rest> constexpr bool have_as_many_parts() {
    if constexpr (list_type<First>) return (lists_alike<First, Rest> && ...);
    else
        return (std::is_same_v<std::make_index_sequence<std::tuple_size_v<decltype(parts_of(std::declval<First const&>()))>>,
                               std::make_index_sequence<std::tuple_size_v<decltype(parts_of(std::declval<Rest const&>()))>>> &&
                ...);
}

template <bool InStruct, class F, class First, class... Rest>
constexpr auto mapped_tree(F const& f, First const& first, Rest const&... rest) {
    if constexpr (InStruct && held_value<First>) {
        return first;
    } else if constexpr (leaf<First> || expr_type<First>) {
        return f(first, rest...);
    } else if constexpr (parted<First> || aggregate<First>) {
        static_assert(have_as_many_parts<First, Rest...>(), "tx: tree_map: the trees must have one form");
        if constexpr (list_type<First>) {
            auto const others = std::make_tuple(parts_of_list(rest)...);
            std::size_t number = 0;
            return map_list(first, [&](auto const& part) {
                std::size_t const k = number++;
                return with_parts(others, [&](auto const&... other) { return mapped_tree<InStruct>(f, part, *other[k]...); });
            });
        } else {
            constexpr bool in_struct = InStruct || aggregate<First>;
            auto const all = std::make_tuple(parts_of(first), parts_of(rest)...);
            auto const part = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
                return with_parts(all, [&](auto const&... parts) { return mapped_tree<in_struct>(f, std::get<I>(parts)...); });
            };
            return [&]<std::size_t... I>(std::index_sequence<I...>) {
                if constexpr (aggregate<First>) {
                    constexpr bool can_hold = requires { First{part(std::integral_constant<std::size_t, I>{})...}; };
                    static_assert(can_hold,
                                  "tx: tree_map, all_reduce, data_parallel: a struct keeps its type, so each of its fields "
                                  "must be able to hold what becomes of it: a tensor of the same dtype");
                    if constexpr (can_hold) return First{part(std::integral_constant<std::size_t, I>{})...};
                    else return failed{};
                } else if constexpr (requires { typename First::iterator; })
                    return std::array{part(std::integral_constant<std::size_t, I>{})...};
                else if constexpr (requires(First p) {
                                       p.first;
                                       p.second;
                                   })
                    return std::pair{part(std::integral_constant<std::size_t, I>{})...};
                else
                    return std::tuple<decltype(part(std::integral_constant<std::size_t, I>{}))...>{
                        part(std::integral_constant<std::size_t, I>{})...};
            }(std::make_index_sequence<std::tuple_size_v<decltype(parts_of(first))>>{});
        }
    } else {
        return first;
    }
}
} // namespace detail

// Returns f(leaf of the first tree, leaf of the second, ...) for every leaf, in a tree of the first one's form. Inside a struct,
// whose type stays, f must return what its field can hold, and scalars stay as they are. Throws shape_error if lists (vectors,
// maps, optionals) in the others have more, fewer or other parts than those of the first.
template <class F, class First, class... Rest> constexpr auto tree_map(F const& f, First const& first, Rest const&... rest) {
    if constexpr (detail::facts<First>.has_lists) {
        int number = 1;
        ((++number, detail::require_form_of("tree_map: the trees", first, rest, "tree ", number)), ...);
    }
    return detail::mapped_tree<false>(f, first, rest...);
}

} // namespace tx
