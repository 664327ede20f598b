// This file runs one loop of a plan: it walks along the axes and runs the kernel along rows, or down columns if a reduction keeps
// the innermost axis.
#pragma once

#include <tracexpr/backends/loops/rows.hpp>
#include <tracexpr/backends/loops/transpose.hpp>
#include <tracexpr/passes/strategies.hpp>

#include <algorithm>
#include <array>

namespace tx::inline TRACEXPR_TARGET::simd {
namespace detail {

using tx::detail::rows_at_once;

template <class Kernel, class F> TRACEXPR_INLINE void for_each_access(F f) {
    [&]<std::size_t... K>(std::index_sequence<K...>) TRACEXPR_INLINE_LAMBDA {
        (f(std::integral_constant<std::size_t, K>{}), ...);
    }(std::make_index_sequence<access_count<Kernel>>{});
}

// The bytes of each access's elements; 0 for accesses that count.
template <class Kernel> inline constexpr auto access_bytes = [] {
    std::array<std::int64_t, access_count<Kernel> + 1> out{};
    for (kernel_line const& l : Kernel::lines)
        if (access_of(l) >= 0 && l.role != role::index)
            out[static_cast<std::size_t>(access_of(l))] = static_cast<std::int64_t>(size_in_bytes(l.type));
    return out;
}();
// The size in bytes of the largest element that an access reads or writes.
template <class Kernel> inline constexpr std::size_t most_access_bytes =
    static_cast<std::size_t>(*std::max_element(access_bytes<Kernel>.begin(), access_bytes<Kernel>.end()));
// True if the kernel has lines that count.
template <class Kernel> inline constexpr bool counts =
    std::find(access_bytes<Kernel>.begin(), access_bytes<Kernel>.end() - 1, 0) != access_bytes<Kernel>.end() - 1;
// Marks the accesses whose stride the kernel needs.
template <class Kernel> inline constexpr auto has_stride = [] {
    std::array<bool, access_count<Kernel> + 1> out{};
    for (kernel_line const& l : Kernel::lines)
        if (access_of(l) >= 0 && (l.role == role::index || l.mode == access_mode::strided))
            out[static_cast<std::size_t>(access_of(l))] = true;
    return out;
}();

// The cursors of a loop's accesses, which move along one axis after the other.
template <class Kernel> struct cursors {
    static constexpr int count = access_count<Kernel>;
    cursor at[count > 0 ? count : 1];

    TRACEXPR_INLINE void begin(plan_access const* accesses, std::byte* const* buffers, int inner_rank) {
        for_each_access<Kernel>([&](auto k) TRACEXPR_INLINE_LAMBDA {
            constexpr std::size_t K = k.value;
            plan_access const& a = accesses[K];
            at[K].index = a.offset;
            if constexpr (access_bytes<Kernel>[K] > 0) at[K].at = buffers[a.buffer] + a.offset * access_bytes<Kernel>[K];
            at[K].stride = inner_rank ? a.inner[inner_rank - 1] : 0;
        });
    }
    template <bool Outer> TRACEXPR_INLINE void advance(plan_access const* accesses, int axis, std::int64_t steps) {
        for_each_access<Kernel>([&](auto k) TRACEXPR_INLINE_LAMBDA {
            constexpr std::size_t K = k.value;
            plan_access const& a = accesses[K];
            std::int64_t const by = steps * (Outer ? a.outer[axis] : a.inner[axis]);
            at[K].index += by;
            at[K].at += by * access_bytes<Kernel>[K];
        });
    }
};

// steps_along holds the steps of all cursors along one axis, for loops that take them often.
template <class Kernel> struct steps_along {
    static constexpr int count = access_count<Kernel>;
    // With more pointers than there are registers, the steps are read from memory.
    static constexpr bool are_many = count > 12;
    std::int64_t elements[count > 0 ? count : 1]{};
    std::int64_t bytes[are_many ? count : 1]{};

    template <bool Outer> TRACEXPR_INLINE void begin(plan_access const* accesses, int axis) {
        for (int k = 0; k < count; ++k) elements[k] = Outer ? accesses[k].outer[axis] : accesses[k].inner[axis];
        for (int k = 0; are_many && k < count; ++k) bytes[k] = elements[k] * access_bytes<Kernel>[static_cast<std::size_t>(k)];
    }
    TRACEXPR_INLINE void take(cursors<Kernel>& position) const {
        if constexpr (are_many) {
            for (int k = 0; k < count; ++k) {
                if constexpr (counts<Kernel>) position.at[k].index += elements[k];
                position.at[k].at += bytes[k];
            }
        } else {
            [&]<std::size_t... K>(std::index_sequence<K...>) TRACEXPR_INLINE_LAMBDA {
                ((position.at[K].index += elements[K], position.at[K].at += elements[K] * access_bytes<Kernel>[K]), ...);
            }(std::make_index_sequence<count>{});
        }
    }
};

// Calls f with the position at each index of the first `rank` axes of w, the last of which varies fastest, and leaves the
// position as it was. f is called at one place in the code, whatever the rank, because it is inlined.
template <bool Outer, class Kernel, class F>
TRACEXPR_INLINE void for_each_index(walk const& w, int rank, plan_access const* accesses, cursors<Kernel>& position, F f) {
    for (int axis = 0; axis < rank; ++axis)
        if (w.extent[axis] == 0) return;
    int const fastest = rank - 1;
    std::int64_t const along = rank > 0 ? w.extent[fastest] : 1;
    std::int64_t index[max_rank]{};
    steps_along<Kernel> steps;
    if (fastest >= 0) steps.template begin<Outer>(accesses, fastest);
    for (;;) {
        for (std::int64_t k = 0; k < along; ++k) f(), steps.take(position);
        if (fastest >= 0) position.template advance<Outer>(accesses, fastest, -along);
        int axis = fastest - 1;
        for (; axis >= 0; --axis) {
            position.template advance<Outer>(accesses, axis, 1);
            if (++index[axis] < w.extent[axis]) break;
            position.template advance<Outer>(accesses, axis, -w.extent[axis]);
            index[axis] = 0;
        }
        if (axis < 0) return;
    }
}

template <class Kernel, class Target> TRACEXPR_INLINE void clear(cascades<Kernel, Target>& sums) {
    for_each_line<Kernel, is_reduction>([&](auto line) TRACEXPR_INLINE_LAMBDA { at<line.value>(sums).clear(); });
}
template <class Kernel, class Target>
TRACEXPR_INLINE void store_totals(cascades<Kernel, Target> const& sums, cursor const* results) {
    for_each_line<Kernel, is_reduction>([&](auto line) TRACEXPR_INLINE_LAMBDA {
        constexpr kernel_line l = Kernel::lines[line.value];
        *element_pointer<ctype<l.type>>(results[l.b]) = at<line.value>(sums).total();
    });
}

// Runs U vectors of columns side by side down `height` rows. Unmoved is the mask row_facts::still.
template <class Kernel, class Target, int U, lanes_used Used, std::uint64_t Unmoved>
TRACEXPR_INLINE void add_columns(steps_along<Kernel> const& steps, literal_bits const* literals, cursors<Kernel> row,
                                 std::int64_t height, std::int64_t first, std::int64_t count,
                                 accumulators<Kernel, Target>* sums) {
    [&]<int... K>(std::integer_sequence<int, K...>) TRACEXPR_INLINE_LAMBDA {
        accumulators<Kernel, Target> acc[]{sums[K]...};
        invariants<Kernel, Target> fixed;
        varying<Kernel, Target> r[U];
        nothing none[1];
        std::int64_t const positions[]{(first + K * Target::lanes)...};
        run_lines<Kernel, Target, lines_of_rows<true, Unmoved, true>, lanes_used::all, 0>(fixed, none, none, row.at, literals,
                                                                                          {0}, Target::lanes);
        run_lines<Kernel, Target, lines_of_rows<false, Unmoved, true>, Used, 0>(fixed, r, acc, row.at, literals, positions,
                                                                                count);
        for (; height > 0; --height) {
            run_lines<Kernel, Target, lines_of_rows<true, Unmoved, false>, lanes_used::all, 0>(fixed, none, none, row.at,
                                                                                               literals, {0}, Target::lanes);
            run_lines<Kernel, Target, lines_of_rows<false, Unmoved, false>, Used, 0>(fixed, r, acc, row.at, literals, positions,
                                                                                     count);
            steps.take(row);
        }
        ((sums[K] = acc[K]), ...);
    }(std::make_integer_sequence<int, U>{});
}

// Runs columns begin .. end - 1 of n.
template <class Kernel, class Target, row_facts Rows>
TRACEXPR_INLINE void run_strip(walk const& inner, plan_access const* accesses, literal_bits const* literals, cursors<Kernel>& top,
                               std::int64_t begin, std::int64_t end, std::int64_t n) {
    constexpr int W = Target::lanes, U = Kernel::unroll;
    std::int64_t const rows = inner.rank > 1 ? inner.extent[inner.rank - 2] : 1;
    std::int64_t const whole = begin + (end - begin) / (U * W) * (U * W);
    // The last vector overlaps columns that are done, whose sums it computes again; it is cut where that is not allowed.
    auto const place = [&](std::int64_t i) { return Rows.overwritten ? i : std::max<std::int64_t>(std::min(i, n - W), 0); };
    auto const is_cut = [&](std::int64_t i) { return (Rows.overwritten && n - i < W) || (!Rows.has_vector && n < W); };
    constexpr bool may_be_cut = Rows.overwritten || !Rows.has_vector;
    steps_along<Kernel> steps;
    if (inner.rank > 1) steps.template begin<false>(accesses, inner.rank - 2);
    cascades<Kernel, Target> sums[strip_vectors];
    accumulators<Kernel, Target> acc[strip_vectors];
    std::int64_t const vectors = (end - begin + W - 1) / W;
    for (std::int64_t k = 0; k < vectors; ++k) clear<Kernel, Target>(sums[k]);
    for_each_index<false>(inner, inner.rank - 2, accesses, top, [&]() TRACEXPR_INLINE_LAMBDA {
        for (std::int64_t first = 0; first < rows; first += block_vectors) {
            std::int64_t const last = std::min(first + block_vectors, rows);
            for (std::int64_t k = 0; k < vectors; ++k) reset<Kernel, Target>(acc[k]);
            for (std::int64_t row = first; row < last; row += rows_at_once) {
                cursors<Kernel> here = top;
                if (inner.rank > 1) here.template advance<false>(accesses, inner.rank - 2, row);
                std::int64_t const height = std::min(rows_at_once, last - row);
                std::int64_t i = begin;
                for (; i < whole; i += U * W)
                    add_columns<Kernel, Target, U, lanes_used::all, Rows.unchanged>(steps, literals, here, height, i, W,
                                                                                    acc + (i - begin) / W);
                for (; i < end; i += W)
                    if (!is_cut(i))
                        add_columns<Kernel, Target, 1, lanes_used::all, Rows.unchanged>(steps, literals, here, height, place(i),
                                                                                        W, acc + (i - begin) / W);
                    else if constexpr (may_be_cut)
                        add_columns<Kernel, Target, 1, lanes_used::first, Rows.unchanged>(steps, literals, here, height, i, n - i,
                                                                                          acc + (i - begin) / W);
            }
            for (std::int64_t k = 0; k < vectors; ++k) push<Kernel, Target>(sums[k], acc[k]);
        }
    });
    for_each_line<Kernel, is_reduction>([&](auto line) TRACEXPR_INLINE_LAMBDA {
        constexpr kernel_line l = Kernel::lines[line.value];
        using T = ctype<l.type>;
        cursor const& c = top.at[l.b];
        for (std::int64_t i = begin; i < end; i += W) {
            T* const to = element_pointer<T>(c) + place(i) * c.stride;
            auto const total = at<line.value>(sums[(i - begin) / W]).lanes_total();
            if constexpr (l.c >= 0) store_places(to, total, c.stride, n - place(i));
            else store_strided_value<T, W>(to, total, c.stride, n - place(i));
        }
    });
}

} // namespace detail

namespace detail {
// True if the kernel only copies elements, which it reads across the rows and stores along them.
template <class Kernel> inline constexpr bool copies_transposed = [] {
    if constexpr (Kernel::size == 2) {
        kernel_line const &from = Kernel::lines[0], &to = Kernel::lines[1];
        return is_transposed_load(from) && is_contiguous_store(to) && to.a == 0 && from.type == to.type;
    }
    return false;
}();
} // namespace detail

// Runs the two innermost axes in tiles: what is read across the rows of a tile is transposed into a scratch buffer, which is read
// along the rows.
inline constexpr std::int64_t tile_rows = 16, tile_columns = 64;
template <class Kernel, class Arch, row_facts Rows> TRACEXPR_INLINE void
run_tiles(walk const& inner, plan_access const* accesses, literal_bits const* literals, detail::cursors<Kernel>& block) {
    constexpr int A = detail::access_count<Kernel>;
    std::int64_t const rows = inner.extent[inner.rank - 2], columns = inner.extent[inner.rank - 1];
    [[maybe_unused]] alignas(
        64) static thread_local std::byte scratch[A][tile_rows * tile_columns * detail::most_access_bytes<Kernel>];
    detail::cascades<Kernel, vector_target<Kernel, Arch>> none;
    for (std::int64_t row = 0; row < rows; row += tile_rows)
        for (std::int64_t column = 0; column < columns; column += tile_columns) {
            std::int64_t const height = std::min(tile_rows, rows - row), width = std::min(tile_columns, columns - column);
            detail::cursors<Kernel> tile = block;
            tile.template advance<false>(accesses, inner.rank - 2, row);
            tile.template advance<false>(accesses, inner.rank - 1, column);
            std::int64_t step[A];
            for (int k = 0; k < A; ++k)
                step[k] = accesses[k].inner[inner.rank - 2] * detail::access_bytes<Kernel>[static_cast<std::size_t>(k)];
            if constexpr (detail::copies_transposed<Kernel>) {
                using T = ctype<Kernel::lines[0].type>;
                cursor const &from = tile.at[Kernel::lines[0].a], &to = tile.at[Kernel::lines[1].b];
                if (~to.cached == 0) {
                    pack_transposed<T, Arch>(height, width, detail::element_pointer<T const>(from), from.stride,
                                             detail::element_pointer<T>(to), accesses[Kernel::lines[1].b].inner[inner.rank - 2]);
                    continue;
                }
            }
            detail::for_each_line<Kernel, detail::is_transposed_load>([&](auto line) TRACEXPR_INLINE_LAMBDA {
                constexpr kernel_line l = Kernel::lines[line.value];
                using T = ctype<l.type>;
                cursor& c = tile.at[l.a];
                T* const to = reinterpret_cast<T*>(scratch[l.a]);
                pack_transposed<T, Arch>(height, width, detail::element_pointer<T const>(c), c.stride, to, tile_columns);
                c.at = scratch[l.a];
                step[l.a] = tile_columns * static_cast<std::int64_t>(sizeof(T));
            });
            for (std::int64_t k = 0; k < height; ++k) {
                run_row<Kernel, Arch, Rows.of_cut()>(tile.at, literals, width, none);
                for (int a = 0; a < A; ++a) tile.at[a].at += step[a], tile.at[a].index += accesses[a].inner[inner.rank - 2];
            }
        }
}

// Runs the inner axes of a loop, whose accesses are at the position of the outer axes, in one of three ways: by rows, columns or
// tiles. OneRow is true if they are a single axis.
template <strategy Way, class Kernel, class Arch, row_facts Rows, bool OneRow = false, class Ahead = detail::nothing_ahead>
TRACEXPR_INLINE void run_block(plan_loop const& loop, plan_access const* accesses, literal_bits const* literals,
                               detail::cursors<Kernel>& block, Ahead ahead = {}) {
    using target = vector_target<Kernel, Arch>;
    walk const& inner = loop.inner;
    std::int64_t const n = inner.rank ? inner.extent[inner.rank - 1] : 1;
    if constexpr (Way == strategy::tiles) {
        detail::for_each_index<false>(inner, inner.rank - 2, accesses, block, [&]() TRACEXPR_INLINE_LAMBDA {
            run_tiles<Kernel, Arch, Rows>(inner, accesses, literals, block);
        });
        return;
    }
    if constexpr (Way == strategy::columns) {
        constexpr std::int64_t strip = detail::strip_vectors * target::lanes;
        for (std::int64_t i = 0; i < n; i += strip)
            detail::run_strip<Kernel, target, Rows>(inner, accesses, literals, block, i, std::min(i + strip, n), n);
    }
    if constexpr (Way == strategy::rows) {
        detail::cascades<Kernel, target> sums;
        detail::clear<Kernel, target>(sums);
        auto const run_one = [&]() TRACEXPR_INLINE_LAMBDA { run_row<Kernel, Arch, Rows>(block.at, literals, n, sums, ahead); };
        if (n > 0) {
            if constexpr (OneRow) run_one();
            else detail::for_each_index<false>(inner, inner.rank ? inner.rank - 1 : 0, accesses, block, run_one);
        }
        if constexpr (Kernel::reduces) detail::store_totals<Kernel, target>(sums, block.at);
    }
}

// Runs f, a loop of `elements` elements that stores through the cursors, with stores past the caches if there are many elements.
// Cached forbids such stores.
template <class Kernel, class Arch, bool Cached, class F>
TRACEXPR_INLINE void while_streaming(std::int64_t elements, cursor* cursors, F f) {
    // A flag in the plan would keep g++ 12 from compiling the two cases separately, and the cursors from registers.
    constexpr std::int64_t least = tx::detail::least_streamed(vector_target<Kernel, Arch>::lanes, this_processor);
    bool const streams = !Cached && elements >= least;
    if (streams)
        detail::for_each_line<Kernel, detail::is_contiguous_store>([&](auto line) TRACEXPR_INLINE_LAMBDA {
            cursors[Kernel::lines[line.value].b].cached = detail::register_bytes<Arch>() - 1;
        });
    f();
    if (streams) end_streams();
}

// Runs a loop. `literals` are the bits of each literal.
template <strategy Way, class Kernel, class Arch, row_facts Rows, bool OneRow>
void run_loop(walk const& outer, plan_loop const& loop, plan_access const* accesses, literal_bits const* literals,
              std::byte* const* buffers) {
    std::int64_t const elements = loop.inner.size();
    if (!Kernel::reduces && elements == 0) return;
    detail::cursors<Kernel> block;
    block.begin(accesses, buffers, loop.inner.rank);
    while_streaming<Kernel, Arch, Rows.cached>(elements * outer.size(), block.at, [&]() TRACEXPR_INLINE_LAMBDA {
        detail::for_each_index<true>(outer, outer.rank, accesses, block, [&]() TRACEXPR_INLINE_LAMBDA {
            run_block<Way, Kernel, Arch, Rows, OneRow>(loop, accesses, literals, block);
        });
    });
}

} // namespace tx::inline TRACEXPR_TARGET::simd
