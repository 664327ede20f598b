// This file has the kernel of op::convolution for float and double, which computes the op's three products for one example after
// the other.
#pragma once

#include <tracexpr/backends/contractions/matmul.hpp>
#include <tracexpr/conv/depthwise.hpp>
#include <tracexpr/conv/forward.hpp>

#include <algorithm>
#include <vector>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

using tx::detail::convolution_batches;
using tx::detail::convolution_form;

// Calls use(first, count, x, stride) with examples of x that have zeros around them, a few at a time so that the copy stays
// small, or with x itself where no padding is needed.
template <class T, class Use>
void for_padded_examples(convolution_geometry const& g, std::int64_t examples, T const* x, Use const& use) {
    if (!g.is_padded()) return use(0, examples, x, g.x_elements());
    constexpr std::int64_t most_elements = 262144;
    std::int64_t const each = std::max<std::int64_t>(1, g.stored_elements()), // There are none where there are no channels.
        at_once = std::clamp<std::int64_t>(most_elements / each, 1, std::max<std::int64_t>(1, examples));
    std::vector<T> copies(static_cast<std::size_t>(at_once * g.stored_elements()));
    for (std::int64_t first = 0; first < examples; first += at_once) {
        std::int64_t const count = std::min(at_once, examples - first);
        for (std::int64_t k = 0; k < count; ++k)
            pad_example(g, x + (first + k) * g.x_elements(), copies.data() + k * g.stored_elements());
        use(first, count, static_cast<T const*>(copies.data()), g.stored_elements());
    }
}

// Computes y from x and w.
template <class T, class Arch> void convolve(convolution_geometry const& g, std::int64_t examples, T const* x, T const* w, T* y) {
    bool const is_depthwise = g.channels_of_group() == 1 && g.filters_of_group() == 1;
    window_runs const runs(g);
    for_padded_examples(g, examples, x, [&](std::int64_t first, std::int64_t count, T const* from, std::int64_t stride) {
        T* const to = y + first * g.y_elements();
        if (is_depthwise) {
            depthwise_convolution<T, Arch> const each(g);
            for (std::int64_t k = 0; k < count; ++k) each.run(from + k * stride, w, to + k * g.y_elements());
        } else {
            convolved_group<T, Arch> product(g, runs);
            for (std::int64_t group = 0; group < g.groups; ++group) product.run(group, count, from, stride, w, to);
        }
    });
}

// Computes x from y and w where windows move by one element: it is a convolution of y with the reversed windows, in which inputs
// and outputs change places.
template <class T, class Arch>
void convolve_back(convolution_geometry const& g, std::int64_t examples, T const* y, T const* w, T* x) {
    convolution_geometry turned = g;
    std::swap(turned.channels, turned.filters);
    for (int k = 0; k < g.axes; ++k) {
        turned.x[k] = g.y[k], turned.y[k] = g.x[k];
        turned.before[k] = (g.window[k] - 1) * g.dilation[k] - g.before[k];
        turned.after[k] = (g.window[k] - 1) * g.dilation[k] - g.after[k];
    }
    turned.settle();
    std::int64_t const c = g.channels_of_group(), f = g.filters_of_group(), taps = g.taps();
    std::vector<T> moved(static_cast<std::size_t>(g.w_elements()));
    for (std::int64_t tap = 0; tap < taps; ++tap)
        for (std::int64_t channel = 0; channel < c; ++channel)
            for (std::int64_t filter = 0; filter < g.filters; ++filter)
                moved[static_cast<std::size_t>(((taps - 1 - tap) * f + filter % f) * g.channels + filter / f * c + channel)] =
                    w[(tap * c + channel) * g.filters + filter];
    convolve<T, Arch>(turned, examples, y, moved.data(), x);
}

// Copies one example of x as a matrix with a row for each window, which has what one group sees of it; `rows` rows are copied,
// from row `first` on.
template <class T> void unfold_rows(convolution_geometry const& g, T const* stored, std::int64_t group, std::int64_t first,
                                    std::int64_t rows, T* to) {
    std::int64_t const c = g.channels_of_group();
    for (std::int64_t r = first; r < first + rows; ++r) {
        T const* const from = stored + g.window_place(r) + group * c;
        g.for_each_tap([&](std::int64_t tap) {
            std::copy_n(from + tap, c, to);
            to += c;
        });
    }
}
// Adds the rows of such a matrix in the places that they came from.
template <class T> void fold_rows(convolution_geometry const& g, T const* from, std::int64_t group, std::int64_t first,
                                  std::int64_t rows, T* stored) {
    std::int64_t const c = g.channels_of_group();
    for (std::int64_t r = first; r < first + rows; ++r) {
        T* const to = stored + g.window_place(r) + group * c;
        g.for_each_tap([&](std::int64_t tap) {
            for (std::int64_t channel = 0; channel < c; ++channel) to[tap + channel] += from[channel];
            from += c;
        });
    }
}
// Gives the number of rows of that matrix that take at most half a MiB.
inline std::int64_t window_rows_at_once(convolution_geometry const& g) {
    return std::clamp<std::int64_t>(131072 / std::max<std::int64_t>(1, g.terms()), 16, std::max<std::int64_t>(16, g.positions()));
}

// Computes x from y and w for any strides: it multiplies y by the filters and adds each row where its window stands.
template <class T, class Arch>
void fold_products(convolution_geometry const& g, std::int64_t examples, T const* y, T const* w, T* x) {
    std::int64_t const k = g.terms(), f = g.filters_of_group(), block = window_rows_at_once(g);
    std::vector<T> product(static_cast<std::size_t>(block * k)), stored(static_cast<std::size_t>(g.stored_elements()));
    for (std::int64_t e = 0; e < examples; ++e) {
        std::fill(stored.begin(), stored.end(), T(0));
        for (std::int64_t group = 0; group < g.groups; ++group)
            for (std::int64_t row = 0; row < g.positions(); row += block) {
                std::int64_t const rows = std::min(block, g.positions() - row);
                gemm<T, Arch>(rows, k, f, y + e * g.y_elements() + row * g.filters + group * f, g.filters, 1, w + group * f, 1,
                              g.filters, product.data(), k);
                fold_rows(g, product.data(), group, row, rows, stored.data());
            }
        T* const to = x + e * g.x_elements();
        if (!g.is_padded()) {
            std::copy(stored.begin(), stored.end(), to);
            continue;
        }
        std::fill_n(to, g.x_elements(), T(0)); // for places that no window reaches
        g.for_each_row_inside(
            [&](std::int64_t at, std::int64_t from, std::int64_t count) { std::copy_n(stored.data() + from, count, to + at); });
    }
}

// Computes w from x and y, as the transposed matrix of windows times y.
template <class T, class Arch>
void correlate_windows(convolution_geometry const& g, std::int64_t examples, T const* x, T const* y, T* w) {
    std::int64_t const k = g.terms(), f = g.filters_of_group(), block = window_rows_at_once(g);
    std::fill_n(w, g.w_elements(), T(0));
    std::vector<T> windows(static_cast<std::size_t>(block * k));
    for_padded_examples(g, examples, x, [&](std::int64_t first, std::int64_t count, T const* from, std::int64_t stride) {
        for (std::int64_t e = 0; e < count; ++e)
            for (std::int64_t group = 0; group < g.groups; ++group)
                for (std::int64_t row = 0; row < g.positions(); row += block) {
                    std::int64_t const rows = std::min(block, g.positions() - row);
                    unfold_rows(g, from + e * stride, group, row, rows, windows.data());
                    gemm<T, Arch>(k, f, rows, windows.data(), 1, k,
                                  y + (first + e) * g.y_elements() + row * g.filters + group * f, g.filters, 1, w + group * f,
                                  g.filters, true);
                }
    });
}

template <class T, class Arch> void run_convolution(tx::detail::routine_call const& call) {
    convolution_form const form(call.attributes);
    auto const data = [&](std::size_t k) { return static_cast<T const*>(call.operands[k].data); };
    dims const &first = call.operands[0].extents, &second = call.operands[1].extents;
    bool const makes_y = form.makes == convolution_form::result, makes_x = form.makes == convolution_form::input;
    dims const& x = makes_x ? call.extents : first;
    dims const& w = makes_y || makes_x ? second : call.extents;
    dims const& y = makes_y ? call.extents : makes_x ? first : second;
    auto const g = convolution_geometry::of(form, x, w, y);
    convolution_batches const batches(form, x, w, y);
    T* const to = reinterpret_cast<T*>(call.results[0]);
    if (!to || call.extents.size() == 0) return;
    bool const is_one_step = g.stride[0] == 1 && g.stride[1] == 1 && g.stride[2] == 1;
    for (std::int64_t i = 0; i < batches.filters; ++i) {
        auto const at = batches.at(i);
        std::int64_t const n = batches.examples, of_x = at.x * n * g.x_elements(), of_w = at.w * g.w_elements(),
                           of_y = at.y * n * g.y_elements();
        if (makes_y) convolve<T, Arch>(g, n, data(0) + of_x, data(1) + of_w, to + of_y);
        else if (!makes_x) correlate_windows<T, Arch>(g, n, data(0) + of_x, data(1) + of_y, to + of_w);
        else if (is_one_step) convolve_back<T, Arch>(g, n, data(0) + of_y, data(1) + of_w, to + of_x);
        else fold_products<T, Arch>(g, n, data(0) + of_y, data(1) + of_w, to + of_x);
    }
}

} // namespace tx::inline TRACEXPR_TARGET::simd::detail

namespace tx::detail::inline TRACEXPR_TARGET {

// Runs a call of op::convolution.
inline void run_convolution_routine(routine_call const& call) {
    if (call.type == dtype::float32) simd::detail::run_convolution<float, simd::default_arch>(call);
    else simd::detail::run_convolution<double, simd::default_arch>(call);
}
#if !defined(TRACEXPR_COMPILED)
inline bool const convolution_is_known = know_routine(op::convolution, run_convolution_routine);
#endif

} // namespace tx::detail::inline TRACEXPR_TARGET
