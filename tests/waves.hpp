// This file holds the arguments and the expected results of programs whose files are compiled differently.
#pragma once

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>

using floats = tx::tensor<float, tx::shape<tx::dyn>>;

inline floats numbers(std::int64_t count) {
    auto out = floats::uninitialized(tx::dims{{count}, 1});
    for (std::int64_t i = 0; i < count; ++i) out.mutable_data()[i] = static_cast<float>(i % 37) * 0.05f - 0.9f;
    return out;
}
template <class F> void check(floats const& got, floats const& x, F expected) {
    REQUIRE(got.size() == x.size());
    for (std::int64_t i = 0; i < x.size(); ++i)
        CHECK(got(i) == doctest::Approx(expected(static_cast<double>(x(i)))).epsilon(1e-5));
}
inline double wave_of(double x) { return std::sin(x) * x + 1; }
