// Records ONNX's Fourier transforms, and windows for them.
#pragma once

#include <tracexpr/graph/routine_rules.hpp>
#include <tracexpr/onnx/operators/norms.hpp>

namespace tx::onnx::detail {

// Converts (..., 1) or (..., 2), real and imaginary parts, to complex numbers (...).
inline node_id complex_of(op_call const& c, node_id x, dtype type) {
    int const last = c.rank(x) - 1;
    if (last < 1 || (c.extent(x, last) != 1 && c.extent(x, last) != 2)) c.fail("the last axis must have the real part, or both");
    auto const part = [&](std::int64_t k) { return c.as(c.low().squeeze(c.low().slice(x, last, k, k + 1), last), type); };
    if (c.extent(x, last) == 1) return part(0);
    return c.append(op::add, part(0), c.append(op::times_i, part(1)));
}
inline node_id parts_of_complex(op_call const& c, node_id x) {
    int const rank = c.rank(x);
    node_id const parts[]{c.low().expand(c.append(op::real, x), rank), c.low().expand(c.append(op::imag, x), rank)};
    return c.append(op::concatenate, {parts, 2}, attribute_list(rank));
}
inline dtype complex_type(dtype real) { return real == dtype::float64 ? dtype::complex128 : dtype::complex64; }
// Returns x with n elements along an axis: it is cut, or padded with zeros.
inline node_id of_length(op_call const& c, node_id x, int axis, std::int64_t n) {
    std::int64_t const given = c.known_extent(x, axis);
    constexpr std::int64_t most = std::int64_t{1} << 31;
    if (n < 1 || n > most) c.fail("needs a length of at least 1");
    if (n <= given) return c.low().slice(x, axis, 0, n);
    attribute_list widths;
    for (int a = 0; a < c.rank(x); ++a) widths.push_back(0), widths.push_back(a == axis ? n - given : 0);
    return c.append(op::pad, x, c.low().zero_like(x), widths);
}
inline node_id transformed(op_call const& c, node_id x, fft_form::way way, int axis, std::int64_t n) {
    return c.low().append(op::fft, x, attribute_list(way, axis, n));
}
inline void record_dft(op_call& c) {
    dtype const type = c.type(c[0]), wide = complex_type(type);
    if (!is_floating(type)) c.fail("takes floating numbers");
    std::int64_t const given = c.version() < 20 ? c.integer("axis", 1) : c.has(2) ? c.known_integer(2) : -2;
    int const axis = c.axis(given, c.rank(c[0]));
    bool const is_inverse = c.integer("inverse", 0) != 0, is_half = c.integer("onesided", 0) != 0;
    node_id x = complex_of(c, c[0], wide);
    if (axis >= c.rank(x)) c.fail("the axis must not be that of the parts");
    std::int64_t const extent = c.known_extent(x, axis);
    if (extent < 1) c.fail("the axis must not be empty");
    std::int64_t const n = c.has(1) ? c.known_integer(1) : is_inverse && is_half ? 2 * (extent - 1) : extent;
    if (is_inverse && is_half) {
        x = of_length(c, x, axis, n / 2 + 1);
        node_id const y = c.low().append(op::fft, real_part(wide), {&x, 1}, attribute_list(fft_form::to_real, axis, n));
        return c.give(c.low().expand(c.as(times(c, y, 1 / static_cast<double>(n)), type), c.rank(y)));
    }
    node_id y = transformed(c, of_length(c, x, axis, n), is_inverse ? fft_form::inverse : fft_form::forward, axis, -1);
    if (is_half) y = c.low().slice(y, axis, 0, n / 2 + 1);
    y = parts_of_complex(c, y);
    c.give(c.as(is_inverse ? times(c, y, 1 / static_cast<double>(n)) : y, type));
}
inline void record_stft(op_call& c) {
    dtype const type = c.type(c[0]), wide = complex_type(type);
    if (!is_floating(type)) c.fail("takes floating numbers");
    node_id const x = complex_of(c, c[0], wide);
    if (c.rank(x) != 2) c.fail("takes signals (batch, length, 1 or 2)");
    std::int64_t const length = c.known_extent(x, 1);
    std::int64_t const step = c.known_integer(1);
    std::int64_t const n = c.has(3) ? c.known_integer(3) : c.has(2) ? c.known_extent(c[2], 0) : length;
    if (step < 1 || n < 1 || n > length) c.fail("frames must have elements, and lie within the signal");
    node_id frames = c.append(op::sliding_window_view, x, attribute_list(1, n)); // (batch, places, n)
    frames = c.low().slice(frames, 1, 0, slice_open, step);
    if (c.has(2)) frames = c.append(op::multiply, frames, c.as(c[2], wide));
    node_id y = transformed(c, frames, fft_form::forward, 2, -1);
    if (c.integer("onesided", 1)) y = c.low().slice(y, 2, 0, n / 2 + 1);
    c.give(c.as(parts_of_complex(c, y), type));
}
// Computes a0 - a1 cos(2 pi i / n) + a2 cos(4 pi i / n).
inline void record_window(op_call& c, double a0, double a1, double a2) {
    std::int64_t const size = c.known_integer(0);
    constexpr std::int64_t most = std::int64_t{1} << 26;
    if (size < 0 || size > most) c.fail("needs a number of elements, at most 2^26");
    double const n = static_cast<double>(c.integer("periodic", 1) ? size : size - 1);
    constexpr double pi = 3.14159265358979323846;
    buffer<double> out;
    for (std::int64_t i = 0; i < size; ++i) {
        double const angle = n > 0 ? 2 * pi * static_cast<double>(i) / n : 0;
        out.push_back(a0 - a1 * std::cos(angle) + a2 * std::cos(2 * angle));
    }
    c.give(c.low().constant(dims{{size}, 1}, c.type_attribute("output_datatype", dtype::float32), out));
}
inline void record_hann(op_call& c) { record_window(c, 0.5, 0.5, 0); }
inline void record_hamming(op_call& c) { record_window(c, 25.0 / 46, 21.0 / 46, 0); }
inline void record_blackman(op_call& c) { record_window(c, 0.42, 0.5, 0.08); }
inline void record_mel_weights(op_call& c) {
    std::int64_t const bins = c.known_integer(0), length = c.known_integer(1), rate = c.known_integer(2);
    double const low = c.known_number(3), high = c.known_number(4);
    constexpr std::int64_t most = 1 << 20;
    if (bins < 1 || bins > most || length < 1 || length > most || rate < 1 || !(low >= 0) || !(high > low)) c.fail("needs bands");
    auto const mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
    std::int64_t const rows = length / 2 + 1;
    c.require_possible(dims{{rows, bins}, 2});
    double const step = (mel(high) - mel(low)) / static_cast<double>(bins + 2);
    std::vector<std::int64_t> place;
    for (std::int64_t k = 0; k < bins + 2; ++k) {
        double const hertz = 700 * (std::pow(10, (static_cast<double>(k) * step + mel(low)) / 2595) - 1);
        double const at = std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate));
        if (!(at < static_cast<double>(rows))) c.fail("its bands end above half the sample rate");
        place.push_back(static_cast<std::int64_t>(at));
    }
    buffer<double> out(static_cast<std::size_t>(rows * bins), 0.0);
    for (std::size_t k = 0; k < static_cast<std::size_t>(bins); ++k) {
        auto const put = [&](std::int64_t row, double v) { out[static_cast<std::size_t>(row * bins) + k] = v; };
        std::int64_t const first = place[k], middle = place[k + 1], last = place[k + 2];
        for (std::int64_t j = first; j <= middle; ++j)
            put(j, middle == first ? 1 : static_cast<double>(j - first) / static_cast<double>(middle - first));
        for (std::int64_t j = middle; j < last; ++j) put(j, static_cast<double>(last - j) / static_cast<double>(last - middle));
    }
    c.give(c.low().constant(dims{{rows, bins}, 2}, c.type_attribute("output_datatype", dtype::float32), out));
}

} // namespace tx::onnx::detail
