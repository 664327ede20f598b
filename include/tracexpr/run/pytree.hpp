// Arguments and results are trees (JAX: pytrees): tuples, pairs, arrays and aggregates, nested, with tensors and scalars as leaves.
// tree<A> says how to walk an A. Other libraries' containers become leaves by specialising leaf_access.
#pragma once

#include <tracexpr/trace/expr.hpp>

#include <array>
#include <tuple>
#include <utility>

namespace tx {

// A run-time, hashable value: a function is traced anew for each, and its callable sees the plain value.
template <class T> struct key_value {
    T value;
};
template <class T> constexpr key_value<std::decay_t<T>> key(T&& value) { return {std::forward<T>(value)}; }

namespace detail {

// std::integral_constant and the like: an argument that is a type.
template <class A> concept static_value = std::is_empty_v<A> && requires { { A::value }; } && requires { typename std::bool_constant<(static_cast<void>(A::value), true)>; };

template <class A> inline constexpr bool is_key = false;
template <class T> inline constexpr bool is_key<key_value<T>> = true;

// How a value that is not a tensor is read as one: a specialisation has value_type, shape_type, and the functions below.
template <class A> struct leaf_access;
template <class T, class Shape> struct leaf_access<tensor<T, Shape>> {
    using value_type = T;
    using shape_type = Shape;
    static constexpr bool weak = false;
    static void const* data(tensor<T, Shape> const& a) { return a.data(); }
    static dims extents(tensor<T, Shape> const& a) { return a.dimensions(); }
};
template <element T> struct leaf_access<T> {
    using value_type = canonical<T>;
    using shape_type = shape<>;
    static constexpr bool weak = true;
    static void const* data(T const& a) { return &a; }
    static dims extents(T const&) { return {}; }
};
template <class A> concept leaf = requires { typename leaf_access<A>::value_type; };

// Row-major elements that somebody else keeps, or, where they were not to be had in that order, a copy of them.
template <element T, shape_type Shape> struct borrowed {
    T const* elements = nullptr;
    dims extents{};
    tensor<T, Shape> copied{};
};
template <class T, class Shape> struct leaf_access<borrowed<T, Shape>> {
    using value_type = T;
    using shape_type = Shape;
    static constexpr bool weak = false;
    static void const* data(borrowed<T, Shape> const& a) { return a.elements ? a.elements : a.copied.data(); }
    static dims extents(borrowed<T, Shape> const& a) { return a.extents; }
};

// How another library's arrays become arguments: a specialisation has `static borrowed<T, Shape> borrow(A const&)`, whose result must
// not outlive the array.
template <class A> struct foreign_access;
template <class A> concept foreign = requires(A const& a) { foreign_access<A>::borrow(a); };

struct anything {
    template <class T> constexpr operator T() const; // never called
};
template <class A, std::size_t... I> constexpr bool takes_fields(std::index_sequence<I...>) {
    return requires { A{(static_cast<void>(I), anything{})...}; };
}
// The number of fields of an aggregate; at most 12.
template <class A, std::size_t N = 12> constexpr std::size_t field_count() {
    if constexpr (N == 0 || takes_fields<A>(std::make_index_sequence<N>{})) return N;
    else return field_count<A, N - 1>();
}
template <class A> constexpr auto fields_of(A& a) {
    constexpr std::size_t n = field_count<std::remove_const_t<A>>();
    if constexpr (n == 0) return std::tuple();
    else if constexpr (n == 1) { auto& [f0] = a; return std::tie(f0); }
    else if constexpr (n == 2) { auto& [f0, f1] = a; return std::tie(f0, f1); }
    else if constexpr (n == 3) { auto& [f0, f1, f2] = a; return std::tie(f0, f1, f2); }
    else if constexpr (n == 4) { auto& [f0, f1, f2, f3] = a; return std::tie(f0, f1, f2, f3); }
    else if constexpr (n == 5) { auto& [f0, f1, f2, f3, f4] = a; return std::tie(f0, f1, f2, f3, f4); }
    else if constexpr (n == 6) { auto& [f0, f1, f2, f3, f4, f5] = a; return std::tie(f0, f1, f2, f3, f4, f5); }
    else if constexpr (n == 7) { auto& [f0, f1, f2, f3, f4, f5, f6] = a; return std::tie(f0, f1, f2, f3, f4, f5, f6); }
    else if constexpr (n == 8) { auto& [f0, f1, f2, f3, f4, f5, f6, f7] = a; return std::tie(f0, f1, f2, f3, f4, f5, f6, f7); }
    else if constexpr (n == 9) { auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8] = a; return std::tie(f0, f1, f2, f3, f4, f5, f6, f7, f8); }
    else if constexpr (n == 10) { auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9] = a; return std::tie(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9); }
    else if constexpr (n == 11) { auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10] = a; return std::tie(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10); }
    else { auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11] = a; return std::tie(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11); }
}

template <class A> inline constexpr bool is_tuple_like = false;
template <class... T> inline constexpr bool is_tuple_like<std::tuple<T...>> = true;
template <class A, class B> inline constexpr bool is_tuple_like<std::pair<A, B>> = true;
template <class T, std::size_t N> inline constexpr bool is_tuple_like<std::array<T, N>> = true;

template <class A> concept bound_aggregate = std::is_aggregate_v<A> && !leaf<A> && !is_tuple_like<A> && !static_value<A> && !is_key<A> && !std::is_empty_v<A>;

// Calls f on every leaf, in order.
template <class A, class F> constexpr void for_each_leaf(A& a, F const& f) {
    using plain = std::remove_const_t<A>;
    if constexpr (leaf<plain> || expr_type<plain>) f(a);
    else if constexpr (is_tuple_like<plain>) std::apply([&](auto&... part) { (for_each_leaf(part, f), ...); }, a);
    else if constexpr (bound_aggregate<plain>) std::apply([&](auto&... part) { (for_each_leaf(part, f), ...); }, fields_of(a));
    else static_assert(static_value<plain> || is_key<plain> || std::is_empty_v<plain>,
                       "tx: function: an argument or result must be a tensor, a C++ scalar, tx::key, an integral_constant, or a tuple, array, pair or aggregate of these");
}

// A tuple, pair or array of what f makes of each part, from left to right.
template <class A, class F> constexpr auto map_parts(A const& a, F const& f) {
    return std::apply(
        [&](auto const&... part) {
            if constexpr (requires { typename A::iterator; } && sizeof...(part) > 0) return std::array{f(part)...};
            else if constexpr (requires(A p) { p.first; p.second; }) return std::pair<decltype(f(part))...>{f(part)...};
            else return std::tuple<decltype(f(part))...>{f(part)...};
        },
        a);
}

template <class A> inline constexpr bool holds_foreign = foreign<A>;
template <class... T> inline constexpr bool holds_foreign<std::tuple<T...>> = (holds_foreign<T> || ...);
template <class A, class B> inline constexpr bool holds_foreign<std::pair<A, B>> = holds_foreign<A> || holds_foreign<B>;
template <class T, std::size_t N> inline constexpr bool holds_foreign<std::array<T, N>> = holds_foreign<T>;

// The tree with other libraries' arrays replaced by what borrows from them; one without any is left as it is.
template <class A> constexpr decltype(auto) borrow(A const& a) {
    if constexpr (!holds_foreign<A>) return (a);
    else if constexpr (foreign<A>) return foreign_access<A>::borrow(a);
    else return map_parts(a, [](auto const& part) { return borrow(part); });
}

// The type for which a tree is traced: to a function, borrowed elements and a tensor are the same.
template <class A> struct traced_form { using type = A; };
template <class T, class Shape> struct traced_form<borrowed<T, Shape>> { using type = tensor<T, Shape>; };
template <class... T> struct traced_form<std::tuple<T...>> { using type = std::tuple<typename traced_form<T>::type...>; };
template <class A, class B> struct traced_form<std::pair<A, B>> { using type = std::pair<typename traced_form<A>::type, typename traced_form<B>::type>; };
template <class T, std::size_t N> struct traced_form<std::array<T, N>> { using type = std::array<typename traced_form<T>::type, N>; };
template <class A> using traced_as = typename traced_form<A>::type;

// A tree with its tensors and scalars replaced by exprs. An aggregate keeps its type: its tensors become symbolic ones.
template <class A, class Scope> constexpr auto symbolic(A const& a, Scope& scope) {
    if constexpr (leaf<A>) {
        using access = leaf_access<A>;
        using T = typename access::value_type;
        node_id const id = scope.recorded.append_parameter(dtype_of<T>, scope.parameter_extents(dims_of<typename access::shape_type>));
        if constexpr (access::weak) return weak_expr<T>(scope, id);
        else return expr<T, typename access::shape_type>(scope, id);
    } else if constexpr (is_key<A>) {
        return a.value;
    } else if constexpr (bound_aggregate<A>) {
        A out{};
        for_each_leaf(out, [&](auto& part) {
            static_assert(tensor_type<decltype(part)>, "tx: function: a scalar in a struct can't be traced; make it a tensor of tx::shape<>");
            part = symbolic(part, scope);
        });
        return out;
    } else if constexpr (is_tuple_like<A>) {
        return map_parts(a, [&](auto const& part) { return symbolic(part, scope); });
    } else {
        return a; // a type as an argument
    }
}

// What a traced result becomes: exprs become tensors.
template <class R> struct result_tree {
    using type = R; // aggregates of tensors keep their type
};
template <class T, class Shape> struct result_tree<expr<T, Shape>> { using type = tensor<T, Shape>; };
template <class T> struct result_tree<weak_expr<T>> { using type = tensor<T, shape<>>; };
template <element T> struct result_tree<T> { using type = tensor<canonical<T>, shape<>>; };
template <class... R> struct result_tree<std::tuple<R...>> { using type = std::tuple<typename result_tree<R>::type...>; };
template <class A, class B> struct result_tree<std::pair<A, B>> { using type = std::pair<typename result_tree<A>::type, typename result_tree<B>::type>; };
template <class R, std::size_t N> struct result_tree<std::array<R, N>> { using type = std::array<typename result_tree<R>::type, N>; };
template <class R> using result_tree_of = typename result_tree<std::remove_cvref_t<R>>::type;

// An instance of a tree type to walk where no value exists. Only its types matter.
template <class A> constexpr std::size_t count_leaves() {
    std::size_t count = 0;
    A const a{};
    for_each_leaf(a, [&](auto const&) { ++count; });
    return count;
}

} // namespace detail
} // namespace tx
