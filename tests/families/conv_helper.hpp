// This file computes convolutions by their definition, in double, for the tests of tx::conv.
#pragma once

#include <tracexpr/conv.hpp>
#include <tracexpr/tracexpr.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

namespace tx::testing {

// Gives integers from -8 to 8, whose sums of products are exact in each dtype.
template <class T = double, class S> tensor<T, S> whole_numbers(S, double scale) {
    tensor<T, S> out;
    for (std::int64_t i = 0; i < out.size(); ++i) out.mutable_data()[i] = static_cast<T>(std::round(8 * std::sin(static_cast<double>(i) * scale + 0.3)));
    return out;
}
// The positions of windows along two axes.
struct windows {
    std::int64_t step[2]{1, 1}, apart[2]{1, 1}, before[2]{0, 0}, results[2]{1, 1};
    std::int64_t groups = 1;
};
// Computes the convolution of x (n, h, w, c) and filters (h, w, c / groups, f).
template <class T, class X, class W> std::vector<double> convolved(tensor<T, X> const& x, tensor<T, W> const& filters, windows const& of) {
    std::vector<double> out;
    std::int64_t const per_group = filters.extent(3) / of.groups, channels = filters.extent(2);
    for (std::int64_t n = 0; n < x.extent(0); ++n)
        for (std::int64_t i = 0; i < of.results[0]; ++i)
            for (std::int64_t j = 0; j < of.results[1]; ++j)
                for (std::int64_t f = 0; f < filters.extent(3); ++f) {
                    double sum = 0;
                    for (std::int64_t a = 0; a < filters.extent(0); ++a)
                        for (std::int64_t b = 0; b < filters.extent(1); ++b) {
                            std::int64_t const row = i * of.step[0] + a * of.apart[0] - of.before[0], column = j * of.step[1] + b * of.apart[1] - of.before[1];
                            if (row < 0 || row >= x.extent(1) || column < 0 || column >= x.extent(2)) continue;
                            for (std::int64_t c = 0; c < channels; ++c)
                                sum += static_cast<double>(x(n, row, column, f / per_group * channels + c)) * static_cast<double>(filters(a, b, c, f));
                        }
                    out.push_back(sum);
                }
    return out;
}
template <class T, class S> bool has_elements(tensor<T, S> const& x, std::vector<double> const& wanted) {
    bool same = x.size() == static_cast<std::int64_t>(wanted.size());
    for (std::int64_t i = 0; same && i < x.size(); ++i) same = static_cast<double>(x.data()[i]) == wanted[static_cast<std::size_t>(i)];
    return same;
}

} // namespace tx::testing
