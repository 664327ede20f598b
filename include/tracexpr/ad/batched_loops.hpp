// This file runs loops for many examples at once. A value of the state has a batch axis if it depends on the examples in some
// iteration. A while_loop whose condition depends on the examples runs until the condition is false for all of them. An example
// whose condition is false takes no further part: its state stays, its effects don't happen, and inner loops don't wait for it.
#pragma once

#include <tracexpr/ad/batching.hpp>

namespace tx::ad {

// A region_input describes an input of a region that is recorded for all examples.
struct region_input {
    value_spec spec;
    bool batched = false;   // has the batch axis in front
    bool added = false;     // the original regions have no parameter for it
    bool keeps_all = false; // the member of `replayed` with this name (ad/replay.hpp)
};

// Some inputs of a region tell which examples take part in it. Their numbers are here; -1 means that there is no such input.
struct participation {
    std::int32_t inside = -1;  // one bool for each example
    std::int32_t counts = -1;  // how many numbers of a range each example has
    std::int32_t range = -1;   // the range itself
    std::int32_t element = -1; // one number of the range, in a loop along it
};

// Records regions with the same parameters for all examples, in one scope of their own. With in_a_row, each region gets the
// results of the one before in place of the first inputs, and the token of the one before in place of the last.
class batched_regions {
public:
    constexpr batched_regions(graph const& g, table_view<std::int64_t> numbers, table_view<region_input> inputs,
                              std::int64_t examples, participation const& part = {}, bool in_a_row = false)
        : all_{{}, examples}, parameters_{recorded(inputs)}, inside_{who_is_inside(part)},
          pass_(own_, all_, inside_, range_of(part)) {
        buffer<node_id> given;
        for (std::size_t k = 0; k < inputs.size(); ++k)
            if (!inputs[k].added) given.push_back(pass_.one_of({parameters_[k], inputs[k].batched, inputs[k].keeps_all}));
        recorded_so_far const before(own_);
        for (std::int64_t const number : numbers) {
            std::size_t const first = outputs_.size();
            add(copied(g.view().region(number)), given);
            for (std::size_t k = first; in_a_row && k < outputs_.size(); ++k) {
                bool const is_token = own_.recorded[outputs_[k]].type == dtype::token;
                given[is_token ? given.size() - 1 : k - first] = outputs_[k];
            }
        }
        buffer<node_id> targets(outputs_);
        before.add_what_all_ranks_have_since(own_, targets);
        pass_.run(targets);
    }
    constexpr ~batched_regions() {} // nvcc 13 does not take the implicit destructor for constexpr.

    // The outputs of all regions are numbered one region after the other: k is such a number.
    constexpr std::size_t size() const { return outputs_.size(); }
    constexpr bool is_batched(std::size_t k) const { return pass_[outputs_[k]].batched; }
    constexpr bool keeps_all(std::size_t k) const { return pass_[outputs_[k]].keeps_all; }
    constexpr bool is_shared_handle(std::size_t k) const {
        return tx::detail::is_shared_handle(own_.recorded, pass_[outputs_[k]].id);
    }
    constexpr value at(std::size_t k, bool for_all) {
        return {own_.recorded, for_all ? pass_.for_output(outputs_[k]).id : pass_[outputs_[k]].id};
    }
    constexpr value parameter(std::size_t k) { return {own_.recorded, parameters_[k]}; }
    // Gives `next` for the examples that take part and `before` for the others. A handle of kept calls stays as it is, as calls
    // are kept only for examples that take part.
    constexpr value next_state(value const& next, value const& before) const {
        if (tx::detail::keeps(own_.recorded, next.id()) || tx::detail::is_next_kept(own_.recorded, next.id())) return next;
        return record(op::where, {broadcast_like(detail::spread(inside_, before.rank() - 1), before), next, before});
    }
    // Gives a handle of all that `handle` keeps and of the results of collectives that these regions have gained, such as those
    // of a condition, or of branches that are computed for all examples.
    constexpr value keeping_all(value const& handle, value const& before) {
        graph& g = own_.recorded;
        if (handle.id() != before.id() && !tx::detail::keeps_only_collectives(g, handle.id())) return handle;
        buffer<node_id> saved, more;
        bool const keeps_some = tx::detail::keeps(g, handle.id());
        for (std::size_t k = 1; keeps_some && k < g[handle.id()].arity; ++k) saved.push_back(g.operand(g[handle.id()], k));
        buffer<bool> known(g.size());
        for (node_id const id : saved) known[index(id)] = true;
        for (node_id const id : tx::detail::results_to_keep(g, pass_[outputs_[outputs_.size() - 1]].id))
            if (index(id) >= known.size() || !known[index(id)]) more.push_back(id);
        for (node_id const id : more) saved.push_back(id);
        if (more.empty()) return handle;
        value const out(g, tx::detail::append_kept(g, call_form::keep, before.id(), saved));
        return tx::detail::keeps_only_collectives(g, out.id()) ? out : handle;
    }
    constexpr value no_handle() { return {own_.recorded, tx::detail::append_no_handle(own_.recorded)}; }
    // Appends the region with these outputs to `around`.
    constexpr std::int64_t close(graph& around, table_view<value> results) const {
        buffer<node_id> ids;
        for (value const& r : results) ids.push_back(r.id());
        return append_closed(around, own_.recorded.view(), ids, own_.examples);
    }

private:
    constexpr buffer<node_id> recorded(table_view<region_input> inputs) {
        buffer<node_id> out;
        for (region_input const& in : inputs) {
            out.push_back(own_.recorded.append_parameter(in.spec.type, in.spec.shape));
            if (in.batched) all_.sample = {own_.recorded, out.back()};
        }
        return out;
    }
    constexpr value parameter_or_none(std::int32_t k) { return k < 0 ? value{} : parameter(static_cast<std::size_t>(k)); }
    constexpr value who_is_inside(participation const& part) {
        value const inside = parameter_or_none(part.inside);
        if (part.element < 0) return inside;
        value const has_more = record(op::less, {parameter_or_none(part.element), parameter_or_none(part.counts)});
        return inside.is_zero() ? has_more : logical_and(inside, has_more);
    }
    constexpr own_range range_of(participation const& part) {
        if (part.range < 0) return {};
        return {parameter_or_none(part.range).id(), parameter_or_none(part.counts)};
    }
    constexpr void add(graph const& region, table_view<node_id> given) {
        graph_view const g = region.view();
        graph_copier copier(g, own_.recorded);
        for (std::size_t k = 0; k < given.size(); ++k) copier.replace(g.parameters[k], given[k]);
        copier.copy_all([&](node_id id) { return copier[id]; });
        for (node_id const id : g.outputs) outputs_.push_back(copier[id]);
    }

    trace_scope own_;
    batch all_;
    buffer<node_id> parameters_;
    value inside_; // which examples take part; zero: all do
    batching_pass pass_;
    buffer<node_id> outputs_;
};

// Records a loop of the graph again, for all examples of a batch at once.
class batched_loop {
public:
    // `inside` and `range` are those of the pass.
    constexpr batched_loop(batching_pass& pass, graph& g, batch const& all, node_id id, table_view<replayed> operands,
                           value const& inside, own_range const& range)
        : pass_{pass}, graph_{g}, all_{all}, inside_{inside}, operands_(operands), added_(operands.size()), node_{g[id]},
          form_{loop_form::of(g[id])} {
        bool const is_masked = !inside.is_zero() && detail::asks_who_takes_part(g.view(), id);
        for (std::int64_t const number : buffer<std::int64_t>(g.attributes_of(g[id]))) region_numbers_.push_back(number);
        if (node_.code == op::with_range) form_ = {};
        if (node_.code == op::with_range && operands_[0].batched) give_own_ranges();
        for (std::size_t k = form_.states; range.numbers != node_id::none && k < form_.states + form_.sequences; ++k)
            if (operands_[k].id == range.numbers) part_.element = static_cast<std::int32_t>(k);
        if (part_.element >= 0) part_.counts = add_operand({range.counts.id(), true});
        if (is_masked) part_.inside = add_operand({inside.id(), true});
        if (is_masked && node_.code == op::while_loop) any_inside_ = add_operand({any_of(inside).id(), false});
        if (detail::needs_sample(all, g.view(), node_)) add_operand({detail::sample_of(all, g).id(), true});
        for (replayed const& o : operands_) batched_.push_back(o.batched);
        for (std::size_t k = 0; k < operands_.size(); ++k)
            if (form_.is_sequence(k) && operands_[k].batched) operands_[k].id = detail::with_swapped_axes(at(k)).id();
    }

    // Gives the loop's results.
    constexpr buffer<replayed> run() {
        // If `varies`, an iteration may concern some of the examples only: they have ranges or a condition of their own. A state
        // that is batched may make others so, until there are no more.
        bool varies = part_.element >= 0;
        for (bool grows = true; grows;) {
            batched_regions body(graph_, last_number(), inputs(), all_.extent, part_);
            grows = false;
            if (node_.code == op::while_loop)
                varies = batched_regions(graph_, {region_numbers_.data(), 1}, inputs(), all_.extent, part_).is_batched(0);
            for (std::size_t k = 0; k < form_.states; ++k) {
                bool const becomes = !batched_[k] && (body.is_batched(k) || (varies && !body.is_shared_handle(k)));
                batched_[k] = batched_[k] || becomes, grows = grows || becomes;
            }
        }
        // A conditional expression would not do: g++ 12 loses its temporaries in a constant evaluation.
        if (varies && node_.code == op::while_loop) return run_until_all_are_done();
        return run_together();
    }

private:
    // Examples with ranges of different lengths share one as long as the longest; an operand tells how much of it each has.
    constexpr void give_own_ranges() {
        part_.range = 0, part_.counts = add_operand(operands_[0]);
        value const counts = at(0), with_none = record(op::pad, {counts, counts.like(0)}, attribute_list(0, 1));
        operands_[0] = {unary(op::max, with_none, attribute_list(0, 0)).id(), false};
    }
    // Adds an operand that the original regions have no parameter for, behind their values and before the token, and gives its
    // number.
    constexpr std::int32_t add_operand(replayed more) {
        std::size_t const at = operands_.size() - (has_effect(node_) ? 1 : 0);
        replayed const token = operands_.back();
        operands_.push_back(more), added_.push_back(true);
        if (has_effect(node_)) {
            operands_[at] = more, operands_.back() = token;
            added_[at] = true, added_.back() = false;
        }
        return static_cast<std::int32_t>(at);
    }
    static constexpr value any_of(value const& truths) {
        value const count = unary(op::sum, cast(truths, dtype::int64), attribute_list(0, 0));
        return record(op::greater, {count, count.like(0)});
    }
    constexpr value at(std::size_t k) const { return {graph_, operands_[k].id}; }
    constexpr table_view<std::int64_t> last_number() const { return {region_numbers_.data() + region_numbers_.size() - 1, 1}; }
    constexpr dims range_shape() const {
        graph_view const region = graph_.view().region(region_numbers_[0]);
        return region.shape_of(region.parameters[0]);
    }
    constexpr region_input input(std::size_t k) const {
        dims const one = at(k).shape();
        value_spec spec{at(k).type(), form_.is_sequence(k) ? without_leading(one) : one};
        if (node_.code == op::with_range && k == 0) spec = {dtype::int64, range_shape()};
        if (batched_[k] && !operands_[k].batched) spec.shape = batch_rule::batched_shape(all_, one);
        return {spec, batched_[k], added_[k], operands_[k].keeps_all};
    }
    constexpr buffer<region_input> inputs() const {
        buffer<region_input> out;
        for (std::size_t k = 0; k < operands_.size(); ++k) out.push_back(input(k));
        return out;
    }
    constexpr node_id given(std::size_t k) const {
        return batched_[k] && !operands_[k].batched ? batch_rule::for_all(all_, at(k)).id() : operands_[k].id;
    }
    // Records a loop in which all examples make the same number of iterations. It goes on while the condition that they share
    // holds and at least one of them takes part.
    constexpr buffer<replayed> run_together() {
        buffer<std::int64_t> regions;
        buffer<bool> has_axis, keeps_all;
        std::int64_t const handle_at = tx::detail::kept_result(graph_, node_);
        for (std::size_t r = 0; r < region_numbers_.size(); ++r) {
            batched_regions region(graph_, {region_numbers_.data() + r, 1}, inputs(), all_.extent, part_);
            buffer<value> outputs;
            has_axis = buffer<bool>(), keeps_all = buffer<bool>();
            bool const is_body = r + 1 == region_numbers_.size();
            for (std::size_t k = 0; k < region.size(); ++k) {
                bool const is_state = is_body && k < form_.states, for_all = is_state && batched_[k];
                value out = region.at(k, for_all);
                if (for_all && part_.element >= 0) out = region.next_state(out, region.parameter(k));
                if (is_body && static_cast<std::int64_t>(k) == handle_at)
                    out = region.keeping_all(out, is_state ? region.parameter(k) : region.no_handle());
                if (!is_body && k == 0 && any_inside_ >= 0)
                    out = logical_and(out, region.parameter(static_cast<std::size_t>(any_inside_)));
                outputs.push_back(out);
                has_axis.push_back(for_all || region.is_batched(k));
                keeps_all.push_back(region.keeps_all(k));
            }
            regions.push_back(region.close(graph_, outputs));
        }
        buffer<node_id> operands;
        for (std::size_t k = 0; k < operands_.size(); ++k) operands.push_back(given(k));
        node_id const made = append_with_regions(graph_, node_.code, has_effect(node_), loop_form::of(node_), operands, regions);
        buffer<replayed> out;
        for (std::size_t k = 0, of_body = 0, count = result_count(graph_.view(), graph_[made]); k < count; ++k) {
            value const result{graph_, append_result(graph_, made, k)};
            bool const is_count = node_.code == op::while_loop && k == form_.states;
            bool const axis = !is_count && has_axis[of_body] && result.type() != dtype::token;
            bool const is_sequence = node_.code == op::scan && k >= form_.states;
            out.push_back({axis && is_sequence ? detail::with_swapped_axes(result).id() : result.id(), axis,
                           !is_count && keeps_all[of_body]});
            of_body += !is_count;
        }
        return out;
    }
    // Records a loop whose examples may end after different numbers of iterations. The state begins with two more values for each
    // example: how many iterations it made, and whether it goes on. The condition is evaluated before the loop and at the end of
    // each iteration.
    constexpr buffer<replayed> run_until_all_are_done() {
        std::size_t const states = form_.states, count = 0, running = 1, first_state = 2;
        bool const has_token = has_effect(node_);
        buffer<replayed> start;
        for (std::size_t k = 0; k < operands_.size(); ++k)
            if (!added_[k]) start.push_back({given(k), batched_[k], operands_[k].keeps_all});
        buffer<replayed> asked = pass_.inlined(region_numbers_[0], start, inside_);
        if (has_token) start.back() = asked.back();
        value goes_on{graph_, asked[0].id};
        if (!asked[0].batched) goes_on = batch_rule::for_all(all_, goes_on);
        if (!inside_.is_zero()) goes_on = logical_and(inside_, goes_on);
        value const none = batch_rule::for_all(all_, value{graph_, graph_.append(op::literal, dtype::int64, dims{}, {}, {}, {})});
        buffer<region_input> all;
        buffer<node_id> operands;
        for (value const& more : {none, goes_on})
            all.push_back({{more.type(), more.shape()}, true, true}), operands.push_back(more.id());
        for (replayed const& x : start)
            all.push_back({{graph_[x.id].type, dims(graph_.shape_of(x.id))}, x.batched, false, x.keeps_all}),
                operands.push_back(x.id);
        std::int64_t const in_order[]{region_numbers_[1], region_numbers_[0]};
        batched_regions condition(graph_, table_view<std::int64_t>(), all, all_.extent);
        std::int64_t const handle = place_of_handle();
        bool const adds_handle = handle == static_cast<std::int64_t>(states);
        if (adds_handle) {
            node_id const no_handle = tx::detail::append_no_handle(graph_);
            insert_behind(all, first_state + states, {{dtype::uint64, dims{}}, false, true});
            insert_behind(operands, first_state + states, no_handle);
        }
        batched_regions body(graph_, in_order, all, all_.extent, {static_cast<std::int32_t>(running)}, true);
        buffer<value> until, next;
        until.push_back(any_of(condition.parameter(running)));
        next.push_back(body.parameter(count) + cast(body.parameter(running), dtype::int64));
        next.push_back(logical_and(body.parameter(running), body.at(states + (has_token ? 1 : 0), true)));
        for (std::size_t k = 0; k < states; ++k)
            next.push_back(batched_[k] ? body.next_state(body.at(k, true), body.parameter(first_state + k)) : body.at(k, false));
        if (adds_handle) next.push_back(body.parameter(first_state + states));
        if (handle >= 0) {
            value& saved = next[first_state + static_cast<std::size_t>(handle)];
            saved = body.keeping_all(saved, body.parameter(first_state + static_cast<std::size_t>(handle)));
        }
        if (has_token) {
            until.push_back(condition.parameter(all.size() - 1));
            next.push_back(body.at(body.size() - 1, false));
        }
        std::int64_t const regions[]{condition.close(graph_, until), body.close(graph_, next)};
        std::size_t const more = adds_handle ? 1 : 0;
        node_id const node =
            append_with_regions(graph_, node_.code, has_token, {first_state + states + more, 0, false}, operands, regions);
        buffer<replayed> out;
        for (std::size_t k = 0; k < states; ++k)
            out.push_back({append_result(graph_, node, first_state + k), batched_[k], body.keeps_all(k)});
        out.push_back({append_result(graph_, node, count), true});
        // The token stands behind the loop's own count.
        if (has_token) out.push_back({append_result(graph_, node, first_state + states + more + 1), false});
        return out;
    }

    // Gives the number of the state that keeps the results of collectives for derivatives, where the condition takes part in
    // collectives. It is the number of states if there is no such state yet, and -1 if none is needed or possible.
    constexpr std::int64_t place_of_handle() const {
        graph_view const g = graph_.view(), condition = g.region(region_numbers_[0]), body = g.region(region_numbers_[1]);
        bool takes_part = false;
        for (node const& n : condition) {
            if (is_callback(n) && n.code != op::collective) return -1;
            takes_part = takes_part || tx::detail::takes_part_in_collectives(condition, n);
        }
        if (!takes_part || !has_effect(node_)) return -1;
        std::int64_t const known = tx::detail::kept_result(g, node_);
        if (known < 0) return static_cast<std::int64_t>(form_.states);
        return tx::detail::keeps_only_collectives(body, body.outputs[static_cast<std::size_t>(known)]) ? known : -1;
    }
    template <class T> static constexpr void insert_behind(buffer<T>& into, std::size_t at, T const& more) {
        buffer<T> const before(into);
        into.clear();
        for (std::size_t k = 0; k <= before.size(); ++k) {
            if (k == at) into.push_back(more);
            if (k < before.size()) into.push_back(before[k]);
        }
    }

    batching_pass& pass_;
    graph& graph_;
    batch const& all_;
    value inside_;
    buffer<replayed> operands_;
    buffer<bool> added_; // for each operand: the original regions have no parameter for it
    node const node_;
    loop_form form_;
    participation part_;
    std::int32_t any_inside_ = -1; // number of the operand that tells whether any example takes part; -1: none
    buffer<std::int64_t> region_numbers_;
    buffer<bool> batched_; // for each operand: it has the batch axis inside the loop
};

constexpr std::int64_t batching_pass::batched_branch(std::int64_t number, table_view<replayed> operands, std::int32_t inside,
                                                     std::int32_t sample, std::int64_t shared) {
    buffer<region_input> inputs;
    for (std::size_t k = 0; k < operands.size(); ++k) {
        node_id const id = operands[k].id;
        bool const is_added = static_cast<std::int32_t>(k) == inside || static_cast<std::int32_t>(k) == sample;
        inputs.push_back({{graph_[id].type, dims(graph_.shape_of(id))}, operands[k].batched, is_added, operands[k].keeps_all});
    }
    batched_regions branch(graph_, {&number, 1}, inputs, all_.extent, {inside});
    buffer<value> results;
    for (std::size_t k = 0; k < branch.size(); ++k) {
        bool const is_shared = static_cast<std::int64_t>(k) == shared && !branch.is_batched(k);
        value const result = branch.at(k, branch.at(k, false).type() != dtype::token && !is_shared);
        results.push_back(is_shared ? branch.keeping_all(result, branch.no_handle()) : result);
    }
    return branch.close(graph_, results);
}
constexpr replayed batching_pass::loop(node_id id, table_view<replayed> operands) {
    return with_results(id, batched_loop(*this, graph_, all_, id, operands, inside_, range_).run());
}

} // namespace tx::ad
