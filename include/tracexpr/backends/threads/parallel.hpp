// This file runs steps of a plan on several threads.
#pragma once

#include <tracexpr/backends/contractions/matrix.hpp>
#include <tracexpr/backends/loops/nest.hpp>
#include <tracexpr/backends/threads/cut.hpp>

#include <array>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

template <class Form, std::size_t Step, class Arch> struct parallel_step {
    static constexpr plan_step form = Form::plan().steps[Step];
    static constexpr plan_loop first = Form::plan().loops[form.loops.first];
    using kernel_type = loop_kernel<Form, form.loops.first>;
    using target = vector_target<kernel_type, Arch>;

    // Returns false if one thread should do the step.
    static bool run(plan_view const& p, std::byte* const* buffers) {
        std::int64_t const threads = threads_for(p.steps[Step]);
        if (threads <= 1) return false;
        if constexpr (form.sharing == sharing::total) return run_total(p, buffers, static_cast<int>(threads));
        cut const where = best_cut(p.steps[Step], p, strip_vectors * target::lanes, threads);
        if (where.pieces <= 1) return false;
        thread_pool::shared().run(static_cast<int>(threads), where.pieces,
                                  [&](std::int64_t piece) { run_piece(p, buffers, where, piece); });
        return true;
    }

private:
    // piece_plan is the plan for a piece, whose form is that of the whole step.
    struct piece_plan {
        std::array<plan_access, Form::plan().accesses.size()> accesses;
        std::array<plan_loop, Form::plan().loops.size()> loops;
        std::array<plan_step, Form::plan().steps.size()> steps;
    };
    template <class Table, class T> static void copy(Table& to, table_view<T> from) {
        std::copy_n(from.data(), from.size(), to.data());
    }

    static void run_piece(plan_view const& whole, std::byte* const* buffers, cut const& where, std::int64_t piece) {
        std::int64_t const begin = where.begin(piece), extent = where.begin(piece + 1) - begin;
        piece_plan own;
        copy(own.accesses, whole.accesses), copy(own.loops, whole.loops), copy(own.steps, whole.steps);
        (where.outer ? own.steps[Step].outer : own.loops[form.loops.first].inner).extent[where.axis] = extent;
        std::byte* own_buffers[Form::plan().buffers.size() + 1];
        std::copy_n(buffers, Form::plan().buffers.size(), own_buffers);
        std::int64_t local[Form::plan().buffers.size() + 1]{}, bytes = 0;
        for (std::size_t l = form.loops.first; l < form.loops.first + form.loops.count; ++l)
            for (std::size_t k = 0; k < whole.loops[l].accesses.count; ++k) {
                plan_access& a = own.accesses[whole.loops[l].accesses.first + k];
                std::int64_t const stride = where.outer ? a.outer[where.axis] : a.inner[where.axis];
                a.offset += begin * stride;
                // A buffer which each row overwrites is local to the thread.
                if (!a.stores || stride != 0 || whole.buffers[static_cast<std::size_t>(a.buffer)].place != buffer_place::arena ||
                    local[a.buffer])
                    continue;
                local[a.buffer] = bytes + 1;
                bytes += (whole.buffers[static_cast<std::size_t>(a.buffer)].bytes + 63) / 64 * 64;
            }
        struct of_pieces;
        scratch_memory& memory = tx::detail::per_thread<scratch_memory, of_pieces>();
        if (bytes) {
            std::byte* const rows = memory.get<std::byte>(bytes);
            for (std::size_t b = 0; b < Form::plan().buffers.size(); ++b)
                if (local[b]) own_buffers[b] = rows + local[b] - 1;
        }
        plan_view part = whole;
        part.accesses = {own.accesses.data(), own.accesses.size()};
        part.loops = {own.loops.data(), own.loops.size()};
        part.steps = {own.steps.data(), own.steps.size()};
        plan_loop& loop = own.loops[form.loops.first];
        if (loop.kept != strategy::strided)
            loop.kept = tx::detail::fits_strategy(Form::plan(), part, Step) ? form.strategy : form.otherwise;
        run_as_planned<piece_of<Form>, Step, Arch>(part, own_buffers);
    }

    // Reduces a row to one element on several threads.
    static bool run_total(plan_view const& p, std::byte* const* buffers, int threads) {
        using sums_type = cascades<kernel_type, target>;
        constexpr std::int64_t block = block_vectors * kernel_type::unroll * target::lanes;
        plan_loop const& loop = p.loops[form.loops.first];
        if (loop.kept == strategy::strided) return false;
        plan_access const* const accesses = p.accesses.data() + loop.accesses.first;
        row_pieces const pieces(loop.inner.extent[0], block, threads);
        if (pieces.count <= 1) return false;
        auto const literals = only_loop<Form, Step>::literals(p);
        struct of_totals;
        scratch_memory& memory = tx::detail::per_thread<scratch_memory, of_totals>();
        sums_type* const sums = memory.get<sums_type>(pieces.count);
        cursors<kernel_type> row;
        row.begin(accesses, buffers, 1);
        thread_pool::shared().run(threads, pieces.count, [&](std::int64_t piece) {
            cursors<kernel_type> own = row;
            own.template advance<false>(accesses, 0, pieces.begin(piece));
            clear<kernel_type, target>(sums[piece]);
            run_row<kernel_type, Arch, first.rows.of_cut()>(own.at, literals.data(), pieces.extent(piece), sums[piece]);
        });
        for (std::int64_t piece = 1; piece < pieces.count; ++piece)
            for_each_line<kernel_type, is_reduction>(
                [&](auto line) { at<line.value>(sums[0]).append(at<line.value>(sums[piece])); });
        store_totals<kernel_type, target>(sums[0], row.at);
        return true;
    }
};

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
