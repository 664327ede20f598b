// Runs the passes, in this order:
//   simplify   comes first, so that the others see fewer nodes, and each expression in one form
//   elements   small products and what is around them, for many places, become a node for each element
//   keep       constants that are worth it become captures, in what the compiler traces: a call computes them once
//   split      spaces that end in an axis of a few elements become one space for each of them
//   blocks     computations that would store large values become nests that compute a block of them at a time
//   cluster    comes when no node changes any more: what shares a loop depends on who needs which value
//   plan       comes last, because it alone depends on extents: where they are unknown it runs again for each set of them
// Blocks are found in the plan of the graph without them, one nest after the other. Transforms of graphs (derivatives, batching)
// come before all passes. pass_options switch single passes off; results are the same.
//
// The compiler runs the passes as `stages`, a program at run time as `run_passes`.
#pragma once

#include <tracexpr/base/freeze.hpp>
#include <tracexpr/passes/blocks.hpp>
#include <tracexpr/passes/boxes.hpp>
#include <tracexpr/passes/elements.hpp>
#include <tracexpr/passes/kept_constants.hpp>
#include <tracexpr/passes/nested_joins.hpp>
#include <tracexpr/passes/pair_sums.hpp>
#include <tracexpr/passes/plan.hpp>
#include <tracexpr/passes/simplify.hpp>
#include <tracexpr/passes/split_axes.hpp>
#include <tracexpr/passes/window_products.hpp>

TRACEXPR_BEGIN_PASSES

namespace tx {

namespace detail {
inline constexpr int most_nests = 8;
constexpr bool makes_blocks(pass_options const& options) { return options.blocks && options.cluster && !options.points; }

// Simplifies a trace and rewrites it for loops.
TRACEXPR_ONCE constexpr graph rewritten_for_loops(graph_view const& traced, pass_options const& options) {
    graph boxes = with_boxes(with_window_products(with_pair_sums(simplify(traced, options), options), options), options);
    return with_elements(with_nested_joins(std::move(boxes), options), options);
}
} // namespace detail

// Returns the graph with which the later passes start.
TRACEXPR_ONCE constexpr graph prepared(graph_view const& traced, pass_options const& options) {
    graph out = detail::rewritten_for_loops(traced, options);
    if (graph split = detail::with_split_axes(out, options); split.size() > 0) return split;
    return out;
}

inline namespace TRACEXPR_TARGET {

struct compiled_graph {
    graph simplified;
    tx::clusters clusters;
    tx::plan plan;
};

// Runs all passes. Without the extents of arguments the plan is made for assumed ones.
constexpr compiled_graph run_passes(graph_view const& traced, pass_options const& options = {}, table_view<dims> arguments = {},
                                    plan_target const& target = this_processor) {
    compiled_graph out{prepared(traced, options), {}, {}};
    for (int nests = 0;; ++nests) {
        out.clusters = cluster(out.simplified, options);
        buffer<dims> const extents =
            arguments.empty() ? assumed_extents(out.simplified) : inferred_extents(out.simplified, arguments);
        out.plan = make_plan(out.simplified, out.clusters.view(), {extents.data(), extents.size()}, options, target);
        if (!detail::makes_blocks(options) || nests == detail::most_nests) return out;
        detail::blocking blocks(out.simplified, out.clusters.view(), out.plan.view(), target,
                                !arguments.empty() || out.simplified.view().is_static());
        if (!blocks.find()) return out;
        out.simplified = blocks.rewritten();
    }
}

} // namespace TRACEXPR_TARGET

namespace detail {

template <class Trace> struct stages;

// planned_stages holds the stages of a graph that does not change; each is computed once, on demand. Source::view() is the graph,
// Source::passes the options.
template <class Source> struct planned_stages {
    static constexpr pass_options passes = Source::passes;
    static constexpr graph_view graph() { return Source::view(); }
    static constexpr bool is_static = Source::view().is_static();

private:
    // Passes over large graphs are split into several constant evaluations, because the compiler limits the steps of each.
    static constexpr bool is_large = graph().size() > nodes_per_evaluation;

    template <int Number> struct walked {
        static constexpr std::size_t room = graph().size();
        static constexpr clustering_tables<buffer> make() {
            if constexpr (Number == 0) {
                clustering c(graph(), passes);
                c.walk(Number);
                return std::move(c).found();
            } else {
                clustering c(graph(), passes, frozen<walked<Number - 1>>::view());
                c.walk(Number);
                return std::move(c).found();
            }
        }
    };
    struct clustered {
        static constexpr tx::clusters make() {
            if constexpr (is_large) return clustering(graph(), passes, frozen<walked<clustering::walks - 1>>::view()).formed();
            else return cluster(graph(), passes);
        }
    };
    struct lowered {
        static constexpr programs make() {
            buffer<dims> const extents = assumed_extents(graph());
            return lower(graph(), frozen<clustered>::view(), {extents.data(), extents.size()});
        }
    };
    struct planned {
        static constexpr tx::plan make() {
            buffer<dims> const extents = assumed_extents(graph());
            clusters_view const& c = frozen<clustered>::view();
            if constexpr (is_large)
                return make_plan(graph(), c, frozen<lowered>::view(), {extents.data(), extents.size()}, passes,
                                 target_of(passes));
            else return make_plan(graph(), c, {extents.data(), extents.size()}, passes, target_of(passes));
        }
    };

public:
    static constexpr clusters_view clusters() { return frozen<clustered>::view(); }
    static constexpr plan_view plan() { return frozen<planned>::view(); }
};

template <class Stages, class... State> constexpr blocking blocking_of(State const&... state) {
    return blocking(Stages::graph(), Stages::clusters(), Stages::plan(), target_of(Stages::passes), Stages::is_static, state...);
}
// block_search holds the state of the search for a nest after `Trials` trials.
template <class Stages, int Trials> struct block_search {
    static constexpr std::size_t room = Stages::graph().size();
    static constexpr search_tables<buffer> make() {
        if constexpr (Trials == 0) {
            return blocking_of<Stages>().so_far();
        } else {
            blocking blocks = blocking_of<Stages>(frozen<block_search<Stages, Trials - 1>>::view());
            blocks.search(1);
            return blocks.so_far();
        }
    }
    static constexpr bool has_more() { return blocking_of<Stages>(frozen<block_search>::view()).has_more(); }
};
template <class Stages, int Trials = 0> constexpr auto whole_search() {
    if constexpr (block_search<Stages, Trials>::has_more()) return whole_search<Stages, Trials + 1>();
    else return block_search<Stages, Trials>{};
}
// blocked_graph makes the graph with one more nest than Stages' graph has. In a large graph each trial is a constant evaluation
// of its own.
template <class Stages> struct blocked_graph {
    static constexpr pass_options passes = Stages::passes;
    static constexpr tx::graph make() {
        if constexpr (Stages::graph().size() > nodes_per_evaluation / 8) {
            blocking blocks = blocking_of<Stages>(frozen<decltype(whole_search<Stages>())>::view());
            if (blocks.has_found()) return blocks.rewritten();
        } else {
            blocking blocks = blocking_of<Stages>();
            if (blocks.find()) return blocks.rewritten();
        }
        return {};
    }
    static constexpr graph_view view() { return frozen<blocked_graph>::view(); }
};
template <class Stages, int Nests = 0> constexpr auto with_all_nests() {
    if constexpr (!makes_blocks(Stages::passes) || Nests == most_nests ||
                  !has_large_values(Stages::graph(), Stages::plan(), target_of(Stages::passes))) {
        return Stages{};
    } else if constexpr (blocked_graph<Stages>::view().size() == 0) {
        return Stages{};
    } else {
        return with_all_nests<planned_stages<blocked_graph<Stages>>, Nests + 1>();
    }
}
template <class Source> struct split_graph {
    static constexpr pass_options passes = Source::passes;
    static constexpr tx::graph make() { return with_split_axes(Source::view(), passes); }
    static constexpr graph_view view() { return frozen<split_graph>::view(); }
};
template <class Source> constexpr auto with_axes_split() {
    if constexpr (!may_split_axes(Source::view(), Source::passes, limits_of(Source::passes))) return Source{};
    else if constexpr (split_graph<Source>::view().size() == 0) return Source{};
    else return split_graph<Source>{};
}
// later_stages are the compiler's stages after simplification.
template <class Source> struct later_stages : decltype(with_all_nests<planned_stages<decltype(with_axes_split<Source>())>>()) {};

// prepared_trace is a simplified trace. Trace::make() is the graph, and Trace::passes, if it exists, the options.
// Trace::captures<Constants>(), if it exists, returns the captures of a graph of constants that are kept.
template <class Trace> struct prepared_trace {
    static constexpr pass_options passes = [] {
        if constexpr (requires { Trace::passes; }) return Trace::passes;
        else return pass_options{};
    }();

private:
    struct simplified {
        static constexpr tx::graph make() { return rewritten_for_loops(frozen<Trace>::view(), passes); }
    };
    static constexpr bool keeps_constants = [] {
        if constexpr (requires { Trace::can_keep_constants; }) return !constants_to_keep(frozen<simplified>::view()).empty();
        else return false;
    }();
    struct constants {
        static constexpr pass_options passes = prepared_trace::passes;
        static constexpr tx::graph make() {
            return graph_of_constants(frozen<simplified>::view(), constants_to_keep(frozen<simplified>::view()));
        }
    };
    struct keeping {
        static constexpr tx::graph make() {
            graph_view const& g = frozen<simplified>::view();
            return with_kept_constants(g, constants_to_keep(g), Trace::template captures<stages<constants>>());
        }
    };

public:
    static constexpr graph_view view() {
        if constexpr (keeps_constants) return frozen<keeping>::view();
        else return frozen<simplified>::view();
    }
};
template <class Trace> struct stages : later_stages<prepared_trace<Trace>> {
    static constexpr graph_view trace() { return frozen<Trace>::view(); }
};

// Returns the options for a region. The body of a nest whose block size the run chooses is not cut again: with assumed extents it
// would be cut without end.
TRACEXPR_ONCE constexpr pass_options region_options(graph_view const& g, std::int64_t number, pass_options options) {
    for (node const& n : g)
        for (std::size_t k = 0; n.code == op::blocks && block_form::of(n).block == 0 && k < n.attributes.count; ++k)
            if (g.attributes_of(n)[k] == number) options.blocks = false;
    return options;
}
// region_source is a region of a graph; it was simplified together with the graph.
template <class Stages, std::int64_t Number> struct region_source {
    static constexpr pass_options passes = region_options(Stages::graph(), Number, Stages::passes);
    static constexpr graph_view region = Stages::graph().region(Number);
    static constexpr graph_view view() { return region; }
};
template <class Stages, std::int64_t Number> struct region_stages : later_stages<region_source<Stages, Number>> {
    static constexpr graph_view trace() { return region_source<Stages, Number>::view(); }
};

} // namespace detail
} // namespace tx

TRACEXPR_END_PASSES
