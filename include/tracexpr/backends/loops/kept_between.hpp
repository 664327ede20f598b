// Reductions over axes on both sides of one that is kept (a batch's means for each channel). Each kept index by itself would take
// a short row here and there; so several are reduced side by side, in the order of memory, each in an accumulator of its own.
#pragma once

#include <tracexpr/backends/loops/loop_kernel.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

template <class Form, std::size_t Step, class Arch> struct run_as<strategy::kept_between, Form, Step, Arch>
    : only_loop<Form, Step> {
private:
    using base = only_loop<Form, Step>;
    static constexpr int kept = Form::plan().steps[Step].outer.rank - 1; // the axis
    using kernel_type = typename base::kernel_type;
    using target = vector_target<kernel_type, Arch>;
    using cursors_type = cursors<kernel_type>;
    static constexpr std::int64_t lanes = target::lanes, side_by_side = 32;

public:
    static void run(plan_view const& p, std::byte* const* buffers) {
        walk const &outer = p.steps[Step].outer, &inner = base::loop(p).inner;
        plan_access const* const accesses = base::accesses(p);
        auto const literals = base::literals(p);
        cursors_type block;
        block.begin(accesses, buffers, inner.rank);
        for_each_index<true>(outer, kept, accesses, block, [&] {
            for (std::int64_t first = 0; first < outer.extent[kept]; first += side_by_side) {
                cursors_type here = block;
                here.template advance<true>(accesses, kept, first);
                run_some(inner, row_length(base::loop(p)), std::min(side_by_side, outer.extent[kept] - first), accesses,
                         literals.data(), here);
            }
        });
    }

private:
    static void run_some(walk const& inner, std::int64_t n, std::int64_t count, plan_access const* accesses,
                         literal_bits const* literals, cursors_type& block) {
        cascades<kernel_type, target> sums[side_by_side];
        accumulators<kernel_type, target> acc[side_by_side];
        steps_along<kernel_type> next;
        next.template begin<true>(accesses, kept);
        std::int64_t const rows_of_block = std::max<std::int64_t>(block_vectors * lanes / n, 1);
        for (std::int64_t k = 0; k < count; ++k) clear<kernel_type, target>(sums[k]);
        auto const push_all = [&] {
            for (std::int64_t k = 0; k < count; ++k) push<kernel_type, target>(sums[k], acc[k]);
        };
        std::int64_t rows = 0; // in the accumulators
        for_each_index<false>(inner, inner.rank - 1, accesses, block, [&] {
            if (rows == rows_of_block) push_all(), rows = 0;
            for (std::int64_t k = 0; rows == 0 && k < count; ++k) reset<kernel_type, target>(acc[k]);
            cursors_type row = block;
            for (std::int64_t k = 0; k < count; ++k) {
                add_row(row, literals, n, acc[k]);
                next.take(row);
            }
            ++rows;
        });
        if (rows) push_all();
        for (std::int64_t k = 0; k < count; ++k) {
            store_totals<kernel_type, target>(sums[k], block.at);
            next.take(block);
        }
    }
    static TRACEXPR_INLINE void add_row(cursors_type const& row, literal_bits const* literals, std::int64_t n,
                                        accumulators<kernel_type, target>& acc) {
        using used = lanes_used;
        auto const fixed = run_invariants<kernel_type, target>(row.at, literals);
        std::int64_t i = 0;
        for (; i + lanes <= n; i += lanes)
            run_body<kernel_type, target, used::all_cached>(fixed, acc, row.at, literals, i, lanes);
        if (i == n) return;
        if (base::known.rows.overwritten || n < lanes)
            run_body<kernel_type, target, used::first>(fixed, acc, row.at, literals, i, n - i);
        else run_body<kernel_type, target, used::last>(fixed, acc, row.at, literals, n - lanes, n - i);
    }
};

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
