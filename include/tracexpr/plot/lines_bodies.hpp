// This file holds the bodies of plot/lines.hpp.
#pragma once

#include <tracexpr/plot/lines.hpp>
#include <tracexpr/plot/picture.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace tx::plot {

namespace detail {

class lines_drawing {
public:
    lines_drawing(lines_options const& o, std::vector<series> const& all) : o_{o}, all_{all} {}
    std::string run() {
        x_ = range(o_.x_scale, &series::x, (right() - left) / 80);
        y_ = range(o_.y_scale, &series::y, (bottom() - top) / 40);
        out_ = picture_head(o_.width, o_.height);
        add_axes();
        for (std::size_t k = 0; k < all_.size(); ++k) add_series(all_[k], colours[k % colours.size()]);
        add_legend();
        return out_ + "</svg>\n";
    }

private:
    static constexpr double left = 70, top = 40;
    static constexpr std::array colours{"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd",
                                        "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf"};
    double right() const { return o_.width - 20; }
    double bottom() const { return o_.height - 50; }
    bool is_shown(double x, double y) const {
        return std::isfinite(x) && std::isfinite(y) && (o_.x_scale == scale::linear || x > 0) &&
               (o_.y_scale == scale::linear || y > 0);
    }
    axis_ticks range(scale s, std::vector<double> series::* values, double wanted) const {
        bool found = false;
        double low = s == scale::log ? 1 : 0, high = s == scale::log ? 10 : 1;
        for (series const& of : all_)
            for (std::size_t k = 0; k < of.x.size(); ++k) {
                if (!is_shown(of.x[k], of.y[k])) continue;
                double const value = (of.*values)[k];
                low = found ? std::min(low, value) : value, high = found ? std::max(high, value) : value, found = true;
            }
        return s == scale::log ? log_ticks(low, high) : linear_ticks(low, high, std::max(static_cast<int>(wanted), 2));
    }
    static double part(axis_ticks const& axis, scale s, double value) {
        if (s == scale::log) return std::log(value / axis.low) / std::log(axis.high / axis.low);
        return (value - axis.low) / (axis.high - axis.low);
    }
    double x_of(double value) const { return left + part(x_, o_.x_scale, value) * (right() - left); }
    double y_of(double value) const { return bottom() - part(y_, o_.y_scale, value) * (bottom() - top); }

    void add_axes() {
        for (double const value : x_.at) {
            out_ += line_element(x_of(value), top, x_of(value), bottom(), "#e4e4e4");
            out_ += text_element(x_of(value), bottom() + 17, "middle", short_number(value));
        }
        for (double const value : y_.at) {
            out_ += line_element(left, y_of(value), right(), y_of(value), "#e4e4e4");
            out_ += text_element(left - 6, y_of(value) + 4, "end", short_number(value));
        }
        out_ += line_element(left, bottom(), right(), bottom(), "#444");
        out_ += line_element(left, top, left, bottom(), "#444");
        double const middle = (left + right()) / 2, height = (top + bottom()) / 2;
        if (!o_.title.empty()) out_ += text_element(middle, 24, "middle", o_.title, " font-size=\"16\"");
        if (!o_.x_label.empty()) out_ += text_element(middle, bottom() + 40, "middle", o_.x_label);
        if (!o_.y_label.empty())
            out_ += text_element(16, height, "middle", o_.y_label, " transform=\"rotate(-90 16 " + coordinate(height) + ")\"");
    }
    void add_series(series const& s, char const* colour) {
        std::string path, dots;
        bool is_drawing = false;
        for (std::size_t k = 0; k < s.x.size(); ++k) {
            bool const shown = is_shown(s.x[k], s.y[k]);
            if (shown) {
                std::string const at = coordinate(x_of(s.x[k])) + ' ' + coordinate(y_of(s.y[k]));
                bool const alone = !is_drawing && (k + 1 == s.x.size() || !is_shown(s.x[k + 1], s.y[k + 1]));
                path += (is_drawing ? 'L' : 'M') + at;
                if (s.is_points || alone) dots += 'M' + at + "h0"; // a line of length 0 with round ends is a dot
            }
            is_drawing = shown;
        }
        auto const stroke = [&](std::string const& d, char const* width) {
            if (!d.empty())
                out_ += "<path fill=\"none\" stroke=\"" + std::string(colour) + "\" stroke-width=\"" + width +
                        "\" stroke-linejoin=\"round\" stroke-linecap=\"round\" d=\"" + d + "\"/>\n";
        };
        if (!s.is_points) stroke(path, "2");
        stroke(dots, "6");
    }
    // Adds a legend at the top right if there are several series.
    void add_legend() {
        if (all_.size() < 2) return;
        for (std::size_t k = 0; k < all_.size(); ++k) {
            double const y = top + 14 + 18 * static_cast<double>(k);
            out_ += text_element(right() - 34, y, "end", all_[k].label);
            out_ += line_element(right() - 28, y - 4, right() - 8, y - 4, colours[k % colours.size()]);
        }
    }

    lines_options const& o_;
    std::vector<series> const& all_;
    axis_ticks x_, y_;
    std::string out_;
};

} // namespace detail

TRACEXPR_BODY lines& lines::add_values(std::string&& label, std::vector<double>&& values) {
    std::vector<double> x(values.size());
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = options_.first_x + static_cast<double>(k);
    return add_series(std::move(label), std::move(x), std::move(values), false);
}
TRACEXPR_BODY lines& lines::add_series(std::string&& label, std::vector<double>&& x, std::vector<double>&& y, bool is_points) {
    if (x.size() != y.size())
        throw shape_error("tx: plot::lines::add: x and y must have as many elements; given " + std::to_string(x.size()) + ", " +
                          std::to_string(y.size()));
    series_.push_back({std::move(label), std::move(x), std::move(y), is_points});
    return *this;
}
TRACEXPR_BODY std::string lines::to_svg() const { return detail::lines_drawing(options_, series_).run(); }
TRACEXPR_BODY void lines::save(std::string const& path) const { detail::write_file(path, to_svg()); }

} // namespace tx::plot
