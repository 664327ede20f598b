// This file declares the steps that are no loops, on operands whose extents only the run knows: with tracexpr::compiled they are
// compiled there, once for each dtype, and programs only refer to them.
#pragma once

#include <tracexpr/backends/calls/calls.hpp>
#include <tracexpr/backends/loops/moves.hpp>

#include <algorithm>
#include <iterator>

namespace tx::inline TRACEXPR_TARGET::simd {

// These ops are compiled for each dtype. The tables of the compiled part have them in this order.
inline constexpr op called_ops[]{op::argmax,      op::argmin,
                                 op::cumsum,      op::cumprod,
                                 op::cummax,      op::cummin,
                                 op::sort,        op::argsort,
                                 op::argselect,   op::matmul,
                                 op::cholesky,    op::lu,
                                 op::eigh,        op::qr,
                                 op::svd,         op::solve_triangular,
                                 op::solve,       op::view_add,
                                 op::index_add,   op::scatter_add,
                                 op::index_max,   op::index_min,
                                 op::scatter_max, op::scatter_min,
                                 op::random_bits, op::random_permutation};
// These ops only move elements, so they are compiled for each size of an element.
inline constexpr op moving_ops[]{op::concatenate, op::pad,       op::take,       op::take_along_axis,
                                 op::view_set,    op::index_set, op::scatter_set};

// T is the dtype, or a word of its size for ops that only move elements. (IsFull makes the function of the compiled part differ
// from that of a file without.)
template <op Code, class T, bool IsFull = TRACEXPR_HAS_KERNELS> void
call_once(table_view<call_operand> operands, std::byte* const* results, dims const& extents, table_view<std::int64_t> attributes)
#if TRACEXPR_HAS_KERNELS && !defined(TRACEXPR_COMPILING_ROUTINES)
    ;
#else
{
    run_call<Code, T, std::int64_t, default_arch, IsFull>(operands, results, extents, attributes);
}
#endif

namespace detail {
constexpr bool is_among(op code, table_view<op> all) { return std::find(all.begin(), all.end(), code) != all.end(); }
} // namespace detail

// Calls the compiled function of any op. Ops that are not in these lists, and other types of indices, are compiled where they are
// called.
template <op Code, class T, class Index, class Arch> void call_compiled(table_view<call_operand> operands,
                                                                        std::byte* const* results, dims const& extents,
                                                                        table_view<std::int64_t> attributes) {
    constexpr bool is_known = TRACEXPR_HAS_KERNELS && std::is_same_v<Index, std::int64_t> && std::is_same_v<Arch, default_arch>;
    if constexpr (is_known && detail::is_among(Code, called_ops)) {
        call_once<Code, T>(operands, results, extents, attributes);
    } else if constexpr (is_known && detail::is_among(Code, moving_ops)) {
        call_once<Code, moves::word_of_size<sizeof(T)>>(operands, results, extents, attributes);
    } else {
        run_call<Code, T, Index, Arch>(operands, results, extents, attributes);
    }
}

} // namespace tx::inline TRACEXPR_TARGET::simd
