// expect-output: test accuracy: 9[7-9]\.[0-9] %
// Learns to read handwritten digits: a network with one hidden layer, trained by Adam on small batches. Every shape is known to
// the compiler, so it traces, differentiates, optimises and compiles the training step.
#include <tracexpr/files.hpp>
#include <tracexpr/plot.hpp>
#include <tracexpr/tracexpr.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>
#include <string>
#include <vector>

constexpr std::int64_t samples = 1797, training_samples = 1437, test_samples = samples - training_samples, pixels = 64,
                       digits = 10, hidden = 128, batch_size = 32, batches = training_samples / batch_size;
constexpr int epochs = 40;

using images = tx::tensor<float, tx::shape<samples, pixels>>;
using labels = tx::tensor<std::int64_t, tx::shape<samples>>;
template <std::int64_t Count> using digit_list = tx::tensor<std::int64_t, tx::shape<Count>>;

struct model {
    tx::tensor<float, tx::shape<pixels, hidden>> weights;
    tx::tensor<float, tx::shape<hidden>> bias;
    tx::tensor<float, tx::shape<hidden, digits>> out_weights;
    tx::tensor<float, tx::shape<digits>> out_bias;

    constexpr auto operator()(auto const& x) const {
        return tx::matmul(tx::relu(tx::matmul(x, weights) + bias), out_weights) + out_bias;
    }
};
constexpr auto cross_entropy = [](model m, auto x, auto truth) { return -tx::mean(tx::sum(truth * tx::log_softmax(m(x)), tx::axis<1>)); };

constexpr auto adam = tx::optim::adam({.learning_rate = 0.002});

// Trains for one step on the images at `places`.
tx::static_function train_step{[](model now, auto state, auto all_x, auto all_truth, auto places) {
    auto const x = tx::take(all_x, places, tx::axis<0>);
    auto const truth = tx::take(all_truth, places, tx::axis<0>);
    auto const [loss, gradient] = tx::value_and_grad(cross_entropy)(now, x, truth);
    return std::pair(adam.update(gradient, state, now), loss);
}};
tx::static_function predict{[](model m, auto x) { return tx::argmax(m(x), tx::axis<1>); }};
tx::static_function accuracy{[](auto predicted, auto truth) { return tx::mean(tx::cast<float>(predicted == truth)); }};
// Element (i, j) is the number of images of digit i that were taken for j.
tx::static_function confusion{[](auto predicted, auto truth) {
    auto const one_hot = [](auto d) { return tx::one_hot<std::int64_t>(d, tx::depth<digits>); };
    return tx::matmul(tx::transpose(one_hot(truth)), one_hot(predicted));
}};

// This is a fixed permutation, because 1000 and 1797 have no common divisor.
auto shuffled_order() { return tx::remainder(tx::arange<std::int64_t, samples>() * 1000 + 17, samples); }

auto split(auto const& all) {
    return std::pair(tx::slice(all, tx::range<0, training_samples>), tx::slice(all, tx::range<training_samples, samples>));
}

// Draws the first test images, and what they were taken for; wrong predictions are red, with the right digit in brackets.
void draw(char const* path, images const& x, digit_list<test_samples> const& predicted, digit_list<test_samples> const& truth) {
    tx::plot::image_grid grid{{.columns = 12, .pixel = 8}};
    for (int k = 0; k < 60; ++k) {
        auto const ink = tx::from_data<tx::shape<8, 8>>(x.data() + (training_samples + k) * pixels);
        bool const right = predicted(k) == truth(k);
        std::string const caption = std::to_string(predicted(k)) + (right ? "" : " (" + std::to_string(truth(k)) + ')');
        grid.add(1 - ink, caption, right ? "#222" : "#d00");
    }
    grid.save(path);
}

void fill_normal(auto& weights, float deviation, std::mt19937& random) {
    std::normal_distribution<float> draw_one(0, deviation);
    std::generate_n(weights.mutable_data(), weights.size(), [&] { return draw_one(random); });
}

int main() {
    std::string const folder = TRACEXPR_EXAMPLE_DATA;
    auto const order = shuffled_order();
    auto const grey = tx::load_npy<std::uint8_t, tx::shape<samples, 8, 8>>(folder + "/digits_images.npy");
    images const x = tx::take(tx::cast<float>(tx::reshape<samples, pixels>(grey)) / 16, order, tx::axis<0>);
    labels const y =
        tx::take(tx::cast<std::int64_t>(tx::load_npy<std::uint8_t, tx::shape<samples>>(folder + "/digits_labels.npy")), order,
                 tx::axis<0>);

    auto const [train_x, test_x] = split(x);
    auto const [train_y, test_y] = split(y);
    auto const truth = tx::one_hot<float>(train_y, tx::depth<digits>);

    std::mt19937 random(1);
    model net;
    fill_normal(net.weights, std::sqrt(2.0f / pixels), random); // He et al., Delving Deep into Rectifiers, 2015
    fill_normal(net.out_weights, std::sqrt(2.0f / hidden), random);
    auto state = adam.init(net);
    std::vector<std::int64_t> shuffled(training_samples);
    std::iota(shuffled.begin(), shuffled.end(), 0);
    std::vector<float> losses;
    tx::progress progress(epochs, {.label = "epoch", .every = 5});
    for (int epoch = 1; epoch <= epochs; ++epoch) {
        std::shuffle(shuffled.begin(), shuffled.end(), random);
        float sum = 0;
        for (std::int64_t k = 0; k < batches; ++k) {
            digit_list<batch_size> places;
            std::copy_n(shuffled.begin() + k * batch_size, batch_size, places.mutable_data());
            auto const [next, loss] = train_step(net, state, train_x, truth, places);
            std::tie(net, state) = next;
            sum += loss.item();
        }
        losses.push_back(sum / batches);
        progress.show(epoch, "loss", losses.back());
    }
    tx::plot::lines({.title = "training loss", .x_label = "epoch", .y_scale = tx::plot::scale::log, .first_x = 1})
        .add("loss", losses)
        .save("digits_loss.svg");

    auto const predicted = predict(net, test_x);
    std::printf("test accuracy: %.1f %%\n\nconfusion matrix (rows: the digit; columns: what it was taken for)\n",
                100 * accuracy(predicted, test_y).item());
    auto const table = confusion(predicted, test_y);
    for (int i = 0; i < digits; ++i)
        for (int j = 0; j < digits; ++j) std::printf("%4d%s", static_cast<int>(table(i, j)), j == digits - 1 ? "\n" : "");
    draw("digits.svg", x, predicted, test_y);
    std::printf("\ndigits_loss.svg shows the loss, digits.svg some test images and what they were taken for; where that is wrong, the "
                "right digit is in brackets\n");
}
