// This file measures the times of a program's steps. The executors know nothing of it: the caller passes a step_times object as
// the function that they call around each step.
#pragma once

#include <tracexpr/base/config.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#if TRACEXPR_HAS_BODIES
#include <chrono>
#endif

namespace tx::detail {

// Returns the time in seconds of a clock that never goes back.
template <class Unused = void> double seconds_now();
#if TRACEXPR_HAS_BODIES
template <class Unused> double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
#endif
TRACEXPR_INSTANCE(double seconds_now<void>())

// The least time of each step over several runs.
class step_times {
public:
    explicit step_times(std::size_t steps) : least_(steps, std::numeric_limits<double>::infinity()) {
        for (int k = 0; k < 100; ++k) time(of_clock_, [] {});
    }
    template <class Run> void operator()(std::size_t step, Run const& run) { time(least_[step], run); }
    // Returns the time of a step without the time that the clock itself takes.
    double seconds(std::size_t step) const { return std::max(least_[step] - of_clock_, 0.0); }

private:
    template <class Run> static void time(double& least, Run const& run) {
        double const start = seconds_now();
        run();
        least = std::min(least, seconds_now() - start);
    }

    std::vector<double> least_;
    double of_clock_ = std::numeric_limits<double>::infinity();
};

} // namespace tx::detail
