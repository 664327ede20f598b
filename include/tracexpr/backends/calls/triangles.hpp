// This file solves triangular systems of floating-point numbers with vectors: with several right sides a few rows at a time,
// whose elements stay in registers; with one right side row by row or column by column. The results are those of
// plain::solve_triangular.
#pragma once

#include <tracexpr/backends/loops/rows.hpp>
#include <tracexpr/graph/triangle.hpp>

#include <algorithm>
#include <cstdint>

namespace tx::inline TRACEXPR_TARGET::simd::detail {

template <class T, class Arch> class triangular_system {
    using target = simd::target<native_lanes<T, Arch>, static_cast<int>(sizeof(T)), Arch>;
    using V = typename target::template value_of<T>;
    static constexpr int W = target::lanes;
    static constexpr std::int64_t together = 4;

public:
    // Solves in place: x is (n, k).
    triangular_system(std::int64_t n, std::int64_t k, T const* a, std::int64_t stride, triangle form, T* x)
        : n_{n}, k_{k}, a_{a}, x_{x}, forward_{form.lower != form.transposed}, unit_{form.unit},
          row_step_{form.transposed ? 1 : stride}, column_step_{form.transposed ? stride : 1} {}

    void solve() const {
        if (k_ == 1) return column_step_ == 1 ? solve_by_rows() : solve_by_columns();
        std::int64_t c = 0;
        for (; c + W <= k_; c += W) solve_columns<true>(c, W);
        if (c < k_) solve_columns<false>(c, k_ - c);
    }

private:
    std::int64_t row(std::int64_t done) const { return forward_ ? done : n_ - 1 - done; }
    T element(std::int64_t i, std::int64_t j) const { return a_[i * row_step_ + j * column_step_]; }

    template <bool All> static TRACEXPR_INLINE V load(T const* from, std::int64_t count) {
        if constexpr (All) return static_cast<void>(count), load_value<T, W, sizeof(T)>(from);
        else return load_some_value<T, W, sizeof(T)>(from, count);
    }
    static TRACEXPR_INLINE V less(V const& x, T factor, V const& y) {
        TRACEXPR_FUSES
        return x - broadcast_value<T, W, sizeof(T)>(factor) * y;
    }
    // Solves for columns c .. c + count, in the order in which rows become known.
    template <bool All> void solve_columns(std::int64_t c, std::int64_t count) const {
        std::int64_t done = 0;
        for (; done + together <= n_; done += together) solve_rows<All, together>(done, c, count);
        for (; done < n_; ++done) solve_rows<All, 1>(done, c, count);
    }
    template <bool All, int Rows> TRACEXPR_INLINE void solve_rows(std::int64_t done, std::int64_t c, std::int64_t count) const {
        [&]<int... R>(std::integer_sequence<int, R...>) TRACEXPR_INLINE_LAMBDA {
            std::int64_t const i[]{row(done + R)...};
            V v[]{load<All>(x_ + i[R] * k_ + c, count)...};
            for (std::int64_t earlier = 0; earlier < done; ++earlier) {
                std::int64_t const j = row(earlier);
                V const known = load<All>(x_ + j * k_ + c, count);
                ((v[R] = less(v[R], element(i[R], j), known)), ...);
            }
            auto const finish = [&]<int Q>(std::integral_constant<int, Q>) TRACEXPR_INLINE_LAMBDA {
                [&]<int... P>(std::integer_sequence<int, P...>) TRACEXPR_INLINE_LAMBDA {
                    ((v[Q] = less(v[Q], element(i[Q], i[P]), v[P])), ...);
                }(std::make_integer_sequence<int, Q>{});
                if (!unit_) v[Q] = v[Q] / broadcast_value<T, W, sizeof(T)>(element(i[Q], i[Q]));
                if constexpr (All) store_value<T, W>(x_ + i[Q] * k_ + c, v[Q]);
                else store_some_value<T, W>(x_ + i[Q] * k_ + c, v[Q], count);
            };
            (finish(std::integral_constant<int, R>{}), ...);
        }(std::make_integer_sequence<int, Rows>{});
    }

    // Solves for one right side if the rows of the matrix are contiguous: each is multiplied by the known elements of x.
    void solve_by_rows() const {
        for (std::int64_t done = 0; done < n_; ++done) {
            std::int64_t const i = row(done), first = forward_ ? 0 : i + 1;
            T const *const of_row = a_ + i * row_step_ + first, *const known = x_ + first;
            V const none = broadcast_value<T, W, sizeof(T)>(T(0));
            V sums[2]{none, none};
            std::int64_t j = 0;
            auto const add = [&](V& sum, std::int64_t at, auto all, std::int64_t count) TRACEXPR_INLINE_LAMBDA {
                TRACEXPR_FUSES
                V const x = load<all.value>(of_row + at, count), y = load<all.value>(known + at, count);
                if constexpr (all.value) sum = sum + x * y;
                else sum = sum + keep_lanes<target, op::sum, T>(x * y, 0, count);
            };
            for (; j + 2 * W <= done; j += 2 * W) add(sums[0], j, std::true_type{}, W), add(sums[1], j + W, std::true_type{}, W);
            for (; j + W <= done; j += W) add(sums[0], j, std::true_type{}, W);
            if (j < done) add(sums[1], j, std::false_type{}, done - j);
            T const rest = x_[i] - across<target, op::sum, T>(sums[0] + sums[1]);
            x_[i] = unit_ ? rest : rest / element(i, i);
        }
    }
    // Solves for one right side if the columns are contiguous: each element that becomes known is eliminated from all that are
    // not known yet.
    void solve_by_columns() const {
        for (std::int64_t done = 0; done < n_; ++done) {
            std::int64_t const i = row(done), first = forward_ ? i + 1 : 0, count = n_ - 1 - done;
            if (!unit_) x_[i] /= element(i, i);
            T const known = x_[i];
            T const* const column = a_ + i * column_step_ + first;
            T* const to = x_ + first;
            std::int64_t j = 0;
            for (; j + W <= count; j += W)
                store_value<T, W>(to + j, less(load<true>(to + j, W), known, load<true>(column + j, W)));
            if (j < count)
                store_some_value<T, W>(to + j, less(load<false>(to + j, count - j), known, load<false>(column + j, count - j)),
                                       count - j);
        }
    }

    std::int64_t n_, k_;
    T const* a_;
    T* x_;
    bool forward_, unit_;
    std::int64_t row_step_, column_step_;
};

} // namespace tx::inline TRACEXPR_TARGET::simd::detail
