// This file computes running combinations (sums, products, extremes) along the middle axis of a row-major (outer, n, inner).
// Elements of a row are combined from the first to the last. Only combinations that give the same result in any grouping, and
// sums of few long rows, are combined within a vector first, and then with what is before it.
#pragma once

#include <tracexpr/backends/loops/transpose.hpp>
#include <tracexpr/backends/vectors/values.hpp>
#include <tracexpr/base/config.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

template <class T> constexpr bool is_nan(T const& value) {
    if constexpr (std::is_integral_v<T>) return false;
    else return !(value == value);
}

// Sums and products of signed integers wrap, as those of NumPy do.
template <class T, class F> constexpr T wrapped(T a, T b, F f) {
    if constexpr (std::is_same_v<T, bool>) return f(int(a), int(b)) != 0;
    else if constexpr (std::is_integral_v<T>)
        return static_cast<T>(f(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
    else return f(a, b);
}

// What a scan does with two elements, and with two vectors of them. `groups` is true if f(f(a, b), c) equals f(a, f(b, c)) bit by
// bit. `rounds_sums` is true if they may differ by rounding only. `keeps` is true if f(a, a) is a.
struct plus {
    template <class T> static constexpr bool groups = std::is_integral_v<T>;
    static constexpr bool rounds_sums = true, keeps = false;
    template <class T> static constexpr T scalar(T a, T b) {
        return wrapped(a, b, [](auto x, auto y) { return x + y; });
    }
    template <class V> static TRACEXPR_INLINE V vector(V const& a, V const& b) { return a + b; }
};
struct times {
    template <class T> static constexpr bool groups = std::is_integral_v<T>;
    static constexpr bool rounds_sums = false, keeps = false; // a product of some elements may overflow where that of all doesn't
    template <class T> static constexpr T scalar(T a, T b) {
        return wrapped(a, b, [](auto x, auto y) { return x * y; });
    }
    template <class V> static TRACEXPR_INLINE V vector(V const& a, V const& b) { return a * b; }
};
// NumPy's maximum and minimum: if either operand is NaN, so is the result: the first one if both are.
struct maximum_or_nan {
    template <class T> static constexpr bool groups = true;
    static constexpr bool rounds_sums = false, keeps = true;
    template <class T> static constexpr T scalar(T a, T b) { return a >= b || is_nan(a) ? a : b; }
    template <class V> static TRACEXPR_INLINE V vector(V const& a, V const& b) { return ((a >= b) | (a != a)) ? a : b; }
};
struct minimum_or_nan {
    template <class T> static constexpr bool groups = true;
    static constexpr bool rounds_sums = false, keeps = true;
    template <class T> static constexpr T scalar(T a, T b) { return a <= b || is_nan(a) ? a : b; }
    template <class V> static TRACEXPR_INLINE V vector(V const& a, V const& b) { return ((a <= b) | (a != a)) ? a : b; }
};

// Scans the elements i .. n - 1 of W rows, which are `row_stride` elements from each other. Blocks of W x W are transposed in
// registers, so that each lane has a row; the remaining columns are done for halves of the rows. `running` is the combination of
// the elements before i.
template <class F, int W, class T>
void scan_rows_in_lanes(std::int64_t i, std::int64_t n, std::int64_t row_stride, T const* in, T* out, T (&running)[W]) {
    if constexpr (W >= 4 && is_vectorizable<T> && sizeof(T) >= 4) {
        [&]<int... K>(std::integer_sequence<int, K...>) TRACEXPR_INLINE_LAMBDA {
            auto before = load<W>(running);
            for (; i + W <= n; i += W) {
                lanes<T, W> block[W]{load<W>(in + K * row_stride + i)...};
                transpose_block(block);
                if (i > 0) block[0] = F::vector(before, block[0]);
                ((K > 0 ? void(block[K] = F::vector(block[K - (K > 0)], block[K])) : void()), ...);
                before = block[W - 1];
                transpose_block(block);
                (store<W>(out + K * row_stride + i, block[K]), ...);
            }
            store<W>(running, before);
        }(std::make_integer_sequence<int, W>{});
        for (int half = 0; half < W && i < n; half += W / 2) {
            T rest[W / 2];
            std::copy_n(running + half, W / 2, rest);
            scan_rows_in_lanes<F>(i, n, row_stride, in + half * row_stride, out + half * row_stride, rest);
        }
    } else {
        for (; i < n; ++i)
            for (int row = 0; row < W; ++row) {
                T const value = in[row * row_stride + i];
                out[row * row_stride + i] = running[row] = i > 0 ? F::scalar(running[row], value) : value;
            }
    }
}
// Scans rows of N elements, in a loop which the compiler unrolls.
template <class F, int N, class T> void scan_short(std::int64_t rows, T const* in, T* out) {
    for (; rows > 0; --rows, in += N, out += N) {
        T running = out[0] = in[0];
        for (int i = 1; i < N; ++i) out[i] = running = F::scalar(running, in[i]);
    }
}
template <class F, int W, class T> void scan_all_rows_in_lanes(std::int64_t rows, std::int64_t n, T const* in, T* out) {
    for (; rows >= W; rows -= W, in += W * n, out += W * n) {
        T running[W]{};
        scan_rows_in_lanes<F>(0, n, n, in, out, running);
    }
    if constexpr (W > 1) scan_all_rows_in_lanes<F, W / 2>(rows, n, in, out);
}

// Each lane takes the value of the lane S before it; the first S lanes keep theirs.
template <int S> struct moved_up {
    static constexpr int at(int lane) { return lane >= S ? lane - S : lane; }
};
template <int S, int W> struct first_of_second {
    static constexpr int at(int lane) { return lane < S ? W + lane : lane; }
};
template <int W> struct last_lane {
    static constexpr int at(int) { return W - 1; }
};
// Combines each lane with all lanes before it, in log2(W) steps.
template <class F, int W, int S = 1, class V> TRACEXPR_INLINE V scan_lanes(V const& v) {
    if constexpr (S >= W) {
        return v;
    } else {
        V const both = F::vector(shuffle<moved_up<S>, W>(v, v), v);
        if constexpr (F::keeps) return scan_lanes<F, W, 2 * S>(both);
        else return scan_lanes<F, W, 2 * S>(shuffle<first_of_second<S, W>, W>(both, v));
    }
}
// Scans one row, W elements at a time.
template <class F, int W, class T> void scan_row(std::int64_t n, T const* in, T* out) {
    lanes<T, W> before{};
    auto const scan_vector = [&](std::int64_t i, lanes<T, W> const& v) TRACEXPR_INLINE_LAMBDA {
        auto const own = scan_lanes<F, W>(v);
        auto const total = shuffle<last_lane<W>, W>(own, own), all = i > 0 ? F::vector(before, own) : own;
        before = i > 0 ? F::vector(before, total) : total;
        return all;
    };
    std::int64_t i = 0;
    for (; i + W <= n; i += W) store<W>(out + i, scan_vector(i, load<W>(in + i)));
    if (i < n)
        store_some_value<T, W>(out + i, scan_vector(i, load_some_value<T, W, static_cast<int>(sizeof(T))>(in + i, n - i)), n - i);
}

// Scans rows. The order in which a sum is computed depends only on the extents.
template <class F, class Arch, class T> void scan_rows(std::int64_t rows, std::int64_t n, T const* in, T* out) {
    switch (n) {
    case 1: return void(std::copy_n(in, rows, out));
    case 2: return scan_short<F, 2>(rows, in, out);
    case 3: return scan_short<F, 3>(rows, in, out);
    case 4: return scan_short<F, 4>(rows, in, out);
    case 5: return scan_short<F, 5>(rows, in, out);
    case 6: return scan_short<F, 6>(rows, in, out);
    case 7: return scan_short<F, 7>(rows, in, out);
    default: break;
    }
    if constexpr (is_vectorizable<T>) {
        constexpr int w = std::min(native_lanes<T, Arch>, 16);
        constexpr bool transposes = sizeof(T) >= 4;
        constexpr int rows_at_once = transposes ? moving_lanes<T, Arch> : 4;
        if (F::template groups<T> ? n >= w : F::rounds_sums && rows < 4 && n >= 8 * w) {
            std::int64_t const together = transposes && F::template groups<T> ? rows - rows % rows_at_once : 0;
            scan_all_rows_in_lanes<F, rows_at_once>(together, n, in, out);
            for (std::int64_t r = together; r < rows; ++r) scan_row<F, w>(n, in + r * n, out + r * n);
        } else {
            scan_all_rows_in_lanes<F, rows_at_once>(rows, n, in, out);
        }
    } else {
        scan_all_rows_in_lanes<F, 4>(rows, n, in, out);
    }
}

// out[j] = before[j] f in[j], from column j on. The operands may be one array, so the compiler would not vectorize a plain loop.
template <class F, int W, class T> void combine_rows(std::int64_t j, std::int64_t columns, T const* before, T const* in, T* out) {
    if constexpr (W == 1) {
        for (; j < columns; ++j) out[j] = F::scalar(before[j], in[j]);
    } else {
        for (; j + W <= columns; j += W) store<W>(out + j, F::vector(load<W>(before + j), load<W>(in + j)));
        combine_rows<F, W / 2>(j, columns, before, in, out);
    }
}
// Scans (n, inner) down its columns, from column j on, W of them at a time; the running value stays in a register.
template <class F, int W, class T> void scan_columns(std::int64_t j, std::int64_t n, std::int64_t inner, T const* in, T* out) {
    for (; j + W <= inner; j += W) {
        if constexpr (W == 1) {
            T running = out[j] = in[j];
            for (std::int64_t at = j + inner; at < n * inner; at += inner) out[at] = running = F::scalar(running, in[at]);
        } else {
            auto running = load<W>(in + j);
            store<W>(out + j, running);
            for (std::int64_t at = j + inner; at < n * inner; at += inner) {
                running = F::vector(running, load<W>(in + at));
                store<W>(out + at, running);
            }
        }
    }
    if constexpr (W > 1) scan_columns<F, W / 2>(j, n, inner, in, out);
}

// out(o, i, j) = in(o, 0, j) f in(o, 1, j) f ... f in(o, i, j). `out` may be `in`.
template <class F, class Arch, class T> void scan(std::int64_t outer, std::int64_t n, std::int64_t inner, T const* in, T* out) {
    if (n == 0 || inner == 0) return;
    if (inner == 1) return scan_rows<F, Arch>(outer, n, in, out);
    constexpr int w = is_vectorizable<T> ? native_lanes<T, Arch> : 1;
    for (std::int64_t o = 0; o < outer; ++o, in += n * inner, out += n * inner) {
        if (inner <= 2 * w) {
            scan_columns<F, w>(0, n, inner, in, out);
            continue;
        }
        std::copy(in, in + inner, out);
        for (std::int64_t i = 1; i < n; ++i) combine_rows<F, w>(0, inner, out + (i - 1) * inner, in + i * inner, out + i * inner);
    }
}

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
