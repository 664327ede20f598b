// This file runs the loops of a step: on this thread, or in pieces on several.
#pragma once

#include <tracexpr/backends/threads/cut.hpp>
#include <tracexpr/backends/tiles/run_loop.hpp>

#include <span>

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

using simd::detail::best_cut, simd::detail::cut, simd::detail::thread_pool, simd::detail::threads_for;

template <class Unused>
std::span<loop_run<Unused>> make_loops(tile_step const& s, std::byte* const* buffers, divided_memory& memory) {
    loop_run<Unused>* const loops = memory.take_for<loop_run<Unused>>(s.loops.size());
    for (std::size_t l = 0; l < s.loops.size(); ++l) new (loops + l) loop_run<Unused>(s.loops[l], buffers, memory);
    return {loops, s.loops.size()};
}
// Runs the loops at each position of the outer axes.
template <class Unused> void run_loops(tile_step const& s, walk const& outer, std::span<loop_run<Unused>> loops) {
    if (outer.size() == 0) return;
    int const last = outer.rank - 1;
    std::int64_t const together = s.batch > 0 ? s.batch : 1;
    std::int64_t index[max_rank]{};
    for (int axis = 0; axis >= 0;) {
        std::int64_t const rows = last >= 0 ? std::min(together, outer.extent[last] - index[last]) : 1;
        for (auto& loop : loops) loop.run(rows);
        for (axis = last; axis >= 0; --axis) {
            std::int64_t const steps = axis == last ? rows : 1;
            for (auto& loop : loops) loop.advance(axis, steps);
            if ((index[axis] += steps) < outer.extent[axis]) break;
            for (auto& loop : loops) loop.advance(axis, -outer.extent[axis]);
            index[axis] = 0;
        }
    }
    if (s.streams) end_streams();
}

// Returns the number of elements that are summed before the sum goes to a cascade.
inline std::int64_t block_of_sums(reduction const& r) { return block_vectors * r.unroll * r.lanes; }

// Runs a step on several threads, each of which has memory for its tiles and for the buffers that each position of a nest
// overwrites.
template <class Unused> class shared_step {
public:
    shared_step(tile_step const& s, plan_view const& p, std::size_t number)
        : s_{s}, p_{p}, planned_{p.steps[number]}, threads_{s.piece_bytes > 0 ? threads_for(planned_) : 1} {
        if (threads_ <= 1) return;
        plan_loop const& first = p.loops[planned_.loops.first];
        if (planned_.sharing == sharing::total) {
            row_ = simd::detail::row_pieces(first.inner.extent[0], block_of_sums(s.loops[0].reductions[0]), threads_);
            pieces_ = row_.count;
        } else {
            where_ = best_cut(planned_, p, simd::detail::strip_vectors * first.lanes, threads_);
            pieces_ = where_.pieces;
        }
    }
    bool is_whole() const { return pieces_ <= 1; }
    std::int64_t memory_bytes() const { return is_whole() ? 0 : pieces_ * s_.piece_bytes; }

    void run(std::byte* const* buffers, std::byte* memory) const {
        auto const run_each = [&](auto const& task) { thread_pool::shared().run(static_cast<int>(threads_), pieces_, task); };
        if (planned_.sharing != sharing::total)
            return run_each([&](std::int64_t piece) { run_piece(buffers, memory + piece * s_.piece_bytes, piece); });
        auto const loop_of = [&](std::int64_t piece) {
            return reinterpret_cast<loop_run<Unused>*>(memory + piece * s_.piece_bytes);
        };
        run_each([&](std::int64_t piece) {
            divided_memory own(memory + piece * s_.piece_bytes);
            loop_run<Unused>& loop = make_loops<Unused>(s_, buffers, own).front();
            loop.take_part(0, row_.begin(piece), row_.extent(piece));
            loop.sum_row();
            if (s_.streams) end_streams();
        });
        for (std::int64_t piece = 1; piece < pieces_; ++piece) loop_of(0)->append(*loop_of(piece));
        loop_of(0)->store_totals();
    }

private:
    void run_piece(std::byte* const* buffers, std::byte* memory, std::int64_t piece) const {
        divided_memory own(memory);
        std::byte** const own_buffers = own.take_for<std::byte*>(p_.buffers.size());
        std::copy_n(buffers, p_.buffers.size(), own_buffers);
        for (row_buffer const& b : s_.row_buffers) {
            std::byte* const rows = own.take(b.bytes);
            if (where_.outer && b.outer[where_.axis] == 0) own_buffers[b.number] = rows;
        }
        std::span<loop_run<Unused>> const loops = make_loops<Unused>(s_, own_buffers, own);
        std::int64_t const begin = where_.begin(piece), extent = where_.begin(piece + 1) - begin;
        walk outer = s_.outer;
        if (where_.outer) {
            outer.extent[where_.axis] = extent;
            for (auto& loop : loops) loop.advance(where_.axis, begin);
        } else {
            loops.front().take_part(where_.axis, begin, extent);
        }
        run_loops<Unused>(s_, outer, loops);
    }

    tile_step const& s_;
    plan_view p_;
    plan_step const& planned_;
    std::int64_t threads_, pieces_ = 1;
    simd::detail::row_pieces row_{0, 1, 1}; // the pieces of a row that is reduced to one element
    cut where_;
};

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail
