// This file reads the messages of ONNX into plain structs; the numbers of their fields are those of onnx/onnx.proto. Names and
// data are views into the file, which must outlive them. Nodes and tensors, of which a model has many, stay in the file until one
// of them is read.
#pragma once

#include <tracexpr/base/dtype.hpp>
#include <tracexpr/base/shape.hpp>
#include <tracexpr/onnx/wire.hpp>

#include <optional>

namespace tx::onnx::detail {

// TensorProto.DataType has these values, some of which dtype_of_element knows.
enum class element_type : std::int64_t {
    undefined,
    float32,
    uint8,
    int8,
    uint16,
    int16,
    int32,
    int64,
    string,
    boolean,
    float16,
    float64,
    uint32,
    uint64,
    complex64,
    complex128,
    bfloat16,
    float8e4m3fn,
    float8e4m3fnuz,
    float8e5m2,
    float8e5m2fnuz,
    uint4,
    int4,
    float4e2m1,
};
// Returns the dtype that holds such elements, if there is one. int4 and uint4 are held as int8 and uint8.
inline std::optional<dtype> dtype_of_element(std::int64_t type) {
    switch (static_cast<element_type>(type)) {
    case element_type::float32: return dtype::float32;
    case element_type::uint4:
    case element_type::uint8: return dtype::uint8;
    case element_type::int4:
    case element_type::int8: return dtype::int8;
    case element_type::uint16: return dtype::uint16;
    case element_type::int16: return dtype::int16;
    case element_type::int32: return dtype::int32;
    case element_type::int64: return dtype::int64;
    case element_type::string: return dtype::string;
    case element_type::boolean: return dtype::boolean;
    case element_type::float16: return dtype::float16;
    case element_type::float64: return dtype::float64;
    case element_type::uint32: return dtype::uint32;
    case element_type::uint64: return dtype::uint64;
    case element_type::complex64: return dtype::complex64;
    case element_type::complex128: return dtype::complex128;
    case element_type::bfloat16: return dtype::bfloat16;
    default: return std::nullopt;
    }
}
inline bool has_four_bits(std::int64_t type) {
    return type == static_cast<std::int64_t>(element_type::int4) || type == static_cast<std::int64_t>(element_type::uint4);
}
inline std::string name_of_element(std::int64_t type) {
    if (std::optional<dtype> const known = dtype_of_element(type)) return std::string(name(*known));
    constexpr std::string_view others[]{"float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"};
    std::int64_t const first = static_cast<std::int64_t>(element_type::float8e4m3fn);
    if (type >= first && type < first + 4) return std::string(others[type - first]);
    return type == static_cast<std::int64_t>(element_type::float4e2m1) ? "float4e2m1" : "dtype " + std::to_string(type);
}

// Describes a tensor in an attribute, an initializer or a constant. Its elements are read from `message`, in the one field that
// has them.
struct tensor_message {
    std::string_view message, name, raw;
    std::int64_t type = 0;
    dims shape{};
    bool has_raw = false, is_external = false;

    static tensor_message read(std::string_view message, file_call const& file) {
        tensor_message out;
        out.message = message;
        for (wire_reader in(message, file); in.next();) {
            if (in.field() == 1) {
                in.for_each_number(wire_reader::form::varint, [&](std::uint64_t extent) {
                    if (out.shape.rank == max_rank) file.fail("has a tensor of more than 8 axes");
                    if (extent > std::uint64_t{1} << 62) file.fail("is damaged: a tensor has a negative extent");
                    out.shape.push_back(static_cast<std::int64_t>(extent));
                });
            } else if (in.is_number(2)) out.type = in.integer();
            else if (in.is_bytes(8)) out.name = in.bytes();
            else if (in.is_bytes(9)) out.raw = in.bytes(), out.has_raw = true;
            else if (in.is_number(14)) out.is_external = in.number() == 1;
        }
        return out;
    }
};

// Describes a tensor with values at a few places, which is 0 elsewhere.
struct sparse_message {
    tensor_message values, indices;
    dims shape{};

    static sparse_message read(std::string_view message, file_call const& file) {
        sparse_message out;
        for (wire_reader in(message, file); in.next();) {
            if (in.is_bytes(1)) out.values = tensor_message::read(in.bytes(), file);
            else if (in.is_bytes(2)) out.indices = tensor_message::read(in.bytes(), file);
            else if (in.field() == 3)
                in.for_each_number(wire_reader::form::varint, [&](std::uint64_t extent) {
                    if (out.shape.rank == max_rank || extent > std::uint64_t{1} << 62)
                        file.fail("is damaged: the extents of a sparse tensor are none");
                    out.shape.push_back(static_cast<std::int64_t>(extent));
                });
        }
        return out;
    }
};

// An attribute_message is an attribute of a node; its value stays in `message` until one of the functions below reads it.
struct attribute_message {
    enum class kind : std::int64_t {
        undefined,
        number,
        integer,
        text,
        tensor,
        graph,
        numbers,
        integers,
        texts,
        tensors,
        graphs,
        sparse,
        sparses,
        type,
        types,
    };
    std::string_view message, name, of_function; // of_function: the function's attribute whose value it has
    kind type{};

    static attribute_message read(std::string_view message, file_call const& file) {
        attribute_message out;
        out.message = message;
        for (wire_reader in(message, file); in.next();) {
            if (in.is_bytes(1)) out.name = in.bytes();
            else if (in.is_number(20)) out.type = static_cast<kind>(in.integer());
            else if (in.is_bytes(21)) out.of_function = in.bytes();
        }
        return out;
    }
    float number(file_call const& file) const {
        float out = 0;
        for (wire_reader in(message, file); in.next();)
            if (in.is(2, wire_reader::form::fixed32)) out = in.float32();
        return out;
    }
    std::int64_t integer(file_call const& file) const {
        std::int64_t out = 0;
        for (wire_reader in(message, file); in.next();)
            if (in.is_number(3)) out = in.integer();
        return out;
    }
    // Returns field 4, a text; 5, a tensor; 6, a graph; 14, a type; or 22, a sparse tensor.
    std::string_view bytes(std::uint64_t field, file_call const& file) const {
        std::string_view out;
        for (wire_reader in(message, file); in.next();)
            if (in.is_bytes(field)) out = in.bytes();
        return out;
    }
    std::vector<std::string_view> texts(file_call const& file) const { return repeated_bytes(message, 9, file); }
    std::vector<float> numbers(file_call const& file) const {
        std::vector<float> out;
        for (wire_reader in(message, file); in.next();)
            if (in.field() == 7)
                in.for_each_number(wire_reader::form::fixed32, [&](std::uint64_t bits) {
                    out.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
                });
        return out;
    }
    std::vector<std::int64_t> integers(file_call const& file) const {
        std::vector<std::int64_t> out;
        for (wire_reader in(message, file); in.next();)
            if (in.field() == 8)
                in.for_each_number(wire_reader::form::varint,
                                   [&](std::uint64_t bits) { out.push_back(static_cast<std::int64_t>(bits)); });
        return out;
    }
};

struct node_message {
    // `type` is the name of the operator, in the set of operators `domain`.
    std::string_view message, name, type, domain, overload;
    std::vector<std::string_view> inputs, outputs, attributes;

    static node_message read(std::string_view message, file_call const& file) {
        node_message out;
        out.message = message;
        for (wire_reader in(message, file); in.next();) {
            if (in.is_bytes(3)) out.name = in.bytes();
            else if (in.is_bytes(4)) out.type = in.bytes();
            else if (in.is_bytes(7)) out.domain = in.bytes();
            else if (in.is_bytes(8)) out.overload = in.bytes();
        }
        if (out.domain == "ai.onnx") out.domain = {}; // both names mean the same domain
        out.inputs = repeated_bytes(message, 1, file);
        out.outputs = repeated_bytes(message, 2, file);
        out.attributes = repeated_bytes(message, 5, file);
        return out;
    }
};

// A value_message holds a value's name and type. Only tensors have a dtype and a shape.
struct value_message {
    enum class kind { none, tensor, sequence, optional, other };
    struct extent {
        std::int64_t number = -1; // -1 if there is a symbol, or nothing
        std::string_view symbol;
    };
    std::string_view name;
    kind type = kind::none;
    std::int64_t element = 0; // an element_type
    bool has_shape = false;
    std::vector<extent> shape;

    static value_message read(std::string_view message, file_call const& file) {
        value_message out;
        std::string_view type;
        for (wire_reader in(message, file); in.next();) {
            if (in.is_bytes(1)) out.name = in.bytes();
            else if (in.is_bytes(2)) type = in.bytes();
        }
        for (wire_reader in(type, file); in.next();) {
            if (in.is_bytes(1)) out.type = kind::tensor, out.read_tensor(in.bytes(), file);
            else if (in.is_bytes(4)) out.type = kind::sequence;
            else if (in.is_bytes(9)) out.type = kind::optional;
            else if (in.field() == 5 || in.field() == 7 || in.field() == 8) out.type = kind::other;
        }
        return out;
    }

private:
    void read_tensor(std::string_view message, file_call const& file) {
        for (wire_reader in(message, file); in.next();) {
            if (in.is_number(1)) element = in.integer();
            if (!in.is_bytes(2)) continue;
            has_shape = true;
            shape.clear();
            for (wire_reader axes(in.bytes(), file); axes.next();) {
                if (!axes.is_bytes(1)) continue;
                if (shape.size() == std::size_t{max_rank}) file.fail("has a value of more than 8 axes, " + quoted_piece(name));
                extent a;
                for (wire_reader axis(axes.bytes(), file); axis.next();) {
                    if (axis.is_number(1)) a.number = axis.integer() < 0 ? -1 : axis.integer();
                    else if (axis.is_bytes(2)) a.symbol = axis.bytes();
                }
                shape.push_back(a);
            }
        }
    }
};

struct graph_message {
    std::vector<std::string_view> nodes, initializers, sparse_initializers;
    std::vector<value_message> inputs, outputs;

    static graph_message read(std::string_view message, file_call const& file) {
        graph_message out;
        out.nodes = repeated_bytes(message, 1, file);
        out.initializers = repeated_bytes(message, 5, file);
        out.sparse_initializers = repeated_bytes(message, 15, file);
        auto const values = [&](std::uint64_t field) {
            std::vector<value_message> all;
            auto const messages = repeated_bytes(message, field, file);
            if (messages.size() > most_values) file.fail("has more than 100,000 inputs or outputs");
            for (std::string_view const value : messages) all.push_back(value_message::read(value, file));
            return all;
        };
        out.inputs = values(11);
        out.outputs = values(12);
        return out;
    }

private:
    static constexpr std::size_t most_values = 100'000;
};

// An opset_message says which version of a domain's operators a model uses.
struct opset_message {
    std::string_view domain;
    std::int64_t version = 1;

    static opset_message read(std::string_view message, file_call const& file) {
        opset_message out;
        for (wire_reader in(message, file); in.next();) {
            if (in.is_bytes(1)) out.domain = in.bytes();
            else if (in.is_number(2)) out.version = in.integer();
        }
        if (out.domain == "ai.onnx") out.domain = {};
        return out;
    }
    static std::vector<opset_message> read_all(std::string_view message, std::uint64_t field, file_call const& file) {
        std::vector<opset_message> out;
        for (wire_reader in(message, file); in.next();)
            if (in.is_bytes(field)) {
                if (out.size() == most_domains) file.fail("imports more than 1,000 sets of operators");
                out.push_back(read(in.bytes(), file));
            }
        return out;
    }

private:
    static constexpr std::size_t most_domains = 1000;
};

struct function_message {
    std::string_view name, domain, overload;
    std::vector<std::string_view> inputs, outputs, nodes, defaults; // `defaults` are attributes with their values
    std::vector<opset_message> opsets;

    static function_message read(std::string_view message, file_call const& file) {
        function_message out;
        for (wire_reader in(message, file); in.next();) {
            if (in.is_bytes(1)) out.name = in.bytes();
            else if (in.is_bytes(10)) out.domain = in.bytes();
            else if (in.is_bytes(13)) out.overload = in.bytes();
        }
        if (out.domain == "ai.onnx") out.domain = {};
        out.inputs = repeated_bytes(message, 4, file);
        out.outputs = repeated_bytes(message, 5, file);
        out.nodes = repeated_bytes(message, 7, file);
        out.defaults = repeated_bytes(message, 11, file);
        out.opsets = opset_message::read_all(message, 9, file);
        return out;
    }
};

struct model_message {
    std::int64_t ir_version = 0;
    std::string_view graph;
    bool has_graph = false;
    std::vector<opset_message> opsets;
    std::vector<std::string_view> functions;

    static model_message read(std::string_view message, file_call const& file) {
        model_message out;
        for (wire_reader in(message, file); in.next();) {
            if (in.is_number(1)) out.ir_version = in.integer();
            else if (in.is_bytes(7)) out.graph = in.bytes(), out.has_graph = true;
        }
        out.opsets = opset_message::read_all(message, 8, file);
        out.functions = repeated_bytes(message, 25, file);
        return out;
    }
};

} // namespace tx::onnx::detail
