// A step that is a product of two small matrices of known extents, each stored by rows or by columns. A short elementwise loop
// that reads the product next, and alone, runs on the vectors that the product leaves in registers.
#pragma once

#include <tracexpr/backends/contractions/matmul_small.hpp>
#include <tracexpr/backends/loops/static_loop.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

inline constexpr std::size_t no_epilogue = ~std::size_t{0};

// The loop behind a product of Elements elements in Vectors vectors.
template <class Form, std::size_t Step, std::int64_t Elements, std::int64_t Vectors> struct product_epilogue {
    static constexpr std::size_t next = Step + 1;
    static constexpr std::int32_t product = Form::plan().buffer_of[index(Form::plan().steps[Step].call)];
    static constexpr std::size_t none = no_epilogue;

    static constexpr bool overlap(std::int32_t first, std::int32_t second) {
        plan_buffer const &a = Form::plan().buffers[static_cast<std::size_t>(first)],
                          &b = Form::plan().buffers[static_cast<std::size_t>(second)];
        bool const in_arena = a.place == buffer_place::arena && b.place == buffer_place::arena;
        return first == second || (in_arena && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes);
    }
    // Of accesses first .. first + count - 1: does one overlap the buffer?
    static constexpr bool touched(stretch const& accesses, std::int32_t buffer) {
        for (std::size_t k = accesses.first; k < accesses.first + accesses.count; ++k) {
            plan_access const& a = Form::plan().accesses[k];
            if (a.buffer >= 0 && a.buffer != product && overlap(a.buffer, buffer)) return true;
        }
        return false;
    }
    static constexpr bool is_only_reader() {
        for (output_copy const& c : Form::plan().copies)
            if (c.from == product) return false;
        if (Form::plan().buffers[static_cast<std::size_t>(product)].place != buffer_place::arena) return false;
        for (std::size_t s = 0; s < Form::plan().steps.size(); ++s) {
            plan_step const& of = Form::plan().steps[s];
            for (std::size_t k = of.operands.first; k < of.operands.first + of.operands.count; ++k)
                if (Form::plan().accesses[k].buffer == product) return false;
            for (std::size_t l = of.loops.first; l < of.loops.first + of.loops.count && s != next; ++l)
                for (std::size_t k = 0; k < Form::plan().loops[l].accesses.count; ++k)
                    if (Form::plan().accesses[Form::plan().loops[l].accesses.first + k].buffer == product) return false;
        }
        return true;
    }
    // Which of the loop's accesses reads the product, or none where the loop can't run on its vectors: where it is not one row
    // over just these elements, walks otherwise than from the first to the last, or writes what is still to be read.
    static constexpr std::size_t reading_access = [] {
        if constexpr (next < Form::plan().steps.size()) {
            if constexpr (Form::plan().steps[next].loops.count == 1) {
                plan_view const& p = Form::plan();
                constexpr std::size_t number = Form::plan().steps[next].loops.first;
                constexpr plan_loop loop = Form::plan().loops[number];
                using kernel_type = typename loop_kernel<Form, number, false>::type;
                if (!is_static_row<Form, next, number> || loop.inner.rank != 1 || loop.inner.extent[0] != Elements ||
                    loop.reduces)
                    return none;
                if (kernel_type::cost * Vectors > 128 || !is_only_reader()) return none;
                std::size_t found = none;
                for (std::size_t k = 0; k < loop.accesses.count; ++k) {
                    plan_access const& a = p.accesses[loop.accesses.first + k];
                    if (a.buffer < 0) continue;
                    if (size_in_bytes(a.type) != static_cast<std::size_t>(kernel_type::widest)) return none;
                    if (a.mode != access_mode::contiguous && (a.stores || a.mode != access_mode::splat)) return none;
                    if (a.buffer == product) {
                        if (found != none || a.mode != access_mode::contiguous || a.offset != 0) return none;
                        found = k;
                    } else if (a.stores) {
                        if (touched(p.steps[Step].operands, a.buffer)) return none;
                        for (std::size_t other = 0; other < loop.accesses.count; ++other) {
                            plan_access const& b = p.accesses[loop.accesses.first + other];
                            if (other != k && b.buffer >= 0 && b.buffer != product && overlap(a.buffer, b.buffer)) return none;
                        }
                    }
                }
                return found;
            }
        }
        return none;
    }();
};

// Runs the loop on the elements that it is given.
template <class Form, std::size_t Loop, std::size_t Reading, class T, class Arch> struct epilogue_sink {
    static constexpr bool cuts_rows = false, is_memory = false;
    std::byte* const* buffers;
    template <int Offset, int W> TRACEXPR_INLINE void put(lanes<T, W> const& given) const {
        using kernel_type = typename loop_kernel<Form, Loop, false>::type;
        using row_target = target<W, kernel_type::widest, Arch>;
        T elements[W];
        memory_sink<T>{elements}.template put<0, W>(given);
        cursor cursors[Form::plan().loops[Loop].accesses.count + 1];
        place_cursors<Form, Loop, Offset, Reading>(cursors, buffers);
        cursors[Reading].at = reinterpret_cast<std::byte*>(elements);
        literal_bits const* const literals = static_literals<Form, Loop>::value.data();
        auto const fixed = run_invariants<kernel_type, row_target>(cursors, literals);
        accumulators<kernel_type, row_target> none;
        run_body<kernel_type, row_target, lanes_used::all>(fixed, none, cursors, literals, 0, W);
    }
};

template <class Form, std::size_t Step, class Arch> struct small_product {
    static constexpr plan_step step = Form::plan().steps[Step];
    static constexpr node product = Form::graph()[step.call];
    using T = ctype<product.type>;

    static constexpr plan_access const& operand(std::size_t k) { return Form::plan().accesses[step.operands.first + k]; }
    static constexpr dims const& extents(std::size_t k) { return Form::plan().extents[index(Form::graph().operand(product, k))]; }
    static constexpr bool by_rows(std::size_t k) { return operand(k).outer[1] == 1 && operand(k).outer[0] == extents(k)[1]; }
    static constexpr bool by_columns(std::size_t k) { return operand(k).outer[0] == 1 && operand(k).outer[1] == extents(k)[0]; }

    static constexpr bool applies = [] {
        if constexpr (Form::is_static && product.code == op::matmul && std::is_floating_point_v<T>) {
            if constexpr (extents(0).rank == 2 && extents(1).rank == 2 && extents(0).size() > 0 && extents(1).size() > 0) {
                constexpr int M = static_cast<int>(extents(0)[0]), K = static_cast<int>(extents(0)[1]),
                              N = static_cast<int>(extents(1)[1]);
                if constexpr (M <= 64 && N <= 64 && K <= 64)
                    return fits_matmul_small<M, N, K, T, Arch> && (by_rows(0) || by_columns(0)) && (by_rows(1) || by_columns(1));
            }
        }
        return false;
    }();
    // Which access of the next step's loop reads the product, where that loop is an epilogue.
    static constexpr std::size_t epilogue = [] {
        if constexpr (applies) {
            constexpr std::int64_t vectors =
                extents(0)[0] * ((extents(1)[1] + native_lanes<T, Arch> - 1) / native_lanes<T, Arch>);
            return product_epilogue<Form, Step, extents(0)[0] * extents(1)[1], vectors>::reading_access;
        } else {
            return no_epilogue;
        }
    }();
    static TRACEXPR_INLINE void run(std::byte* const* buffers) {
        constexpr int M = static_cast<int>(extents(0)[0]), K = static_cast<int>(extents(0)[1]),
                      N = static_cast<int>(extents(1)[1]);
        T const *const a = elements(buffers, 0), *const b = elements(buffers, 1);
        constexpr std::size_t result = static_cast<std::size_t>(Form::plan().buffer_of[index(step.call)]);
        constexpr bool is_scratch = Form::plan().buffers[result].place == buffer_place::arena;
        T* const c = reinterpret_cast<T*>(buffers[result]);
        if constexpr (epilogue != no_epilogue)
            matmul_small_to<M, N, K, T, !by_rows(0), !by_rows(1), Arch>(
                a, b, epilogue_sink<Form, Form::plan().steps[Step + 1].loops.first, epilogue, T, Arch>{buffers});
        else if constexpr (vector_products<M, N, K, T, Arch> <= 64)
            matmul_small_to<M, N, K, T, !by_rows(0), !by_rows(1), Arch>(a, b, memory_sink<T, is_scratch>{c});
        else call_matmul_small<M, N, K, T, !by_rows(0), !by_rows(1), Arch>(a, b, c);
    }

private:
    static TRACEXPR_INLINE T const* elements(std::byte* const* buffers, std::size_t k) {
        return reinterpret_cast<T const*>(buffers[operand(k).buffer]) + operand(k).offset;
    }
};

// Has the step been done with the product before it?
template <class Form, std::size_t Step, class Arch> inline constexpr bool is_epilogue = [] {
    if constexpr (Step > 0)
        if constexpr (Form::plan().steps[Step - 1].call != node_id::none)
            return small_product<Form, Step - 1, Arch>::epilogue != no_epilogue;
    return false;
}();

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
