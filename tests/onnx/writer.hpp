// This file writes small ONNX models field by field, as protocol buffers.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace onnx_writer {

class message {
public:
    message& number(unsigned field, std::int64_t value) {
        varint(field << 3);
        varint(static_cast<std::uint64_t>(value));
        return *this;
    }
    // Writes a number in ten bytes, the most that any number takes, so that tests can put others in its place.
    message& wide_number(unsigned field, std::int64_t value) {
        varint(field << 3);
        auto rest = static_cast<std::uint64_t>(value);
        for (int k = 0; k < 9; ++k, rest >>= 7) text_ += static_cast<char>(rest | 0x80);
        text_ += static_cast<char>(rest);
        return *this;
    }
    message& bytes(unsigned field, std::string_view value) {
        varint(field << 3 | 2);
        varint(value.size());
        text_ += value;
        return *this;
    }
    message& real(unsigned field, float value) {
        varint(field << 3 | 5);
        char raw[sizeof(value)];
        std::memcpy(raw, &value, sizeof(value));
        text_.append(raw, sizeof(value));
        return *this;
    }
    message& put(unsigned field, message const& value) { return bytes(field, value.text_); }
    std::string const& text() const { return text_; }

private:
    void varint(std::uint64_t value) {
        for (; value > 0x7f; value >>= 7) text_ += static_cast<char>(value | 0x80);
        text_ += static_cast<char>(value);
    }
    std::string text_;
};

inline constexpr std::int64_t float32 = 1, uint8 = 2, int32 = 6, int64 = 7, boolean = 9, float64 = 11;

template <class T>
message tensor(std::string_view name, std::int64_t type, std::vector<std::int64_t> const& shape, std::vector<T> const& values) {
    message out;
    for (std::int64_t const n : shape) out.number(1, n);
    out.number(2, type).bytes(8, name);
    std::string raw(values.size() * sizeof(T), '\0');
    std::memcpy(raw.data(), values.data(), raw.size());
    return out.bytes(9, raw);
}
inline message floats(std::string_view name, std::vector<std::int64_t> const& shape, std::vector<float> const& values) {
    return tensor(name, float32, shape, values);
}
inline message ints(std::string_view name, std::vector<std::int64_t> const& values) {
    return tensor(name, int64, {static_cast<std::int64_t>(values.size())}, values);
}

// An axis, which is a number or a symbol.
struct axis {
    std::int64_t number = -1;
    std::string symbol;
    axis(int n) : number{n} {}
    axis(char const* s) : symbol{s} {}
};
inline message value(std::string_view name, std::int64_t type, std::vector<axis> const& shape) {
    message all;
    for (axis const& a : shape)
        all.put(1, a.number >= 0 ? message().number(1, a.number) : a.symbol.empty() ? message() : message().bytes(2, a.symbol));
    return message().bytes(1, name).put(2, message().put(1, message().number(1, type).put(2, all)));
}

inline message attribute(std::string_view name, std::int64_t value) {
    return message().bytes(1, name).wide_number(3, value).number(20, 2);
}
inline message attribute(std::string_view name, float value) { return message().bytes(1, name).real(2, value).number(20, 1); }
inline message attribute(std::string_view name, std::string_view value) {
    return message().bytes(1, name).bytes(4, value).number(20, 3);
}
inline message attribute(std::string_view name, std::vector<std::int64_t> const& values) {
    message out;
    out.bytes(1, name);
    for (std::int64_t const v : values) out.wide_number(8, v);
    return out.number(20, 7);
}
inline message tensor_attribute(std::string_view name, message const& t) {
    return message().bytes(1, name).put(5, t).number(20, 4);
}
inline message graph_attribute(std::string_view name, message const& g) {
    return message().bytes(1, name).put(6, g).number(20, 5);
}

using names = std::vector<std::string_view>;
inline message node(std::string_view type, names const& inputs, names const& outputs, std::vector<message> const& attributes = {},
                    std::string_view domain = "") {
    message out;
    for (auto const n : inputs) out.bytes(1, n);
    for (auto const n : outputs) out.bytes(2, n);
    out.bytes(4, type);
    for (message const& a : attributes) out.put(5, a);
    return domain.empty() ? out : out.bytes(7, domain);
}
struct graph_parts {
    std::vector<message> nodes{}, inputs{}, outputs{}, initializers{};
};
inline message graph(graph_parts const& parts) {
    message out;
    for (message const& m : parts.nodes) out.put(1, m);
    out.bytes(2, "graph");
    for (message const& m : parts.initializers) out.put(5, m);
    for (message const& m : parts.inputs) out.put(11, m);
    for (message const& m : parts.outputs) out.put(12, m);
    return out;
}
inline message opset(std::string_view domain, std::int64_t version) { return message().bytes(1, domain).number(2, version); }
inline std::string model(graph_parts const& parts, std::int64_t version = 21, std::vector<message> const& functions = {}) {
    message out;
    out.number(1, 10).put(7, graph(parts)).put(8, opset("", version)).put(8, opset("own", 1));
    out.put(8, opset("ai.onnx.ml", 4)).put(8, opset("ai.onnx.preview.training", 1));
    for (message const& f : functions) out.put(25, f);
    return out.text();
}

} // namespace onnx_writer
