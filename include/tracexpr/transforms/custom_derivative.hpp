// tx::custom_gradient and tx::custom_jvp let users define the derivative of a whole callable, in place of those of the ops that
// it is made of.
#pragma once

#include <tracexpr/transforms/grad.hpp>

namespace tx {
namespace detail {

// Describes one call of a callable with a user-defined derivative. Rule says how the derivative is applied. It is linear in the
// tangents or cotangents, so the other mode is its transpose, which reverse mode finds from any point, here from zeros.
template <class Rule, class Given, class Arguments, class Result> struct custom_application : custom_rule {
    trace_scope& scope;
    Given given;
    Arguments arguments;
    Result result;

    constexpr custom_application(trace_scope& s, Given const& g, Arguments const& a, Result const& r)
        : scope{s}, given{g}, arguments{a}, result{r} {}

    constexpr ~custom_application() override {} // g++ 12 uses the implicit one before it defines it

    constexpr buffer<node_id> pull_back(table_view<node_id> cotangents, table_view<bool>) const override {
        if constexpr (Rule::gives_cotangents) return apply(cotangents);
        else return transposed(inputs, cotangents);
    }
    constexpr buffer<node_id> push_forward(table_view<node_id> tangents) const override {
        if constexpr (Rule::gives_cotangents) return transposed(outputs, tangents);
        else return apply(tangents);
    }

private:
    constexpr buffer<node_id> apply(table_view<node_id> steps) const {
        is_read = true;
        open_trace const opened(scope); // a tape may ask long after the call
        return Rule::apply(scope, given, arguments, result, steps);
    }
    constexpr buffer<node_id> transposed(table_view<node_id> like, table_view<node_id> seeds) const {
        graph& g = scope.recorded;
        buffer<node_id> from;
        for (node_id const id : like) from.push_back(g.append_mark(ad::zeros_like({g, id}).id()));
        return ad::cotangents(scope, from, apply(from), seeds);
    }
};

// Marks the arguments of a callable with its own derivative, so that what it captures can be distinguished from them.
template <class... A> constexpr auto marked_arguments_of(trace_scope& scope, A const&... a) {
    marker marks(scope);
    return map_parts(inlined_arguments(scope, a...), [&](auto const& part) { return marks(part); });
}
// Records that `result`, which nodes from number `first` on compute from `arguments`, has the derivative `given`.
template <class Rule, class Given, class Arguments, class Result>
constexpr auto with_custom_derivative(trace_scope& scope, Given const& given, Arguments const& arguments, Result const& result,
                                      std::size_t first) {
    return with_rule(scope, new custom_application<Rule, Given, Arguments, Result>(scope, given, arguments, result),
                     inputs_of(scope, arguments, result, first), leaf_nodes(scope, arguments).size(), result, first);
}

// The derivative is vjp(x..., ybar), which returns the cotangents of the arguments as tx::vjp does; for one argument the tuple
// may be left out.
struct cotangent_rule {
    static constexpr bool gives_cotangents = true;
    template <class Given, class Arguments, class Result>
    static constexpr buffer<node_id> apply(trace_scope& scope, Given const& vjp, Arguments const& arguments, Result const& result,
                                           table_view<node_id> cotangents) {
        auto const ybar = with_nodes(scope, result, cotangents);
        auto const given = with_parts(arguments, [&](auto const&... x) { return vjp(x..., ybar); });
        return paired_leaves(scope, "custom_gradient: the cotangents", given, leaf_nodes(scope, arguments));
    }
};
// f(x...) returns, behind its value, a function of ybar, which returns the cotangents of the arguments.
struct cotangent_closure_rule {
    static constexpr bool gives_cotangents = true;
    template <class Given, class Arguments, class Result>
    static constexpr buffer<node_id> apply(trace_scope& scope, Given const& pull_back, Arguments const& arguments,
                                           Result const& result, table_view<node_id> cotangents) {
        return paired_leaves(scope, "custom_gradient: the cotangents", pull_back(with_nodes(scope, result, cotangents)),
                             leaf_nodes(scope, arguments));
    }
};
// The derivative is jvp(x..., dx...), which returns the value and its tangent, as tx::jvp does.
struct tangent_rule {
    static constexpr bool gives_cotangents = false;
    template <class Given, class Arguments, class Result> static constexpr buffer<node_id>
    apply(trace_scope& scope, Given const& jvp, Arguments const& arguments, Result const& result, table_view<node_id> tangents) {
        auto const steps = with_nodes(scope, arguments, tangents);
        auto const given = with_parts(
            arguments, [&](auto const&... x) { return with_parts(steps, [&](auto const&... dx) { return jvp(x..., dx...); }); });
        static_assert(pair_like<decltype(given)>, "tx: custom_jvp: the rule must return a pair: the value, and its change");
        if constexpr (is_failed<decltype(given)> || !pair_like<decltype(given)>) return {};
        else return paired_leaves(scope, "custom_jvp: the tangent", std::get<1>(given), leaf_nodes(scope, result));
    }
};

// Calls the callable, and records that Derivative is its derivative.
template <class Rule, class Derivative> struct custom_call {
    template <class Call, class... A> static constexpr auto apply(trace_scope& scope, Call const& call, A const&... a) {
        auto const arguments = marked_arguments_of(scope, a...);
        std::size_t const first = scope.recorded.size();
        return with_custom_derivative<Rule>(scope, prototype<Derivative>(), arguments, with_parts(arguments, call), first);
    }
};
struct custom_closure_call {
    template <class Call, class... A> static constexpr auto apply(trace_scope& scope, Call const& call, A const&... a) {
        auto const arguments = marked_arguments_of(scope, a...);
        std::size_t const first = scope.recorded.size();
        auto const given = with_parts(arguments, call);
        static_assert(
            pair_like<decltype(given)>,
            "tx: custom_gradient: the callable must return a pair: its value, and a callable that takes the gradient of that");
        if constexpr (is_failed<decltype(given)> || !pair_like<decltype(given)>) return failed{};
        else
            return with_custom_derivative<cotangent_closure_rule>(scope, std::get<1>(given), arguments, std::get<0>(given),
                                                                  first);
    }
};

// Returns f with the derivative that Rule and Derivative define.
template <class Rule, class Derivative, class F> constexpr auto with_derivative(F const& f) {
    using callable = callable_of<std::remove_cvref_t<decltype(transformable(f))>>;
    constexpr bool captures_nothing = is_stateless<callable> && is_stateless<Derivative> && has_prototype<Derivative>;
    static_assert(captures_nothing, "tx: custom_gradient, custom_jvp: the callable and its derivative must capture nothing; what "
                                    "they need are arguments");
    if constexpr (captures_nothing) return transform<custom_call<Rule, Derivative>>(f);
    else return failed{};
}

} // namespace detail

// Returns f with its own derivative: vjp(x..., ybar) returns the cotangents of the x's (a tuple, or for one argument just its
// cotangent). Forward mode transposes it. Both must capture nothing.
template <class F, class Vjp> [[nodiscard]] constexpr auto custom_gradient(F const& f, Vjp const&) {
    return detail::with_derivative<detail::cotangent_rule, Vjp>(f);
}
// Returns f with its own derivative, where f returns a pair: its value, and a callable that takes ybar and returns the cotangents
// of the arguments. Values that f captures have no derivative: asking for one throws trace_error. (TensorFlow: custom_gradient)
template <class F> [[nodiscard]] constexpr auto custom_gradient(F const& f) {
    return detail::transform<detail::custom_closure_call>(f);
}
// Returns f with its own derivative: jvp(x..., dx...) returns a pair of the value and its tangent. Reverse mode transposes it.
template <class F, class Jvp> [[nodiscard]] constexpr auto custom_jvp(F const& f, Jvp const&) {
    return detail::with_derivative<detail::tangent_rule, Jvp>(f);
}

} // namespace tx
