// Writes the wire format of protocol buffers field by field. The file knows nothing of models.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace tx::onnx::detail {

class wire_writer {
public:
    wire_writer& integer(std::uint64_t field, std::int64_t value) {
        varint(field << 3);
        varint(static_cast<std::uint64_t>(value));
        return *this;
    }
    wire_writer& float32(std::uint64_t field, float value) {
        varint(field << 3 | 5);
        auto const bits = std::bit_cast<std::uint32_t>(value);
        for (int k = 0; k < 4; ++k) out_ += static_cast<char>(bits >> (8 * k) & 0xffu);
        return *this;
    }
    // Writes a text or a message.
    wire_writer& bytes(std::uint64_t field, std::string_view value) {
        begin_bytes(field, value.size());
        out_ += value;
        return *this;
    }
    // Writes the head of a field of so many bytes.
    void begin_bytes(std::uint64_t field, std::uint64_t length) {
        varint(field << 3 | 2);
        varint(length);
    }
    std::string const& message() const { return out_; }

private:
    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80u);
        out_ += static_cast<char>(value);
    }
    std::string out_;
};

} // namespace tx::onnx::detail
