// This file draws what the passes make of a graph: the graph that runs, with a box around the nodes of each loop.
#pragma once

#include <tracexpr/graph/svg.hpp>
#include <tracexpr/passes/print.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx::detail::inline TRACEXPR_TARGET {

// Returns for example "loop of 100 times 3, reducing, as rows".
inline std::string group_text(plan_view const& p, plan_step const& s) {
    plan_loop const& first = p.loops[s.loops.first];
    bool reduces = false;
    for (std::size_t l = s.loops.first; l < s.loops.first + s.loops.count; ++l) reduces = reduces || p.loops[l].reduces;
    std::string const loops = s.loops.count > 1 ? std::to_string(s.loops.count) + " loops of " : "loop of ";
    return loops + (s.outer.rank ? extents_text(s.outer) + " times " : "") + extents_text(first.inner) +
           (reduces ? ", reducing" : "") + strategy_text(s, first);
}
// Returns the step that computes each node's elements: the loop that stores them, or, if they are not stored, the one that needs
// them; -1 if there is none, or several.
inline std::vector<std::int32_t> steps_of_nodes(graph_view const& g, clusters_view const& c) {
    constexpr std::int32_t unseen = -2, several = -1;
    std::vector<std::int32_t> step_of_loop(c.loops.size(), several), out(g.size(), unseen);
    for (std::size_t s = 0; s < c.steps.size(); ++s)
        for (std::uint32_t k = 0; k < c.steps[s].loops.count; ++k)
            step_of_loop[static_cast<std::size_t>(c.order[c.steps[s].loops.first + k])] = static_cast<std::int32_t>(s);
    for (std::size_t i = g.size(); i-- > 0;) {
        node const& n = g.nodes[i];
        if (c.loop_of[i] >= 0) out[i] = step_of_loop[static_cast<std::size_t>(c.loop_of[i])];
        else if (c.storage[i] != storage_of::none || n.arity == 0 || out[i] == unseen) out[i] = several;
        for (std::size_t k = 0; k < n.arity; ++k) {
            std::int32_t& of = out[index(g.operand(n, k))];
            of = of == unseen || of == out[i] ? out[i] : several;
        }
    }
    return out;
}

inline drawing drawing_of_plan(graph_view const& g, compiled_graph const& made, pass_options const& options,
                               std::vector<std::string> const& names) {
    plan_view const p = made.plan.view();
    drawing out = drawing_of(g, names);
    std::vector<std::int32_t> const steps = steps_of_nodes(g, made.clusters.view());
    std::vector<std::int32_t> groups(p.steps.size(), -1);
    for (std::size_t s = 0; s < p.steps.size(); ++s) {
        plan_step const& step = p.steps[s];
        if (step.call == node_id::none) {
            groups[s] = static_cast<std::int32_t>(out.groups.size());
            out.groups.push_back(group_text(p, step));
        } else if (std::string const words = strategy_words(step.strategy, step.sharing, {}); !words.empty()) {
            out.nodes[index(step.call)].lines.push_back("as " + words);
        }
    }
    for (std::size_t i = 0; i < g.size(); ++i)
        if (steps[i] >= 0) out.nodes[i].group = groups[static_cast<std::size_t>(steps[i])];
    for (std::size_t i = 0; i < g.size(); ++i)
        for (std::size_t k = 0; has_regions(g.nodes[i]) && k < g.nodes[i].attributes.count; ++k) {
            if (!is_drawn(g, g.nodes[i], k)) continue;
            std::int64_t const number = g.attributes_of(g.nodes[i])[k];
            pass_options const own = region_options(g, number, options);
            compiled_graph const branch = run_passes(g.region(number), own, {}, target_of(own));
            drawing region = drawing_of_plan(branch.simplified, branch, own, {});
            region.title = region_title(g.nodes[i], k);
            region.owner = i;
            out.regions.push_back(std::move(region));
        }
    return out;
}
// Draws the plan of a trace; `names` are its parameters' names. Unknown extents are taken as in explain_passes.
inline drawing drawing_of_plan(graph_view const& traced, pass_options const& options, std::vector<std::string> const& names) {
    compiled_graph const made = run_passes(traced, options, {}, target_of(options));
    return drawing_of_plan(made.simplified, made, options, names);
}

} // namespace tx::detail::inline TRACEXPR_TARGET

TRACEXPR_END_PASSES
