// Reads the wire format of protocol buffers field by field, from memory that the reader doesn't own. Nothing outside of that
// memory is read, whatever the bytes are: a message that ends in the middle of a field is an error. The file knows nothing of
// models.
#pragma once

#include <tracexpr/files/file.hpp>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace tx::onnx::detail {

using namespace tx::detail;

[[noreturn]] inline void throw_damaged(file_call const& file) {
    file.fail("is damaged, or no ONNX model: a message ends in the middle of a field");
}

class wire_reader {
public:
    enum class form : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

    wire_reader(std::string_view message, file_call const& file) : rest_{message}, file_{&file} {}

    // Goes to the next field; returns false at the end of the message.
    bool next() {
        if (rest_.empty()) return false;
        std::uint64_t const tag = varint();
        field_ = tag >> 3;
        form_ = static_cast<form>(tag & 7);
        if (field_ == 0) throw_damaged(*file_);
        switch (form_) {
        case form::varint: number_ = varint(); return true;
        case form::fixed64: number_ = fixed<std::uint64_t>(); return true;
        case form::fixed32: number_ = fixed<std::uint32_t>(); return true;
        case form::bytes: {
            std::uint64_t const length = varint();
            if (length > rest_.size()) throw_damaged(*file_);
            bytes_ = rest_.substr(0, length);
            rest_.remove_prefix(length);
            return true;
        }
        }
        throw_damaged(*file_); // groups, which no model has
    }

    std::uint64_t field() const { return field_; }
    // Returns whether the field has this number and this form.
    bool is(std::uint64_t field, form of) const { return field_ == field && form_ == of; }
    bool is_bytes(std::uint64_t field) const { return is(field, form::bytes); }
    bool is_number(std::uint64_t field) const { return is(field, form::varint); }

    std::string_view bytes() const { return bytes_; }
    std::uint64_t number() const { return number_; }
    std::int64_t integer() const { return static_cast<std::int64_t>(number_); }
    float float32() const { return std::bit_cast<float>(static_cast<std::uint32_t>(number_)); }

    // Calls take(number) for each number of a field, which has one number, or many that are packed.
    template <class Take> void for_each_number(form single, Take const& take) const {
        if (form_ == single) return take(number_);
        if (form_ != form::bytes) throw_damaged(*file_);
        wire_reader packed(bytes_, *file_);
        while (!packed.rest_.empty())
            take(single == form::varint    ? packed.varint()
                 : single == form::fixed32 ? packed.fixed<std::uint32_t>()
                                           : packed.fixed<std::uint64_t>());
    }

private:
    std::uint64_t varint() {
        std::uint64_t out = 0;
        for (unsigned shift = 0; shift < 70; shift += 7) {
            if (rest_.empty()) break;
            auto const byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            if (shift < 64) out |= std::uint64_t{byte & 0x7fu} << shift;
            if (byte < 0x80) return out;
        }
        throw_damaged(*file_);
    }
    template <class T> T fixed() {
        if (rest_.size() < sizeof(T)) throw_damaged(*file_);
        T out = 0;
        for (std::size_t k = 0; k < sizeof(T); ++k)
            out = static_cast<T>(out | static_cast<T>(static_cast<unsigned char>(rest_[k])) << (8 * k));
        rest_.remove_prefix(sizeof(T));
        return out;
    }

    std::string_view rest_;
    file_call const* file_;
    std::uint64_t field_ = 0, number_ = 0;
    form form_{};
    std::string_view bytes_;
};

// Returns the messages in a repeated field, as views into the message. They are counted first, so that no more memory is taken
// than they need.
inline std::vector<std::string_view> repeated_bytes(std::string_view message, std::uint64_t field, file_call const& file) {
    std::size_t count = 0;
    for (wire_reader in(message, file); in.next();) count += in.is_bytes(field);
    std::vector<std::string_view> out;
    out.reserve(count);
    for (wire_reader in(message, file); in.next();)
        if (in.is_bytes(field)) out.push_back(in.bytes());
    return out;
}

} // namespace tx::onnx::detail
