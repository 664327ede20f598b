// The first rank of an exclusive scan gets the neutral element of the reduction, which this file writes.
#pragma once

#include <tracexpr/base/dual_number.hpp>
#include <tracexpr/base/element.hpp>
#include <tracexpr/base/half.hpp>
#include <tracexpr/graph/collective_form.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>

namespace tx::mpi::detail {

template <class T> constexpr T neutral_of(rank_reduction by) {
    using limits = std::numeric_limits<T>;
    switch (by) {
    case rank_reduction::product:
    case rank_reduction::logical_and: return T(1);
    case rank_reduction::max:
        if constexpr (limits::has_infinity) return -limits::infinity();
        else return limits::lowest();
    case rank_reduction::min:
        if constexpr (limits::has_infinity) return limits::infinity();
        else return limits::max();
    default: return T(0);
    }
}
template <class T> void fill_neutral_of(rank_reduction by, void* elements, std::int64_t count) {
    std::fill_n(static_cast<T*>(elements), count, neutral_of<T>(by));
}
// Writes the neutral element of a reduction `count` times.
inline void fill_neutral(dtype type, rank_reduction by, void* elements, std::int64_t count) {
    switch (type) {
    case dtype::boolean: return fill_neutral_of<bool>(by, elements, count);
    case dtype::int8: return fill_neutral_of<std::int8_t>(by, elements, count);
    case dtype::int16: return fill_neutral_of<std::int16_t>(by, elements, count);
    case dtype::int32: return fill_neutral_of<std::int32_t>(by, elements, count);
    case dtype::int64: return fill_neutral_of<std::int64_t>(by, elements, count);
    case dtype::uint8: return fill_neutral_of<std::uint8_t>(by, elements, count);
    case dtype::uint16: return fill_neutral_of<std::uint16_t>(by, elements, count);
    case dtype::uint32: return fill_neutral_of<std::uint32_t>(by, elements, count);
    case dtype::uint64: return fill_neutral_of<std::uint64_t>(by, elements, count);
    case dtype::float16: return fill_neutral_of<half>(by, elements, count);
    case dtype::bfloat16: return fill_neutral_of<bfloat16>(by, elements, count);
    case dtype::float32: return fill_neutral_of<float>(by, elements, count);
    case dtype::float64: return fill_neutral_of<double>(by, elements, count);
    case dtype::complex64: return fill_neutral_of<std::complex<float>>(by, elements, count);
    case dtype::complex128: return fill_neutral_of<std::complex<double>>(by, elements, count);
    case dtype::dual_float32: return fill_neutral_of<dual<float>>(by, elements, count);
    case dtype::dual_float64: return fill_neutral_of<dual<double>>(by, elements, count);
    case dtype::dual_dual_float32: return fill_neutral_of<dual<dual<float>>>(by, elements, count);
    case dtype::dual_dual_float64: return fill_neutral_of<dual<dual<double>>>(by, elements, count);
    case dtype::string:
    case dtype::token: return;
    }
}

} // namespace tx::mpi::detail
