// This file classifies the callables that a function takes by what they hold: a callable may have no state; be a struct whose
// fields are a tree (its tensors become parameters behind the arguments, so they are read at each call); or be bound to tensors
// elsewhere. It is held by value or by reference. Any other callable can only be called.
#pragma once

#include <tracexpr/passes/options.hpp>
#include <tracexpr/run/trees/pytree.hpp>

namespace tx::detail {

struct argument_scope;

// This concept recognizes std::reference_wrapper by its interface.
template <class F> concept reference_like = requires(F const& f) {
    typename F::type;
    { f.get() } -> std::same_as<typename F::type&>;
};
template <class F> struct unwrapped {
    using type = F;
};
template <reference_like F> struct unwrapped<F> {
    using type = std::remove_const_t<typename F::type>;
};
template <class F> using callable_of = typename unwrapped<F>::type;

template <class F> constexpr callable_of<F> const& unwrap(F const& f) {
    if constexpr (reference_like<F>) return f.get();
    else return f;
}

// `referred` is a std::reference_wrapper that the compiler can make in a constant expression: if it refers to nothing, it stands
// for a default T.
template <class T> struct referred {
    using type = T;
    T* to = nullptr;
    constexpr T& get() const { return *to; }
};
// Returns the callable as a wrapper of it holds it.
template <class F> constexpr auto held(F const& f) {
    if constexpr (reference_like<F>) return referred<typename F::type>{&f.get()};
    else return f;
}
template <class F> struct callable_form;
template <class F> constexpr F held_prototype() {
    if constexpr (reference_like<F>) return F{};
    else return callable_form<F>::prototype();
}
// Calls `with` on the callable.
template <class F, class With> constexpr decltype(auto) with_callee(F const& f, With const& with) {
    using form = callable_form<callable_of<F>>;
    if constexpr (reference_like<F> && form::is_static)
        if (!f.to) return with(form::prototype());
    return with(unwrap(f));
}

template <class A> constexpr buffer<void const*> places_of_leaves(A const& a) {
    buffer<void const*> out;
    for_each_leaf(a, [&](auto const& part) { out.push_back(&part); });
    return out;
}
// Makes the tensors of a tree captures of the trace, which are read at each run from where they are.
template <class A> constexpr auto live(trace_scope& scope, A const& a) {
    if constexpr (tensor_type<A>) {
        using reader = tensor_access;
        using T = typename A::value_type;
        if (!__builtin_is_constant_evaluated() && !reader::is_symbolic(a) && !scope.leaf && !is_watched_in(&scope, a))
            return expr<T, typename A::shape_type>(
                scope,
                scope.append_capture(dtype_of<T>, A::static_dims().rank < 0 ? a.dimensions() : A::static_dims(), capture_of(a)));
        return lift(scope, a);
    } else if constexpr (variable_type<A>) {
        return a.record(scope);
    } else if constexpr (aggregate<A>) {
        buffer<void const*> const originals = places_of_leaves(a);
        A out = stand_in(a);
        std::size_t count = 0;
        for_each_leaf(
            out, [&]<class Part>(Part& part) { stand_for(part, live(scope, *static_cast<Part const*>(originals[count++]))); });
        return out;
    } else if constexpr (parted<A>) {
        return map_parts(a, [&](auto const& part) { return live(scope, part); });
    } else {
        return a;
    }
}

// Is the callable a transform of another one? Its arguments may all be structs, whose types don't tell that they belong to a
// trace.
template <class F> inline constexpr bool is_transformed = false;

// Calls a callable as its owner does: one that assigns to its members is not const. The trace keeps what it assigns.
template <class F, class... E> constexpr decltype(auto) called(F const& f, E const&... e) {
    if constexpr (requires { f(e...); }) return f(e...);
    else return const_cast<F&>(f)(e...);
}
// Calls f(), then note(), and returns what f returned.
template <class F, class Note> constexpr auto result_before(F const& f, Note const& note) {
    if constexpr (std::is_void_v<decltype(f())>) {
        f();
        note();
    } else {
        auto out = f();
        note();
        return out;
    }
}
// Calls a struct whose members are read at each run. What it assigns to variables among them is assigned to the originals.
template <class F, class... E> constexpr auto call_live(trace_scope& scope, F const& f, E const&... e) {
    if constexpr (!holds_variables<F>) {
        return live(scope, f)(e...);
    } else {
        F tree = live(scope, f);
        return result_before([&]() -> decltype(auto) { return tree(e...); },
                             [&] {
                                 buffer<void const*> const originals = places_of_leaves(f);
                                 std::size_t count = 0;
                                 for_each_leaf(std::as_const(tree), [&]<class Part>(Part const& part) {
                                     [[maybe_unused]] void const* const original = originals[count++];
                                     if constexpr (variable_type<Part>) {
                                         Part& to = *const_cast<Part*>(static_cast<Part const*>(original));
                                         if (to.record(scope).id() != part.record(scope).id()) to.assign(part.unrecorded());
                                     }
                                 });
                             });
    }
}
// Calls f inside a trace. Members of what a reference holds are read at each run.
template <class F, class... E> constexpr auto call_in_trace(trace_scope& scope, F const& f, E const&... e) {
    open_trace const opened(scope);
    if constexpr (reference_like<F> && aggregate<callable_of<F>>)
        if (!__builtin_is_constant_evaluated()) return call_live(scope, unwrap(f), e...);
    if constexpr (is_transformed<callable_of<F>>) return unwrap(f).in_trace(scope, e...);
    else return called(unwrap(f), e...);
}

// bound_callable is a callable with its trailing parameters bound to trees elsewhere.
template <class F, class... B> struct bound_callable {
    F function;
    std::tuple<B const*...> bound;

    template <class... A> constexpr auto operator()(A const&... a) const {
        return with_parts(bound, [&](auto const*... b) {
            if constexpr ((facts<A>.has_exprs || ...)) {
                trace_scope& scope = *symbolic_scope(a...);
                return call_in_trace(scope, function, a..., live(scope, *b)...);
            } else {
                return unwrap(function)(a..., *b...);
            }
        });
    }
};

// symbolic_tree is a tree as a callable sees it while it is traced; the callable may assign to variables in it.
template <class A, class Scope> struct symbolic_tree {
    Scope& scope;
    std::size_t first;
    decltype(symbolic(std::declval<A const&>(), std::declval<Scope&>())) tree;

    constexpr symbolic_tree(A const& a, Scope& in)
        : scope{in}, first{in.recorded.view().parameters.size()}, tree(symbolic(a, in)) {}
    // Tells the trace of the assignments.
    constexpr void note() const {
        std::size_t number = first;
        for_each_leaf(tree, [&]<class Part>(Part const& part) {
            if constexpr (variable_type<Part>)
                if (node_id const now = part.record(scope).id(); now != scope.recorded.view().parameters[number])
                    scope.recorded.assign_parameter(number, now);
            ++number;
        });
    }
};

// callable_form says how a callable's state is found and replaced. `state` is what types alone tell of it; they tell nothing of
// what tx::capture gave a callable: see run/captured_leaves.hpp.
template <class F> struct callable_form {
    static constexpr bool has_state = aggregate<F> && facts<F>.is_tree;
    static constexpr tree_facts state = [] {
        tree_facts none;
        if constexpr (has_state) return facts<F>;
        none.is_tree = is_stateless<F> || holds_captures<F>;
        return none;
    }();
    // Can the callable be traced without a value that only the run has? Its type, or its members' types, must tell everything.
    static constexpr bool is_static =
        state.is_tree && !state.has_values && !state.has_open_rank && !state.has_exprs && (has_prototype<F> || holds_captures<F>);
    // Returns the object that the compiler traces.
    static constexpr decltype(auto) prototype() {
        if constexpr (has_prototype<F>) return detail::prototype<F>();
        else return std::as_const(unmade_object<F>.object);
    }
    // Returns what is called in the end: the callable itself, or the one that a wrapper calls.
    static constexpr F const& callee(F const& f) { return f; }
    // This asks twice, because Clang's first answer is yes where the body has returns of different types, which is an error; if
    // the answer stayed, that error would be reported again by each use of the call.
    template <class... E> static constexpr bool takes =
        requires(F& f, E const&... e) { f(e...); } && requires(F& f, E const&... e) { f(e...); };

    template <class Visit, class Value>
    TRACEXPR_INLINE static constexpr void visit(F const& f, Visit const& leaf, Value const& value) {
        if constexpr (has_state) for_each_leaf(f, leaf, value);
    }
    // Calls f with its state recorded as parameters, and `record` with the result.
    template <class Scope, class... E> static constexpr decltype(auto) call(Scope& scope, F const& f, E const&... e) {
        if constexpr (!has_state) {
            return called(f, e...);
        } else if constexpr (!holds_variables<F>) {
            return symbolic(f, scope)(e...);
        } else {
            symbolic_tree<F, Scope> own(f, scope);
            return result_before([&]() -> decltype(auto) { return own.tree(e...); }, [&] { own.note(); });
        }
    }
};
template <class F, class... B> struct callable_form<bound_callable<F, B...>> {
    using own = callable_form<callable_of<F>>;
    static constexpr tree_facts state = (own::state + ... + facts<B>);
    static constexpr bool is_static =
        own::is_static && !(facts<B>.has_values || ...) && !(facts<B>.has_open_rank || ...) && (has_prototype<B> && ...);
    using callable = bound_callable<F, B...>;
    static constexpr callable prototype() { return {held_prototype<F>(), {}}; }
    static constexpr auto const& callee(callable const& f) { return own::callee(unwrap(f.function)); }
    template <class A> using symbolic_part = decltype(symbolic(std::declval<A const&>(), std::declval<argument_scope&>()));
    template <class... E> static constexpr bool takes = own::template takes<E..., symbolic_part<B>...>;

    template <class Visit, class Value>
    TRACEXPR_INLINE static constexpr void visit(callable const& f, Visit const& leaf, Value const& value) {
        with_parts(f.bound, [&](auto const*... b) { (for_each_leaf(*b, leaf, value), ...); });
        own::visit(unwrap(f.function), leaf, value);
    }
    template <class Scope, class... E> static constexpr decltype(auto) call(Scope& scope, callable const& f, E const&... e) {
        auto const bound = map_parts(f.bound, [&](auto const* b) { return symbolic_behind(b, scope); });
        return with_parts(bound, [&](auto const&... b) -> decltype(auto) {
            return with_callee(f.function,
                               [&](auto const& callee) -> decltype(auto) { return own::call(scope, callee, e..., b...); });
        });
    }

private:
    // Makes the symbols of a bound tree; the compiler traces a callable that is bound to nothing yet.
    template <class A, class Scope> static constexpr auto symbolic_behind(A const* a, Scope& scope) {
        if constexpr (has_prototype<A>)
            if (!a) return symbolic(detail::prototype<A>(), scope);
        return symbolic(*a, scope);
    }
};

// `here` stands for this machine's processor, in the calling thread.
struct here {};

// optioned_callable is a callable whose traces go through other passes, and which may run elsewhere.
template <pass_options Options, class F, class Where = here> struct optioned_callable {
    F function;
    [[no_unique_address]] Where where{};
    template <class... A> constexpr auto operator()(A const&... a) const {
        if constexpr ((facts<A>.has_exprs || ...)) return call_in_trace(*symbolic_scope(a...), function, a...);
        else return unwrap(function)(a...);
    }
};
template <pass_options Options, class F, class Where> struct callable_form<optioned_callable<Options, F, Where>> {
    using callable = optioned_callable<Options, F, Where>;
    using own = callable_form<callable_of<F>>;
    static constexpr tree_facts state = own::state;
    static constexpr bool is_static = own::is_static;
    static constexpr callable prototype() { return {held_prototype<F>(), {}}; }
    static constexpr auto const& callee(callable const& f) { return own::callee(unwrap(f.function)); }
    template <class... E> static constexpr bool takes = own::template takes<E...>;

    template <class Visit, class Value>
    TRACEXPR_INLINE static constexpr void visit(callable const& f, Visit const& leaf, Value const& value) {
        own::visit(unwrap(f.function), leaf, value);
    }
    template <class Scope, class... E> static constexpr decltype(auto) call(Scope& scope, callable const& f, E const&... e) {
        return detail::with_callee(f.function,
                                   [&](auto const& callee) -> decltype(auto) { return own::call(scope, callee, e...); });
    }
};

// passes_of holds the options of the passes for a callable's traces.
template <class F> inline constexpr pass_options passes_of{};
template <pass_options Options, class F, class Where>
inline constexpr pass_options passes_of<optioned_callable<Options, F, Where>> = Options;
template <class F, class... B> inline constexpr pass_options passes_of<bound_callable<F, B...>> = passes_of<callable_of<F>>;
// Does a callable that the compiler traces run on tiles? (This is a concept because that leaves no symbol: files may differ.)
template <class F> concept runs_on_tiles =
    passes_of<F>.kernels == execution::tiles || (TRACEXPR_PREFERS_TILES && passes_of<F>.kernels == execution::automatic);
// Returns the callable's options with another choice of kernels.
template <class F> constexpr pass_options passes_with(execution kernels) {
    pass_options out = passes_of<callable_of<F>>;
    out.kernels = kernels;
    return out;
}
template <execution Kernels, class F> struct callable_with_kernels {
    using type = optioned_callable<passes_with<F>(Kernels), decltype(held(std::declval<F const&>()))>;
};
template <class F> struct callable_with_kernels<execution::automatic, F> {
    using type = F;
};
// Returns where a callable runs.
template <class F> constexpr here place_of(F const&) { return {}; }
template <pass_options Options, class F, class Where> constexpr Where place_of(optioned_callable<Options, F, Where> const& f) {
    return f.where;
}
template <class F, class... B> constexpr auto place_of(bound_callable<F, B...> const& f) { return place_of(unwrap(f.function)); }
// Does a callable run on a device? device_run then runs its calls (run/device_call.hpp).
template <class Where> inline constexpr bool is_device = false;
template <class F> inline constexpr bool runs_on_device = is_device<decltype(place_of(std::declval<F const&>()))>;

// Does a callable hold references to what others may change?
template <class F> inline constexpr bool refers =
    (reference_like<F> && !is_stateless<callable_of<F>>) || holds_captures<callable_of<F>>;
template <class F, class... B> inline constexpr bool refers<bound_callable<F, B...>> = true;
template <pass_options Options, class F, class Where> inline constexpr bool refers<optioned_callable<Options, F, Where>> =
    refers<F>;

// May something that a callable refers to change without being read at each call? Members are read at each call if they can be
// told apart.
template <class F> constexpr bool refers_to_hidden() {
    if constexpr (reference_like<F>) return !callable_form<callable_of<F>>::state.is_tree;
    else return false;
}
template <class F> inline constexpr bool hides_state = refers_to_hidden<F>();
template <class F, class... B> inline constexpr bool hides_state<bound_callable<F, B...>> = hides_state<F>;
template <pass_options Options, class F, class Where> inline constexpr bool hides_state<optioned_callable<Options, F, Where>> =
    hides_state<F>;

// Returns the trace under way on this thread if the result of a call depends on what is read at each run: an argument, or what
// the callable holds (or may hold, because a lambda's captures are unknown). Else returns null.
template <class F, class... A> [[gnu::cold]] TRACEXPR_NOINLINE trace_scope* scope_of_traced_call(F const& f, A const&... a) {
    using form = callable_form<callable_of<F>>;
    bool found = refers<F> || !form::state.is_tree;
    auto const look = [&](auto const& leaf) { found = found || is_live(leaf); };
    (for_each_leaf(a, look), ...);
    if (!found) form::visit(unwrap(f), look, ignore_value{});
    return found ? innermost_trace : nullptr;
}
template <class F, class... A> TRACEXPR_INLINE trace_scope* scope_of_live_call(F const& f, A const&... a) {
    if (innermost_trace) [[unlikely]]
        return scope_of_traced_call(f, a...);
    return nullptr;
}

} // namespace tx::detail

namespace tx {

// Returns the callable with other options of the passes, for a function of it:
// tx::function{tx::with_passes<tx::pass_options{.cluster = false}>(f)}.
template <pass_options Options, class F> [[nodiscard]] constexpr auto with_passes(F f) {
    return detail::optioned_callable<Options, decltype(detail::held(f))>{detail::held(f)};
}

} // namespace tx
