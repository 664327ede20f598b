// This file holds what every form of tx::function shares: how a call is traced, by the compiler or at run time, counted, and run.
#pragma once

#include <tracexpr/run/call_checks.hpp>
#include <tracexpr/run/call_kinds.hpp>
#include <tracexpr/run/eager.hpp>
#include <tracexpr/run/static_reasons.hpp>
#include <tracexpr/run/typed_call.hpp>

#if TRACEXPR_TRACES_HERE
#include <tracexpr/run/tiled_stages.hpp>
#endif

namespace tx {

template <class F, class... A> class concrete_function;
template <class F, class... A> class concrete_trace;

namespace detail {
// function_core is the base of functions. `Configured` says that the constructor was given options or a signature: a plain
// function of a callable that the compiler traces has no run-time traces, and doesn't pay for them in compile time. `Known` is
// what a trace may know of a call's arguments.
template <class F, bool Configured, knowledge Known = knowledge::all> class function_core {
public:
    using callable = callable_of<F>;

    static_assert(!hides_state<F>,
                  "tx: function: of what std::ref refers to the members are read at each call, which needs a struct of tensors, "
                  "variables and "
                  "numbers without base class, constructor or private members; make it one, or capture it in a lambda, which "
                  "reads variables at each call and keeps all else as it was when it was traced");

    static_assert(
        TRACEXPR_TRACES_HERE || passes_of<callable>.kernels != execution::native,
        "tx: function: tx::kernels::native needs a file without TRACEXPR_KERNELS_NONE, which leaves kernels out; define "
        "TRACEXPR_KERNELS_TILES in its place, which keeps those that are asked for");

    // Does the compiler trace calls? This asks for the callable's form only: a trace may still fail for some arguments.
    TRACEXPR_NAMES_TARGET static constexpr bool is_static = has_static_form<callable>;
    // Says why calls are not static; empty if they are. See tx::why_not_static.
    TRACEXPR_NAMES_TARGET static constexpr std::string_view why_not_static = reason_of_form<callable>();

    constexpr explicit function_core(F traced, call_options o = {}) : f_(std::move(traced)), options_{o} {}

    // Return how often the callable has been traced through this object, and each trace's signature.
    std::size_t tracing_count() const { return traces_.size(); }
    std::vector<std::string> signatures() const { return traces_.signatures(); }
    // Forgets every trace.
    void clear() { traces_.clear(); }

    // Return what is traced, and how it is held: by value, or as the reference that the constructor was given.
    constexpr callable const& traced_callable() const { return unwrap(f_); }
    constexpr F const& stored() const { return f_; }
    constexpr auto settings() const { return options_of<passes_of<callable>.kernels>(options_.reduce_retracing, options_.jit); }

    // Returns the trace for one signature (tf.function's get_concrete_function). For each argument it takes its spec, or a tuple,
    // pair or array of specs, or its type.
    template <class... Specs> TRACEXPR_NAMES_TARGET constexpr auto concrete() const {
        if constexpr (!check_specs<callable, Specs...>()) return failed{};
        else if constexpr (statically_traceable<callable, tensor_of<Specs>...>) {
            if (!__builtin_is_constant_evaluated()) note(tensor_of<Specs>{}...);
            // A callable without members is not copied: in a constant expression g++ would require the function to be constexpr.
            if constexpr (is_stateless<F> && has_prototype<F>) return concrete_function<F, tensor_of<Specs>...>(prototype<F>());
            else return concrete_function<F, tensor_of<Specs>...>(f_);
        } else {
            return concrete_trace<F, tensor_of<Specs>...>(f_, concrete_program(tensor_of<Specs>{}...), tensor_of<Specs>{}...);
        }
    }

protected:
    template <class... A> using static_stages = stages<compile_time_trace<callable, traced_as<A>...>>;

    template <class... A> TRACEXPR_NAMES_TARGET constexpr auto call(A const&... a) const {
        if constexpr (!check_call<callable, A...>()) return failed{};
        else if constexpr ((facts<A>.has_foreign || ...)) return call(borrow(a)...);
        else if constexpr ((facts<A>.has_exprs || ...)) return inlined(*symbolic_scope(a...), a...);
        else return call_on_values(a...);
    }

    template <class Result, class... A> TRACEXPR_NAMES_TARGET void call_into(Result& out, A const&... a) const {
        if constexpr (check_call<callable, A...>()) {
            if constexpr ((facts<A>.has_foreign || ...)) {
                call_into(out, borrow(a)...);
            } else {
                using result = result_tree_of<traced_result<callable, A...>>;
                static_assert(std::is_same_v<Result, result>,
                              "tx: function::into: the first argument must have the result's type; the types stand in the note");
                if constexpr (std::is_same_v<Result, result>) compute_into(out, a...);
            }
        }
    }

    // Takes over a run-time trace that another function made for arguments like these.
    template <class... A> void adopt(std::shared_ptr<runtime_program const> const& program, A const&... like) const {
        with_call<std::tuple<>>([&](function_call const& call) { adopt_trace<>(call, program); }, nullptr, like...);
    }

    template <class... A> TRACEXPR_INLINE bool is_settled() const {
        return traces_.is_settled(signature_bit<function_core, traced_as<A>...>.load(std::memory_order_relaxed));
    }
    template <class... A> TRACEXPR_INLINE void note(A const&... a) const {
        if (!is_settled<A...>()) [[unlikely]]
            traces_.note(number_of_signature<function_core, traced_as<A>...>(),
                         [&] { return write_call(static_stages<A...>::trace(), a...); });
    }

private:
    template <class Core, class Result, knowledge, class... A> friend struct typed_call;

    template <class... A> std::shared_ptr<runtime_program const> concrete_program(A const&... a) const {
        using result = result_tree_of<std::remove_cvref_t<traced_result<callable, A...>>>;
        return with_call<result>([](function_call const& call) { return trace_of_function<>(call, knowledge::none); }, nullptr,
                                 a...);
    }
    // Calls the callable inside another traced callable, so that the call becomes part of that trace.
    template <class... A> [[gnu::cold]] constexpr auto inlined(trace_scope& scope, A const&... a) const {
        return detail::call_in_trace(scope, f_, inlined_argument(scope, a)...);
    }
    // Does the same if only values tell that tensors are symbolic. At run time the compiler's trace is appended, because
    // recording the callable anew would compile code that hardly any program runs.
    template <class Result, class... A> [[gnu::cold]] TRACEXPR_NAMES_TARGET TRACEXPR_NOINLINE constexpr Result
    inlined_on_tensors(trace_scope& scope, A const&... a) const {
        if constexpr (statically_traceable<callable, A...> && !refers<F>) {
            // With this order of branches g++ drops the first one before it compiles what that calls.
            if (__builtin_is_constant_evaluated()) return symbolic_result<Result>(inlined(scope, a...));
            else return append_stages<static_stages<A...>, Result>(scope, traced_callable(), a...);
        } else {
            return symbolic_result<Result>(inlined(scope, a...));
        }
    }
    template <class... A> TRACEXPR_NAMES_TARGET constexpr auto call_on_values(A const&... a) const {
        using traced = std::remove_cvref_t<traced_result<callable, A...>>;
        using result = result_tree_of<traced>;
        if constexpr (!check_effect<callable, traced_as<A>...>()) return failed{};
        else if constexpr (std::is_void_v<traced>) {
            trace_scope* const scope = scope_of_call(a...);
            if (scope) inlined(*scope, a...);
            else static_cast<void>(run<result>(a...));
            return nothing{};
        } else if constexpr (runs_on_tiles<callable> && !runs_on_device<callable> &&
                             statically_traceable<callable, traced_as<A>...> && !refers<F>) {
            if (__builtin_is_constant_evaluated()) return inlined_on_tensors<result>(*symbolic_scope(a...), a...);
            else return run_or_append<result>(a...);
        } else {
            trace_scope* const scope = scope_of_call(a...);
            return scope ? inlined_on_tensors<result>(*scope, a...) : run<result>(a...);
        }
    }
    // Returns the trace that a call is part of, or null.
    template <class... A> TRACEXPR_INLINE constexpr trace_scope* scope_of_call(A const&... a) const {
        trace_scope* const scope = symbolic_scope(a...);
        return scope || __builtin_is_constant_evaluated() ? scope : scope_around(a...);
    }

    // Returns the trace under way on this thread, if the call's result depends on something that is read at each run; else null.
    template <class... A> TRACEXPR_INLINE trace_scope* scope_around(A const&... a) const {
        if constexpr (statically_traceable<callable, traced_as<A>...>)
            if constexpr (static_stages<A...>::trace().captures.size() > 0) return innermost_trace;
        return scope_of_live_call(f_, a...);
    }

    template <class Result, class... A> TRACEXPR_INLINE Result run(A const&... a) const {
        check_extents_of_call<callable>(a...);
        if constexpr (runs_on_device<callable>) return run_on_device<Result>(a...);
        else return run_here<Result>(a...);
    }
    template <class Result, class... A> TRACEXPR_INLINE Result run_here(A const&... a) const {
        if constexpr (statically_traceable<callable, traced_as<A>...>) {
            if constexpr (Configured)
                if (options_.jit == jit::never) return run_traced<Result>(a...);
            if constexpr (calls_functions(static_stages<A...>::trace()))
                if (innermost_recorder) return run_traced<Result>(a...);
            if constexpr (runs_on_tiles<callable>) return run_tiles<Result>(run_tiled<>, a...);
            else return run_kernels_anew<Result>(a...);
        } else {
            return run_traced<Result>(a...);
        }
    }
    template <class Result, class... A> TRACEXPR_INLINE Result run_kernels_anew(A const&... a) const {
        [[maybe_unused]] placement<passes_of<callable>.threads> const here(f_);
        Result out{};
        run_to_result(out, leaves_of_call<static_stages<A...>>(traced_callable(), a...));
        note(a...);
        if (innermost_recorder) [[unlikely]]
            record<has_custom_derivatives(static_stages<A...>::trace()), static_stages<A...>>(static_stages<A...>::trace(), out,
                                                                                              a...);
        return out;
    }
    template <class Result, class... A> TRACEXPR_NAMES_TARGET TRACEXPR_NOINLINE Result run_or_append(A const&... a) const {
        if constexpr (Configured)
            if (options_.jit == jit::never) return run_as_called<Result>(a...);
        if constexpr (calls_functions(static_stages<A...>::trace()))
            if (innermost_recorder) return run_as_called<Result>(a...);
        return run_tiles<Result>(run_or_append_tiled<>, a...);
    }
    template <class Result, class... A> Result run_as_called(A const&... a) const {
        trace_scope* const scope = scope_of_call(a...);
        return scope ? inlined_on_tensors<Result>(*scope, a...) : run<Result>(a...);
    }
    // Runs a call on tiles. perform(call) returns whether the call was run, and not made part of a trace.
    template <class Result, class Run, class... A> TRACEXPR_NAMES_TARGET Result run_tiles(Run perform, A const&... a) const {
        using traced = static_stages<A...>;
        constexpr bool has_custom = has_custom_derivatives(traced::trace());
        check_extents_of_call<callable>(a...);
        [[maybe_unused]] placement<passes_of<callable>.threads> const here(f_);
        Result out{}; // first, as for run_to_result
        if (!with_tiled_call<traced, !has_custom>(perform, out, traced_callable(), a...)) return out;
        note(a...);
        if constexpr (has_custom)
            if (innermost_recorder) [[unlikely]]
                record<true, traced>(traced::trace(), out, a...);
        return out;
    }
    // Runs a call on the callable's device. Its result has new memory, which the device keeps from call to call for reuse.
    template <class Result, class... A> TRACEXPR_NAMES_TARGET TRACEXPR_NOINLINE Result run_on_device(A const&... a) const {
        Result out{}; // first, as for run_to_result
        if constexpr (!statically_traceable<callable, traced_as<A>...>) {
            run_traced_on_device(out, a...);
        } else {
            if constexpr (Configured)
                if (options_.jit == jit::never) return run_traced_on_device(out, a...), out;
            using traced = static_stages<A...>;
            if constexpr (calls_functions(traced::trace())) require_no_recorder();
            device_run<decltype(place_of(traced_callable()))> device(place_of(traced_callable()));
            add_leaves(device, traced_callable(), a...);
            visit_captures<traced>(traced_callable(), [&](auto const& part) { device.add(part, -1); });
            device.template run<traced>(out);
            note(a...);
            if (innermost_recorder) [[unlikely]]
                record<has_custom_derivatives(traced::trace()), traced>(traced::trace(), out, a...);
        }
        return out;
    }
    template <class Result, class... A> static constexpr std::uint32_t dtypes_of_call =
        ((facts<Result> + callable_form<callable>::state) + ... + facts<A>).dtypes;
    template <class Result, class... A> TRACEXPR_NOINLINE void run_traced_on_device(Result& out, A const&... a) const {
        check_jit<A...>();
        using device_type = device_run<decltype(place_of(traced_callable()))>;
        device_type device(place_of(traced_callable()));
        add_leaves(device, traced_callable(), a...);
        with_call<Result>(
            [&](function_call const& call) {
                std::shared_ptr<runtime_program const> const trace = trace_of_function<>(call, Known);
                if (innermost_trace && trace->reads_live()) return call.kind.become_inlined(call.typed, *innermost_trace);
                if (call.kind.take_form) call.kind.take_form(call.typed, trace->form.get(), call.results);
                graph_view const traced = trace->traced.view();
                if (calls_functions(traced)) require_no_recorder();
                stored_variables const stored(traced, variables_of<>(call));
                if constexpr (device_type::runs_on_tiles)
                    if (call.kind.need_routines) call.kind.need_routines(call.typed, trace->form.get());
                device.template run<dtypes_of_call<Result, A...>>(*trace, passes_of<callable>, out, stored);
                if (innermost_recorder) record_function<>(call, traced);
                stored.commit();
            },
            &out, a...);
    }
    template <class Result, class... A> TRACEXPR_INLINE void compute_into(Result& out, A const&... a) const {
        if constexpr (!runs_on_device<callable>) compute_into_here(out, a...);
        else if (scope_around(a...)) throw_symbolic("into");
        else compute_anew(out, a...);
    }
    template <class Result, class... A> TRACEXPR_INLINE void compute_into_here(Result& out, A const&... a) const {
        check_extents_of_call<callable>(a...);
        if constexpr (statically_traceable<callable, traced_as<A>...>) {
            if constexpr (Configured)
                if (options_.jit == jit::never) return compute_traced_into(out, a...);
            if constexpr (runs_on_tiles<callable>) compute_on_tiles(out, a...);
            else compute_by_kernels(out, a...);
        } else {
            compute_traced_into(out, a...);
        }
    }
    template <class Result, class... A>
    TRACEXPR_NAMES_TARGET TRACEXPR_NOINLINE void compute_on_tiles(Result& out, A const&... a) const {
        if (scope_around(a...)) throw_symbolic("into");
        if (!innermost_recorder) {
            [[maybe_unused]] placement<passes_of<callable>.threads> const here(f_);
            if (with_tiled_call<static_stages<A...>, false>(overwrite_tiled<>, out, traced_callable(), a...)) return note(a...);
        }
        require_values(out);
        compute_anew(out, a...);
    }
    // Computes into a result that stays unchanged if the call throws.
    template <class Result, class... A>
    TRACEXPR_NAMES_TARGET TRACEXPR_NOINLINE void compute_anew(Result& out, A const&... a) const {
        out = run<Result>(a...);
    }
#if TRACEXPR_TRACES_HERE
    template <class Result, class... A> TRACEXPR_INLINE void compute_by_kernels(Result& out, A const&... a) const {
        [[maybe_unused]] placement<passes_of<callable>.threads> const here(f_);
        auto const arguments = unchecked_leaves_of_call<static_stages<A...>>(traced_callable(), a...);
        if (!is_settled<A...>() || is_watched(out, a...) || !may_run_into(out, arguments, traced_callable(), a...)) [[unlikely]]
            compute_with_care(out, a...);
        else if constexpr (!is_small_program<static_stages<A...>>) run_kernels(out, a...);
        else if constexpr (static_stages<A...>::is_static) run_into(out, arguments, static_stages<A...>::plan());
        else if (auto const* const p = ready_plan(out, arguments)) run_into(out, arguments, *p);
        else run_kernels(out, a...);
    }
    template <class Result, class... A> TRACEXPR_INLINE bool is_watched(Result const& out, A const&... a) const {
        return calls_may_be_watched.load(std::memory_order_relaxed) &&
               (innermost_recorder || innermost_trace || has_symbols(out, traced_callable(), a...));
    }
    template <class Result, class... A> TRACEXPR_NAMES_TARGET void run_kernels(Result& out, A const&... a) const {
        auto const arguments = unchecked_leaves_of_call<static_stages<A...>>(traced_callable(), a...);
        auto const& p = plan_for<static_stages<A...>>(arguments.open);
        if (is_result_of<static_stages<A...>>(p, out)) run_into(out, arguments, p);
        else compute_anew(out, a...);
    }
    template <class Result, class... A>
    [[gnu::cold]] TRACEXPR_NAMES_TARGET TRACEXPR_NOINLINE void compute_with_care(Result& out, A const&... a) const {
        require_values(out);
        if (scope_around(a...)) throw_symbolic("into");
        static_cast<void>(leaves_of_call<static_stages<A...>>(traced_callable(), a...)); // throws if tensors are symbolic
        auto const arguments = unchecked_leaves_of_call<static_stages<A...>>(traced_callable(), a...);
        if (innermost_recorder || !may_run_into(out, arguments, traced_callable(), a...) ||
            !is_planned_result<static_stages<A...>>(plan_for<static_stages<A...>>(arguments.open), out)) {
            compute_anew(out, a...);
        } else {
            run_kernels(out, a...);
            note(a...);
        }
    }
#endif
    template <class Result, class... A> TRACEXPR_NOINLINE void compute_traced_into(Result& out, A const&... a) const {
        require_values(out);
        if (scope_around(a...)) throw_symbolic("into");
        [[maybe_unused]] placement<passes_of<callable>.threads> const here(f_);
        if (!innermost_trace && !innermost_recorder && !eager_functions.load(std::memory_order_relaxed)) {
            check_jit<A...>();
            if (with_call<Result>(overwrite_by_function<>, &out, a...)) return;
        }
        Result made = run_traced<Result>(a...);
        require_values(made);
        out = std::move(made);
    }
    template <class... A> TRACEXPR_NAMES_TARGET void check_jit() const {
        if constexpr (Configured)
            if (options_.jit == jit::always && !statically_traceable<callable, traced_as<A>...>) throw_not_static();
    }
    template <class Result, class... A> TRACEXPR_NOINLINE Result run_traced(A const&... a) const {
        check_jit<A...>();
        [[maybe_unused]] placement<passes_of<callable>.threads> const here(f_);
        Result out{}; // first, as for run_to_result
        with_call<Result>(
            [](function_call const& call) { run_function<>(call, eager_functions.load(std::memory_order_relaxed)); }, &out, a...);
        return out;
    }
    // Calls use(call) for a call that is traced at run time. `out` is null if it is not run.
    template <class Result, class Use, class... A> decltype(auto) with_call(Use const& use, Result* out, A const&... a) const {
        using typed = typed_call<function_core, Result, Known, A...>;
        typed const of{*this, {{a}...}, out};
        listed_leaves<callable, A...> arguments(traced_callable(), a...);
        listed_results<Result> results(out);
        return use(function_call{typed::kind, &of, traces_, number_of_signature<function_core, traced_as<A>...>(),
                                 options_.reduce_retracing, arguments.view(), arguments.given, arguments.memory.room(),
                                 results.leaves});
    }
    // Tells the gradient tapes of this thread of a call of what the compiler traced. Derivatives that a user gave belong to the
    // trace they were recorded in, so a callable with some is traced anew, into the tape's trace.
    template <bool MayHaveCustom, class Stages, class Result, class... A>
    [[gnu::cold]] TRACEXPR_NOINLINE void record(graph_view const& traced, Result const& out, A const&... a) const {
        call_record call;
        (call.add_argument(a), ...);
        callable_form<callable>::visit(traced_callable(), call.argument_adder(), ignore_value{});
        visit_captures<Stages>(traced_callable(), call.argument_adder());
        call.add_results(out);
        if constexpr (MayHaveCustom && !std::is_same_v<Result, std::tuple<>>) {
            if (has_custom_derivatives(traced))
                return call.tell(traced, [&](trace_scope& scope) { record_outputs(scope, inlined(scope, a...)); });
        }
        call.tell(traced);
    }

private:
    [[no_unique_address]] F f_;
    call_options options_;
    mutable trace_registry traces_;
};

} // namespace detail
} // namespace tx
