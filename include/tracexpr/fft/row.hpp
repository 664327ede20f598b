// This file has the transform of n complex numbers in a row, n = r m, where vectors of W numbers run along the row. The first of
// Stockham's passes transforms r numbers at a distance of m, for W neighbours at a time, and transposes its results so that W
// neighbours are again lanes of a unit for all other passes (Van Loan, 1.7). r is a multiple of W, and m is at least W.
#pragma once

#include <tracexpr/fft/passes.hpp>
#include <tracexpr/fft/scratch.hpp>

#include <cstdint>
#include <vector>

namespace tx::detail::inline TRACEXPR_TARGET::fourier {

// Writes number k of the R sums of column p to number R p + k of the buffer. If the number of columns isn't a multiple of W, the
// last block begins earlier and computes some again.
template <int R, class T, int W>
TRACEXPR_INLINE void first_pass_rows(T const* in, T sign, T const* factors, std::int64_t m, T* to) {
    using order = interleaving<T, W>;
    for (std::int64_t b = 0; b < m; b += W, factors += 2 * W * (R - 1)) {
        std::int64_t const p = b + W > m ? m - W : b;
        unit<T, W> a[R];
        unrolled<R>([&](auto k) TRACEXPR_INLINE_LAMBDA { load_interleaved(a[k], in + 2 * (p + m * k), sign); });
        butterfly<R, T, W>::run(a);
        unrolled<R - 1>([&](auto k) TRACEXPR_INLINE_LAMBDA {
            unit<T, W> w;
            load_unit(w, factors + 2 * W * k);
            multiply(a[k + 1], w.re, w.im);
        });
        unrolled<R / W>([&](auto g) TRACEXPR_INLINE_LAMBDA {
            vec<T, W> re[W], im[W];
            unrolled<W>([&](auto j) TRACEXPR_INLINE_LAMBDA {
                unit<T, W> const& from = a[g * W + order::order(j)];
                re[j] = from.re, im[j] = from.im;
            });
            transpose<T, W>(re), transpose<T, W>(im);
            unrolled<W>([&](auto l) TRACEXPR_INLINE_LAMBDA {
                store_unit(to + ((p + order::order(l)) * R + g * W) * 2, unit<T, W>{re[l], im[l]});
            });
        });
    }
}
template <int R, class T, int W>
TRACEXPR_NOINLINE void run_first_pass(T const* in, T sign, T const* factors, std::int64_t m, T* to) {
    first_pass_rows<R, T, W>(in, sign, factors, m, to);
}
// Runs both passes of R times S numbers.
template <int R, int S, class T, int W> TRACEXPR_NOINLINE void run_two_passes(T const* in, T* out, T sign, T const* factors) {
    alignas(64) T buffer[2 * R * S];
    first_pass_rows<R, T, W>(in, sign, factors, S, buffer);
    pass_rows<S, true, T, W>(buffer_rows<T, W>{buffer}, matrix_results<T, W>{out, 2 * W, sign}, factors, R / W, 1);
}

template <class T, int W> class row_transform {
public:
    // Gives the radix of the first pass, or 0 if n has none.
    static int first_radix(std::int64_t n) {
        for (int const r : {8, 4, 2, 16})
            if (r % W == 0 && n % r == 0 && n / r >= W && (n == r || !radices_of(n / r).empty())) return r;
        return 0;
    }
    explicit row_transform(std::int64_t n) : radix_(first_radix(n)), m_(n / radix_), rest_(m_, radices_of(m_)) {
        roots_of_unity<T> const root(n);
        for (std::int64_t b = 0; b < m_; b += W)
            for (std::int64_t k = 1; k < radix_; ++k) {
                std::int64_t const p = b + W > m_ ? m_ - W : b;
                for (int i = 0; i < W; ++i) factors_.push_back(root(k * (p + interleaving<T, W>::order(i))).real());
                for (int i = 0; i < W; ++i) factors_.push_back(root(k * (p + interleaving<T, W>::order(i))).imag());
            }
    }
    // Transforms forwards, or with sign -1 backwards: then it reads and writes conjugates.
    void run(T const* in, T* out, T sign) const {
        if constexpr (W == 4 || W == 8) {
            if (radix_ == 8 && m_ == 8) return run_two_passes<8, 8, T, W>(in, out, sign, factors_.data());
        }
        if constexpr (W == 4) {
            if (radix_ == 4 && m_ == 4) return run_two_passes<4, 4, T, W>(in, out, sign, factors_.data());
            if (radix_ == 8 && m_ == 4) return run_two_passes<8, 4, T, W>(in, out, sign, factors_.data());
        }
        T* const one = rest_.is_single() ? nullptr : this_scratch().take<T>(purpose::pass_one, 2 * radix_ * m_);
        T* const two = this_scratch().take<T>(purpose::pass_two, 2 * radix_ * m_);
        switch (radix_) {
        case 2: run_first<2>(in, sign, two); break;
        case 4: run_first<4>(in, sign, two); break;
        case 8: run_first<8>(in, sign, two); break;
        default: run_first<16>(in, sign, two); break;
        }
        rest_.template run<W>(buffer_rows<T, W>{two}, matrix_results<T, W>{out, 2 * W, sign}, one, two, radix_ / W);
    }

private:
    template <int R> void run_first(T const* in, T sign, T* to) const {
        if constexpr (R % W == 0) run_first_pass<R, T, W>(in, sign, factors_.data(), m_, to);
    }

    int radix_;
    std::int64_t m_;
    passes<T> rest_;
    std::vector<T> factors_;
};

} // namespace tx::detail::inline TRACEXPR_TARGET::fourier
