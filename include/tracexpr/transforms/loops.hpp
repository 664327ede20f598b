// Loops on the values of tensors. State is a tree, and may be several; bodies and conditions may use what is around them.
#pragma once

#include <tracexpr/run/control_flow.hpp>
#include <tracexpr/transforms/vmap.hpp>

namespace tx {

struct scan_options {
    bool reverse = false; // from the last element to the first
};

// The most iterations that a tx::while_loop makes.
struct max_iterations {
    std::int64_t count = 0;
    constexpr explicit max_iterations(std::int64_t n) : count{n} {}
};

namespace detail {

// A tree of exprs as a body is given it; a C++ scalar takes on another's dtype.
template <class A> using in_trace =
    std::remove_cvref_t<decltype(inlined_argument(std::declval<trace_scope&>(), std::declval<A const&>()))>;
// What a body returns, as a tuple of the state's parts: of one part it may be that itself.
template <std::size_t Parts, class R> constexpr decltype(auto) as_parts(R const& result) {
    if constexpr (Parts == 1) return std::tuple<R const&>(result);
    else return (result);
}
template <std::size_t Parts, class R> struct parts_of_result {
    using type = R;
};
template <class R> struct parts_of_result<1, R> {
    using type = std::tuple<R>;
};
template <> struct parts_of_result<0, void> {
    using type = std::tuple<>;
};

// The state that goes round: what a body takes and what it returns have in common. Body::result<State> is what it returns.
template <class Body, class Start, class Result = typename Body::template result<Start>> struct going_round {
    using common = common_tree<Start, Result>;
    static constexpr difference differs = common::differs;
    using type = typename common::type;
};

template <difference Differs> constexpr bool check_state() {
    static_assert(Differs != difference::form, "tx: loop: the body must return the state in the form that it is given: one value "
                                               "as it is, several in a std::tuple; the types stand in the note");
    static_assert(Differs != difference::dtype,
                  "tx: loop: the body must return a state of the dtypes that it is given; the types stand in the note");
    static_assert(Differs != difference::shape,
                  "tx: loop: the body must return a state of the shapes that it is given; the types stand in the note");
    return Differs == difference::none;
}

[[noreturn]] TRACEXPR_NOINLINE inline void throw_other_state(op code, dims const& given, dims const& returned) {
    dims const both[]{given, returned};
    throw_shape_error(code, "the body must return a state of the shapes that it is given", both);
}
[[noreturn]] TRACEXPR_NOINLINE inline void throw_assigning_condition() {
    throw trace_error("tx: while_loop: the condition must not assign to variables; its body may");
}
// What a loop takes: nodes, and what its regions' parameters are.
struct loop_operands {
    buffer<node_id> nodes;
    buffer<value_spec> specs;
};
// Those of a tree's leaves, in the dtypes that To has.
template <class To, class From> constexpr void append_leaves(op code, trace_scope& scope, From const& from, loop_operands& out) {
    if constexpr (result_leaf<From>) {
        node_id const id = record_operand<dtype_of_operand<To>>(scope, plain_operand(from));
        dims const both[]{scope.recorded.shape_of(id), dims_of_operand<To>};
        if (!may_equal(both[0], both[1])) throw_other_state(code, both[0], both[1]);
        out.nodes.push_back(id);
        out.specs.push_back({dtype_of_operand<To>, known_extents(both[0], both[1])});
    } else if constexpr (is_tuple_like<From>) {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (append_leaves<tree_part<To, I>>(code, scope, std::get<I>(from), out), ...);
        }(std::make_index_sequence<std::tuple_size_v<From>>{});
    } else {
        for_each_result(from, [&]<class Part>(Part const& part) { append_leaves<Part>(code, scope, part, out); });
    }
}

// The regions of a loop, which have parameters of their own in front of what they take from around.
class loop_recording {
public:
    constexpr loop_recording(trace_scope& scope, op code, loop_operands leading)
        : scope_{scope}, code_{code}, leading_(std::move(leading)), taken_(leading_.nodes.size(), node_id::none) {}

    // What call(region, its parameters) gives, in a region.
    template <class Call> constexpr auto record(traced_branch& out, Call const& call) {
        branch_scope region(scope_, taken_, &variables_);
        buffer<node_id> parameters;
        for (std::size_t k = 0; k < leading_.specs.size(); ++k)
            parameters.push_back(region.recorded.append_parameter(leading_.specs[k].type, leading_.specs[k].shape, k));
        auto result = call(region, parameters);
        out = {std::move(region.recorded), region.token, std::move(region.assignments)};
        return result;
    }
    // The results, without the variables that the body assigns to: these are state as well.
    constexpr buffer<node_id> append(table_view<traced_branch*> regions, loop_form form) {
        for (std::size_t k = 0; k + 1 < regions.size(); ++k)
            if (!regions[k]->assigned.empty()) throw_assigning_condition();
        traced_branch& made = *regions.back();
        buffer<assignment> const assigned = make_state(made, form.states);
        graph const& body = made.recorded;
        for (std::size_t k = 0; k < form.states; ++k)
            if (dims const& returned = body.shape_of(body.outputs()[k]); !may_equal(leading_.specs[k].shape, returned))
                throw_other_state(code_, leading_.specs[k].shape, returned);
        for (std::size_t k = 0; k < leading_.nodes.size(); ++k) taken_[k] = leading_.nodes[k];
        buffer<std::size_t> first; // the state
        for (std::size_t k = 0; k < form.states; ++k) first.push_back(k);
        for (assignment const& a : assigned) first.push_back(variable_of(a).parameter);
        std::size_t const own = form.states;
        for (std::size_t k = own; k < leading_.nodes.size(); ++k) first.push_back(k);
        form.states += assigned.size();
        buffer<node_id> const results = append_branches(scope_, code_, node_id::none, taken_, regions, form, first);
        assign_in(scope_, assigned, results.data() + own);
        buffer<node_id> out;
        for (std::size_t k = 0; k < results.size(); ++k)
            if (k < own || k >= form.states) out.push_back(results[k]);
        return out;
    }

private:
    // What a body assigns follows its state.
    constexpr buffer<assignment> make_state(traced_branch& made, std::size_t states) const {
        graph& body = made.recorded;
        for (assignment const& a : made.assigned) {
            dims const both[]{dims(scope_.recorded.shape_of(variable_of(a).around)), dims(body.shape_of(a.value))};
            if (!may_equal(both[0], both[1])) throw_other_state(code_, both[0], both[1]);
        }
        buffer<node_id> const outputs(body.outputs());
        body.clear_outputs();
        for (std::size_t k = 0; k < states; ++k) body.add_output(outputs[k]);
        for (assignment const& a : made.assigned) body.add_output(a.value);
        for (std::size_t k = states; k < outputs.size(); ++k) body.add_output(outputs[k]);
        return made.assigned;
    }
    constexpr loop_variable const& variable_of(assignment const& a) const {
        std::size_t k = 0;
        while (variables_[k].address != a.what.address) ++k;
        return variables_[k];
    }

    trace_scope& scope_;
    op code_;
    loop_operands leading_;
    buffer<node_id> taken_;
    buffer<loop_variable> variables_;
};

// The scope that operands belong to, or what is read at each run; null where all of them are values.
template <class... A> constexpr trace_scope* scope_of_loop(A const&... operands) {
    trace_scope* scope = symbolic_scope(operands...);
    if (!__builtin_is_constant_evaluated() && !scope && innermost_trace) {
        bool is_read = false;
        auto const look = [&](auto const& part) {
            if constexpr (!expr_type<decltype(part)>) is_read = is_read || is_live(part);
        };
        (for_each_leaf(operands, look), ...);
        if (is_read) scope = innermost_trace;
    }
    return scope;
}
constexpr bool runs_now(trace_scope const* scope) { return !scope || scope->root->evaluate; }

// A state of one part is that part.
template <class State> constexpr auto unpacked(State const& state) {
    if constexpr (std::tuple_size_v<State> == 1) return std::get<0>(state);
    else if constexpr (std::tuple_size_v<State> > 1) return state;
}

// A body that is called on a tuple of the state's parts.
template <class F> struct state_body {
    F const& function;
    template <class State> constexpr auto operator()(State const& state) const {
        return with_parts(state, [&](auto const&... part) { return function(part...); });
    }
    template <class State> using raw =
        std::remove_cvref_t<decltype(std::declval<state_body const&>()(std::declval<State const&>()))>;
    template <class State> using result = typename parts_of_result<std::tuple_size_v<State>, raw<State>>::type;
};
// The same for an iteration that has a number, or whatever else is given to it first.
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
// A tuple of the parts of the state after a call.
template <class State, class Body> constexpr auto next_state(Body const& body, State const& state) {
    if constexpr (std::tuple_size_v<State> == 0) return body(state), State{};
    else if constexpr (std::tuple_size_v<State> == 1) return std::make_tuple(body(state));
    else return body(state);
}

// A body that is given a number in front of the state, and returns the next one there.
template <class Body> struct counting_body {
    Body const& function; // of the number and the state
    template <class I, class... S> constexpr auto operator()(I const& i, S const&... part) const {
        if constexpr (sizeof...(S) == 0) return function(i), std::tuple(i + 1);
        else return std::tuple_cat(std::tuple(i + 1), next_state(numbered_body<Body, I>{function, i}, std::make_tuple(part...)));
    }
};
// The state behind the number.
template <class Out> constexpr auto without_number(Out const& out) {
    return unpacked(with_parts(out, [](auto const&, auto const&... part) { return std::make_tuple(part...); }));
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
        node_id const id = record_operand<dtype::boolean>(region, plain_operand(truth));
        require_scalar_predicate(op::while_loop, region.recorded.shape_of(id));
        region.recorded.add_output(id);
        return true;
    });
    loop.record(made, [&](trace_scope& region, buffer<node_id> const& parameters) {
        node_id const* next = parameters.data();
        State const given = results_at<State>(region, start, next);
        record_results<State>(region, next_state(body, given));
        return true;
    });
    traced_branch* const regions[]{&asked, &made};
    buffer<node_id> const results = loop.append(regions, {states, 0, false});
    node_id const* next = results.data();
    return results_at<To>(scope, start, next);
}

template <class A> struct element_shape {
    static constexpr dims value = without_leading(dims_of_operand<A>);
};
template <class A> using element_of_sequence = expr<ctype<dtype_of_operand<A>>, shape_from<element_shape<A>>>;
template <class A, std::int64_t Length> using stacked =
    expr<ctype<dtype_of_operand<A>>, shape_from<with_axis<typename traits<A>::shape_type, Length, 0>>>;

// The tree of what an iteration is given of sequences, from nodes one after the other.
template <class Xs> constexpr auto elements_at(trace_scope& scope, Xs const& xs, node_id const*& next) {
    return map_to_tree(xs, [&]<class Leaf>(Leaf const&) { return element_of_sequence<Leaf>(scope, *next++); });
}
template <class Xs> constexpr void append_sequences(trace_scope& scope, Xs const& xs, loop_operands& out) {
    for_each_result(xs, [&](auto const& leaf) {
        node_id const id = record_operand<dtype_of_operand<decltype(leaf)>>(scope, plain_operand(leaf));
        dims const d = scope.recorded.shape_of(id);
        if (d.rank == 0) throw_shape_error(op::scan, "sequences must have an axis to go along", {&d, 1});
        out.nodes.push_back(id);
        out.specs.push_back({scope.recorded[id].type, without_leading(d)});
    });
}

// body(state, elements) gives a pair of the next state and elements of the results.
template <class State, class To, class Body, class Start, class Xs>
constexpr auto record_scan(trace_scope& scope, Body const& body, Start const& start, Xs const& xs, bool reversed) {
    constexpr std::int64_t length = axis_facts_of<0, false, Xs>().extent;
    loop_operands leading;
    append_leaves<State>(op::scan, scope, start, leading);
    loop_form form{leading.nodes.size(), 0, reversed};
    append_sequences(scope, xs, leading);
    form.sequences = leading.nodes.size() - form.states;
    loop_recording loop(scope, op::scan, std::move(leading));
    traced_branch made;
    auto const like = loop.record(made, [&](trace_scope& region, buffer<node_id> const& parameters) {
        node_id const* next = parameters.data();
        State const given = results_at<State>(region, start, next);
        auto both = body(given, elements_at(region, xs, next));
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
    return std::pair(state, map_to_tree(like, [&]<class Leaf>(Leaf const&) { return stacked<Leaf, length>(scope, *next++); }));
}

// In the scope that the operands belong to; where they are values, in a function of its own.
template <class Body, class Carry, class Xs>
constexpr auto scan_in(trace_scope& scope, Body const& body, Carry const& carry, Xs const& xs, scan_options options) {
    using carry_in_trace = in_trace<Carry>;
    using element = decltype(elements_at(scope, xs, std::declval<node_id const*&>()));
    using returned = std::remove_cvref_t<decltype(body(std::declval<carry_in_trace const&>(), std::declval<element const&>()))>;
    constexpr bool is_pair = pair_like<returned>;
    static_assert(is_pair, "tx: scan: the body must return a pair of the next carry and a y");
    if constexpr (!is_pair) {
        return failed{};
    } else {
        using common = common_tree<carry_in_trace, std::remove_cvref_t<std::tuple_element_t<0, returned>>>;
        if constexpr (!check_state<common::differs>()) {
            return failed{};
        } else {
            using state = std::tuple<typename common::type>;
            auto const step = [&](state const& now, auto const& elements) {
                auto both = body(std::get<0>(now), elements);
                return std::pair(std::make_tuple(std::get<0>(both)), std::get<1>(both));
            };
            auto out = record_scan<state, state>(scope, step, std::tuple<Carry>(carry), xs, options.reverse);
            return std::pair(std::get<0>(out.first), out.second);
        }
    }
}
template <class F, class Xs> constexpr auto map_in(trace_scope& scope, F const& f, Xs const& xs) {
    auto const step = [&](std::tuple<> const&, auto const& elements) { return std::pair(std::tuple<>{}, f(elements)); };
    return record_scan<std::tuple<>, std::tuple<>>(scope, step, std::tuple<>{}, xs, false).second;
}

// One of the cases from number First on, Count of them.
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
} // namespace detail

inline namespace TRACEXPR_CALLS {

// body(state...) for as long as condition(state...), a bool scalar, is true; the state, or a tuple of its parts. Inside of a
// traced callable the loop becomes part of the graph.
template <class Condition, class Body, class... S>
constexpr auto while_loop(Condition const& condition, Body const& body, S const&... state) {
    detail::state_body<Body> const step{body};
    using step_type = detail::state_body<Body>;
    using start = std::tuple<S...>;
    using going = detail::going_round<step_type, start>;
    if constexpr (detail::check_state<going::differs>()) {
        using result = typename going::type;
        if (trace_scope* const scope = detail::scope_of_loop(state...); !detail::runs_now(scope))
            return detail::unpacked(
                detail::record_while<typename detail::going_round<step_type, std::tuple<detail::in_trace<S>...>>::type, result>(
                    *scope, condition, step, start(state...)));
        result now = detail::common_value<result>(detail::scope_of_loop(state...), start(state...));
        while (detail::truth_of(detail::with_parts(now, condition)))
            now = detail::common_value<result>(detail::scope_of_loop(state...), detail::next_state(step, now));
        return detail::unpacked(now);
    } else {
        return detail::failed{};
    }
}

// The same, but it ends after so many iterations in any case.
template <class Condition, class Body, class... S>
constexpr auto while_loop(max_iterations most, Condition const& condition, Body const& body, S const&... state) {
    auto const step = [&](auto const&, auto const&... part) { return body(part...); };
    auto const out =
        tx::while_loop([&](auto const& i, auto const&... part) { return tx::logical_and(i < most.count, condition(part...)); },
                       detail::counting_body<decltype(step)>{step}, std::int64_t{0}, state...);
    if constexpr (sizeof...(S) > 0) return detail::without_number(out);
}

// body(i, state...) for the numbers i from `first` up to `last`, without it; the state, or a tuple of its parts. In a body i is
// weak, as a C++ number is.
template <class First, class Last, class Body, class... S>
constexpr auto fori_loop(First const& first, Last const& last, Body const& body, S const&... state) {
    using number = weak_expr<std::int64_t>;
    using raw_step = detail::numbered_body<Body, std::int64_t>;
    using start = std::tuple<S...>;
    using going = detail::going_round<raw_step, start>;
    if constexpr (!detail::check_state<going::differs>()) {
        return detail::failed{};
    } else if constexpr (!std::is_integral_v<First> || !std::is_integral_v<Last>) {
        auto const out = tx::while_loop([&](auto const& i, auto const&...) { return i < last; },
                                        detail::counting_body<Body>{body}, detail::loop_number(first), state...);
        if constexpr (sizeof...(S) > 0) return detail::without_number(out);
    } else {
        using result = typename going::type;
        trace_scope* const scope = detail::scope_of_loop(state...);
        if (!detail::runs_now(scope)) {
            using state_type =
                typename detail::going_round<detail::numbered_body<Body, number>, std::tuple<detail::in_trace<S>...>>::type;
            auto const numbers = tx::arange<std::int64_t>(static_cast<std::int64_t>(first), static_cast<std::int64_t>(last));
            auto const step = [&](state_type const& now, auto const& elements) {
                number const i(elements.scope(), elements.id());
                return std::pair(detail::next_state(detail::numbered_body<Body, number>{body, i}, now), std::tuple<>{});
            };
            return detail::unpacked(detail::record_scan<state_type, result>(*scope, step, start(state...), numbers, false).first);
        }
        result now = detail::common_value<result>(scope, start(state...));
        for (std::int64_t i = first; i < static_cast<std::int64_t>(last); ++i)
            now = detail::common_value<result>(detail::scope_of_loop(state...), detail::next_state(raw_step{body, i}, now));
        return detail::unpacked(now);
    }
}

// body(carry, x) for each element x of xs along the first axis, in turn; it returns a pair of the next carry and a y. The last
// carry, and the ys, stacked along a first axis. All may be trees.
template <class Body, class Carry, class Xs>
constexpr auto scan(Body const& body, Carry const& carry, Xs const& xs, scan_options options = {}) {
    auto const in_trace = [&](auto const& c, auto const& x) {
        return detail::scan_in(*detail::scope_of_loop(c, x), body, c, x, options);
    };
    if constexpr (detail::facts<Carry>.has_exprs || detail::facts<Xs>.has_exprs) return in_trace(carry, xs);
    else return function{in_trace}(carry, xs);
}

// f of each element of xs along the first axis, one after the other; the results, stacked along a first axis. tx::vmap computes
// them all at once.
template <class F, class Xs> constexpr auto map(F const& f, Xs const& xs) {
    if constexpr (detail::facts<Xs>.has_exprs) return detail::map_in(*detail::scope_of_loop(xs), f, xs);
    else return function{[&](auto const& x) { return detail::map_in(*detail::scope_of_loop(x), f, x); }}(xs);
}

// The case of this number, an integer scalar: std::get<index>(cases)(operands...). A number below 0 is taken for 0, one behind
// the last case for that. Only the case that is taken runs; all return the same dtypes and shapes.
template <class Index, class... F, class... A>
constexpr auto switch_case(Index const& index, std::tuple<F...> const& cases, A const&... operands) {
    return detail::chosen_case<0, sizeof...(F)>(index, cases, operands...);
}

} // namespace TRACEXPR_CALLS
} // namespace tx
