// This file declares how executors find the code of a step: by the strategy that the plan has for it.
#pragma once

#include <tracexpr/passes/plan_tables.hpp>

#include <cstddef>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

// There is a specialization for each strategy, with static void run(plan_view const&, std::byte* const* buffers). Form::plan() is
// the compiler's plan; the plan at run time has the same form and, if Form::is_static, the same numbers.
template <strategy Way, class Form, std::size_t Step, class Arch> struct run_as;

// piece_of is the form of a piece of a loop, whose numbers differ from those that the compiler knows.
template <class Form> struct piece_of : Form {
    using whole = Form;
    static constexpr bool is_static = false;
};
template <class Form> concept is_piece = requires { typename Form::whole; };

template <class Form, std::size_t Step, class Arch>
TRACEXPR_INLINE void run_as_planned(plan_view const& p, std::byte* const* buffers) {
    constexpr plan_step known = Form::plan().steps[Step];
    // A piece of a row has another length than the row.
    constexpr bool is_cut = is_piece<Form> && known.strategy == strategy::known_row;
    constexpr strategy way = is_cut ? known.otherwise : known.strategy;
    if constexpr (!Form::is_static && known.call == node_id::none) {
        strategy const now = p.loops[known.loops.first].kept;
        // A piece of a static graph keeps the strategy that the compiler chose.
        if constexpr (!TRACEXPR_HAS_ROUTINES && !Form::graph().is_static())
            if (now == strategy::strided) return run_as<strategy::strided, Form, Step, Arch>::run(p, buffers);
        if constexpr (way != known.otherwise)
            if (now != way) return run_as<known.otherwise, Form, Step, Arch>::run(p, buffers);
    }
    run_as<way, Form, Step, Arch>::run(p, buffers);
}

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
