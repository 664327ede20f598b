// The static executor's kernel types on single points of a loop's space: what a GPU thread, or a thread of one of Thrust's host
// systems, does. Plain structs that are passed by value; their types name integers only.
#pragma once

#include <tracexpr/backends/loops/kernel.hpp>
#include <tracexpr/passes/plan.hpp>

namespace tx::inline TRACEXPR_TARGET::simd {

// Where an access of a loop begins.
struct point_access {
    std::byte* at = nullptr;
    std::int64_t index = 0;
    std::int64_t element_bytes = 0;
};

// One element at a time, for no instruction set in particular.
template <class Kernel> using point_target = target<1, Kernel::widest, xsimd::default_arch>;

namespace detail {
template <class Kernel> inline constexpr int point_accesses = access_count<Kernel> > 0 ? access_count<Kernel> : 1;
template <class Kernel> inline constexpr int point_literals = [] {
    int count = 1;
    for (kernel_line const& l : Kernel::lines)
        if (int const slot = l.role == role::literal ? l.a : l.role == role::place ? l.c : -1; slot >= count) count = slot + 1;
    return count;
}();
template <class Kernel, int I> inline constexpr bool reduces_at = Kernel::lines[I].role == role::reduce;

// Vectors are no types for device code, so what follows is kernel.hpp's run_line for elements.
template <int I, class V> TRACEXPR_HD V& value_at(slot<I, V>& s) { return s.value; }
template <int I, class V> TRACEXPR_HD V const& value_at(slot<I, V> const& s) { return s.value; }

template <class Kernel, int I, class Registers, class Sums>
TRACEXPR_HD void run_point_line(Registers& r, Sums& sums, cursor const* at, literal_bits const* literals) {
    constexpr kernel_line l = Kernel::lines[I];
    using T = ctype<l.type>;
    if constexpr (l.role == role::literal) {
        value_at<I>(r) = from_literal<T>(literals[l.a].low, literals[l.a].high);
    } else if constexpr (l.role == role::load) {
        value_at<I>(r) = *reinterpret_cast<T const*>(at[l.a].at);
    } else if constexpr (l.role == role::index) {
        value_at<I>(r) = cast_element<T>(at[l.a].index);
    } else if constexpr (l.role == role::place) {
        value_at<I>(r).of[0] = place_of_index(*reinterpret_cast<T const*>(at[l.a].at), literals[l.c]);
    } else if constexpr (l.role == role::lookup) {
        value_at<I>(r) = reinterpret_cast<T const*>(at[l.b].at)[value_at<l.a>(r).of[0]];
    } else if constexpr (l.role == role::compute) {
        using A = ctype<Kernel::lines[l.a].type>;
        if constexpr (l.code == op::cast) value_at<I>(r) = cast_element<T>(A(value_at<l.a>(r)));
        else if constexpr (l.code == op::where) value_at<I>(r) = value_at<l.a>(r) ? value_at<l.b>(r) : value_at<l.c>(r);
        else if constexpr (l.c >= 0)
            value_at<I>(r) = static_cast<T>(apply<l.code>(A(value_at<l.a>(r)), A(value_at<l.b>(r)), A(value_at<l.c>(r))));
        else if constexpr (l.b >= 0) value_at<I>(r) = static_cast<T>(apply<l.code>(A(value_at<l.a>(r)), A(value_at<l.b>(r))));
        else value_at<I>(r) = static_cast<T>(apply<l.code>(A(value_at<l.a>(r))));
    } else if constexpr (l.role == role::store) {
        *reinterpret_cast<T*>(at[l.b].at) = value_at<l.a>(r);
    } else {
        value_at<I>(sums) = static_cast<T>(apply<info(l.code).combines.by>(T(value_at<I>(sums)), T(value_at<l.a>(r))));
    }
}
template <class Kernel, int First, int Count, class Registers, class Sums>
TRACEXPR_HD void run_point_lines(Registers& r, Sums& sums, cursor const* at, literal_bits const* literals) {
    if constexpr (Count == 1) {
        run_point_line<Kernel, First>(r, sums, at, literals);
    } else {
        run_point_lines<Kernel, First, Count / 2>(r, sums, at, literals);
        run_point_lines<Kernel, First + Count / 2, Count - Count / 2>(r, sums, at, literals);
    }
}

// f.run<I>() for each line that reduces. A struct and no lambda: nvcc names a kernel after it.
template <class Kernel, int I, class F> TRACEXPR_HD TRACEXPR_INLINE void for_each_reduction_at(F& f) {
    if constexpr (I < Kernel::size) {
        if constexpr (reduces_at<Kernel, I>) f.template run<I>();
        for_each_reduction_at<Kernel, I + 1>(f);
    }
}
} // namespace detail

// Values of a kernel's reductions.
template <class Kernel> struct point_sums : detail::accumulators<Kernel, point_target<Kernel>> {
    using target = point_target<Kernel>;
    template <int I> using type_at = detail::line_type<Kernel, target, I>;
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
        cursor const* results;
        template <int I> TRACEXPR_HD void run() {
            constexpr int access = Kernel::lines[I].b;
            *reinterpret_cast<type_at<I>*>(results[access].at) = detail::value_at<I>(*sums);
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
    TRACEXPR_HD void store(cursor const* results) const {
        storing f{this, results};
        detail::for_each_reduction_at<Kernel, 0>(f);
    }
};

// A loop: its kernel, where its accesses lie, its space. The axes before `kept` tell results of reductions apart; without
// reductions all do.
template <class Kernel> struct point_kernel {
    static constexpr int accesses = detail::point_accesses<Kernel>;
    point_access access[accesses];
    literal_bits literals[detail::point_literals<Kernel>];
    std::int64_t extent[2 * max_rank];
    std::int64_t stride_of[2 * max_rank][accesses]; // in elements
    int rank, kept;

    TRACEXPR_HD std::int64_t points(int first, int last) const {
        std::int64_t count = 1;
        for (int axis = first; axis < last; ++axis) count *= extent[axis];
        return count;
    }
    // Moves cursors to a point of the axes first .. last - 1, the last of which varies fastest.
    TRACEXPR_HD void move(cursor* at, std::int64_t point, int first, int last) const {
        for (int axis = last - 1; axis >= first; --axis) {
            std::int64_t const index = point % extent[axis];
            point /= extent[axis];
            for (int k = 0; k < accesses; ++k) {
                at[k].index += index * stride_of[axis][k];
                at[k].at += index * stride_of[axis][k] * access[k].element_bytes;
            }
        }
    }
    TRACEXPR_HD void begin(cursor* at) const {
        for (int k = 0; k < accesses; ++k) at[k] = {access[k].at, access[k].index, 0};
    }
    TRACEXPR_HD void run(cursor const* at, point_sums<Kernel>& sums) const {
        detail::registers<Kernel, point_target<Kernel>> r;
        detail::run_point_lines<Kernel, 0, Kernel::size>(r, sums, at, literals);
    }
};

// Computes one point of a loop that only stores, or one result of its reductions.
template <class Kernel> struct run_point {
    point_kernel<Kernel> loop;
    TRACEXPR_HD void operator()(std::int64_t point) const {
        cursor at[point_kernel<Kernel>::accesses];
        point_sums<Kernel> sums;
        loop.begin(at);
        loop.move(at, point, 0, loop.kept);
        if constexpr (!Kernel::reduces) {
            loop.run(at, sums);
        } else {
            sums.reset();
            std::int64_t const count = loop.points(loop.kept, loop.rank);
            for (std::int64_t i = 0; i < count; ++i) {
                cursor here[point_kernel<Kernel>::accesses];
                for (int k = 0; k < point_kernel<Kernel>::accesses; ++k) here[k] = at[k];
                loop.move(here, i, loop.kept, loop.rank);
                loop.run(here, sums);
            }
            sums.store(at);
        }
    }
};

// What one point adds to the reductions, and how they are put together: for transform_reduce.
template <class Kernel> struct point_terms {
    point_kernel<Kernel> loop;
    TRACEXPR_HD point_sums<Kernel> operator()(std::int64_t point) const {
        cursor at[point_kernel<Kernel>::accesses];
        point_sums<Kernel> sums;
        sums.reset();
        loop.begin(at);
        loop.move(at, point, loop.kept, loop.rank);
        loop.run(at, sums);
        return sums;
    }
};
template <class Kernel> struct merge_sums {
    TRACEXPR_HD point_sums<Kernel> operator()(point_sums<Kernel> a, point_sums<Kernel> const& b) const {
        a.merge(b);
        return a;
    }
};

} // namespace tx::inline TRACEXPR_TARGET::simd
