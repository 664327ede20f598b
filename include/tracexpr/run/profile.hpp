// This file holds tx::profile, which measures how long each step of a function's plan takes.
#pragma once

#include <tracexpr/run/function.hpp>
#include <tracexpr/run/profile_program.hpp>
#include <tracexpr/run/random/stateful.hpp>

#if TRACEXPR_TRACES_HERE
#include <tracexpr/run/profile_lines.hpp>
#endif

namespace tx {

namespace detail {

// A function_like has a callable and options: functions, and those for one signature.
template <class F> concept function_like = requires(F const& f) {
    f.stored();
    f.settings();
};

struct same_random_numbers {
    key_sequence::place const before = key_sequence::of_program().where();
    same_random_numbers() = default;
    same_random_numbers(same_random_numbers const&) = delete;
    same_random_numbers& operator=(same_random_numbers const&) = delete;
    ~same_random_numbers() { key_sequence::of_program().go_back(before); }
};
inline namespace TRACEXPR_CALLS {

#if TRACEXPR_TRACES_HERE
// Profiles the kernels of what the compiler traced.
template <class Stages, class Result, class F, class... A>
profile_report profile_kernels(profile_options const& o, F const& f, A const&... a) {
    Result out{};
    profile_report report;
    run_to_result<Stages>(out, leaves_of_call<Stages>(f, a...), [&](plan_of<Stages> const& p, simd::io const& args) {
        if constexpr (may_run_on_tiles<Stages>)
            if (p.program) return static_cast<void>(report = profile_program<>(o, *p.program, args));
        report = measured_plan(
            o, Stages::graph(), p, Stages::plan(), [](std::size_t) { return std::string(); },
            [&] { simd::run_static<Stages>(p, args); },
            [&](step_times& times) { simd::run_static_around<Stages>(p, args, times); });
        report.executor = "kernels";
    });
    report.signature = write_call(Stages::trace(), a...).line.str();
    return report;
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
    listed_results<Result> const results(&out);
    profile_report report =
        profile_traced<>(o, {trace, extents, leaves.view(), elements, results.leaves.all, passes_of<F>, eager});
    report.signature = write_call(trace.traced.view(), a...).line.str();
    return report;
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
    static_assert(!operand<F>, "tx: profile: takes the function, and then its arguments: tx::profile(f, x)");
    if constexpr (operand<F>) return {};
    else if constexpr (detail::function_like<F>) return detail::profile_call(o, f.stored(), f.settings().jit, a...);
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
