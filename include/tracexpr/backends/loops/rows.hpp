// This file runs kernels along a row, and holds the sums of rows and of columns. Sums go block by block into a cascade (pairwise
// summation; Higham, Accuracy and Stability of Numerical Algorithms, 4.2), so their error grows with the logarithm of the length.
#pragma once

#include <tracexpr/backends/loops/kernel.hpp>
#include <tracexpr/passes/plan_tables.hpp>

#include <algorithm>
#include <bit>

namespace tx::inline TRACEXPR_TARGET::simd {

// vector_target is the target whose vectors hold as many of the kernel's widest elements as fit in a register of Arch.
template <class Kernel, class Arch> using vector_target =
    target<detail::register_bytes<Arch>() / Kernel::widest, Kernel::widest, Arch>;

namespace detail {
// Splits the lanes of a value into halves.
template <class T, int W, int MaskBytes, class V> TRACEXPR_INLINE auto halves(V const& v) {
    using half = value<T, W / 2, MaskBytes>;
    if constexpr (is_placed<V>) {
        auto const [best, more] = halves<T, W, MaskBytes>(v.best);
        auto const [at, later] = halves<typename V::counter, W, MaskBytes>(v.position);
        using half_placed = placed<T, W / 2, MaskBytes>;
        return std::pair<half_placed, half_placed>({best, at}, {more, later});
    } else if constexpr (is_vectorizable<T> && W <= 16) {
        return std::pair<half, half>(slice<0, W / 2>(v), slice<W / 2, W / 2>(v));
    } else {
        T some[W];
        store_value<T, W>(some, v);
        return std::pair<half, half>(load_value<T, W / 2, MaskBytes>(some), load_value<T, W / 2, MaskBytes>(some + W / 2));
    }
}
// A strip of columns is read along its rows, a few vectors side by side; its sums stay in the cache.
inline constexpr int strip_vectors = 32;

} // namespace detail

// Combines all lanes of v, halves first.
template <class Target, op Code, class T, class V> TRACEXPR_INLINE auto across(V const& v) {
    constexpr int W = Target::lanes;
    if constexpr (W == 1) {
        return detail::result_of(v);
    } else {
        using half_target = target<W / 2, Target::mask_bytes, typename Target::arch>;
        auto const [low, high] = detail::halves<T, W, Target::mask_bytes>(v);
        return across<half_target, Code, T>(detail::combine<half_target, Code, T>(low, high));
    }
}

// Combines partial results of equal weight in pairs, like the digits of a binary counter.
template <class Target, op Code, class T> class cascade {
    using V = detail::accumulated<Target, Code, T>;

public:
    TRACEXPR_INLINE void push(V v) {
        if (count_ & 1) {
            v = detail::combine<Target, Code, T>(first_, v);
            int level = 0;
            for (std::uint64_t digits = count_ >> 1; digits & 1; digits >>= 1)
                v = detail::combine<Target, Code, T>(levels_[level++], v);
            levels_[level] = v;
        } else {
            first_ = v;
        }
        ++count_;
    }
    // Acts as if all that was pushed to `more` were pushed here. The bits of the count here that are below the highest bit of
    // more's count must be 0.
    TRACEXPR_INLINE void append(cascade const& more) {
        for (int from = static_cast<int>(std::bit_width(more.count_)) - 1; from >= 0; --from) {
            if (!(more.count_ >> from & 1)) continue;
            V v = more.level(from);
            int to = from;
            for (std::uint64_t digits = count_ >> from; digits & 1; digits >>= 1)
                v = detail::combine<Target, Code, T>(level(to++), v);
            (to ? levels_[to - 1] : first_) = v;
            count_ += std::uint64_t{1} << from;
        }
    }
    TRACEXPR_INLINE auto total() const { return across<Target, Code, T>(lanes_total()); }
    // Combines all partial results, lane by lane.
    TRACEXPR_INLINE V lanes_total() const {
        if (count_ == 1) return first_; // the row was short
        V v = first_;
        bool first = !(count_ & 1);
        int level = 0;
        for (std::uint64_t digits = count_ >> 1; digits; digits >>= 1, ++level)
            if (digits & 1) v = first ? levels_[level] : detail::combine<Target, Code, T>(levels_[level], v), first = false;
        return v;
    }
    TRACEXPR_INLINE void clear() {
        first_ = detail::first_of<Target, Code, T>(); // the result if nothing is pushed
        count_ = 0;
    }

private:
    TRACEXPR_INLINE V const& level(int k) const { return k ? levels_[k - 1] : first_; }

    V first_; // Level 0 has a member of its own: most rows need no other level, and it stays in a register.
    V levels_[40];
    std::uint64_t count_ = 0;
};

namespace detail {
template <class Kernel, class Target, int I, bool IsReduce> struct cascade_type {
    using type = nothing;
};
template <class Kernel, class Target, int I> struct cascade_type<Kernel, Target, I, true> {
    using type = cascade<Target, Kernel::lines[I].code, reduced_type<Kernel, I>>;
};
template <class Kernel, class Target, int I> struct cascade_of {
    using type = typename cascade_type<Kernel, Target, I, Kernel::lines[I].role == role::reduce>::type;
};
template <class Kernel, class Target> using cascades = slots<cascade_of, Kernel, Target, line_numbers<Kernel>>;

template <class Kernel, class Target> TRACEXPR_INLINE void reset(accumulators<Kernel, Target>& acc) {
    for_each_line<Kernel, is_reduction>([&](auto line) TRACEXPR_INLINE_LAMBDA {
        constexpr int I = line.value;
        at<I>(acc) = first_of<Target, Kernel::lines[I].code, reduced_type<Kernel, I>>();
    });
}
template <class Kernel, class Target>
TRACEXPR_INLINE void merge(accumulators<Kernel, Target>& into, accumulators<Kernel, Target> const& from) {
    for_each_line<Kernel, is_reduction>([&](auto line) TRACEXPR_INLINE_LAMBDA {
        constexpr int I = line.value;
        at<I>(into) = combine<Target, Kernel::lines[I].code, reduced_type<Kernel, I>>(at<I>(into), at<I>(from));
    });
}
// Combines all accumulators into the first, in pairs.
template <class Kernel, class Target, int U> TRACEXPR_INLINE void merge_all(accumulators<Kernel, Target> (&acc)[U]) {
    if constexpr (U > 3) merge<Kernel, Target>(acc[2], acc[3]);
    if constexpr (U > 1) merge<Kernel, Target>(acc[0], acc[1]);
    if constexpr (U > 2) merge<Kernel, Target>(acc[0], acc[2]);
}
template <class Kernel, class Target>
TRACEXPR_INLINE void push(cascades<Kernel, Target>& sums, accumulators<Kernel, Target> const& acc) {
    for_each_line<Kernel, is_reduction>([&](auto line)
                                            TRACEXPR_INLINE_LAMBDA { at<line.value>(sums).push(at<line.value>(acc)); });
}

// Runs the body for U vectors side by side. `fixed` holds the lines that don't depend on the position.
template <class Kernel, class Target, lanes_used Used, int Step, int U>
TRACEXPR_INLINE void run_bodies(invariants<Kernel, Target> const& fixed, accumulators<Kernel, Target>* acc, cursor const* cursors,
                                literal_bits const* literals, std::int64_t const (&positions)[U], std::int64_t count) {
    varying<Kernel, Target> r[U];
    run_lines<Kernel, Target, lines_of_row<false>, Used, Step>(fixed, r, acc, cursors, literals, positions, count);
}
template <class Kernel, class Target, lanes_used Used, int Step = 0>
TRACEXPR_INLINE void run_body(invariants<Kernel, Target> const& fixed, accumulators<Kernel, Target>& acc, cursor const* cursors,
                              literal_bits const* literals, std::int64_t i, std::int64_t count) {
    run_bodies<Kernel, Target, Used, Step, 1>(fixed, &acc, cursors, literals, {i}, count);
}
// Computes the lines that don't depend on the position.
template <class Kernel, class Target>
TRACEXPR_INLINE invariants<Kernel, Target> run_invariants(cursor const* cursors, literal_bits const* literals) {
    invariants<Kernel, Target> fixed;
    nothing none[1];
    run_lines<Kernel, Target, lines_of_row<true>, lanes_used::all, 0>(fixed, none, none, cursors, literals, {0}, Target::lanes);
    return fixed;
}

struct nothing_ahead {
    TRACEXPR_INLINE void operator()(std::int64_t) const {}
};

// True if all stores of the kernel are of one kind, so that for a whole row either all or none of them go past the caches. Other
// kernels decide at each store.
template <class Kernel> inline constexpr bool may_stream = [] {
    bool stores = false;
    for (kernel_line const& l : Kernel::lines) {
        if (l.role != role::store) continue;
        stores = true;
        if (l.mode != access_mode::contiguous || l.type == dtype::boolean || is_compound(l.type) ||
            static_cast<int>(size_in_bytes(l.type)) != Kernel::widest)
            return false;
    }
    return stores && !Kernel::is_long && !Kernel::skips;
}();
// True if all stores of the row go past the caches.
template <class Kernel> TRACEXPR_INLINE bool streams_row(cursor const* cursors) {
    bool all = true;
    for_each_line<Kernel, is_contiguous_store>([&](auto line) TRACEXPR_INLINE_LAMBDA {
        cursor const& c = cursors[Kernel::lines[line.value].b];
        all = all && (reinterpret_cast<std::uintptr_t>(c.at) & c.cached) == 0;
    });
    return all;
}

// True if the kernel's loads and stores are as fast for some lanes of a vector as for all of them.
template <class Kernel, int W> inline constexpr bool masks_rows = [] {
    if (Kernel::skips) return false;
    for (kernel_line const& l : Kernel::lines) {
        if (l.role != role::load && l.role != role::store) continue;
        if (!with_element(l.type, []<class T>(T const&) { return masks_memory<T, W>; })) return false;
    }
    return true;
}();

// True if one body, which can also do fewer lanes than all, computes the remaining vectors of a row of a long program one at a
// time, or all of a short row. Nests don't use it: their next loop reads the row soon, and would wait for the masked stores.
template <class Kernel, int W, row_facts Rows, class Ahead> inline constexpr bool masks_rest =
    Kernel::is_long && !Kernel::reduces && !Rows.overwritten && Rows.has_remainder && std::is_same_v<Ahead, nothing_ahead> &&
    masks_rows<Kernel, W>;

// Runs a row of at least a vector, or of fewer elements if masks_rest holds. Step is as for run_line, and `ahead` as for run_row.
template <class Kernel, class Arch, row_facts Rows, int Step, class Ahead>
TRACEXPR_INLINE void run_vectors(invariants<Kernel, vector_target<Kernel, Arch>> const& fixed, cursor const* cursors,
                                 literal_bits const* literals, std::int64_t n,
                                 cascades<Kernel, vector_target<Kernel, Arch>>& sums, Ahead ahead) {
    using target = vector_target<Kernel, Arch>;
    using used = lanes_used;
    constexpr int W = target::lanes, U = Kernel::unroll;
    constexpr bool is_nest = !std::is_same_v<Ahead, nothing_ahead>; // a nest keeps its rows in the cache
    constexpr bool asks_once = may_stream<Kernel> && !is_nest && !Rows.cached;
    // Nests don't use masked stores: their next loop reads the row soon, and would wait for them.
    constexpr bool is_cut = Rows.overwritten || (!is_nest && !Kernel::reduces && masks_rows<Kernel, W>);
    constexpr used whole = is_nest || Rows.cached || asks_once ? used::all_cached : used::all;
    accumulators<Kernel, target> acc[U];
    std::int64_t i = 0;
    auto const run_all = [&]<int... K>(std::integer_sequence<int, K...>) TRACEXPR_INLINE_LAMBDA {
        // Storing an element again does no harm, unless the store overwrites an operand: so the last vectors overlap elements
        // that are done.
        if constexpr (Kernel::is_long && !Kernel::reduces && !Rows.overwritten) {
            constexpr bool masks = masks_rest<Kernel, W, Rows, Ahead>;
            for (; masks ? i + U * W <= n : i < n; i += U * W) {
                (ahead(i + K * W), ...);
                run_bodies<Kernel, target, whole, Step, U>(fixed, acc, cursors, literals,
                                                           {(masks ? i + K * W : std::min(i + K * W, n - W))...}, W);
            }
            if constexpr (masks)
                for (; i < n; i += W)
                    run_body<Kernel, target, used::first, Step>(fixed, acc[0], cursors, literals, i,
                                                                std::min<std::int64_t>(n - i, W));
            return;
        }
        do {
            std::int64_t const last = Kernel::reduces && n - i > block_vectors * U * W ? i + block_vectors * U * W : n;
            for (auto& a : acc) reset<Kernel, target>(a);
            // For stride 2 whole vectors are loaded, which reach beyond the last element that is needed.
            std::int64_t const main_end = Step == 2 && last == n ? last - 1 : last;
            auto const run_main = [&]<used Used>(std::integral_constant<used, Used>) TRACEXPR_INLINE_LAMBDA {
#ifndef __NVCC__     // nvcc warns of the pragma
#pragma GCC unroll 1 // g++ 12 would walk a short row of known length once for each accumulator
#endif
                for (; i + U * W <= main_end; i += U * W) {
                    (ahead(i + K * W), ...);
                    run_bodies<Kernel, target, Used, Step, U>(fixed, acc, cursors, literals, {(i + K * W)...}, W);
                }
            };
            if constexpr (asks_once && Rows.has_unrolled)
                if (streams_row<Kernel>(cursors)) run_main(std::integral_constant<used, used::all_streamed>{});
            if constexpr (Rows.has_unrolled) run_main(std::integral_constant<used, whole>{});
            // Long programs mask the lanes of the last vectors instead, because another copy of the body would cost more.
            if constexpr (Rows.has_remainder && (is_cut || (Kernel::reduces && !Kernel::is_long))) { // nvcc 13 needs the braces
                for (; i + W <= main_end; i += W) {
                    ahead(i);
                    run_body<Kernel, target, whole, Step>(fixed, acc[0], cursors, literals, i, W);
                }
            }
            for (; Rows.has_remainder && i < last;
                 i += W) { // sums leave out the lanes that the last vector shares with the one before
                std::int64_t const from = i + W <= n ? i : n - W;
                ahead(from);
                if constexpr (is_cut)
                    run_body<Kernel, target, used::first, Step>(fixed, acc[0], cursors, literals, i,
                                                                std::min<std::int64_t>(n - i, W));
                else run_body<Kernel, target, used::last, Step>(fixed, acc[0], cursors, literals, from, W - (i - from));
            }
            if constexpr (Kernel::reduces) {
                merge_all<Kernel, target>(acc);
                push<Kernel, target>(sums, acc[0]);
            }
        } while (i < n);
    };
    run_all(std::make_integer_sequence<int, U>{});
}
} // namespace detail

// Runs elements 0 .. n - 1 of a row, which is not empty. Without reductions `sums` is not used. ahead(i) prefetches what will be
// needed after the elements from i on.
template <class Kernel, class Arch, row_facts Rows = row_facts{}, class Ahead = detail::nothing_ahead>
TRACEXPR_INLINE void run_row(cursor const* cursors, literal_bits const* literals, std::int64_t n,
                             detail::cascades<Kernel, vector_target<Kernel, Arch>>& sums, Ahead ahead = {}) {
    using target = vector_target<Kernel, Arch>;
    constexpr int W = target::lanes;
    auto const fixed = detail::run_invariants<Kernel, target>(cursors, literals);
    constexpr bool is_short = !Rows.has_unrolled && !Rows.has_remainder;
    if constexpr (!Rows.has_vector && !detail::masks_rest<Kernel, W, Rows, Ahead>) {
        if (is_short || n < W) {
            detail::accumulators<Kernel, target> acc;
            detail::reset<Kernel, target>(acc);
            detail::run_body<Kernel, target, detail::lanes_used::first>(fixed, acc, cursors, literals, 0, n);
            if constexpr (Kernel::reduces) detail::push<Kernel, target>(sums, acc);
            return;
        }
    }
    if constexpr (is_short) {
        return;
    } else if constexpr (Kernel::skips && !Kernel::is_long) {
        switch (detail::common_step<Kernel>(cursors)) {
        case 2: return detail::run_vectors<Kernel, Arch, Rows, 2>(fixed, cursors, literals, n, sums, ahead);
        case 3: return detail::run_vectors<Kernel, Arch, Rows, 3>(fixed, cursors, literals, n, sums, ahead);
        case -1: return detail::run_vectors<Kernel, Arch, Rows, -1>(fixed, cursors, literals, n, sums, ahead);
        default: return detail::run_vectors<Kernel, Arch, Rows, 1>(fixed, cursors, literals, n, sums, ahead);
        }
    } else {
        detail::run_vectors<Kernel, Arch, Rows, 0>(fixed, cursors, literals, n, sums, ahead);
    }
}

// True if a row of N elements is so short that its vectors are no wider than the row, and no loop is generated.
template <class Kernel, class Arch, std::int64_t N> inline constexpr bool is_short_row =
    Kernel::facts.is_short_row(N, detail::register_bytes<Arch>() / Kernel::widest, this_processor.short_row_cost);
namespace detail {
// Runs vectors First + K of the row, side by side.
template <class Kernel, class Target, int First, int... K>
TRACEXPR_INLINE void run_group(invariants<Kernel, Target> const& fixed, accumulators<Kernel, Target>* acc, cursor const* cursors,
                               literal_bits const* literals) {
    run_bodies<Kernel, Target, lanes_used::all_cached, 0>(fixed, acc, cursors, literals, {(First + K) * Target::lanes...},
                                                          Target::lanes);
}
} // namespace detail
// Runs a row of N elements, where N is known and the row is a single block, so that its sums need no cascade.
template <class Kernel, class Arch, std::int64_t N, bool Overwritten = false, class Ahead = detail::nothing_ahead>
TRACEXPR_INLINE void run_known_row(cursor const* cursors, literal_bits const* literals, [[maybe_unused]] Ahead ahead = {}) {
    using used = detail::lanes_used;
    constexpr bool is_short = is_short_row<Kernel, Arch, N>;
    constexpr std::int64_t native = detail::register_bytes<Arch>() / Kernel::widest;
    constexpr std::int64_t W = N >= native ? native : std::int64_t{1} << (std::bit_width(static_cast<std::uint64_t>(N)) - 1);
    using row_target = target<static_cast<int>(W), Kernel::widest, Arch>;
    constexpr int whole = static_cast<int>(N / W);
    auto const fixed = detail::run_invariants<Kernel, row_target>(cursors, literals);
    // U vectors are computed side by side, as none is read again after another is stored.
    constexpr int U = !is_short ? Kernel::unroll : whole % 4 == 0 ? 4 : whole % 3 == 0 ? 3 : whole % 2 == 0 ? 2 : 1;
    constexpr int groups = whole / U;
    detail::accumulators<Kernel, row_target> acc[U];
    [&]<int... K>(std::integer_sequence<int, K...>) TRACEXPR_INLINE_LAMBDA {
        if constexpr (Kernel::reduces) (detail::reset<Kernel, row_target>(acc[K]), ...);
        if constexpr (is_short) {
            [&]<int... Group>(std::integer_sequence<int, Group...>) TRACEXPR_INLINE_LAMBDA {
                (detail::run_group<Kernel, row_target, U * Group, K...>(fixed, acc, cursors, literals), ...);
            }(std::make_integer_sequence<int, groups>{});
        } else {
#ifndef __NVCC__     // nvcc warns of the pragma
#pragma GCC unroll 1 // g++ 12 would walk the row once for each accumulator
#endif
            for (std::int64_t i = 0; i < groups * U * W; i += U * W) {
                (ahead(i + K * W), ...);
                detail::run_bodies<Kernel, row_target, used::all_cached, 0, U>(fixed, acc, cursors, literals, {(i + K * W)...},
                                                                               W);
            }
        }
    }(std::make_integer_sequence<int, U>{});
    [&]<int... K>(std::integer_sequence<int, K...>) TRACEXPR_INLINE_LAMBDA {
        (ahead((groups * U + K) * W), ...);
        if constexpr (sizeof...(K) > 0) detail::run_group<Kernel, row_target, groups * U, K...>(fixed, acc, cursors, literals);
    }(std::make_integer_sequence<int, whole - groups * U>{});
    if constexpr (N % W != 0) ahead(N - N % W);
    if constexpr (std::has_single_bit(static_cast<std::uint64_t>(N % W)) && !Kernel::reduces) {
        // A narrower vector computes the rest, because overlapping stores would delay the next reads of the row.
        using tail_target = target<static_cast<int>(N % W), Kernel::widest, Arch>;
        detail::accumulators<Kernel, tail_target> none;
        detail::run_body<Kernel, tail_target, used::all>(detail::run_invariants<Kernel, tail_target>(cursors, literals), none,
                                                         cursors, literals, N - N % W, N % W);
    } else if constexpr (N % W != 0 && Overwritten) {
        detail::run_body<Kernel, row_target, used::first>(fixed, acc[0], cursors, literals, N - N % W, N % W);
    } else if constexpr (N % W != 0) {
        detail::run_body<Kernel, row_target, used::last>(fixed, acc[0], cursors, literals, N - W, N % W);
    }
    if constexpr (Kernel::reduces) detail::merge_all<Kernel, row_target>(acc);
    detail::for_each_line<Kernel, detail::is_reduction>([&](auto line) TRACEXPR_INLINE_LAMBDA {
        constexpr kernel_line l = Kernel::lines[line.value];
        *detail::element_pointer<ctype<l.type>>(cursors[l.b]) =
            across<row_target, l.code, detail::reduced_type<Kernel, line.value>>(detail::at<line.value>(acc[0]));
    });
}

} // namespace tx::inline TRACEXPR_TARGET::simd
