// Writes a header that has a model's graph in tables (onnx/static_model.hpp), and the file of its weights.
#pragma once

#include <tracexpr/onnx/constant_parts.hpp>
#include <tracexpr/onnx/model.hpp>
#include <tracexpr/onnx/static_model.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace tx::onnx {
namespace detail {

// Holds a graph whose constant parts are computed and become weights, too.
class static_tables {
public:
    explicit static_tables(graph_view const& g) {
        constant_values values;
        folded_parts const folded = folded_constants(g, values);
        graph_copier copier(g, graph_);
        copier.copy_needed(nodes_without(g, folded), [&](node_id id) {
            node const& n = g[id];
            if (n.code == op::parameter) return graph_.append_parameter(n.type, g.shape_of(n), n.bits[0]);
            if (n.code == op::capture) {
                captured const& c = g.captures[n.bits[0]];
                return weight(n.type, c.shape(c.address), c.data(c.address));
            }
            auto const known = folded.find(id);
            return known == folded.end() ? node_id::none : weight(known->second->type, known->second->shape, known->second->data);
        });
        copier.add_outputs(g.outputs);
    }

    graph_view graph() const { return graph_.view(); }
    std::vector<static_weight> const& weights() const { return weights_; }
    // Returns all elements, each tensor's at a multiple of 64 bytes.
    std::string const& bytes() const { return bytes_; }
    std::vector<std::size_t> const& places() const { return places_; }

private:
    node_id weight(dtype type, dims const& shape, void const* data) {
        static constexpr std::size_t aligned = 64;
        std::size_t const bytes = static_cast<std::size_t>(shape.size()) * size_in_bytes(type);
        std::string const elements(static_cast<char const*>(data), bytes);
        if (type == dtype::string) throw type_error("tx: onnx: strings can't be weights of a model in a header");
        auto const [known, is_new] = numbers_.emplace(
            std::tuple(type, std::vector<std::int64_t>(shape.extent, shape.extent + shape.rank), elements), weights_.size());
        if (is_new) {
            bytes_.resize((bytes_.size() + aligned - 1) / aligned * aligned, '\0');
            places_.push_back(bytes_.size());
            bytes_ += elements;
            weights_.push_back({nullptr, type, shape});
        }
        return graph_.append(op::capture, type, shape, {}, {}, {known->second, 0});
    }

    tx::graph graph_;
    std::vector<static_weight> weights_;
    std::vector<std::size_t> places_;
    std::string bytes_;
    std::map<std::tuple<dtype, std::vector<std::int64_t>, std::string>, std::size_t> numbers_;
};

// Writes tables as C++ text.
class table_writer {
public:
    explicit table_writer(std::string& out) : out_{out} {}

    template <class T, class Write>
    void table(char const* type, char const* name, table_view<T> const& values, Write const& write) {
        if (values.empty()) return;
        out_ += "    static constexpr " + std::string(type) + " " + name + "[]{";
        for (std::size_t k = 0; k < values.size(); ++k) {
            out_ += k ? (k % 8 ? ", " : ",\n        ") : "\n        ";
            write(values[k]);
        }
        out_ += "};\n";
    }
    void number(std::int64_t n) {
        if (n == std::numeric_limits<std::int64_t>::min()) out_ += "(-9223372036854775807 - 1)";
        else out_ += std::to_string(n);
    }
    void unsigned_number(std::uint64_t n) { out_ += std::to_string(n) + (n >> 63 ? "u" : ""); }
    void id(node_id n) { out_ += "N(" + std::to_string(static_cast<std::int32_t>(n)) + ")"; }
    void part(stretch s) { out_ += "{" + std::to_string(s.first) + "u, " + std::to_string(s.count) + "u}"; }
    void shape(dims const& d) {
        out_ += "{{";
        for (int axis = 0; axis < d.rank; ++axis) out_ += (axis ? ", " : ""), number(d[axis]);
        out_ += "}, " + std::to_string(d.rank) + "}";
    }
    void of_node(node const& n) {
        out_ += "{tx::op(" + std::to_string(static_cast<int>(n.code)) + "), tx::dtype(" +
                std::to_string(static_cast<int>(n.type)) + "), " + std::to_string(n.shape) + "u, " + std::to_string(n.arity) +
                "u, {";
        for (int k = 0; k < 3; ++k) out_ += (k ? ", " : ""), id(n.operand[k]);
        out_ += "}, ", part(n.attributes), out_ += ", {", unsigned_number(n.bits[0]), out_ += ", ", unsigned_number(n.bits[1]),
            out_ += "}}";
    }

private:
    std::string& out_;
};

inline std::string header_of_tables(static_tables const& t, std::string const& called, std::string const& name) {
    graph_view const g = t.graph();
    std::string out = "// The graph of " + called +
                      ", in tables. Made when the program was built.\n#pragma once\n\n"
                      "#include <tracexpr/onnx/static_model.hpp>\n\nextern \"C\" unsigned char const tracexpr_onnx_" +
                      name + "[" + std::to_string(t.bytes().size() + 1) +
                      "];\n\n" // Clang finds no place in an array of unknown size
                      "struct " +
                      name + "_tables {\n    using N = tx::node_id;\n    static constexpr char const* name = \"" + called +
                      "\";\n    static constexpr std::uint64_t registry = " + std::to_string(registry_hash()) + "u;\n";
    table_writer w(out);
    w.table("tx::node", "nodes", g.nodes, [&](node const& n) { w.of_node(n); });
    w.table("tx::node_id", "more_operands", g.more_operands, [&](node_id n) { w.id(n); });
    w.table("std::int64_t", "attributes", g.attributes, [&](std::int64_t n) { w.number(n); });
    w.table("tx::dims", "shapes", g.shapes, [&](dims const& d) { w.shape(d); });
    w.table("std::uint64_t", "blob", g.blob, [&](std::uint64_t n) { w.unsigned_number(n); });
    w.table("tx::node_id", "parameters", g.parameters, [&](node_id n) { w.id(n); });
    w.table("tx::node_id", "outputs", g.outputs, [&](node_id n) { w.id(n); });
    w.table("tx::region", "regions", g.regions, [&](region const& r) {
        out += "{", w.part(r.nodes), out += ", ", w.part(r.parameters), out += ", ", w.part(r.outputs), out += "}";
    });
    w.table("tx::node", "region_nodes", g.region_nodes, [&](node const& n) { w.of_node(n); });
    out += "    static constexpr tx::onnx::detail::static_weight weights[]{";
    for (std::size_t k = 0; k < t.weights().size(); ++k) {
        static_weight const& s = t.weights()[k];
        out += "\n        {tracexpr_onnx_" + name + " + " + std::to_string(t.places()[k]) + ", tx::dtype(" +
               std::to_string(static_cast<int>(s.type)) + "), ";
        w.shape(s.shape), out += "},";
    }
    out += t.weights().empty() ? "{}};\n" : "};\n";
    out += "    static constexpr tx::graph_view graph() {\n        tx::graph_view g;\n";
    auto const has = [&](char const* table, bool some) {
        if (some) out += "        g." + std::string(table) + " = {" + table + ", std::size(" + table + ")};\n";
    };
    has("nodes", true), has("more_operands", !g.more_operands.empty()), has("attributes", !g.attributes.empty());
    has("shapes", !g.shapes.empty()), has("blob", !g.blob.empty()), has("parameters", !g.parameters.empty());
    has("outputs", true), has("regions", !g.regions.empty()), has("region_nodes", !g.region_nodes.empty());
    return out + "        return g;\n    }\n};\ninline constexpr tx::onnx::static_model<" + name + "_tables> " + name + "{};\n";
}
// Returns a source file that puts the weights into the program.
inline std::string source_of_weights(std::string const& name, std::string const& path) {
    std::string const symbol = "tracexpr_onnx_" + name;
    return "// The weights of a model, as they lie in the file.\n"
           "#if defined(__APPLE__)\n"
           "asm(\".const_data\\n.balign 64\\n.globl _" +
           symbol + "\\n_" + symbol + ":\\n.incbin \\\"" + path +
           "\\\"\\n.byte 0\\n.text\\n\");\n"
           "#else\n"
           "asm(\".section .rodata\\n.balign 64\\n.globl " +
           symbol + "\\n.type " + symbol + ", @object\\n" + symbol + ":\\n.incbin \\\"" + path + "\\\"\\n.byte 0\\n.size " +
           symbol + ", .-" + symbol +
           "\\n.previous\\n\");\n"
           "#endif\n";
}

} // namespace detail

// Holds the files of a model for the compiler.
struct static_files {
    std::string header;  // declares the model under its name
    std::string source;  // has the weights, from the file at the given path
    std::string weights; // the bytes of that file
};
// Makes the files of a model with inputs of these shapes. An input without a given shape has the model's own extents, of which
// symbols stay unknown. `name` is that of the object that the header declares. Throws tx::error if a shape must be known that
// depends on an input's elements.
[[nodiscard]] inline static_files make_static(model const& m, std::string const& called, std::string const& name,
                                              std::string const& weights_path, std::map<std::string, dims> const& shapes = {}) {
    for (auto const& [input, shape] : shapes) {
        std::vector<std::string> inputs;
        for (value_info const& in : m.inputs()) inputs.push_back(in.name);
        if (std::find(inputs.begin(), inputs.end(), input) == inputs.end())
            throw signature_error("tx: onnx: " + called + " has no input " + tx::detail::quoted_piece(input) +
                                  "; its inputs are " + tx::detail::listed_pieces(inputs));
    }
    std::vector<detail::named_argument> given;
    for (value_info const& in : m.inputs()) {
        if (in.has_default) continue;
        dims shape;
        if (auto const known = shapes.find(in.name); known != shapes.end()) shape = known->second;
        else if (in.has_rank)
            for (dimension const& d : in.dims) shape.push_back(d.extent);
        else shape.rank = dims::unknown_rank;
        given.push_back({in.name, in.dtype, shape, nullptr});
    }
    auto const recording = detail::recording_for(m.state(), given);
    detail::static_tables const tables(recording->program.simplified.view());
    return {detail::header_of_tables(tables, called, name), detail::source_of_weights(name, weights_path), tables.bytes()};
}

} // namespace tx::onnx
