// Encodes pixels for SVG as a PNG (W3C, Portable Network Graphics, 3rd ed.) without compression, in a data URI.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tx::plot::detail {

inline std::string base64(std::string_view bytes) {
    constexpr char const* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t k = 0; k < bytes.size(); k += 3) {
        std::uint32_t three = 0;
        for (std::size_t j = 0; j < 3; ++j)
            three = three << 8 | (k + j < bytes.size() ? static_cast<unsigned char>(bytes[k + j]) : 0u);
        for (std::size_t j = 0; j < 4; ++j) out += k + j > bytes.size() ? '=' : letters[three >> (18 - 6 * j) & 63u];
    }
    return out;
}

inline std::uint32_t crc32(std::string_view bytes) {
    std::uint32_t crc = 0xffffffffu;
    for (char const c : bytes) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1u ? 0xedb88320u : 0u);
    }
    return ~crc;
}
inline std::uint32_t adler32(std::string_view bytes) {
    std::uint32_t a = 1, b = 0;
    for (char const c : bytes) {
        a = (a + static_cast<unsigned char>(c)) % 65521u;
        b = (b + a) % 65521u;
    }
    return b << 16 | a;
}
inline std::string big_endian(std::uint32_t number) {
    std::string out;
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift & 255u);
    return out;
}
inline std::string png_chunk(std::string const& type, std::string const& data) {
    return big_endian(static_cast<std::uint32_t>(data.size())) + type + data + big_endian(crc32(type + data));
}
// Encodes bytes in zlib's format (RFC 1950) with stored blocks (RFC 1951, 3.2.4).
inline std::string stored(std::string_view bytes) {
    constexpr std::size_t most = 65535;
    std::string out = "\x78\x01";
    std::string_view left = bytes;
    do {
        std::string_view const block = left.substr(0, most);
        left.remove_prefix(block.size());
        std::size_t const size = block.size();
        out += left.empty() ? '\1' : '\0';
        for (std::size_t const part : {size & 255u, size >> 8, ~size & 255u, ~size >> 8 & 255u}) out += static_cast<char>(part);
        out += block;
    } while (!left.empty());
    return out + big_endian(adler32(bytes));
}
// Encodes `rows`, which has height times width pixels of 1 byte (grey) or 3 bytes (red, green, blue).
inline std::string png(std::int64_t width, std::int64_t height, int channels, std::string_view rows) {
    std::size_t const row = static_cast<std::size_t>(width * channels);
    std::string lines;
    for (std::int64_t y = 0; y < height; ++y) (lines += '\0') += rows.substr(static_cast<std::size_t>(y) * row, row);
    std::string head = big_endian(static_cast<std::uint32_t>(width)) + big_endian(static_cast<std::uint32_t>(height));
    head += '\x08';
    head += channels == 3 ? '\2' : '\0';
    head.append(3, '\0');
    return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", head) + png_chunk("IDAT", stored(lines)) + png_chunk("IEND", "");
}

} // namespace tx::plot::detail
