// This file runs loops of which the compiler knows the plan: a single row, or a walk along rows, columns or tiles.
#pragma once

#include <tracexpr/backends/loops/loop_kernel.hpp>
#include <tracexpr/backends/loops/packed_rows.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

// Sets the cursors to element First of the row, except that of access Except.
template <class Form, std::size_t Loop, std::int64_t First = 0, std::size_t Except = ~std::size_t{0}>
TRACEXPR_INLINE void place_cursors(cursor* cursors, std::byte* const* buffers) {
    constexpr plan_loop loop = Form::plan().loops[Loop];
    [&]<std::size_t... K>(std::index_sequence<K...>) TRACEXPR_INLINE_LAMBDA {
        (
            [&]() TRACEXPR_INLINE_LAMBDA {
                constexpr plan_access a = Form::plan().accesses[loop.accesses.first + K];
                constexpr std::int64_t stride = loop.inner.rank ? a.inner[0] : 0, at = a.offset + First * stride;
                cursors[K].index = at;
                cursors[K].stride = stride;
                if constexpr (a.buffer >= 0 && K != Except)
                    cursors[K].at = buffers[a.buffer] + at * static_cast<std::int64_t>(size_in_bytes(a.type));
            }(),
            ...);
    }(std::make_index_sequence<loop.accesses.count>{});
}
template <class Form, std::size_t Step, class Arch> struct run_as<strategy::known_row, Form, Step, Arch> : only_loop<Form, Step> {
    using base = only_loop<Form, Step>;
    static TRACEXPR_INLINE void run(plan_view const&, std::byte* const* buffers) {
        cursor cursors[base::known.accesses.count + 1];
        place_cursors<Form, base::number>(cursors, buffers);
        run_known_row<typename base::kernel_type, Arch, base::known.known_length, base::known.rows.overwritten>(
            cursors, base::known_literals.data());
    }
};

// The begin of a row for one access; only the members that its kernel reads are set.
struct row_start {
    std::byte* at;
    std::int64_t index, stride;
};
template <class Kernel, class Arch, row_facts Rows>
void run_whole_row(row_start const* given, literal_bits const* literals, std::int64_t n) {
    cursor cursors[access_count<Kernel> + 1]; // this copy can't be changed by a store, so it stays in registers
    for_each_access<Kernel>([&](auto k) TRACEXPR_INLINE_LAMBDA {
        constexpr std::size_t K = k.value;
        if constexpr (access_bytes<Kernel>[K] > 0) cursors[K].at = given[K].at;
        else cursors[K].index = given[K].index;
        if constexpr (has_stride<Kernel>[K]) cursors[K].stride = given[K].stride;
    });
    cascades<Kernel, vector_target<Kernel, Arch>> sums;
    clear<Kernel, vector_target<Kernel, Arch>>(sums);
    while_streaming<Kernel, Arch, Rows.cached>(n, cursors, [&]() TRACEXPR_INLINE_LAMBDA {
        if (n > 0) run_row<Kernel, Arch, Rows>(cursors, literals, n, sums);
    });
    if constexpr (Kernel::reduces) store_totals<Kernel, vector_target<Kernel, Arch>>(sums, cursors);
}
template <class Form, std::size_t Step, class Arch> struct run_as<strategy::open_row, Form, Step, Arch> : only_loop<Form, Step> {
    using base = only_loop<Form, Step>;
    static TRACEXPR_INLINE void run(plan_view const& p, std::byte* const* buffers) {
        using kernel_type = typename base::kernel_type;
        auto const literals = base::literals(p);
        plan_access const* const accesses = base::accesses(p);
        row_start starts[base::known.accesses.count + 1];
        for_each_access<kernel_type>([&](auto k) TRACEXPR_INLINE_LAMBDA {
            constexpr std::size_t K = k.value;
            constexpr std::int64_t bytes = access_bytes<kernel_type>[K];
            constexpr plan_access known = base::planned(K);
            std::int64_t const offset = known.offset == 0 && !is_piece<Form> ? 0 : accesses[K].offset;
            if constexpr (bytes > 0) starts[K].at = buffers[known.buffer] + offset * bytes;
            else starts[K].index = offset;
            if constexpr (has_stride<kernel_type>[K]) starts[K].stride = accesses[K].inner[0];
        });
        run_whole_row<kernel_type, Arch, base::known.rows>(starts, literals.data(), base::loop(p).inner.extent[0]);
    }
};

template <class Form, std::size_t Step, class Arch> struct run_as<strategy::short_rows, Form, Step, Arch>
    : only_loop<Form, Step> {
    using base = only_loop<Form, Step>;
    static TRACEXPR_INLINE void run(plan_view const& p, std::byte* const* buffers) {
        using kernel_type = typename base::kernel_type;
        auto const literals = base::literals(p);
        walk const& outer = p.steps[Step].outer;
        cursors<kernel_type> row;
        row.begin(base::accesses(p), buffers, 1);
        for_each_index<true>(outer, outer.rank, base::accesses(p), row, [&]() TRACEXPR_INLINE_LAMBDA {
            run_known_row<kernel_type, Arch, base::known.known_length, base::known.rows.overwritten>(row.at, literals.data());
        });
    }
};

template <strategy Way, class Form, std::size_t Step, class Arch>
requires(Way == strategy::rows || Way == strategy::columns || Way == strategy::tiles)
struct run_as<Way, Form, Step, Arch> : only_loop<Form, Step> {
    using base = only_loop<Form, Step>;
    static TRACEXPR_INLINE void run(plan_view const& p, std::byte* const* buffers) {
        auto const literals = base::literals(p);
        run_loop<Way, typename base::kernel_type, Arch, base::known.rows, base::known.inner.rank == 1>(
            p.steps[Step].outer, base::loop(p), base::accesses(p), literals.data(), buffers);
    }
};

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
