// This file holds the functors of pointwise ops whose derivatives are tested in all modes.
#pragma once

#include <tracexpr/tracexpr.hpp>

namespace tx::testing::pointwise {

struct anywhere {
    template <class X> constexpr auto operator()(X const& x) const {
        return std::tuple(-x, tx::abs(x), square(x), cbrt(x), reciprocal(x), exp(x), exp2(x), expm1(x), sin(x), cos(x), tan(x), atan(x), sinh(x), cosh(x), tanh(x),
                          asinh(x), erf(x), erfc(x), sigmoid(x), sinc(x), lgamma(x), digamma(x), polygamma(2, x));
    }
};
struct positive {
    template <class X> constexpr auto operator()(X const& x) const {
        return std::tuple(sqrt(x), rsqrt(x), log(x), log2(x), log10(x), log1p(x), acosh(x + 1), lgamma(x), digamma(x), polygamma(1, x));
    }
};
struct inside_one {
    template <class X> constexpr auto operator()(X const& x) const { return std::tuple(asin(x), acos(x), atanh(x), log1p(x)); }
};
struct pairs {
    template <class X, class Y> constexpr auto operator()(X const& x, Y const& y) const {
        return std::tuple(x + y, x - y, x * y, x / y, remainder(x, y), fmod(x, y), pow(tx::abs(x), y), atan2(x, y), hypot(x, y), logaddexp(x, y), copysign(x, y),
                          maximum(x, y), minimum(x, y), fmax(x, y), fmin(x, y), where(x < y, x * y, x), fma(x, y, x), lerp(x, y, x), clip(x, -1.0, y));
    }
};
struct three {
    template <class X, class Y, class Z> constexpr auto operator()(X const& x, Y const& y, Z const& z) const {
        return std::tuple(fma(x, y, z), where(x > 0, y, z) * z, clip(x, y, z), lerp(x, y, z), hypot(x, hypot(y, z)));
    }
};

} // namespace tx::testing::pointwise
