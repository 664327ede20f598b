// This file has transforms of 2, 3, 4, 5, 7 or 8 numbers, complex or in pairs of real ones, that stay in registers from the first
// load to the last store. They transform one row, or W rows in the lanes of vectors.
#pragma once

#include <tracexpr/fft/butterflies.hpp>
#include <tracexpr/fft/lane_rows.hpp>
#include <tracexpr/fft/real.hpp>

#include <cstdint>

namespace tx::detail::inline TRACEXPR_TARGET::fourier {

enum class direction { forward, backward, from_real, to_real };

constexpr bool is_short(std::int64_t n) { return n >= 2 && n <= 8 && n != 6; }

// Calls f(k) so that k to k + Step - 1 cover all numbers below R; if Step doesn't divide R, some are covered twice.
template <int R, int Step, class F> TRACEXPR_INLINE void for_steps(F const& f) {
    unrolled<(R + Step - 1) / Step>([&](auto i) TRACEXPR_INLINE_LAMBDA {
        constexpr int k = decltype(i)::value * Step;
        f(k + Step > R ? R - Step : k);
    });
}
// Loads R numbers of W rows at equal distances. For one row with sign -1, real and imaginary parts are exchanged, here and in
// store_rows, which transforms backwards as conjugates do and takes no product.
template <int R, class T, int W> TRACEXPR_INLINE void load_rows(unit<T, W>* a, T const* in, std::int64_t distance, T sign) {
    if constexpr (W == 1) {
        int const re = sign < 0 ? 1 : 0, im = 1 - re;
        unrolled<R>([&](auto k) TRACEXPR_INLINE_LAMBDA { a[k] = unit<T, W>{in[2 * k + re], in[2 * k + im]}; });
    } else {
        for_steps<R, row_blocks<T, W>::numbers>(
            [&](int k) TRACEXPR_INLINE_LAMBDA { row_blocks<T, W>::load(a + k, in + 2 * k, distance, sign); });
    }
}
template <int R, class T, int W> TRACEXPR_INLINE void store_rows(unit<T, W> const* a, T* out, std::int64_t distance, T sign) {
    if constexpr (W == 1) {
        int const re = sign < 0 ? 1 : 0, im = 1 - re;
        unrolled<R>([&](auto k) TRACEXPR_INLINE_LAMBDA { out[2 * k + re] = a[k].re, out[2 * k + im] = a[k].im; });
    } else {
        for_steps<R, row_blocks<T, W>::numbers>(
            [&](int k) TRACEXPR_INLINE_LAMBDA { row_blocks<T, W>::store(a + k, out + 2 * k, distance, sign); });
    }
}

// row_pair holds the places of rows, with in_distance and out_distance numbers of T from one to the next.
template <class T> struct row_pair {
    T const* in;
    T* out;
    std::int64_t in_distance, out_distance;
};
template <int R, class T, int W> TRACEXPR_NOINLINE void run_short_complex(row_pair<T> const& rows, T sign) {
    unit<T, W> a[R];
    load_rows<R, T, W>(a, rows.in, rows.in_distance, sign);
    butterfly<R, T, W>::run(a);
    store_rows<R, T, W>(a, rows.out, rows.out_distance, sign);
}
// Transforms 2 R real numbers by the formulas of real.hpp; w are the powers of exp(-2 pi i / (2 R)).
template <int R, class T, int W> TRACEXPR_NOINLINE void run_short_from_real(row_pair<T> const& rows, T const* w) {
    unit<T, W> a[R + 1];
    load_rows<R, T, W>(a, rows.in, rows.in_distance, T(1));
    butterfly<R, T, W>::run(a);
    a[R] = unit<T, W>{a[0].re - a[0].im, vec<T, W>{}};
    a[0] = unit<T, W>{a[0].re + a[0].im, vec<T, W>{}};
    unrolled<R / 2>([&](auto i) TRACEXPR_INLINE_LAMBDA {
        constexpr int k = decltype(i)::value + 1;
        unit<T, W> other = a[R - k];
        split_pair(a[k], other, w[2 * k], w[2 * k + 1]);
        if constexpr (2 * k != R) a[R - k] = other;
    });
    store_rows<R + 1, T, W>(a, rows.out, rows.out_distance, T(1));
}
template <int R, class T, int W> TRACEXPR_NOINLINE void run_short_to_real(row_pair<T> const& rows, T const* w) {
    unit<T, W> a[R + 1];
    load_rows<R + 1, T, W>(a, rows.in, rows.in_distance, T(1));
    a[0] = unit<T, W>{a[0].re - a[R].re, a[0].re + a[R].re}; // The parts are exchanged, to run backwards.
    unrolled<R / 2>([&](auto i) TRACEXPR_INLINE_LAMBDA {
        constexpr int k = decltype(i)::value + 1;
        unit<T, W> one = a[k], other = a[R - k];
        join_pair(one, other, w[2 * k], w[2 * k + 1]);
        a[k] = unit<T, W>{one.im, one.re};
        if constexpr (2 * k != R) a[R - k] = unit<T, W>{other.im, other.re};
    });
    butterfly<R, T, W>::run(a);
    unrolled<R>([&](auto k) TRACEXPR_INLINE_LAMBDA { a[k] = unit<T, W>{a[k].im, a[k].re}; });
    store_rows<R, T, W>(a, rows.out, rows.out_distance, T(1));
}

template <int R, class T, int W> TRACEXPR_INLINE void run_short_of(direction d, row_pair<T> const& rows, T const* w) {
    if (d == direction::from_real) run_short_from_real<R, T, W>(rows, w);
    else if (d == direction::to_real) run_short_to_real<R, T, W>(rows, w);
    else run_short_complex<R, T, W>(rows, d == direction::backward ? T(-1) : T(1));
}
// Transforms n complex numbers, or n pairs, where is_short(n).
template <class T, int W> void run_short(int n, direction d, row_pair<T> const& rows, T const* w) {
    switch (n) {
    case 2: return run_short_of<2, T, W>(d, rows, w);
    case 3: return run_short_of<3, T, W>(d, rows, w);
    case 4: return run_short_of<4, T, W>(d, rows, w);
    case 5: return run_short_of<5, T, W>(d, rows, w);
    case 7: return run_short_of<7, T, W>(d, rows, w);
    default: return run_short_of<8, T, W>(d, rows, w);
    }
}

} // namespace tx::detail::inline TRACEXPR_TARGET::fourier
