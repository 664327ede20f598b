// This file lists the steps of a plan for tx::profile, and runs a program often enough to measure them.
#pragma once

#include <tracexpr/backends/step_times.hpp>
#include <tracexpr/passes/step_facts.hpp>
#include <tracexpr/run/profile_report.hpp>
#include <tracexpr/run/random/stateful.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace tx::detail {

// Would running the graph twice be observable? It is then run once. Drawing random numbers is an effect too, but the numbers can
// be drawn again.
TRACEXPR_ONCE bool acts_on_the_world(graph_view const& g) {
    for (table_view<node> const& all : {g.nodes, g.region_nodes})
        for (node const& n : all)
            if (info(n.code).kind == kind::effect) return true;
    captured const draw = stateless_callee<put_fresh_key>::as_captured();
    auto const is_other = [&](captured const& c) { return c.shape == shape_of_callee && !(c == draw); };
    return calls_functions(g) && std::any_of(g.captures.begin(), g.captures.end(), is_other);
}
// Runs it as often as was asked for, alternately without and with clocks around steps, and returns the number of repetitions.
template <class Run, class Timed>
int repeat_runs(profile_options const& o, bool once, double& least, Run const& run, Timed const& timed) {
    double const start = seconds_now();
    auto const measured = [&](auto const& of) {
        double const before = seconds_now();
        of();
        least = std::min(least, seconds_now() - before);
    };
    if (once) return measured(timed), 1;
    int const most = o.repetitions > 0 ? o.repetitions : 1000;
    run(); // plans and memory are made now
    for (int done = 1;; ++done) {
        measured(run);
        timed();
        if (done >= most || (o.repetitions == 0 && done >= 3 && seconds_now() - start > o.seconds)) return done;
    }
}

inline namespace TRACEXPR_TARGET {

// profile_lines is a report, at first without times. A loop that runs in the registers of the product before it is one step with
// that product.
struct profile_lines {
    profile_report report;
    std::vector<std::size_t> first_steps; // the first step of the plan for each line
    void add_times(step_times const& times, std::size_t steps) {
        for (std::size_t k = 0; k < first_steps.size(); ++k) {
            std::size_t const end = k + 1 < first_steps.size() ? first_steps[k + 1] : steps;
            for (std::size_t s = first_steps[k]; s < end; ++s) report.steps[k].seconds += times.seconds(s);
        }
    }
};
// Lists the steps of a plan. name_of_strategy(step) names the step's strategy; if it is empty the plan's own is used.
template <class Way>
profile_lines lines_of_plan(graph_view const& g, plan_view const& p, plan_view const& known, Way const& name_of_strategy) {
    profile_lines out;
    out.report.arena_bytes = p.arena_bytes[0];
    for (std::size_t s = 0; s < p.steps.size(); ++s) {
        step_facts const facts = facts_of_step(g, p, known, s);
        if (s > 0 && known.steps[s].strategy == strategy::epilogue) {
            profile_step& product = out.report.steps.back();
            product.name += " then " + facts.name;
            product.bytes += facts.bytes, product.flops += facts.flops;
            continue;
        }
        std::string const own = name_of_strategy(s);
        out.report.steps.push_back({facts.name, facts.size, own.empty() ? facts.strategy : own, 0, facts.bytes, facts.flops});
        out.first_steps.push_back(s);
    }
    return out;
}

// Lists the steps of a plan, as above, and measures them; timed(times) runs the program with a clock around each step.
template <class Way, class Run, class Timed>
profile_report measured_plan(profile_options const& o, graph_view const& g, plan_view const& p, plan_view const& known,
                             Way const& name_of_strategy, Run const& run, Timed const& timed) {
    profile_lines out = lines_of_plan(g, p, known, name_of_strategy);
    out.report.seconds = std::numeric_limits<double>::infinity();
    step_times times(p.steps.size());
    out.report.repetitions = repeat_runs(o, acts_on_the_world(g), out.report.seconds, run, [&] { timed(times); });
    out.add_times(times, p.steps.size());
    return std::move(out.report);
}

} // namespace TRACEXPR_TARGET
} // namespace tx::detail
