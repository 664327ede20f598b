// This file runs a step that multiplies two small matrices of known extents, each stored by rows or by columns. If a short
// elementwise loop comes next and is the only reader of the product, it runs on the vectors that the product leaves in registers.
#pragma once

#include <tracexpr/backends/contractions/matmul_small.hpp>
#include <tracexpr/backends/loops/static_loop.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

// epilogue_sink is a sink that runs the loop on the elements that it is given.
template <class Form, std::size_t Loop, std::size_t Reading, class T, class Arch> struct epilogue_sink {
    static constexpr bool cuts_rows = false, is_memory = false;
    std::byte* const* buffers;
    template <int Offset, int W> TRACEXPR_INLINE void put(lanes<T, W> const& given) const {
        using kernel_type = loop_kernel<Form, Loop>;
        using row_target = target<W, kernel_type::widest, Arch>;
        T elements[W];
        memory_sink<T>{elements}.template put<0, W>(given);
        cursor cursors[Form::plan().loops[Loop].accesses.count + 1];
        place_cursors<Form, Loop, Offset, Reading>(cursors, buffers);
        cursors[Reading].at = reinterpret_cast<std::byte*>(elements);
        literal_bits const* const literals = planned_loop<Form, Loop>::known_literals.data();
        auto const fixed = run_invariants<kernel_type, row_target>(cursors, literals);
        accumulators<kernel_type, row_target> none;
        run_body<kernel_type, row_target, lanes_used::all>(fixed, none, cursors, literals, 0, W);
    }
};

template <class Form, std::size_t Step, class Arch> struct run_as<strategy::small_product, Form, Step, Arch> {
    static constexpr plan_step step = Form::plan().steps[Step];
    static constexpr node product = Form::graph()[step.call];
    using T = ctype<product.type>;

    static constexpr plan_access const& operand(std::size_t k) { return Form::plan().accesses[step.operands.first + k]; }
    static constexpr dims const& extents(std::size_t k) { return Form::plan().extents[index(Form::graph().operand(product, k))]; }
    static constexpr bool by_rows(std::size_t k) { return operand(k).outer[1] == 1 && operand(k).outer[0] == extents(k)[1]; }

    // In programs of many steps products are function calls: inlined, they would be most of what there is to compile.
    static constexpr bool is_long = Form::plan().steps.size() > 16;

    static TRACEXPR_INLINE void run(plan_view const&, std::byte* const* buffers) {
        constexpr int M = static_cast<int>(extents(0)[0]), K = static_cast<int>(extents(0)[1]),
                      N = static_cast<int>(extents(1)[1]);
        T const *const a = elements(buffers, 0), *const b = elements(buffers, 1);
        constexpr std::size_t result = static_cast<std::size_t>(Form::plan().buffer_of[index(step.call)]);
        constexpr bool is_scratch = Form::plan().buffers[result].place == buffer_place::arena;
        T* const c = reinterpret_cast<T*>(buffers[result]);
        if constexpr (step.epilogue >= 0)
            matmul_small_to<M, N, K, T, !by_rows(0), !by_rows(1), Arch>(
                a, b, epilogue_sink<Form, Form::plan().steps[Step + 1].loops.first, step.epilogue, T, Arch>{buffers});
        else if constexpr (tx::detail::vector_products(M, N, K, native_lanes<T, Arch>) <= (is_long ? 8 : 64))
            matmul_small_to<M, N, K, T, !by_rows(0), !by_rows(1), Arch>(a, b, memory_sink<T, is_scratch>{c});
        else call_matmul_small<M, N, K, T, !by_rows(0), !by_rows(1), Arch>(a, b, c);
    }

private:
    static TRACEXPR_INLINE T const* elements(std::byte* const* buffers, std::size_t k) {
        return reinterpret_cast<T const*>(buffers[operand(k).buffer]) + operand(k).offset;
    }
};

// The epilogue has no step of its own, because the product before it has computed it.
template <class Form, std::size_t Step, class Arch> struct run_as<strategy::epilogue, Form, Step, Arch> {
    static TRACEXPR_INLINE void run(plan_view const&, std::byte* const*) {}
};

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
