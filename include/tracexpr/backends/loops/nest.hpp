// This file runs row nests: the loops of a nest run one after the other on each row, which stays in the L1 cache meanwhile. What
// the next row and the next loop need is prefetched while a loop computes.
#pragma once

#include <tracexpr/backends/loops/register_tile_step.hpp>
#include <tracexpr/backends/loops/static_loop.hpp>

#include <tuple>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

// Returns the numbers of a plan, as constants if the compiler knows them.
template <class Form> TRACEXPR_INLINE constexpr decltype(auto) numbers(plan_view const& p) {
    if constexpr (Form::is_static) return Form::plan();
    else return (p);
}

// One loop of a nest, at the row where the nest is.
template <class Form, std::size_t Loop, class Arch> struct nest_loop : planned_loop<Form, Loop> {
    using base = planned_loop<Form, Loop>;
    using kernel_type = typename base::kernel_type;

    cursors<kernel_type> row;
    typename base::literal_list bits;

    TRACEXPR_INLINE void begin(plan_view const& p, std::byte* const* buffers) {
        row.begin(base::accesses(p), buffers, base::loop(p).inner.rank);
        bits = base::literals(p);
    }
    template <class Ahead> TRACEXPR_INLINE void run(plan_view const& p, Ahead ahead) {
        constexpr plan_loop here = base::known;
        if constexpr (here.known_length > 0)
            run_known_row<kernel_type, Arch, here.known_length, here.rows.overwritten>(row.at, bits.data(), ahead);
        else if (kernel_type::reduces || base::loop(p).inner.size() != 0)
            run_block<strategy::rows, kernel_type, Arch, here.rows, here.inner.rank == 1>(base::loop(p), base::accesses(p),
                                                                                          bits.data(), row, ahead);
    }
};

// row_ahead is a row that a loop prefetches.
struct row_ahead {
    std::size_t loop = 0, access = 0;
    bool stores = false, next = false; // next: the row after the one where the nest is
    std::size_t element_bytes = 0;
};

// A loop prefetches the next row of accesses of which it is the last reader, and the current row of what the loop after it
// stores.
template <class Form, std::size_t Step, std::size_t Loop> struct rows_ahead {
    static constexpr plan_step step = Form::plan().steps[Step];
    static constexpr std::size_t first = step.loops.first, last = first + step.loops.count, limit = 4;

    static constexpr bool is_row(std::size_t loop, plan_access const& a) {
        return Form::plan().loops[loop].inner.rank == 1 && a.buffer >= 0 && a.mode == access_mode::contiguous &&
               a.outer[step.outer.rank - 1] != 0;
    }
    static constexpr bool is_read_again(std::int32_t buffer) {
        for (std::size_t later = Loop + 1; later < last; ++later) {
            stretch const accesses = Form::plan().loops[later].accesses;
            for (std::size_t k = accesses.first; k < accesses.first + accesses.count; ++k) {
                plan_access const& a = Form::plan().accesses[k];
                if (a.buffer == buffer && is_row(later, a)) return true;
            }
        }
        return false;
    }
    struct list {
        std::size_t count = 0;
        row_ahead rows[limit]{};
    };
    static constexpr list value = [] {
        list out;
        auto const add = [&](std::size_t loop, bool stores) {
            stretch const accesses = Form::plan().loops[loop].accesses;
            for (std::size_t k = 0; k < accesses.count; ++k) {
                plan_access const& a = Form::plan().accesses[accesses.first + k];
                if (a.stores == stores && out.count < limit && is_row(loop, a) && (stores || !is_read_again(a.buffer)))
                    out.rows[out.count++] = {loop, k, stores, !stores, size_in_bytes(a.type)};
            }
        };
        if (Form::plan().loops[Loop].inner.rank != 1) return out;
        add(Loop, false);
        for (std::size_t later = Loop + 1; later < last; ++later)
            if (Form::plan().loops[later].inner.rank == 1) {
                add(later, true);
                break;
            }
        return out;
    }();
};
// Longer rows would evict each other from the L1 cache.
inline constexpr std::int64_t longest_row_ahead = 8192;

template <class Form, std::size_t Step, class Arch> struct nest {
    static constexpr plan_step form = Form::plan().steps[Step];
    template <std::size_t... L> static auto loops_of(std::index_sequence<L...>)
        -> std::tuple<nest_loop<Form, form.loops.first + L, Arch>...>;
    static constexpr auto numbers_of_loops = std::make_index_sequence<form.loops.count>{};

    decltype(loops_of(numbers_of_loops)) loops;

    template <class F> TRACEXPR_INLINE void for_each_loop(F f) {
        [&]<std::size_t... L>(std::index_sequence<L...>)
            TRACEXPR_INLINE_LAMBDA { (f.template operator()<L>(std::get<L>(loops)), ...); }(numbers_of_loops);
    }
    TRACEXPR_INLINE void advance(plan_view const& p, int axis, std::int64_t steps) {
        for_each_loop([&]<std::size_t L>(auto& loop)
                          TRACEXPR_INLINE_LAMBDA { loop.row.template advance<true>(loop.accesses(p), axis, steps); });
    }

    template <row_ahead const& Row> TRACEXPR_INLINE std::byte const* address(plan_view const& p) const {
        auto const& of = std::get<Row.loop - form.loops.first>(loops);
        std::int64_t const bytes = static_cast<std::int64_t>(Row.element_bytes);
        std::byte const* const here = of.row.at[Row.access].at;
        bool const fits = of.loop(p).inner.extent[0] * bytes <= longest_row_ahead;
        return Row.next && fits ? here + of.accesses(p)[Row.access].outer[form.outer.rank - 1] * bytes : here;
    }
    template <row_ahead const& Row> static TRACEXPR_INLINE void fetch(std::byte const* at) {
        if constexpr (Row.stores) __builtin_prefetch(at, 1); // g++ at -O0 takes only a literal here
        else __builtin_prefetch(at, 0);
    }
    template <std::size_t Loop> TRACEXPR_INLINE void run_row_of(plan_view const& p) {
        using rows = rows_ahead<Form, Step, form.loops.first + Loop>;
        auto& loop = std::get<Loop>(loops);
        [&]<std::size_t... K>(std::index_sequence<K...>) TRACEXPR_INLINE_LAMBDA {
            std::array<std::byte const*, sizeof...(K)> const from{address<rows::value.rows[K]>(p)...};
            loop.run(p, [&](std::int64_t i) TRACEXPR_INLINE_LAMBDA {
                (fetch<rows::value.rows[K]>(from[K] + i * static_cast<std::int64_t>(rows::value.rows[K].element_bytes)), ...);
            });
        }(std::make_index_sequence<rows::value.count>{});
    }

    TRACEXPR_INLINE void run(plan_view const& p, std::byte* const* buffers) {
        walk const& outer = p.steps[Step].outer;
        for_each_loop([&]<std::size_t L>(auto& loop) TRACEXPR_INLINE_LAMBDA { loop.begin(p, buffers); });
        std::int64_t index[max_rank]{};
        for (int axis = 0; axis >= 0;) {
            for_each_loop([&]<std::size_t L>(auto&) TRACEXPR_INLINE_LAMBDA { run_row_of<L>(p); });
            for (axis = outer.rank - 1; axis >= 0; --axis) {
                advance(p, axis, 1);
                if (++index[axis] < outer.extent[axis]) break;
                advance(p, axis, -outer.extent[axis]);
                index[axis] = 0;
            }
        }
    }
};

template <class Form, std::size_t Step, class Arch> struct run_as<strategy::nest, Form, Step, Arch> {
    static void run(plan_view const& given, std::byte* const* buffers) {
        plan_view const& p = numbers<Form>(given);
        if (p.steps[Step].outer.size() != 0) nest<Form, Step, Arch>().run(p, buffers);
    }
};

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
