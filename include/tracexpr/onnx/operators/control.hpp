// This file records control flow of ONNX: branches and loops become the library's own, with regions. A loop whose state changes
// its shape, or that makes sequences, is unrolled if the number of iterations is known.
#pragma once

#include <tracexpr/graph/print.hpp>
#include <tracexpr/onnx/operators/norms.hpp>

namespace tx::onnx::detail {

// Reads a graph in an attribute of a node.
inline graph_message graph_attribute(op_call const& c, std::string_view name) {
    auto const a = c.attribute(name);
    if (!a) c.fail("needs its graph " + quoted_piece(name));
    return graph_message::read(a->bytes(6, c.tracer().file()), c.tracer().file());
}
// Records a graph in the innermost scope, with these values for its inputs, and returns the values of its outputs.
inline std::vector<traced_value> record_graph(op_call const& c, graph_message const& g, std::vector<traced_value> const& inputs) {
    if (c.names().level >= most_levels) c.fail("has graphs within graphs, more than 64 of them");
    if (inputs.size() > g.inputs.size()) c.fail("its graph must have " + std::to_string(inputs.size()) + " inputs");
    name_frame names;
    names.outer = &c.names(), names.opsets = c.names().opsets, names.level = c.names().level + 1;
    names.caller = c.names().caller, names.function = c.names().function;
    c.tracer().record_initializers(g, names);
    for (std::size_t k = 0; k < inputs.size(); ++k) names.values[g.inputs[k].name] = inputs[k];
    c.tracer().record_nodes(g.nodes, names);
    std::vector<traced_value> out;
    for (value_message const& o : g.outputs) {
        traced_value const* const value = names.find(o.name);
        if (!value) c.fail("nothing in its graph gives " + quoted_piece(o.name));
        out.push_back(c.tracer().here(*value));
    }
    return out;
}
inline std::optional<bool> known_truth(op_call const& c, traced_value const& v) {
    std::shared_ptr<host_array const> const value = v.home ? c.tracer().known(v) : nullptr;
    if (!value || value->shape.size() != 1 || value->type != dtype::boolean) return std::nullopt;
    return value->bytes[0] != std::byte{0};
}
inline node_id scalar_truth(op_call const& c, node_id condition) {
    if (c.type(condition) != dtype::boolean) c.fail("its condition must be bool");
    return c.rank(condition) == 0 ? condition : c.reshape(condition, dims{});
}

// Records the regions of one node. All of them have the same parameters; taken_[k] is the node of the scope around that parameter
// k stands for.
class region_recording {
public:
    // The first parameters stand for the nodes of `leading`: `states` nodes of the state, then sequences, of which an iteration
    // gets one element.
    region_recording(op_call const& c, std::vector<node_id> const& leading, std::size_t states)
        : call_{c}, around_{c.tracer().innermost().scope}, states_{states}, taken_(leading.size(), node_id::none) {
        for (node_id const id : leading) leading_.push_back(id);
    }
    // Records one region; give(parameters) returns the nodes of its outputs.
    template <class Give> traced_branch record(std::size_t sequences, Give const& give) {
        branch_scope region(around_, taken_);
        std::vector<node_id> parameters;
        for (std::size_t k = 0; k < states_ + sequences; ++k) {
            dims const d(around_.recorded.shape_of(leading_[k]));
            parameters.push_back(
                region.recorded.append_parameter(around_.recorded[leading_[k]].type, k < states_ ? d : without_leading(d), k));
        }
        traced_scope at{region, &call_.tracer().innermost(), &taken_, states_ + sequences};
        call_.tracer().within(at, [&] {
            for (node_id const id : give(parameters)) region.recorded.add_output(id);
        });
        return {std::move(region.recorded), region.token, {}};
    }
    buffer<node_id> append(op code, node_id predicate, table_view<traced_branch*> branches, loop_form const& form = {}) {
        buffer<std::size_t> first;
        // The parameters get their operands only now, so that while regions are recorded the initial values of the state are not
        // taken for other uses of the same nodes.
        for (std::size_t k = 0; k < leading_.size(); ++k) taken_[k] = leading_[k];
        for (std::size_t k = 0; k < form.states + form.sequences; ++k) first.push_back(k);
        return append_branches(around_, code, predicate, taken_, branches, form, first);
    }

private:
    op_call const& call_;
    trace_scope& around_;
    std::size_t states_;
    buffer<node_id> leading_, taken_;
};
inline std::vector<node_id> nodes_of(op_call const& c, std::vector<traced_value> const& values) {
    std::vector<node_id> out;
    for (traced_value const& v : values) {
        if (!v.home) c.fail("a branch or loop whose condition only a run knows must give tensors, not sequences or optionals");
        out.push_back(v.id);
    }
    return out;
}

inline void record_if(op_call& c) {
    graph_message const graphs[]{graph_attribute(c, "then_branch"), graph_attribute(c, "else_branch")};
    traced_value const condition = c.value(0);
    auto const take = [&](bool truth) {
        std::vector<traced_value> const out = record_graph(c, graphs[truth ? 0 : 1], {});
        for (std::size_t k = 0; k < out.size(); ++k) c.give(k, out[k]);
    };
    bool const is_constant = condition.home && c.low().scope().recorded[condition.id].arity == 0 &&
                             c.low().scope().recorded[condition.id].code != op::parameter;
    if (is_constant)
        if (std::optional<bool> const truth = known_truth(c, condition)) return take(*truth);
    node_id const truth = scalar_truth(c, c[0]);
    std::string problem;
    try {
        region_recording regions(c, {}, 0);
        traced_branch branches[2];
        for (int k : {0, 1})
            branches[k] =
                regions.record(0, [&](std::vector<node_id> const&) { return nodes_of(c, record_graph(c, graphs[k], {})); });
        graph const &first = branches[0].recorded, &second = branches[1].recorded;
        bool fits = first.outputs().size() == second.outputs().size() && branches[0].token == node_id::none &&
                    branches[1].token == node_id::none;
        for (std::size_t k = 0; fits && k < first.outputs().size(); ++k)
            fits = first[first.outputs()[k]].type == second[second.outputs()[k]].type &&
                   first.shape_of(first.outputs()[k]) == second.shape_of(second.outputs()[k]);
        if (fits) {
            traced_branch* const both[]{&branches[0], &branches[1]};
            buffer<node_id> const out = regions.append(op::cond, truth, {both, 2});
            for (std::size_t k = 0; k < out.size(); ++k) c.give(k, out[k]);
            return;
        }
        problem = "its branches must give the same dtypes and shapes where its condition is part of a trace";
    } catch (error const& e) {
        problem = e.what();
    }
    // If the branches give different types or shapes, the model is traced for the condition's present value.
    if (std::optional<bool> const known = known_truth(c, condition)) return take(*known);
    c.fail(problem);
}

// Throws unless the first outputs of a body, which are the next state, have the dtypes and shapes of the state.
inline void require_same_state(op_call const& c, std::vector<node_id> const& state, traced_branch const& body) {
    for (std::size_t k = 0; k < state.size(); ++k) {
        node_id const next = body.recorded.outputs()[k];
        if (body.recorded.shape_of(next) != c.shape(state[k]) || body.recorded[next].type != c.type(state[k]))
            throw shape_error("tx: onnx: a loop's state must keep its dtype and shape; " +
                              spec_text(c.type(state[k]), c.shape(state[k])) + " becomes " +
                              spec_text(body.recorded[next].type, dims(body.recorded.shape_of(next))));
    }
}
// Records a loop over the first axis of sequences; body(state, elements) returns the next state and elements of results.
template <class Body> buffer<node_id> record_scan(op_call const& c, std::vector<node_id> const& state,
                                                  std::vector<node_id> const& sequences, bool reversed, Body const& body) {
    std::vector<node_id> leading = state;
    leading.insert(leading.end(), sequences.begin(), sequences.end());
    region_recording regions(c, leading, state.size());
    traced_branch made = regions.record(sequences.size(), [&](std::vector<node_id> const& p) {
        auto const middle = p.begin() + static_cast<std::ptrdiff_t>(state.size());
        return body(std::vector<node_id>(p.begin(), middle), std::vector<node_id>(middle, p.end()));
    });
    require_same_state(c, state, made);
    traced_branch* const all[]{&made};
    return regions.append(op::scan, node_id::none, {all, 1}, {state.size(), sequences.size(), reversed});
}
inline std::vector<traced_value> values_of(op_call const& c, std::vector<node_id> const& nodes) {
    std::vector<traced_value> out;
    for (node_id const id : nodes) out.push_back({&c.tracer().innermost().scope, id, {}, false});
    return out;
}
inline node_id stacked_nodes(op_call const& c, std::vector<node_id> parts) {
    for (node_id& p : parts) p = c.low().expand(p, 0);
    return c.append(op::concatenate, {parts.data(), parts.size()}, attribute_list(0));
}

// Records one iteration after the other. The condition of each must be known.
inline void unroll_loop(op_call& c, graph_message const& body, std::int64_t most, std::vector<traced_value> state,
                        std::optional<bool> goes_on) {
    std::size_t const results = body.outputs.size() - 1 - state.size();
    std::vector<std::vector<node_id>> collected(results);
    for (std::int64_t i = 0; i < most && goes_on.value_or(true); ++i) {
        if (i == most_unrolled) c.fail("runs its body more than 10,000 times");
        c.tracer().count_iteration();
        std::vector<traced_value> inputs = values_of(c, {c.integer(i), c.low().literal(true)});
        inputs.insert(inputs.end(), state.begin(), state.end());
        std::vector<traced_value> const out = record_graph(c, body, inputs);
        for (std::size_t k = 0; k < state.size(); ++k) state[k] = out[1 + k];
        for (std::size_t k = 0; k < results; ++k) collected[k].push_back(nodes_of(c, {out[1 + state.size() + k]})[0]);
        goes_on = known_truth(c, out[0]);
        if (!goes_on) c.fail("whether its body runs again must be known while the model is traced");
    }
    for (std::size_t k = 0; k < state.size(); ++k) c.give(k, state[k]);
    for (std::size_t k = 0; k < results; ++k) {
        if (!collected[k].empty()) {
            c.give(state.size() + k, stacked_nodes(c, collected[k]));
        } else if (c.wants(state.size() + k)) { // no iteration gives the shape, so it is the one that the body declares
            value_message const& o = body.outputs[1 + state.size() + k];
            dims d{{0}, 1};
            for (auto const& e : o.shape) d.push_back(e.number < 0 ? 0 : e.number);
            std::optional<dtype> const type = dtype_of_element(o.element);
            node_id const zero = c.as(c.low().literal(0.0f), type.value_or(dtype::float32));
            c.give(state.size() + k, c.broadcast(zero, d));
        }
    }
}
// Records a loop of the library: a while_loop, or a scan if there are results of each iteration and all iterations are known to
// run. Throws if the state changes its shape; returns false if the number of iterations must be known for the results.
inline bool record_as_loop(op_call& c, graph_message const& body, std::vector<traced_value> const& state) {
    std::size_t const results = body.outputs.size() - 1 - state.size();
    std::vector<node_id> start{c.integer(std::int64_t{0}), c.has(1) ? scalar_truth(c, c[1]) : c.low().literal(true)};
    for (traced_value const& v : state) start.push_back(v.id);
    traced_value const around{&c.low().scope(), start[1], {}, false};
    auto const run_body = [&](std::vector<node_id> const& p) {
        std::vector<node_id> out = nodes_of(c, record_graph(c, body, values_of(c, p)));
        out[0] = scalar_truth(c, out[0]);
        return out;
    };
    if (results == 0) {
        std::int64_t constexpr forever = std::numeric_limits<std::int64_t>::max();
        node_id const most =
            c.has(0) ? c.as(c.rank(c[0]) == 0 ? c[0] : c.reshape(c[0], dims{}), dtype::int64) : c.integer(forever);
        traced_value const limit{&c.low().scope(), most, {}, false};
        region_recording regions(c, start, start.size());
        traced_branch condition_region = regions.record(0, [&](std::vector<node_id> const& p) {
            return std::vector{c.append(op::logical_and, p[1], c.append(op::less, p[0], c.tracer().here(limit).id))};
        });
        traced_branch body_region = regions.record(0, [&](std::vector<node_id> const& p) {
            std::vector<node_id> out = run_body(p);
            out.insert(out.begin(), c.append(op::add, p[0], c.integer(std::int64_t{1})));
            return out;
        });
        require_same_state(c, start, body_region);
        traced_branch* const both[]{&condition_region, &body_region};
        buffer<node_id> const out = regions.append(op::while_loop, node_id::none, {both, 2}, {start.size(), 0, false});
        c.tracer().note_loop(out[0], most);
        for (std::size_t k = 0; k < state.size(); ++k) c.give(k, out[2 + k]);
        return true;
    }
    std::optional<bool> const begins = c.has(1) ? known_truth(c, around) : true;
    if (!c.has(0) || !begins.value_or(false)) return false;
    std::int64_t const count = c.known_integer(0);
    if (count < 1) return false;
    c.require_possible(dims{{count}, 1});
    bool always = true;
    node_id const numbers = c.low().iota<std::int64_t>(count);
    std::vector<node_id> const rest(start.begin() + 2, start.end());
    buffer<node_id> const out =
        record_scan(c, rest, {numbers}, false, [&](std::vector<node_id> p, std::vector<node_id> const& number) {
            p.insert(p.begin(), {number[0], c.low().literal(true)});
            std::vector<node_id> given = run_body(p);
            always = known_truth(c, {&c.low().scope(), given[0], {}, false}).value_or(false);
            given.erase(given.begin());
            return given;
        });
    if (!always) return false;
    for (std::size_t k = 0; k < out.size(); ++k) c.give(k, out[k]);
    return true;
}
inline void record_loop(op_call& c) {
    graph_message const body = graph_attribute(c, "body");
    std::vector<traced_value> state;
    bool are_tensors = true;
    for (std::size_t k = 2; k < c.operands(); ++k) state.push_back(c.value(k)), are_tensors = are_tensors && state.back().home;
    if (body.inputs.size() != state.size() + 2 || body.outputs.size() < state.size() + 1)
        c.fail(
            "its body must take the number of the iteration, a condition and the state, and give a condition and the next state");
    std::string problem;
    try {
        if (are_tensors && record_as_loop(c, body, state)) return;
    } catch (error const& e) {
        problem = e.what();
    }
    try {
        std::int64_t const most = c.has(0) ? c.known_integer(0) : std::numeric_limits<std::int64_t>::max();
        std::optional<bool> goes_on = true;
        if (c.has(1)) {
            goes_on = known_truth(c, c.value(1));
            if (!goes_on) c.fail("whether its body runs must be known while the model is traced");
        }
        unroll_loop(c, body, most, std::move(state), goes_on);
    } catch (error const&) {
        if (!problem.empty()) c.fail(problem);
        throw;
    }
}
// Moves an axis of x to the front, or, with `back`, the first axis to where that axis was.
inline node_id with_axis_first(op_call const& c, node_id x, int axis, bool back) {
    attribute_list order;
    int const rank = c.rank(x);
    if (back) {
        for (int a = 1; a <= axis; ++a) order.push_back(a);
        order.push_back(0);
        for (int a = axis + 1; a < rank; ++a) order.push_back(a);
    } else {
        order.push_back(axis);
        for (int a = 0; a < rank; ++a)
            if (a != axis) order.push_back(a);
    }
    return c.low().transpose(x, order);
}
inline void record_scan_node(op_call& c) {
    graph_message const body = graph_attribute(c, "body");
    auto const operands = static_cast<std::int64_t>(c.operands());
    std::int64_t const sequences = std::clamp<std::int64_t>(c.integer("num_scan_inputs", 0), 0, operands + 1);
    std::int64_t const states = operands - sequences;
    if (sequences < 1 || states < 0 || body.outputs.size() < static_cast<std::size_t>(states))
        c.fail("needs num_scan_inputs, and a body that fits");
    auto const number = [&](char const* name, std::size_t k) {
        std::vector<std::int64_t> const all = c.integers(name);
        return k < all.size() ? all[k] : 0;
    };
    std::vector<node_id> state, xs;
    for (std::int64_t k = 0; k < states; ++k) state.push_back(c[static_cast<std::size_t>(k)]);
    for (std::int64_t k = 0; k < sequences; ++k) {
        auto const at = static_cast<std::size_t>(k);
        node_id const x = c[static_cast<std::size_t>(states + k)];
        node_id const moved = with_axis_first(c, x, c.axis(number("scan_input_axes", at), c.rank(x)), false);
        xs.push_back(number("scan_input_directions", at) ? reversed(c, moved, 0) : moved);
    }
    buffer<node_id> const out =
        record_scan(c, state, xs, false, [&](std::vector<node_id> p, std::vector<node_id> const& elements) {
            p.insert(p.end(), elements.begin(), elements.end());
            return nodes_of(c, record_graph(c, body, values_of(c, p)));
        });
    for (std::size_t k = 0; k < out.size(); ++k) {
        if (k < state.size()) {
            c.give(k, out[k]);
            continue;
        }
        std::size_t const at = k - state.size();
        node_id const y = number("scan_output_directions", at) ? reversed(c, out[k], 0) : out[k];
        c.give(k, with_axis_first(c, y, c.axis(number("scan_output_axes", at), c.rank(y)), true));
    }
}

} // namespace tx::onnx::detail
