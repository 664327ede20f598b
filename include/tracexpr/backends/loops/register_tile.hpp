// This file runs loops that reduce, with many results in registers at a time, as passes/register_tile.hpp has laid them out. A
// line has a register for each place of the tile along the axes on which it depends, and is computed in the innermost loop that
// changes it.
#pragma once

#include <tracexpr/backends/loops/loop_kernel.hpp>
#include <tracexpr/passes/epilogues.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

using tx::detail::line_axes, tx::detail::loop_space, tx::detail::tile_order;

// tile_form is the description from which a tile's code is generated: its layout, then in Numbers the extents of its axes and the
// strides of each access. Equal loops of different functions share one. With IsOpen, large numbers, and extents that are not
// reduced, are known only to the run. End is the kernel that runs on the results (passes/epilogues.hpp), or `nothing`. The
// strides of its accesses follow, then for each of them the line that it reads, or -1, and then a number with a bit for each line
// whose result is stored.
template <class Kernel, class End, int Outer, int Inner, bool Columns, bool IsOpen, register_tile Tile, std::int64_t... Numbers>
struct tile_form {
    using kernel_type = Kernel;
    using end_type = End;
    static constexpr bool has_end = !std::is_same_v<End, nothing>;
    static constexpr int own_accesses = access_count<Kernel>, end_accesses = [] {
        if constexpr (has_end) return access_count<End>;
        else return 0;
    }();
    static constexpr register_tile tile = Tile;
    static constexpr int rank = Outer + Inner;
    static constexpr std::int64_t numbers[sizeof...(Numbers)]{Numbers...};
    static constexpr plan_loop loop = [] {
        plan_loop l;
        l.reduces = true, l.columns = Columns, l.inner.rank = Inner;
        for (int a = 0; a < Inner; ++a) l.inner.extent[a] = numbers[Outer + a];
        return l;
    }();
    static constexpr loop_space space = [] {
        walk outer{Outer, {}};
        for (int a = 0; a < Outer; ++a) outer.extent[a] = numbers[a];
        return loop_space(outer, loop);
    }();
    static constexpr std::int64_t stride(int access, int axis) { return numbers[rank * (1 + access) + axis]; }
    static constexpr int line_read_by(int end_access) {
        return static_cast<int>(numbers[rank * (1 + own_accesses + end_accesses) + end_access]);
    }
    static constexpr bool is_read(int line) {
        for (int k = 0; k < end_accesses; ++k)
            if (line_read_by(k) == line) return true;
        return false;
    }
    static constexpr bool is_stored(int line) {
        if constexpr (has_end) return (numbers[rank * (1 + own_accesses + end_accesses) + end_accesses] >> line & 1) != 0;
        else return line >= 0;
    }
    static constexpr std::int64_t bytes(int access) {
        if constexpr (has_end)
            if (access >= own_accesses) return access_bytes<End>[static_cast<std::size_t>(access - own_accesses)];
        return access_bytes<Kernel>[static_cast<std::size_t>(access)];
    }
    static constexpr bool has_stride(int access, int axis) {
        return !IsOpen || !tx::detail::is_open_number(stride(access, axis));
    }
    static constexpr bool has_extent(int axis) { return !IsOpen || !tx::detail::is_open_number(space.extent(axis)); }

    static constexpr tile_order order{space, tile};
    static constexpr line_axes axes{Kernel::lines, sizeof(Kernel::lines) / sizeof(kernel_line), space, [](int k) {
                                        plan_access a;
                                        for (int axis = 0; axis < rank; ++axis)
                                            (axis < Outer ? a.outer[axis] : a.inner[axis - Outer]) = stride(k, axis);
                                        return a;
                                    }};
    static constexpr bool is_along(int line) { return axes.of[line] >> tile.lanes & 1u; }
    static constexpr std::uint32_t copied_axes = 0 > tile.copied ? 0u : 1u << (tile.copied & 31);
    static constexpr bool is_copied(int line) { return (axes.of[line] & copied_axes) != 0; }
    // count is the number of registers that a line has; number says which of them belongs to a place.
    static constexpr bool sums_lanes = space.is_reduced(tile.lanes);
    static constexpr int count(int line) { return (is_along(line) ? tile.along : 1) * (is_copied(line) ? tile.copies : 1); }
    static constexpr int number(int line, int along, int copy) {
        return (is_along(line) ? along : 0) + (is_copied(line) ? copy * (is_along(line) ? tile.along : 1) : 0);
    }
};

// As in other reductions, at most block_vectors vectors are added up before their sum goes to a cascade: `level` is the level of
// the loop that is cut into such pieces, and `steps` is the number of its steps in one piece. `any` is false if all the loops
// together are no longer than a piece.
template <class Form, std::int64_t Lanes> struct tile_pieces {
    static constexpr std::int64_t passes(int depth) { // of the loop above that level
        int const axis = Form::order.axis[depth - 1];
        std::int64_t const step = Form::tile.step(axis, Lanes);
        return (Form::space.extent(axis) + step - 1) / step;
    }
    static constexpr std::int64_t passes_within(int depth) {
        std::int64_t all = 1;
        for (int k = depth + 1; k <= Form::rank; ++k) all *= passes(k);
        return all;
    }
    static constexpr int level = [] {
        int at = Form::order.kept + 1;
        while (at < Form::rank && passes_within(at) > block_vectors) ++at;
        return at;
    }();
    static constexpr bool any = passes_within(Form::order.kept) > block_vectors;
    static constexpr std::int64_t steps = std::max<std::int64_t>(block_vectors / passes_within(level), 1);
};

template <class Form, class Target> struct tile_registers {
    template <class Kernel, class T, int I> struct line {
        using value = typename register_of<Kernel, T, I>::type;
        using type = std::conditional_t<std::is_same_v<value, nothing>, nothing, std::array<value, Form::count(I)>>;
    };
    template <class Kernel, class T, int I> struct accumulator {
        using value = typename accumulator_of<Kernel, T, I>::type;
        using type = std::conditional_t<std::is_same_v<value, nothing>, nothing, std::array<value, Form::count(I)>>;
    };
    template <class Kernel, class T, int I> struct sum {
        using value = typename cascade_of<Kernel, T, I>::type;
        using type = std::conditional_t<std::is_same_v<value, nothing>, nothing, std::array<value, Form::count(I)>>;
    };
    using kernel_type = typename Form::kernel_type;
    slots<line, kernel_type, Target, line_numbers<kernel_type>> lines;
    slots<accumulator, kernel_type, Target, line_numbers<kernel_type>> accumulators;
};
// tile_place holds the registers of one place of the tile.
template <class Form, class Slots, int Along, int Copy> struct tile_place {
    Slots& of;
};
template <int I, class Form, class Slots, int Along, int Copy>
TRACEXPR_INLINE auto& at(tile_place<Form, Slots, Along, Copy> const& place) {
    return at<I>(place.of)[Form::number(I, Along, Copy)];
}

// Calls f(the line's number, the place along, the copy, all as constants) for the lines of a level: first for the lines with
// fewer registers than there are places, then, place by place, for the others, so that few of their registers are in use at a
// time.
template <class Form, int Level, class F> TRACEXPR_INLINE void for_each_line_of_level(F const& f) {
    using kernel_type = typename Form::kernel_type;
    constexpr int places = Form::tile.along * Form::tile.copies;
    auto const run = [&]<int I, int P>(std::integral_constant<int, I> line, std::integral_constant<int, P>)
                         TRACEXPR_INLINE_LAMBDA {
                             constexpr int along = P % Form::tile.along, copy = P / Form::tile.along;
                             if constexpr (Form::order.of(Form::axes.of[I]) == Level && (Form::is_along(I) || along == 0) &&
                                           (Form::is_copied(I) || copy == 0))
                                 f(line, std::integral_constant<int, along>{}, std::integral_constant<int, copy>{});
                         };
    [&]<int... I>(std::integer_sequence<int, I...>) TRACEXPR_INLINE_LAMBDA {
        auto const run_shared = [&]<int J>(std::integral_constant<int, J> line) TRACEXPR_INLINE_LAMBDA {
            if constexpr (Form::count(J) < places)
                [&]<int... P>(std::integer_sequence<int, P...>) TRACEXPR_INLINE_LAMBDA {
                    (run(line, std::integral_constant<int, P>{}), ...);
                }(std::make_integer_sequence<int, places>{});
        };
        (run_shared(std::integral_constant<int, I>{}), ...);
        auto const run_own = [&]<int P>(std::integral_constant<int, P> place) TRACEXPR_INLINE_LAMBDA {
            auto const run_line_here = [&]<int J>(std::integral_constant<int, J> line) TRACEXPR_INLINE_LAMBDA {
                if constexpr (Form::count(J) == places) run(line, place);
            };
            (run_line_here(std::integral_constant<int, I>{}), ...);
        };
        [&]<int... P>(std::integer_sequence<int, P...>) TRACEXPR_INLINE_LAMBDA {
            (run_own(std::integral_constant<int, P>{}), ...);
        }(std::make_integer_sequence<int, places>{});
    }(line_numbers<kernel_type>{});
}

// One run of the loop. `extents` are those of the axes if they are not those of the form: a thread's piece has its own.
template <class Form, class Arch, bool IsPiece> class tile_run {
    using kernel_type = typename Form::kernel_type;
    using target = vector_target<kernel_type, Arch>;
    using pieces = tile_pieces<Form, target::lanes>;
    using registers_type = tile_registers<Form, target>;
    using sums_type = slots<tile_registers<Form, target>::template sum, kernel_type, target, line_numbers<kernel_type>>;
    static constexpr int W = target::lanes, accesses = Form::own_accesses + Form::end_accesses, lane_axis = Form::tile.lanes;
    struct position {
        std::byte* at[accesses];
        std::int64_t index[accesses];
    };
    struct no_sums {};
    using kept_sums = std::conditional_t<pieces::any, sums_type, no_sums>;

public:
    static void run(std::byte* const* begins, std::int64_t const* indices, literal_bits const* literals,
                    literal_bits const* end_literals, std::int64_t const* extents, std::int64_t const* strides) {
        position begin;
        for (int k = 0; k < accesses; ++k) begin.at[k] = begins[k], begin.index[k] = indices[k];
        registers_type r;
        [[maybe_unused]] kept_sums sums;
        tile_run(literals, end_literals, extents, strides, W).template walk<0, lanes_used::all>(begin, r, sums);
    }

private:
    TRACEXPR_INLINE tile_run(literal_bits const* literals, literal_bits const* end_literals, std::int64_t const* extents,
                             std::int64_t const* strides, std::int64_t lanes)
        : literals_{literals}, end_literals_{end_literals}, extents_{extents}, strides_{strides}, lanes_{lanes} {}
    TRACEXPR_INLINE tile_run with_lanes(std::int64_t lanes) const {
        return {literals_, end_literals_, extents_, strides_, lanes};
    }

    template <int Axis> TRACEXPR_INLINE std::int64_t extent() const {
        if constexpr (IsPiece || !Form::has_extent(Axis)) return extents_[Axis];
        else return Form::space.extent(Axis);
    }
    template <int Access, int Axis> TRACEXPR_INLINE std::int64_t stride() const {
        if constexpr (Form::has_stride(Access, Axis)) return Form::stride(Access, Axis);
        else return strides_[Access * Form::rank + Axis];
    }

    // Returns the position `steps` further along an axis.
    template <int Axis> TRACEXPR_INLINE position moved(position const& from, std::int64_t steps) const {
        position to = from;
        auto const move = [&]<int K>(std::integral_constant<int, K>) TRACEXPR_INLINE_LAMBDA {
            constexpr std::int64_t bytes = Form::bytes(K);
            if constexpr (Form::stride(K, Axis) == 0) return;
            else if constexpr (bytes > 0) to.at[K] += steps * (stride<K, Axis>() * bytes);
            else to.index[K] += steps * stride<K, Axis>();
        };
        [&]<int... K>(std::integer_sequence<int, K...>) TRACEXPR_INLINE_LAMBDA {
            (move(std::integral_constant<int, K>{}), ...);
        }(std::make_integer_sequence<int, accesses>{});
        return to;
    }

    // Runs one level: what it computes before the loop below it, that loop, and what it does afterwards.
    template <int Level, lanes_used Used>
    TRACEXPR_INLINE void walk(position const& here, registers_type& r, kept_sums& sums) const {
        constexpr bool is_kept = Level == Form::order.kept;
        run_level<Level, Used>(here, r);
        if constexpr (is_kept && pieces::any) clear_sums(sums);
        else if constexpr (is_kept) reset_all(r);
        if constexpr (Level < Form::rank) {
            constexpr int axis = Form::order.axis[Level];
            if constexpr (pieces::any && Level + 1 == pieces::level) {
                std::int64_t const n = extent<axis>(), length = pieces::steps * Form::tile.step(axis, W);
                for (std::int64_t first = 0; first < n; first += length) {
                    reset_all(r);
                    loop<Level, Used>(here, first, std::min(first + length, n), r, sums);
                    push_all(r, sums);
                }
            } else {
                loop<Level, Used>(here, 0, extent<axis>(), r, sums);
            }
        }
        if constexpr (is_kept) store_results<Used>(here, r, sums);
    }
    template <int Level, lanes_used Used> TRACEXPR_INLINE void loop(position const& here, std::int64_t first, std::int64_t last,
                                                                    registers_type& r, kept_sums& sums) const {
        constexpr int axis = Form::order.axis[Level];
        constexpr std::int64_t step = Form::tile.step(axis, W);
        if constexpr (axis == lane_axis && Form::sums_lanes) {
            std::int64_t i = first;
            for (; i + W <= last; i += W) walk<Level + 1, Used>(moved<axis>(here, i), r, sums);
            constexpr bool has_rest = !Form::has_extent(axis) || Form::space.extent(axis) % W != 0;
            if constexpr (has_rest)
                if (i < last) with_lanes(last - i).template walk<Level + 1, lanes_used::first>(moved<axis>(here, i), r, sums);
        } else if constexpr (axis == lane_axis && Form::has_extent(axis) && Form::space.extent(axis) < W) {
            with_lanes(last).template walk<Level + 1, lanes_used::first>(here, r, sums);
        } else if constexpr (step == 1) {
            for (std::int64_t i = first; i < last; ++i) walk<Level + 1, Used>(moved<axis>(here, i), r, sums);
        } else { // The last tile overlaps results that are done, which it computes again.
            if constexpr (axis == lane_axis && !Form::has_extent(axis) && Form::tile.along == 1)
                if (last < W) return with_lanes(last).template walk<Level + 1, lanes_used::first>(here, r, sums);
            for (std::int64_t i = first; i < last; i += step)
                walk<Level + 1, Used>(moved<axis>(here, std::min(i, last - step)), r, sums);
        }
    }

    template <int Level, lanes_used Used> TRACEXPR_INLINE void run_level(position const& here, registers_type& r) const {
        for_each_line_of_level<Form, Level>([&](auto line, auto along, auto copy) TRACEXPR_INLINE_LAMBDA {
            constexpr int I = line.value, access = access_of(kernel_type::lines[I]);
            tile_place<Form, decltype(r.lines), along.value, copy.value> const place{r.lines};
            tile_place<Form, decltype(r.accumulators), along.value, copy.value> const accumulator{r.accumulators};
            cursor cursors[accesses];
            if constexpr (access >= 0) cursors[access] = at_place<access, along.value, copy.value>(here);
            run_line<kernel_type, target, Used == lanes_used::all ? lanes_used::all_cached : Used, 0, I>(
                place, place, accumulator, cursors, literals_, 0, lanes_);
        });
    }
    template <int Access, int Along, int Copy> TRACEXPR_INLINE cursor at_place(position const& here) const {
        constexpr std::int64_t bytes = Form::bytes(Access);
        cursor c;
        c.stride = stride<Access, lane_axis>();
        std::int64_t by = Along * W * c.stride;
        if constexpr (Copy > 0) by += Copy * stride<Access, Form::tile.copied>();
        if constexpr (bytes > 0) c.at = here.at[Access] + by * bytes;
        else c.index = here.index[Access] + by;
        return c;
    }

    // Calls f(the line's number, the place along, the copy, all as constants) for each register of a result.
    template <class F> static TRACEXPR_INLINE void for_each_result(F const& f) {
        for_each_line<kernel_type, is_reduction>([&](auto line) TRACEXPR_INLINE_LAMBDA {
            auto const run = [&]<int P>(std::integral_constant<int, P>) TRACEXPR_INLINE_LAMBDA {
                f(line, std::integral_constant<int, P % Form::tile.along>{}, std::integral_constant<int, P / Form::tile.along>{});
            };
            [&]<int... P>(std::integer_sequence<int, P...>) TRACEXPR_INLINE_LAMBDA {
                (run(std::integral_constant<int, P>{}), ...);
            }(std::make_integer_sequence<int, Form::tile.along * Form::tile.copies>{});
        });
    }
    static TRACEXPR_INLINE void reset_all(registers_type& r) {
        for_each_result([&](auto line, auto along, auto copy) TRACEXPR_INLINE_LAMBDA {
            detail::at<line.value>(r.accumulators)[Form::number(line.value, along.value, copy.value)] =
                first_of<target, kernel_type::lines[line.value].code, reduced_type<kernel_type, line.value>>();
        });
    }
    static TRACEXPR_INLINE void clear_sums(sums_type& sums) {
        for_each_result([&](auto line, auto along, auto copy) TRACEXPR_INLINE_LAMBDA {
            detail::at<line.value>(sums)[Form::number(line.value, along.value, copy.value)].clear();
        });
    }
    static TRACEXPR_INLINE void push_all(registers_type& r, sums_type& sums) {
        for_each_result([&](auto line, auto along, auto copy) TRACEXPR_INLINE_LAMBDA {
            constexpr int number = Form::number(line.value, along.value, copy.value);
            detail::at<line.value>(sums)[number].push(detail::at<line.value>(r.accumulators)[number]);
        });
    }
    template <lanes_used Used>
    TRACEXPR_INLINE void store_results(position const& here, registers_type& r, kept_sums& sums) const {
        [[maybe_unused]] std::conditional_t<Form::has_end, results_of_tile, nothing> results;
        for_each_result([&](auto line, auto along, auto copy) TRACEXPR_INLINE_LAMBDA {
            constexpr kernel_line l = kernel_type::lines[line.value];
            constexpr int number = Form::number(line.value, along.value, copy.value);
            using T = ctype<l.type>;
            auto const total = [&]() TRACEXPR_INLINE_LAMBDA {
                if constexpr (pieces::any) return detail::at<line.value>(sums)[number].lanes_total();
                else return detail::at<line.value>(r.accumulators)[number];
            }();
            if constexpr (Form::has_end) {
                if constexpr (Form::is_read(line.value) && l.c >= 0)
                    store_places(results.template of<T>(line.value, number), total, 1, W);
                else if constexpr (Form::is_read(line.value))
                    store_value<T, W>(results.template of<T>(line.value, number), total);
            }
            if constexpr (Form::is_stored(line.value)) {
                T* const to = element_pointer<T>(at_place<l.b, along.value, copy.value>(here));
                if constexpr (Form::sums_lanes) *to = across<target, l.code, reduced_type<kernel_type, line.value>>(total);
                else if constexpr (l.c >= 0) store_places(to, total, 1, Used == lanes_used::first ? lanes_ : W);
                else if constexpr (Used == lanes_used::first) store_some_value<T, W>(to, total, lanes_);
                else store_value<T, W>(to, total);
            }
        });
        if constexpr (Form::has_end) run_ends<Used>(here, results);
    }
    // results_of_tile holds the results of all lines and places. The compiler keeps them in registers.
    struct results_of_tile {
        static constexpr int places = Form::tile.along * Form::tile.copies;
        alignas(64) std::byte bytes[kernel_type::size * places][W * kernel_type::widest];
        template <class T> TRACEXPR_INLINE T* of(int line, int number) {
            return reinterpret_cast<T*>(bytes[line * places + number]);
        }
    };
    // Runs the epilogue's loop on the results of each place.
    template <lanes_used Used> TRACEXPR_INLINE void run_ends(position const& here, results_of_tile& results) const {
        using end = typename Form::end_type;
        using end_target = simd::target<W, end::widest, Arch>;
        auto const run = [&]<int P>(std::integral_constant<int, P>) TRACEXPR_INLINE_LAMBDA {
            constexpr int along = P % Form::tile.along, copy = P / Form::tile.along;
            cursor cursors[Form::end_accesses];
            auto const place = [&]<int K>(std::integral_constant<int, K>) TRACEXPR_INLINE_LAMBDA {
                constexpr int line = Form::line_read_by(K);
                if constexpr (line < 0) cursors[K] = at_place<Form::own_accesses + K, along, copy>(here);
                else
                    cursors[K].at = reinterpret_cast<std::byte*>(
                        results.template of<line_type<kernel_type, target, line>>(line, Form::number(line, along, copy)));
            };
            [&]<int... K>(std::integer_sequence<int, K...>) TRACEXPR_INLINE_LAMBDA {
                (place(std::integral_constant<int, K>{}), ...);
            }(std::make_integer_sequence<int, Form::end_accesses>{});
            auto const fixed = run_invariants<end, end_target>(cursors, end_literals_);
            accumulators<end, end_target> none;
            run_body<end, end_target, Used == lanes_used::all ? lanes_used::all_cached : Used>(fixed, none, cursors,
                                                                                               end_literals_, 0, lanes_);
        };
        [&]<int... P>(std::integer_sequence<int, P...>) TRACEXPR_INLINE_LAMBDA {
            (run(std::integral_constant<int, P>{}), ...);
        }(std::make_integer_sequence<int, results_of_tile::places>{});
    }
    literal_bits const *literals_, *end_literals_;
    std::int64_t const *extents_, *strides_;
    std::int64_t lanes_; // the number of lanes that are used
};

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
