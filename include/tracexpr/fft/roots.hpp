// This file has roots of unity for the tables of Fourier transforms.
#pragma once

#include <tracexpr/base/config.hpp>

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace tx::detail::inline TRACEXPR_TARGET::fourier {

// Gives exp(-2 pi i k / n) for 0 <= k < n, from sines and cosines of at most an eighth of the circle, so that the axes and
// diagonals are exact.
template <class R> inline std::complex<R> root_of_unity(std::int64_t k, std::int64_t n) {
    constexpr R pi = static_cast<R>(3.141592653589793238462643383279502884L);
    std::int64_t const eighths = 8 * k / n, rest = 8 * k - eighths * n; // The angle is (eighths + rest / n) / 8 of a circle.
    R const upper = pi / 4 * static_cast<R>(n - rest) / static_cast<R>(n),
            lower = pi / 4 * static_cast<R>(rest) / static_cast<R>(n);
    R const angle = eighths % 2 == 0 ? lower : upper, c = std::cos(angle), s = std::sin(angle);
    switch (eighths) {
    case 0: return {c, -s};
    case 1: return {s, -c};
    case 2: return {-s, -c};
    case 3: return {-c, -s};
    case 4: return {-c, s};
    case 5: return {-s, c};
    case 6: return {s, c};
    default: return {c, s};
    }
}

// roots_of_unity holds all powers of exp(-2 pi i / n), each computed as the product of two of about 2 sqrt(n) stored ones, with
// more digits than T has.
template <class T> class roots_of_unity {
    using precise = std::conditional_t<(sizeof(T) > 4), long double, double>;

public:
    explicit roots_of_unity(std::int64_t n) : n_(n) {
        while ((std::int64_t(1) << (2 * bits_)) < n) ++bits_;
        std::int64_t const low = std::int64_t(1) << bits_, high = (n >> bits_) + 1;
        for (std::int64_t k = 0; k < low; ++k) low_.push_back(root_of_unity<precise>(k % n, n));
        for (std::int64_t k = 0; k < high; ++k) high_.push_back(root_of_unity<precise>((k << bits_) % n, n));
    }
    // k may be any number that isn't negative.
    std::complex<T> operator()(std::int64_t k) const {
        k %= n_;
        auto const a = low_[static_cast<std::size_t>(k & ((std::int64_t(1) << bits_) - 1))];
        auto const b = high_[static_cast<std::size_t>(k >> bits_)];
        return {static_cast<T>(a.real() * b.real() - a.imag() * b.imag()),
                static_cast<T>(a.real() * b.imag() + a.imag() * b.real())};
    }

private:
    std::int64_t n_;
    int bits_ = 0;
    std::vector<std::complex<precise>> low_, high_;
};

} // namespace tx::detail::inline TRACEXPR_TARGET::fourier
