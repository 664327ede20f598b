// This file finds the routines of ops that are no loops, by ops and dtypes which only the run knows. Ops that only move elements
// are compiled for the size of an element.
#pragma once

#include <tracexpr/backends/calls/called_once.hpp>
#include <tracexpr/backends/tiles/program.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

template <op Code, class T> constexpr call_routine routine_for_call() {
    constexpr bool has_other_keys = info(Code).kind == kind::random && dtype_of<T> != dtype::uint64;
    if constexpr (accepts(Code, dtype_of<T>) && !has_other_keys) return call_once<Code, T>;
    else return nullptr;
}

using call_routines = std::array<call_routine, std::size(called_ops)>;
template <class T, std::size_t... K> constexpr call_routines call_routines_of(std::index_sequence<K...>) {
    return {routine_for_call<called_ops[K], T>()...};
}

using moving_routines = std::array<call_routine, std::size(moving_ops)>;
template <class Word, std::size_t... K> constexpr moving_routines moving_routines_of(std::index_sequence<K...>) {
    return {call_once<moving_ops[K], Word>...};
}

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail
