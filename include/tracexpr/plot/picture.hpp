// These helpers are shared by all pictures: ticks of axes, colours, elements of SVG, and writing a file.
#pragma once

#include <tracexpr/base/error.hpp>
#include <tracexpr/base/xml.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace tx::plot::detail {

using tx::detail::coordinate;
using tx::detail::xml_text;

// Formats a number with four digits, such as "0.25" or "1e-05".
inline std::string short_number(double value) {
    char out[64];
    return {out, static_cast<std::size_t>(std::snprintf(out, sizeof out, "%.4g", value == 0 ? 0.0 : value))};
}

// An axis ranges from `low` to `high` and has ticks at multiples of 1, 2 or 5 times a power of ten (Heckbert, Nice Numbers for
// Graph Labels, Graphics Gems, 1990), or at powers of ten.
struct axis_ticks {
    double low = 0, high = 1;
    std::vector<double> at;
};
inline axis_ticks linear_ticks(double low, double high, int wanted) {
    if (!(high > low)) {
        double const room = low == 0 ? 1 : std::abs(low) * 0.1;
        low -= room, high += room;
    }
    double const rough = (high - low) / wanted, power = std::pow(10.0, std::floor(std::log10(rough))), part = rough / power;
    double const step = power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
    axis_ticks out{low, high, {}};
    for (double k = std::ceil(low / step - 1e-9); k <= high / step + 1e-9 && out.at.size() < 100; ++k) out.at.push_back(k * step);
    return out;
}
// Chooses the ticks of a logarithmic axis of positive numbers; with fewer than two decades there are ticks at 2 and 5 times a
// power of ten, too.
inline axis_ticks log_ticks(double low, double high) {
    if (!(high > low)) low /= 2, high *= 2;
    axis_ticks out{low, high, {}};
    double const first = std::floor(std::log10(low)), decades = std::log10(high / low);
    int const each = decades > 8 ? static_cast<int>(decades / 6) : 1;
    for (double power = first; power <= std::log10(high) + 1e-9; power += each)
        for (double const part : {1.0, 2.0, 5.0}) {
            double const value = part * std::pow(10.0, power);
            if ((part == 1.0 || decades < 2) && value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) out.at.push_back(value);
        }
    return out;
}

inline std::string text_element(double x, double y, char const* anchor, std::string const& text,
                                std::string const& attributes = {}) {
    return "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" text-anchor=\"" + anchor + '"' + attributes + '>' +
           xml_text(text) + "</text>\n";
}
inline std::string line_element(double x, double y, double to_x, double to_y, char const* colour) {
    return "<path d=\"M" + coordinate(x) + ' ' + coordinate(y) + 'L' + coordinate(to_x) + ' ' + coordinate(to_y) +
           "\" stroke=\"" + colour + "\"/>\n";
}
inline std::string picture_head(double width, double height) { return tx::detail::svg_head(width, height, "sans-serif", 13); }

struct colour {
    unsigned char red = 0, green = 0, blue = 0;
    double lightness() const { return 0.3 * red + 0.6 * green + 0.1 * blue; }
};
// Returns a colour of Matplotlib's viridis for 0 to 1, interpolated between nine of its colours. NaN is grey.
inline colour viridis(double at) {
    static constexpr colour stops[]{{68, 1, 84},    {71, 44, 122}, {59, 81, 139},  {44, 113, 142}, {33, 144, 141},
                                    {39, 173, 129}, {92, 200, 99}, {170, 220, 50}, {253, 231, 37}};
    if (std::isnan(at)) return {200, 200, 200};
    double const place = std::clamp(at, 0.0, 1.0) * (std::size(stops) - 1);
    std::size_t const k = std::min(static_cast<std::size_t>(place), std::size(stops) - 2);
    double const part = place - static_cast<double>(k);
    auto const mix = [&](unsigned char a, unsigned char b) { return static_cast<unsigned char>(a + (b - a) * part + 0.5); };
    return {mix(stops[k].red, stops[k + 1].red), mix(stops[k].green, stops[k + 1].green), mix(stops[k].blue, stops[k + 1].blue)};
}

inline void write_file(std::string const& path, std::string const& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) throw error("tx: plot: the file must be one that can be written; given " + path);
}

} // namespace tx::plot::detail
