// Ops that are no loops, found by what only the run knows. What only moves elements is compiled for their size.
#pragma once

#include <tracexpr/backends/calls/calls.hpp>
#include <tracexpr/backends/tiles/program.hpp>

#include <iterator>

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

constexpr bool only_moves(op code) {
    return code == op::concatenate || code == op::pad || code == op::take || code == op::take_along_axis;
}
template <op Code, class T> constexpr call_routine routine_for_call() {
    if constexpr (accepts(Code, dtype_of<T>)) return run_call<Code, T, std::int64_t, xsimd::default_arch>;
    else return nullptr;
}

// Of ops of one dtype, in this order.
inline constexpr op called_ops[]{op::argmax,           op::argmin, op::cumsum,   op::cumprod,   op::cummax,
                                 op::cummin,           op::matmul, op::cholesky, op::lu,        op::eigh,
                                 op::solve_triangular, op::solve,  op::view_add, op::index_add, op::scatter_add};
using call_routines = std::array<call_routine, std::size(called_ops)>;
template <class T, std::size_t... K> constexpr call_routines call_routines_of(std::index_sequence<K...>) {
    return {routine_for_call<called_ops[K], T>()...};
}

template <op Code> call_routine moving_routine(std::size_t bytes) {
    return with_word(bytes,
                     []<class Word>(Word) -> call_routine { return run_call<Code, Word, std::int64_t, xsimd::default_arch>; });
}
template <class Unused = void> call_routine moving_routine(op code, std::size_t bytes) {
    switch (code) {
    case op::concatenate: return moving_routine<op::concatenate>(bytes);
    case op::pad: return moving_routine<op::pad>(bytes);
    case op::take: return moving_routine<op::take>(bytes);
    default: return moving_routine<op::take_along_axis>(bytes);
    }
}
TRACEXPR_INTEGERS_INSTANCE(call_routine moving_routine<void>(op, std::size_t))

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail
