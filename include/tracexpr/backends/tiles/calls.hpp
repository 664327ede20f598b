// Ops that are no loops, found by what only the run knows. What only moves elements is compiled for their size.
#pragma once

#include <tracexpr/backends/calls/calls.hpp>
#include <tracexpr/backends/tiles/program.hpp>

#include <iterator>

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

template <op Code, class T> constexpr call_routine routine_for_call() {
    constexpr bool has_other_keys = info(Code).kind == kind::random && dtype_of<T> != dtype::uint64;
    if constexpr (accepts(Code, dtype_of<T>) && !has_other_keys)
        return run_call<Code, T, std::int64_t, simd::default_arch, is_full>;
    else return nullptr;
}

// Of ops of one dtype, in this order.
inline constexpr op called_ops[]{
    op::argmax,           op::argmin, op::cumsum,   op::cumprod,   op::cummax,      op::cummin,      op::sort,
    op::argsort,          op::matmul, op::cholesky, op::lu,        op::eigh,        op::qr,          op::svd,
    op::solve_triangular, op::solve,  op::view_add, op::index_add, op::scatter_add, op::random_bits, op::random_permutation};
using call_routines = std::array<call_routine, std::size(called_ops)>;
template <class T, std::size_t... K> constexpr call_routines call_routines_of(std::index_sequence<K...>) {
    return {routine_for_call<called_ops[K], T>()...};
}

// Of dtypes whose elements have one size the same.
inline constexpr op moving_ops[]{op::concatenate, op::pad,       op::take,       op::take_along_axis,
                                 op::view_set,    op::index_set, op::scatter_set};
using moving_routines = std::array<call_routine, std::size(moving_ops)>;
template <class Word, std::size_t... K> constexpr moving_routines moving_routines_of(std::index_sequence<K...>) {
    return {run_call<moving_ops[K], Word, std::int64_t, simd::default_arch>...};
}

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail
