// This file holds a small problem whose gradient is linear, and runs an optimizer on it in all ways.
#pragma once

#include <run/small_functions_checks.hpp>

namespace tx::testing {

struct numbers {
    tensor<double, shape<2>> w;
    tensor<double, shape<>> b;
};
constexpr numbers start_numbers() { return {{0.5, 1.5}, tensor<double, shape<>>(-1.0)}; }

// The loss is half the sum of (1, 3) * (w - (2, -1))^2 and 0.5 * (b - 4)^2.
constexpr auto bowl = [](numbers const& p) {
    auto const w = p.w - tensor<double, shape<2>>{2, -1};
    auto const b = p.b - 4.0;
    return 0.5 * (sum(tensor<double, shape<2>>{1, 3} * w * w) + 0.5 * b * b);
};

inline void check_numbers(numbers const& got, std::array<double, 3> const& expected) {
    CHECK(is_near(got.w(0), expected[0], 1e-12));
    CHECK(is_near(got.w(1), expected[1], 1e-12));
    CHECK(is_near(got.b.item(), expected[2], 1e-12));
}
// Checks seven steps, of a function that the compiler traces, and on tensors. O has `static constexpr auto opt`.
template <class O> void check_seven_steps(std::array<double, 3> const& expected) {
    static_function const step{[](numbers const& p, auto const& state) { return O::opt.update(grad(bowl)(p), state, p); },
                               options{.kernels = kernels::tiles}};
    numbers traced = start_numbers(), direct = start_numbers();
    auto traced_state = O::opt.init(traced), direct_state = O::opt.init(direct);
    for (int k = 0; k < 7; ++k) {
        std::tie(traced, traced_state) = step(traced, traced_state);
        numbers const slope{tensor<double, shape<2>>{1, 3} * (direct.w - tensor<double, shape<2>>{2, -1}),
                            0.5 * (direct.b - 4.0)};
        std::tie(direct, direct_state) = O::opt.update(slope, direct_state, direct);
    }
    INFO("traced");
    check_numbers(traced, expected);
    INFO("on tensors");
    check_numbers(direct, expected);
    CHECK(traced_state.count.item() == 7);
}

} // namespace tx::testing
