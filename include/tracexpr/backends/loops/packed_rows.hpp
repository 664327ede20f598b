// This file runs loops over rows that are about as short as a vector, many rows as one. Accesses whose rows are contiguous read
// and store across them; what repeats in each row, or is constant along a row, is first expanded into scratch memory. Sums down
// the columns are computed for a row of as many columns as several rows have, and added up at the end.
#pragma once

#include <tracexpr/backends/loops/loop_kernel.hpp>

#include <bit>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

template <class Form, std::size_t Step, class Arch> struct run_as<strategy::packed_rows, Form, Step, Arch>
    : only_loop<Form, Step> {
private:
    using base = only_loop<Form, Step>;
    using way = packed_access;
    static constexpr plan_loop known = base::known;
    static constexpr int rank = known.inner.rank, across = rank - 2, count = static_cast<int>(known.accesses.count),
                         lanes = known.lanes;                                             // across is the axis of the rows
    static constexpr std::int64_t n = row_length(known), together = rows_together(known); // n is the length of a row
    using planned_kernel = typename base::kernel_type;

    static constexpr way way_of(std::size_t access) { return packed_access_of(base::planned(access), known); }
    static constexpr kernel_line line(kernel_line planned, plan_access const& a) {
        if (packed_access_of(a, known) == way::spread) planned.mode = access_mode::contiguous;
        return planned;
    }

public:
    static void run(plan_view const& p, std::byte* const* buffers) {
        plan_loop const& loop = base::loop(p);
        plan_access const* const accesses = base::accesses(p);
        auto const literals = base::literals(p);
        cursors<kernel_type> block;
        block.begin(accesses, buffers, rank);
        if constexpr (known.reduces) {
            run_columns(loop.inner.extent[0], accesses, literals.data(), block);
        } else {
            while_streaming<kernel_type, Arch, false>(loop.inner.size(), block.at, [&] {
                for_each_index<false>(loop.inner, across, accesses, block,
                                      [&] { run_rows(loop.inner.extent[across], accesses, literals.data(), block); });
            });
        }
    }

private:
    using kernel_type = typename kernel_with_lines<Form, base::number, line>::type;
    using target = vector_target<kernel_type, Arch>;

    // `tiles` is scratch memory for expanded accesses. There is room for a vector behind the last row.
    struct tiles {
        alignas(64) std::byte
            bytes[access_count<kernel_type>][static_cast<std::size_t>(together * n + lanes) * most_access_bytes<kernel_type>];
        template <class T> T* at(std::size_t k) { return reinterpret_cast<T*>(bytes[k]); }
    };
    // Calls f(access, an element) for the accesses that are of that kind.
    template <way Way, class F> static TRACEXPR_INLINE void for_each_access_that_is(F f) {
        for_each_access<kernel_type>([&](auto k) TRACEXPR_INLINE_LAMBDA {
            if constexpr (way_of(k.value) == Way) f(k.value, ctype<base::planned(k.value).type>{});
        });
    }
    static void write_repeated(std::int64_t rows, tiles& scratch, cursors<kernel_type>& here) {
        for_each_access_that_is<way::repeated>([&]<class T>(std::size_t k, T) {
            T const* const row = element_pointer<T const>(here.at[k]);
            for (std::int64_t r = 0; r < std::min(rows, together); ++r) std::copy_n(row, n, scratch.template at<T>(k) + r * n);
            here.at[k].at = scratch.bytes[k];
        });
    }

    static void run_rows(std::int64_t rows, plan_access const* accesses, literal_bits const* literals,
                         cursors<kernel_type> const& block) {
        tiles scratch;
        cursors<kernel_type> here = block;
        write_repeated(rows, scratch, here);
        for_each_access_that_is<way::spread>([&]<class T>(std::size_t k, T) { here.at[k].at = scratch.bytes[k]; });
        cascades<kernel_type, target> none;
        for (std::int64_t row = 0; row < rows; row += together) {
            std::int64_t const used = std::min(together, rows - row);
            for_each_access_that_is<way::spread>([&]<class T>(std::size_t k, T) {
                std::int64_t const step = accesses[k].inner[across];
                spread(element_pointer<T const>(block.at[k]) + row * step, step, used, scratch.template at<T>(k));
            });
            run_row<kernel_type, Arch, known.rows.of_cut()>(here.at, literals, used * n, none);
            for_each_access_that_is<way::in_one_piece>(
                [&]<class T>(std::size_t k, T) { here.at[k].at += used * n * static_cast<std::int64_t>(sizeof(T)); });
        }
    }
    // Writes each of `used` elements, `step` apart, n times; it stores a vector at a time, and the next row overwrites what is
    // too much.
    template <class T> static TRACEXPR_INLINE void spread(T const* from, std::int64_t step, std::int64_t used, T* to) {
        constexpr int w = static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(n)));
        if constexpr (is_vectorizable<T> && w <= lanes) {
            for (std::int64_t row = 0; row < used; ++row)
                store_value<T, w>(to + row * n, broadcast_value<T, w, planned_kernel::widest>(from[row * step]));
        } else {
            for (std::int64_t row = 0; row < used; ++row) std::fill_n(to + row * n, n, from[row * step]);
        }
    }

    static void run_columns(std::int64_t rows, plan_access const* accesses, literal_bits const* literals,
                            cursors<kernel_type> const& block) {
        tiles scratch;
        tiles rest_sums;
        cursors<kernel_type> here = block, rest = block;
        std::int64_t const packed = rows / together;
        rest.template advance<false>(accesses, 0, packed * together);
        plan_access packed_accesses[count];
        for (int k = 0; k < count; ++k) {
            packed_accesses[k] = accesses[k];
            packed_accesses[k].inner[0] *= together;
        }
        write_repeated(rows, scratch, here);
        for_each_access_that_is<way::total>([&]<class T>(std::size_t k, T) {
            here.at[k].at = scratch.bytes[k], rest.at[k].at = rest_sums.bytes[k];
            here.at[k].stride = rest.at[k].stride = 1;
        });
        run_strips(packed, together * n, packed_accesses, literals, here);
        run_strips(rows % together, n, accesses, literals, rest);
        for_each_line<kernel_type, is_reduction>([&](auto line) {
            constexpr kernel_line l = kernel_type::lines[line.value];
            using T = ctype<l.type>;
            T *const out = element_pointer<T>(block.at[l.b]), *const sums = scratch.template at<T>(l.b);
            for (std::int64_t i = 0; i < n; ++i) {
                T sum = rest_sums.template at<T>(l.b)[i];
                for (std::int64_t r = 0; r < together; ++r)
                    sum = combine<simd::target<1, kernel_type::widest, Arch>, l.code, T>(sum, sums[r * n + i]);
                out[i] = sum;
            }
        });
    }
    static void run_strips(std::int64_t rows, std::int64_t width, plan_access const* accesses, literal_bits const* literals,
                           cursors<kernel_type>& top) {
        constexpr std::int64_t strip = strip_vectors * lanes;
        walk const block{2, {rows, width}};
        for (std::int64_t i = 0; i < width; i += strip)
            run_strip<kernel_type, target, known.rows.of_cut()>(block, accesses, literals, top, i, std::min(i + strip, width),
                                                                width);
    }
};

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
