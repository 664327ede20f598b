// This file holds a loop over points as a struct of numbers that is passed to threads by value, and the way in which a thread
// runs its share of the points. Its type contains integers only.
#pragma once

#include <tracexpr/thrust/index_split.hpp>
#include <tracexpr/thrust/point_lines.hpp>

namespace tx::inline TRACEXPR_TARGET::simd {

// A thread's share of a loop: the units first, first + step, ... before `last`; and of the points left over after whole units
// those with numbers left, left + left_step and so on.
struct point_share {
    std::int64_t first, step, last, left, left_step;
};

// How far a loop's accesses move along each of its inner axes, in bytes, where the compiler does not know it. known_steps is for
// where it does.
struct unknown_steps {
    static constexpr bool are_known = false;
    using next = unknown_steps;
};
template <class... OfAxes> struct known_steps {};
template <std::int64_t... Bytes> struct access_steps {};
template <std::int64_t... Bytes, class... Rest> struct known_steps<access_steps<Bytes...>, Rest...> {
    static constexpr bool are_known = true;
    TRACEXPR_HD static constexpr std::int64_t of(int access) {
        std::int64_t const bytes[]{Bytes...};
        return bytes[access];
    }
    using next = known_steps<Rest...>;
};

// Axes is the greatest number of axes. The axes before `outer` are those of results of reductions, or of rows. Local has a bit
// for each access that may be, in a row nest, to memory of the team that computes the row; the last bit stands for all further
// accesses.
template <class Kernel, int Axes, int Lanes, std::uint64_t Local = 0> struct point_loop {
    using kernel_type = Kernel;
    using place = detail::point_place<Kernel>;
    static constexpr int accesses = detail::point_accesses<Kernel>;
    static constexpr int lanes = Lanes; // the number of adjacent elements that a thread may handle at once
    static constexpr int axes = Axes > 0 ? Axes : 1;
    static constexpr bool counts = detail::counts_points<Kernel>, reduces = Kernel::reduces;
    static constexpr bool is_local = Local != 0;
    static constexpr bool may_be_local(int access) { return (Local >> (access < 63 ? access : 63) & 1) != 0; }
    static constexpr std::int64_t nowhere = -1;

    std::byte* at[accesses];
    std::int64_t index[counts ? accesses : 1];
    std::int64_t step[axes][accesses]; // in bytes
    std::int64_t index_step[axes][counts ? accesses : 1];
    std::int64_t lane_step[accesses]; // along the last axis, in bytes; for accesses that count the difference of the numbers
    literal_bits literals[detail::point_literals<Kernel>];
    split_axis axis[axes];
    std::int64_t results, points;                // the products of the extents of the axes before `outer`, and of the others
    std::int64_t local[is_local ? accesses : 1]; // offsets in the team's memory
    std::int32_t rank, outer;
    bool narrow_index; // whether results and points are counted in 32 bits
    bool vectorized;   // whether all accesses allow a unit of `lanes` points

    TRACEXPR_HD std::int64_t units() const { return vectorized ? points / lanes : points; }

    TRACEXPR_HD place begin([[maybe_unused]] std::byte* team_memory) const {
        place out;
        for (int k = 0; k < accesses; ++k) {
            out.at[k] = at[k];
            if constexpr (is_local)
                if (may_be_local(k) && local[k] != nowhere) out.at[k] = team_memory + local[k];
            if constexpr (counts) out.index[k] = index[k];
        }
        if constexpr (!counts) out.index[0] = 0;
        return out;
    }
    // Moves to a point of the axes first .. last - 1, the last of which varies fastest.
    TRACEXPR_HD TRACEXPR_INLINE void move(place& to, std::int64_t point, int first, int last) const {
        if (last - first == 1) return move_along(to, point, first);
        for (int k = axes - 1; k >= 0; --k) {
            if (k < first || k >= last) continue;
            std::int64_t coordinate = point;
            if (k > first) {
                point = quotient(point, axis[k], narrow_index);
                coordinate -= point * axis[k].extent;
                if (narrow_index) coordinate = static_cast<std::int32_t>(coordinate);
            }
            move_along(to, coordinate, k);
        }
    }
    template <int Taken>
    TRACEXPR_HD TRACEXPR_INLINE void run(place const& row, std::int64_t point, point_sums<Kernel>& sums) const {
        place here = row;
        move(here, point, outer, rank);
        typename detail::point_registers<Taken>::template type<Kernel> r;
        detail::run_point_lines<Kernel, 0, Kernel::size>(r, sums, here, {literals, lane_step},
                                                         std::make_integer_sequence<int, Taken>{});
    }
    // Reduces all points of the axes from Axis on, which have these extents, where no access counts. Steps is known_steps or
    // unknown_steps.
    template <class Steps, int Axis, std::int64_t Extent, std::int64_t... Rest>
    TRACEXPR_HD TRACEXPR_INLINE void run_known(place here, point_sums<Kernel>& sums) const {
        TRACEXPR_UNROLL
        for (std::int64_t i = 0; i < Extent; ++i) {
            if constexpr (sizeof...(Rest) > 0) {
                run_known<typename Steps::next, Axis + 1, Rest...>(here, sums);
            } else {
                typename detail::point_registers<1>::template type<Kernel> r;
                detail::run_point_lines<Kernel, 0, Kernel::size>(r, sums, here, {literals, lane_step},
                                                                 std::make_integer_sequence<int, 1>{});
            }
            if constexpr (Steps::are_known)
                for (int a = 0; a < accesses; ++a) here.at[a] += Steps::of(a);
            else move_along(here, 1, Axis);
        }
    }
    TRACEXPR_HD void run_share(place const& row, point_share const& share, point_sums<Kernel>& sums) const {
        point_share rest = share;
        if constexpr (lanes > 1) {
            if (vectorized) {
                run_units<lanes>(row, share, sums);
                rest = {points / lanes * lanes + share.left, share.left_step, points, 0, 0};
            }
        }
        run_units<1>(row, rest, sums);
    }

private:
    TRACEXPR_HD TRACEXPR_INLINE void move_along(place& to, std::int64_t coordinate, int number) const {
        for (int a = 0; a < accesses; ++a) {
            to.at[a] += coordinate * step[number][a];
            if constexpr (counts) to.index[a] += coordinate * index_step[number][a];
        }
    }
    // Sums of many terms are sums of partial sums, because rounding errors grow with a sum's length. Several units are run at a
    // time, so that a thread waits for all their loads together.
    template <int Taken> TRACEXPR_HD void run_units(place const& row, point_share const& share, point_sums<Kernel>& sums) const {
        constexpr int block = 64;
        std::int64_t unit = share.first;
        if constexpr (reduces && !Kernel::is_long) {
            point_sums<Kernel> part;
            part.reset();
            int count = 0;
            for (; unit + 3 * share.step < share.last; unit += 4 * share.step) {
                run<Taken>(row, unit * Taken, part);
                run<Taken>(row, (unit + share.step) * Taken, part);
                run<Taken>(row, (unit + 2 * share.step) * Taken, part);
                run<Taken>(row, (unit + 3 * share.step) * Taken, part);
                if (++count < block) continue;
                sums.merge(part);
                part.reset();
                count = 0;
            }
            sums.merge(part);
        }
        while (unit < share.last) {
            point_sums<Kernel> part;
            part.reset();
            for (int k = 0; k < block && unit < share.last; ++k, unit += share.step) run<Taken>(row, unit * Taken, part);
            sums.merge(part);
        }
    }
};

} // namespace tx::inline TRACEXPR_TARGET::simd
