// Loops for many examples at once. A value of the state has a batch axis where, in some iteration, it depends on the examples. A
// while_loop whose condition does so goes on until it holds for none, and leaves the state of those alone for which it doesn't.
#pragma once

#include <tracexpr/ad/batching.hpp>

namespace tx::ad {

// What regions are given, in order. `batched`: does it have the batch axis in front? `added`: no region knows of it.
struct region_input {
    value_spec spec;
    bool batched = false, added = false;
};

// Regions of the same parameters, recorded for all examples in one scope of their own.
class batched_regions {
public:
    constexpr batched_regions(graph const& g, table_view<std::int64_t> numbers, table_view<region_input> inputs,
                              std::int64_t examples)
        : all_{{}, examples}, parameters_{recorded(inputs)}, pass_(own_, all_) {
        buffer<node_id> given;
        for (std::size_t k = 0; k < inputs.size(); ++k)
            if (!inputs[k].added)
                given.push_back(inputs[k].batched ? pass_.example_of({own_.recorded, parameters_[k]}) : parameters_[k]);
        for (std::int64_t const number : numbers) add(copied(g.view().region(number)), given);
        pass_.run(outputs_);
    }
    constexpr ~batched_regions() {} // nvcc 13 does not take the implicit one for constexpr

    // Of the outputs of all regions, one after the other.
    constexpr std::size_t size() const { return outputs_.size(); }
    constexpr bool is_batched(std::size_t k) const { return pass_[outputs_[k]].batched; }
    constexpr value at(std::size_t k, bool for_all) {
        return {own_.recorded, for_all ? pass_.for_output(outputs_[k]).id : pass_[outputs_[k]].id};
    }
    constexpr value parameter(std::size_t k) { return {own_.recorded, parameters_[k]}; }
    // A region of `around` with these outputs.
    constexpr std::int64_t close(graph& around, table_view<value> results) const {
        buffer<node_id> ids;
        for (value const& r : results) ids.push_back(r.id());
        return append_closed(around, own_.recorded.view(), ids);
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
    batching_pass pass_;
    buffer<node_id> outputs_;
};

// Axes 0 and 1 the other way round.
constexpr value with_swapped_axes(value const& x) {
    attribute_list order(1);
    order.push_back(0);
    for (int axis = 2; axis < x.rank(); ++axis) order.push_back(axis);
    return unary(op::transpose, x, order);
}

// A region of with_range of which each example has a part of the range, as long as one parameter more says: its scans of the
// range leave the state alone behind that.
constexpr graph with_own_ranges(graph_view const& region) {
    graph out;
    graph_copier copier(region, out);
    node_id const count = out.append_parameter(dtype::int64, dims{}, region.parameters.size());
    auto const masked_body = [](graph_view const& body, std::size_t states, std::size_t range) {
        graph made;
        graph_copier inside(body, made);
        node_id const last = made.append_parameter(dtype::int64, dims{}, body.parameters.size());
        inside.copy_all([](node_id) { return node_id::none; });
        node_id const both[]{inside[body.parameters[range]], last};
        node_id const is_within = made.append(op::less, dtype::boolean, dims{}, both);
        for (std::size_t k = 0; k < body.outputs.size(); ++k) {
            node_id const next = inside[body.outputs[k]];
            if (k >= states) {
                made.add_output(next);
                continue;
            }
            node_id const choice[]{is_within, next, inside[body.parameters[k]]};
            made.add_output(made.append(op::where, made[next].type, dims(made.shape_of(next)), choice));
        }
        return made;
    };
    copier.copy_all([&](node_id id) {
        node const& n = region[id];
        if (n.code != op::scan) return node_id::none;
        loop_form const form = loop_form::of(n);
        std::size_t range = form.states;
        while (range < form.states + form.sequences && region.operand(n, range) != region.parameters[0]) ++range;
        if (range == form.states + form.sequences) return node_id::none;
        buffer<node_id> operands(copier.operands_of(n));
        operands.push_back(count);
        std::int64_t const body =
            out.append_region(masked_body(region.region(region.attributes_of(n)[0]), form.states, range).view());
        return append_with_regions(out, op::scan, false, form, operands, {&body, 1});
    });
    copier.add_outputs(region.outputs);
    return out;
}

class batched_loop {
public:
    constexpr batched_loop(graph& g, batch const& all, node_id id, table_view<replayed> operands)
        : graph_{g}, all_{all}, operands_(operands), node_{g[id]}, form_{loop_form::of(g[id])} {
        for (std::int64_t const number : buffer<std::int64_t>(g.attributes_of(g[id]))) numbers_.push_back(number);
        if (node_.code == op::with_range) form_ = {};
        if (node_.code == op::with_range && operands_[0].batched) give_own_ranges();
        for (replayed const& o : operands_) batched_.push_back(o.batched);
        for (std::size_t k = 0; k < operands_.size(); ++k)
            if (form_.is_sequence(k) && operands_[k].batched) operands_[k].id = with_swapped_axes(at(k)).id();
    }

    // Its results.
    constexpr buffer<replayed> run() {
        bool varies = false; // does the condition, from example to example?
        for (bool grows = true; grows;) {
            batched_regions body(graph_, last_number(), inputs(), all_.extent);
            grows = false;
            if (node_.code == op::while_loop)
                varies = batched_regions(graph_, {numbers_.data(), 1}, inputs(), all_.extent).is_batched(0);
            for (std::size_t k = 0; k < form_.states; ++k) {
                bool const becomes = !batched_[k] && (varies || body.is_batched(k));
                batched_[k] = batched_[k] || becomes, grows = grows || becomes;
            }
        }
        if (varies) return run_until_all_are_done(); // no choice of two temporaries: g++ 12 loses them in a constant evaluation
        return run_together();
    }

private:
    // The range is as long as the longest.
    constexpr void give_own_ranges() {
        tx::graph const original = copied(graph_.view().region(numbers_[0]));
        numbers_[0] = graph_.append_region(with_own_ranges(original.view()).view());
        operands_.push_back(operands_[0]);
        value const counts = at(0), with_none = record(op::pad, {counts, counts.like(0)}, attribute_list(0, 1));
        operands_[0] = {unary(op::max, with_none, attribute_list(0, 0)).id(), false};
    }
    constexpr value at(std::size_t k) const { return {graph_, operands_[k].id}; }
    constexpr table_view<std::int64_t> last_number() const { return {numbers_.data() + numbers_.size() - 1, 1}; }
    constexpr dims range_shape() const {
        graph_view const region = graph_.view().region(numbers_[0]);
        return region.shape_of(region.parameters[0]);
    }
    constexpr region_input input(std::size_t k) const {
        dims const one = at(k).shape();
        value_spec spec{at(k).type(), form_.is_sequence(k) ? without_leading(one) : one};
        if (node_.code == op::with_range && k == 0) spec = {dtype::int64, range_shape()};
        if (batched_[k] && !operands_[k].batched) spec.shape = batch_rule::batched_shape(all_, one);
        return {spec, batched_[k]};
    }
    constexpr buffer<region_input> inputs() const {
        buffer<region_input> out;
        for (std::size_t k = 0; k < operands_.size(); ++k) out.push_back(input(k));
        return out;
    }
    constexpr node_id given(std::size_t k) const {
        return batched_[k] && !operands_[k].batched ? batch_rule::for_all(all_, at(k)).id() : operands_[k].id;
    }
    // All examples go round as often: it is the same loop of batches.
    constexpr buffer<replayed> run_together() {
        buffer<std::int64_t> regions;
        buffer<bool> has_axis;
        for (std::size_t r = 0; r < numbers_.size(); ++r) {
            batched_regions region(graph_, {numbers_.data() + r, 1}, inputs(), all_.extent);
            buffer<value> outputs;
            has_axis = buffer<bool>();
            bool const is_body = r + 1 == numbers_.size();
            for (std::size_t k = 0; k < region.size(); ++k) {
                bool const for_all = is_body && k < form_.states && batched_[k];
                outputs.push_back(region.at(k, for_all));
                has_axis.push_back(for_all || region.is_batched(k));
            }
            regions.push_back(region.close(graph_, outputs));
        }
        buffer<node_id> operands;
        for (std::size_t k = 0; k < operands_.size(); ++k) operands.push_back(given(k));
        node_id const made = append_with_regions(graph_, node_.code, node_.bits[0] != 0, loop_form::of(node_), operands, regions);
        buffer<replayed> out;
        for (std::size_t k = 0, of_body = 0, count = result_count(graph_.view(), graph_[made]); k < count; ++k) {
            value const result{graph_, append_result(graph_, made, k)};
            bool const is_count = node_.code == op::while_loop && k == form_.states;
            bool const axis = !is_count && has_axis[of_body++] && result.type() != dtype::token;
            bool const is_sequence = node_.code == op::scan && k >= form_.states;
            out.push_back({axis && is_sequence ? with_swapped_axes(result).id() : result.id(), axis});
        }
        return out;
    }
    // The state has a number for each example more: how often it went round.
    constexpr buffer<replayed> run_until_all_are_done() {
        if (node_.bits[0]) throw_unbatched_loop(node_.code); // an effect in a loop that only some examples are in
        std::size_t const states = form_.states;
        value const none = batch_rule::for_all(all_, value{graph_, graph_.append(op::literal, dtype::int64, dims{}, {}, {}, {})});
        buffer<region_input> all;
        buffer<node_id> operands;
        for (std::size_t k = 0; k <= operands_.size(); ++k) {
            if (k == states) all.push_back({{dtype::int64, none.shape()}, true, true}), operands.push_back(none.id());
            if (k < operands_.size()) all.push_back(input(k)), operands.push_back(given(k));
        }
        std::int64_t const in_order[]{numbers_[1], numbers_[0]};
        batched_regions asked(graph_, {numbers_.data(), 1}, all, all_.extent), made(graph_, {in_order, 2}, all, all_.extent);
        value const count = unary(op::sum, cast(asked.at(0, true), dtype::int64), attribute_list(0, 0));
        value const any[]{record(op::greater, {count, count.like(0)})};
        value const running = made.at(states, true);
        buffer<value> next;
        for (std::size_t k = 0; k < states; ++k) {
            value const before = made.parameter(k);
            next.push_back(record(
                op::where, {broadcast_like(detail::spread(running, before.rank() - 1), before), made.at(k, true), before}));
        }
        next.push_back(made.parameter(states) + cast(running, dtype::int64));
        std::int64_t const regions[]{asked.close(graph_, any), made.close(graph_, next)};
        node_id const node = append_with_regions(graph_, node_.code, false, {states + 1, 0, false}, operands, regions);
        buffer<replayed> out;
        for (std::size_t k = 0; k <= states; ++k) out.push_back({append_result(graph_, node, k), true});
        return out;
    }

    graph& graph_;
    batch const& all_;
    buffer<replayed> operands_;
    node const node_;
    loop_form form_;
    buffer<std::int64_t> numbers_;
    buffer<bool> batched_; // by operand: where it has the batch axis in the loop
};

constexpr std::int64_t batching_pass::batched_branch(std::int64_t number, table_view<replayed> operands) {
    buffer<region_input> inputs;
    for (replayed const& o : operands) inputs.push_back({{graph_[o.id].type, dims(graph_.shape_of(o.id))}, o.batched});
    batched_regions branch(graph_, {&number, 1}, inputs, all_.extent);
    buffer<value> results;
    for (std::size_t k = 0; k < branch.size(); ++k) results.push_back(branch.at(k, branch.at(k, false).type() != dtype::token));
    return branch.close(graph_, results);
}
constexpr replayed batching_pass::loop(node_id id, table_view<replayed> operands) {
    return with_results(id, batched_loop(graph_, all_, id, operands).run());
}

} // namespace tx::ad
