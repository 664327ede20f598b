// Writes a graph of the library as nodes of ONNX; the functions that write its ops get an exporter. Each op is one node, or
// several where ONNX has no such operator.
#pragma once

#include <tracexpr/graph/infer.hpp>
#include <tracexpr/graph/regions.hpp>
#include <tracexpr/onnx/elements.hpp>
#include <tracexpr/onnx/export/graph_writer.hpp>

#include <limits>
#include <map>
#include <vector>

namespace tx::onnx::detail {

// Counts the reasons why a graph can't be written.
using export_problems = std::map<std::string, int>;

class exporter {
public:
    // `parameters` are the names of the graph's parameters.
    exporter(graph_writer& out, graph_view const& g, std::vector<value_name> parameters, export_problems& problems)
        : out_{out}, graph_{g}, parameters_{std::move(parameters)}, problems_{problems}, results_(g.size()) {}

    // Writes all nodes, and returns the names of the outputs that are values.
    std::vector<value_name> write();

    graph_writer& out() { return out_; }
    graph_view const& graph() const { return graph_; }

    // Returns the node that is being written.
    node const& at() const { return *at_; }
    attribute_span attributes() const { return graph_.attributes_of(*at_); }
    std::size_t operands() const { return at_->arity; }
    node_id operand_id(std::size_t k) const { return graph_.operand(*at_, k); }
    value_name const& operator[](std::size_t k) const { return results_[index(operand_id(k))].front(); }
    dtype type(std::size_t k) const { return graph_[operand_id(k)].type; }
    dims const& shape(std::size_t k) const { return graph_.shape_of(operand_id(k)); }
    // Returns an operand's rank, which must be known.
    int rank(std::size_t k) const;
    dims const& made_shape() const { return graph_.shape_of(*at_); }
    dtype made_type() const { return at_->type; }
    // Notes a problem and goes on, so that all problems are found; what was written is then of no use.
    value_name fail(std::string const& problem) {
        ++problems_[problem];
        return "?";
    }
    value_name fail() { return fail(std::string(name(at_->code))); }

    value_name add(std::string_view op, std::vector<value_name> const& inputs,
                   std::vector<written_attribute> const& attributes = {}) {
        return out_.add(op, inputs, 1, attributes).front();
    }
    value_name cast(value_name const& x, dtype from, dtype to) {
        return from == to ? x : add("Cast", {x}, {{"to", element_number(to)}});
    }
    value_name integers(std::vector<std::int64_t> const& values) {
        std::vector<std::uint64_t> const words(values.begin(), values.end());
        return elements(dtype::int64, dims{{static_cast<std::int64_t>(values.size())}, 1}, {words.data(), words.size()});
    }
    value_name integers(attribute_span values) { return integers(std::vector<std::int64_t>(values.begin(), values.end())); }
    // Returns a scalar. In an integer dtype the number is clamped to the range.
    value_name number(dtype type, double value) { return literal(type, cast_literal(real_literal(value), dtype::float64, type)); }
    value_name literal(dtype type, literal_bits bits) {
        std::uint64_t const words[]{bits.low, bits.high};
        return elements(type, dims{}, words);
    }
    value_name elements(dtype type, dims const& shape, table_view<std::uint64_t> words) {
        return out_.add_constant(array_of_words(type, shape, words));
    }

    // These return extents as int64 vectors of one element, and shapes.
    value_name shape_of(value_name const& x) { return add("Shape", {x}); }
    value_name extent_of(value_name const& x, dims const& shape, int axis) {
        if (shape.rank > axis && shape[axis] != dyn) return integers({shape[axis]});
        return add("Shape", {x}, {{"start", axis}, {"end", axis + 1}});
    }
    value_name joined(std::vector<value_name> const& vectors) {
        if (vectors.empty()) return integers(std::vector<std::int64_t>());
        return vectors.size() == 1 ? vectors[0] : add("Concat", vectors, {{"axis", 0}});
    }
    // Returns the product of the extents of some axes, as a vector of one element.
    value_name size_along(value_name const& x, dims const& shape, std::vector<int> const& axes) {
        std::int64_t known = 1;
        std::vector<value_name> unknown;
        for (int const axis : axes)
            if (shape[axis] == dyn) unknown.push_back(extent_of(x, shape, axis));
            else known *= shape[axis];
        if (unknown.empty()) return integers({known});
        value_name all = unknown[0];
        for (std::size_t k = 1; k < unknown.size(); ++k) all = add("Mul", {all, unknown[k]});
        return known == 1 ? all : add("Mul", {all, integers({known})});
    }
    // These convert a vector of one element to a scalar, and back.
    value_name scalar(value_name const& vector) { return add("Squeeze", {vector, integers({0})}); }
    value_name vector(value_name const& scalar) { return add("Unsqueeze", {scalar, integers({0})}); }
    // With allowzero an extent of 0 is one, and not copied from x.
    value_name reshape(value_name const& x, value_name const& to) { return add("Reshape", {x, to}, {{"allowzero", 1}}); }
    value_name flat(value_name const& x) { return add("Reshape", {x, integers({-1})}); }
    value_name transpose(value_name const& x, std::vector<std::int64_t> const& order) {
        bool moves = false;
        for (std::size_t k = 0; k < order.size(); ++k) moves = moves || order[k] != static_cast<std::int64_t>(k);
        return moves ? add("Transpose", {x}, {{"perm", order}}) : x;
    }
    // Returns 0, 1 ... below a scalar, as int64.
    value_name range(value_name const& count) {
        return add("Range", {literal(dtype::int64, {}), count, literal(dtype::int64, {1, 0})});
    }
    // Writes the nodes of a region into the graph that is being written, with these names for its parameters, and returns those
    // of its outputs.
    std::vector<value_name> write_region(graph_view const& region, std::vector<value_name> parameters) {
        return exporter(out_, region, std::move(parameters), problems_).write();
    }
    // Adds a value to the outputs of the graph that is being written, under a name of its own.
    void add_output(wire_writer& to, value_name const& value, dtype type, dims const* shape) {
        value_name const name = out_.new_name();
        out_.add_copy(value, name);
        to.bytes(12, value_message_of(name, type, shape));
    }

private:
    std::vector<value_name> results_of(node const& n);

    graph_writer& out_;
    graph_view graph_;
    std::vector<value_name> parameters_;
    export_problems& problems_;
    std::vector<std::vector<value_name>> results_; // by node
    node const* at_ = nullptr;
};

} // namespace tx::onnx::detail
