// This file computes a block of results of reductions (sums of products and the like) at once: a few rows and vectors of the
// block stay in registers, and the reduced axes are the innermost loop. This is the register tile of passes/register_tile.hpp,
// for numbers that only the run knows.
#pragma once

#include <tracexpr/backends/loops/rows.hpp>
#include <tracexpr/backends/tiles/routines.hpp>

namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail {

// This is the term that is added up for two operands, or the extreme of one operand.
enum class block_term : std::uint8_t { product, squared_difference, largest, least };

// block_operand holds the address of an operand for the first result, and the distance of its rows in bytes. Along a row the
// elements of the first operand are contiguous; those of the second are, too, or are all the same one.
struct block_operand {
    std::byte const* at;
    std::int64_t row;
};
// block_places holds the offsets in bytes of the operands of each term.
struct block_places {
    std::int64_t const *a, *b;
    std::int64_t count;
};
// `out` is `height` contiguous rows of `width` results.
using block_routine = void (*)(block_operand a, block_operand b, block_places const& at, std::byte* out, std::int64_t height,
                               std::int64_t width);

template <class T, block_term Term, bool BIsOne, bool OneRowOfA, bool OneRowOfB> class block_of_terms {
    using target = register_target<static_cast<int>(sizeof(T))>;
    using V = typename target::template value_of<T>;
    static constexpr int W = target::lanes;
    static constexpr op reduction = Term == block_term::largest ? op::max : Term == block_term::least ? op::min : op::sum;

    static TRACEXPR_INLINE V with(V const& sum, V const& x, V const& y) {
        TRACEXPR_FUSES
        if constexpr (Term == block_term::product) {
            return sum + x * y;
        } else if constexpr (Term == block_term::squared_difference) {
            V const d = x - y;
            return sum + d * d;
        } else {
            return simd::detail::combine<target, reduction, T>(sum, x);
        }
    }
    // Computes Rows x Vectors results; `count` lanes of the vectors are used, or all of them.
    template <int Rows, int Vectors, bool All> static TRACEXPR_INLINE void
    run(block_operand a, block_operand b, block_places const& at, T* out, std::int64_t width, std::int64_t count) {
        auto const load = [count](std::byte const* from, std::int64_t i) TRACEXPR_INLINE_LAMBDA -> V {
            T const* const x = reinterpret_cast<T const*>(from) + i;
            if constexpr (All) return static_cast<void>(count), load_value<T, W, sizeof(T)>(x);
            else return load_some_value<T, W, sizeof(T)>(x, count);
        };
        constexpr bool has_second = Term == block_term::product || Term == block_term::squared_difference;
        [&]<int... K>(std::integer_sequence<int, K...>) TRACEXPR_INLINE_LAMBDA {
            V const none = broadcast_value<T, W, sizeof(T)>(simd::detail::identity<reduction, T>());
            V sums[]{(static_cast<void>(K), none)...};
            for (std::int64_t k = 0; k < at.count; ++k) {
                std::byte const *const x = a.at + at.a[k], *const y = has_second ? b.at + at.b[k] : nullptr;
                auto const add = [&]<int... A, int... B>(std::integer_sequence<int, A...>,
                                                         std::integer_sequence<int, B...>) TRACEXPR_INLINE_LAMBDA {
                    V const of_a[]{load(x + (A / Vectors) * a.row, (A % Vectors) * W)...};
                    auto const second = [&]<int J>(std::integral_constant<int, J>) TRACEXPR_INLINE_LAMBDA -> V {
                        if constexpr (!has_second) return none;
                        else if constexpr (BIsOne)
                            return broadcast_value<T, W, sizeof(T)>(*reinterpret_cast<T const*>(y + J * b.row));
                        else return load(y + (J / Vectors) * b.row, (J % Vectors) * W);
                    };
                    V const of_b[]{second(std::integral_constant<int, B>{})...};
                    constexpr auto place = [](int number, bool one_row, bool one) {
                        int const row = one_row ? 0 : number / Vectors;
                        return one ? row : row * Vectors + number % Vectors;
                    };
                    ((sums[K] = with(sums[K], of_a[place(K, OneRowOfA, false)], of_b[place(K, OneRowOfB, BIsOne)])), ...);
                };
                add(std::make_integer_sequence<int, (OneRowOfA ? 1 : Rows) * Vectors>{},
                    std::make_integer_sequence<int, (OneRowOfB ? 1 : Rows) * (BIsOne ? 1 : Vectors)>{});
            }
            auto const store = [&](int k, V const& v) TRACEXPR_INLINE_LAMBDA {
                T* const to = out + (k / Vectors) * width + (k % Vectors) * W;
                if constexpr (All) store_value<T, W>(to, v);
                else store_some_value<T, W>(to, v, count);
            };
            (store(K, sums[K]), ...);
        }(std::make_integer_sequence<int, Rows * Vectors>{});
    }
    // The last vectors and rows overlap results that are done, which they compute again.
    template <int Rows, int Vectors>
    static void run_rows(block_operand a, block_operand b, block_places const& at, T* out, std::int64_t width) {
        auto const moved = [](block_operand const& of, std::int64_t elements) {
            return block_operand{of.at + elements * static_cast<std::int64_t>(sizeof(T)), of.row};
        };
        auto const run_at = [&]<int N>(std::integral_constant<int, N>, std::int64_t i) {
            run<Rows, N, true>(moved(a, i), BIsOne ? b : moved(b, i), at, out + i, width, W);
        };
        if (width < W) return run<Rows, 1, false>(a, b, at, out, width, width);
        std::int64_t i = 0;
        for (; i + Vectors * W <= width; i += Vectors * W) run_at(std::integral_constant<int, Vectors>{}, i);
        for (; i < width; i += W) run_at(std::integral_constant<int, 1>{}, std::min(i, width - W));
    }

public:
    static void run_all(block_operand a, block_operand b, block_places const& at, std::byte* to, std::int64_t height,
                        std::int64_t width) {
        constexpr int rows = 4;
        T* const out = reinterpret_cast<T*>(to);
        auto const from = [](block_operand const& of, std::int64_t row) { return block_operand{of.at + row * of.row, of.row}; };
        std::int64_t const step = height < rows ? 1 : rows;
        for (std::int64_t row = 0; row < height; row += step) {
            std::int64_t const first = std::min(row, height - step);
            if (step == 1) run_rows<1, 8>(from(a, first), from(b, first), at, out + first * width, width);
            else run_rows<rows, 2>(from(a, first), from(b, first), at, out + first * width, width);
        }
    }
};

// The routines by whether the second operand is the same along a row, and whether all rows have the same first operands and the
// same second ones.
struct block_routines {
    block_routine of[2][2][2]{};
};
template <class T, block_term Term> constexpr block_routines block_routines_of() {
    constexpr bool has_second = Term == block_term::product || Term == block_term::squared_difference;
    block_routines out;
    if constexpr (is_full && (std::is_same_v<T, float> || std::is_same_v<T, double>) && TRACEXPR_HAS_VECTORS)
        [&]<std::size_t... K>(std::index_sequence<K...>) {
            ((out.of[K / 4][K / 2 % 2][K % 2] = block_of_terms < T, Term, !has_second || K / 4 == 1, K / 2 % 2 == 1,
              !has_second || K % 2 == 1 > ::run_all),
             ...);
        }(std::make_index_sequence<8>{});
    return out;
}
inline constexpr std::size_t block_term_count = 4;

} // namespace tx::inline TRACEXPR_TARGET::simd::tiles::detail
