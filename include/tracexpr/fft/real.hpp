// This file has real transforms of even lengths, by complex ones of half the length: numbers at even places are real parts, and
// those at odd places imaginary parts (Van Loan 4.3). With h = n / 2, Z the transform of the pairs and w = exp(-2 pi i / n):
//   X[k] = (Z[k] + conj Z[h - k]) / 2 - i w^k (Z[k] - conj Z[h - k]) / 2, and backwards, without factors,
//   Z[k] = X[k] + conj X[h - k] + i w^-k (X[k] - conj X[h - k]).
#pragma once

#include <tracexpr/fft/lanes.hpp>
#include <tracexpr/fft/roots.hpp>

#include <cstdint>
#include <vector>

namespace tx::detail::inline TRACEXPR_TARGET::fourier {

// Computes the numbers k and h - k of X from those of Z; re and im are those of w^k, as vectors or numbers for all lanes.
template <class T, int W, class F> TRACEXPR_INLINE void split_pair(unit<T, W>& a, unit<T, W>& b, F const& re, F const& im) {
    TRACEXPR_FUSES
    unit<T, W> const sum{T(0.5) * (a.re + b.re), T(0.5) * (a.im - b.im)};
    unit<T, W> turned{T(0.5) * (a.im + b.im), T(0.5) * (b.re - a.re)}; // -i (a - conj b) / 2
    multiply(turned, re, im);
    a = unit<T, W>{sum.re + turned.re, sum.im + turned.im};
    b = unit<T, W>{sum.re - turned.re, turned.im - sum.im};
}
template <class T, int W, class F> TRACEXPR_INLINE void join_pair(unit<T, W>& a, unit<T, W>& b, F const& re, F const& im) {
    TRACEXPR_FUSES
    unit<T, W> const sum{a.re + b.re, a.im - b.im};
    unit<T, W> turned{-(a.im + b.im), a.re - b.re}; // i (a - conj b)
    turned = unit<T, W>{turned.re * re + turned.im * im, turned.im * re - turned.re * im};
    a = unit<T, W>{sum.re + turned.re, sum.im + turned.im};
    b = unit<T, W>{sum.re - turned.re, turned.im - sum.im};
}

// real_factors holds the powers w^0 ... w^(n/4).
template <class T> class real_factors {
public:
    explicit real_factors(std::int64_t n) : h_(n / 2) {
        roots_of_unity<T> const root(n);
        for (std::int64_t k = 0; k <= h_ / 2; ++k) {
            std::complex<T> const w = root(k);
            w_.push_back(w.real()), w_.push_back(w.imag());
        }
    }
    T const* powers() const { return w_.data(); }
    // Replaces the h units of Z in a buffer by the h + 1 units of X.
    template <int W> void split_units(T* z) const {
        unit<T, W> first, last;
        load_unit(first, z);
        last = unit<T, W>{first.re - first.im, vec<T, W>{}};
        first = unit<T, W>{first.re + first.im, vec<T, W>{}};
        store_unit(z, first), store_unit(z + h_ * 2 * W, last);
        for (std::int64_t k = 1; k <= h_ / 2; ++k) {
            unit<T, W> a, b;
            load_unit(a, z + k * 2 * W), load_unit(b, z + (h_ - k) * 2 * W);
            split_pair(a, b, w_[place(2 * k)], w_[place(2 * k + 1)]);
            store_unit(z + k * 2 * W, a);
            if (2 * k != h_) store_unit(z + (h_ - k) * 2 * W, b);
        }
    }
    // Replaces the h + 1 units of X in a buffer by the h units of the conjugate of Z.
    template <int W> void join_units(T* x) const {
        unit<T, W> first, last;
        load_unit(first, x), load_unit(last, x + h_ * 2 * W);
        store_unit(x, unit<T, W>{first.re + last.re, last.re - first.re});
        for (std::int64_t k = 1; k <= h_ / 2; ++k) {
            unit<T, W> a, b;
            load_unit(a, x + k * 2 * W), load_unit(b, x + (h_ - k) * 2 * W);
            join_pair(a, b, w_[place(2 * k)], w_[place(2 * k + 1)]);
            a.im = -a.im, b.im = -b.im;
            store_unit(x + k * 2 * W, a);
            if (2 * k != h_) store_unit(x + (h_ - k) * 2 * W, b);
        }
    }
    // These do the same for interleaved numbers in a row; join_row reads X and writes Z.
    void split_row(T* z) const {
        T const re = z[0], im = z[1];
        z[0] = re + im, z[1] = T(0), z[2 * h_] = re - im, z[2 * h_ + 1] = T(0);
        for_pairs([&](auto lanes, std::int64_t k) TRACEXPR_INLINE_LAMBDA {
            constexpr int W = decltype(lanes)::value;
            pair<W> p(z, k, h_);
            unit<T, W> w;
            load_interleaved(w, w_.data() + 2 * k, T(1));
            split_pair(p.a, p.b, w.re, w.im);
            p.store(z, k, h_);
        });
    }
    void join_row(T const* x, T* z) const {
        z[0] = x[0] + x[2 * h_], z[1] = x[0] - x[2 * h_];
        for_pairs([&](auto lanes, std::int64_t k) TRACEXPR_INLINE_LAMBDA {
            constexpr int W = decltype(lanes)::value;
            pair<W> p(x, k, h_);
            unit<T, W> w;
            load_interleaved(w, w_.data() + 2 * k, T(1));
            join_pair(p.a, p.b, w.re, w.im);
            p.store(z, k, h_);
        });
    }

private:
    // `pair` holds numbers k to k + W - 1, and h - k to h - k - W + 1.
    template <int W> struct pair {
        using reversed = typename interleaving<T, W>::reversed;
        unit<T, W> a, b;
        TRACEXPR_INLINE pair(T const* from, std::int64_t k, std::int64_t h) {
            load_interleaved(a, from + 2 * k, T(1));
            load_interleaved(b, from + 2 * (h - k - W + 1), T(1));
            turn();
        }
        TRACEXPR_INLINE void store(T* to, std::int64_t k, std::int64_t h) {
            store_interleaved(to + 2 * k, a, T(1));
            turn();
            store_interleaved(to + 2 * (h - k - W + 1), b, T(1));
        }
        TRACEXPR_INLINE void turn() { // The order of interleaving is the same backwards.
            if constexpr (W > 1) b = unit<T, W>{shuffle<reversed, W>(b.re, b.re), shuffle<reversed, W>(b.im, b.im)};
        }
    };
    // Calls f for pairs 1 ... h / 2; pairs of vectors don't reach the middle.
    template <class F> TRACEXPR_INLINE void for_pairs(F const& f) const {
        constexpr int W = native_width<T>;
        std::int64_t k = 1;
        for (; 2 * (k + W - 1) < h_; k += W) f(std::integral_constant<int, W>{}, k);
        for (; 2 * k < h_; ++k) f(std::integral_constant<int, 1>{}, k);
        if (2 * k == h_) f(std::integral_constant<int, 1>{}, k);
    }
    static std::size_t place(std::int64_t k) { return static_cast<std::size_t>(k); }

    std::int64_t h_;
    std::vector<T> w_;
};

} // namespace tx::detail::inline TRACEXPR_TARGET::fourier
