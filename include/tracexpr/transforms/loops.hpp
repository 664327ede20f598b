// The loops of this file depend on the values of tensors. The state is a tree, or several trees; bodies and conditions may use
// values of the scope around.
#pragma once

#include <tracexpr/backends/tiles/needed_routines.hpp>
#include <tracexpr/transforms/loops_now.hpp>

namespace tx {

// The options of tx::scan.
struct scan_options {
    bool reverse = false;    // from the last element to the first
    std::int64_t unroll = 1; // how many iterations are one of the compiled loop; the next smaller number that divides all is used
};

// Limits the iterations of a tx::while_loop.
struct max_iterations {
    std::int64_t count = 0;
    constexpr explicit max_iterations(std::int64_t n) : count{n} {}
};

namespace detail {

// Returns the scope that a loop with this result belongs to: that of its operands; else, at run time, the innermost trace, as the
// body may use its values, unless it is a loop of C++ numbers. It is null if the loop runs now.
template <class Result, class... A> constexpr trace_scope* scope_of_loop(A const&... operands) {
    trace_scope* const scope = symbolic_scope(operands...);
    if (__builtin_is_constant_evaluated() || scope) return scope;
    if constexpr (!(facts<A>.has_exprs || ...)) { // no function's arguments load the routines for these dtypes
        simd::tiles::detail::need_routines<std::int64_t, bool>();
        (detail::for_each_result(operands, need_routines_of_leaf{}), ...);
    }
    return facts<Result>.has_exprs || !facts<Result>.has_scalars ? innermost_trace : nullptr;
}
constexpr bool runs_now(trace_scope const* scope) { return !scope || scope->root->evaluate; }

// F can be called on these operands, as they are or as they are in a trace.
template <class F, class... A> concept takes =
    requires(F const& f, A const&... a) { f(a...); } || requires(F const& f, in_trace<A> const&... a) { f(a...); };

// Returns a state of one part without its tuple.
template <class State> constexpr auto unpacked(State const& state) {
    if constexpr (std::tuple_size_v<State> == 1) return std::get<0>(state);
    else if constexpr (std::tuple_size_v<State> > 1) return state;
}

// Calls a body with the parts of the state, which it gets as a tuple.
template <class F> struct state_body {
    F const& function;
    template <class State> constexpr auto operator()(State const& state) const {
        return with_parts(state, [&](auto const&... part) { return function(part...); });
    }
    template <class State> using raw =
        std::remove_cvref_t<decltype(std::declval<state_body const&>()(std::declval<State const&>()))>;
    template <class State> using result = typename parts_of_result<std::tuple_size_v<State>, raw<State>>::type;
};
// Calls a body with the number of the iteration, or another first argument, and then the parts of the state.
template <class F, class First> struct numbered_body {
    F const& function;
    First const& first;
    template <class State> constexpr auto operator()(State const& state) const {
        return with_parts(state, [&](auto const&... part) { return function(first, part...); });
    }
    template <class State> using raw =
        std::remove_cvref_t<decltype(std::declval<numbered_body const&>()(std::declval<State const&>()))>;
    template <class State> using result = typename parts_of_result<std::tuple_size_v<State>, raw<State>>::type;
};
// Returns the state after a call as a tuple of its parts.
template <class State, class Body> constexpr auto next_state(Body const& body, State const& state) {
    if constexpr (std::tuple_size_v<State> == 0) return body(state), State{};
    else if constexpr (std::tuple_size_v<State> == 1) return std::make_tuple(body(state));
    else return body(state);
}

// Wraps a body so that the state starts with the number of the iteration, which each call increases.
template <class Body> struct counting_body {
    Body const& function; // takes the number and the state
    template <class I, class... S> constexpr auto operator()(I const& i, S const&... part) const {
        auto const number = weak_number(i);
        if constexpr (sizeof...(S) == 0) {
            return function(number), std::tuple(i + 1);
        } else {
            numbered_body<Body, decltype(number)> const body{function, number};
            return std::tuple_cat(std::tuple(i + 1), next_state(body, std::make_tuple(part...)));
        }
    }

private:
    template <class I> static constexpr auto weak_number(I const& i) {
        if constexpr (expr_type<I>) return weak_expr<std::int64_t>(i.scope(), i.id());
        else if constexpr (tensor_type<I>) return i.item();
        else return i;
    }
};
// Returns the state without the number.
template <class Out> constexpr auto without_number(Out const& out) {
    if constexpr (is_failed<Out>) return out;
    else return unpacked(with_parts(out, [](auto const&, auto const&... part) { return std::make_tuple(part...); }));
}

template <class A> constexpr auto loop_number(A const& a) {
    if constexpr (std::is_integral_v<A>) return static_cast<std::int64_t>(a);
    else return tx::cast<std::int64_t>(a);
}

template <class State, class To, class Condition, class Body, class Start>
constexpr To record_while(trace_scope& scope, Condition const& condition, Body const& body, Start const& start) {
    loop_operands leading;
    append_leaves<State>(op::while_loop, scope, start, leading);
    std::size_t const states = leading.nodes.size();
    loop_recording loop(scope, op::while_loop, std::move(leading));
    traced_branch asked, made;
    loop.record(asked, [&](trace_scope& region, buffer<node_id> const& parameters) {
        node_id const* next = parameters.data();
        State const given = results_at<State>(region, start, next);
        auto const truth = with_parts(given, condition);
        static_assert(
            is_predicate<std::remove_cvref_t<decltype(truth)>>,
            "tx: while_loop: the condition must give a bool scalar: compare something (x > 0), and reduce it with tx::all or "
            "tx::any");
        node_id const id = record_operand<dtype::boolean>(region, plain_operand(truth));
        require_scalar_predicate(op::while_loop, region.recorded.shape_of(id));
        region.recorded.add_output(id);
        return true;
    });
    loop.record(made, [&](trace_scope& region, buffer<node_id> const& parameters) {
        node_id const* next = parameters.data();
        State const given = results_at<State>(region, start, next);
        auto const following = next_state(body, given);
        require_form_of("while_loop: the state and what the body returns", given, following, "the latter");
        record_results<State>(region, following);
        return true;
    });
    traced_branch* const regions[]{&asked, &made};
    buffer<node_id> const results = loop.append(regions, {states, 0, false});
    node_id const* next = results.data();
    return results_at<To>(scope, start, next);
}

// Reshapes the sequences so that an iteration gets several elements, and returns how many.
TRACEXPR_ONCE constexpr std::int64_t unroll_sequences(trace_scope& scope, loop_operands& all, std::size_t first,
                                                      std::int64_t wanted) {
    lowering low(scope);
    std::int64_t const length = low.extent(all.nodes[first], 0);
    std::int64_t together = length < wanted ? length : wanted; // if it is unknown, none are put together
    for (std::size_t k = first; k < all.nodes.size(); ++k)
        if (low.rank(all.nodes[k]) == max_rank) together = 1;
    while (together > 1 && length % together != 0) --together;
    for (std::size_t k = first; together > 1 && k < all.nodes.size(); ++k) {
        dims const d(scope.recorded.shape_of(all.nodes[k]));
        attribute_list extents(length / together, together);
        for (int axis = 1; axis < d.rank; ++axis) extents.push_back(d[axis]);
        all.nodes[k] = low.reshape(all.nodes[k], extents);
        all.specs[k].shape = without_leading(dims(scope.recorded.shape_of(all.nodes[k])));
    }
    return together;
}
TRACEXPR_ONCE constexpr node_id merged_iterations(trace_scope& scope, node_id id) {
    lowering low(scope);
    dims const d(scope.recorded.shape_of(id));
    attribute_list extents(d[0] * d[1]);
    for (int axis = 2; axis < d.rank; ++axis) extents.push_back(d[axis]);
    return low.reshape(id, extents);
}

// Records a scan, where body(state, elements) returns a pair of the next state and elements of the results.
template <class State, class To, class Body, class Start, class Xs>
constexpr auto record_scan(trace_scope& scope, Body const& body, Start const& start, Xs const& xs, scan_options options = {}) {
    constexpr std::int64_t length = axis_facts_of<0, false, Xs>().extent;
    if (!__builtin_is_constant_evaluated() && scope.evaluate)
        if (std::int64_t const count = length_now(scope, xs); count > 0)
            return scan_now<State, To, length>(scope, body, start, xs, options.reverse, count);
    loop_operands leading;
    append_leaves<State>(op::scan, scope, start, leading);
    loop_form form{leading.nodes.size(), 0, options.reverse};
    append_sequences(scope, xs, leading);
    form.sequences = leading.nodes.size() - form.states;
    std::int64_t const together = options.unroll > 1 ? unroll_sequences(scope, leading, form.states, options.unroll) : 1;
    loop_recording loop(scope, op::scan, std::move(leading));
    traced_branch made;
    auto const like = loop.record(made, [&](trace_scope& region, buffer<node_id> const& parameters) {
        buffer<node_id> state, results;
        for (std::size_t k = 0; k < form.states; ++k) state.push_back(parameters[k]);
        table_view<node_id> const sequences{parameters.data() + form.states, form.sequences};
        if (together > 1) {
            auto const last = iterate<State>(region, body, start, xs, sequences, together, options.reverse, state, results);
            for (buffer<node_id> const* const all : {&state, &results})
                for (node_id const id : *all) region.recorded.add_output(id);
            return last;
        }
        node_id const *next = state.data(), *next_element = sequences.data();
        State const given = results_at<State>(region, start, next);
        auto both = body(given, elements_at(region, xs, next_element));
        require_form_of("scan: the carry and what the body returns", given, std::get<0>(both), "the latter");
        record_results<State>(region, std::get<0>(both));
        for_each_result(std::get<1>(both), [&](auto const& leaf) {
            region.recorded.add_output(record_operand<dtype_of_operand<decltype(leaf)>>(region, plain_operand(leaf)));
        });
        return std::get<1>(both);
    });
    traced_branch* const regions[]{&made};
    buffer<node_id> const results = loop.append(regions, form);
    node_id const* next = results.data();
    To state = results_at<To>(scope, start, next);
    auto const whole = [&](node_id id) { return together > 1 ? merged_iterations(scope, id) : id; };
    return std::pair(state,
                     map_to_tree(like, [&]<class Leaf>(Leaf const&) { return stacked<Leaf, length>(scope, whole(*next++)); }));
}

// Records a scan in the scope that the operands belong to. If they are concrete values, that is the scope of a function made for
// it.
template <class Body, class Carry, class Xs>
constexpr auto scan_in(trace_scope& scope, Body const& body, Carry const& carry, Xs const& xs, scan_options options) {
    using carry_in_trace = in_trace<Carry>;
    using element = decltype(elements_at(scope, xs, std::declval<node_id const*&>()));
    constexpr bool takes_both = requires(carry_in_trace const& c, element const& x) { body(c, x); };
    constexpr axis_facts facts = axis_facts_of<0, false, Xs>();
    static_assert(takes_both, "tx: scan: the body takes two arguments, the carry and an element of xs; each may be a tuple");
    static_assert(!facts.is_missing, "tx: scan: every sequence must have an axis to go along");
    static_assert(!facts.clashes, "tx: scan: all sequences must have one extent along the first axis");
    if constexpr (!takes_both || facts.is_missing || facts.clashes) {
        return failed{};
    } else if constexpr (!pair_like<decltype(body(std::declval<carry_in_trace const&>(), std::declval<element const&>()))>) {
        static_assert(always_false<Body>, "tx: scan: the body must return a pair of the next carry and a y");
        return failed{};
    } else {
        using returned =
            std::remove_cvref_t<decltype(body(std::declval<carry_in_trace const&>(), std::declval<element const&>()))>;
        using common = common_tree<carry_in_trace, std::remove_cvref_t<std::tuple_element_t<0, returned>>>;
        if constexpr (!check_state<common::differs>()) {
            return failed{};
        } else {
            using state = std::tuple<typename common::type>;
            auto const step = [&](state const& now, auto const& elements) {
                auto both = body(std::get<0>(now), elements);
                return std::pair(std::make_tuple(std::get<0>(both)), std::get<1>(both));
            };
            auto out = record_scan<state, state>(scope, step, std::tuple<Carry>(carry), xs, options);
            return std::pair(std::get<0>(out.first), out.second);
        }
    }
}
template <class F, class Xs> constexpr auto map_in(trace_scope& scope, F const& f, Xs const& xs) {
    using element = decltype(elements_at(scope, xs, std::declval<node_id const*&>()));
    constexpr bool takes_one = requires(element const& x) { f(x); };
    constexpr axis_facts facts = axis_facts_of<0, false, Xs>();
    static_assert(takes_one,
                  "tx: map: the callable takes one argument, an element of xs; of several sequences, given as a tuple, a tuple");
    static_assert(!facts.is_missing, "tx: map: every sequence must have an axis to go along");
    static_assert(!facts.clashes, "tx: map: all sequences must have one extent along the first axis");
    if constexpr (!takes_one || facts.is_missing || facts.clashes) {
        return failed{};
    } else {
        auto const step = [&](std::tuple<> const&, auto const& elements) { return std::pair(std::tuple<>{}, f(elements)); };
        return record_scan<std::tuple<>, std::tuple<>>(scope, step, std::tuple<>{}, xs).second;
    }
}

// Calls one of the cases from number First on, of which there are Count.
template <std::size_t First, std::size_t Count, class Index, class Cases, class... A>
constexpr auto chosen_case(Index const& index, Cases const& cases, A const&... operands) {
    if constexpr (Count == 1) {
        return std::get<First>(cases)(operands...);
    } else {
        constexpr std::size_t half = Count / 2;
        return tx::cond(
            index < static_cast<int>(First + half),
            [&](auto const&... a) { return chosen_case<First, half>(index, cases, a...); },
            [&](auto const&... a) { return chosen_case<First + half, Count - half>(index, cases, a...); }, operands...);
    }
}
// Is an argument a part of the state, which doesn't stand where a callable does?
template <class A> concept loop_state = (result_leaf<A> || is_tuple_like<A>) && !is_failed<A>;
} // namespace detail

inline namespace TRACEXPR_CALLS {

// Calls body(state...) as long as condition(state...), a bool scalar, is true; returns the state, or a tuple of its parts. In a
// traced callable the loop becomes part of the graph.
template <class Condition, class Body, class... S>
constexpr auto while_loop(Condition const& condition, Body const& body, S const&... state) {
    detail::state_body<Body> const step{body};
    using step_type = detail::state_body<Body>;
    using start = std::tuple<S...>;
    constexpr bool take_state = detail::takes<Condition, S...> && detail::takes<Body, S...>;
    static_assert(take_state,
                  "tx: while_loop: the condition and the body must take the parts of the state, as many as there are");
    if constexpr (!take_state) {
        return detail::failed{};
    } else if constexpr (detail::check_state<detail::loop_carried_state<step_type, start>::differs>()) {
        using result = typename detail::loop_carried_state<step_type, start>::type;
        if (trace_scope* const scope = detail::scope_of_loop<result>(state...); !detail::runs_now(scope))
            return detail::unpacked(
                detail::record_while<typename detail::loop_carried_state<step_type, std::tuple<detail::in_trace<S>...>>::type,
                                     result>(*scope, condition, step, start(state...)));
        result now = detail::common_value<result>(detail::scope_of_loop<result>(state...), start(state...));
        while (detail::truth_of(detail::with_parts(now, condition)))
            now = detail::common_value<result>(detail::scope_of_loop<result>(state...), detail::next_state(step, now));
        return detail::unpacked(now);
    } else {
        return detail::failed{};
    }
}

template <detail::loop_state State, class Body, class... S>
constexpr detail::failed while_loop(State const&, Body const&, S const&...) {
    static_assert(always_false<State>, "tx: while_loop: the condition and the body come first, and behind them the state; write "
                                       "tx::while_loop(condition, body, x)");
    return {};
}

// Runs a while_loop that ends after `most` iterations in any case.
template <class Condition, class Body, class... S>
constexpr auto while_loop(max_iterations most, Condition const& condition, Body const& body, S const&... state) {
    auto const step = [&](auto const&, auto const&... part) { return body(part...); };
    auto const out =
        tx::while_loop([&](auto const& i, auto const&... part) { return tx::logical_and(i < most.count, condition(part...)); },
                       detail::counting_body<decltype(step)>{step}, std::int64_t{0}, state...);
    if constexpr (sizeof...(S) > 0) return detail::without_number(out);
}

// Calls body(i, state...) for the numbers i from `first` up to but not including `last`; returns the state, or a tuple of its
// parts. In a body the dtype of i adapts to the other operands, as that of a C++ number does.
template <class First, class Last, class Body, class... S>
constexpr auto fori_loop(First const& first, Last const& last, Body const& body, S const&... state) {
    using number = weak_expr<std::int64_t>;
    using raw_step = detail::numbered_body<Body, std::int64_t>;
    using start = std::tuple<S...>;
    constexpr bool takes_number = detail::takes<Body, std::int64_t, S...>;
    static_assert(takes_number, "tx: fori_loop: the body must take the number of the iteration, then the parts of the state");
    if constexpr (!takes_number) {
        return detail::failed{};
    } else if constexpr (!detail::check_state<detail::loop_carried_state<raw_step, start>::differs>()) {
        return detail::failed{};
    } else if constexpr (!std::is_integral_v<First> || !std::is_integral_v<Last>) {
        auto const out = tx::while_loop([&](auto const& i, auto const&...) { return i < last; },
                                        detail::counting_body<Body>{body}, detail::loop_number(first), state...);
        if constexpr (sizeof...(S) > 0) return detail::without_number(out);
    } else {
        using result = typename detail::loop_carried_state<raw_step, start>::type;
        trace_scope* const scope = detail::scope_of_loop<result>(state...);
        if (!detail::runs_now(scope)) {
            using state_type = typename detail::loop_carried_state<detail::numbered_body<Body, number>,
                                                                   std::tuple<detail::in_trace<S>...>>::type;
            auto const numbers = tx::arange<std::int64_t>(static_cast<std::int64_t>(first), static_cast<std::int64_t>(last));
            auto const step = [&](state_type const& now, auto const& elements) {
                number const i(elements.scope(), elements.id());
                return std::pair(detail::next_state(detail::numbered_body<Body, number>{body, i}, now), std::tuple<>{});
            };
            return detail::unpacked(detail::record_scan<state_type, result>(*scope, step, start(state...), numbers).first);
        }
        result now = detail::common_value<result>(scope, start(state...));
        for (std::int64_t i = first; i < static_cast<std::int64_t>(last); ++i)
            now =
                detail::common_value<result>(detail::scope_of_loop<result>(state...), detail::next_state(raw_step{body, i}, now));
        return detail::unpacked(now);
    }
}

template <class First, class Last, detail::loop_state Body, class... S>
constexpr detail::failed fori_loop(First const&, Last const&, Body const&, S const&...) {
    static_assert(always_false<Body>, "tx: fori_loop: the first number, the one behind the last and the body come first, and "
                                      "behind them the state; write tx::fori_loop(0, n, body, x)");
    return {};
}

// Calls body(carry, x) for each element x of xs along the first axis, in order; it returns a pair of the next carry and a y.
// Returns a pair of the last carry, and the ys stacked along a first axis. All may be trees.
template <class Body, class Carry, class Xs>
constexpr auto scan(Body const& body, Carry const& carry, Xs const& xs, scan_options options = {}) {
    auto const in_trace = [&](auto const& c, auto const& x) {
        trace_scope& scope = *detail::scope_of_loop<std::tuple<>>(c, x);
        return detail::scan_in(scope, body, c, detail::inlined_argument(scope, x), options);
    };
    if constexpr (detail::facts<Carry>.has_exprs || detail::facts<Xs>.has_exprs) return in_trace(carry, xs);
    else return function{in_trace}(carry, xs);
}

// Calls f with each element of xs along the first axis, one after the other; returns the results stacked along a first axis.
// tx::vmap computes all at once.
template <class F, class Xs> constexpr auto map(F const& f, Xs const& xs) {
    if constexpr (detail::facts<Xs>.has_exprs) return detail::map_in(*detail::scope_of_loop<std::tuple<>>(xs), f, xs);
    else return function{[&](auto const& x) { return detail::map_in(*detail::scope_of_loop<std::tuple<>>(x), f, x); }}(xs);
}

// Calls the case with this number, an integer scalar: std::get<index>(cases)(operands...). The number is clamped to the range of
// the cases. Only that case runs; all must return the same dtypes and shapes.
template <class Index, class... F, class... A>
constexpr auto switch_case(Index const& index, std::tuple<F...> const& cases, A const&... operands) {
    return detail::chosen_case<0, sizeof...(F)>(index, cases, operands...);
}
template <class Index, class Case, class... A> requires(!detail::is_tuple_like<Case>)
constexpr detail::failed switch_case(Index const&, Case const&, A const&...) {
    static_assert(always_false<Case>,
                  "tx: switch_case: the cases are given in one std::tuple: switch_case(k, std::tuple(f, g), x)");
    return {};
}

} // namespace TRACEXPR_CALLS
} // namespace tx
