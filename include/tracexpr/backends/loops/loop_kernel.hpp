// This file makes the kernel type of a plan's loop, and its numbers, if the compiler knows the plan.
#pragma once

#include <tracexpr/backends/loops/loops.hpp>
#include <tracexpr/backends/run_as.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

using tx::detail::packed_access, tx::detail::packed_access_of, tx::detail::row_length, tx::detail::rows_together;

// Form::plan() is a constexpr plan_view, and Form::graph() its graph. Line maps a line that has an access, and what the plan says
// of the access, to the line of the kernel.
template <class Form, std::size_t Loop, kernel_line (*Line)(kernel_line, plan_access const&)> struct kernel_with_lines {
    static constexpr plan_loop loop = Form::plan().loops[Loop];
    static constexpr std::uint64_t word(std::size_t k) {
        kernel_line l = Form::plan().lines[loop.lines.first + k];
        int const access = access_of(l);
        if (access >= 0) l = Line(l, Form::plan().accesses[loop.accesses.first + static_cast<std::size_t>(access)]);
        return encode({l.role, l.code, l.type, l.a, l.b, l.c}, l.mode, l.is_approximate);
    }
    template <class> struct make;
    template <std::size_t... K> struct make<std::index_sequence<K...>> {
        using type = kernel<word(K)...>;
    };
    using type = typename make<std::make_index_sequence<loop.lines.count>>::type;
};
constexpr kernel_line planned_line(kernel_line line, plan_access const&) { return line; }
template <class Form, std::size_t Loop> using loop_kernel = typename kernel_with_lines<Form, Loop, planned_line>::type;

// planned_loop is a loop as the compiler knows it, with functions for the numbers of a plan.
template <class Form, std::size_t Loop> struct planned_loop {
    static constexpr std::size_t number = Loop;
    static constexpr plan_loop known = Form::plan().loops[Loop];
    using kernel_type = loop_kernel<Form, Loop>;
    using literal_list = std::array<literal_bits, known.literals.count>;

    static constexpr plan_access const& planned(std::size_t k) { return Form::plan().accesses[known.accesses.first + k]; }
    static TRACEXPR_INLINE plan_loop const& loop(plan_view const& p) { return p.loops[Loop]; }
    static TRACEXPR_INLINE plan_access const* accesses(plan_view const& p) { return p.accesses.data() + known.accesses.first; }
    static TRACEXPR_INLINE constexpr literal_list literals(plan_view const& p) {
        literal_list out{};
        for (std::size_t k = 0; k != out.size(); ++k) out[k] = p.literals[known.literals.first + k].bits;
        return out;
    }
    static constexpr literal_list known_literals = literals(Form::plan());
};
// only_loop is the loop of a step that has only one.
template <class Form, std::size_t Step> using only_loop = planned_loop<Form, Form::plan().steps[Step].loops.first>;

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
