// This file holds the bodies of plot/heat_map.hpp.
#pragma once

#include <tracexpr/plot/heat_map.hpp>
#include <tracexpr/plot/picture.hpp>
#include <tracexpr/plot/png.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace tx::plot {

namespace detail {

class heat_map_drawing {
public:
    heat_map_drawing(heat_map_options const& options, std::int64_t rows, std::int64_t columns, std::vector<double> const& values)
        : options_{options}, rows_{rows}, columns_{columns}, values_{values} {}
    std::string run() const {
        double const longest = static_cast<double>(std::max(columns_, std::int64_t{1}));
        double const cell = options_.cell > 0 ? options_.cell : std::clamp(400 / longest, 4.0, 40.0);
        double const top = 50, width = cell * static_cast<double>(columns_), height = cell * static_cast<double>(rows_);
        std::size_t names = 2;
        for (std::string const& name : options_.rows) names = std::max(names, tx::detail::shown_characters(name));
        double const left = 30 + 8 * static_cast<double>(names);
        std::string out = picture_head(left + width + 100, top + height + 30);
        out += text_element(left + width / 2, 20, "middle", options_.title, " font-size=\"16\"");
        double least = 0, most = 0;
        find_range(least, most);
        auto const part = [&](double value) {
            return !std::isfinite(value) ? NAN : most > least ? (value - least) / (most - least) : 0.5;
        };
        add_pixels(out, left, top, width, height, columns_, rows_, [&](std::size_t k) { return part(values_[k]); });
        if (cell >= 20) add_numbers(out, left, top, cell, part);
        add_names(out, left, top, cell);
        add_bar(out, left + width + 20, top, height, least, most);
        return out + "</svg>\n";
    }

private:
    void find_range(double& least, double& most) const {
        bool found = false;
        for (double const value : values_) {
            if (!std::isfinite(value)) continue;
            least = found ? std::min(least, value) : value, most = found ? std::max(most, value) : value, found = true;
        }
    }
    template <class Part> static void add_pixels(std::string& out, double x, double y, double width, double height,
                                                 std::int64_t columns, std::int64_t rows, Part const& part) {
        if (columns * rows == 0) return;
        std::string bytes;
        for (std::size_t k = 0; k < static_cast<std::size_t>(columns * rows); ++k) {
            colour const c = viridis(part(k));
            for (unsigned char const byte : {c.red, c.green, c.blue}) bytes += static_cast<char>(byte);
        }
        out += "<image x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" width=\"" + coordinate(width) + "\" height=\"" +
               coordinate(height) +
               "\" preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" href=\"data:image/png;base64," +
               base64(png(columns, rows, 3, bytes)) + "\"/>\n";
    }
    template <class Part> void add_numbers(std::string& out, double left, double top, double cell, Part const& part) const {
        for (std::size_t k = 0; k < values_.size(); ++k) {
            bool const is_light = viridis(part(values_[k])).lightness() > 128;
            auto const columns = static_cast<std::size_t>(columns_);
            out += text_element(left + cell * (static_cast<double>(k % columns) + 0.5),
                                top + cell * (static_cast<double>(k / columns) + 0.5) + 4, "middle", short_number(values_[k]),
                                is_light ? " font-size=\"11\"" : " font-size=\"11\" fill=\"white\"");
        }
    }
    void add_names(std::string& out, double left, double top, double cell) const {
        constexpr std::int64_t most = 32;
        auto const name = [](std::vector<std::string> const& names, std::int64_t k) {
            return names.empty() ? std::to_string(k) : names[static_cast<std::size_t>(k)];
        };
        for (std::int64_t k = 0; k < columns_ && (columns_ <= most || !options_.columns.empty()); ++k)
            out += text_element(left + cell * (static_cast<double>(k) + 0.5), top - 5, "middle", name(options_.columns, k));
        for (std::int64_t k = 0; k < rows_ && (rows_ <= most || !options_.rows.empty()); ++k)
            out += text_element(left - 5, top + cell * (static_cast<double>(k) + 0.5) + 4, "end", name(options_.rows, k));
        double const middle = top + cell * static_cast<double>(rows_) / 2;
        if (!options_.x_label.empty())
            out += text_element(left + cell * static_cast<double>(columns_) / 2, top + cell * static_cast<double>(rows_) + 20,
                                "middle", options_.x_label);
        if (!options_.y_label.empty())
            out +=
                text_element(16, middle, "middle", options_.y_label, " transform=\"rotate(-90 16 " + coordinate(middle) + ")\"");
    }
    // Adds the colour bar.
    static void add_bar(std::string& out, double x, double y, double height, double least, double most) {
        constexpr std::int64_t steps = 64;
        add_pixels(out, x, y, 14, height, 1, height > 0 ? steps : 0,
                   [](std::size_t k) { return 1 - static_cast<double>(k) / static_cast<double>(steps - 1); });
        out += text_element(x + 18, y + 10, "start", short_number(most));
        out += text_element(x + 18, y + height, "start", short_number(least));
    }

    heat_map_options const& options_;
    std::int64_t rows_, columns_;
    std::vector<double> const& values_;
};

inline void require_names(char const* axis_name, std::size_t given, std::int64_t wanted) {
    if (given != 0 && static_cast<std::int64_t>(given) != wanted)
        throw shape_error("tx: plot::heat_map: there must be a name for each of the " + std::to_string(wanted) + ' ' + axis_name +
                          ", or none; given " + std::to_string(given));
}

} // namespace detail

TRACEXPR_BODY void heat_map::take_shape(dims const& shape) {
    if (shape.rank != 2) throw shape_error("tx: plot::heat_map: takes a matrix; given " + to_string(shape));
    detail::require_names("rows", options_.rows.size(), shape[0]);
    detail::require_names("columns", options_.columns.size(), shape[1]);
    rows_ = shape[0], columns_ = shape[1];
}
TRACEXPR_BODY std::string heat_map::to_svg() const { return detail::heat_map_drawing(options_, rows_, columns_, values_).run(); }
TRACEXPR_BODY void heat_map::save(std::string const& path) const { detail::write_file(path, to_svg()); }

} // namespace tx::plot
