// This file finds the plan of a traced graph for the extents of a call: the compiler's plan if types tell all extents, else a
// plan that is made when it is first needed, and cached.
#pragma once

#include <tracexpr/backends/plan_now.hpp>
#include <tracexpr/backends/tiles/program_calls.hpp>
#include <tracexpr/base/per_thread.hpp>
#include <tracexpr/base/user_calls.hpp>
#include <tracexpr/passes/pipeline.hpp>

#include <array>
#include <memory>
#include <vector>

namespace tx::detail::inline TRACEXPR_TARGET {

// Returns the shape of a trace's parameter, as far as its type tells it.
template <class Stages> constexpr dims const& typed_shape(std::size_t parameter) {
    graph_view const& g = Stages::trace();
    return g.shape_of(g.parameters[parameter]);
}
template <class Stages> inline constexpr std::size_t parameter_count = Stages::trace().parameters.size();
template <class Stages> inline constexpr std::size_t open_extent_count = [] {
    std::size_t count = 0;
    for (std::size_t k = 0; k < parameter_count<Stages>; ++k)
        for (int axis = 0; axis < typed_shape<Stages>(k).rank; ++axis) count += typed_shape<Stages>(k)[axis] == dyn;
    return count;
}();

// open_captures holds the captures whose extents are known only to a run.
template <class Stages> struct open_captures {
    static constexpr bool is_open(node const& n) { return n.code == op::capture && !Stages::graph().shape_of(n).is_static(); }
    static constexpr std::size_t numbers = [] {
        std::size_t found = 0;
        for (node const& n : Stages::graph()) found += is_open(n) ? max_rank + 1 : 0;
        return found;
    }();
    // Copies their ranks and extents.
    static void copy_extents(std::int64_t* out) {
        for (node const& n : Stages::graph())
            if (is_open(n)) {
                captured const& c = Stages::graph().captures[static_cast<std::size_t>(n.bits[0])];
                dims const d = c.shape(c.address);
                *out++ = d.rank;
                for (int axis = 0; axis < max_rank; ++axis) *out++ = axis < d.rank ? d[axis] : 0;
            }
    }
};

// call_extents holds the numbers that distinguish calls of a trace: the extents that its parameters' types leave open, in order,
// then those of captures.
template <class Stages> using call_extents = std::array<std::int64_t, open_extent_count<Stages> + open_captures<Stages>::numbers>;
// std::array's == isn't used, because g++ calls memcmp for it.
template <std::size_t Count>
TRACEXPR_INLINE bool same_extents(std::array<std::int64_t, Count> const& a, std::array<std::int64_t, Count> const& b) {
    std::int64_t difference = 0;
    for (std::size_t k = 0; k < Count; ++k) difference |= a[k] ^ b[k];
    return difference == 0;
}
template <class Stages> TRACEXPR_INLINE void add_captures(call_extents<Stages>& open) {
    if constexpr (open_captures<Stages>::numbers > 0)
        open_captures<Stages>::copy_extents(open.data() + open_extent_count<Stages>);
}

// The plan of a call whose extents only a run knows: the compiler's kernels with the numbers of the call. If these don't fit and
// the program has the tile interpreter, that runs the loops that don't fit, or the whole call.
struct open_plan : plan_view {
    std::shared_ptr<tiles::program const> program, loops_on_tiles; // null if not used
};
template <class Stages> inline constexpr bool may_run_on_tiles =
    TRACEXPR_HAS_ROUTINES && !Stages::is_static && !Stages::passes.points;
template <class Stages> using plan_of = std::conditional_t<Stages::is_static, plan_view, open_plan>;
template <class Stages> using plan_for_call = std::conditional_t<Stages::is_static, plan_view, open_plan const&>;

// Programs that have the tile interpreter run such a call with it instead.
[[noreturn]] TRACEXPR_NOINLINE inline void throw_long_axis() {
    throw error("tx: argmin, argmax: an axis whose extent types don't tell must have at most 2,147,483,647 elements here");
}

// A region has no checks of its own: its arguments are values of the graph around it.
template <class Stages> void check_arguments_of([[maybe_unused]] table_view<dims> arguments) {
    if constexpr (!Stages::trace().checks.empty()) check_arguments(Stages::trace(), arguments);
}
// made_plan is a plan for one list of extents. Each thread keeps the last few of every trace.
template <class Stages> struct made_plan {
    call_extents<Stages> open;
    std::unique_ptr<plan_made_now, discard_plan> made;
    open_plan view;
};
template <class Stages> TRACEXPR_INLINE made_plan<Stages> const*& latest_plan() {
    constinit thread_local made_plan<Stages> const* latest = nullptr;
    return latest;
}
template <class Stages> class plan_memory {
public:
    ~plan_memory() { latest_plan<Stages>() = nullptr; }
    made_plan<Stages> const* find_or_make(call_extents<Stages> const& open) {
        for (auto const& known : plans_)
            if (known && same_extents(known->open, open)) return known.get();
        std::unique_ptr<made_plan<Stages>> fresh = make(open);
        std::unique_ptr<made_plan<Stages>>& oldest = plans_[next_++ % remembered];
        if (user_call::under_way() > 0) in_use_.push_back(std::move(oldest));
        else in_use_.clear();
        oldest = std::move(fresh);
        return oldest.get();
    }

private:
    static std::unique_ptr<made_plan<Stages>> make(call_extents<Stages> const& open) {
        dims arguments[parameter_count<Stages> + 1];
        std::size_t known = 0;
        for (std::size_t k = 0; k < parameter_count<Stages>; ++k) {
            arguments[k] = typed_shape<Stages>(k);
            for (int axis = 0; axis < arguments[k].rank; ++axis)
                if (arguments[k][axis] == dyn) arguments[k][axis] = open[known++];
        }
        check_arguments_of<Stages>({arguments, parameter_count<Stages>});
        auto out = std::make_unique<made_plan<Stages>>();
        out->open = open;
        out->made.reset(
            plan_now(Stages::graph(), Stages::clusters(), Stages::plan(), {arguments, parameter_count<Stages>}, Stages::passes));
        static_cast<plan_view&>(out->view) = out->made->of.view();
        if constexpr (may_run_on_tiles<Stages>) choose_tiles(*out, {arguments, parameter_count<Stages>});
        else if (out->made->fit.counts_on) throw_long_axis();
        return out;
    }

    static void choose_tiles(made_plan<Stages>& out, table_view<dims> arguments) {
        fit_of_plan const& fit = out.made->fit;
        bool const is_poor = fit.is_poor();
        if (is_poor || out.made->joins) {
            auto made = tiles::make_program<>(Stages::trace(), arguments, Stages::passes);
            if (is_poor || 2 * tiles::arena_bytes<>(*made) <= out.view.arena_bytes[0]) out.view.program = std::move(made);
        }
        if (!fit.all && !out.view.program)
            out.view.loops_on_tiles = tiles::make_loops<>(Stages::graph(), Stages::clusters(), arguments, Stages::passes);
    }

    static constexpr std::size_t remembered = 8;
    std::unique_ptr<made_plan<Stages>> plans_[remembered];
    // These plans may still be in use by a run that called a function of the user's.
    std::vector<std::unique_ptr<made_plan<Stages>>> in_use_;
    std::size_t next_ = 0;
};
template <class Stages> TRACEXPR_NOINLINE made_plan<Stages> const* find_or_make_plan(call_extents<Stages> const& open) {
    return latest_plan<Stages>() = per_thread<plan_memory<Stages>>().find_or_make(open);
}

// Returns the plan for the arguments' extents; for static shapes it is the compiler's own.
template <class Stages> TRACEXPR_INLINE plan_for_call<Stages> plan_for(call_extents<Stages> const& open) {
    if constexpr (Stages::is_static) {
        return Stages::plan();
    } else {
        made_plan<Stages> const* found = latest_plan<Stages>();
        if (!found || !same_extents(found->open, open)) found = find_or_make_plan<Stages>(open);
        return (found->view);
    }
}
template <class Stages> plan_for_call<Stages> plan_for(table_view<dims> arguments) {
    call_extents<Stages> open{};
    std::size_t known = 0;
    for (std::size_t k = 0; k < parameter_count<Stages>; ++k)
        for (int axis = 0; axis < typed_shape<Stages>(k).rank; ++axis)
            if (typed_shape<Stages>(k)[axis] == dyn) open[known++] = arguments[k][axis];
    add_captures<Stages>(open);
    return plan_for<Stages>(open);
}

} // namespace tx::detail::inline TRACEXPR_TARGET
