// tx::plot::lines draws lines over an axis: losses, measurements, and curves that were fitted to them.
#pragma once

#include <tracexpr/plot/picture.hpp>

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

// Draws series of points as lines. Values that are not finite, or not positive on a logarithmic axis, are gaps in their line.
class lines {
public:
    explicit lines(lines_options options = {}) : options_{std::move(options)} {}

    // Adds a tensor or range of numbers, at x = first_x, first_x + 1, ... Returns *this.
    template <detail::numbers Y> lines& add(std::string label, Y const& y) {
        std::vector<double> values = detail::values_of(y), x;
        for (std::size_t k = 0; k < values.size(); ++k) x.push_back(options_.first_x + static_cast<double>(k));
        series_.push_back({std::move(label), std::move(x), std::move(values), false});
        return *this;
    }
    // Adds a line with the points (x, y). Throws shape_error unless there are as many x as y.
    template <detail::numbers X, detail::numbers Y> lines& add(std::string label, X const& x, Y const& y) {
        return add_at(std::move(label), x, y, false);
    }
    // Adds the points (x, y) as dots without a line.
    template <detail::numbers X, detail::numbers Y> lines& add_points(std::string label, X const& x, Y const& y) {
        return add_at(std::move(label), x, y, true);
    }

    std::string to_svg() const { return drawing(options_, series_).run(); }
    // Writes the picture to a file. Throws tx::error if the file can't be written.
    void save(std::string const& path) const { detail::write_file(path, to_svg()); }

private:
    struct series {
        std::string label;
        std::vector<double> x, y;
        bool is_points;
    };
    template <class X, class Y> lines& add_at(std::string label, X const& x, Y const& y, bool is_points) {
        series s{std::move(label), detail::values_of(x), detail::values_of(y), is_points};
        if (s.x.size() != s.y.size())
            throw shape_error("tx: plot::lines::add: x and y must have as many elements; given " + std::to_string(s.x.size()) +
                              ", " + std::to_string(s.y.size()));
        series_.push_back(std::move(s));
        return *this;
    }

    class drawing {
    public:
        drawing(lines_options const& o, std::vector<series> const& all) : o_{o}, all_{all} {}
        std::string run() {
            x_ = range(o_.x_scale, &series::x, (right() - left) / 80);
            y_ = range(o_.y_scale, &series::y, (bottom() - top) / 40);
            out_ = detail::picture_head(o_.width, o_.height);
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
        detail::axis_ticks range(scale s, std::vector<double> series::* values, double wanted) const {
            bool found = false;
            double low = s == scale::log ? 1 : 0, high = s == scale::log ? 10 : 1;
            for (series const& of : all_)
                for (std::size_t k = 0; k < of.x.size(); ++k) {
                    if (!is_shown(of.x[k], of.y[k])) continue;
                    double const value = (of.*values)[k];
                    low = found ? std::min(low, value) : value, high = found ? std::max(high, value) : value, found = true;
                }
            return s == scale::log ? detail::log_ticks(low, high)
                                   : detail::linear_ticks(low, high, std::max(static_cast<int>(wanted), 2));
        }
        static double part(detail::axis_ticks const& axis, scale s, double value) {
            if (s == scale::log) return std::log(value / axis.low) / std::log(axis.high / axis.low);
            return (value - axis.low) / (axis.high - axis.low);
        }
        double x_of(double value) const { return left + part(x_, o_.x_scale, value) * (right() - left); }
        double y_of(double value) const { return bottom() - part(y_, o_.y_scale, value) * (bottom() - top); }

        void add_axes() {
            for (double const value : x_.at) {
                out_ += detail::line_element(x_of(value), top, x_of(value), bottom(), "#e4e4e4");
                out_ += detail::text_element(x_of(value), bottom() + 17, "middle", detail::short_number(value));
            }
            for (double const value : y_.at) {
                out_ += detail::line_element(left, y_of(value), right(), y_of(value), "#e4e4e4");
                out_ += detail::text_element(left - 6, y_of(value) + 4, "end", detail::short_number(value));
            }
            out_ += detail::line_element(left, bottom(), right(), bottom(), "#444");
            out_ += detail::line_element(left, top, left, bottom(), "#444");
            double const middle = (left + right()) / 2, height = (top + bottom()) / 2;
            if (!o_.title.empty()) out_ += detail::text_element(middle, 24, "middle", o_.title, " font-size=\"16\"");
            if (!o_.x_label.empty()) out_ += detail::text_element(middle, bottom() + 40, "middle", o_.x_label);
            if (!o_.y_label.empty())
                out_ += detail::text_element(16, height, "middle", o_.y_label,
                                             " transform=\"rotate(-90 16 " + detail::coordinate(height) + ")\"");
        }
        void add_series(series const& s, char const* colour) {
            std::string path, dots;
            bool is_drawing = false;
            for (std::size_t k = 0; k < s.x.size(); ++k) {
                bool const shown = is_shown(s.x[k], s.y[k]);
                if (shown) {
                    std::string const at = detail::coordinate(x_of(s.x[k])) + ' ' + detail::coordinate(y_of(s.y[k]));
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
                out_ += detail::text_element(right() - 34, y, "end", all_[k].label);
                out_ += detail::line_element(right() - 28, y - 4, right() - 8, y - 4, colours[k % colours.size()]);
            }
        }

        lines_options const& o_;
        std::vector<series> const& all_;
        detail::axis_ticks x_, y_;
        std::string out_;
    };

    lines_options options_;
    std::vector<series> series_;
};

} // namespace tx::plot
