// This file has convolutions in which each filter sees one channel. Channels are in the lanes of vectors and a few neighbouring
// results in registers, so that an element of w is read once for all of them. With a single channel, neighbouring results are in
// the lanes.
#pragma once

#include <tracexpr/backends/vectors/lanes.hpp>
#include <tracexpr/conv/geometry.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

// There is one filter for each channel, and x is padded.
template <class T, class Arch> class depthwise_convolution {
public:
    explicit depthwise_convolution(tx::detail::convolution_geometry const& g) : g_{g} {
        g.for_each_tap([&](std::int64_t place) { taps_.push_back(place); });
    }

    void run(T const* x, T const* w, T* y) const {
        for (std::int64_t a = 0; a < g_.y[0]; ++a)
            for (std::int64_t b = 0; b < g_.y[1]; ++b) {
                T const* const from = x + g_.place(a * g_.stride[0], b * g_.stride[1], 0);
                T* const to = y + (a * g_.y[1] + b) * g_.y[2] * g_.channels;
                std::int64_t c = 0;
                if (step() == 1) {
                    for (; c + 2 * results * lanes_at_once <= g_.y[2]; c += 2 * results * lanes_at_once)
                        neighbours<lanes_at_once>(from + c, w, to + c, std::make_integer_sequence<int, 2 * results>{});
                    for (; c + lanes_at_once <= g_.y[2]; c += lanes_at_once)
                        neighbours<lanes_at_once>(from + c, w, to + c, std::make_integer_sequence<int, 1>{});
                }
                for (; c + results <= g_.y[2]; c += results) row<results>(from + c * step(), w, to + c * g_.channels);
                for (; c < g_.y[2]; ++c) row<1>(from + c * step(), w, to + c * g_.channels);
            }
    }

private:
    static constexpr int lanes_at_once = native_lanes<T, Arch>, results = 4;

    std::int64_t step() const { return g_.stride[2] * g_.channels; }

    template <int Results> void row(T const* x, T const* w, T* y) const {
        std::int64_t channel = 0;
        for (; channel + lanes_at_once <= g_.channels; channel += lanes_at_once)
            columns<Results, lanes_at_once>(x + channel, w + channel, y + channel, std::make_integer_sequence<int, Results>{});
        for (; channel < g_.channels; ++channel)
            columns<Results, 1>(x + channel, w + channel, y + channel, std::make_integer_sequence<int, Results>{});
    }
    template <int Results, int W, int... R>
    TRACEXPR_INLINE void columns(T const* x, T const* w, T* y, std::integer_sequence<int, R...>) const {
        lanes<T, W> sums[Results] = {};
        std::int64_t const next = step();
        for (std::int64_t const tap : taps_) {
            lanes<T, W> const factor = load<W>(w);
            ((sums[R] = load<W>(x + tap + R * next) * factor + sums[R]), ...);
            w += g_.channels;
        }
        (store<W>(y + R * g_.channels, sums[R]), ...);
    }
    // Computes neighbouring results of one channel, where windows move by one element.
    template <int W, int... R>
    TRACEXPR_INLINE void neighbours(T const* x, T const* w, T* y, std::integer_sequence<int, R...>) const {
        lanes<T, W> sums[sizeof...(R)] = {};
        for (std::int64_t const tap : taps_) {
            T const factor = *w++;
            ((sums[R] = load<W>(x + tap + R * W) * factor + sums[R]), ...);
        }
        (store<W>(y + R * W, sums[R]), ...);
    }

    tx::detail::convolution_geometry const& g_;
    std::vector<std::int64_t> taps_;
};

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
