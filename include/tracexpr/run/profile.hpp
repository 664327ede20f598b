// This file holds tx::profile, which measures how long each step of a function's plan takes.
#pragma once

#include <tracexpr/backends/step_times.hpp>
#include <tracexpr/backends/tiles/run.hpp>
#include <tracexpr/passes/step_facts.hpp>
#include <tracexpr/run/function.hpp>
#include <tracexpr/run/profile_report.hpp>
#include <tracexpr/run/random/stateful.hpp>

namespace tx {

// profile_options say how often or how long tx::profile runs the function.
struct profile_options {
    int repetitions = 0;   // 0: as many as take about that time, 3 to 1000
    double seconds = 0.25; // for all repetitions
};

namespace detail {

// A function_like has a callable and options: functions, and those for one signature.
template <class F> concept function_like = requires(F const& f) {
    f.stored();
    f.settings();
};

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
struct same_random_numbers {
    key_sequence::place const before = key_sequence::of_program().where();
    same_random_numbers() = default;
    same_random_numbers(same_random_numbers const&) = delete;
    same_random_numbers& operator=(same_random_numbers const&) = delete;
    ~same_random_numbers() { key_sequence::of_program().go_back(before); }
};
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

inline namespace TRACEXPR_CALLS {

// Names how tiles run a step's loops: along rows, several short rows at once, side by side down columns, or many results at once.
inline std::string tile_strategy(simd::tiles::detail::tile_step const& s) {
    using form = simd::tiles::detail::loop_form;
    if (s.loops.empty()) return {};
    form const first = s.loops[0].form;
    std::string out = s.loops.size() > 1          ? "nest"
                      : first == form::rows       ? "rows"
                      : first == form::short_rows ? "short_rows"
                      : first == form::columns    ? "columns"
                      : first == form::blocks     ? (s.loops[0].terms.run ? "register_tile" : "results")
                                                  : "elements";
    if (s.streams) out += ", past the caches";
    if (s.piece_bytes > 0) out += ", shared by threads";
    return out;
}

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

// Profiles a program on tiles.
template <class Unused = void>
profile_lines profile_program(profile_options const& o, program const& made, simd::io const& args) {
    plan_view const p = made.plan.view();
    profile_lines out = lines_of_plan(made.graph.view(), p, p, [&](std::size_t s) { return tile_strategy(made.steps[s]); });
    out.report.seconds = std::numeric_limits<double>::infinity();
    step_times times(p.steps.size());
    out.report.repetitions = repeat_runs(
        o, acts_on_the_world(made.graph.view()), out.report.seconds, [&] { tiles::run_program<>(made, args); },
        [&] { tiles::run_program_timed<>(made, args, times); });
    out.add_times(times, p.steps.size());
    out.report.executor = "tiles";
    return out;
}

#if TRACEXPR_TRACES_HERE
// Profiles the kernels of what the compiler traced.
template <class Stages, class Result, class F, class... A>
profile_report profile_kernels(profile_options const& o, F const& f, A const&... a) {
    Result out{};
    profile_lines lines;
    run_to_result<Stages>(out, leaves_of_call<Stages>(f, a...), [&](plan_of<Stages> const& p, simd::io const& args) {
        if constexpr (may_run_on_tiles<Stages>)
            if (p.program) return static_cast<void>(lines = profile_program(o, *p.program, args));
        lines = lines_of_plan(Stages::graph(), p, Stages::plan(), [](std::size_t) { return std::string(); });
        lines.report.seconds = std::numeric_limits<double>::infinity();
        step_times times(p.steps.size());
        lines.report.repetitions = repeat_runs(
            o, acts_on_the_world(Stages::graph()), lines.report.seconds, [&] { simd::run_static<Stages>(p, args); },
            [&] { simd::run_static_around<Stages>(p, args, times); });
        lines.add_times(times, p.steps.size());
        lines.report.executor = "kernels";
    });
    lines.report.signature = write_call(Stages::trace(), a...).line.str();
    return std::move(lines.report);
}
#endif
// Profiles a callable that is traced at run time. Variables that it assigns to keep their values.
template <class Result, class F, class... A> profile_report profile_tiles(profile_options const& o, F const& f, A const&... a) {
    Result out{};
    listed_leaves<F, A...> leaves(f, a...);
    table_view<dims> const extents = leaves.shapes();
    buffer<void const*> elements;
    for (tiled_argument const& leaf : leaves.view()) elements.push_back(leaf.access->data(leaf.leaf));
    for_each_output(out, need_routines_of_leaf{});
    (for_each_leaf(a, need_routines_of_leaf{}), ...);
    callable_form<F>::visit(f, need_routines_of_leaf{}, ignore_value{});
    bool const eager = eager_functions.load(std::memory_order_relaxed);
    runtime_program const trace = trace_now(extents, eager ? elements.data() : nullptr, f, a...);
    if constexpr (facts<Result>.has_lists) {
        out = *static_cast<Result const*>(trace.form.get());
        for_each_output(out, need_routines_of_leaf{});
    }
    graph_view const traced = trace.traced.view();
    std::shared_ptr<program const> const made =
        eager ? tiles::make_program<>(traced, extents, {.simplify = false, .cluster = false})
              : tiles::make_program<>(trace.simplified.view(), extents, passes_of<F>);
    buffer<stored_variable> variables;
    for (tiled_argument const& leaf : leaves.view()) variables.push_back(variable_of(leaf));
    stored_variables const stored(traced, variables);
    listed_results<Result> const results(&out);
    for (std::size_t k = 0; k < results.leaves.all.size(); ++k) {
        tiled_result const& r = results.leaves.all[k];
        stored.outputs()[k] = r.access->make(r.leaf, made->output_extents(k));
    }
    stored.prepare(*made);
    simd::io const args{elements.data(), stored.outputs()};
    profile_lines lines = profile_program(o, *made, args);
    lines.report.signature = write_call(traced, a...).line.str();
    return std::move(lines.report);
}

template <class F, class... A>
profile_report profile_here(profile_options const& o, F const& stored, tx::jit when, A const&... a) {
    using callable = callable_of<F>;
    using result = result_tree_of<std::remove_cvref_t<traced_result<callable, A...>>>;
    callable const& f = unwrap(stored);
    if constexpr (statically_traceable<callable, traced_as<A>...>) {
#if TRACEXPR_TRACES_HERE
        if constexpr (!runs_on_tiles<callable>)
            if (when != jit::never)
                return profile_kernels<stages<compile_time_trace<callable, traced_as<A>...>>, result>(o, f, a...);
#endif
    } else {
        if (when == jit::always) throw_not_static();
    }
    return profile_tiles<result>(o, f, a...);
}
// runs_on_system says that a function is on a device whose threads run the kernels of the CPU.
template <class F> concept runs_on_system =
    runs_on_device<F> && requires { device_run<decltype(place_of(std::declval<F const&>()))>::on_system([] {}); };

template <class F, class... A>
profile_report profile_call(profile_options const& o, F const& stored, tx::jit when, A const&... a) {
    using callable = callable_of<F>;
    constexpr bool is_here = !runs_on_device<callable> || runs_on_system<callable>;
    constexpr bool is_outside = !(facts<A>.has_exprs || ...);
    static_assert(is_here, "tx: profile: the function must run on this processor; give it the one that tx::on was given");
    static_assert(is_outside,
                  "tx: profile: the arguments must hold elements, and these are symbols of a trace; call it outside of "
                  "the callables that functions trace");
    if constexpr (!is_here || !is_outside) {
        return {};
    } else if constexpr (!check_call<callable, A...>()) {
        return {};
    } else if constexpr ((facts<A>.has_foreign || ...)) {
        return profile_call(o, stored, when, borrow(a)...);
    } else {
        if (innermost_trace || symbolic_scope(a...))
            throw trace_error(
                "tx: profile: runs the function, which a trace can't; call it outside of the callables that functions "
                "trace");
        same_random_numbers const for_others;
        if constexpr (runs_on_system<callable>) {
            profile_report out;
            device_run<decltype(place_of(unwrap(stored)))>::on_system([&] { out = profile_here(o, stored, when, a...); });
            return out;
        } else {
            [[maybe_unused]] placement<passes_of<callable>.threads> const here(stored);
            return profile_here(o, stored, when, a...);
        }
    }
}
template <class F, class... S, std::size_t... I, class... A>
profile_report profile_with_signature(profile_options const& o, function<F, signature<S...>> const& f, std::index_sequence<I...>,
                                      A const&... a) {
    return profile_call(o, f.stored(), f.settings().jit, signature_argument<I, S>(a).value...);
}

} // namespace TRACEXPR_CALLS
} // namespace detail

// Runs a function (or a callable, as a function of it would) on arguments, step by step with a clock around each step, several
// times over, and reports the least time of each step. Loops over regions (while_loop, scan, blocks) are one step. A program that
// prints, checks or calls opaque callables runs once. The call has no other effects: variables are not assigned to, the sequence
// of random numbers is reset to where it was, and tapes and tracing_count() don't record it. Throws what a call throws; inside a
// traced callable it throws trace_error.
template <class F, class... A>
[[nodiscard]] TRACEXPR_NAMES_TARGET profile_report profile(profile_options const& o, F const& f, A const&... a) {
    if constexpr (detail::function_like<F>) return detail::profile_call(o, f.stored(), f.settings().jit, a...);
    else return profile(o, function{f}, a...);
}
template <class F, class... S, class... A>
[[nodiscard]] TRACEXPR_NAMES_TARGET profile_report profile(profile_options const& o, function<F, signature<S...>> const& f,
                                                           A const&... a) {
    static_assert(sizeof...(A) == sizeof...(S), "tx: profile: the function must be given as many arguments as its signature has");
    if constexpr (sizeof...(A) == sizeof...(S))
        return detail::profile_with_signature(o, f, std::index_sequence_for<S...>{}, a...);
    else return {};
}
template <class F, class... A> requires(!std::same_as<F, profile_options>)
[[nodiscard]] TRACEXPR_NAMES_TARGET profile_report profile(F const& f, A const&... a) {
    return profile(profile_options{}, f, a...);
}

} // namespace tx
