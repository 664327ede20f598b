// This file gives small integers as elements of any dtype, whose sums are exact.
#pragma once

#include <tracexpr/tracexpr.hpp>

#include <complex>
#include <limits>

namespace register_tiles {

using std::int64_t;
using tx::tensor;
template <class T> T number(int64_t k) {
    int const small = static_cast<int>((k * 7 + k / 11) % 13);
    if constexpr (std::is_same_v<T, bool>) return small % 3 == 0;
    else if constexpr (std::is_same_v<T, std::complex<float>>) return {static_cast<float>(small - 6), static_cast<float>(small % 5)};
    else return static_cast<T>(static_cast<float>(small - (std::numeric_limits<T>::is_signed || sizeof(T) == 2 ? 6 : 0)));
}
template <class T, class Shape, class... N> tensor<T, Shape> numbers(N... extents) {
    auto out = tx::zeros<T, Shape>(extents...);
    for (int64_t k = 0; k < out.size(); ++k) out.mutable_data()[k] = number<T>(k);
    return out;
}
template <class T> bool same(T a, T b) { return a == b || (a != a && b != b); }

} // namespace register_tiles
