// Runs one loop of a plan: walks its axes and runs its kernel along rows, or down columns where a reduction leaves the innermost
// axis alone.
#pragma once

#include <tracexpr/backends/rows.hpp>
#include <tracexpr/backends/transpose.hpp>
#include <tracexpr/passes/plan.hpp>

#include <algorithm>

namespace tx::simd {
namespace detail {

// The cursors of a loop's accesses, moved along one axis after the other.
template <int Accesses> struct cursors {
    cursor at[Accesses > 0 ? Accesses : 1];

    TRACEXPR_INLINE void begin(plan_access const* accesses, std::byte* const* buffers, int inner_rank) {
        for (int k = 0; k < Accesses; ++k) {
            plan_access const& a = accesses[k];
            at[k].index = a.offset;
            if (a.buffer >= 0) at[k].at = buffers[a.buffer] + a.offset * static_cast<std::int64_t>(size_in_bytes(a.type));
            at[k].stride = inner_rank ? a.inner[inner_rank - 1] : 0;
        }
    }
    template <bool Outer> TRACEXPR_INLINE void advance(plan_access const* accesses, int axis, std::int64_t steps) {
        for (int k = 0; k < Accesses; ++k) {
            plan_access const& a = accesses[k];
            std::int64_t const by = steps * (Outer ? a.outer[axis] : a.inner[axis]);
            at[k].index += by;
            at[k].at += by * static_cast<std::int64_t>(size_in_bytes(a.type));
        }
    }
};

// f(position) for each index of the first `rank` axes of w, the last varying fastest. One call of f, whatever the rank: f is inlined.
template <bool Outer, int Accesses, class F>
TRACEXPR_INLINE void for_each_index(walk const& w, int rank, plan_access const* accesses, cursors<Accesses> position, F f) {
    for (int axis = 0; axis < rank; ++axis)
        if (w.extent[axis] == 0) return;
    std::int64_t index[max_rank]{};
    for (;;) {
        f(position);
        int axis = rank - 1;
        for (; axis >= 0; --axis) {
            position.template advance<Outer>(accesses, axis, 1);
            if (++index[axis] < w.extent[axis]) break;
            position.template advance<Outer>(accesses, axis, -w.extent[axis]);
            index[axis] = 0;
        }
        if (axis < 0) return;
    }
}

template <class Kernel> inline constexpr int access_count = [] {
    int count = 0;
    for (kernel_line const& l : Kernel::lines) {
        int const access = l.role == role::load || l.role == role::index ? l.a : l.role == role::store || l.role == role::reduce ? l.b : -1;
        if (access >= count) count = access + 1;
    }
    return count;
}();

template <class Kernel, class Target> TRACEXPR_INLINE void clear(cascades<Kernel, Target>& sums) {
    for_each_line<Kernel, is_reduction>([&](auto line) TRACEXPR_INLINE_LAMBDA { at<line.value>(sums).clear(); });
}
template <class Kernel, class Target> TRACEXPR_INLINE void store_totals(cascades<Kernel, Target> const& sums, cursor const* results) {
    for_each_line<Kernel, is_reduction>([&](auto line) TRACEXPR_INLINE_LAMBDA {
        constexpr kernel_line l = Kernel::lines[static_cast<std::size_t>(line.value)];
        *element_pointer<ctype<l.type>>(results[l.b]) = at<line.value>(sums).total();
    });
}

// Columns i .. i + lanes of a block, all the way down its rows; vectors side by side so that each row is read in longer runs.
template <class Kernel, class Target, int U, lanes_used Used, int Accesses>
TRACEXPR_INLINE void run_columns(walk const& inner, plan_access const* accesses, literal_bits const* literals, cursors<Accesses> const& top, std::int64_t i, std::int64_t count) {
    constexpr int W = Target::lanes;
    constexpr auto unrolled = std::make_integer_sequence<int, U>{};
    cascades<Kernel, Target> sums[U];
    accumulators<Kernel, Target> acc[U];
    for (auto& s : sums) clear<Kernel, Target>(s);
    for (auto& a : acc) reset<Kernel, Target>(a);
    std::int64_t rows = 0;
    for_each_index<false, Accesses>(inner, inner.rank - 1, accesses, top, [&](cursors<Accesses> const& row) TRACEXPR_INLINE_LAMBDA {
        auto const fixed = run_invariants<Kernel, Target>(row.at, literals);
        [&]<int... K>(std::integer_sequence<int, K...>) TRACEXPR_INLINE_LAMBDA {
            (run_body<Kernel, Target, Used>(fixed, acc[K], row.at, literals, i + K * W, count), ...);
        }(unrolled);
        if (++rows % block_vectors == 0)
            for (int k = 0; k < U; ++k) {
                push<Kernel, Target>(sums[k], acc[k]);
                reset<Kernel, Target>(acc[k]);
            }
    });
    for (int k = 0; k < U; ++k) {
        push<Kernel, Target>(sums[k], acc[k]);
        for_each_line<Kernel, is_reduction>([&](auto line) TRACEXPR_INLINE_LAMBDA {
            constexpr kernel_line l = Kernel::lines[static_cast<std::size_t>(line.value)];
            using T = ctype<l.type>;
            auto const total = at<line.value>(sums[k]).lanes_total();
            cursor const& c = top.at[l.b];
            store_strided_value<T, W>(element_pointer<T>(c) + (i + k * W) * c.stride, total, c.stride, count);
        });
    }
}

} // namespace detail

// The two innermost axes in tiles: what is read across the rows of a tile is transposed into a scratch that is read along them.
inline constexpr std::int64_t tile_rows = 16, tile_columns = 64;
template <class Kernel, class Arch>
TRACEXPR_INLINE void run_tiles(walk const& inner, plan_access const* accesses, literal_bits const* literals,
                               detail::cursors<detail::access_count<Kernel>> const& block) {
    constexpr int A = detail::access_count<Kernel>;
    std::int64_t const rows = inner.extent[inner.rank - 2], columns = inner.extent[inner.rank - 1];
    [[maybe_unused]] alignas(64) static thread_local std::byte scratch[A][tile_rows * tile_columns * 16];
    detail::cascades<Kernel, vector_target<Kernel, Arch>> none;
    for (std::int64_t row = 0; row < rows; row += tile_rows)
        for (std::int64_t column = 0; column < columns; column += tile_columns) {
            std::int64_t const height = std::min(tile_rows, rows - row), width = std::min(tile_columns, columns - column);
            detail::cursors<A> tile = block;
            tile.template advance<false>(accesses, inner.rank - 2, row);
            tile.template advance<false>(accesses, inner.rank - 1, column);
            std::int64_t step[A];
            for (int k = 0; k < A; ++k) step[k] = accesses[k].inner[inner.rank - 2] * static_cast<std::int64_t>(size_in_bytes(accesses[k].type));
            detail::for_each_line<Kernel, detail::is_transposed_load>([&](auto line) TRACEXPR_INLINE_LAMBDA {
                constexpr kernel_line l = Kernel::lines[static_cast<std::size_t>(line.value)];
                using T = ctype<l.type>;
                cursor& c = tile.at[l.a];
                T* const to = reinterpret_cast<T*>(scratch[l.a]);
                pack_transposed<T, Arch>(height, width, detail::element_pointer<T const>(c), c.stride, to, tile_columns);
                c.at = scratch[l.a];
                step[l.a] = tile_columns * static_cast<std::int64_t>(sizeof(T));
            });
            for (std::int64_t k = 0; k < height; ++k) {
                run_row<Kernel, Arch>(tile.at, literals, width, none);
                for (int a = 0; a < A; ++a) tile.at[a].at += step[a], tile.at[a].index += accesses[a].inner[inner.rank - 2];
            }
        }
}

// A loop's inner axes, with its accesses where the outer ones have put them.
template <class Kernel, class Arch>
TRACEXPR_INLINE void run_block(plan_loop const& loop, plan_access const* accesses, literal_bits const* literals,
                               detail::cursors<detail::access_count<Kernel>> const& block) {
    constexpr int A = detail::access_count<Kernel>;
    using target = vector_target<Kernel, Arch>;
    walk const& inner = loop.inner;
    std::int64_t const n = inner.rank ? inner.extent[inner.rank - 1] : 1;
    if constexpr (Kernel::transposes) {
        detail::for_each_index<false, A>(inner, inner.rank - 2, accesses, block, [&](detail::cursors<A> const& plane) TRACEXPR_INLINE_LAMBDA {
            run_tiles<Kernel, Arch>(inner, accesses, literals, plane);
        });
        return;
    }
    if constexpr (Kernel::reduces) {
        if (loop.columns) {
            constexpr int W = target::lanes, U = Kernel::unroll;
            std::int64_t i = 0;
            for (; i + U * W <= n; i += U * W) detail::run_columns<Kernel, target, U, detail::lanes_used::all>(inner, accesses, literals, block, i, W);
            for (; i < n; i += W) detail::run_columns<Kernel, target, 1, detail::lanes_used::first>(inner, accesses, literals, block, i, n - i < W ? n - i : W);
            return;
        }
    }
    detail::cascades<Kernel, target> sums;
    detail::clear<Kernel, target>(sums);
    if (n > 0)
        detail::for_each_index<false, A>(inner, inner.rank ? inner.rank - 1 : 0, accesses, block, [&](detail::cursors<A> const& row) TRACEXPR_INLINE_LAMBDA {
            run_row<Kernel, Arch>(row.at, literals, n, sums);
        });
    if constexpr (Kernel::reduces) detail::store_totals<Kernel, target>(sums, block.at);
}

// `literals`: the bits for each slot.
template <class Kernel, class Arch>
void run_loop(walk const& outer, plan_loop const& loop, plan_access const* accesses, literal_bits const* literals, std::byte* const* buffers) {
    constexpr int A = detail::access_count<Kernel>;
    if (!Kernel::reduces && loop.inner.size() == 0) return;
    detail::cursors<A> start;
    start.begin(accesses, buffers, loop.inner.rank);
    detail::for_each_index<true, A>(outer, outer.rank, accesses, start, [&](detail::cursors<A> const& block) TRACEXPR_INLINE_LAMBDA {
        run_block<Kernel, Arch>(loop, accesses, literals, block);
    });
}

// One row of a nest's loop.
template <class Kernel, class Arch>
void run_nest_row(std::int64_t const* index, walk const& outer, plan_loop const& loop, plan_access const* accesses, literal_bits const* literals,
                  std::byte* const* buffers) {
    detail::cursors<detail::access_count<Kernel>> block;
    block.begin(accesses, buffers, loop.inner.rank);
    for (int axis = 0; axis < outer.rank; ++axis) block.template advance<true>(accesses, axis, index[axis]);
    if (Kernel::reduces || loop.inner.size() != 0) run_block<Kernel, Arch>(loop, accesses, literals, block);
}

} // namespace tx::simd
