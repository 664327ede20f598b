// This file has what the kernels of op::convolution know of a call: the extents of x, window and y with three spatial axes, of
// which leading ones may have an extent of 1, and the places of one example's elements.
#pragma once

#include <tracexpr/graph/routine_rules.hpp>
#include <tracexpr/graph/routines.hpp>

#include <cstdint>

namespace tx::detail {

struct convolution_geometry {
    static constexpr int axes = convolution_form::most_axes;

    std::int64_t x[axes]{1, 1, 1}, window[axes]{1, 1, 1}, y[axes]{1, 1, 1};
    std::int64_t stride[axes]{1, 1, 1}, dilation[axes]{1, 1, 1}, before[axes]{}, after[axes]{};
    std::int64_t groups = 1, channels = 0, filters = 0; // the numbers of all groups together

    std::int64_t channels_of_group() const { return channels / groups; }
    std::int64_t filters_of_group() const { return filters / groups; }
    std::int64_t positions() const { return y[0] * y[1] * y[2]; }
    std::int64_t taps() const { return window[0] * window[1] * window[2]; }
    std::int64_t x_elements() const { return x[0] * x[1] * x[2] * channels; }
    std::int64_t y_elements() const { return positions() * filters; }
    std::int64_t w_elements() const { return taps() * channels_of_group() * filters; }
    // Gives the number of products in the sum that a result is.
    std::int64_t terms() const { return taps() * channels_of_group(); }
    // Gives the extent over which windows reach, from `before` elements in front of x on.
    std::int64_t reached(int k) const { return (y[k] - 1) * stride[k] + (window[k] - 1) * dilation[k] + 1; }
    // Tells whether windows reach beyond x, so that kernels read a copy of it with zeros around.
    bool is_padded() const {
        for (int k = 0; k < axes; ++k)
            if (before[k] != 0 || reached(k) > x[k]) return true;
        return false;
    }
    // The extents of what kernels read, which is the copy or x.
    std::int64_t stored[axes]{1, 1, 1};
    void settle() {
        bool const copied = is_padded();
        for (int k = 0; k < axes; ++k) stored[k] = copied ? reached(k) : x[k];
    }
    std::int64_t stored_elements() const { return stored[0] * stored[1] * stored[2] * channels; }
    // Gives the place of an element in what kernels read.
    std::int64_t place(std::int64_t a, std::int64_t b, std::int64_t c) const {
        return ((a * stored[1] + b) * stored[2] + c) * channels;
    }
    // Calls f for each tap of the window with its distance from the window's first element.
    template <class F> void for_each_tap(F const& f) const {
        for (std::int64_t a = 0; a < window[0]; ++a)
            for (std::int64_t b = 0; b < window[1]; ++b)
                for (std::int64_t c = 0; c < window[2]; ++c) f(place(a * dilation[0], b * dilation[1], c * dilation[2]));
    }
    // Gives the place of the first element of window number i.
    std::int64_t window_place(std::int64_t i) const {
        return place(i / (y[1] * y[2]) * stride[0], i / y[2] % y[1] * stride[1], i % y[2] * stride[2]);
    }
    // Calls f(place in x, place in the padded copy, number of elements) for each row of x that windows reach.
    template <class F> void for_each_row_inside(F const& f) const {
        std::int64_t first[axes], last[axes];
        for (int k = 0; k < axes; ++k) {
            first[k] = before[k] < 0 ? -before[k] : 0;
            last[k] = x[k] < reached(k) - before[k] ? x[k] : reached(k) - before[k];
            if (first[k] >= last[k]) return;
        }
        for (std::int64_t a = first[0]; a < last[0]; ++a)
            for (std::int64_t b = first[1]; b < last[1]; ++b)
                f(((a * x[1] + b) * x[2] + first[2]) * channels, place(a + before[0], b + before[1], first[2] + before[2]),
                  (last[2] - first[2]) * channels);
    }

    // Makes the geometry from the shapes of x, w and y.
    static convolution_geometry of(convolution_form const& form, dims const& x, dims const& w, dims const& y) {
        convolution_geometry g;
        int const lead = x.rank - form.spatial - 1;
        for (int k = 0; k < form.spatial; ++k) {
            int const to = axes - form.spatial + k;
            convolution_form::spatial_axis const a = form.padded(k, x[lead + k], w[form.kept + k]);
            g.x[to] = x[lead + k], g.window[to] = w[form.kept + k], g.y[to] = y[lead + k];
            g.stride[to] = a.stride, g.dilation[to] = a.dilation, g.before[to] = a.before, g.after[to] = a.after;
        }
        g.groups = form.groups, g.channels = x[x.rank - 1], g.filters = y[y.rank - 1];
        g.settle();
        return g;
    }
};

// This goes through the examples of a call: the first `kept` axes also number filters w, and broadcast.
struct convolution_batches {
    std::int64_t filters = 1, examples = 1; // the number of filters w, and of examples of x and y for each
    std::int64_t extent[max_rank]{}, of_x[max_rank]{}, of_w[max_rank]{}, of_y[max_rank]{};
    int axes = 0;

    convolution_batches(convolution_form const& form, dims const& x, dims const& w, dims const& y) : axes{form.kept} {
        int const lead = x.rank - form.spatial - 1;
        for (int axis = form.kept; axis < lead; ++axis) examples *= x[axis];
        std::int64_t steps[3]{1, 1, 1};
        for (int axis = form.kept; axis-- > 0;) {
            std::int64_t const own[3]{x[axis], w[axis], y[axis]};
            std::int64_t* const to[3]{of_x, of_w, of_y};
            extent[axis] = 1;
            for (int k = 0; k < 3; ++k) {
                if (own[k] != 1) extent[axis] = own[k];
                to[k][axis] = own[k] == 1 ? 0 : steps[k];
                steps[k] *= own[k];
            }
            filters *= extent[axis];
        }
    }
    struct place {
        std::int64_t x = 0, w = 0, y = 0;
    };
    // Gives the places for number i of the kept ones: that of w, and those of x and y in units of all examples for one w.
    place at(std::int64_t i) const {
        place out;
        for (int axis = axes; axis-- > 0; i /= extent[axis]) {
            std::int64_t const p = i % extent[axis];
            out.x += p * of_x[axis], out.w += p * of_w[axis], out.y += p * of_y[axis];
        }
        return out;
    }
};

} // namespace tx::detail
