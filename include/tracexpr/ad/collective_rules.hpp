// This file holds the derivatives of collectives. A collective maps the operands of all ranks to the results of all ranks, and it
// is differentiated as that map: reverse mode gives each rank the sum of what the results on all ranks pass back to its operand.
// A derivative is therefore a collective as well, and every rank takes part in it, with or without a cotangent, because the other
// ranks would wait for it.
#pragma once

#include <tracexpr/ad/array_rules.hpp>
#include <tracexpr/graph/kept_calls.hpp>
#include <tracexpr/trace/collectives.hpp>

namespace tx::ad {

class collective_derivative {
public:
    constexpr collective_derivative(trace_scope& scope, node_id of)
        : scope_{scope}, of_{of}, own_(call_form(scope.recorded.view().attributes_of(scope.recorded[of])).rest()) {}

    // Gives the cotangent of the operand for that of the result; a zero value means zeros.
    constexpr value pulled_back(value cotangent) {
        if (cotangent.is_zero()) cotangent = zeros_like(result());
        value const g = broadcast_like(cotangent, result());
        if (is_linear()) return transposed(g);
        if (is_scan()) return among_ranks(collective_kind::reduce_scatter, conj(scan_weights()) * expanded(g));
        // These are two values because compilers differ in the order in which they evaluate a product's operands.
        value const own = weights(), passed = transposed(g);
        return conj(own) * passed;
    }
    // Gives the tangent of the result for that of the operand.
    constexpr value pushed_forward(value tangent) {
        if (tangent.is_zero()) tangent = zeros_like(operand());
        value const t = broadcast_like(tangent, operand());
        if (is_linear()) return applied(form(), t);
        if (is_scan()) {
            value const all = scan_weights(), steps = among_ranks(collective_kind::all_gather, t);
            return summed(all * steps);
        }
        collective_form sum = form();
        sum.by = rank_reduction::sum;
        return applied(sum, weights() * t);
    }

private:
    using collective_form = tx::detail::collective_form;

    constexpr collective_form form() const { return collective_form(own_); }
    constexpr bool is_scan() const {
        return form().what == collective_kind::scan || form().what == collective_kind::exclusive_scan;
    }
    constexpr bool is_linear() const { return !reduces(form().what) || form().by == rank_reduction::sum; }
    constexpr value at(std::size_t operand) const {
        return {scope_.recorded, scope_.recorded.view().operand_of_many(scope_.recorded[of_], operand)};
    }
    constexpr value operand() const { return at(tx::detail::collective_operands::input); }
    constexpr value result() const { return {scope_.recorded, append_result(scope_.recorded, of_, 1)}; }
    // Appends another collective of the same communicator to the graph. An exchange goes in the same direction, unless other_way
    // is given.
    constexpr value applied(collective_form const& how, value const& x) const { return applied(how, x, false); }
    constexpr value applied(collective_form const& how, value const& x, bool other_way) const {
        namespace operands = tx::detail::collective_operands;
        buffer<node_id> inputs;
        inputs.push_back(x.id());
        if (how.what == collective_kind::exchange)
            for (std::size_t const k : {other_way ? operands::from : operands::to, other_way ? operands::to : operands::from})
                inputs.push_back(at(k).id());
        tx::detail::traced_communicator const among{at(operands::communicator).id(), at(operands::rank).id(),
                                                    at(operands::ranks).id()};
        return {scope_.recorded, tx::detail::append_collective(scope_, how, among, inputs)};
    }
    constexpr value among_ranks(collective_kind what, value const& x, rank_reduction by = rank_reduction::sum) const {
        return applied(collective_form(what, by), x);
    }
    // Appends the transposed map of a collective that is linear, or of the sum in place of another reduction.
    constexpr value transposed(value const& g) const {
        collective_form out = form();
        out.by = rank_reduction::sum;
        buffer<std::int64_t> turned;
        switch (form().what) {
        case collective_kind::all_reduce:
            if (form().shared) out = collective_form(collective_kind::replicate);
            break;
        case collective_kind::replicate:
            out = collective_form(collective_kind::all_reduce);
            out.shared = true;
            break;
        case collective_kind::reduce: out.what = collective_kind::broadcast; break;
        case collective_kind::broadcast: out.what = collective_kind::reduce; break;
        case collective_kind::all_gather: out.what = collective_kind::reduce_scatter; break;
        case collective_kind::reduce_scatter: out.what = collective_kind::all_gather; break;
        case collective_kind::gather: out.what = collective_kind::scatter; break;
        case collective_kind::scatter: out.what = collective_kind::gather; break;
        case collective_kind::scan:
        case collective_kind::exclusive_scan: out.reversed = !out.reversed; break;
        case collective_kind::permute:
            for (std::size_t k = 0; k < out.pairs.size(); k += 2)
                turned.push_back(out.pairs[k + 1]), turned.push_back(out.pairs[k]);
            out.pairs = turned;
            break;
        default: break; // all_to_all and exchange
        }
        return applied(out, g, form().what == collective_kind::exchange);
    }

    // Gives the weight of each rank's own operand, so that a sum of weighted steps changes as the reduction does. Ranks that have
    // the extreme share it evenly; a product changes by the product of the other ranks' operands.
    constexpr value weights() const {
        if (form().by == rank_reduction::product) {
            value const all = among_ranks(collective_kind::all_gather, operand());
            value const mine = equal(place_along(all, 0), at(tx::detail::collective_operands::rank));
            return unary(op::prod, where(mine, all.like(1), all), attribute_list(0, 0));
        }
        value const is_extreme = equal(operand(), extreme_everywhere());
        value const count = among_ranks(collective_kind::all_reduce, cast(is_extreme, dtype::int64)); // It has no derivative.
        return cast(is_extreme, operand().type()) / cast(count, operand().type());
    }
    constexpr value extreme_everywhere() const {
        collective_form all(form().what == collective_kind::reduce ? collective_kind::broadcast : collective_kind::all_gather);
        all.root = form().root;
        return form().what == collective_kind::all_reduce ? result() : applied(all, result());
    }
    // Gives (ranks, ...), the slopes of this rank's result of a scan in each rank's operand.
    constexpr value scan_weights() const {
        value const all = among_ranks(collective_kind::all_gather, operand()), place = place_along(all, 0);
        value const rank = at(tx::detail::collective_operands::rank);
        bool const with_mine = form().what == collective_kind::scan;
        value const first = form().reversed ? rank : place, last = form().reversed ? place : rank;
        value const inside = with_mine ? less_equal(first, last) : record(op::less, {first, last});
        value const counts = cast(inside, all.type());
        if (form().by == rank_reduction::product) return counts * detail::product_of_others(where(inside, all, all.like(1)), 0);
        value const is_extreme = counts * cast(equal(all, expanded(result())), all.type());
        value const nobody = cast(record(op::logical_not, {any_of(inside)}), all.type());
        return is_extreme / (unary(op::sum, is_extreme, attribute_list(1, 0)) + nobody);
    }
    // Reduces over the axis of the ranks, which stays with an extent of 1.
    static constexpr value any_of(value const& truth) { return unary(op::max, truth, attribute_list(1, 0)); }
    static constexpr value summed(value const& x) { return unary(op::sum, x, attribute_list(0, 0)); }
    static constexpr value expanded(value const& x) { return unary(op::expand_dims, x, attribute_list(0)); }

    trace_scope& scope_;
    node_id of_;
    buffer<std::int64_t> own_; // a copy, as the graph grows
};

[[noreturn]] TRACEXPR_NOINLINE inline void throw_begun_derivative() {
    throw trace_error("tx: grad: mpi: data_parallel has no derivatives; take them of the function that it is given");
}
using tx::detail::has_collectives;

// effects_between is the part of a scope in which a derivative looks for collectives, so that it takes part in equally many on
// every rank.
struct effects_between {
    // The collectives that count come before the token `last` and before node number `end`, as other derivatives may have
    // recorded some after these. They come after the token `before` and from node number `first` on.
    node_id last = node_id::none, before = node_id::none;
    std::size_t first = 0, end = 0;

    // Gives the part from the first of the sources (or from the scope's beginning where there are no sources) to now; for a tape
    // it is all of the tape.
    static constexpr effects_between sources_and_now(trace_scope const& scope, table_view<node_id> sources) {
        std::size_t const end = scope.recorded.size();
        // The place where a tape met its sources may differ between ranks.
        if (scope.leaf) return {scope.token, node_id::none, 0, end};
        std::size_t first = sources.empty() ? 0 : end;
        for (node_id const id : sources) first = index(id) < first ? index(id) : first;
        return {scope.token, node_id::none, first, end};
    }
};
// Tells which nodes have derivatives that are collectives. For nodes inside a custom rule this is the rule's first output and,
// where other derivatives may read the values inside, the collectives themselves.
constexpr buffer<bool> collectives_within(trace_scope const& scope, effects_between const& range) {
    using rule_pointer = tx::detail::custom_rule const*;
    graph_view const g = scope.recorded.view();
    // `is_inside` holds the nodes inside a rule, `is_met` the tokens on the way; `ends` has for a token the outermost rule that
    // ends there.
    buffer<bool> out(g.size()), is_inside(g.size()), is_met(g.size());
    buffer<rule_pointer> ends(scope.rules.empty() ? 0 : g.size());
    auto const counts = [&](rule_pointer rule) {
        return !rule->outputs.empty() && index(rule->outputs[0]) >= range.first && index(rule->outputs[0]) < range.end;
    };
    for (rule_pointer const rule : scope.rules) {
        if (!counts(rule) || rule->token_after == node_id::none || rule->is_read) continue;
        rule_pointer& known = ends[index(rule->token_after)];
        if (!known || known->outputs[0] < rule->outputs[0]) known = rule;
    }
    for (node_id id = range.last; id != node_id::none && id != range.before && index(id) >= range.first;) {
        is_met[index(id)] = true;
        if (rule_pointer const rule = ends.empty() ? nullptr : ends[index(id)]) {
            out[index(rule->outputs[0])] = rule->has_collectives;
            std::size_t const begin = rule->token_before == node_id::none ? range.first : index(rule->token_before);
            for (std::size_t i = begin; i < index(rule->outputs[0]); ++i) is_inside[i] = true;
            id = rule->token_before;
            continue;
        }
        node_id const by = tx::detail::effect_of(g, id);
        if (by == node_id::none || index(by) < range.first) break;
        out[index(by)] = has_collectives(g, g[by]);
        id = tx::detail::token_before(g, by);
    }
    for (std::size_t i = range.first; i < range.end; ++i) // What regions have kept is read without a token.
        if (!is_inside[i] && !has_effect(g.nodes[i]) && has_collectives(g, g.nodes[i])) out[i] = true;
    for (rule_pointer const rule : scope.rules) {
        if (!rule->has_collectives || !counts(rule) || is_inside[index(rule->outputs[0])]) continue;
        if (rule->token_after == node_id::none || (rule->is_read && is_met[index(rule->token_after)]))
            out[index(rule->outputs[0])] = true;
    }
    for (node_id const id : scope.examples) out[index(id)] = false;
    return out;
}

} // namespace tx::ad
