// This file runs row nests: a team of threads runs all loops of the nest on a row before it starts the next row. Elements are
// passed on in registers where each thread has the same elements in all loops, else through memory. Where there are few long rows
// each loop runs on all rows at once instead.
#pragma once

#include <tracexpr/thrust/columns.hpp>
#include <tracexpr/thrust/linked_nest.hpp>
#include <tracexpr/thrust/planned_points.hpp>
#include <tracexpr/thrust/reductions.hpp>
#include <tracexpr/thrust/short_sums.hpp>

namespace tx::detail::inline TRACEXPR_DEVICE {

// A loop that only stores: there is a task for each unit of points, and for each point left over.
template <class Loop> struct store_points {
    static constexpr bool is_single = true;
    Loop loop;
    template <class Team> TRACEXPR_HD void operator()(Team const&, std::int64_t task) const {
        typename Loop::place const at = loop.begin(nullptr);
        simd::point_sums<typename Loop::kernel_type> none;
        std::int64_t const units = loop.units();
        if constexpr (Loop::lanes > 1) {
            if (loop.vectorized && task < units) loop.template run<Loop::lanes>(at, task * Loop::lanes, none);
            else loop.template run<1>(at, loop.vectorized ? task + units * (Loop::lanes - 1) : task, none);
        } else {
            loop.template run<1>(at, task, none);
        }
    }
};

// Can the results of a loop that reduces have several pieces?
template <class Form, std::size_t Step, std::size_t Number, bool Teams> inline constexpr bool may_have_pieces = [] {
    if (!Form::is_static) return true;
    constexpr plan_loop l = Form::plan().loops[Number];
    std::int64_t const columns = l.reduces && l.columns ? row_length(l) : 1;
    std::int64_t const results = Form::plan().steps[Step].outer.size() * columns;
    std::int64_t const points = results > 0 ? l.inner.size() / columns : 0;
    auto const several = [&](std::int64_t units) { return way_of_reduction(results, units, l.columns, Teams).pieces > 1; };
    return several(points) || several(points / planned_lanes<Form, Number, Step>);
}();

template <class Form, std::size_t Step, std::size_t Number, class Queue, class Rows>
void reduce_whole_loop(Queue& queue, plan_view const& p, std::byte* const* buffers, Rows const& rows) {
    using loop_type = planned_points<Form, Step, Number>;
    constexpr bool teams = has_teams<Queue>,
                   short_terms = teams && std::is_same_v<Rows, no_row_buffers> && takes_short_sums<Form, Step, Number>;
    plan_loop const& of = p.loops[Number];
    walk const& outer = p.steps[Step].outer;
    loop_type const loop = point_loop_maker<loop_type>(p, of, buffers).split(outer, rows);
    bool const near = teams && has_near_results(p, Step, Number);
    if constexpr (short_terms) {
        using sums = short_sums<Form, Step, Number, loop_type>;
        if (near && sums::are_those(of.inner, outer)) return run_tasks(queue, typename sums::work{loop}, loop.results);
    }
    if constexpr (!(short_terms && Form::is_static)) {
        reduction_way way = way_of_reduction(loop.results, loop.units(), of.columns || near, teams);
        if (near) way.pieces = 1;
        run_reduction<may_have_pieces<Form, Step, Number, teams>>(queue, loop, way);
    }
}

// Runs a plan's loop over all indices of its outer axes.
template <class Form, std::size_t Step, std::size_t Number, class Queue, class Rows>
void run_whole_loop(Queue& queue, plan_view const& p, std::byte* const* buffers, Rows const& rows) {
    using loop_type = planned_points<Form, Step, Number>;
    constexpr plan_loop known = Form::plan().loops[Number];
    constexpr bool columns = has_teams<Queue> && has_enough_columns(known) && shared_by_columns<Form, Number> <= most_shared;
    if constexpr (columns)
        if (has_enough_columns(p.loops[Number])) return run_columns<Form, Step, Number>(queue, p, buffers);
    if constexpr (columns && Form::is_static) return;
    else if constexpr (loop_type::reduces) reduce_whole_loop<Form, Step, Number>(queue, p, buffers, rows);
    else {
        loop_type const loop = point_loop_maker<loop_type>(p, p.loops[Number], buffers).flat(p.steps[Step].outer, rows);
        std::int64_t const left = loop.vectorized ? loop.points % loop_type::lanes : 0;
        run_tasks(queue, store_points<loop_type>{loop}, loop.units() + left);
    }
}

template <class... Loops> struct row_loops;
template <> struct row_loops<> {
    template <class Team> TRACEXPR_HD void operator()(Team const&, std::int64_t) const {}
};
template <class Loop, class... Rest> struct row_loops<Loop, Rest...> {
    static constexpr bool is_single = false;
    Loop first;
    row_loops<Rest...> rest;

    TRACEXPR_CALLS_HOST
    template <class Team> TRACEXPR_HD void operator()(Team const& team, std::int64_t row) const {
        typename Loop::place at = first.begin(team.memory);
        first.move(at, row, 0, first.outer);
        simd::point_sums<typename Loop::kernel_type> sums;
        sums.reset();
        first.run_share(at, {team.rank(), team.size(), first.units(), team.rank(), team.size()}, sums);
        if constexpr (Loop::reduces) {
            team.merge(sums);
            if (team.rank() == 0) sums.store(at);
        }
        team.wait();
        rest(team, row);
    }
};

template <class Form, std::size_t Step> class row_nest {
public:
    template <class Queue> static void run(Queue& queue, plan_view const& p, std::byte* const* buffers) {
        constexpr bool teams = has_teams<Queue>;
        using in_registers = linked_nest<Form, Step>;
        if (p.steps[Step].outer.size() == 0) return;
        if constexpr (teams && in_registers::fits)
            if (in_registers::run(queue, p, buffers)) return;
        if constexpr (!(teams && in_registers::always)) run_by_memory(queue, p, buffers);
    }

private:
    // Rows are passed from loop to loop in memory of the team that computes them.
    template <class Queue> static void run_by_memory(Queue& queue, plan_view const& p, std::byte* const* buffers) {
        constexpr bool teams = has_teams<Queue>;
        constexpr std::int32_t known = Form::is_static ? team_for(Form::plan(), teams) : unknown;
        std::int32_t const team = team_for(p, teams);
        if constexpr (known != 0)
            if (team != 0) return row_by_row(queue, p, buffers, team);
        if constexpr (known == 0 || known == unknown) loop_by_loop(queue, p, buffers, numbers{});
    }

    static constexpr plan_step form = Form::plan().steps[Step];
    static constexpr std::int32_t unknown = -1;
    using numbers = std::make_index_sequence<form.loops.count>;
    using rows_type = row_buffers<Form::plan().buffers.size()>;
    // The accesses to the arena, a bit for each.
    template <std::size_t L> static constexpr std::uint64_t local_accesses = [] {
        std::uint64_t out = 0;
        stretch const accesses = Form::plan().loops[form.loops.first + L].accesses;
        for (std::uint32_t k = 0; k < accesses.count; ++k)
            if (std::int32_t const b = Form::plan().accesses[accesses.first + k].buffer;
                b >= 0 && Form::plan().buffers[static_cast<std::size_t>(b)].place == buffer_place::arena)
                out |= std::uint64_t{1} << (k < 63 ? k : 63);
        return out;
    }();
    template <std::size_t L> using loop_type = planned_points<Form, Step, form.loops.first + L, local_accesses<L>>;

    // Gives the buffers that the nest stores at the same place for each row.
    static rows_type own_buffers(plan_view const& p) {
        rows_type out;
        out.bytes = place_row_buffers(p, p.steps[Step], out.offset.data());
        return out;
    }
    static constexpr std::int32_t team_for(plan_view const& p, bool teams) {
        return team_of_rows(p.steps[Step].outer.size(), longest_row(p, numbers{}), teams);
    }
    // The extents alone decide, so that the team is the same wherever the buffers are.
    template <std::size_t... L> static constexpr row_size longest_row(plan_view const& p, std::index_sequence<L...>) {
        row_size out;
        auto const add = [&](plan_loop const& l, std::int64_t lanes) {
            std::int64_t const points = l.inner.size(), lanes_used = lanes > 1 && row_length(l) % lanes == 0 ? lanes : 1;
            out.points = std::max(out.points, points), out.units = std::max(out.units, points / lanes_used);
        };
        (add(p.loops[form.loops.first + L], loop_type<L>::lanes), ...);
        return out;
    }
    template <std::size_t L> static loop_type<L> loop(plan_view const& p, std::byte* const* buffers, rows_type const& own) {
        return point_loop_maker<loop_type<L>>(p, p.loops[form.loops.first + L], buffers).split(p.steps[Step].outer, own);
    }
    template <std::size_t... L> static row_loops<loop_type<L>...> all_loops(plan_view const& p, std::byte* const* buffers,
                                                                            rows_type const& own, std::index_sequence<L...>) {
        return nested(loop<L>(p, buffers, own)...);
    }
    static row_loops<> nested() { return {}; }
    template <class Loop, class... Rest> static row_loops<Loop, Rest...> nested(Loop const& first, Rest const&... rest) {
        return {first, nested(rest...)};
    }
    template <class Queue>
    static void row_by_row(Queue& queue, plan_view const& p, std::byte* const* buffers, std::int32_t team) {
        rows_type const own = own_buffers(p);
        run_tasks(queue, all_loops(p, buffers, own, numbers{}), p.steps[Step].outer.size(), {team, own.bytes});
    }
    template <class Queue, std::size_t... L>
    static void loop_by_loop(Queue& queue, plan_view const& p, std::byte* const* buffers, std::index_sequence<L...>) {
        rows_type own = own_buffers(p);
        device_block const memory(queue, own.bytes * p.steps[Step].outer.size());
        own.all_rows = memory.data();
        (run_whole_loop<Form, Step, form.loops.first + L>(queue, p, buffers, own), ...);
    }
};

} // namespace tx::detail::inline TRACEXPR_DEVICE
