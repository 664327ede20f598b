// What the programs of this folder share: the curve of docs/tutorial.md as a loss, the points that it is asked for, and the
// clock.
#pragma once

#include <tracexpr/tracexpr.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <tuple>

using column = tx::tensor<float, tx::shape<tx::dyn>>;
using scalar = tx::tensor<float, tx::shape<>>;
using parameters = std::tuple<scalar, scalar, scalar>; // room, excess, rate

struct loss_of {
    constexpr auto operator()(auto const& p, auto const& x, auto const& y) const {
        auto const& [room, excess, rate] = p;
        return tx::mean(tx::square(room + excess * tx::exp(-rate * x) - y));
    }
};

inline parameters start() { return {scalar(0.5f), scalar(0.5f), scalar(1.0f)}; }

// The least of 400 rounds, in microseconds: on a machine that does other work, too, some rounds are not disturbed.
template <class Step> double least_microseconds(Step const& step, int calls) {
    double least = 1e30;
    for (int round = 0; round < 400; ++round) {
        auto const before = std::chrono::steady_clock::now();
        for (int k = 0; k < calls; ++k) step();
        std::chrono::duration<double, std::micro> const took = std::chrono::steady_clock::now() - before;
        least = std::min(least, took.count() / calls);
    }
    return least;
}

// `step(x, y)` gives the loss and its gradient; both are asked for 12 points and for 100,000.
template <class Step> void report(char const* way, Step const& step) {
    for (int const points : {12, 100'000}) {
        column const x = tx::arange<float>(static_cast<float>(points)) * (1.5f / static_cast<float>(points));
        column const y = 0.22f + 0.68f * tx::exp(-1.9f * x);
        double const least = least_microseconds([&] { return step(x, y); }, points == 12 ? 100 : 4);
        std::printf("%s, %d points: %.2f us\n", way, points, least);
    }
}
