// An LSTM that learns to remember: the first number of a sequence is to be said at its end. Trained by Adam through tx::scan.
#include <tracexpr/tracexpr.hpp>

#include <cstdio>

using tx::shape;

constexpr std::int64_t units = 8, length = 12, batch = 32;

struct lstm {
    tx::tensor<float, shape<1, 4 * units>> in;
    tx::tensor<float, shape<units, 4 * units>> back;
    tx::tensor<float, shape<4 * units>> bias;
    tx::tensor<float, shape<units, 1>> out;
};

constexpr auto predict = [](lstm const& net, auto xs) { // xs: (length, batch, 1)
    auto const start = tx::zeros<float>(shape<batch, units>{});
    auto const cell = [&](auto state, auto x) {
        auto const [h, c] = state;
        auto const [i, f, g, o] = tx::split<4>(tx::matmul(x, net.in) + tx::matmul(h, net.back) + net.bias, tx::axis<1>);
        auto const next = tx::sigmoid(f + 1) * c + tx::sigmoid(i) * tx::tanh(g);
        auto const shown = tx::sigmoid(o) * tx::tanh(next);
        return std::pair(std::pair(shown, next), tx::mean(shown));
    };
    auto const [last, means] = tx::scan(cell, std::pair(start, start), xs);
    return tx::matmul(last.first, net.out);
};
constexpr auto loss = [](lstm const& net, auto xs) { return tx::mean(tx::square(predict(net, xs) - xs[0])); };
constexpr auto adam = tx::optim::adam(0.02);

int main() {
    tx::random::seed(2);
    auto const draw = [](auto s) { return 0.4f * tx::random::normal<float>(s); };
    lstm net{draw(shape<1, 4 * units>{}), draw(shape<units, 4 * units>{}), tx::zeros<float>(shape<4 * units>{}),
             draw(shape<units, 1>{})};
    auto state = adam.init(net);
    tx::static_function step{[](lstm now, auto s, auto xs) {
        auto const [value, slope] = tx::value_and_grad(loss)(now, xs);
        return std::pair(adam.update(slope, s, now), value);
    }};

    float last = 0;
    for (int k = 0; k <= 600; ++k) {
        auto const xs = tx::random::uniform<float>(shape<length, batch, 1>{}, -1, 1);
        auto const [next, value] = step(net, state, xs);
        std::tie(net, state) = next;
        last = value.item();
        if (k % 200 == 0) std::printf("step %d: loss %.4f\n", k, static_cast<double>(last));
    }
    std::printf("learnt: %d (guessing 0 would have a loss of 0.333)\n", last < 0.05f);
}
