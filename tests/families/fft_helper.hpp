// This file computes a Fourier transform by its definition, for tests of tx::fft.
#pragma once

#include <tracexpr/tracexpr.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

namespace tx::testing {

// Gives the sums over j of x[j] exp(sign 2 pi i j k / n) along the middle axis of (outer, n, inner).
template <class T> std::vector<std::complex<double>> transformed(std::vector<std::complex<T>> const& x, std::int64_t outer,
                                                                 std::int64_t n, std::int64_t inner, int sign) {
    std::vector<std::complex<double>> out(x.size());
    std::vector<long double> cosines, sines;
    for (std::int64_t j = 0; j < n; ++j) {
        long double const angle = static_cast<long double>(sign) * 6.283185307179586476925286766559005768L *
                                  static_cast<long double>(j) / static_cast<long double>(n);
        cosines.push_back(std::cos(angle)), sines.push_back(std::sin(angle));
    }
    for (std::int64_t o = 0; o < outer; ++o)
        for (std::int64_t i = 0; i < inner; ++i)
            for (std::int64_t k = 0; k < n; ++k) {
                long double re = 0, im = 0;
                for (std::int64_t j = 0; j < n; ++j) {
                    std::size_t const turn = static_cast<std::size_t>(j * k % n);
                    auto const& v = x[static_cast<std::size_t>((o * n + j) * inner + i)];
                    long double const c = cosines[turn], s = sines[turn], a = static_cast<long double>(v.real()),
                                      b = static_cast<long double>(v.imag());
                    re += a * c - b * s, im += a * s + b * c;
                }
                out[static_cast<std::size_t>((o * n + k) * inner + i)] = {static_cast<double>(re), static_cast<double>(im)};
            }
    return out;
}

// Gives the norm of a - b divided by that of b.
template <class A, class B> double relative_error(A const* a, B const* b, std::int64_t count) {
    double error = 0, size = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        auto const wanted = std::complex<double>(b[i]);
        error += std::norm(std::complex<double>(a[i]) - wanted), size += std::norm(wanted);
    }
    return size == 0 ? std::sqrt(error) : std::sqrt(error / size);
}

// Gives numbers that look random, the same each time.
template <class T> std::vector<std::complex<T>> some_numbers(std::int64_t count) {
    std::vector<std::complex<T>> out;
    std::uint64_t state = 12345;
    auto const next = [&] {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<T>(static_cast<double>(state >> 11) * 0x1p-52 - 1);
    };
    for (std::int64_t k = 0; k < count; ++k) {
        T const re = next();
        out.emplace_back(re, next());
    }
    return out;
}

} // namespace tx::testing
