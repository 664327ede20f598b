// Values with the places where they were met: what a reduction to the place of an extreme keeps in its registers.
#pragma once

#include <tracexpr/backends/vectors/vector_ops.hpp>

namespace tx::inline TRACEXPR_TARGET::simd {

// W elements of T, each with its place, which is counted in as many bytes.
template <class T, int W, int MaskBytes> struct placed {
    using counter = detail::signed_of_size<sizeof(T)>;
    value<T, W, MaskBytes> best;
    value<counter, W, MaskBytes> position;
};

namespace detail {

template <class V> inline constexpr bool is_placed = false;
template <class T, int W, int MaskBytes> inline constexpr bool is_placed<placed<T, W, MaskBytes>> = true;

// Is an element of v no NaN, and not beyond `best`?
template <op Code, class V> TRACEXPR_INLINE auto is_within(V const& v, V const& best) {
    if constexpr (Code == op::argmax) return v <= best;
    else return v >= best;
}
// Does the best one so far stay? Before a NaN only a NaN does. (Not asked the other way round, which compilers negate in an
// instruction of its own.)
template <op Code, class V> TRACEXPR_INLINE auto stays(V const& best, V const& v) {
    return is_within<Code>(v, best) | (best != best);
}
template <class T, int W, int M, class Mask>
TRACEXPR_INLINE placed<T, W, M> choose_placed(Mask const& mask, placed<T, W, M> const& a, placed<T, W, M> const& b) {
    return {mask ? a.best : b.best, mask ? a.position : b.position};
}
// The next elements of a row.
template <op Code, class T, int W, int M, class V, class C>
TRACEXPR_INLINE placed<T, W, M> meet(placed<T, W, M> const& so_far, V const& v, C const& at) {
    return choose_placed(stays<Code>(so_far.best, v), so_far, placed<T, W, M>{v, at});
}
// This joins two parts of a row; where their extremes are equal, or both NaN, the first place stays.
template <op Code, class T, int W, int M>
TRACEXPR_INLINE placed<T, W, M> met(placed<T, W, M> const& a, placed<T, W, M> const& b) {
    auto const is_same = (a.best == b.best) | ((a.best != a.best) & (b.best != b.best));
    auto const is_earlier = is_same & (b.position < a.position);
    return choose_placed(is_earlier, b, choose_placed(stays<Code>(a.best, b.best), a, b));
}

// This is what a reduction to one element stores.
template <class V> TRACEXPR_INLINE V const& result_of(V const& total) { return total; }
template <class T, int M> TRACEXPR_INLINE std::int64_t result_of(placed<T, 1, M> const& total) { return total.position; }
// The places of the first lanes. (A vector of them may be wider than registers are.)
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
