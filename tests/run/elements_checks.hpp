// This file holds functions of a few numbers for each of many examples, their derivatives, and small products, with their closed
// forms.
#pragma once

#include <run/blocks_checks.hpp>

namespace tx::testing {

// The distance and direction of a target, and its speed away, as a function of position and velocity.
inline constexpr auto sighted = [](auto p) {
    auto const x = tx::slice(p, tx::at<0>), y = tx::slice(p, tx::at<1>), z = tx::slice(p, tx::at<2>);
    auto const r = tx::sqrt(x * x + y * y + z * z);
    auto const v = tx::slice(p, tx::range<3, 6>);
    return tx::stack(tx::axis<0>, r, y / x, z / r, tx::sum(tx::slice(p, tx::range<0, 3>) * v) / r);
};
inline constexpr auto sighted_slopes = tx::vmap(tx::jacfwd(sighted));
inline constexpr auto sighted_rows = tx::vmap(tx::jacrev(sighted));
inline std::vector<double> slopes_of_sighted(std::int64_t n, float const* p) {
    std::vector<double> out(static_cast<std::size_t>(n * 24), 0.0);
    for (std::int64_t i = 0; i < n; ++i, p += 6) {
        double* const o = out.data() + i * 24;
        double const r = std::sqrt(double{p[0]} * p[0] + double{p[1]} * p[1] + double{p[2]} * p[2]);
        double const u[3]{p[0] / r, p[1] / r, p[2] / r}, away = u[0] * p[3] + u[1] * p[4] + u[2] * p[5];
        for (int k = 0; k < 3; ++k) {
            o[k] = u[k];
            o[12 + k] = ((k == 2 ? 1 : 0) - u[2] * u[k]) / r;
            o[18 + k] = (p[3 + k] - away * u[k]) / r;
            o[21 + k] = u[k];
        }
        o[6] = -double{p[1]} / p[0] / p[0], o[7] = 1.0 / p[0];
    }
    return out;
}

// The energy of two springs of length 1 between three points of a plane.
inline constexpr auto springs = [](auto p) {
    auto const bent = [](auto d) {
        auto const longer = tx::sqrt(tx::sum(d * d)) - 1;
        return 0.5f * longer * longer;
    };
    auto const a = tx::slice(p, tx::range<0, 2>), b = tx::slice(p, tx::range<2, 4>), c = tx::slice(p, tx::range<4, 6>);
    return bent(a - b) + bent(b - c);
};
inline constexpr auto stiffness = tx::vmap(tx::hessian(springs));
inline std::vector<double> stiffness_of_springs(std::int64_t n, float const* p) {
    std::vector<double> out(static_cast<std::size_t>(n * 36), 0.0);
    for (std::int64_t i = 0; i < n; ++i, p += 6)
        for (int spring = 0; spring < 2; ++spring) {
            float const* const a = p + 2 * spring;
            double const d[2]{double{a[0]} - a[2], double{a[1]} - a[3]}, l = std::sqrt(d[0] * d[0] + d[1] * d[1]);
            for (int r = 0; r < 4; ++r)
                for (int c = 0; c < 4; ++c) {
                    double const h = d[r % 2] * d[c % 2] / (l * l * l) + (r % 2 == c % 2 ? 1 - 1 / l : 0);
                    out[static_cast<std::size_t>(i * 36 + (2 * spring + r) * 6 + 2 * spring + c)] += r / 2 == c / 2 ? h : -h;
                }
        }
    return out;
}

// a b a^T + b, for 3 x 3 matrices.
inline constexpr auto turned = [](auto a, auto b) { return tx::matmul(tx::matmul(a, b), tx::swapaxes<1, 2>(a)) + b; };
inline std::vector<double> turned_matrices(std::int64_t n, float const* a, float const* b) {
    std::vector<double> out;
    for (std::int64_t i = 0; i < n; ++i, a += 9, b += 9)
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) {
                double sum = b[3 * r + c];
                for (int j = 0; j < 3; ++j)
                    for (int k = 0; k < 3; ++k) sum += double{a[3 * r + j]} * b[3 * j + k] * a[3 * c + k];
                out.push_back(sum);
            }
    return out;
}

inline std::vector<float> between(float low, float high, std::int64_t count, std::int64_t seed) {
    std::vector<float> out;
    for (std::int64_t i = 0; i < count; ++i)
        out.push_back(low + (high - low) * static_cast<float>((i * 7919 + seed * 104'729) % 2003) / 2003);
    return out;
}

struct wanted {
    std::vector<double> elements;
    std::int64_t size() const { return static_cast<std::int64_t>(elements.size()); }
    double const* data() const { return elements.data(); }
};
inline constexpr std::int64_t places = 307;

template <std::int64_t N, std::int64_t... E> auto given(std::vector<float> const& x, std::int64_t n) {
    if constexpr (N == tx::dyn) return tx::from_data<tx::shape<tx::dyn, E...>>(x.data(), n, E...);
    else return tx::from_data<tx::shape<N, E...>>(x.data());
}

} // namespace tx::testing
