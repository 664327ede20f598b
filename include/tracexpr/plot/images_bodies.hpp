// This file holds the bodies of plot/images.hpp.
#pragma once

#include <tracexpr/plot/images.hpp>
#include <tracexpr/plot/picture.hpp>
#include <tracexpr/plot/png.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tx::plot {

namespace detail {

inline constexpr double image_gap = 8;

inline void add_image(std::string& out, captioned_image const& e, double middle, double y, double pixel, double to_caption) {
    double const width = static_cast<double>(e.width) * pixel, height = static_cast<double>(e.height) * pixel;
    if (!e.bytes.empty())
        out += "<image x=\"" + coordinate(middle - width / 2) + "\" y=\"" + coordinate(y) + "\" width=\"" + coordinate(width) +
               "\" height=\"" + coordinate(height) + "\" style=\"image-rendering:pixelated\" href=\"data:image/png;base64," +
               base64(png(e.width, e.height, e.channels, e.bytes)) + "\"/>\n";
    if (!e.caption.empty())
        out += text_element(middle, y + to_caption, "middle", e.caption, " fill=\"" + xml_text(e.colour) + '"');
}

} // namespace detail

TRACEXPR_BODY image_grid& image_grid::add_values(dims const& shape, std::vector<double> const& values, double scale,
                                                 std::string&& caption, std::string&& colour) {
    if ((shape.rank != 2 && shape.rank != 3) || (shape.rank == 3 && shape[2] != 1 && shape[2] != 3))
        throw shape_error("tx: plot::image_grid::add: an image must be (height, width), (height, width, 1) or (height, width, "
                          "3); given " +
                          to_string(shape));
    std::string bytes;
    for (double const value : values)
        bytes +=
            static_cast<char>(static_cast<unsigned char>(std::isnan(value) ? 0 : std::clamp(value * scale, 0.0, 255.0) + 0.5));
    int const channels = shape.rank == 3 ? static_cast<int>(shape[2]) : 1;
    all_.push_back({shape[1], shape[0], channels, std::move(bytes), std::move(caption), std::move(colour)});
    return *this;
}
TRACEXPR_BODY std::string image_grid::to_svg() const {
    double widest = 1, highest = 1;
    std::size_t longest = 0;
    for (detail::captioned_image const& e : all_) {
        widest = std::max(widest, static_cast<double>(e.width)), highest = std::max(highest, static_cast<double>(e.height));
        longest = std::max(longest, tx::detail::shown_characters(e.caption));
    }
    double const pixel = options_.pixel > 0 ? options_.pixel : std::max(80 / widest, 1.0);
    double const cell = std::max(widest * pixel, static_cast<double>(longest) * 7.5) + detail::image_gap;
    double const line = longest > 0 ? 20 : 0, row = highest * pixel + line + detail::image_gap,
                 head = options_.title.empty() ? 0 : 30;
    std::size_t const count = all_.size(), square = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(count))));
    std::size_t const wanted = options_.columns > 0 ? static_cast<std::size_t>(options_.columns) : square;
    std::size_t const columns = std::max<std::size_t>(std::min(wanted, count), 1), rows = (count + columns - 1) / columns;
    double const width = std::max(cell * static_cast<double>(columns) + detail::image_gap,
                                  7.5 * static_cast<double>(options_.title.size()) + detail::image_gap);
    std::string out = detail::picture_head(width, row * static_cast<double>(rows) + detail::image_gap + head);
    if (head > 0) out += detail::text_element(width / 2, 24, "middle", options_.title, " font-size=\"16\"");
    for (std::size_t k = 0; k < count; ++k) {
        double const middle = detail::image_gap / 2 + cell * (static_cast<double>(k % columns) + 0.5);
        detail::add_image(out, all_[k], middle, head + detail::image_gap + row * static_cast<double>(k / columns), pixel,
                          highest * pixel + 15);
    }
    return out + "</svg>\n";
}
TRACEXPR_BODY void image_grid::save(std::string const& path) const { detail::write_file(path, to_svg()); }

} // namespace tx::plot
