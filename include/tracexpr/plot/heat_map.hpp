// tx::plot::heat_map draws a matrix as colours, such as a confusion matrix.
#pragma once

#include <tracexpr/plot/numbers.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tx::plot {

// The options of heat_map.
struct heat_map_options {
    std::string title = {}, x_label = {}, y_label = {};
    std::vector<std::string> columns = {}, rows = {}; // names; by default numbers, if there are at most 32
    double cell = 0;                                  // 0: chosen so that the map is about 400 wide, and cells are 4 to 40
};

// Draws a matrix as coloured cells. Throws shape_error for other ranks.
class heat_map {
public:
    // Draws (rows, columns), from dark (the least element) to light (the greatest); NaN and infinities are grey. Small matrices
    // have their numbers written on them. Throws shape_error if the matrix or the names don't fit.
    template <class T, class Shape> explicit heat_map(tensor<T, Shape> const& matrix, heat_map_options options = {})
        : options_{std::move(options)} {
        take_shape(matrix.dimensions());
        values_ = detail::values_of(matrix);
    }

    std::string to_svg() const;
    // Writes the picture to a file. Throws tx::error if the file can't be written.
    void save(std::string const& path) const;

private:
    void take_shape(dims const& shape);

    heat_map_options options_;
    std::int64_t rows_ = 0, columns_ = 0;
    std::vector<double> values_;
};

} // namespace tx::plot

#if TRACEXPR_HAS_BODIES
#include <tracexpr/plot/heat_map_bodies.hpp>
#endif
