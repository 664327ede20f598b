// tx::plot::image_grid shows images side by side, with a caption under each.
#pragma once

#include <tracexpr/plot/numbers.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tx::plot {

// The options of image_grid.
struct image_options {
    std::string title = {};
    int columns = 0;  // 0: about as many as there are rows
    double pixel = 0; // the size of an image's pixel in the picture; 0: chosen so that images are about 80 wide
};

namespace detail {
struct captioned_image {
    std::int64_t width, height;
    int channels;
    std::string bytes, caption, colour;
};
} // namespace detail

// Shows images side by side, with captions: add(image, caption, colour), to_svg(), save(path).
class image_grid {
public:
    explicit image_grid(image_options options = {}) : options_{std::move(options)} {}

    // Adds an image: (height, width) or (height, width, 1) is grey, (height, width, 3) is red, green and blue. uint8 has values
    // from 0 to 255, other dtypes from 0 to 1; values outside are clamped, and NaN is 0. Throws shape_error for other shapes.
    // Returns *this.
    template <class T, class Shape>
    image_grid& add(tensor<T, Shape> const& image, std::string caption = {}, std::string colour = "#222") {
        constexpr double scale = std::is_same_v<T, std::uint8_t> ? 1 : 255;
        return add_values(image.dimensions(), detail::values_of(image), scale, std::move(caption), std::move(colour));
    }

    std::string to_svg() const;
    // Writes the picture to a file. Throws tx::error if the file can't be written.
    void save(std::string const& path) const;

private:
    // Adds values of an image of this shape, which are multiplied by `scale` to have bytes. Returns *this.
    image_grid& add_values(dims const& shape, std::vector<double> const& values, double scale, std::string&& caption,
                           std::string&& colour);

    image_options options_;
    std::vector<detail::captioned_image> all_;
};

} // namespace tx::plot

#if TRACEXPR_HAS_BODIES
#include <tracexpr/plot/images_bodies.hpp>
#endif
