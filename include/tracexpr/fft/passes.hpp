// This file has transforms of n units by Stockham's passes (Van Loan, Computational Frameworks for the Fast Fourier Transform,
// 1.7): each lane has its own transform, there is no bit reversal, and every pass reads one array and writes another.
#pragma once

#include <tracexpr/fft/butterflies.hpp>
#include <tracexpr/fft/roots.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace tx::detail::inline TRACEXPR_TARGET::fourier {

// A pass reads and writes units by such accessors, one unit a row. A buffer has row after row.
template <class T, int W> struct buffer_rows {
    T* at;
    TRACEXPR_INLINE void load(std::int64_t row, unit<T, W>& to) const { load_unit(to, at + row * (2 * W)); }
    TRACEXPR_INLINE void store(std::int64_t row, unit<T, W>& from) const { store_unit(at + row * (2 * W), from); }
};
// matrix_rows holds matrices of interleaved complex numbers, with `stride` numbers of T from row to row; a unit is W neighbours.
template <class T, int W> struct matrix_rows {
    T const* at;
    std::int64_t stride;
    T sign; // -1 reads the conjugates
    TRACEXPR_INLINE void load(std::int64_t row, unit<T, W>& to) const { load_interleaved(to, at + row * stride, sign); }
};
template <class T, int W> struct matrix_results {
    T* at;
    std::int64_t stride;
    T sign;
    TRACEXPR_INLINE void store(std::int64_t row, unit<T, W>& from) const { store_interleaved(at + row * stride, from, sign); }
};
// These results multiply units by those of a table before they write them.
template <class T, int W> struct turned_results {
    T* at;
    std::int64_t stride;
    T const* factors;
    TRACEXPR_INLINE void store(std::int64_t row, unit<T, W>& from) const {
        unit<T, W> w;
        load_unit(w, factors + row * (2 * W));
        multiply(from, w.re, w.im);
        store_unit(at + row * stride, from);
    }
};
// These results multiply units by factors before they write them, where a table of all factors would be too large: each factor is
// the product of a number of the row for all lanes, and one of the row and lane.
template <class T, int W> struct twice_turned_results {
    T* at;
    std::int64_t stride;
    T const* factors;
    T const* numbers;
    TRACEXPR_INLINE void store(std::int64_t row, unit<T, W>& from) const {
        unit<T, W> w;
        load_unit(w, factors + row * (2 * W));
        T const* const number = numbers + 2 * row;
        multiply(w, number[0], number[1]);
        multiply(from, w.re, w.im);
        store_unit(at + row * stride, from);
    }
};

// Runs one pass over m times R times s rows; the R sums are multiplied by R - 1 twiddle factors, unless it is the last pass (m =
// 1).
template <int R, bool Last, class T, int W, class In, class Out>
TRACEXPR_INLINE void pass_rows(In const& in, Out const& out, T const* factors, std::int64_t s, std::int64_t m) {
    for (std::int64_t p = 0; p < m; ++p, factors += 2 * (R - 1)) {
        for (std::int64_t q = 0; q < s; ++q) {
            unit<T, W> a[R];
            unrolled<R>([&](auto k) TRACEXPR_INLINE_LAMBDA { in.load(q + s * (p + m * k), a[k]); });
            butterfly<R, T, W>::run(a);
            unrolled<R>([&](auto k) TRACEXPR_INLINE_LAMBDA {
                if constexpr (!Last && decltype(k)::value > 0) multiply(a[k], factors[2 * k - 2], factors[2 * k - 1]);
                out.store(q + s * (R * p + k), a[k]);
            });
        }
    }
}
template <int R, bool Last, class T, int W, class In, class Out>
TRACEXPR_NOINLINE void run_pass(In const in, Out const out, T const* factors, std::int64_t s, std::int64_t m) {
    pass_rows<R, Last, T, W>(in, out, factors, s, m);
}

inline constexpr int most_any_radix = 61;

// Runs a pass with an odd prime radix: sums and differences of numbers j and r - j are multiplied by cosines and sines, which
// takes about r^2 products. `roots` are exp(-2 pi i k / r).
template <class T, int W, class In, class Out> TRACEXPR_NOINLINE void
run_any_pass(int r, T const* roots, In const in, Out const out, T const* factors, std::int64_t s, std::int64_t m) {
    TRACEXPR_FUSES
    unit<T, W> sums[most_any_radix / 2 + 1], differences[most_any_radix / 2 + 1];
    int const half = r / 2;
    auto const turned = [&](unit<T, W>& a, T const* w, std::int64_t row) TRACEXPR_INLINE_LAMBDA {
        multiply(a, w[0], w[1]);
        out.store(row, a);
    };
    for (std::int64_t p = 0; p < m; ++p, factors += 2 * (r - 1)) {
        for (std::int64_t q = 0; q < s; ++q) {
            unit<T, W> first, total;
            in.load(q + s * p, first);
            total = first;
            for (int j = 1; j <= half; ++j) {
                in.load(q + s * (p + m * j), sums[j]);
                in.load(q + s * (p + m * (r - j)), differences[j]);
                add_and_subtract(sums[j], differences[j]);
                total.re += sums[j].re, total.im += sums[j].im;
            }
            out.store(q + s * (r * p), total);
            for (int k = 1; k <= half; ++k) {
                unit<T, W> even = first, odd{};
                for (int j = 1, w = k; j <= half; ++j) {
                    T const c = roots[2 * w], d = roots[2 * w + 1];
                    even.re += c * sums[j].re, even.im += c * sums[j].im;
                    odd.re += d * differences[j].re, odd.im += d * differences[j].im;
                    w += k;
                    if (w >= r) w -= r;
                }
                unit<T, W> a{even.re - odd.im, even.im + odd.re}, b{even.re + odd.im, even.im - odd.re};
                turned(a, factors + 2 * (k - 1), q + s * (r * p + k));
                turned(b, factors + 2 * (r - k - 1), q + s * (r * p + r - k));
            }
        }
    }
}

// Gives the radices of the passes, whose product is n, without those that are 1. There are none if a prime factor is too large.
inline std::vector<int> radices_of(std::int64_t n) {
    std::vector<int> out;
    int twos = 0;
    for (; n % 2 == 0; n /= 2) ++twos;
    for (int p = 3; p <= most_any_radix; p += 2)
        for (; n % p == 0; n /= p) out.push_back(p);
    if (n != 1) return {};
    // Eights and fours are used rather than twos: 2^4 is 4 * 4, 2^5 is 8 * 4, 2^7 is 8 * 4 * 4.
    std::vector<int> even;
    for (; twos >= 3 && twos != 4; twos -= 3) even.push_back(8);
    for (; twos >= 2; twos -= 2) even.push_back(4);
    if (twos == 1) even.push_back(2);
    out.insert(out.begin(), even.begin(), even.end());
    return out;
}

// `passes` holds the tables of a transform of n units.
template <class T> class passes {
public:
    passes() = default;
    explicit passes(std::int64_t n, std::vector<int> const& radices) : n_(n) {
        roots_of_unity<T> const root(n);
        std::int64_t s = 1;
        for (int const r : radices) {
            std::int64_t const m = n / s / r;
            pass made{r, s, m, numbers_.size(), 0};
            for (std::int64_t p = 0; p < m; ++p)
                for (int k = 1; k < r; ++k) add(root(p * k * s));
            made.roots = numbers_.size();
            if (!is_plain(r))
                for (int k = 0; k < r; ++k) add(root(n / r * k));
            all_.push_back(made);
            s *= r;
        }
    }
    std::int64_t size() const { return n_; }
    bool is_single() const { return all_.size() <= 1; }

    // Reads by `in` and writes by `out`, with one or two buffers of n units between. `in` may read the second buffer, and `out`
    // must write neither. If a row has several units, `count`, the transforms of their columns run side by side.
    template <int W, class In, class Out> void run(In const& in, Out const& out, T* one, T* two, std::int64_t count = 1) const {
        if (all_.empty()) return run_pass<1, true, T, W>(in, out, nullptr, count, 1);
        std::size_t const last = all_.size() - 1;
        if (last == 0) return run_one<true, W>(all_[0], in, out, count);
        run_one<false, W>(all_[0], in, buffer_rows<T, W>{one}, count);
        for (std::size_t k = 1; k < last; ++k) {
            run_one<false, W>(all_[k], buffer_rows<T, W>{one}, buffer_rows<T, W>{two}, count);
            std::swap(one, two);
        }
        run_one<true, W>(all_[last], buffer_rows<T, W>{one}, out, count);
    }

private:
    struct pass {
        int radix;
        std::int64_t s, m;
        std::size_t factors, roots;
    };
    static bool is_plain(int r) { return r <= 5 || r == 7 || r == 8; }
    void add(std::complex<T> const& w) { numbers_.push_back(w.real()), numbers_.push_back(w.imag()); }
    template <bool Last, int W, class In, class Out>
    void run_one(pass const& p, In const& in, Out const& out, std::int64_t count) const {
        T const* const factors = numbers_.data() + p.factors;
        std::int64_t const s = p.s * count;
        switch (p.radix) {
        case 2: return run_pass<2, Last, T, W>(in, out, factors, s, p.m);
        case 3: return run_pass<3, Last, T, W>(in, out, factors, s, p.m);
        case 4: return run_pass<4, Last, T, W>(in, out, factors, s, p.m);
        case 5: return run_pass<5, Last, T, W>(in, out, factors, s, p.m);
        case 7: return run_pass<7, Last, T, W>(in, out, factors, s, p.m);
        case 8: return run_pass<8, Last, T, W>(in, out, factors, s, p.m);
        default: return run_any_pass<T, W>(p.radix, numbers_.data() + p.roots, in, out, factors, s, p.m);
        }
    }

    std::int64_t n_ = 1;
    std::vector<pass> all_;
    std::vector<T> numbers_;
};

} // namespace tx::detail::inline TRACEXPR_TARGET::fourier
