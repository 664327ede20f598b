// expect-output: episode 500: balanced for.*the last ten episodes: (1[0-9][0-9]|200) steps
// A policy learns to balance a pole on a cart (Barto, Sutton and Anderson 1983) by REINFORCE (Williams 1992). The environment is
// ordinary C++ with state, which the graph of an episode calls by tx::opaque in each step of a tx::scan.
#include <tracexpr/plot.hpp>
#include <tracexpr/tracexpr.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <tuple>

using tx::shape;
using tx::tensor;
using observation = tensor<float, shape<4>>; // position, velocity, angle, angular velocity

constexpr std::int64_t time_steps = 200;

class cart_pole {
public:
    observation reset() {
        for (float& x : s_) x = 0.02f;
        return seen();
    }
    // Gives the next observation, and whether the pole still stands. An environment that is done does not change.
    std::tuple<observation, tensor<float, shape<>>> step(bool right) {
        if (done()) return {seen(), 0.0f};
        auto& [x, v, angle, turn] = s_;
        float const force = right ? 10 : -10, c = std::cos(angle), s = std::sin(angle);
        float const push = (force + 0.05f * turn * turn * s) / 1.1f;
        float const bend = (9.8f * s - c * push) / (0.5f * (4.0f / 3 - 0.1f * c * c / 1.1f));
        float const speed_up = push - 0.05f * bend * c / 1.1f;
        x += 0.02f * v, v += 0.02f * speed_up, angle += 0.02f * turn, turn += 0.02f * bend;
        return {seen(), done() ? 0.0f : 1.0f};
    }

private:
    bool done() const { return std::abs(s_[0]) > 2.4f || std::abs(s_[2]) > 0.21f; }
    observation seen() const { return {s_[0], s_[1], s_[2], s_[3]}; }
    std::array<float, 4> s_{};
};

// Gives the logarithms of the odds for left and right.
constexpr auto policy = [](auto seen, auto w, auto out) {
    return tx::log_softmax(tx::matmul(tx::tanh(tx::matmul(seen * observation{1, 1, 10, 3}, w)), out));
};
constexpr auto loss = [](auto w, auto out, auto seen, auto action, auto weight) {
    auto const chosen = tx::take_along_axis(policy(seen, w, out), tx::expand_dims(action, tx::axis<1>), tx::axis<1>);
    return -tx::sum(tx::squeeze(chosen, tx::axis<1>) * weight);
};

int main() {
    tx::random::seed(5);
    cart_pole world;
    tx::variable<float, shape<4, 16>> w{tx::random::normal<float>(shape<4, 16>{}, 0, 0.5f)};
    tx::variable<float, shape<16, 2>> out{tx::random::normal<float>(shape<16, 2>{}, 0, 0.1f)};

    // An episode records what the policy saw and did in each step, and whether the pole stood afterwards.
    tx::function const episode{[&](auto first) {
        auto const step = [&](auto seen, auto) {
            auto const action = tx::random::categorical(policy(seen, w, out));
            auto const [next, stands] = tx::opaque<tx::spec<float, shape<4>>, tx::spec<float, shape<>>>(
                [&world](auto a) { return world.step(a.item() == 1); }, action);
            return std::pair(next, std::tuple(seen, action, stands));
        };
        return tx::scan(step, first, tx::arange<std::int64_t>(0, time_steps)).second;
    }};
    constexpr auto descent = tx::optim::sgd({.learning_rate = 0.004});
    auto state = descent.init(std::tie(w, out));
    tx::function const learn{[&](auto now, auto seen, auto action, auto weight) {
        auto const [next, after] = descent.update(tx::grad<0, 1>(loss)(w, out, seen, action, weight), now, std::tie(w, out));
        std::tie(w, out) = next;
        return after;
    }};

    constexpr int episodes = 500;
    double last_ten = 0;
    tx::progress progress(episodes, {.label = "episode", .every = 50});
    for (int k = 1; k <= episodes; ++k) {
        auto const [seen, action, stands] = episode(world.reset());
        // The returns are the rewards still to come; their mean is subtracted, and they are divided by their deviation.
        auto const to_come = tx::flip(tx::cumsum(tx::flip(stands)));
        float const balanced = tx::sum(stands).item(), count = std::fmax(balanced, 1.0f);
        float const mean = tx::sum(to_come * stands).item() / count;
        float const deviation = std::sqrt(tx::sum(stands * tx::square(to_come - mean)).item() / count) + 1e-3f;
        state = learn(state, seen, action, stands * (to_come - mean) / deviation);
        progress.show(k, "balanced for", static_cast<int>(balanced), "steps");
        if (k > episodes - 10) last_ten += static_cast<double>(balanced) / 10;
    }
    std::printf("the last ten episodes: %.0f steps\n", last_ten);
}
