// This file reads the bytes of a part of a file, never beyond its end, and computes their checksum. It knows nothing of what the
// bytes mean.
#pragma once

#include <tracexpr/files/deflate.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace tx::detail {

// Gives the number that these bytes hold, the lowest byte first.
inline std::uint64_t little_endian(char const* from, std::size_t bytes) {
    std::uint64_t out = 0;
    for (std::size_t k = bytes; k-- > 0;) out = out << 8 | static_cast<unsigned char>(from[k]);
    return out;
}

// Appends the bytes of a number, the lowest byte first.
inline void append_little_endian(std::string& out, std::uint64_t number, std::size_t bytes) {
    for (std::size_t k = 0; k < bytes; ++k) out += static_cast<char>(number >> 8 * k & 0xff);
}

// `crc32` is the CRC-32 of ZIP (polynomial 0xedb88320, bits reversed), computed eight bytes at a time: Kounavis and Berry, A
// systematic approach to building high performance, software-based, CRC generators, 2005.
class crc32 {
public:
    void add(char const* from, std::size_t bytes) {
        static tables const of = make_tables();
        std::uint32_t state = state_;
        for (; bytes >= 8; bytes -= 8, from += 8) {
            std::uint64_t const next = little_endian(from, 8) ^ state;
            state = 0;
            for (std::size_t k = 0; k < 8; ++k) state ^= of[7 - k][next >> 8 * k & 0xff];
        }
        for (; bytes > 0; --bytes, ++from) state = state >> 8 ^ of[0][(state ^ static_cast<unsigned char>(*from)) & 0xff];
        state_ = state;
    }
    std::uint32_t value() const { return ~state_; }

private:
    using tables = std::array<std::array<std::uint32_t, 256>, 8>; // Table [k] is for a byte that k others follow.
    static tables make_tables() {
        tables of{};
        for (std::uint32_t byte = 0; byte < 256; ++byte) {
            std::uint32_t state = byte;
            for (int bit = 0; bit < 8; ++bit) state = state >> 1 ^ (state & 1 ? 0xedb88320u : 0u);
            of[0][byte] = state;
        }
        for (std::size_t k = 1; k < 8; ++k)
            for (std::size_t byte = 0; byte < 256; ++byte) of[k][byte] = of[k - 1][byte] >> 8 ^ of[0][of[k - 1][byte] & 0xff];
        return of;
    }

    std::uint32_t state_ = ~std::uint32_t{0};
};

class byte_source {
public:
    // Reads all that the stream holds from its position on. A pipe doesn't tell how much that is.
    explicit byte_source(std::istream& stream) : stream_{stream} {
        std::streamoff const start = stream.tellg();
        if (start < 0 || !stream.seekg(0, std::ios::end)) {
            stream.clear();
            return;
        }
        left_ = static_cast<std::uint64_t>(stream.tellg() - std::streampos(start));
        stream.seekg(start);
    }
    // Reads that many bytes from the stream's position on.
    byte_source(std::istream& stream, std::uint64_t bytes) : stream_{stream}, left_{bytes} {}
    // Reads that many bytes and computes their checksum; they are inflated unless `inflates` is null.
    byte_source(std::istream& stream, std::uint64_t bytes, std::unique_ptr<inflater> inflates)
        : stream_{stream}, left_{bytes}, sums_{true}, inflates_{std::move(inflates)} {}

    std::uint64_t left() const { return left_; }
    // Reads bytes; returns false if fewer are left.
    bool read(char* to, std::uint64_t bytes) {
        if (bytes > left_) return false;
        if (inflates_ ? !inflates_->read(stream_, to, bytes) : !stream_.read(to, static_cast<std::streamsize>(bytes)))
            return false;
        left_ -= bytes;
        if (sums_) sum_.add(to, static_cast<std::size_t>(bytes));
        return true;
    }
    // Skips that many bytes, after which no checksum is computed; returns false if fewer are left. They are not read unless there
    // are few of them or the stream is a pipe. Compressed bytes can't be skipped.
    bool skip(std::uint64_t bytes) {
        constexpr std::uint64_t few_bytes = 4096; // less than a stream's buffer, which a jump empties
        if (bytes > left_) return false;
        sums_ = false;
        if (bytes <= few_bytes || !stream_.seekg(static_cast<std::streamoff>(bytes), std::ios::cur)) {
            stream_.clear();
            stream_.ignore(static_cast<std::streamsize>(bytes));
        }
        left_ -= bytes;
        return true;
    }
    // Reads the remaining bytes for their checksum only.
    bool read_rest() {
        std::array<char, 4096> chunk;
        while (left_ > 0)
            if (!read(chunk.data(), left_ < chunk.size() ? left_ : chunk.size())) return false;
        return true;
    }
    std::uint32_t checksum() const { return sum_.value(); }

private:
    std::istream& stream_;
    std::uint64_t left_ = static_cast<std::uint64_t>(std::numeric_limits<std::streamsize>::max());
    bool sums_ = false;
    crc32 sum_;
    std::unique_ptr<inflater> inflates_;
};

} // namespace tx::detail
