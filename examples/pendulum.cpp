// expect-output: step 300: loss 0\.0000.*found length 1\.70.* and damping 0\.35
// A damped pendulum, theta'' = -g / length sin(theta) - damping theta', solved by the Runge-Kutta pair of Bogacki and Shampine
// (1989), which chooses its steps itself: a tx::while_loop from one time of observation to the next, in a tx::scan over these
// times. Length and damping are then found from noisy observations, by the gradient through all of it.
#include <tracexpr/plot.hpp>
#include <tracexpr/tracexpr.hpp>

#include <cmath>
#include <cstdio>

using tx::shape;
using tx::tensor;
using pendulum_state = tensor<double, shape<2>>; // angle, angular velocity
using pendulum_model = tensor<double, shape<2>>; // length, damping

constexpr int observations = 24;
using series = tensor<double, shape<observations>>;

constexpr auto derivative = [](auto y, auto p) {
    auto const angle = tx::slice(y, tx::at<0>), velocity = tx::slice(y, tx::at<1>);
    auto const length = tx::slice(p, tx::at<0>), damping = tx::slice(p, tx::at<1>);
    return tx::stack(tx::axis<0>, velocity, -9.81 / length * tx::sin(angle) - damping * velocity);
};

// Takes one step; gives the result of third order, and the difference from that of second order.
constexpr auto bogacki_shampine = [](auto y, auto h, auto p) {
    auto const k1 = derivative(y, p);
    auto const k2 = derivative(y + h * 0.5 * k1, p);
    auto const k3 = derivative(y + h * 0.75 * k2, p);
    auto const next = y + h * (2.0 / 9 * k1 + 1.0 / 3 * k2 + 4.0 / 9 * k3);
    auto const k4 = derivative(next, p);
    return std::pair(next, h * (-5.0 / 72 * k1 + 1.0 / 12 * k2 + 1.0 / 9 * k3 - 1.0 / 8 * k4));
};

// Gives the state after `duration`, and the number of steps, rejected ones included.
constexpr auto advanced = [](auto y, auto duration, auto p) {
    constexpr double tolerance = 1e-6;
    auto const step = [=](auto time, auto width, auto now, auto steps) {
        auto const h_now = tx::minimum(width, duration - time);
        auto const [next, error] = bogacki_shampine(now, h_now, p);
        auto const ratio = tx::stop_gradient(tx::max(tx::abs(error)) / tolerance); // steps are not differentiated for
        auto const taken = ratio <= 1;
        auto const factor = tx::clip(0.9 * tx::pow(ratio + 1e-12, -1.0 / 3), 0.2, 4.0);
        return std::tuple(tx::where(taken, time + h_now, time), tx::stop_gradient(h_now * factor), tx::where(taken, next, now),
                          steps + 1);
    };
    auto const [t, h, end, count] = tx::while_loop([=](auto now, auto, auto, auto) { return now < duration; }, step, duration * 0,
                                                   duration * 0.1, y, tensor<int, shape<>>(0));
    return std::pair(end, count);
};

// Gives the angle at each time, and the number of steps that it took.
constexpr auto angles = [](auto p) {
    auto const start = tx::slice(p, tx::at<0>) * 0 + pendulum_state{1.2, 0.0};
    auto const [last, all] = tx::scan(
        [p](auto y, auto duration) {
            auto const [next, count] = advanced(y, duration, p);
            return std::pair(next, std::pair(tx::slice(next, tx::at<0>), count));
        },
        start, tx::full_like(tx::zeros<double>(shape<observations>{}), 0.25));
    return all;
};

int main() {
    pendulum_model const truth{1.7, 0.35};
    tx::static_function const solve{angles};
    auto const [exact, steps] = solve(truth);
    std::printf("%d observations, %d steps of the solver\n", observations, static_cast<int>(tx::sum(steps).item()));

    tx::random::key const key(11);
    series const observed = exact + 0.01 * tx::random::stateless_normal<double>(key, shape<observations>{});
    auto const loss = [](auto p, auto seen) { return tx::mean(tx::square(angles(p).first - seen)); };
    tx::static_function const loss_and_slope{tx::value_and_grad(loss)};

    constexpr auto adam = tx::optim::adam({.learning_rate = 0.02, .b2 = 0.99, .eps = 1e-12});
    pendulum_model p{1.0, 0.1};
    auto state = adam.init(p);
    constexpr int steps_of_adam = 300;
    tx::progress progress(steps_of_adam, {.every = 50});
    for (int k = 1; k <= steps_of_adam; ++k) {
        auto const [value, slope] = loss_and_slope(p, observed);
        std::tie(p, state) = adam.update(slope, state, p);
        progress.show(k, "loss", value.item(), "length", p(0), "damping", p(1));
    }
    auto const found = p;
    std::printf("found length %.3f and damping %.3f; true are %.3f and %.3f\n", found(0), found(1), truth(0), truth(1));
    bool const is_right = std::abs(p(0) - truth(0)) < 0.02 && std::abs(p(1) - truth(1)) < 0.02;
    return is_right ? 0 : 1;
}
