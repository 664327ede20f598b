// expect-output: test accuracy: 9[7-9]\.[0-9] %, [0-9]+ microseconds a step
// Trains the network of digits.cpp as users of TensorFlow write it: the step captures variables, and a gradient tape
// differentiates what it computes. The compiler can't see what is captured, so the step is traced when it is first called, and
// runs tile by tile.
#include <tracexpr/files.hpp>
#include <tracexpr/tracexpr.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

constexpr std::int64_t samples = 1797, training_samples = 1437, pixels = 64, digits = 10, hidden = 128, batch_size = 32,
                       batches = training_samples / batch_size;
constexpr int epochs = 40;

struct model {
    tx::variable<float, tx::shape<pixels, hidden>> weights;
    tx::variable<float, tx::shape<hidden>> bias;
    tx::variable<float, tx::shape<hidden, digits>> out_weights;
    tx::variable<float, tx::shape<digits>> out_bias;

    auto parameters() { return std::tie(weights, bias, out_weights, out_bias); }
    auto operator()(auto const& x) const { return tx::matmul(tx::relu(tx::matmul(x, weights) + bias), out_weights) + out_bias; }
};
constexpr auto adam = tx::optim::adam({.learning_rate = 0.002});

template <class Shape> tx::variable<float, Shape> normal(float deviation, std::mt19937& random) {
    std::normal_distribution<float> draw_one(0, deviation);
    tx::tensor<float, Shape> out;
    std::generate_n(out.mutable_data(), out.size(), [&] { return draw_one(random); });
    return out;
}

int main() {
    auto const order = tx::remainder(tx::arange<std::int64_t, samples>() * 1000 + 17, samples); // a fixed permutation
    auto const grey = tx::load_npy<std::uint8_t, tx::shape<samples, 8, 8>>(TRACEXPR_EXAMPLE_DATA "/digits_images.npy");
    auto const label = tx::load_npy<std::uint8_t, tx::shape<samples>>(TRACEXPR_EXAMPLE_DATA "/digits_labels.npy");
    auto const x = tx::take(tx::cast<float>(tx::reshape<samples, pixels>(grey)) / 16, order, tx::axis<0>);
    auto const y = tx::take(tx::cast<std::int64_t>(label), order, tx::axis<0>);
    auto const train = tx::range<0, training_samples>;
    auto const test = tx::range<training_samples, samples>;
    auto const train_x = tx::slice(x, train);
    auto const truth = tx::one_hot<float>(tx::slice(y, train), tx::depth<digits>);

    std::mt19937 random(1);
    model net;
    net.weights = normal<tx::shape<pixels, hidden>>(std::sqrt(2.0f / pixels), random);
    net.out_weights = normal<tx::shape<hidden, digits>>(std::sqrt(2.0f / hidden), random);
    auto state = adam.init(net.parameters());
    tx::function train_step{[&](auto now, auto all_x, auto all_truth, auto places) {
        tx::gradient_tape tape;
        auto const logits = net(tx::take(all_x, places, tx::axis<0>));
        auto const loss = -tx::mean(tx::sum(tx::take(all_truth, places, tx::axis<0>) * tx::log_softmax(logits), tx::axis<1>));
        return adam.update(tape.gradient(loss, net.parameters()), now, net.parameters());
    }};

    std::vector<std::int64_t> shuffled(training_samples);
    std::iota(shuffled.begin(), shuffled.end(), 0);
    auto const start = std::chrono::steady_clock::now();
    for (int epoch = 1; epoch <= epochs; ++epoch) {
        std::shuffle(shuffled.begin(), shuffled.end(), random);
        for (std::int64_t k = 0; k < batches; ++k) {
            auto const places = tx::from_data<tx::shape<batch_size>>(shuffled.data() + k * batch_size);
            auto const [next, after] = train_step(state, train_x, truth, places);
            net.parameters() = next, state = after;
        }
    }
    std::chrono::duration<double, std::micro> const taken = std::chrono::steady_clock::now() - start;
    auto const right = tx::cast<float>(tx::argmax(net(tx::slice(x, test)), tx::axis<1>) == tx::slice(y, test));
    std::printf("test accuracy: %.1f %%, %.0f microseconds a step\n", 100 * tx::mean(right).item(),
                taken.count() / (epochs * batches));
}
