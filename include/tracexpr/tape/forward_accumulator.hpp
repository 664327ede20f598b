// tx::forward_accumulator computes, in forward mode, how the values of a program that runs step by step change with its sources.
// While one is alive its thread's calls on concrete tensors are recorded, as far as they depend on the sources. In a callable
// that is traced at run time the derivative becomes part of the trace.
#pragma once

#include <tracexpr/tape/traced_steps.hpp>

namespace tx {

// Holds a source and its tangent, which have one dtype and one shape.
class primal_and_tangent {
public:
    template <detail::traced_value X, detail::traced_value Dx> primal_and_tangent(X const& x, Dx const& dx) {
        if constexpr (tensor_type<X>) detail::watch_in_trace(x);
        scope_ = detail::scope_of_tape(std::tie(x, dx));
        static_assert(std::is_same_v<typename X::value_type, typename Dx::value_type>,
                      "tx: forward_accumulator: a tangent must have the dtype of its source");
        static_assert(is_inexact(dtype_of<typename X::value_type>),
                      "tx: forward_accumulator: a source must be of floating or complex dtype");
        if (!may_equal(x.dimensions(), dx.dimensions()))
            detail::throw_unlike("forward_accumulator: the tangents", x.dimensions(), dx.dimensions());
        if (scope_) {
            source_ = detail::traced_node(*scope_, x), step_ = detail::traced_node(*scope_, dx);
        } else if constexpr (detail::recorded_value<X> && detail::recorded_value<Dx>) {
            if constexpr (variable_type<X>) variable_ = x.number();
            value_ = detail::numbered(x);
            tangent_ = detail::kept_now(dx);
        }
    }

private:
    friend class forward_accumulator;
    trace_scope* scope_ = nullptr; // null for concrete values
    node_id source_ = node_id::none, step_ = node_id::none;
    detail::kept_value value_, tangent_;
    std::uint64_t variable_ = 0;
};

// Computes derivatives in forward mode, step by step: after forward_accumulator acc{{x, dx}}, acc.jvp(y) is the tangent of y. It
// records on its thread as long as it lives.
class forward_accumulator {
public:
    forward_accumulator(std::initializer_list<primal_and_tangent> sources) : recorder_(false) {
        for (primal_and_tangent const& s : sources) {
            if (&s != sources.begin() && s.scope_ != scope_)
                throw trace_error("tx: forward_accumulator: the sources must be values of one trace, or none of a trace");
            scope_ = s.scope_;
            if (scope_) number_ = scope_->number;
            if (s.variable_) recorder_.watch(s.value_, s.variable_, false, {});
            node_id const source = scope_ ? s.source_ : recorder_.record().watch(s.value_);
            for (node_id const other : sources_)
                if (other == source)
                    throw tape_error("tx: forward_accumulator: each source must be given once, with one tangent; given twice");
            sources_.push_back(source);
            if (scope_) steps_.push_back(s.step_), in_trace_.watch(*scope_, source);
            else tangents_.push_back(s.tangent_);
        }
    }

    // Returns the change of y when each source changes by its tangent. It may be called any number of times.
    template <detail::traced_value Y, detail::unconnected_choice Choice = detail::must_connect>
    TRACEXPR_NAMES_TARGET auto jvp(Y const& y, Choice choice = {}) {
        if constexpr (expr_type<Y>) {
            return traced_jvp(y.scope(), y, choice);
        } else {
            trace_scope* const scope = detail::scope_of_tape(y);
            if (scope || scope_) return traced_jvp(scope ? *scope : *scope_, y, choice);
            return recorded_jvp(y, choice);
        }
    }

private:
    template <class Y, class Choice> auto traced_jvp(trace_scope& scope, Y const& y, Choice) {
        if (scope_) detail::require_live(scope_, number_);
        if (scope_ && scope_ != &scope) detail::throw_foreign_symbol();
        node_id const targets[]{detail::traced_node(scope, y)};
        node_id tangent = node_id::none;
        if (scope_) // otherwise the sources are nodes of another graph
            tangent = ad::tangents(scope, sources_, steps_, targets, in_trace_.nodes_of(scope).recorded)[0];
        return detail::chosen_derivative<typename detail::derivative_of<Y>::type, Choice>(
            "forward_accumulator: jvp", [] { return "a source"; }, scope, tangent,
            [&] { return ad::zeros_like({scope.recorded, targets[0]}); });
    }
    template <class Y, class Choice> TRACEXPR_NAMES_TARGET auto recorded_jvp(Y const& y, Choice) {
        detail::need_routines_of_leaf{}(y);
        node_id const at = recorder_.record().find(detail::kept_now(y)); // may append nodes, which the pass must see
        buffer<node_id> steps;
        for (detail::kept_value const& t : tangents_) steps.push_back(recorder_.record().operand(t));
        bool const is_known = at != node_id::none;
        detail::derivative_run result(recorder_);
        buffer<node_id> const tangents = // also if nothing is known of y, because other ranks wait for collectives
            ad::tangents(recorder_.record(), sources_, steps, table_view<node_id>(&at, is_known ? 1 : 0), {});
        result.want(is_known ? tangents[0] : node_id::none);
        if constexpr (std::is_same_v<Choice, detail::must_connect>) {
            if (!result.is_connected(0) && !result.takes_part_in_collectives()) {
                throw tape_error("tx: forward_accumulator: jvp: y has no derivative with respect to the sources; pass "
                                 "tx::unconnected::none or "
                                 "tx::unconnected::zero if that is all right");
            }
        }
        result.run();
        auto const out = result.template take<tensor<typename Y::value_type, typename Y::shape_type>, Choice>(y.dimensions());
        result.tell(false);
        return out;
    }

    trace_scope* scope_ = nullptr; // the trace of the sources
    std::uint32_t number_ = 0;     // the number of that trace
    detail::traced_record in_trace_;
    detail::recorder recorder_;
    buffer<node_id> sources_;
    buffer<detail::kept_value> tangents_;
    buffer<node_id> steps_; // the tangents' nodes in the trace
};

} // namespace tx
