// Value and gradient of a chain of pointwise ops and a sum, derived by hand. Return the value.
#pragma once

#include <cstddef>

namespace baselines {

// y0 = x, y(k + 1) = 0.7 sqrt(1 + yk^2) - yk w + x / (1 + w^2), and sum of the last squared.
inline constexpr int chain_length = 5;
float plain_chain(std::size_t n, float const* x, float const* w, float* gx, float* gw);
float eigen_chain(std::size_t n, float const* x, float const* w, float* gx, float* gw);

} // namespace baselines
