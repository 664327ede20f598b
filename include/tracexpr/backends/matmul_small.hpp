// Matrix products of small static extents, unrolled: b's rows sit in registers, a's elements are broadcast, and no loop is left.
// Everything is row-major and dense. Nothing outside the operands is read or written; c overlaps neither a nor b.
#pragma once

#include <tracexpr/backends/lanes.hpp>
#include <tracexpr/backends/transpose.hpp>
#include <tracexpr/base/config.hpp>

#include <bit>
#include <utility>

namespace tx::simd {

namespace detail {

template <int N> using indices = std::make_integer_sequence<int, N>;

template <int S> struct shifted_down {
    static constexpr int at(int lane) { return lane + S; }
};
// Lane l takes lane `Column` of its run of `Run` lanes.
template <int Run, int Column> struct repeated_in_runs {
    static constexpr int at(int lane) { return lane / Run * Run + Column; }
};
// Lane l takes lane l / Run of the W / Run lanes that start at Start.
template <int Run, int Start> struct stretched {
    static constexpr int at(int lane) { return Start + lane / Run; }
};

// from[0 .. Count - 1] in the lower lanes; the others hold anything. Reads only [0, Readable) of `from`.
template <int W, int Count, int Before, int Readable, class T> TRACEXPR_INLINE lanes<T, W> load_some(T const* from) {
    if constexpr (W <= Readable) {
        return load<W>(from);
    } else if constexpr (Before + Readable >= W) {
        lanes<T, W> const late = load<W>(from - (W - Readable));
        return shuffle<shifted_down<W - Readable>, W>(late, late);
    } else {
        lanes<T, W> out{};
        [&]<int... I>(std::integer_sequence<int, I...>) { ((out[I] = from[I]), ...); }(indices<Count>{});
        return out;
    }
}

// The lower Count lanes to to[0 .. Count - 1], in pieces of powers of two.
template <int Count, int First = 0, class T, class V> TRACEXPR_INLINE void store_some(T* to, V const& value) {
    if constexpr (Count > 0) {
        constexpr int piece = static_cast<int>(std::bit_floor(static_cast<unsigned>(Count)));
        auto const part = slice<First, piece>(value);
        std::memcpy(to, &part, sizeof part);
        store_some<Count - piece, First + piece>(to + piece, value);
    }
}

// Row `k` of the (K x N) matrix b from column `First` on, Count of its elements; b is stored as (N x K) if Trans.
template <int N, int K, bool Trans, int W, int Count, int First, int Row, class T> TRACEXPR_INLINE lanes<T, W> row_of(T const* b) {
    if constexpr (!Trans) {
        constexpr int offset = Row * N + First;
        if constexpr (W == 1) return b[offset];
        else return load_some<W, Count, offset, K * N - offset>(b + offset);
    } else if constexpr (W == 1) {
        return b[First * K + Row];
    } else {
        lanes<T, W> out{};
        [&]<int... I>(std::integer_sequence<int, I...>) { ((out[I] = b[(First + I) * K + Row]), ...); }(indices<Count>{});
        return out;
    }
}

// Columns First .. First + Count - 1 of all rows of b.
template <int N, int K, bool Trans, int W, int Count, int First, class T, int... Row>
TRACEXPR_INLINE void load_rows(T const* b, lanes<T, W> (&rows)[K], std::integer_sequence<int, Row...>) {
    if constexpr (Trans && W > 1 && Count == W && K % W == 0) {
        lanes<T, W> block[W];
        [&]<int... Block>(std::integer_sequence<int, Block...>) {
            auto const one = [&]<int Start, int... I>(std::integral_constant<int, Start>, std::integer_sequence<int, I...>) {
                ((block[I] = load<W>(b + (First + I) * K + Start)), ...);
                transpose_block(block);
                ((rows[Start + I] = block[I]), ...);
            };
            (one(std::integral_constant<int, Block * W>{}, indices<W>{}), ...);
        }(indices<K / W>{});
    } else {
        ((rows[Row] = row_of<N, K, Trans, W, Count, First, Row>(b)), ...);
    }
}

// sum over k of a(row, k) * rows[k]; `step` is the distance of a's elements along k.
template <int K, int Step, class T, class V, int... I>
TRACEXPR_INLINE V combined(T const* a, V const (&rows)[K], std::integer_sequence<int, I...>) {
    V sum = rows[0] * a[0];
    ((sum = rows[I + 1] * a[(I + 1) * Step] + sum), ...);
    return sum;
}

// Columns First .. First + Count - 1 of c. Lanes past Count run over into the next row, which is written after; the last rows are cut.
template <int M, int N, int K, bool TransA, int W, int Count, int First, int Row, class T>
TRACEXPR_INLINE void product_row(T const* a, lanes<T, W> const (&rows)[K], T* c) {
    constexpr int offset = Row * N + First;
    lanes<T, W> const sum = combined<K, TransA ? M : 1>(a + (TransA ? Row : Row * K), rows, indices<K - 1>{});
    if constexpr (W == 1) c[offset] = sum;
    else if constexpr (offset + W <= M * N) store<W>(c + offset, sum);
    else store_some<Count>(c + offset, sum);
}

template <int M, int N, int K, bool TransA, bool TransB, int W, int Count, int First, class T, int... Row>
TRACEXPR_INLINE void product_panel(T const* a, T const* b, T* c, std::integer_sequence<int, Row...>) {
    lanes<T, W> rows[K];
    load_rows<N, K, TransB, W, Count, First>(b, rows, indices<K>{});
    (product_row<M, N, K, TransA, W, Count, First, Row>(a, rows, c), ...);
}

// Panels from the right: what a narrow last panel spills into the next row is then overwritten by the others.
template <int M, int N, int K, bool TransA, bool TransB, int W, int Columns, class T>
TRACEXPR_INLINE void product_by_rows(T const* a, T const* b, T* c) {
    constexpr int rest = Columns % W;
    if constexpr (rest != 0) {
        constexpr int width = static_cast<int>(std::bit_ceil(static_cast<unsigned>(rest)));
        product_panel<M, N, K, TransA, TransB, width, rest, Columns - rest>(a, b, c, indices<M>{});
    } else {
        product_panel<M, N, K, TransA, TransB, W, W, Columns - W>(a, b, c, indices<M>{});
    }
    constexpr int left = rest != 0 ? Columns - rest : Columns - W;
    if constexpr (left > 0) product_by_rows<M, N, K, TransA, TransB, W, left>(a, b, c);
}

// P = W / N rows of c in one vector, for K == N: P rows of a are one load, and one shuffle spreads their column k over their rows.
template <int N, int W, class V, int... I>
TRACEXPR_INLINE V combined_rows(V const& a, V const (&rows)[N], std::integer_sequence<int, I...>) {
    V sum = shuffle<repeated_in_runs<N, 0>, W>(a, a) * rows[0];
    ((sum = shuffle<repeated_in_runs<N, I + 1>, W>(a, a) * rows[I + 1] + sum), ...);
    return sum;
}

// The N-lane vector, W / N times over.
template <int W, int N, class V> TRACEXPR_INLINE auto repeated(V const& v) {
    if constexpr (W == N) return v;
    else if constexpr (2 * N == W && W == 4) return __builtin_shufflevector(v, v, 0, 1, 0, 1);
    else if constexpr (2 * N == W && W == 8) return __builtin_shufflevector(v, v, 0, 1, 2, 3, 0, 1, 2, 3);
    else if constexpr (2 * N == W && W == 16) return __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
    else if constexpr (4 * N == W && W == 8) return __builtin_shufflevector(v, v, 0, 1, 0, 1, 0, 1, 0, 1);
    else return __builtin_shufflevector(v, v, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
}

template <int M, int N, bool TransB, int W, class T, int... K, int... Group>
TRACEXPR_INLINE void product_by_groups(T const* a, T const* b, T* c, std::integer_sequence<int, K...>, std::integer_sequence<int, Group...>) {
    lanes<T, N> narrow[N];
    load_rows<N, N, TransB, N, N, 0>(b, narrow, indices<N>{});
    lanes<T, W> rows[N];
    ((rows[K] = repeated<W, N>(narrow[K])), ...);
    (store<W>(c + Group * W, combined_rows<N, W>(load<W>(a + Group * W), rows, indices<N - 1>{})), ...);
}

// One lane for each of Rows vectors of W lanes: the sums of their lanes, halving the number of vectors at each level.
template <int Parity> struct every_second {
    static constexpr int at(int lane) { return 2 * lane + Parity; }
};
template <int W, int Rows, class V> TRACEXPR_INLINE V sums_of_rows(V const (&rows)[Rows]) {
    if constexpr (Rows == 1) {
        return rows[0];
    } else {
        V half[Rows / 2];
        [&]<int... I>(std::integer_sequence<int, I...>) {
            ((half[I] = shuffle<every_second<0>, W>(rows[2 * I], rows[2 * I + 1]) +
                        shuffle<every_second<1>, W>(rows[2 * I], rows[2 * I + 1])),
             ...);
        }(indices<Rows / 2>{});
        return sums_of_rows<W>(half);
    }
}

// sum over k of a[k] * b[k], in lanes.
template <int W, int K, class T, int... I> TRACEXPR_INLINE lanes<T, W> dot_lanes(T const* a, T const* b, std::integer_sequence<int, I...>) {
    lanes<T, W> sum = load<W>(a) * load<W>(b);
    ((sum = load<W>(a + (I + 1) * W) * load<W>(b + (I + 1) * W) + sum), ...);
    return sum;
}

constexpr bool rows_share_vectors(int m, int n, int native) {
    return n < native && native % n == 0 && native / n <= 4 && m % (native / n) == 0;
}
} // namespace detail

// sum of a[k] * b[k] over K elements.
template <int K, class T, class Arch = xsimd::default_arch> TRACEXPR_INLINE T dot_small(T const* a, T const* b) {
    constexpr int w = std::min(native_lanes<T, Arch>, static_cast<int>(std::bit_floor(static_cast<unsigned>(K))));
    T sum = sum_of_lanes<w>(detail::dot_lanes<w, K>(a, b, detail::indices<K / w - 1>{}));
    if constexpr (K % w != 0) sum += dot_small<K % w, T, Arch>(a + K / w * w, b + K / w * w);
    return sum;
}

// c = a * b, (M, K) x (K, N) -> (M, N), all row-major; TransA: a is stored as (K, M); TransB: b is stored as (N, K).
template <int M, int N, int K, class T, bool TransA = false, bool TransB = false, class Arch = xsimd::default_arch>
TRACEXPR_INLINE void matmul_small(T const* a, T const* b, T* c) {
    static_assert(M > 0 && N > 0 && K > 0);
    constexpr int native = native_lanes<T, Arch>;
    if constexpr (N == 1 && TransA) {
        matmul_small<1, M, K, T, false, false, Arch>(b, a, c);
    } else if constexpr (N == 1) {
        [&]<int... Row>(std::integer_sequence<int, Row...>) {
            ((c[Row] = dot_small<K, T, Arch>(a + Row * K, b)), ...);
        }(detail::indices<M>{});
    } else if constexpr (!TransA && N == K && detail::rows_share_vectors(M, N, native)) {
        detail::product_by_groups<M, N, TransB, native>(a, b, c, detail::indices<N>{}, detail::indices<M * N / native>{});
    } else {
        detail::product_by_rows<M, N, K, TransA, TransB, native, N>(a, b, c);
    }
}

} // namespace tx::simd
