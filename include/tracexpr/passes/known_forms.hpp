// Loops that executors have special code for, chosen by the compiler: which they are, and whether a plan of other numbers keeps
// to that.
#pragma once

#include <tracexpr/passes/plan_tables.hpp>

namespace tx::detail::inline TRACEXPR_PROCESSOR {

// A loop that is one row, which is most of what a call on vectors does.
constexpr bool is_row(walk const& outer, plan_loop const& loop) {
    return outer.rank == 0 && loop.inner.rank == 1 && !loop.columns;
}

// Rows whose columns are reduced side by side.
inline constexpr std::int64_t rows_at_once = 8;
// Columns so low that their sums stay in registers.
constexpr bool has_low_columns(plan_loop const& loop) {
    return loop.columns && loop.inner.rank == 2 && loop.inner.extent[0] <= rows_at_once;
}

// A row's cursor then needs no offset, which would have to be fetched from the plan first.
constexpr bool begins_with_buffer(plan_access const& a) { return a.offset == 0; }

// Tells a plan of numbers found out at run time which of its loops are what the compiler took them for in `known`.
inline void compare_forms(plan_view const& known, plan& p) {
    for (std::size_t s = 0; s < known.steps.size(); ++s)
        for (std::uint32_t l = 0; l < known.steps[s].loops.count; ++l) {
            plan_loop const& form = known.loops[known.steps[s].loops.first + l];
            plan_loop& loop = p.loops[known.steps[s].loops.first + l];
            bool const row = is_row(known.steps[s].outer, form);
            loop.has_known_form = loop.columns == form.columns && (!row || is_row(p.steps[s].outer, loop)) &&
                                  (!has_low_columns(form) || loop.inner.rank == 2);
            for (std::uint32_t k = 0; k < form.accesses.count; ++k) {
                plan_access const &here = p.accesses[form.accesses.first + k], &there = known.accesses[form.accesses.first + k];
                loop.has_known_form = loop.has_known_form && here.mode == there.mode &&
                                      (!row || begins_with_buffer(there) <= begins_with_buffer(here));
            }
        }
}

} // namespace tx::detail::inline TRACEXPR_PROCESSOR
