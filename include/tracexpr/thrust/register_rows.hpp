// This file runs row nests whose loops pass a row's elements on in registers: each thread of a team has the same elements of a
// row in all loops, so it reads and writes memory once and waits for the others in reductions only. The types contain integers
// only.
#pragma once

#include <tracexpr/thrust/point_loop.hpp>

namespace tx::inline TRACEXPR_TARGET::simd {

// A thread's elements of a row: `Units` units of `Lanes` adjacent elements, where a team's threads have adjacent units. Full: the
// row has exactly as many elements as that; else it may have fewer.
template <int Threads, int Units, int Lanes, bool Full> struct row_share {
    static constexpr int threads = Threads, units = Units, lanes = Lanes;
    static constexpr bool is_row = true;
    std::int32_t rank, elements;
    TRACEXPR_HD TRACEXPR_INLINE std::int32_t position(int unit, int lane) const { return (unit * Threads + rank) * Lanes + lane; }
    TRACEXPR_HD TRACEXPR_INLINE bool has(int unit) const { return Full || position(unit, 0) < elements; }
    TRACEXPR_HD TRACEXPR_INLINE bool stores(int unit) const { return has(unit); }
    // Does any thread have elements in that unit?
    TRACEXPR_HD TRACEXPR_INLINE bool reaches(int unit) const { return Full || unit * Threads * Lanes < elements; }
};
// The share for values that exist once for a row: all threads compute them, one stores them.
template <class Row> struct single_share {
    static constexpr int threads = Row::threads, units = 1, lanes = 1;
    static constexpr bool is_row = false;
    std::int32_t rank, elements;
    TRACEXPR_HD TRACEXPR_INLINE std::int32_t position(int, int) const { return 0; }
    TRACEXPR_HD TRACEXPR_INLINE bool has(int) const { return true; }
    TRACEXPR_HD TRACEXPR_INLINE bool stores(int) const { return rank == 0; }
    TRACEXPR_HD TRACEXPR_INLINE bool reaches(int) const { return true; }
};

// The coordinates of a row along the outer axes.
template <int Rank> struct row_place {
    std::int32_t coordinate[Rank > 0 ? Rank : 1];

    template <class Loop> TRACEXPR_HD TRACEXPR_INLINE row_place(Loop const& loop, std::int64_t row) {
        take_apart<Rank - 1>(loop, row);
    }
    template <int Axis, class Loop> TRACEXPR_HD TRACEXPR_INLINE void move(Loop const& loop, typename Loop::place& to) const {
        if constexpr (Axis < Rank) {
            for (int a = 0; a < Loop::accesses; ++a) {
                to.at[a] += coordinate[Axis] * loop.step[Axis][a];
                if constexpr (Loop::counts) to.index[a] += coordinate[Axis] * loop.index_step[Axis][a];
            }
            move<Axis + 1>(loop, to);
        }
    }

private:
    template <int Axis, class Loop> TRACEXPR_HD TRACEXPR_INLINE void take_apart(Loop const& loop, std::int64_t row) {
        if constexpr (Axis <= 0) {
            coordinate[0] = static_cast<std::int32_t>(row);
        } else {
            std::int64_t const before = quotient(row, loop.axis[Axis], loop.narrow_index);
            coordinate[Axis] = static_cast<std::int32_t>(row - before * loop.axis[Axis].extent);
            take_apart<Axis - 1>(loop, before);
        }
    }
};

// The values that are held in registers from loop to loop. A word is twice the dtype, plus one where there is one value for the
// row.
constexpr int held_word(dtype type, bool is_single) { return static_cast<int>(type) * 2 + is_single; }
template <int Count, class Numbers, int... Words> struct held_in;
template <int Count, int... I, int... Words> struct held_in<Count, std::integer_sequence<int, I...>, Words...>
    : detail::slot<I, detail::lane_values<ctype<static_cast<dtype>(Words / 2)>, Words % 2 ? 1 : Count>>... {};
template <int... Words> struct held_list {
    template <class Share> using registers =
        held_in<Share::units * Share::lanes, std::make_integer_sequence<int, sizeof...(Words)>, Words...>;
};

// A loop, and for each of its lines which held value it reads or writes, and whether it also reads or writes memory: 2 (held + 1)
// + in_memory.
constexpr int link_word(int held, bool in_memory) { return 2 * (held + 1) + in_memory; }
template <class Loop, bool IsRow, int... Words> struct linked_loop {
    using loop_type = Loop;
    static constexpr bool is_row = IsRow;
    static constexpr int words[sizeof...(Words)]{Words...};
    static constexpr int held(int line) { return words[line] / 2 - 1; }
    static constexpr bool in_memory(int line) { return words[line] % 2 != 0; }
    Loop loop;
};

// Runs one loop on one row, as one thread.
template <class Linked, class Share, class Held> class row_pass {
    using loop_type = typename Linked::loop_type;
    using kernel_type = typename loop_type::kernel_type;
    using registers = typename detail::point_registers<Share::lanes>::template type<kernel_type>;
    static constexpr int lines = kernel_type::size, lanes = Share::lanes;
    static constexpr kernel_line const& line(int number) { return kernel_type::lines[number]; }
    static constexpr bool is_fixed(int number) { return kernel_type::invariant.of[number]; }
    // With shorter rows units that no thread has are skipped, this many together in all loops, so the code for these has no
    // branches.
    static constexpr int together = 4;
    static constexpr bool is_loaded(int number) { return line(number).role == role::load && Linked::in_memory(number); }

    // The number of units that a thread loads before it computes: enough to keep memory busy, and few enough for the registers.
    static constexpr int group = [] {
        constexpr int words = 64;
        int of_unit = 0;
        for (int k = 0; k < lines; ++k)
            if (is_loaded(k) && !is_fixed(k)) of_unit += (static_cast<int>(size_in_bytes(line(k).type)) * lanes + 3) / 4;
        int const fitting = of_unit > 0 ? words / of_unit : Share::units;
        return fitting >= Share::units ? Share::units : fitting >= together ? fitting / together * together : fitting > 1 ? 2 : 1;
    }();

public:
    template <int Rank>
    TRACEXPR_HD TRACEXPR_INLINE row_pass(Linked const& of, row_place<Rank> const& row, Share const& share, Held& held)
        : loop_{of.loop}, share_{share}, held_{held}, at_{of.loop.begin(nullptr)} {
        row.template move<0>(of.loop, at_);
    }
    template <class Team> TRACEXPR_HD TRACEXPR_INLINE void run(Team const& team) {
        load_fixed<0>();
        if constexpr (kernel_type::reduces) sums_.reset();
        run_groups<0>();
        if constexpr (kernel_type::reduces) {
            team.merge(sums_);
            keep_sums<0>();
        }
    }

private:
    template <int First> TRACEXPR_HD TRACEXPR_INLINE void run_groups() {
        constexpr int count = Share::units - First < group ? Share::units - First : group;
        load_units<First, count>();
        run_units<First, count>();
        if constexpr (First + count < Share::units)
            if ((First + count) % together != 0 || share_.reaches(First + count)) run_groups<First + count>();
    }
    template <int First, int Count> TRACEXPR_HD TRACEXPR_INLINE void load_units() {
        if constexpr (Count <= together) {
            TRACEXPR_UNROLL
            for (int unit = First; unit < First + Count; ++unit) load_unit<0>(unit);
        } else {
            load_units<First, together>();
            if (share_.reaches(First + together)) load_units<First + together, Count - together>();
        }
    }
    template <int First, int Count> TRACEXPR_HD TRACEXPR_INLINE void run_units() {
        if constexpr (Count <= together) {
            TRACEXPR_UNROLL
            for (int unit = First; unit < First + Count; ++unit) {
                registers r;
                run_lines<0, lines>(unit, r);
            }
        } else {
            run_units<First, together>();
            if (share_.reaches(First + together)) run_units<First + together, Count - together>();
        }
    }
    template <int First, int Count> TRACEXPR_HD TRACEXPR_INLINE void run_lines(int unit, registers& r) {
        if constexpr (Count == 1) {
            run_line<First>(unit, r, std::make_integer_sequence<int, lanes>{});
        } else {
            run_lines<First, Count / 2>(unit, r);
            run_lines<First + Count / 2, Count - Count / 2>(unit, r);
        }
    }

    template <int I> static constexpr bool is_dense = Share::is_row && line(I).mode == access_mode::contiguous;
    template <int I> TRACEXPR_HD TRACEXPR_INLINE std::byte* address(int unit, int lane = 0) const {
        constexpr int access = access_of(line(I));
        if constexpr (is_dense<I>)
            return at_.at[access] + share_.position(unit, lane) * static_cast<int>(sizeof(ctype<line(I).type>));
        else return at_.at[access] + share_.position(unit, lane) * loop_.lane_step[access];
    }

    template <int I> TRACEXPR_HD TRACEXPR_INLINE void load_fixed() {
        if constexpr (I < lines) {
            if constexpr (is_loaded(I) && is_fixed(I))
                detail::value_at<Linked::held(I)>(held_).of[0] = detail::load_element<ctype<line(I).type>>(at_.at[line(I).a]);
            load_fixed<I + 1>();
        }
    }
    template <int I> TRACEXPR_HD TRACEXPR_INLINE void load_unit(int unit) {
        if constexpr (I < lines) {
            if constexpr (is_loaded(I) && !is_fixed(I)) load_line<I>(unit, std::make_integer_sequence<int, lanes>{});
            load_unit<I + 1>(unit);
        }
    }
    template <int I, int... Lane> TRACEXPR_HD TRACEXPR_INLINE void load_line(int unit, std::integer_sequence<int, Lane...>) {
        using T = ctype<line(I).type>;
        auto& to = detail::value_at<Linked::held(I)>(held_);
        if (!share_.has(unit)) {
            ((to.of[unit * lanes + Lane] = T{}), ...);
        } else if constexpr (is_dense<I> && lanes > 1) {
            detail::element_pack<T, lanes> const loaded = detail::load_pack<T, lanes>(address<I>(unit));
            ((to.of[unit * lanes + Lane] = loaded.of[Lane]), ...);
        } else {
            ((to.of[unit * lanes + Lane] = detail::load_element<T>(address<I>(unit, Lane))), ...);
        }
    }

    template <int I, int... Lane>
    TRACEXPR_HD TRACEXPR_INLINE void run_line(int unit, registers& r, std::integer_sequence<int, Lane...> all) {
        constexpr kernel_line l = line(I);
        using T = ctype<l.type>;
        if constexpr (l.role == role::reduce) {
            T& sum = detail::value_at<I>(sums_);
            T const more = detail::combined_lanes<kernel_type, I, 0, lanes>(r);
            if (share_.has(unit)) sum = static_cast<T>(apply<info(l.code).combines.by>(sum, more));
        } else if constexpr (l.role == role::store) {
            store_line<I>(unit, r, all);
        } else if constexpr (is_fixed(I)) {
            detail::value_at<I>(r).of[0] = value<I>(unit, r, 0);
        } else {
            ((detail::value_at<I>(r).of[Lane] = value<I>(unit, r, Lane)), ...);
        }
    }
    template <int I> TRACEXPR_HD TRACEXPR_INLINE auto value(int unit, registers const& r, int lane) const {
        constexpr kernel_line l = line(I);
        using T = ctype<l.type>;
        if constexpr (l.role == role::load) {
            return detail::value_at<Linked::held(I)>(held_).of[is_fixed(I) ? 0 : unit * lanes + lane];
        } else if constexpr (l.role == role::literal) {
            return from_literal<T>(loop_.literals[l.a].low, loop_.literals[l.a].high);
        } else if constexpr (l.role == role::compute) {
            return detail::compute_lane<kernel_type, I>(r, lane);
        } else if constexpr (l.role == role::index) {
            return cast_element<T>(at_.index[l.a] + share_.position(unit, lane) * loop_.lane_step[l.a]);
        } else if constexpr (l.role == role::place) {
            return share_.has(unit) ? detail::place_of_index(detail::load_element<T>(address<I>(unit, lane)), loop_.literals[l.c])
                                    : std::int64_t{0};
        } else {
            static_assert(l.role == role::lookup);
            std::int64_t const off = detail::lane_value<kernel_type, l.a>(r, lane) * static_cast<std::int64_t>(sizeof(T));
            return share_.has(unit) ? detail::load_element<T>(address<I>(unit, lane) + off) : T{};
        }
    }
    template <int I, int... Lane>
    TRACEXPR_HD TRACEXPR_INLINE void store_line(int unit, registers const& r, std::integer_sequence<int, Lane...>) {
        constexpr kernel_line l = line(I);
        using T = ctype<l.type>;
        if constexpr (Linked::held(I) >= 0) {
            auto& to = detail::value_at<Linked::held(I)>(held_);
            ((to.of[Share::is_row ? unit * lanes + Lane : 0] = detail::lane_value<kernel_type, l.a>(r, Lane)), ...);
        }
        if constexpr (Linked::in_memory(I)) {
            if (!share_.stores(unit)) return;
            if constexpr (is_dense<I> && lanes > 1)
                detail::store_pack(address<I>(unit),
                                   detail::element_pack<T, lanes>{{T(detail::lane_value<kernel_type, l.a>(r, Lane))...}});
            else (detail::store_element<T>(address<I>(unit, Lane), detail::lane_value<kernel_type, l.a>(r, Lane)), ...);
        }
    }
    template <int I> TRACEXPR_HD TRACEXPR_INLINE void keep_sums() {
        if constexpr (I < lines) {
            if constexpr (line(I).role == role::reduce) {
                auto const& sum = detail::value_at<I>(sums_);
                if constexpr (Linked::held(I) >= 0) detail::value_at<Linked::held(I)>(held_).of[0] = sum;
                if constexpr (Linked::in_memory(I))
                    if (share_.rank == 0) detail::store_element<ctype<line(I).type>>(at_.at[line(I).b], sum);
            }
            keep_sums<I + 1>();
        }
    }

    loop_type const& loop_;
    Share share_;
    Held& held_;
    typename loop_type::place at_;
    point_sums<kernel_type> sums_;
};

// The work of a team on a row: all loops of the nest.
template <class... Linked> struct linked_loops;
template <> struct linked_loops<> {
    template <class Share, class Team, class Place, class Held>
    TRACEXPR_HD TRACEXPR_INLINE void run(Team const&, Place const&, Share const&, Held&) const {}
};
template <class Linked, class... Rest> struct linked_loops<Linked, Rest...> {
    Linked first;
    linked_loops<Rest...> rest;

    TRACEXPR_CALLS_HOST
    template <class Share, class Team, class Place, class Held>
    TRACEXPR_HD TRACEXPR_INLINE void run(Team const& team, Place const& row, Share const& share, Held& held) const {
        using share_type = std::conditional_t<Linked::is_row, Share, single_share<Share>>;
        row_pass<Linked, share_type, Held>(first, row, {share.rank, share.elements}, held).run(team);
        rest.run(team, row, share, held);
    }
};
template <class Share, int Rank, class HeldList, class... Linked> struct register_rows {
    static constexpr bool is_single = false;
    static constexpr int threads = Share::threads;
    linked_loops<Linked...> loops;
    std::int32_t elements;

    TRACEXPR_CALLS_HOST
    template <class Team> TRACEXPR_HD void operator()(Team const& team, std::int64_t row) const {
        typename HeldList::template registers<Share> held;
        loops.run(team, row_place<Rank>(loops.first.loop, row), Share{team.rank(), elements}, held);
    }
};

} // namespace tx::inline TRACEXPR_TARGET::simd
