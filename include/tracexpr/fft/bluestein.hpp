// This file has transforms whose length has a large prime factor, as a convolution with a chirp (Bluestein 1970; Van Loan 4.2.3):
// j k is (j^2 + k^2 - (k - j)^2) / 2.
#pragma once

#include <tracexpr/fft/single.hpp>

#include <complex>
#include <cstdint>
#include <utility>
#include <vector>

namespace tx::detail::inline TRACEXPR_TARGET::fourier {

// Multiplies complex numbers, out[i] = a[i] b[i]; the imaginary parts of a are multiplied by sign_in, and those of the results by
// sign_out.
template <class T> TRACEXPR_NOINLINE void multiply_rows(T const* a, T const* b, T* out, std::int64_t n, T sign_in, T sign_out) {
    constexpr int W = native_width<T>;
    auto const some = [&]<int L>(std::integral_constant<int, L>, std::int64_t i) TRACEXPR_INLINE_LAMBDA {
        unit<T, L> x, y;
        load_interleaved(x, a + 2 * i, sign_in);
        load_interleaved(y, b + 2 * i, T(1));
        multiply(x, y.re, y.im);
        store_interleaved(out + 2 * i, x, sign_out);
    };
    std::int64_t i = 0;
    for (; i + W <= n; i += W) some(std::integral_constant<int, W>{}, i);
    for (; i < n; ++i) some(std::integral_constant<int, 1>{}, i);
}

template <class T> class chirp_transform {
public:
    explicit chirp_transform(std::int64_t n) : n_(n), m_(convolved_size(2 * n - 1)), inner_(m_) {
        roots_of_unity<T> const root(2 * n);
        chirp_.resize(static_cast<std::size_t>(2 * n));
        std::vector<T> filter(static_cast<std::size_t>(2 * m_), T(0));
        std::int64_t square = 0; // k^2 modulo 2 n
        for (std::int64_t k = 0; k < n; ++k) {
            std::complex<T> const w = root(square);
            put(chirp_, k, w);
            put(filter, k, std::conj(w) / static_cast<T>(m_));
            if (k > 0) put(filter, m_ - k, std::conj(w) / static_cast<T>(m_));
            square = (square + 2 * k + 1) % (2 * n);
        }
        filter_.resize(filter.size());
        inner_.run(filter.data(), filter_.data(), T(1));
    }
    void run(T const* in, T* out, T sign) const {
        scratch& memory = this_scratch();
        T* const one = memory.take<T>(purpose::chirp_one, 2 * m_);
        T* const two = memory.take<T>(purpose::chirp_two, 2 * m_);
        multiply_rows(in, chirp_.data(), one, n_, sign, T(1));
        std::fill(one + 2 * n_, one + 2 * m_, T(0));
        inner_.run(one, two, T(1));
        multiply_rows(two, filter_.data(), two, m_, T(1), T(1));
        inner_.run(two, one, T(-1));
        multiply_rows(one, chirp_.data(), out, n_, T(1), sign);
    }

private:
    static void put(std::vector<T>& to, std::int64_t k, std::complex<T> const& w) {
        to[static_cast<std::size_t>(2 * k)] = w.real(), to[static_cast<std::size_t>(2 * k + 1)] = w.imag();
    }
    static std::int64_t convolved_size(std::int64_t least) {
        std::int64_t best = 16;
        while (best < least) best *= 2;
        for (std::int64_t const odd : {3, 5, 9, 15}) {
            std::int64_t size = odd * 16;
            while (size < least) size *= 2;
            if (size < best) best = size;
        }
        return best;
    }

    std::int64_t n_, m_;
    single_transform<T> inner_;
    std::vector<T> chirp_, filter_;
};

template <class T> single_transform<T>::single_transform(std::int64_t n) : n_(n) {
    std::vector<int> const radices = radices_of(n);
    bool const is_smooth = n == 1 || !radices.empty();
    // A chirp costs about two transforms of more than twice the length, and three passes.
    if (!is_smooth || (n > 256 && cost_of(radices) > 40)) {
        chirp_ = std::make_unique<chirp_transform<T>>(n);
        return;
    }
    if (make_row(row_) || make_split(native_)) return;
    if constexpr (half < W) {
        if (make_row(half_row_)) return;
    }
    if constexpr (narrow < half) {
        if (make_row(narrow_row_)) return;
    }
    if constexpr (narrow < W) {
        if (make_split(narrow_)) return;
    }
    numbers_ = std::make_unique<passes<T>>(n, radices);
}
template <class T> void single_transform<T>::run(T const* in, T* out, T sign) const {
    if (row_) return row_->run(in, out, sign);
    if (half_row_) return half_row_->run(in, out, sign);
    if (narrow_row_) return narrow_row_->run(in, out, sign);
    if (native_) return native_->run(in, out, sign);
    if (narrow_) return narrow_->run(in, out, sign);
    if (chirp_) return chirp_->run(in, out, sign);
    T *one = nullptr, *two = nullptr;
    if (!numbers_->is_single()) {
        one = this_scratch().take<T>(purpose::pass_one, 2 * n_);
        two = this_scratch().take<T>(purpose::pass_two, 2 * n_);
    }
    numbers_->template run<1>(matrix_rows<T, 1>{in, 2, sign}, matrix_results<T, 1>{out, 2, sign}, one, two);
}

} // namespace tx::detail::inline TRACEXPR_TARGET::fourier
