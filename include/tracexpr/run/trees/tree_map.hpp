// tree_map: one function over the leaves of several trees of one form, as optimizers need it. (JAX: tree.map)
#pragma once

#include <tracexpr/run/trees/pytree.hpp>

namespace tx {
namespace detail {

// References to the parts of a tree, in a tuple.
template <class A> constexpr auto parts_of(A const& a) {
    auto const tied = [](auto const&... part) { return std::tie(part...); };
    if constexpr (is_tuple_like<A>) return with_parts(a, tied);
    else return with_fields(a, tied);
}

template <bool InStruct, class F, class First, class... Rest>
constexpr auto mapped_tree(F const& f, First const& first, Rest const&... rest) {
    if constexpr (InStruct && held_value<First>) {
        return first;
    } else if constexpr (leaf<First> || expr_type<First>) {
        return f(first, rest...);
    } else if constexpr (is_tuple_like<First> || aggregate<First>) {
        constexpr bool in_struct = InStruct || aggregate<First>;
        static_assert((std::is_same_v<std::make_index_sequence<std::tuple_size_v<decltype(parts_of(first))>>,
                                      std::make_index_sequence<std::tuple_size_v<decltype(parts_of(rest))>>> &&
                       ...),
                      "tx: tree_map: the trees must have one form");
        auto const all = std::make_tuple(parts_of(first), parts_of(rest)...);
        auto const part = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
            return with_parts(all, [&](auto const&... parts) { return mapped_tree<in_struct>(f, std::get<I>(parts)...); });
        };
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            if constexpr (aggregate<First>) return First{part(std::integral_constant<std::size_t, I>{})...};
            else if constexpr (requires { typename First::iterator; })
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
    } else {
        return first;
    }
}

} // namespace detail

// f(leaf of the first tree, leaf of the second, ...) for every leaf, in a tree of the first one's form. Inside a struct, whose
// type stays, f must give what its field can hold, and scalars stay as they are.
template <class F, class First, class... Rest> constexpr auto tree_map(F const& f, First const& first, Rest const&... rest) {
    return detail::mapped_tree<false>(f, first, rest...);
}

} // namespace tx
