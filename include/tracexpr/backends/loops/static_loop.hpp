// How a loop runs whose form the compiler knows.
#pragma once

#include <tracexpr/backends/loops/kept_between.hpp>
#include <tracexpr/backends/loops/packed_rows.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

using tx::detail::begins_with_buffer, tx::detail::has_low_columns, tx::detail::is_row;

// One row whose length the compiler knows.
template <class Form, std::size_t Step, std::size_t Loop> inline constexpr bool is_static_row =
    Form::is_static && Form::plan().steps[Step].outer.rank == 0 && Form::plan().loops[Loop].inner.rank <= 1 &&
    !Form::plan().loops[Loop].columns;
template <class Form, std::size_t Loop> inline constexpr std::int64_t row_length =
    Form::plan().loops[Loop].inner.rank ? Form::plan().loops[Loop].inner.extent[0] : 1;

// The accesses that the rows of a loop over columns have in common, a bit for each.
template <class Form, std::size_t Loop> inline constexpr std::uint64_t still_accesses = [] {
    plan_loop const& loop = Form::plan().loops[Loop];
    int const rows = loop.inner.rank > 1 ? loop.inner.rank - 2 : 0;
    std::uint64_t still = 0;
    if (Form::is_static && loop.columns && loop.inner.rank > 1)
        for (std::uint32_t k = 0; k < loop.accesses.count && k < 64; ++k)
            if (Form::plan().accesses[loop.accesses.first + k].inner[rows] == 0) still |= std::uint64_t{1} << k;
    return still;
}();

template <class Form, std::size_t Step, std::size_t Loop, class Kernel, class Arch> struct rows_of_loop {
    static constexpr walk inner = Form::plan().loops[Loop].inner;
    static constexpr std::int64_t length = inner.rank ? inner.extent[inner.rank - 1] : 1;
    static constexpr std::int64_t elements = inner.size() * Form::plan().steps[Step].outer.size();
    using type = known_rows < Form::is_static &&length >= vector_target<Kernel, Arch>::lanes,
          Form::is_static &&elements<streamed_bytes / Kernel::widest, Form::plan().loops[Loop].overwrites,
                                     has_low_columns(Form::plan().loops[Loop]), still_accesses<Form, Loop>>;
};
template <class Form, std::size_t Step, std::size_t Loop, class Kernel, class Arch> using rows_of =
    typename rows_of_loop<Form, Step, Loop, Kernel, Arch>::type;

template <class Form, std::size_t Loop> struct static_literals {
    static constexpr auto value =
        literals_of<Form::plan().loops[Loop].literals.count>(Form::plan(), Form::plan().loops[Loop].literals.first);
};
// At the row's element First; access Except is left out.
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
template <class Form, std::size_t Loop, class Arch> TRACEXPR_INLINE void run_static_row(std::byte* const* buffers) {
    using kernel_type = typename loop_kernel<Form, Loop, false>::type;
    cursor cursors[Form::plan().loops[Loop].accesses.count + 1];
    place_cursors<Form, Loop>(cursors, buffers);
    run_known_row<kernel_type, Arch, row_length<Form, Loop>, Form::plan().loops[Loop].overwrites>(
        cursors, static_literals<Form, Loop>::value.data());
}

template <class Form, std::size_t Step, std::size_t Loop> inline constexpr bool is_open_row =
    is_row(Form::plan().steps[Step].outer, Form::plan().loops[Loop]);

// Where an access of a row begins; only what its kernel reads of it is set.
struct row_start {
    std::byte* at;
    std::int64_t index, stride;
};
template <class Kernel, class Arch, class Rows>
void run_whole_row(row_start const* given, literal_bits const* literals, std::int64_t n) {
    cursor cursors[access_count<Kernel> + 1]; // a copy that no store can change, so that it stays in registers
    for_each_access<Kernel>([&](auto k) TRACEXPR_INLINE_LAMBDA {
        constexpr std::size_t K = k.value;
        if constexpr (access_bytes<Kernel>[K] > 0) cursors[K].at = given[K].at;
        else cursors[K].index = given[K].index;
        if constexpr (has_stride<Kernel>[K]) cursors[K].stride = given[K].stride;
    });
    cascades<Kernel, vector_target<Kernel, Arch>> sums;
    clear<Kernel, vector_target<Kernel, Arch>>(sums);
    while_streaming<Kernel, Arch, Rows::cached>(n, cursors, [&]() TRACEXPR_INLINE_LAMBDA {
        if (n > 0) run_row<Kernel, Arch, Rows>(cursors, literals, n, sums);
    });
    if constexpr (Kernel::reduces) store_totals<Kernel, vector_target<Kernel, Arch>>(sums, cursors);
}
template <class Form, std::size_t Step, std::size_t Loop, class Arch> TRACEXPR_INLINE void
run_open_row(plan_loop const& loop, plan_access const* accesses, literal_bits const* literals, std::byte* const* buffers) {
    constexpr plan_loop form = Form::plan().loops[Loop];
    using kernel_type = typename loop_kernel<Form, Loop, false>::type;
    row_start starts[form.accesses.count + 1];
    for_each_access<kernel_type>([&](auto k) TRACEXPR_INLINE_LAMBDA {
        constexpr std::size_t K = k.value;
        constexpr std::int64_t bytes = access_bytes<kernel_type>[K];
        constexpr plan_access known = Form::plan().accesses[form.accesses.first + K];
        std::int64_t const offset = begins_with_buffer(known) && !is_piece<Form> ? 0 : accesses[K].offset;
        if constexpr (bytes > 0) starts[K].at = buffers[known.buffer] + offset * bytes;
        else starts[K].index = offset;
        if constexpr (has_stride<kernel_type>[K]) starts[K].stride = accesses[K].inner[0];
    });
    run_whole_row<kernel_type, Arch, rows_of<Form, Step, Loop, kernel_type, Arch>>(starts, literals, loop.inner.extent[0]);
}

// Rows of a known length that are each reduced, and too short for a cascade.
template <class Form, std::size_t Step, std::size_t Loop, class Kernel, class Arch>
inline constexpr bool reduces_short_rows = [] {
    plan_loop const& form = Form::plan().loops[Loop];
    constexpr std::int64_t n = row_length<Form, Loop>;
    return form.reduces && !form.columns && form.inner.rank == 1 && Form::plan().steps[Step].outer.rank > 0 &&
           n <= 8 * vector_target<Kernel, Arch>::lanes && is_short_row<Kernel, Arch, n>;
}();

template <class Form, std::size_t Step, std::size_t Loop, class Arch>
TRACEXPR_INLINE void run_plan_loop(plan_view const& p, walk const& outer, std::byte* const* buffers) {
    constexpr plan_loop form = Form::plan().loops[Loop];
    if constexpr (is_static_row<Form, Step, Loop>)
        if constexpr (is_known_row<typename loop_kernel<Form, Loop, false>::type, Arch, row_length<Form, Loop>>) {
            run_static_row<Form, Loop, Arch>(buffers);
            return;
        }
    plan_loop const& loop = p.loops[Loop];
    auto const literals = literals_of<form.literals.count>(p, form.literals.first);
    plan_access const* const accesses = p.accesses.data() + form.accesses.first;
    if constexpr (has_open_modes<Form>)
        if (!loop.has_known_form) {
            run_loop<typename loop_kernel<Form, Loop, true>::type, Arch, form.columns, known_rows<false, false, form.overwrites>>(
                outer, loop, accesses, literals.data(), buffers);
            return;
        }
    if constexpr (packed_rows<Form, Step, Loop, Arch>::apply)
        if (packed_rows<Form, Step, Loop, Arch>::run(outer, loop, accesses, literals.data(), buffers)) return;
    if constexpr (kept_between<Form, Step, Loop, Arch>::apply)
        if (kept_between<Form, Step, Loop, Arch>::run(outer, loop, accesses, literals.data(), buffers)) return;
    using kernel_type = typename loop_kernel<Form, Loop, false>::type;
    if constexpr (reduces_short_rows<Form, Step, Loop, kernel_type, Arch>)
        if (loop.inner.rank == 1 && loop.inner.extent[0] == row_length<Form, Loop>) {
            cursors<kernel_type> row;
            row.begin(accesses, buffers, 1);
            for_each_index<true>(outer, outer.rank, accesses, row, [&]() TRACEXPR_INLINE_LAMBDA {
                run_known_row<kernel_type, Arch, row_length<Form, Loop>, form.overwrites>(row.at, literals.data());
            });
            return;
        }
    if constexpr (is_open_row<Form, Step, Loop>) run_open_row<Form, Step, Loop, Arch>(loop, accesses, literals.data(), buffers);
    else
        run_loop<kernel_type, Arch, form.columns, rows_of<Form, Step, Loop, kernel_type, Arch>>(outer, loop, accesses,
                                                                                                literals.data(), buffers);
}

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
