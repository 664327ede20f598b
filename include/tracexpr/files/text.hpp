// This file converts Unicode text between UTF-8 (RFC 3629), as strings have it, and code points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tx::detail {

inline bool is_code_point(std::uint32_t code) { return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff); }

inline void append_utf8(std::string& out, std::uint32_t code) {
    auto const more = [&](int shift) { out += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xc0 | code >> 6);
        more(0);
    } else if (code < 0x10000) {
        out += static_cast<char>(0xe0 | code >> 12);
        more(6), more(0);
    } else {
        out += static_cast<char>(0xf0 | code >> 18);
        more(12), more(6), more(0);
    }
}

// Calls f(code point) for each code point of the text. Returns false, after those before, where the text is no UTF-8.
template <class F> bool for_each_code_point(std::string_view text, F const& f) {
    for (std::size_t at = 0; at < text.size();) {
        std::uint32_t const first = static_cast<unsigned char>(text[at]);
        std::size_t const length = first < 0x80   ? 1
                                   : first < 0xc2 ? 0
                                   : first < 0xe0 ? 2
                                   : first < 0xf0 ? 3
                                   : first < 0xf5 ? 4
                                                  : 0;
        if (length == 0 || length > text.size() - at) return false;
        std::uint32_t code = length == 1 ? first : first & (0x7fu >> length);
        for (std::size_t k = 1; k < length; ++k) {
            std::uint32_t const byte = static_cast<unsigned char>(text[at + k]);
            if ((byte & 0xc0) != 0x80) return false;
            code = code << 6 | (byte & 0x3f);
        }
        if (!is_code_point(code) || (length == 3 && code < 0x800) || (length == 4 && code < 0x10000)) return false;
        f(code);
        at += length;
    }
    return true;
}
inline bool is_utf8(std::string_view text) {
    return for_each_code_point(text, [](std::uint32_t) {});
}

} // namespace tx::detail
