// This file has windows for spectra and filters, as scipy.signal.windows has them.
#pragma once

#include <tracexpr/base/error.hpp>
#include <tracexpr/base/failed.hpp>
#include <tracexpr/base/tensor.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>

namespace tx {
namespace fft {

// With this option the window of n numbers is the first n of a symmetric one of n + 1, as it continues where a transform repeats
// it.
enum periodic_t { periodic };
// With this option, the default, the first number equals the last, as filters need it.
enum symmetric_t { symmetric };

} // namespace fft

namespace detail {

[[noreturn]] TRACEXPR_NOINLINE inline void throw_size_of_window(char const* called, std::int64_t n) {
    throw error("tx: fft::" + std::string(called) + ": a window has 0 or more numbers; given " + std::to_string(n));
}
template <class T, class F>
tensor<T, shape<dyn>> numbers_of_window(char const* called, std::int64_t n, bool is_periodic, F const& f) {
    if (n < 0) throw_size_of_window(called, n);
    auto out = tensor<T, shape<dyn>>::uninitialized(dims{{n}, 1});
    T* const to = out.mutable_data();
    std::int64_t const m = is_periodic ? n + 1 : n;
    for (std::int64_t i = 0; i < n; ++i) {
        std::int64_t const mirrored = i < m - 1 - i ? i : m - 1 - i;
        to[i] = n == 1 ? T(1) : static_cast<T>(f(static_cast<double>(mirrored), static_cast<double>(m)));
    }
    return out;
}
// A call without a dtype gives `failed`.
template <class T> struct window_of_dtype {
    using type = failed;
};
template <element T> struct window_of_dtype<T> {
    using type = tensor<T, shape<dyn>>;
};
template <class T> using window_result = typename window_of_dtype<T>::type;
// Gives f(i, m) for numbers 0 ... n - 1 of a symmetric window of m numbers, whose halves mirror each other.
template <class T, class F> window_result<T> window_of([[maybe_unused]] char const* called, [[maybe_unused]] std::int64_t n,
                                                       [[maybe_unused]] bool is_periodic, F const& f) {
    constexpr bool has_dtype = element<T>;
    static_assert(has_dtype, "tx: fft: a window needs its dtype in <>: tx::fft::hann<double>(8)");
    if constexpr (has_dtype) return numbers_of_window<T>(called, n, is_periodic, f);
    else return {};
}
// Gives the sum of a[k] cos(2 pi k i / (m - 1)) with alternating signs.
template <class T>
window_result<T> cosine_window(char const* called, std::int64_t n, bool is_periodic, double a, double b, double c, double d) {
    return window_of<T>(called, n, is_periodic, [&](double i, double m) {
        double const x = 2 * 3.14159265358979323846 * i / (m - 1);
        return a - b * std::cos(x) + c * std::cos(2 * x) - d * std::cos(3 * x);
    });
}
// Gives the modified Bessel function I0(x) / exp(|x|), by its series for small x and by its asymptotic expansion otherwise
// (Abramowitz and Stegun 9.6.12 and 9.7.1).
TRACEXPR_ONCE double scaled_bessel_i0(double x) {
    x = std::abs(x);
    double sum = 1, term = 1;
    if (x < 40) {
        for (int k = 1; term > sum * 1e-17; ++k) term *= x / 2 / k * (x / 2 / k), sum += term;
        return sum * std::exp(-x);
    }
    for (int k = 1; k < 20; ++k) term *= (2.0 * k - 1) * (2.0 * k - 1) / (8 * k * x), sum += term;
    return sum / std::sqrt(2 * 3.14159265358979323846 * x);
}

template <class P> concept window_form = std::same_as<P, fft::periodic_t> || std::same_as<P, fft::symmetric_t>;
template <class P> inline constexpr bool is_periodic_form = std::same_as<P, fft::periodic_t>;

} // namespace detail

namespace fft {

// Gives a window of n ones, periodic or not.
template <class T = void, tx::detail::window_form Form = symmetric_t>
[[nodiscard]] tx::detail::window_result<T> boxcar(std::int64_t n, Form = Form{}) {
    return tx::detail::window_of<T>("boxcar", n, tx::detail::is_periodic_form<Form>, [](double, double) { return 1.0; });
}
// Gives a triangular window with zeros at its ends.
template <class T = void, tx::detail::window_form Form = symmetric_t>
[[nodiscard]] tx::detail::window_result<T> bartlett(std::int64_t n, Form = Form{}) {
    return tx::detail::window_of<T>("bartlett", n, tx::detail::is_periodic_form<Form>,
                                    [](double i, double m) { return 2 * i / (m - 1); });
}
// Gives Hann's window, (1 - cos(2 pi i / (n - 1))) / 2; with tx::fft::periodic it is over n in place of n - 1.
template <class T = void, tx::detail::window_form Form = symmetric_t>
[[nodiscard]] tx::detail::window_result<T> hann(std::int64_t n, Form = Form{}) {
    return tx::detail::cosine_window<T>("hann", n, tx::detail::is_periodic_form<Form>, 0.5, 0.5, 0, 0);
}
// Gives Hamming's window, 0.54 - 0.46 cos(2 pi i / (n - 1)).
template <class T = void, tx::detail::window_form Form = symmetric_t>
[[nodiscard]] tx::detail::window_result<T> hamming(std::int64_t n, Form = Form{}) {
    return tx::detail::cosine_window<T>("hamming", n, tx::detail::is_periodic_form<Form>, 0.54, 0.46, 0, 0);
}
// Gives Blackman's window, 0.42 - 0.5 cos(2 pi i / (n - 1)) + 0.08 cos(4 pi i / (n - 1)).
template <class T = void, tx::detail::window_form Form = symmetric_t>
[[nodiscard]] tx::detail::window_result<T> blackman(std::int64_t n, Form = Form{}) {
    return tx::detail::cosine_window<T>("blackman", n, tx::detail::is_periodic_form<Form>, 0.42, 0.5, 0.08, 0);
}
// Gives the window of Blackman and Harris with four terms, whose side lobes are the lowest of these.
template <class T = void, tx::detail::window_form Form = symmetric_t>
[[nodiscard]] tx::detail::window_result<T> blackmanharris(std::int64_t n, Form = Form{}) {
    return tx::detail::cosine_window<T>("blackmanharris", n, tx::detail::is_periodic_form<Form>, 0.35875, 0.48829, 0.14128,
                                        0.01168);
}
// Gives half a period of the sine, sin(pi (i + 1 / 2) / n).
template <class T = void, tx::detail::window_form Form = symmetric_t>
[[nodiscard]] tx::detail::window_result<T> cosine(std::int64_t n, Form = Form{}) {
    return tx::detail::window_of<T>("cosine", n, tx::detail::is_periodic_form<Form>,
                                    [](double i, double m) { return std::sin(3.14159265358979323846 / m * (i + 0.5)); });
}
// Gives the Gaussian window, exp(-((i - (n - 1) / 2) / deviation)^2 / 2).
template <class T = void, tx::detail::window_form Form = symmetric_t>
[[nodiscard]] tx::detail::window_result<T> gaussian(std::int64_t n, double deviation, Form = Form{}) {
    return tx::detail::window_of<T>("gaussian", n, tx::detail::is_periodic_form<Form>, [&](double i, double m) {
        double const x = (i - (m - 1) / 2) / deviation;
        return std::exp(-0.5 * x * x);
    });
}
// Gives Kaiser's window, I0(beta sqrt(1 - (2 i / (n - 1) - 1)^2)) / I0(beta).
template <class T = void, tx::detail::window_form Form = symmetric_t>
[[nodiscard]] tx::detail::window_result<T> kaiser(std::int64_t n, double beta, Form = Form{}) {
    return tx::detail::window_of<T>("kaiser", n, tx::detail::is_periodic_form<Form>, [&](double i, double m) {
        double const x = 2 * i / (m - 1) - 1, inner = beta * std::sqrt(1 - x * x);
        return tx::detail::scaled_bessel_i0(inner) / tx::detail::scaled_bessel_i0(beta) *
               std::exp(std::abs(inner) - std::abs(beta));
    });
}

} // namespace fft
} // namespace tx
