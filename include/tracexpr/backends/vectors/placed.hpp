// This file holds values with their places: the accumulators of a reduction to the place of an extreme.
#pragma once

#include <tracexpr/backends/vectors/vector_ops.hpp>

namespace tx::inline TRACEXPR_TARGET::simd {

// W elements of T, each with its place, which is an integer of the same size.
template <class T, int W, int MaskBytes> struct placed {
    using counter = detail::signed_of_size<sizeof(T)>;
    value<T, W, MaskBytes> best;
    value<counter, W, MaskBytes> position;
};

namespace detail {

template <class V> inline constexpr bool is_placed = false;
template <class T, int W, int MaskBytes> inline constexpr bool is_placed<placed<T, W, MaskBytes>> = true;

// True where an element of v is not NaN and not beyond `best`.
template <op Code, class V> TRACEXPR_INLINE auto is_within(V const& v, V const& best) {
    if constexpr (Code == op::argmax) return v <= best;
    else return v >= best;
}
// True where the best element so far is kept. A NaN replaces all but a NaN. (The opposite question would need another
// instruction, as compilers negate it separately.)
template <op Code, class V> TRACEXPR_INLINE auto keeps_best(V const& best, V const& v) {
    return is_within<Code>(v, best) | (best != best);
}
template <class T, int W, int M, class Mask>
TRACEXPR_INLINE placed<T, W, M> choose_placed(Mask const& mask, placed<T, W, M> const& a, placed<T, W, M> const& b) {
    return {mask ? a.best : b.best, mask ? a.position : b.position};
}
// Takes the next elements of a row into the accumulator.
template <op Code, class T, int W, int M, class V, class C>
TRACEXPR_INLINE placed<T, W, M> accumulate_placed(placed<T, W, M> const& so_far, V const& v, C const& at) {
    return choose_placed(keeps_best<Code>(so_far.best, v), so_far, placed<T, W, M>{v, at});
}
// Joins the extremes of two parts of a row; where they are equal, or both NaN, the first place is kept.
template <op Code, class T, int W, int M>
TRACEXPR_INLINE placed<T, W, M> join_placed(placed<T, W, M> const& a, placed<T, W, M> const& b) {
    auto const is_same = (a.best == b.best) | ((a.best != a.best) & (b.best != b.best));
    auto const is_earlier = is_same & (b.position < a.position);
    return choose_placed(is_earlier, b, choose_placed(keeps_best<Code>(a.best, b.best), a, b));
}

// Returns the element that a reduction to one element stores.
template <class V> TRACEXPR_INLINE V const& result_of(V const& total) { return total; }
template <class T, int M> TRACEXPR_INLINE std::int64_t result_of(placed<T, 1, M> const& total) { return total.position; }
// Stores the places of the first `count` lanes. (A vector of them may be wider than a register.)
template <class T, int W, int M>
TRACEXPR_INLINE void store_places(std::int64_t* to, placed<T, W, M> const& total, std::int64_t stride, std::int64_t count) {
    if constexpr (W == 1) {
        if (count > 0) *to = total.position;
    } else {
        for (std::int64_t i = 0; i < W && i < count; ++i) to[i * stride] = total.position[i];
    }
}

} // namespace detail
} // namespace tx::inline TRACEXPR_TARGET::simd
