// This file writes text and numbers for SVG and HTML.
#pragma once

#include <tracexpr/base/config.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace tx::detail {

// Gives the number of bytes of the character at the front in UTF-8, or 0 if XML may not hold it.
TRACEXPR_ONCE std::size_t xml_character(std::string_view text) {
    auto const byte = [&](std::size_t k) { return static_cast<unsigned>(static_cast<unsigned char>(text[k])); };
    unsigned const first = byte(0);
    if (first < 0x80) return first >= 0x20 || first == '\n' || first == '\t' ? 1 : 0;
    std::size_t const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
    if (length == 0 || first > 0xf4 || text.size() < length) return 0;
    unsigned code = first & (0x7fu >> length);
    for (std::size_t k = 1; k < length; ++k) {
        if ((byte(k) & 0xc0u) != 0x80) return 0;
        code = code << 6 | (byte(k) & 0x3fu);
    }
    unsigned const least = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
    bool const is_surrogate = code >= 0xd800 && code <= 0xdfff, is_none = code == 0xfffe || code == 0xffff;
    return code >= least && code <= 0x10ffff && !is_surrogate && !is_none ? length : 0;
}
// Gives a text for the inside of an element or of an attribute in double quotes. Characters that XML may not hold become '?'.
TRACEXPR_ONCE std::string xml_text(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        std::size_t const length = xml_character(text);
        if (length == 0) out += '?';
        else if (text[0] == '&') out += "&amp;";
        else if (text[0] == '<') out += "&lt;";
        else if (text[0] == '>') out += "&gt;";
        else if (text[0] == '"') out += "&quot;";
        else out += text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}
// Gives the number of characters that a text shows.
TRACEXPR_ONCE std::size_t shown_characters(std::string_view text) {
    std::size_t count = 0;
    for (char const c : text) count += (static_cast<unsigned char>(c) & 0xc0u) != 0x80;
    return count;
}

// Gives a coordinate as text; a tenth of a pixel is enough.
TRACEXPR_ONCE std::string coordinate(double value) {
    double const tenths = std::round(value * 10) / 10;
    char out[64];
    int const length = std::snprintf(out, sizeof out, "%.1f", tenths == 0 ? 0.0 : tenths);
    std::string text(out, static_cast<std::size_t>(length));
    if (text.ends_with(".0")) text.resize(text.size() - 2);
    return text;
}

TRACEXPR_ONCE std::string svg_head(double width, double height, std::string_view font, int font_size) {
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + coordinate(width) + "\" height=\"" + coordinate(height) +
           "\" viewBox=\"0 0 " + coordinate(width) + ' ' + coordinate(height) + "\" font-family=\"" + std::string(font) +
           "\" font-size=\"" + std::to_string(font_size) + "\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
}

} // namespace tx::detail
