// This file reduces tiles in the order of the static executor: a block of vectors is combined to a few partial results side by
// side, and then a cascade combines the blocks (loops/rows.hpp).
#pragma once

#include <tracexpr/backends/loops/moves.hpp>
#include <tracexpr/backends/loops/rows.hpp>
#include <tracexpr/backends/tiles/routines.hpp>

#include <bit>
#include <cstring>
#include <iterator>
#include <memory>

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {
using namespace moves;

// Combines two arrays element by element.
struct combiner {
    routine by = nullptr;
    std::size_t bytes = 0;
    std::byte start[32]{}; // the neutral element

    TRACEXPR_INLINE void operator()(std::byte* into, std::byte const* more, std::int64_t n) const {
        by(into, into, more, nullptr, nullptr, n);
    }
    // Combines with the second operand's elements on the left.
    TRACEXPR_INLINE void before(std::byte* into, std::byte const* first, std::int64_t n) const {
        by(into, first, into, nullptr, nullptr, n);
    }
    void clear(std::byte* out, std::int64_t n) const {
        with_word(bytes, [&]<class Word>(Word first) {
            std::memcpy(static_cast<void*>(&first), start, sizeof first);
            fill_elements(reinterpret_cast<Word*>(out), first, n);
        });
    }
};

// Combines partial results of equal weight in pairs, like the digits of a binary counter; each is `width` elements side by side.
class tile_cascade {
public:
    static constexpr std::size_t levels = 41;
    // Starts with memory for that many levels of `width` elements.
    void begin(std::byte* memory, std::int64_t width) { memory_ = memory, width_ = width, count_ = 0; }
    std::byte* level(combiner const& c, int k) const { return memory_ + static_cast<std::size_t>(k * width_) * c.bytes; }

    // Pushes v, which is changed.
    void push(combiner const& c, std::byte* v) {
        int k = 0;
        for (std::uint64_t digits = count_; digits & 1; digits >>= 1) c.before(v, level(c, k++), width_);
        std::memcpy(level(c, k), v, static_cast<std::size_t>(width_) * c.bytes);
        ++count_;
    }
    // Acts as if all that was pushed to `more` were pushed here (see cascade::append of loops/rows.hpp). v is memory for `width`
    // elements.
    void append(combiner const& c, tile_cascade const& more, std::byte* v) {
        std::size_t const bytes = static_cast<std::size_t>(width_) * c.bytes;
        for (int from = static_cast<int>(std::bit_width(more.count_)) - 1; from >= 0; --from) {
            if (!(more.count_ >> from & 1)) continue;
            std::memcpy(v, more.level(c, from), bytes);
            int to = from;
            for (std::uint64_t digits = count_ >> from; digits & 1; digits >>= 1) c.before(v, level(c, to++), width_);
            std::memcpy(level(c, to), v, bytes);
            count_ += std::uint64_t{1} << from;
        }
    }
    // Combines all that was pushed; the result is the neutral element if that is nothing.
    void total(combiner const& c, std::byte* out) const {
        bool is_first = true;
        int k = 0;
        for (std::uint64_t digits = count_; digits; digits >>= 1, ++k) {
            if (!(digits & 1)) continue;
            if (is_first) std::memcpy(out, level(c, k), static_cast<std::size_t>(width_) * c.bytes);
            else c.before(out, level(c, k), width_);
            is_first = false;
        }
        if (is_first) c.clear(out, width_);
    }

private:
    std::byte* memory_ = nullptr;
    std::int64_t width_ = 0;
    std::uint64_t count_ = 0;
};

// Adds n elements, in whole vectors, to `Unroll` vectors of partial results side by side.
template <class T, op By, int Unroll, bool Products>
void accumulate_in(std::byte* sums, std::byte const* a, std::byte const* b, std::int64_t n) {
    using target = register_target<static_cast<int>(sizeof(T))>;
    constexpr int W = target::lanes;
    T* const to = reinterpret_cast<T*>(sums);
    T const *const x = reinterpret_cast<T const*>(a), *const y = reinterpret_cast<T const*>(b);
    [&]<int... K>(std::integer_sequence<int, K...>) TRACEXPR_INLINE_LAMBDA {
        typename target::template value_of<T> s[]{load_value<T, W, sizeof(T)>(to + K * W)...};
        auto const next = [&](auto const& sum, std::int64_t i) TRACEXPR_INLINE_LAMBDA {
            TRACEXPR_FUSES
            auto const v = load_value<T, W, sizeof(T)>(x + i);
            if constexpr (Products) return sum + v * load_value<T, W, sizeof(T)>(y + i);
            else return vector_op<target, By, T, T>(sum, v);
        };
        for (std::int64_t i = 0; i < n; i += Unroll * W) ((s[K] = next(s[K], i + K * W)), ...);
        (store_value<T, W>(to + K * W, s[K]), ...);
    }(std::make_integer_sequence<int, Unroll>{});
}
using accumulate = void (*)(std::byte* sums, std::byte const* a, std::byte const* b, std::int64_t n);

// Combines all lanes, halves first.
template <class T, op Reduction> void across_lanes(std::byte const* from, std::byte* out) {
    using target = register_target<static_cast<int>(sizeof(T))>;
    *reinterpret_cast<T*>(out) =
        across<target, Reduction, T>(load_value<T, target::lanes, sizeof(T)>(reinterpret_cast<T const*>(from)));
}
using across_routine = void (*)(std::byte const* from, std::byte* out);

// rows_at holds the address of the first row, and the distance of rows in bytes.
template <class Byte> struct rows_at {
    Byte* at;
    std::int64_t next;
};
// Reduces rows of n elements, each of at most a block, or the products of two rows, to a result for each. The first `done`
// elements, which are whole groups, have been added to `before` already.
template <class T, op Reduction, int Unroll, bool Products>
void sum_rows_in(rows_at<std::byte const> a, rows_at<std::byte const> b, std::int64_t rows, std::int64_t n,
                 rows_at<std::byte> out, std::int64_t done, std::byte const* before) {
    using target = register_target<static_cast<int>(sizeof(T))>;
    using V = typename target::template value_of<T>;
    constexpr int W = target::lanes;
    V const none = broadcast_value<T, W, sizeof(T)>(simd::detail::identity<Reduction, T>());
    for (; rows > 0; --rows, a.at += a.next, b.at += b.next, out.at += out.next, before += Unroll * W * sizeof(T)) {
        T const *const x = reinterpret_cast<T const*>(a.at), *const y = reinterpret_cast<T const*>(b.at);
        auto const add = [&](V const& sum, std::int64_t i) TRACEXPR_INLINE_LAMBDA -> V {
            TRACEXPR_FUSES
            if constexpr (Products) return sum + load_value<T, W, sizeof(T)>(x + i) * load_value<T, W, sizeof(T)>(y + i);
            else return simd::detail::combine<target, Reduction, T>(sum, load_value<T, W, sizeof(T)>(x + i));
        };
        auto const join = [](V const& p, V const& q)
                              TRACEXPR_INLINE_LAMBDA { return simd::detail::combine<target, Reduction, T>(p, q); };
        // Loads the last elements, as lanes of the row's last whole vector if the row has one.
        auto const rest = [&](std::int64_t first, std::int64_t count, std::int64_t lane) TRACEXPR_INLINE_LAMBDA {
            auto const take = [&](T const* from) TRACEXPR_INLINE_LAMBDA {
                return n >= W ? load_value<T, W, sizeof(T)>(from + first) : load_some_value<T, W, sizeof(T)>(from, n);
            };
            V v = take(x);
            if constexpr (Products) v = v * take(y);
            return simd::detail::keep_lanes<target, Reduction, T>(v, lane, lane + count);
        };
        T const* const known = reinterpret_cast<T const*>(before);
        // unrolled, so that the sums stay in registers
        V const total = [&]<int... K>(std::integer_sequence<int, K...>) TRACEXPR_INLINE_LAMBDA {
            V sums[]{(done ? load_value<T, W, sizeof(T)>(known + K * W) : none)...};
            std::int64_t i = done;
            for (; i + Unroll * W <= n; i += Unroll * W) ((sums[K] = add(sums[K], i + K * W)), ...);
            for (; i + W <= n; i += W) sums[0] = add(sums[0], i);
            if (i < n) sums[0] = join(sums[0], n >= W ? rest(n - W, n - i, W - (n - i)) : rest(0, n, 0));
            if constexpr (Unroll == 4) sums[2] = join(sums[2], sums[3]);
            sums[0] = join(sums[0], sums[1]);
            if constexpr (Unroll == 4) sums[0] = join(sums[0], sums[2]);
            return sums[0];
        }(std::make_integer_sequence<int, Unroll>{});
        *reinterpret_cast<T*>(out.at) = across<target, Reduction, T>(total);
    }
}
template <class T, op Reduction, bool Products> void sum_rows(rows_at<std::byte const> a, rows_at<std::byte const> b,
                                                              std::int64_t rows, std::int64_t n, rows_at<std::byte> out,
                                                              int unroll, std::int64_t done, std::byte const* before) {
    auto const run = unroll == 4 ? sum_rows_in<T, Reduction, 4, Products> : sum_rows_in<T, Reduction, 2, Products>;
    run(a, b, rows, n, out, done, before);
}
using rows_routine = void (*)(rows_at<std::byte const> a, rows_at<std::byte const> b, std::int64_t rows, std::int64_t n,
                              rows_at<std::byte> out, int unroll, std::int64_t done, std::byte const* before);

// Adds rows of n elements, or their products, to the sums of their columns. The sums of a few columns stay in registers.
template <class T, op By, bool Products>
void sum_columns(std::byte* sums, rows_at<std::byte const> a, rows_at<std::byte const> b, std::int64_t rows, std::int64_t n) {
    using target = register_target<static_cast<int>(sizeof(T))>;
    using V = typename target::template value_of<T>;
    constexpr int W = target::lanes, together = 4;
    T* const to = reinterpret_cast<T*>(sums);
    std::int64_t column = 0;
    auto const add_rows = [&]<int... K>(std::integer_sequence<int, K...>, auto const& load, auto const& store)
                              TRACEXPR_INLINE_LAMBDA { // unrolled, so that the sums stay in registers
                                  V s[]{load(to, K)...};
                                  auto const add = [&](V const& sum, T const* x, T const* y, int k) TRACEXPR_INLINE_LAMBDA -> V {
                                      TRACEXPR_FUSES
                                      if constexpr (Products) return sum + load(x, k) * load(y, k);
                                      else return vector_op<target, By, T, T>(sum, load(x, k));
                                  };
                                  std::byte const *x = a.at, *y = b.at;
                                  for (std::int64_t row = 0; row < rows; ++row, x += a.next, y += b.next)
                                      ((s[K] = add(s[K], reinterpret_cast<T const*>(x), reinterpret_cast<T const*>(y), K)), ...);
                                  (store(s[K], K), ...);
                              };
    for (; column + together * W <= n; column += together * W)
        add_rows(
            std::make_integer_sequence<int, together>{},
            [&](T const* from, int k) TRACEXPR_INLINE_LAMBDA { return load_value<T, W, sizeof(T)>(from + column + k * W); },
            [&](V const& v, int k) TRACEXPR_INLINE_LAMBDA { store_value<T, W>(to + column + k * W, v); });
    for (; column < n; column += W)
        add_rows(
            std::make_integer_sequence<int, 1>{},
            [&](T const* from, int) TRACEXPR_INLINE_LAMBDA {
                return column + W <= n ? load_value<T, W, sizeof(T)>(from + column)
                                       : load_some_value<T, W, sizeof(T)>(from + column, n - column);
            },
            [&](V const& v, int) TRACEXPR_INLINE_LAMBDA {
                if (column + W <= n) store_value<T, W>(to + column, v);
                else store_some_value<T, W>(to + column, v, n - column);
            });
}
using columns_routine = void (*)(std::byte* sums, rows_at<std::byte const> a, rows_at<std::byte const> b, std::int64_t rows,
                                 std::int64_t n);

struct sum_routines {
    accumulate by_two = nullptr, by_four = nullptr, products_by_two = nullptr, products_by_four = nullptr;
    across_routine across = nullptr;
    rows_routine rows = nullptr, products_of_rows = nullptr;
    columns_routine columns = nullptr, products_of_columns = nullptr;
};
template <class T, op Reduction> constexpr sum_routines sum_routines_of() {
    constexpr op by = info(Reduction).combines.by;
    if constexpr ((std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::int64_t> ||
                   std::is_same_v<T, std::int32_t>) &&
                  TRACEXPR_HAS_VECTORS && (Reduction == op::sum || Reduction == op::max || Reduction == op::min)) {
        sum_routines out;
        out.by_two = accumulate_in<T, by, 2, false>;
        out.by_four = accumulate_in<T, by, 4, false>;
        if constexpr (Reduction == op::sum && std::is_floating_point_v<T>) {
            out.products_by_two = accumulate_in<T, by, 2, true>;
            out.products_by_four = accumulate_in<T, by, 4, true>;
            out.products_of_rows = sum_rows<T, Reduction, true>;
            out.products_of_columns = sum_columns<T, by, true>;
        }
        out.across = across_lanes<T, Reduction>;
        out.rows = sum_rows<T, Reduction, false>;
        out.columns = sum_columns<T, by, false>;
        return out;
    } else {
        return {};
    }
}

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail
