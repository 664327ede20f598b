// tx::plot::image_grid shows images side by side, with a caption under each.
#pragma once

#include <tracexpr/plot/picture.hpp>
#include <tracexpr/plot/png.hpp>

namespace tx::plot {

// The options of image_grid.
struct image_options {
    std::string title = {};
    int columns = 0;  // 0: about as many as there are rows
    double pixel = 0; // the size of an image's pixel in the picture; 0: chosen so that images are about 80 wide
};

// Shows images side by side, with captions: add(image, caption, colour), to_svg(), save(path).
class image_grid {
public:
    explicit image_grid(image_options options = {}) : options_{std::move(options)} {}

    // Adds an image: (height, width) or (height, width, 1) is grey, (height, width, 3) is red, green and blue. uint8 has values
    // from 0 to 255, other dtypes from 0 to 1; values outside are clamped, and NaN is 0. Throws shape_error for other shapes.
    // Returns *this.
    template <class T, class Shape>
    image_grid& add(tensor<T, Shape> const& image, std::string caption = {}, std::string colour = "#222") {
        dims const d = image.dimensions();
        if ((d.rank != 2 && d.rank != 3) || (d.rank == 3 && d[2] != 1 && d[2] != 3))
            throw shape_error(
                "tx: plot::image_grid::add: an image must be (height, width), (height, width, 1) or (height, width, "
                "3); given " +
                to_string(d));
        double const most = std::is_same_v<T, std::uint8_t> ? 1 : 255;
        std::string bytes;
        for (double const value : detail::values_of(image))
            bytes +=
                static_cast<char>(static_cast<unsigned char>(std::isnan(value) ? 0 : std::clamp(value * most, 0.0, 255.0) + 0.5));
        int const channels = d.rank == 3 ? static_cast<int>(d[2]) : 1;
        all_.push_back({d[1], d[0], channels, std::move(bytes), std::move(caption), std::move(colour)});
        return *this;
    }

    std::string to_svg() const {
        double widest = 1, highest = 1;
        std::size_t longest = 0;
        for (entry const& e : all_) {
            widest = std::max(widest, static_cast<double>(e.width)), highest = std::max(highest, static_cast<double>(e.height));
            longest = std::max(longest, tx::detail::shown_characters(e.caption));
        }
        double const pixel = options_.pixel > 0 ? options_.pixel : std::max(80 / widest, 1.0);
        double const cell = std::max(widest * pixel, static_cast<double>(longest) * 7.5) + gap;
        double const line = longest > 0 ? 20 : 0, row = highest * pixel + line + gap, head = options_.title.empty() ? 0 : 30;
        std::size_t const count = all_.size(),
                          square = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(count))));
        std::size_t const wanted = options_.columns > 0 ? static_cast<std::size_t>(options_.columns) : square;
        std::size_t const columns = std::max<std::size_t>(std::min(wanted, count), 1), rows = (count + columns - 1) / columns;
        double const width =
            std::max(cell * static_cast<double>(columns) + gap, 7.5 * static_cast<double>(options_.title.size()) + gap);
        std::string out = detail::picture_head(width, row * static_cast<double>(rows) + gap + head);
        if (head > 0) out += detail::text_element(width / 2, 24, "middle", options_.title, " font-size=\"16\"");
        for (std::size_t k = 0; k < count; ++k) {
            double const middle = gap / 2 + cell * (static_cast<double>(k % columns) + 0.5);
            add_entry(out, all_[k], middle, head + gap + row * static_cast<double>(k / columns), pixel, highest * pixel + 15);
        }
        return out + "</svg>\n";
    }
    // Writes the picture to a file. Throws tx::error if the file can't be written.
    void save(std::string const& path) const { detail::write_file(path, to_svg()); }

private:
    static constexpr double gap = 8;
    struct entry {
        std::int64_t width, height;
        int channels;
        std::string bytes, caption, colour;
    };
    static void add_entry(std::string& out, entry const& e, double middle, double y, double pixel, double to_caption) {
        double const width = static_cast<double>(e.width) * pixel, height = static_cast<double>(e.height) * pixel;
        if (!e.bytes.empty())
            out += "<image x=\"" + detail::coordinate(middle - width / 2) + "\" y=\"" + detail::coordinate(y) + "\" width=\"" +
                   detail::coordinate(width) + "\" height=\"" + detail::coordinate(height) +
                   "\" style=\"image-rendering:pixelated\" href=\"data:image/png;base64," +
                   detail::base64(detail::png(e.width, e.height, e.channels, e.bytes)) + "\"/>\n";
        if (!e.caption.empty())
            out +=
                detail::text_element(middle, y + to_caption, "middle", e.caption, " fill=\"" + detail::xml_text(e.colour) + '"');
    }

    image_options options_;
    std::vector<entry> all_;
};

} // namespace tx::plot
