// tx::plot::lines draws lines over an axis: losses, measurements, and curves that were fitted to them.
#pragma once

#include <tracexpr/plot/numbers.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tx::plot {

// This is the scale of an axis.
enum class scale { linear, log };

// The options of tx::plot::lines: title, labels, scales and size.
struct lines_options {
    std::string title = {}, x_label = {}, y_label = {};
    scale x_scale = scale::linear, y_scale = scale::linear;
    double first_x = 0; // the first x of series without x, whose points are 1 apart
    int width = 640, height = 400;
};

namespace detail {
struct series {
    std::string label;
    std::vector<double> x, y;
    bool is_points;
};
} // namespace detail

// Draws series of points as lines. Values that are not finite, or not positive on a logarithmic axis, are gaps in their line.
class lines {
public:
    explicit lines(lines_options options = {}) : options_{std::move(options)} {}

    // Adds a tensor or range of numbers, at x = first_x, first_x + 1, ... Returns *this.
    template <detail::numbers Y> lines& add(std::string label, Y const& y) {
        return add_values(std::move(label), detail::values_of(y));
    }
    // Adds a line with the points (x, y). Throws shape_error unless there are as many x as y.
    template <detail::numbers X, detail::numbers Y> lines& add(std::string label, X const& x, Y const& y) {
        return add_series(std::move(label), detail::values_of(x), detail::values_of(y), false);
    }
    // Adds the points (x, y) as dots without a line.
    template <detail::numbers X, detail::numbers Y> lines& add_points(std::string label, X const& x, Y const& y) {
        return add_series(std::move(label), detail::values_of(x), detail::values_of(y), true);
    }

    std::string to_svg() const;
    // Writes the picture to a file. Throws tx::error if the file can't be written.
    void save(std::string const& path) const;

private:
    // These return *this. Values without x are 1 apart.
    lines& add_values(std::string&& label, std::vector<double>&& values);
    lines& add_series(std::string&& label, std::vector<double>&& x, std::vector<double>&& y, bool is_points);

    lines_options options_;
    std::vector<detail::series> series_;
};

} // namespace tx::plot

#if TRACEXPR_HAS_BODIES
#include <tracexpr/plot/lines_bodies.hpp>
#endif
