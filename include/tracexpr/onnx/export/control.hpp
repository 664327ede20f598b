// Writes branches and loops as If, Loop and Scan, whose graphs see the names around them.
#pragma once

#include <tracexpr/onnx/export/exporter.hpp>

namespace tx::onnx::detail {

// Returns the operands from number `from` on, as names for a region's parameters.
inline std::vector<value_name> operand_names(exporter const& e, std::size_t from) {
    std::vector<value_name> out;
    for (std::size_t k = from; k < e.operands(); ++k) out.push_back(e[k]);
    return out;
}
// Adds the outputs of a region to the outputs of the graph that is being written.
inline void add_outputs(exporter& e, wire_writer& to, graph_view const& region, std::vector<value_name> const& values) {
    for (std::size_t k = 0; k < values.size(); ++k)
        e.add_output(to, values[k], region[region.outputs[k]].type, &region.shape_of(region.outputs[k]));
}

inline std::vector<value_name> write_cond(exporter& e) {
    std::vector<written_attribute> branches;
    std::size_t results = 0;
    for (std::size_t k = 0; k < 2; ++k) {
        graph_view const region = e.graph().region(e.attributes()[k]);
        std::string const body = e.out().graph_within([&] {
            auto const values = e.write_region(region, operand_names(e, 1));
            results = values.size();
            wire_writer rest;
            add_outputs(e, rest, region, values);
            return rest;
        });
        branches.push_back(written_attribute::graph(k == 0 ? "then_branch" : "else_branch", body));
    }
    return e.out().add("If", {e[0]}, results, branches);
}

// The condition is evaluated before the loop, and in its body for the next state. One more state counts how often the body ran.
inline std::vector<value_name> write_while(exporter& e) {
    loop_form const form = loop_form::of(e.at());
    graph_view const condition = e.graph().region(e.attributes()[0]), body = resulting_region(e.graph(), e.at());
    auto const with_states = [&](std::vector<value_name> const& states) {
        std::vector<value_name> out = operand_names(e, 0);
        for (std::size_t k = 0; k < form.states; ++k) out[k] = states[k];
        return out;
    };
    std::vector<value_name> inputs{"", e.write_region(condition, operand_names(e, 0))[0]};
    for (std::size_t k = 0; k < form.states; ++k) inputs.push_back(e[k]);
    inputs.push_back(e.literal(dtype::int64, {}));
    std::string const message = e.out().graph_within([&] {
        dims const scalar{};
        value_name const number = e.out().new_name(), goes_on = e.out().new_name(), count = e.out().new_name();
        wire_writer rest;
        rest.bytes(11, value_message_of(number, dtype::int64, &scalar))
            .bytes(11, value_message_of(goes_on, dtype::boolean, &scalar));
        std::vector<value_name> states;
        for (std::size_t k = 0; k < form.states; ++k) {
            states.push_back(e.out().new_name());
            node_id const parameter = body.parameters[k];
            rest.bytes(11, value_message_of(states[k], body[parameter].type, &body.shape_of(parameter)));
        }
        rest.bytes(11, value_message_of(count, dtype::int64, &scalar));
        auto const next = e.write_region(body, with_states(states));
        e.add_output(rest, e.write_region(condition, with_states(next))[0], dtype::boolean, &scalar);
        for (std::size_t k = 0; k < form.states; ++k)
            e.add_output(rest, next[k], body[body.outputs[k]].type, &body.shape_of(body.outputs[k]));
        e.add_output(rest, e.add("Add", {count, e.literal(dtype::int64, {1, 0})}), dtype::int64, &scalar);
        return rest;
    });
    return e.out().add("Loop", inputs, form.states + 1, {written_attribute::graph("body", message)});
}

inline std::vector<value_name> write_scan(exporter& e) {
    loop_form const form = loop_form::of(e.at());
    graph_view const body = resulting_region(e.graph(), e.at());
    std::vector<value_name> inputs;
    for (std::size_t k = 0; k < form.states + form.sequences; ++k) inputs.push_back(e[k]);
    std::size_t results = 0;
    std::string const message = e.out().graph_within([&] {
        std::vector<value_name> parameters = operand_names(e, 0);
        wire_writer rest;
        for (std::size_t k = 0; k < form.states + form.sequences; ++k) {
            parameters[k] = e.out().new_name();
            node_id const id = body.parameters[k];
            rest.bytes(11, value_message_of(parameters[k], body[id].type, &body.shape_of(id)));
        }
        auto const values = e.write_region(body, parameters);
        results = values.size();
        add_outputs(e, rest, body, values);
        return rest;
    });
    std::vector<written_attribute> attributes{written_attribute::graph("body", message),
                                              {"num_scan_inputs", static_cast<std::int64_t>(form.sequences)}};
    if (form.reversed) {
        attributes.emplace_back("scan_input_directions", std::vector<std::int64_t>(form.sequences, 1));
        attributes.emplace_back("scan_output_directions", std::vector<std::int64_t>(results - form.states, 1));
    }
    return e.out().add("Scan", inputs, results, attributes);
}

// Writes an op that works on the numbers below an operand, in the graph that it is in.
inline std::vector<value_name> write_with_range(exporter& e) {
    std::vector<value_name> parameters = operand_names(e, 0);
    parameters[0] = e.range(e.add("Max", {parameters[0], e.literal(dtype::int64, {})}));
    return e.write_region(resulting_region(e.graph(), e.at()), parameters);
}

} // namespace tx::onnx::detail
