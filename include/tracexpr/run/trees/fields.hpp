// This file takes an aggregate apart without its help: it counts its fields, and makes references to them.
#pragma once

#include <tracexpr/base/config.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace tx::detail {

// any_field converts to any type but Owner (that would be a copy) and its bases.
template <class Owner> struct any_field {
    template <class T> requires(!std::is_base_of_v<T, Owner>) constexpr operator T() const { throw "never called"; }
};
template <class Owner> struct any_base {
    template <class T> requires(std::is_base_of_v<T, Owner> && !std::is_same_v<T, Owner>) constexpr operator T() const {
        throw "never called";
    }
};

inline constexpr std::size_t max_fields = 16;

template <class A, std::size_t... I> constexpr bool takes_fields(std::index_sequence<I...>) {
    return requires { A{(static_cast<void>(I), any_field<A>{})...}; };
}
// Returns the number of fields of an aggregate, or max_fields + 1 for any larger number.
template <class A, std::size_t N = max_fields + 1> constexpr std::size_t field_count() {
    if constexpr (N == 0 || takes_fields<A>(std::make_index_sequence<N>{})) return N;
    else return field_count<A, N - 1>();
}

// Is the field that takes initialiser number sizeof...(Before) a built-in array, which takes several? Then braces around two
// initialisers leave room for fewer after them than one without braces does.
template <class A, std::size_t... Before, std::size_t... After>
constexpr bool array_at(std::index_sequence<Before...>, std::index_sequence<After...>) {
    using any = any_field<A>;
    return requires { A{(static_cast<void>(Before), any{})..., {any{}, any{}}}; } &&
           !requires { A{(static_cast<void>(Before), any{})..., {any{}, any{}}, (static_cast<void>(After), any{})...}; };
}
template <class A, std::size_t N, std::size_t At = 0> constexpr bool has_array() {
    if constexpr (At + 1 >= N) return false;
    else return array_at<A>(std::make_index_sequence<At>{}, std::make_index_sequence<N - At - 1>{}) || has_array<A, N, At + 1>();
}

// Can with_fields name the fields of an aggregate? It must have no bases, no built-in arrays, and not too many fields.
template <class A> constexpr bool has_fields() {
    if constexpr (!std::is_class_v<A> || !std::is_aggregate_v<A> || std::is_empty_v<A>) return false;
    else if constexpr (requires { A{any_base<A>{}}; }) return false;
    else if constexpr (field_count<A>() > max_fields) return false;
    else return !has_array<A, field_count<A>()>();
}

// Calls f(each field...).
template <class A, class F> TRACEXPR_INLINE constexpr decltype(auto) with_fields(A& a, F const& f) {
    constexpr std::size_t n = field_count<std::remove_const_t<A>>();
    if constexpr (n == 1) {
        auto& [f0] = a;
        return f(f0);
    } else if constexpr (n == 2) {
        auto& [f0, f1] = a;
        return f(f0, f1);
    } else if constexpr (n == 3) {
        auto& [f0, f1, f2] = a;
        return f(f0, f1, f2);
    } else if constexpr (n == 4) {
        auto& [f0, f1, f2, f3] = a;
        return f(f0, f1, f2, f3);
    } else if constexpr (n == 5) {
        auto& [f0, f1, f2, f3, f4] = a;
        return f(f0, f1, f2, f3, f4);
    } else if constexpr (n == 6) {
        auto& [f0, f1, f2, f3, f4, f5] = a;
        return f(f0, f1, f2, f3, f4, f5);
    } else if constexpr (n == 7) {
        auto& [f0, f1, f2, f3, f4, f5, f6] = a;
        return f(f0, f1, f2, f3, f4, f5, f6);
    } else if constexpr (n == 8) {
        auto& [f0, f1, f2, f3, f4, f5, f6, f7] = a;
        return f(f0, f1, f2, f3, f4, f5, f6, f7);
    } else if constexpr (n == 9) {
        auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8] = a;
        return f(f0, f1, f2, f3, f4, f5, f6, f7, f8);
    } else if constexpr (n == 10) {
        auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9] = a;
        return f(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9);
    } else if constexpr (n == 11) {
        auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10] = a;
        return f(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10);
    } else if constexpr (n == 12) {
        auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11] = a;
        return f(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11);
    } else if constexpr (n == 13) {
        auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12] = a;
        return f(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12);
    } else if constexpr (n == 14) {
        auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13] = a;
        return f(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13);
    } else if constexpr (n == 15) {
        auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14] = a;
        return f(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14);
    } else {
        static_assert(n == 16);
        auto& [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15] = a;
        return f(f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15);
    }
}

} // namespace tx::detail
