// This file computes pointwise ops on a kernel's registers, as apply.hpp defines them: operators act on vectors of any length,
// functions on batches, and ops with neither go lane by lane.
#pragma once

#include <tracexpr/backends/pointwise/apply.hpp>
#include <tracexpr/backends/vectors/bit_counts.hpp>
#include <tracexpr/backends/vectors/casts.hpp>
#include <tracexpr/backends/vectors/complex.hpp>
#include <tracexpr/backends/vectors/integers.hpp>

namespace tx::inline TRACEXPR_TARGET::simd {

namespace detail {

template <class Target, op Code, class R, class T, class... V>
TRACEXPR_INLINE typename Target::template value_of<R> lane_by_lane(V const&... v) {
    constexpr int W = Target::lanes;
    R out[W];
    for (int i = 0; i < W; ++i) out[i] = static_cast<R>(apply<Code>(element_at<T, W>(v, i)...));
    return load_value<R, W, Target::mask_bytes>(out);
}

// Converts a register to the value that the definitions take; kept_in_register converts their results to the kernel's registers.
template <class Target, class T, class V> TRACEXPR_INLINE auto defined(V const& v) {
    if constexpr (std::is_same_v<T, bool>) return chosen<Target>(v);
    else if constexpr (is_complex_number<T>) return complex_pack<Target, typename T::value_type>(v);
    else return pack<Target, T>(v);
}
template <class D, class T> TRACEXPR_INLINE auto kept_in_register(pack<D, T> const& x) { return x.v; }
template <class D, class V> TRACEXPR_INLINE auto kept_in_register(choice<D, V> const& x) { return as_mask<D>(x.v); }
template <class D, class R> TRACEXPR_INLINE complex_lanes<R, D::lanes> kept_in_register(complex_pack<D, R> const& x) {
    return {x.re.v, x.im.v};
}

// True for half and bfloat16 if their floats fit a register.
template <class T, int W, class Arch> inline constexpr bool computes_in_float =
    is_small_float<T> && W <= native_lanes<float, Arch>;
// Converts a result that was computed in float to half or bfloat16; masks stay.
template <class Target, class R, class V> TRACEXPR_INLINE auto rounded(V const& x) {
    if constexpr (std::is_same_v<R, bool>) return x;
    else return encoded<R, Target::lanes>(x);
}

} // namespace detail

// True if the op on vectors is more than a loop over the lanes.
template <class Target, op Code, class T> inline constexpr bool has_vector_form = [] {
    using lanes_type = decltype(detail::defined<Target, T>(std::declval<typename Target::template value_of<T>>()));
    constexpr int arity = info(Code).arity;
    if constexpr (Code == op::absolute || std::is_floating_point_v<T>) return true;
    else if constexpr (tx::detail::is_complex_number<T> && detail::has_complex_batches(Code)) return true;
    else if constexpr (arity == 1) return detail::has_operators<Code, lanes_type>;
    else if constexpr (arity == 2) return detail::has_operators<Code, lanes_type, lanes_type>;
    else return detail::has_operators<Code, lanes_type, lanes_type, lanes_type>;
}();

// Computes the op on values of dtype T, with a result of dtype R.
template <class Target, op Code, class R, class T, class... V>
TRACEXPR_INLINE typename Target::template value_of<R> vector_op(V const&... v) {
    if constexpr (Target::lanes == 1) return static_cast<R>(apply<Code>(static_cast<T>(v)...));
    else if constexpr (TRACEXPR_HAS_VECTORS && detail::computes_in_float<T, Target::lanes, typename Target::arch>)
        return detail::rounded<Target, R>(
            vector_op<Target, Code, std::conditional_t<std::is_same_v<R, bool>, bool, float>, float>(
                detail::decoded<T, Target::lanes>(v)...));
    else if constexpr (!TRACEXPR_HAS_VECTORS || !has_lanes<T> || detail::is_small_float<T>)
        return detail::lane_by_lane<Target, Code, R, T>(v...);
    else if constexpr (detail::has_operators<Code, decltype(detail::defined<Target, T>(v))...>)
        return detail::kept_in_register(detail::by_operators<Code>(detail::defined<Target, T>(v)...));
    else if constexpr (tx::detail::is_complex_number<T> && Code == op::absolute)
        return vector_op<Target, op::hypot, R, R>(v.re..., v.im...);
    else if constexpr (tx::detail::is_complex_number<T> && detail::has_complex_batches(Code)) {
        typename Target::template value_of<R> out;
        detail::by_complex_batches<Code, Target, typename T::value_type>(out, v...);
        return out;
    } else if constexpr (std::is_floating_point_v<T>)
        return detail::kept_in_register(detail::by_batch(detail::function_of_batches<Code>{}, detail::defined<Target, T>(v)...));
    else if constexpr (detail::divides_vectors<Code> && sizeof(T) < 8) return detail::divided<Code, T>(v...);
    else if constexpr (Code == op::left_shift || Code == op::right_shift) return detail::shifted<Code, T>(v...);
    else if constexpr (counts_bits(Code)) return detail::counted<Code, T>(v...);
    else return detail::lane_by_lane<Target, Code, R, T>(v...);
}

} // namespace tx::inline TRACEXPR_TARGET::simd
