// Ops that are no loops, found by what only the run knows. What only moves elements is compiled for their size.
#pragma once

#include <tracexpr/backends/calls/calls.hpp>
#include <tracexpr/backends/tiles/tables.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

constexpr bool only_moves(op code) {
    return code == op::concatenate || code == op::pad || code == op::take || code == op::take_along_axis;
}
template <op Code, class T> constexpr call_routine routine_for_call() {
    if constexpr (only_moves(Code) || accepts(Code, dtype_of<T>)) return run_call<Code, T, std::int64_t, xsimd::default_arch>;
    else return nullptr;
}
template <op Code, class Unused> call_routine routine_for(dtype type) {
    if constexpr (only_moves(Code))
        return with_word(size_in_bytes(type), []<class Word>(Word) -> call_routine {
            return run_call<Code, Word, std::int64_t, xsimd::default_arch>;
        });
    else return with_element(type, []<class T>(T const&) { return routine_for_call<Code, T>(); });
}
template <class Unused = void> call_routine calling_routine(op code, dtype type) {
    switch (code) {
    case op::concatenate: return routine_for<op::concatenate, Unused>(type);
    case op::pad: return routine_for<op::pad, Unused>(type);
    case op::argmax: return routine_for<op::argmax, Unused>(type);
    case op::argmin: return routine_for<op::argmin, Unused>(type);
    case op::cumsum: return routine_for<op::cumsum, Unused>(type);
    case op::cumprod: return routine_for<op::cumprod, Unused>(type);
    case op::cummax: return routine_for<op::cummax, Unused>(type);
    case op::cummin: return routine_for<op::cummin, Unused>(type);
    case op::take: return routine_for<op::take, Unused>(type);
    case op::take_along_axis: return routine_for<op::take_along_axis, Unused>(type);
    case op::matmul: return routine_for<op::matmul, Unused>(type);
    case op::cholesky: return routine_for<op::cholesky, Unused>(type);
    case op::lu: return routine_for<op::lu, Unused>(type);
    case op::eigh: return routine_for<op::eigh, Unused>(type);
    case op::solve_triangular: return routine_for<op::solve_triangular, Unused>(type);
    case op::solve: return routine_for<op::solve, Unused>(type);
    case op::view_add: return routine_for<op::view_add, Unused>(type);
    case op::index_add: return routine_for<op::index_add, Unused>(type);
    case op::scatter_add: return routine_for<op::scatter_add, Unused>(type);
    default: return nullptr;
    }
}
TRACEXPR_CALL_INSTANCE(call_routine calling_routine<void>(op, dtype))

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail
