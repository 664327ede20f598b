// This file computes convolutions by register tiles that read x where it lies. Each row of the matrix product is one place of the
// window, whose elements are in a few contiguous runs, so x is never copied to a matrix of windows. Where windows reach beyond x,
// a copy with zeros around it is read. (M. Dukhan, The Indirect Convolution Algorithm, 2019, with pointers to rows in place of
// pixels)
#pragma once

#include <tracexpr/backends/contractions/matmul_blocked.hpp>
#include <tracexpr/conv/geometry.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

using tx::detail::convolution_geometry;

// Computes Rows x (Vectors * W) elements of y, as = or +=, from the product of a window's runs and a panel of w (k x Vectors *
// W).
template <class T, int W, int Rows, int Vectors, class = std::make_integer_sequence<int, Rows>,
          class = std::make_integer_sequence<int, Vectors>>
struct run_tile;
template <class T, int W, int Rows, int Vectors, int... Row, int... Vector>
struct run_tile<T, W, Rows, Vectors, std::integer_sequence<int, Row...>, std::integer_sequence<int, Vector...>> {
    using own = tile<T, W, Rows, Vectors>;
    using vector = lanes<T, W>;

    // Computes the tile from `count` runs, one after the other; each has `steps` elements and begins at runs[r] in each row.
    static TRACEXPR_NOINLINE void run(std::int64_t const* runs, std::int64_t count, std::int64_t steps, T const* const* from,
                                      T const* w, T* y, std::int64_t y_stride, bool accumulate) {
        vector sums[Rows][Vectors] = {};
        for (std::int64_t r = 0; r < count; ++r) {
            T const* const rows[Rows] = {from[Row] + runs[r]...};
            for (std::int64_t step = 0; step < steps; ++step, w += Vectors * W) {
                vector const row_of_w[Vectors] = {load<W>(w + Vector * W)...};
                (own::add_row(sums[Row], row_of_w, rows[Row][step]), ...);
            }
        }
        (own::store_row(sums[Row], y + Row * y_stride, accumulate), ...);
    }
};
template <class T> using run_function = void (*)(std::int64_t const* runs, std::int64_t count, std::int64_t steps,
                                                 T const* const* from, T const* w, T* y, std::int64_t y_stride, bool accumulate);
template <class T, int W, int Vectors, int... Row> constexpr auto run_tiles_of_width(std::integer_sequence<int, Row...>) {
    return std::array<run_function<T>, sizeof...(Row)>{run_tile<T, W, Row + 1, Vectors>::run...};
}
template <class T, class Arch> inline constexpr std::array run_tiles{
    run_tiles_of_width<T, native_lanes<T, Arch>, 1>(std::make_integer_sequence<int, tile_rows<Arch>>{}),
    run_tiles_of_width<T, native_lanes<T, Arch>, 2>(std::make_integer_sequence<int, tile_rows<Arch>>{})};

// window_runs holds the runs that a window is made of, in elements of the padded x; taps that are contiguous form one run.
struct window_runs {
    std::vector<std::int64_t> offsets;
    std::int64_t steps = 0;

    // This many steps of a panel of w stay in the L1 cache, and this many rows of w in the L2 cache.
    static std::int64_t most_steps(convolution_geometry const& g) {
        return std::clamp<std::int64_t>(65536 / std::max<std::int64_t>(1, g.filters_of_group()), 32, 320);
    }

    explicit window_runs(convolution_geometry const& g) {
        bool const joins = g.groups == 1 && g.dilation[2] == 1;
        steps = (joins ? g.window[2] : 1) * g.channels_of_group();
        std::int64_t tap = 0;
        constexpr std::int64_t least_steps = 16;
        std::int64_t parts = 1; // the parts of a run that is too long
        while (parts < steps && (steps % parts != 0 || steps / parts > most_steps(g))) ++parts;
        if (steps / parts < least_steps) parts = 1;
        steps /= parts;
        g.for_each_tap([&](std::int64_t place) {
            for (std::int64_t part = 0; part < parts; ++part)
                if (!joins || tap % g.window[2] == 0) offsets.push_back(place + part * steps);
            ++tap;
        });
    }
};

// Copies x of one example with zeros around it.
template <class T> void pad_example(convolution_geometry const& g, T const* x, T* to) {
    std::fill_n(to, g.stored_elements(), T(0));
    g.for_each_row_inside([&](std::int64_t from, std::int64_t at, std::int64_t count) { std::copy_n(x + from, count, to + at); });
}

// This computes the rows of y of `examples` examples for one group, from padded examples of x.
template <class T, class Arch> class convolved_group {
public:
    convolved_group(convolution_geometry const& g, window_runs const& runs) : g_{g}, runs_{runs} {
        for (std::int64_t i = 0; i < g.positions(); ++i) places_.push_back(g.window_place(i));
        std::int64_t const per_run = std::max<std::int64_t>(1, runs.steps);
        runs_at_once_ = std::clamp<std::int64_t>(window_runs::most_steps(g) / per_run, 1, std::max<std::int64_t>(1, count()));
        columns_ = (g.filters_of_group() + one - 1) / one * one;
        panels_.resize(static_cast<std::size_t>(runs_at_once_ * per_run * columns_));
    }

    void run(std::int64_t group, std::int64_t examples, T const* x, std::int64_t x_stride, T const* w, T* y) {
        std::int64_t const f = g_.filters_of_group(), rows = examples * g_.positions();
        // What this many rows read of x stays in the L2 cache.
        std::int64_t const block =
            std::max<std::int64_t>(tile_rows<Arch> * 8, block_elements / std::max<std::int64_t>(1, row_reach()));
        for (std::int64_t row = 0; row < rows; row += block) {
            std::int64_t const block_rows = std::min(block, rows - row);
            starts_.clear();
            for (std::int64_t r = row; r < row + block_rows; ++r)
                starts_.push_back(x + r / g_.positions() * x_stride + places_[static_cast<std::size_t>(r % g_.positions())] +
                                  group * g_.channels_of_group());
            for (std::int64_t run = 0; run < count(); run += runs_at_once_) {
                std::int64_t const runs = std::min(runs_at_once_, count() - run), k = runs * runs_.steps;
                pack(w + run * runs_.steps * g_.filters + group * f, k, f);
                for (std::int64_t column = 0; column < f; column += width)
                    multiply(run, runs, panels_.data() + column * k, std::min<std::int64_t>(width, f - column),
                             y + row * g_.filters + group * f + column, block_rows);
            }
        }
    }

private:
    static constexpr int one = native_lanes<T, Arch>, width = tile_vectors * one;
    static constexpr std::int64_t block_elements = 262144 / static_cast<std::int64_t>(sizeof(T));

    std::int64_t count() const { return static_cast<std::int64_t>(runs_.offsets.size()); }
    // Gives the number of elements of x that one more row adds.
    std::int64_t row_reach() const { return g_.channels * g_.stride[2] * std::min(g_.stride[1], g_.window[1]); }

    void multiply(std::int64_t first, std::int64_t runs, T const* panel_of_w, std::int64_t used, T* y, std::int64_t rows) {
        std::int64_t const vectors = (used + one - 1) / one;
        std::int64_t const panels = (rows + tile_rows<Arch> - 1) / tile_rows<Arch>;
        T edge[static_cast<std::size_t>(tile_rows<Arch> * width)];
        for (std::int64_t panel = 0; panel < panels; ++panel) {
            std::int64_t const row = rows * panel / panels, height = rows * (panel + 1) / panels - row;
            auto const kernel = run_tiles<T, Arch>[static_cast<std::size_t>(vectors - 1)][static_cast<std::size_t>(height - 1)];
            T const* const* const starts = starts_.data() + row;
            T* const to = y + row * g_.filters;
            if (used == vectors * one) {
                kernel(runs_.offsets.data() + first, runs, runs_.steps, starts, panel_of_w, to, g_.filters, first > 0);
                continue;
            }
            kernel(runs_.offsets.data() + first, runs, runs_.steps, starts, panel_of_w, edge, width, false);
            for (std::int64_t i = 0; i < height; ++i)
                for (std::int64_t j = 0; j < used; ++j) {
                    T& sum = to[i * g_.filters + j];
                    sum = first > 0 ? sum + edge[i * width + j] : edge[i * width + j];
                }
        }
    }
    // Packs rows of w, read in their order, as panels of `width` columns one behind the other; the last panel has zeros for
    // missing columns.
    void pack(T const* from, std::int64_t k, std::int64_t f) {
        for (std::int64_t step = 0; step < k; ++step, from += g_.filters)
            for (std::int64_t column = 0; column < f; column += width) {
                std::int64_t const columns = std::min<std::int64_t>(width, columns_ - column),
                                   used = std::min(columns, f - column);
                T* const to = panels_.data() + column * k + step * columns;
                if (used == width) {
                    for (int v = 0; v < width; v += one) store<one>(to + v, load<one>(from + column + v));
                } else {
                    std::copy_n(from + column, used, to);
                    std::fill(to + used, to + columns, T(0));
                }
            }
    }

    convolution_geometry const& g_;
    window_runs const& runs_;
    std::int64_t runs_at_once_ = 1, columns_ = 0; // columns_ counts the columns of w, with those that fill the last vector.
    std::vector<std::int64_t> places_;            // the places of the windows in a padded example
    std::vector<T const*> starts_;
    std::vector<T> panels_;
};

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
