// Collects the nodes and initializers of a model that is being written. A value is known by its name, which no other value of the
// model has, also in nested graphs.
#pragma once

#include <tracexpr/backends/host_array.hpp>
#include <tracexpr/base/interned.hpp>
#include <tracexpr/onnx/export/wire_writer.hpp>
#include <tracexpr/onnx/messages.hpp>

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

namespace tx::onnx::detail {

using value_name = std::string;

// Returns the number that TensorProto.DataType gives a dtype that ONNX has.
inline std::int64_t element_number(dtype type) {
    for (std::int64_t number = 1; number <= static_cast<std::int64_t>(element_type::bfloat16); ++number)
        if (dtype_of_element(number) == type) return number;
    return static_cast<std::int64_t>(element_type::undefined);
}

// Holds an attribute of a node.
struct written_attribute {
    std::string message;

    written_attribute(std::string_view name, std::int64_t value) : written_attribute(name, 2, wire_writer().integer(3, value)) {}
    written_attribute(std::string_view name, int value) : written_attribute(name, std::int64_t{value}) {}
    written_attribute(std::string_view name, float value) : written_attribute(name, 1, wire_writer().float32(2, value)) {}
    written_attribute(std::string_view name, char const* text) : written_attribute(name, 3, wire_writer().bytes(4, text)) {}
    written_attribute(std::string_view name, std::vector<std::int64_t> const& values)
        : written_attribute(name, 7, [&] {
              wire_writer out;
              for (std::int64_t const v : values) out.integer(8, v);
              return out;
          }()) {}
    static written_attribute graph(std::string_view name, std::string_view message) {
        return {name, 5, wire_writer().bytes(6, message)};
    }
    static written_attribute tensor(std::string_view name, std::string_view message) {
        return {name, 4, wire_writer().bytes(5, message)};
    }

private:
    written_attribute(std::string_view name, std::int64_t type, wire_writer const& value)
        : message(wire_writer().bytes(1, name).message() + value.message() + wire_writer().integer(20, type).message()) {}
};

// Holds an initializer. Its elements are written directly from memory.
struct written_tensor {
    value_name name;
    dtype type{};
    dims shape{};
    std::shared_ptr<host_array const> own; // null if somebody else keeps the elements
    void const* data = nullptr;

    std::uint64_t bytes() const { return static_cast<std::uint64_t>(shape.size()) * size_in_bytes(type); }
    wire_writer head() const {
        wire_writer out;
        for (int axis = 0; axis < shape.rank; ++axis) out.integer(1, shape[axis]);
        out.integer(2, element_number(type));
        if (!name.empty()) out.bytes(8, name);
        return out;
    }
    // Returns the message without elements that are written as raw_data; those of strings are part of the message.
    std::string message_without_raw() const {
        wire_writer out = head();
        if (type == dtype::string)
            for (std::int64_t k = 0; k < shape.size(); ++k) out.bytes(6, static_cast<interned const*>(data)[k].str());
        return out.message();
    }
    bool has_raw() const { return type != dtype::string; }
    std::string_view raw() const { return {static_cast<char const*>(data), bytes()}; }
};

inline std::string value_message_of(std::string_view name, dtype type, dims const* shape) {
    wire_writer tensor;
    tensor.integer(1, element_number(type));
    if (shape && shape->rank >= 0) {
        wire_writer all;
        for (int axis = 0; axis < shape->rank; ++axis)
            all.bytes(1, (*shape)[axis] == dyn ? std::string() : wire_writer().integer(1, (*shape)[axis]).message());
        tensor.bytes(2, all.message());
    }
    return wire_writer().bytes(1, name).bytes(2, wire_writer().bytes(1, tensor.message()).message()).message();
}

class graph_writer {
public:
    // Names of values are the prefix and a number, so no other name may begin with the prefix.
    graph_writer(int opset, std::string prefix) : opset_{opset}, prefix_{std::move(prefix)}, frames_(1) {}

    int opset() const { return opset_; } // the version of the operators

    value_name new_name() { return prefix_ + std::to_string(next_++); }

    // Adds a node and returns its results. Equal nodes are added once, as none has an effect.
    std::vector<value_name> add(std::string_view type, std::vector<value_name> const& inputs, std::size_t results,
                                std::vector<written_attribute> const& attributes) {
        wire_writer message;
        for (value_name const& i : inputs) message.bytes(1, i);
        wire_writer rest;
        rest.bytes(4, type);
        for (written_attribute const& a : attributes) rest.bytes(5, a.message);
        std::string const key = message.message() + rest.message() + static_cast<char>('0' + results % 64);
        for (frame const& f : frames_)
            if (auto const known = f.known.find(key); known != f.known.end()) return known->second;
        std::vector<value_name> out;
        for (std::size_t k = 0; k < results; ++k) out.push_back(new_name());
        for (value_name const& name : out) message.bytes(2, name);
        message.bytes(3, "n" + std::to_string(count_++));
        frames_.back().nodes.bytes(1, message.message() + rest.message());
        frames_.back().known.emplace(key, out);
        return out;
    }
    // Adds a copy of a value under another name to the graph that is being written: each output of a graph must be made there,
    // and only once.
    void add_copy(value_name const& of, std::string_view as) {
        frames_.back().nodes.bytes(
            1, wire_writer().bytes(1, of).bytes(2, as).bytes(3, "n" + std::to_string(count_++)).bytes(4, "Identity").message());
    }
    // Adds elements that somebody keeps until the model is written, as an initializer of the model's graph.
    value_name add_weights(dtype type, dims const& shape, void const* data) {
        tensors_.push_back({new_name(), type, shape, nullptr, data});
        return tensors_.back().name;
    }
    // Adds elements as an initializer. Equal ones of few bytes share one.
    value_name add_constant(std::shared_ptr<host_array const> value) {
        constexpr std::size_t few = 256;
        std::string key;
        if (value->bytes.size() <= few) {
            key = name(value->type);
            for (int axis = 0; axis < value->shape.rank; ++axis) key += ',' + std::to_string(value->shape[axis]);
            key += ':' + std::string(reinterpret_cast<char const*>(value->bytes.data()), value->bytes.size());
            if (auto const known = constants_.find(key); known != constants_.end()) return known->second;
        }
        tensors_.push_back({new_name(), value->type, value->shape, value, value->bytes.data()});
        if (!key.empty()) constants_.emplace(std::move(key), tensors_.back().name);
        return tensors_.back().name;
    }

    // Writes a graph within a node: record() adds its nodes, and returns the messages of its inputs and outputs.
    template <class Record> std::string graph_within(Record const& record) {
        frames_.emplace_back();
        struct ends {
            graph_writer& of;
            ~ends() { of.frames_.pop_back(); }
        } const at_end{*this};
        wire_writer const rest = record();
        std::string const name = "g" + std::to_string(graphs_++);
        return frames_.back().nodes.message() + wire_writer().bytes(2, name).message() + rest.message();
    }

    std::vector<written_tensor> const& tensors() const { return tensors_; }
    std::string const& nodes() const { return frames_.front().nodes.message(); }

private:
    struct frame {
        wire_writer nodes;
        std::unordered_map<std::string, std::vector<value_name>> known;
    };
    int opset_;
    std::string prefix_;
    std::vector<frame> frames_;
    std::vector<written_tensor> tensors_;
    std::unordered_map<std::string, value_name> constants_;
    std::size_t next_ = 0, count_ = 0, graphs_ = 0;
};

} // namespace tx::onnx::detail
