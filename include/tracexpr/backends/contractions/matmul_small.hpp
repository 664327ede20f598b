// This file multiplies matrices of small static extents with unrolled code: the rows of b are in registers, the elements of a are
// broadcast, and no loop remains. All matrices are row-major and dense. Nothing outside of the operands is read or written; c
// must not overlap a or b. The product goes, a vector at a time, to a sink, which stores it or computes more with it.
#pragma once

#include <tracexpr/backends/loops/transpose.hpp>
#include <tracexpr/backends/vectors/lanes.hpp>
#include <tracexpr/base/config.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace tx::inline TRACEXPR_TARGET::simd {

namespace detail {

template <int N> using indices = std::make_integer_sequence<int, N>;

// put stores the W elements from Offset on. Lanes beyond the row's end are overwritten when the next row is put, unless the sink
// wants rows cut: clang keeps a scratch buffer in registers if its stores don't overlap.
template <class T, bool Scratch = false> struct memory_sink {
#if defined(__clang__)
    static constexpr bool cuts_rows = Scratch;
#else
    static constexpr bool cuts_rows = false;
#endif
    static constexpr bool is_memory = true;
    T* to;
    template <int Offset, int W> TRACEXPR_INLINE void put(lanes<T, W> const& value) const {
        if constexpr (W == 1) to[Offset] = value;
        else store<W>(to + Offset, value);
    }
};

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

// Loads from[0 .. Count - 1] into the lower lanes; the others hold arbitrary values. Reads only [-Before, Readable) of `from`.
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

// Puts the lower Count lanes, in pieces whose lengths are powers of two.
template <int Offset, int Count, int First = 0, class Sink, class V>
TRACEXPR_INLINE void put_some(Sink const& to, V const& value) {
    if constexpr (Count > 0) {
        constexpr int piece = static_cast<int>(std::bit_floor(static_cast<unsigned>(Count)));
        to.template put<Offset, piece>(slice<First, piece>(value));
        put_some<Offset + piece, Count - piece, First + piece>(to, value);
    }
}

// Row `Row` of the (K x N) matrix b from column `First` on, Count elements; b is stored as (N x K) if Trans.
template <int N, int K, bool Trans, int W, int Count, int First, int Row, class T>
TRACEXPR_INLINE lanes<T, W> row_of(T const* b) {
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

// Loads columns First .. First + Count - 1 of all rows of b.
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

// sum over k of a(row, k) * rows[k], backwards from Last; `Step` is the distance of a's elements along k. The sum is split into
// `Chains` sums that do not depend on each other.
template <int K, int Step, int Last, int Chains, class T, class V>
TRACEXPR_INLINE V combined_chain(T const* a, V const (&rows)[K]) {
    if constexpr (Last < Chains) return rows[Last] * a[Last * Step];
    else return rows[Last] * a[Last * Step] + combined_chain<K, Step, Last - Chains, Chains>(a, rows);
}
template <int K, int Step, int Chains, class T, class V> TRACEXPR_INLINE V combined(T const* a, V const (&rows)[K]) {
    if constexpr (Chains == 1) return combined_chain<K, Step, K - 1, 1>(a, rows);
    else if constexpr (Chains == 2)
        return combined_chain<K, Step, K - 2, 2>(a, rows) + combined_chain<K, Step, K - 1, 2>(a, rows);
    else
        return (combined_chain<K, Step, K - 4, 4>(a, rows) + combined_chain<K, Step, K - 3, 4>(a, rows)) +
               (combined_chain<K, Step, K - 2, 4>(a, rows) + combined_chain<K, Step, K - 1, 4>(a, rows));
}

// Computes columns First .. First + Count - 1 of one row of c. Lanes past Count go beyond the end of the row, into the next one,
// which is written afterwards; the last rows are cut.
template <int M, int N, int K, bool TransA, int W, int Count, int First, int Row, class T, class Sink>
TRACEXPR_INLINE void product_row(T const* a, lanes<T, W> const (&rows)[K], Sink const& c) {
    constexpr int offset = Row * N + First;
    constexpr int chains = M >= 8 || K < 4 ? 1 : M >= 4 || K < 8 ? 2 : 4;
    lanes<T, W> const sum = combined<K, TransA ? M : 1, chains>(a + (TransA ? Row : Row * K), rows);
    if constexpr (offset + W <= M * N && (Count == W || !Sink::cuts_rows)) c.template put<offset, W>(sum);
    else put_some<offset, Count>(c, sum);
}

template <int M, int N, int K, bool TransA, bool TransB, int W, int Count, int First, class T, class Sink, int... Row>
TRACEXPR_INLINE void product_panel(T const* a, T const* b, Sink const& c, std::integer_sequence<int, Row...>) {
    lanes<T, W> rows[K];
    load_rows<N, K, TransB, W, Count, First>(b, rows, indices<K>{});
    (product_row<M, N, K, TransA, W, Count, First, Row>(a, rows, c), ...);
}

// Computes panels of columns from right to left: what a narrow last panel writes into the next row is then overwritten by the
// others.
template <int M, int N, int K, bool TransA, bool TransB, int W, int Columns, class T, class Sink>
TRACEXPR_INLINE void product_by_rows(T const* a, T const* b, Sink const& c) {
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

// Computes P = W / N rows of c in one vector, for K == N: P rows of a are one load, and one shuffle spreads their column k over
// their rows.
template <int N, int W, int First, int Step, class V> TRACEXPR_INLINE V combined_rows(V const& a, V const (&rows)[N]) {
    V const column = shuffle<repeated_in_runs<N, First>, W>(a, a);
    if constexpr (First < Step) return column * rows[First];
    else
        return column * rows[First] +
               combined_rows<N, W, First - Step, Step>(a, rows); // this is one expression, as clang fuses no others
}

// Sums in two chains, so that a product waits only for half of its FMAs.
template <int N, int W, class V> TRACEXPR_INLINE V sum_of_rows(V const& a, V const (&rows)[N]) {
    if constexpr (N < 4) return combined_rows<N, W, N - 1, 1>(a, rows);
    else return combined_rows<N, W, N - 1, 2>(a, rows) + combined_rows<N, W, N - 2, 2>(a, rows);
}

template <int M, int N, bool TransB, int W, class T, class Sink, int... K, int... Group> TRACEXPR_INLINE void
product_by_groups(T const* a, T const* b, Sink const& c, std::integer_sequence<int, K...>, std::integer_sequence<int, Group...>) {
    lanes<T, N> narrow[N];
    load_rows<N, N, TransB, N, N, 0>(b, narrow, indices<N>{});
    lanes<T, W> rows[N];
    ((rows[K] = repeated<W* static_cast<int>(sizeof(T)), T>(narrow[K])), ...);
    (c.template put<Group * W, W>(sum_of_rows<N, W>(in_register(load<W>(a + Group * W)), rows)), ...);
}

// The 3x3 product is computed as a vector of 8 elements and the last element, because overlapping stores of rows would not be
// forwarded to the loads of a following product: lane l is row l / 3, column l % 3. Element 8 comes from a second vector.
template <int K> struct column_of_3x3 {
    static constexpr int at(int lane) { return lane / 3 * 3 + K; }
};
template <int K> struct row_of_3x3 {
    static constexpr int at(int lane) { return K * 3 + lane % 3; }
};
// Element I, which `loaded` holds as well. Loading it again is cheaper than moving it to lane 0, except with clang, which makes
// vectors of such loads.
template <int I, class V, class T>
TRACEXPR_INLINE T lane_or_element([[maybe_unused]] V const& loaded, [[maybe_unused]] T const* from) {
#if defined(__clang__)
    return loaded[I];
#else
    return from[I];
#endif
}
template <class T, class Sink> TRACEXPR_INLINE void product_3x3(T const* a, T const* b, Sink const& c) {
    using vector = lanes<T, 8>;
    vector const left = in_register(load<8>(a)), right = in_register(load<8>(b));
    vector const left_end{a[8]}, right_end{b[8]};
    vector sum = shuffle<column_of_3x3<0>, 8>(left, left) * shuffle<row_of_3x3<0>, 8>(right, right);
    sum = shuffle<column_of_3x3<1>, 8>(left, left) * shuffle<row_of_3x3<1>, 8>(right, right) + sum;
    vector const last_products = shuffle<column_of_3x3<2>, 8>(left, left_end) * shuffle<row_of_3x3<2>, 8>(right, right_end);
    T const last = left_end[0] * right_end[0] + (lane_or_element<7>(left, a) * lane_or_element<5>(right, b) +
                                                 lane_or_element<6>(left, a) * lane_or_element<2>(right, b));
    c.template put<0, 8>(in_register(last_products) +
                         sum); // a sum, not one more fused product, so it waits less long for the others
    c.template put<8, 1>(last);
}

// Takes, within each group of L lanes, the even (Parity 0) or odd lanes of a, then those of b.
template <int Parity, int L, int W> struct every_second {
    static constexpr int at(int lane) {
        int const place = lane % L, half = L / 2;
        return lane - place + 2 * (place % half) + Parity + place / half * W;
    }
};
template <class Even, class Odd, int W, int Rows, class V, int... I>
TRACEXPR_INLINE void add_neighbours(V const (&rows)[Rows], V (&sums)[Rows / 2], std::integer_sequence<int, I...>) {
    ((sums[I] = shuffle<Even, W>(rows[2 * I], rows[2 * I + 1]) + shuffle<Odd, W>(rows[2 * I], rows[2 * I + 1])), ...);
}
// Lane r of the result is the sum of the lanes of row r, for Rows = W rows. Each level halves the number of vectors: first within
// the groups of 128 bits, then group by group.
template <int W, int Rows, class V> TRACEXPR_INLINE V sums_of_rows(V const (&rows)[Rows]) {
    constexpr int group = std::min(W, static_cast<int>(16 * W / sizeof(V)));
    if constexpr (Rows == 1) {
        return rows[0];
    } else {
        V sums[Rows / 2];
        if constexpr (W / Rows < group)
            add_neighbours<every_second<0, group, W>, every_second<1, group, W>, W>(rows, sums, indices<Rows / 2>{});
        else add_neighbours<every_other<group, 0>, every_other<group, 1>, W>(rows, sums, indices<Rows / 2>{});
        return sums_of_rows<W>(sums);
    }
}

// sum over k of a[k] * b[k], in lanes.
template <int W, int K, class T, int... I>
TRACEXPR_INLINE lanes<T, W> dot_lanes(T const* a, T const* b, std::integer_sequence<int, I...>) {
    lanes<T, W> sum = load<W>(a) * load<W>(b);
    ((sum = load<W>(a + (I + 1) * W) * load<W>(b + (I + 1) * W) + sum), ...);
    return sum;
}

constexpr bool rows_share_vectors(int m, int n, std::size_t element_bytes, int native) {
    if (splits_wide_vectors && static_cast<std::size_t>(n) * element_bytes >= 32) return false;
    return n < native && native % n == 0 && native / n <= 4 && m % (native / n) == 0;
}

// Returns the number of lanes of the widest vector whose length divides K.
constexpr int lanes_of_row(int k, int native) { return std::min(native, k & -k); }

template <int K, int W, int Offset, class T, class Sink, int... Row>
TRACEXPR_INLINE void products_with_vector(T const* a, T const* b, Sink const& c, std::integer_sequence<int, Row...>) {
    lanes<T, W> const products[W] = {dot_lanes<W, K>(a + (Offset + Row) * K, b, indices<K / W - 1>{})...};
    c.template put<Offset, W>(sums_of_rows<W>(products));
}
} // namespace detail

// sum over k of a[k] * b[k], over K elements.
template <int K, class T, class Arch = simd::default_arch> TRACEXPR_INLINE T dot_small(T const* a, T const* b) {
    constexpr int w = K < 4 ? 1 : std::min(native_lanes<T, Arch>, static_cast<int>(std::bit_floor(static_cast<unsigned>(K))));
    T sum = sum_of_lanes<w>(detail::dot_lanes<w, K>(a, b, detail::indices<K / w - 1>{}));
    if constexpr (K % w != 0) sum += dot_small<K % w, T, Arch>(a + K / w * w, b + K / w * w);
    return sum;
}

namespace detail {
// (M, K) x (K) -> (M), from row Row on.
template <int M, int K, class T, class Arch, int Row = 0, class Sink>
TRACEXPR_INLINE void product_with_vector(T const* a, T const* b, Sink const& c) {
    constexpr int w = lanes_of_row(K, native_lanes<T, Arch>);
    constexpr int rows = w >= 4 && M - Row >= w ? w : 1;
    if constexpr (rows > 1) products_with_vector<K, w, Row>(a, b, c, indices<w>{});
    else c.template put<Row, 1>(dot_small<K, T, Arch>(a + Row * K, b));
    if constexpr (Row + rows < M) product_with_vector<M, K, T, Arch, Row + rows>(a, b, c);
}
} // namespace detail

// Puts a * b into a sink: (M, K) x (K, N) -> (M, N), all row-major. If TransA, a is stored as (K, M); if TransB, b is stored as
// (N, K).
template <int M, int N, int K, class T, bool TransA, bool TransB, class Arch, class Sink>
TRACEXPR_INLINE void matmul_small_to(T const* a, T const* b, Sink const& c) {
    static_assert(M > 0 && N > 0 && K > 0);
    constexpr int native = native_lanes<T, Arch>;
    if constexpr (N == 1 && TransA) {
        matmul_small_to<1, M, K, T, false, false, Arch>(b, a, c);
    } else if constexpr (N == 1 && K < 4 && M > 1 && M < 5) {
        detail::product_by_rows<1, M, K, false, true, native, M>(b, a, c);
    } else if constexpr (N == 1) {
        detail::product_with_vector<M, K, T, Arch>(a, b, c);
    } else if constexpr (M == 3 && N == 3 && K == 3 && !TransA && !TransB && native >= 8 &&
                         (sizeof(T) == 4 || !(Sink::is_memory || splits_wide_vectors))) {
        // Moving doubles between lanes takes longer than computing three rows, unless more is computed with the vector.
        detail::product_3x3(a, b, c);
    } else if constexpr (!TransA && N == K && detail::rows_share_vectors(M, N, sizeof(T), native)) {
        detail::product_by_groups<M, N, TransB, native>(a, b, c, detail::indices<N>{}, detail::indices<M * N / native>{});
    } else {
        detail::product_by_rows<M, N, K, TransA, TransB, native, N>(a, b, c);
    }
}
// c = a * b.
template <int M, int N, int K, class T, bool TransA = false, bool TransB = false, class Arch = simd::default_arch>
TRACEXPR_INLINE void matmul_small(T const* a, T const* b, T* c) {
    matmul_small_to<M, N, K, T, TransA, TransB, Arch>(a, b, detail::memory_sink<T>{c});
}
// c = a * b as a function call: the code of larger products exists once, however often a function uses it.
template <int M, int N, int K, class T, bool TransA, bool TransB, class Arch>
TRACEXPR_NOINLINE void call_matmul_small(T const* a, T const* b, T* c) {
    matmul_small<M, N, K, T, TransA, TransB, Arch>(a, b, c);
}

} // namespace tx::inline TRACEXPR_TARGET::simd
