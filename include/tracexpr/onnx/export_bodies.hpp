// Defines the functions that onnx/export.hpp declares.
#pragma once

#include <tracexpr/files/file.hpp>
#include <tracexpr/onnx/export.hpp>
#include <tracexpr/onnx/export/arrays.hpp>
#include <tracexpr/onnx/export/control.hpp>
#include <tracexpr/onnx/export/convolution.hpp>
#include <tracexpr/passes/simplify.hpp>

#include <algorithm>

namespace tx::onnx::detail {

inline int exporter::rank(std::size_t k) const {
    int const out = shape(k).rank;
    if (out < 0) throw trace_error("tx: onnx::save: " + std::string(name(at_->code)) + ": the rank of its operand must be known");
    return out;
}
inline bool has_element_number(dtype type) {
    return element_number(type) != static_cast<std::int64_t>(element_type::undefined) && !is_complex(type);
}
inline std::vector<value_name> exporter::results_of(node const& n) {
    switch (n.code) {
    case op::parameter: return {parameters_[n.bits[0]]};
    case op::literal: return {write_literal(*this)};
    case op::constant: return {write_constant(*this)};
    case op::capture: return {write_capture(*this)};
    case op::iota: return {write_iota(*this)};
    case op::axis_size: return {write_axis_size(*this)};
    case op::extents: return {write_extents(*this)};
    case op::concatenate: return {write_concatenate(*this)};
    case op::pad: return {write_pad(*this)};
    case op::convolution: return {write_convolution(*this)};
    case op::cond: return write_cond(*this);
    case op::while_loop: return write_while(*this);
    case op::scan: return write_scan(*this);
    case op::with_range: return write_with_range(*this);
    case op::result: {
        auto const& all = results_[index(graph_.operand(n, 0))];
        std::size_t const k = result_number(graph_, n);
        return {k < all.size() ? all[k] : value_name()};
    }
    default: break;
    }
    switch (info(n.code).kind) {
    case kind::pointwise: return {write_pointwise(*this)};
    case kind::view: return {write_view(*this)};
    case kind::reduction: return {write_reduction(*this)};
    case kind::arg_reduction: return {write_place_of_extreme(*this)};
    case kind::scan: return {write_scan_along(*this)};
    case kind::order: return {write_sort(*this)};
    case kind::lookup: return {write_lookup(*this)};
    case kind::update: return {write_update(*this)};
    case kind::contraction: return {write_matmul(*this)};
    default: return {fail()};
    }
}
inline std::vector<value_name> exporter::write() {
    for (std::size_t i = 0; i < graph_.size(); ++i) {
        at_ = &graph_.nodes[i];
        if (at_->type == dtype::token) {
            if (at_->code != op::token && at_->code != op::result) fail();
            results_[i] = {""};
        } else if (!has_element_number(at_->type) && !is_callback(*at_)) {
            results_[i] = {fail("elements of " + std::string(name(at_->type)))};
        } else {
            results_[i] = results_of(*at_);
        }
    }
    std::vector<value_name> out;
    for (std::size_t k = 0; k < value_outputs(graph_); ++k) out.push_back(results_[index(graph_.outputs[k])].front());
    return out;
}

// Returns the version of the file format that came with a version of the operators (onnx/docs/Versioning.md).
inline std::int64_t ir_version_of(int opset) {
    return opset <= 18 ? 8 : opset <= 20 ? 9 : opset <= 22 ? 10 : opset == 23 ? 11 : opset == 24 ? 12 : 13;
}
inline std::string name_or(std::vector<std::string> const& given, std::size_t k, char const* otherwise) {
    return k < given.size() ? given[k] : otherwise + std::to_string(k);
}
inline void check_options(file_call const& call, graph_view const& g, std::size_t inputs, save_options const& options) {
    if (options.opset < oldest_exported || options.opset > newest_exported)
        call.fail("opset must be from " + std::to_string(oldest_exported) + " to " + std::to_string(newest_exported) +
                  "; given " + std::to_string(options.opset));
    std::map<std::string, int> seen;
    auto const check = [&](std::vector<std::string> const& names, char const* what, std::size_t wanted) {
        if (!names.empty() && names.size() != wanted)
            call.fail("as many names of " + std::string(what) + " must be given as there are, " + std::to_string(wanted) +
                      "; given " + std::to_string(names.size()));
        for (std::size_t k = 0; k < wanted; ++k)
            if (std::string const name = name_or(names, k, *what == 'i' ? "x" : "y"); name.empty() || ++seen[name] > 1)
                call.fail("names of inputs and outputs must differ, and not be empty; given " + quoted_piece(name));
    };
    check(options.inputs, "inputs", inputs);
    check(options.outputs, "outputs", value_outputs(g));
}
// Returns a prefix for the names of other values, with which no given name begins.
inline std::string prefix_of_values(save_options const& options) {
    std::string out = "v";
    auto const is_taken = [&](std::vector<std::string> const& names) {
        return std::any_of(names.begin(), names.end(), [&](std::string const& name) { return name.starts_with(out); });
    };
    while (is_taken(options.inputs) || is_taken(options.outputs)) out += '_';
    return out;
}

// Holds a model except for elements of initializers that are written directly from memory.
class model_writer {
public:
    model_writer(file_call const& call, exported_graph const& given, save_options const& options)
        : call_{call}, options_{options}, out_{options.opset, prefix_of_values(options)} {
        graph const simplified = simplify(given.graph);
        graph_view const g = simplified.view();
        std::size_t const inputs = given.graph.parameters.size() - given.kept.size();
        check_options(call, g, inputs, options);
        export_problems problems;
        std::vector<value_name> parameters;
        for (std::size_t k = 0; k < g.parameters.size(); ++k) {
            node_id const id = g.parameters[k];
            if (k >= inputs) {
                array_view const& value = given.kept[k - inputs];
                parameters.push_back(id == node_id::none ? "" : out_.add_weights(value.type, value.shape, value.data));
                continue;
            }
            std::string const name = name_or(options.inputs, k, "x");
            parameters.push_back(name);
            value_spec const spec = given.inputs[k];
            if (!has_element_number(spec.type)) ++problems["elements of " + std::string(tx::name(spec.type))];
            rest_.bytes(11, value_message_of(name, spec.type, &spec.shape));
        }
        if (!g.assigned.empty() || !given.graph.assigned.empty()) ++problems["assignments to variables"];
        exporter e(out_, g, std::move(parameters), problems);
        auto const values = e.write();
        if (!problems.empty()) fail(problems);
        for (std::size_t k = 0; k < values.size(); ++k) {
            std::string const name = name_or(options.outputs, k, "y");
            out_.add_copy(values[k], name);
            node_id const id = g.outputs[k];
            rest_.bytes(12, value_message_of(name, g[id].type, &g.shape_of(id)));
        }
    }

    // Calls put(text) with all bytes in their order.
    template <class Put> void write(Put const& put) const {
        wire_writer model;
        model.integer(1, ir_version_of(options_.opset)).bytes(2, "tracexpr");
        wire_writer opset;
        opset.integer(2, options_.opset);
        wire_writer behind;
        behind.bytes(8, opset.message());
        std::string const named = wire_writer().bytes(2, "main").message() + rest_.message();
        std::uint64_t length = out_.nodes().size() + named.size();
        for (written_tensor const& t : out_.tensors()) length += field_length(5, tensor_length(t));
        model.begin_bytes(7, length);
        put(model.message());
        put(out_.nodes());
        put(named);
        for (written_tensor const& t : out_.tensors()) {
            wire_writer head;
            head.begin_bytes(5, tensor_length(t));
            put(head.message());
            put(t.message_without_raw());
            if (!t.has_raw()) continue;
            wire_writer raw;
            raw.begin_bytes(9, t.bytes());
            put(raw.message());
            put(t.raw());
        }
        put(behind.message());
    }
    // Protocol buffers can't be larger than 2 GiB.
    bool is_too_large() const {
        std::uint64_t bytes = out_.nodes().size();
        for (written_tensor const& t : out_.tensors()) bytes += tensor_length(t);
        return bytes > std::uint64_t{2'000'000'000};
    }

private:
    static std::uint64_t field_length(std::uint64_t field, std::uint64_t length) {
        wire_writer head;
        head.begin_bytes(field, length);
        return head.message().size() + length;
    }
    static std::uint64_t tensor_length(written_tensor const& t) {
        return t.message_without_raw().size() + (t.has_raw() ? field_length(9, t.bytes()) : 0);
    }
    [[noreturn]] void fail(export_problems const& problems) const {
        std::string text;
        for (auto const& [problem, count] : problems)
            text += (text.empty() ? "" : ", ") + problem + (count > 1 ? " (" + std::to_string(count) + ")" : "");
        call_.fail("ONNX has no counterpart of " + text);
    }

    file_call const& call_;
    save_options const& options_;
    graph_writer out_;
    wire_writer rest_;
};

TRACEXPR_BODY std::string bytes_of_model(exported_graph const& given, save_options const& options) {
    file_call const call{"onnx::to_bytes", "the model"};
    model_writer const writer(call, given, options);
    if (writer.is_too_large()) call.fail("has more than 2 GB of elements");
    std::string out;
    writer.write([&](std::string_view text) { out += text; });
    return out;
}
TRACEXPR_BODY void save_model(std::string const& path, exported_graph const& given, save_options const& options) {
    file_call const call{"onnx::save", path};
    model_writer const writer(call, given, options);
    if (writer.is_too_large()) call.fail("has more than 2 GB of elements");
    file_writer file(call);
    writer.write([&](std::string_view text) { file.write(text); });
    file.finish();
}

} // namespace tx::onnx::detail
