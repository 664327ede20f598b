// This file runs loops whose numbers differ from those that the compiler assumed, in programs that have no tile interpreter to
// run them: every access uses its stride, and reductions down columns are done one column after the other.
#pragma once

#include <tracexpr/backends/loops/loop_kernel.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

constexpr kernel_line strided_line(kernel_line line, plan_access const&) {
    line.mode = access_mode::strided;
    return line;
}

template <class Form, std::size_t Step, class Arch> struct run_as<strategy::strided, Form, Step, Arch> {
    static void run(plan_view const& p, std::byte* const* buffers) {
        walk const& outer = p.steps[Step].outer;
        if (outer.size() == 0) return;
        std::int64_t index[max_rank]{};
        for (int axis = 0; axis >= 0;) {
            [&]<std::size_t... L>(std::index_sequence<L...>) {
                (run_loop<loops.first + L>(p, buffers, index), ...);
            }(std::make_index_sequence<loops.count>{});
            for (axis = outer.rank - 1; axis >= 0; --axis) {
                if (++index[axis] < outer.extent[axis]) break;
                index[axis] = 0;
            }
        }
    }

private:
    static constexpr stretch loops = Form::plan().steps[Step].loops;

    template <std::size_t Loop>
    static void run_loop(plan_view const& p, std::byte* const* buffers, std::int64_t const* outer_index) {
        using planned = planned_loop<Form, Loop>;
        using kernel_type = typename kernel_with_lines<Form, Loop, strided_line>::type;
        constexpr row_facts rows = planned::known.rows.of_cut();
        plan_access const* const accesses = planned::accesses(p);
        auto const literals = planned::literals(p);
        plan_loop loop = planned::loop(p);
        bool const is_columns = loop.reduces && loop.columns;
        int const last = is_columns ? --loop.inner.rank : -1;
        if (!loop.reduces && loop.inner.size() == 0) return;
        cursors<kernel_type> block;
        block.begin(accesses, buffers, loop.inner.rank);
        for (int axis = 0; axis < p.steps[Step].outer.rank; ++axis)
            block.template advance<true>(accesses, axis, outer_index[axis]);
        for (std::int64_t column = 0; column < (is_columns ? loop.inner.extent[last] : 1); ++column) {
            run_block<strategy::rows, kernel_type, Arch, rows>(loop, accesses, literals.data(), block);
            if (is_columns) block.template advance<false>(accesses, last, 1);
        }
    }
};

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
