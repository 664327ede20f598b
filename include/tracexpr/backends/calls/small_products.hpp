// This file runs a step that multiplies small matrices, whose extents the compiler knows, for each of many examples.
#pragma once

#include <tracexpr/backends/calls/known_call.hpp>
#include <tracexpr/backends/contractions/matmul_small.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

template <class Form, std::size_t Step, class Arch> struct run_as<strategy::small_products, Form, Step, Arch> {
    using call = known_call<Form, Step>;
    using T = typename call::operand_element;
    static constexpr dims a = call::g.shape_of(call::g.operand(call::n, 0)), b = call::g.shape_of(call::g.operand(call::n, 1));
    static constexpr int M = static_cast<int>(a[a.rank - 2]), K = static_cast<int>(a[a.rank - 1]),
                         N = static_cast<int>(b[b.rank - 1]);

    static void run(plan_view const& p, std::byte* const* buffers) {
        dims const& extents = p.extents[index(call::form.call)];
        call_operand const first = call::operand(p, buffers, 0, nullptr), second = call::operand(p, buffers, 1, nullptr);
        matrices_of<T> const left(first, extents), right(second, extents);
        if (!lie<0>(left) || !lie<1>(right)) return run_as<strategy::any_call, Form, Step, Arch>::run(p, buffers);
        std::int64_t count = 1;
        for (int axis = 0; axis < extents.rank - 2; ++axis) count *= extents[axis];
        T* c = reinterpret_cast<T*>(buffers[p.buffer_of[index(call::form.call)]]);
        for (std::int64_t example = 0; example < count; ++example, c += M * N) {
            if constexpr (tx::detail::vector_products(M, N, K, native_lanes<T, Arch>) <= 64)
                matmul_small<M, N, K, T, by_columns<0>, by_columns<1>, Arch>(left(example), right(example), c);
            else call_matmul_small<M, N, K, T, by_columns<0>, by_columns<1>, Arch>(left(example), right(example), c);
        }
    }

private:
    // True if the compiler takes the matrices of operand k to be stored by columns.
    template <std::size_t k> static constexpr bool by_columns = [] {
        dims const& d = k == 0 ? a : b;
        std::int64_t const* const strides = Form::plan().accesses[call::form.operands.first + k].outer + d.rank - 2;
        return strides[0] == 1 && d[d.rank - 2] > 1 && d[d.rank - 1] > 1;
    }();
    template <std::size_t k> static bool lie(matrices_of<T> const& matrices) {
        std::int64_t const m = matrices.rows(), n = matrices.columns(), down = matrices.row_stride(),
                           along = matrices.column_stride();
        if constexpr (by_columns<k>) return down == 1 && along == m;
        else return (n == 1 || along == 1) && (m == 1 || down == n);
    }
};

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
