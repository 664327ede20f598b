// This file runs the lines of the static executor's kernels for one element, or for several adjacent ones along the last axis, in
// a thread of a GPU or of one of Thrust's host systems. Device code can't use vector types, so this is kernel.hpp's run_line for
// plain numbers.
#pragma once

#include <tracexpr/backends/loops/kernel.hpp>
#include <tracexpr/backends/pointwise/device_apply.hpp>

#include <cstring>
#include <type_traits>

namespace tx::inline TRACEXPR_TARGET::simd {

// point_target is the target for one element at a time, of no particular instruction set.
template <class Kernel> using point_target = target<1, Kernel::widest, simd::default_arch>;

namespace detail {
template <class Kernel> inline constexpr int point_accesses = access_count<Kernel> > 0 ? access_count<Kernel> : 1;
template <class Kernel> inline constexpr int point_literals = [] {
    int count = 1;
    for (kernel_line const& l : Kernel::lines)
        if (int const slot = l.role == role::literal ? l.a : l.role == role::place ? l.c : -1; slot >= count) count = slot + 1;
    return count;
}();
template <class Kernel> inline constexpr bool counts_points = [] {
    for (kernel_line const& l : Kernel::lines)
        if (l.role == role::index) return true;
    return false;
}();
template <class Kernel, int I> inline constexpr bool reduces_at = Kernel::lines[I].role == role::reduce;

// A thread handles this number of adjacent elements: 16 bytes of the widest elements that are contiguous. It is less for long
// programs, which are not limited by memory.
template <class Kernel> inline constexpr int point_lanes = [] {
    constexpr int bytes = 16, longest = 1024;
    int widest = 0;
    for (kernel_line const& l : Kernel::lines)
        if (access_of(l) >= 0 && l.role != role::index && l.role != role::reduce && l.mode == access_mode::contiguous)
            widest = widest < static_cast<int>(size_in_bytes(l.type)) ? static_cast<int>(size_in_bytes(l.type)) : widest;
    int lanes = widest > 0 && widest < bytes ? bytes / widest : 1;
    while (lanes > 1 && lanes * Kernel::facts.cost > longest) lanes /= 2;
    return lanes;
}();

// point_place is a thread's position: an address for each access, or a number for accesses that count.
template <class Kernel> struct point_place {
    std::byte* at[point_accesses<Kernel>];
    std::int64_t index[counts_points<Kernel> ? point_accesses<Kernel> : 1];
};
// point_numbers points to what all points of a loop share. lane_step has, for each access, the step from one element to the next
// along the last axis, in bytes; for accesses that count it is the difference of the numbers.
struct point_numbers {
    literal_bits const* literals;
    std::int64_t const* lane_step;
};

template <class T, int Lanes> struct lane_values {
    T of[Lanes];
};
// point_registers::type<Kernel> has the values of all lines of a kernel, for Lanes adjacent elements.
template <int Lanes> struct point_registers {
    template <class Kernel, class, int I> struct line {
        static constexpr role r = Kernel::lines[I].role;
        using element = std::conditional_t<r == role::place, std::int64_t, ctype<Kernel::lines[I].type>>;
        using type = std::conditional_t<r == role::store || r == role::reduce, nothing,
                                        lane_values<element, Kernel::invariant.of[I] ? 1 : Lanes>>;
    };
    template <class Kernel> using type = slots<line, Kernel, void, line_numbers<Kernel>>;
};
template <int I, class V> TRACEXPR_HD V& value_at(slot<I, V>& s) { return s.value; }
template <int I, class V> TRACEXPR_HD V const& value_at(slot<I, V> const& s) { return s.value; }
// Gives line I's value for a lane. A line that is the same for all lanes has one value.
template <class Kernel, int I, class Registers> TRACEXPR_HD TRACEXPR_INLINE auto const& lane_value(Registers const& r, int lane) {
    return value_at<I>(r).of[Kernel::invariant.of[I] ? 0 : lane];
}

template <class T> TRACEXPR_HD TRACEXPR_INLINE T load_element(std::byte const* from) { return *reinterpret_cast<T const*>(from); }
template <class T> TRACEXPR_HD TRACEXPR_INLINE void store_element(std::byte* to, T value) { *reinterpret_cast<T*>(to) = value; }

// element_pack has adjacent elements at an address that their size divides, which a GPU loads by one instruction.
template <class T, int Lanes> struct alignas(sizeof(T) * Lanes) element_pack {
    T of[Lanes];
};
template <class T, int Lanes> TRACEXPR_HD TRACEXPR_INLINE element_pack<T, Lanes> load_pack(std::byte const* from) {
    element_pack<T, Lanes> out;
    std::memcpy(static_cast<void*>(&out), __builtin_assume_aligned(from, sizeof(out)), sizeof(out));
    return out;
}
template <class T, int Lanes> TRACEXPR_HD TRACEXPR_INLINE void store_pack(std::byte* to, element_pack<T, Lanes> const& values) {
    std::memcpy(__builtin_assume_aligned(to, sizeof(values)), static_cast<void const*>(&values), sizeof(values));
}

template <class Kernel, int I, class Registers> TRACEXPR_HD TRACEXPR_INLINE auto compute_lane(Registers const& r, int lane) {
    constexpr kernel_line l = Kernel::lines[I];
    using T = ctype<l.type>;
    using A = ctype<Kernel::lines[l.a].type>;
    auto const& a = lane_value<Kernel, l.a>(r, lane);
    if constexpr (l.code == op::cast) return cast_element<T>(A(a));
    else if constexpr (l.code == op::where)
        return static_cast<T>(a ? lane_value<Kernel, l.b>(r, lane) : lane_value<Kernel, l.c>(r, lane));
    else if constexpr (l.c >= 0)
        return static_cast<T>(apply<l.code>(A(a), A(lane_value<Kernel, l.b>(r, lane)), A(lane_value<Kernel, l.c>(r, lane))));
    else if constexpr (l.b >= 0)
        return static_cast<T>(apply_by_device<l.code, l.is_approximate>(A(a), A(lane_value<Kernel, l.b>(r, lane))));
    else return static_cast<T>(apply_by_device<l.code, l.is_approximate>(A(a)));
}
// Combines the lanes First .. First + Count - 1 pairwise.
template <class Kernel, int I, int First, int Count, class Registers>
TRACEXPR_HD TRACEXPR_INLINE auto combined_lanes(Registers const& r) {
    constexpr kernel_line l = Kernel::lines[I];
    using T = ctype<l.type>;
    if constexpr (Count == 1) return T(lane_value<Kernel, l.a>(r, First));
    else
        return static_cast<T>(apply<info(l.code).combines.by>(
            combined_lanes<Kernel, I, First, Count / 2>(r), combined_lanes<Kernel, I, First + Count / 2, Count - Count / 2>(r)));
}

// Gives line I's value for a lane; loads of adjacent elements use load_pack instead.
template <class Kernel, int I, class Registers> TRACEXPR_HD TRACEXPR_INLINE auto
lane_of_line(Registers const& r, point_place<Kernel> const& place, point_numbers const& loop, int lane) {
    constexpr kernel_line l = Kernel::lines[I];
    using T = ctype<l.type>;
    constexpr int access = access_of(l);
    if constexpr (l.role == role::literal) {
        return from_literal<T>(loop.literals[l.a].low, loop.literals[l.a].high);
    } else if constexpr (l.role == role::compute) {
        return compute_lane<Kernel, I>(r, lane);
    } else if constexpr (l.role == role::index) {
        return cast_element<T>(place.index[access] + lane * loop.lane_step[access]);
    } else {
        std::byte const* from = place.at[access];
        if (lane > 0) from += lane * loop.lane_step[access];
        if constexpr (l.role == role::place) return place_of_index(load_element<T>(from), loop.literals[l.c]);
        else if constexpr (l.role == role::lookup)
            return load_element<T>(from + lane_value<Kernel, l.a>(r, lane) * static_cast<std::int64_t>(sizeof(T)));
        else return load_element<T>(from);
    }
}

template <class Kernel, int I, class Registers, class Sums, int... Lane>
TRACEXPR_HD TRACEXPR_INLINE void run_point_line(Registers& r, Sums& sums, point_place<Kernel> const& place,
                                                point_numbers const& loop, std::integer_sequence<int, Lane...>) {
    constexpr kernel_line l = Kernel::lines[I];
    constexpr int lanes = sizeof...(Lane);
    constexpr bool packed = lanes > 1 && l.mode == access_mode::contiguous;
    using T = ctype<l.type>;
    if constexpr (l.role == role::reduce && Sums::is_of_lanes) {
        ((value_at<I>(sums.of[Lane]) = static_cast<T>(
              apply<info(l.code).combines.by>(T(value_at<I>(sums.of[Lane])), T(lane_value<Kernel, l.a>(r, Lane))))),
         ...);
    } else if constexpr (l.role == role::reduce) {
        value_at<I>(sums) =
            static_cast<T>(apply<info(l.code).combines.by>(T(value_at<I>(sums)), combined_lanes<Kernel, I, 0, lanes>(r)));
    } else if constexpr (l.role == role::store && packed) {
        store_pack(place.at[l.b], element_pack<T, lanes>{{T(lane_value<Kernel, l.a>(r, Lane))...}});
    } else if constexpr (l.role == role::store) {
        (store_element<T>(place.at[l.b] + Lane * loop.lane_step[l.b], lane_value<Kernel, l.a>(r, Lane)), ...);
    } else if constexpr (l.role == role::load && packed && !Kernel::invariant.of[I]) {
        element_pack<T, lanes> const loaded = load_pack<T, lanes>(place.at[l.a]);
        ((value_at<I>(r).of[Lane] = loaded.of[Lane]), ...);
    } else if constexpr (Kernel::invariant.of[I]) {
        value_at<I>(r).of[0] = lane_of_line<Kernel, I>(r, place, loop, 0);
    } else {
        ((value_at<I>(r).of[Lane] = lane_of_line<Kernel, I>(r, place, loop, Lane)), ...);
    }
}
// Runs lines by halves, because a fold over more than 256 is too deep for clang.
template <class Kernel, int First, int Count, class Registers, class Sums, class Lanes> TRACEXPR_HD TRACEXPR_INLINE void
run_point_lines(Registers& r, Sums& sums, point_place<Kernel> const& place, point_numbers const& loop, Lanes lanes) {
    if constexpr (Count == 1) {
        run_point_line<Kernel, First>(r, sums, place, loop, lanes);
    } else {
        run_point_lines<Kernel, First, Count / 2>(r, sums, place, loop, lanes);
        run_point_lines<Kernel, First + Count / 2, Count - Count / 2>(r, sums, place, loop, lanes);
    }
}

// Calls f.run<I>() for each line that reduces. f is a struct rather than a lambda because nvcc names a kernel after it.
template <class Kernel, int I, class F> TRACEXPR_HD TRACEXPR_INLINE void for_each_reduction_at(F& f) {
    if constexpr (I < Kernel::size) {
        if constexpr (reduces_at<Kernel, I>) f.template run<I>();
        for_each_reduction_at<Kernel, I + 1>(f);
    }
}
} // namespace detail

// point_sums has the values of a kernel's reductions.
template <class Kernel> struct point_sums : detail::accumulators<Kernel, point_target<Kernel>> {
    using target = point_target<Kernel>;
    template <int I> using type_at = detail::line_type<Kernel, target, I>;
    static constexpr bool is_of_lanes = false;
    static constexpr op code_at(int line) { return Kernel::lines[line].code; }

    struct resetting {
        point_sums* sums;
        template <int I> TRACEXPR_HD void run() { detail::value_at<I>(*sums) = detail::identity<code_at(I), type_at<I>>(); }
    };
    struct merging {
        point_sums* sums;
        point_sums const* more;
        template <int I> TRACEXPR_HD void run() {
            detail::value_at<I>(*sums) = static_cast<type_at<I>>(apply<info(code_at(I)).combines.by>(
                type_at<I>(detail::value_at<I>(*sums)), type_at<I>(detail::value_at<I>(*more))));
        }
    };
    struct storing {
        point_sums const* sums;
        detail::point_place<Kernel> const* results;
        template <int I> TRACEXPR_HD void run() {
            detail::store_element<type_at<I>>(results->at[Kernel::lines[I].b], detail::value_at<I>(*sums));
        }
    };
    TRACEXPR_HD void reset() {
        resetting f{this};
        detail::for_each_reduction_at<Kernel, 0>(f);
    }
    TRACEXPR_HD void merge(point_sums const& more) {
        merging f{this, &more};
        detail::for_each_reduction_at<Kernel, 0>(f);
    }
    TRACEXPR_HD void store(detail::point_place<Kernel> const& results) const {
        storing f{this, &results};
        detail::for_each_reduction_at<Kernel, 0>(f);
    }
};

// lane_sums has the values of the reductions of several adjacent columns.
template <class Kernel, int Lanes> struct lane_sums {
    static constexpr bool is_of_lanes = true;
    point_sums<Kernel> of[Lanes];

    TRACEXPR_HD TRACEXPR_INLINE void reset() {
        for (point_sums<Kernel>& sums : of) sums.reset();
    }
    TRACEXPR_HD TRACEXPR_INLINE void merge(lane_sums const& more) {
        for (int lane = 0; lane < Lanes; ++lane) of[lane].merge(more.of[lane]);
    }
    // Stores the results. lane_step is for each access the step from a column's result to the next.
    TRACEXPR_HD TRACEXPR_INLINE void store(detail::point_place<Kernel> at, std::int64_t const* lane_step) const {
        for (int lane = 0; lane < Lanes; ++lane) {
            of[lane].store(at);
            for (int a = 0; a < detail::point_accesses<Kernel>; ++a) at.at[a] += lane_step[a];
        }
    }
};

} // namespace tx::inline TRACEXPR_TARGET::simd
