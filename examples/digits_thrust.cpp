// expect-output: on thrust_device 0 \([A-Za-z]+\): test accuracy 9[4-9]\.[0-9] %
// Learns to read handwritten digits on a GPU: `nvcc -x cu` compiles this file for one (docs/devices.md), any other compiler for
// the threads of Thrust's host system. The training data is moved there once, the network's parameters and Adam's means stay
// there from step to step, and the host sees a loss now and then.
#include <tracexpr/plot.hpp>
#include <tracexpr/thrust.hpp>
#include <tracexpr/tracexpr.hpp>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <vector>

constexpr std::int64_t samples = 1797, training_samples = 1437, pixels = 64, digits = 10, hidden = 256;
constexpr int steps = 120;
constexpr tx::thrust_device gpu{};

template <std::int64_t Count> using images = tx::tensor<float, tx::shape<Count, pixels>>;
template <std::int64_t Count> using labels = tx::tensor<std::int64_t, tx::shape<Count>>;

struct network {
    tx::tensor<float, tx::shape<pixels, hidden>> weights;
    tx::tensor<float, tx::shape<hidden>> bias;
    tx::tensor<float, tx::shape<hidden, digits>> out_weights;
    tx::tensor<float, tx::shape<digits>> out_bias;

    constexpr auto operator()(auto const& x) const {
        return tx::matmul(tx::relu(tx::matmul(x, weights) + bias), out_weights) + out_bias;
    }
};
// Adam's state is the network, and running means of its gradient and of the gradient's square.
struct state {
    network now, mean, square;
};

// nvcc accepts no lambdas in templates that it compiles for the device, but it accepts structs.
struct cross_entropy {
    constexpr auto operator()(network const& n, auto const& x, auto const& truth) const {
        return -tx::mean(tx::sum(tx::one_hot<float>(truth, tx::depth<digits>) * tx::log_softmax(n(x)), tx::axis<1>));
    }
};
struct mean_of {
    constexpr auto operator()(auto const& m, auto const& g) const { return 0.9f * m + 0.1f * g; }
};
struct mean_square_of {
    constexpr auto operator()(auto const& v, auto const& g) const { return 0.999f * v + 0.001f * g * g; }
};
// Kingma and Ba, Adam: A Method for Stochastic Optimization, 2015, algorithm 1, with both corrections in the rate.
struct train {
    constexpr auto operator()(state const& s, auto const& x, auto const& truth, auto const& rate) const {
        auto const [loss, gradient] = tx::value_and_grad(cross_entropy{})(s.now, x, truth);
        network const mean = tx::tree_map(mean_of{}, s.mean, gradient);
        network const square = tx::tree_map(mean_square_of{}, s.square, gradient);
        auto const moved = [&](auto const& p, auto const& m, auto const& v) { return p - rate * m / (tx::sqrt(v) + 1e-8f); };
        return std::pair(state{tx::tree_map(moved, s.now, mean, square), mean, square}, loss);
    }
};
struct accuracy_of {
    constexpr auto operator()(network const& n, auto const& x, auto const& truth) const {
        return tx::mean(tx::cast<float>(tx::argmax(n(x), tx::axis<1>) == truth));
    }
};

// Reads the elements of an .npy file with a header of 128 bytes.
std::vector<unsigned char> read_bytes(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    file.ignore(128);
    return {std::istreambuf_iterator<char>(file), {}};
}

int main() {
    std::string const folder = TRACEXPR_EXAMPLE_DATA;
    auto const grey = read_bytes(folder + "/digits_images.npy"), digit = read_bytes(folder + "/digits_labels.npy");
    images<training_samples> x;
    labels<training_samples> y;
    images<samples - training_samples> test_x;
    labels<samples - training_samples> test_y;
    for (std::int64_t k = 0; k < samples; ++k) {
        std::int64_t const from = (k * 1000 + 17) % samples; // a fixed permutation: they have no common divisor
        bool const is_test = k >= training_samples;
        std::int64_t const to = is_test ? k - training_samples : k;
        float* const image = (is_test ? test_x.mutable_data() : x.mutable_data()) + to * pixels;
        for (std::int64_t p = 0; p < pixels; ++p) image[p] = static_cast<float>(grey[static_cast<std::size_t>(from * pixels + p)]) / 16;
        (is_test ? test_y.mutable_data() : y.mutable_data())[to] = digit[static_cast<std::size_t>(from)];
    }

    std::mt19937 random(1);
    auto const fill = [&](auto& weights, float deviation) { // He et al., Delving Deep into Rectifiers, 2015
        std::normal_distribution<float> draw(0, deviation);
        std::generate_n(weights.mutable_data(), weights.size(), [&] { return draw(random); });
    };
    state s{};
    fill(s.now.weights, std::sqrt(2.0f / pixels));
    fill(s.now.out_weights, std::sqrt(2.0f / hidden));

    auto const step = tx::on(gpu, train{});
    auto const accuracy = tx::on(gpu, accuracy_of{});
    s = tx::to(gpu, s);
    auto const there_x = tx::to(gpu, x);
    auto const there_y = tx::to(gpu, y);
    tx::progress progress(steps, {.every = 20});
    for (int k = 1; k <= steps; ++k) {
        float const rate = 0.005f * std::sqrt(1 - std::pow(0.999f, static_cast<float>(k))) / (1 - std::pow(0.9f, static_cast<float>(k)));
        auto [next, loss] = step(s, there_x, there_y, rate);
        s = next;
        if (k % 20 == 0) progress.show(k, "loss", loss.item());
    }
    auto const right = accuracy(s.now, tx::to(gpu, test_x), tx::to(gpu, test_y));
    std::printf("on %s: test accuracy %.1f %%\n", tx::device_of(s.now.weights).c_str(), 100.0 * static_cast<double>(right.item()));
}
