// expect-output: test accuracy: (99|100)\.[0-9] %
// Learns to read handwritten digits with convolutions: two layers of filters, a pool, and a dense layer, trained by Adam on
// images that are moved by a pixel at random. The filters of the first layer are drawn, and the images that are still read
// wrongly.
#include <tracexpr/conv.hpp>
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

using tx::shape;
using tx::tensor;

constexpr std::int64_t samples = 1797, training_samples = 1437, digits = 10, batch_size = 48, few = 24, many = 48, hidden = 96;
constexpr int epochs = 24;

template <std::int64_t Count> using images = tensor<float, shape<Count, 8, 8, 1>>;

struct model {
    tensor<float, shape<3, 3, 1, few>> first;
    tensor<float, shape<few>> first_bias;
    tensor<float, shape<3, 3, few, many>> second;
    tensor<float, shape<many>> second_bias;
    tensor<float, shape<16 * many, hidden>> dense;
    tensor<float, shape<hidden>> dense_bias;
    tensor<float, shape<hidden, digits>> out;
    tensor<float, shape<digits>> out_bias;
};
// (n, 8, 8, 1) -> (n, 10)
constexpr auto logits = [](model m, auto x) {
    auto const edges = tx::relu(tx::conv(x, m.first, tx::mode::same) + m.first_bias);
    auto const strokes = tx::relu(tx::conv(edges, m.second, tx::mode::same) + m.second_bias);
    auto const pooled = tx::reshape<-1, 16 * many>(tx::max_pool<2, 2>(strokes));
    return tx::matmul(tx::relu(tx::matmul(pooled, m.dense) + m.dense_bias), m.out) + m.out_bias;
};
constexpr auto cross_entropy = [](model m, auto x, auto truth) {
    return -tx::mean(tx::sum(truth * tx::log_softmax(logits(m, x)), tx::axis<1>));
};
constexpr auto adam =
    tx::optim::adam(tx::optim::cosine_decay{.initial = 2e-3, .steps = epochs * (training_samples / batch_size)});

tx::function train_step{[](model now, auto state, auto x, auto truth) {
    auto const [loss, gradient] = tx::value_and_grad(cross_entropy)(now, x, truth);
    return std::pair(adam.update(gradient, state, now), loss);
}};
tx::function predict{[](model m, auto x) { return tx::argmax(logits(m, x), tx::axis<1>); }};

void fill_normal(auto& weights, std::int64_t inputs, std::mt19937& random) { // He et al., Delving Deep into Rectifiers, 2015
    std::normal_distribution<float> draw_one(0, std::sqrt(2.0f / static_cast<float>(inputs)));
    std::generate_n(weights.mutable_data(), weights.size(), [&] { return draw_one(random); });
}
model random_model(std::mt19937& random) {
    model m;
    fill_normal(m.first, 9, random), fill_normal(m.second, 9 * few, random);
    fill_normal(m.dense, 16 * many, random), fill_normal(m.out, hidden, random);
    return m;
}
// Gives one image, moved by up to a pixel each way.
void copy_moved(float const* from, int down, int right, float* to) {
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) {
            int const row = i - down, column = j - right;
            to[i * 8 + j] = row >= 0 && row < 8 && column >= 0 && column < 8 ? from[row * 8 + column] : 0;
        }
}

int main() {
    std::string const folder = TRACEXPR_EXAMPLE_DATA;
    auto const order = tx::remainder(tx::arange<std::int64_t, samples>() * 1000 + 17, samples); // a fixed permutation
    auto const grey = tx::cast<float>(tx::load_npy<std::uint8_t, shape<samples, 8, 8>>(folder + "/digits_images.npy")) / 16;
    images<samples> const x = tx::expand_dims<-1>(tx::take(grey, order, tx::axis<0>));
    auto const y = tx::take(tx::cast<std::int64_t>(tx::load_npy<std::uint8_t, shape<samples>>(folder + "/digits_labels.npy")),
                            order, tx::axis<0>);

    std::mt19937 random(1);
    model net = random_model(random);
    auto state = adam.init(net);
    std::vector<int> places(training_samples);
    std::iota(places.begin(), places.end(), 0);
    std::vector<float> losses;
    tx::progress progress(epochs, {.label = "epoch", .every = 4});
    for (int epoch = 1; epoch <= epochs; ++epoch) {
        std::shuffle(places.begin(), places.end(), random);
        std::uniform_int_distribution<int> step(-1, 1);
        float sum = 0;
        for (std::size_t first = 0; first + batch_size <= places.size(); first += batch_size) {
            images<batch_size> batch;
            tensor<std::int64_t, shape<batch_size>> labels;
            for (std::size_t k = 0; k < batch_size; ++k) {
                copy_moved(x.data() + places[first + k] * 64, step(random), step(random), batch.mutable_data() + k * 64);
                labels.mutable_data()[k] = y.data()[places[first + k]];
            }
            auto const [next, loss] = train_step(net, state, batch, tx::one_hot<float>(labels, tx::depth<digits>));
            std::tie(net, state) = next;
            sum += loss.item();
        }
        losses.push_back(sum / static_cast<float>(training_samples / batch_size));
        progress.show(epoch, "loss", losses.back());
    }
    tx::plot::lines({.title = "training loss", .x_label = "epoch", .y_scale = tx::plot::scale::log, .first_x = 1})
        .add("loss", losses)
        .save("digits_conv_loss.svg");

    auto const test_x = tx::slice(x, tx::range<training_samples, samples>);
    auto const test_y = tx::slice(y, tx::range<training_samples, samples>);
    auto const predicted = predict(net, test_x);
    std::printf("test accuracy: %.1f %%\n", 100 * tx::mean(tx::cast<float>(predicted == test_y)).item());

    tx::plot::image_grid filters{{.columns = 12, .pixel = 16}};
    for (int k = 0; k < few; ++k) filters.add(tx::slice(net.first, tx::range<>, tx::range<>, 0, k), "", "#222");
    filters.save("digits_conv_filters.svg");
    tx::plot::image_grid wrong{{.columns = 6, .pixel = 16}};
    for (int k = 0; k < predicted.size(); ++k)
        if (predicted(k) != test_y(k))
            wrong.add(1 - tx::slice(test_x, k, tx::range<>, tx::range<>, 0),
                      std::to_string(predicted(k)) + " (" + std::to_string(test_y(k)) + ')', "#d00");
    wrong.save("digits_conv_wrong.svg");
    std::printf("digits_conv_loss.svg shows the loss, digits_conv_filters.svg the first layer's filters, digits_conv_wrong.svg "
                "what is still read wrongly, with the right digit in brackets\n");
}
