// expect-output: test accuracy: 9[7-9]\.[0-9] %
// Learns to read handwritten digits: a network with one hidden layer, trained by Adam on small batches. Every shape is known to the
// compiler, so it traces, differentiates, optimises and compiles the training step.
#include <tracexpr/files.hpp>
#include <tracexpr/tracexpr.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
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

// One step on the images at `places`.
tx::static_function train_step{[](model now, auto state, auto all_x, auto all_truth, auto places) {
    auto const x = tx::take(all_x, places, tx::axis<0>);
    auto const truth = tx::take(all_truth, places, tx::axis<0>);
    auto const [loss, gradient] = tx::value_and_grad(cross_entropy)(now, x, truth);
    return std::pair(adam.update(gradient, state, now), loss);
}};
tx::static_function predict{[](model m, auto x) { return tx::argmax(m(x), tx::axis<1>); }};
tx::static_function accuracy{[](auto predicted, auto truth) { return tx::mean(tx::cast<float>(predicted == truth)); }};
// (i, j): how many images of digit i were taken for j.
tx::static_function confusion{[](auto predicted, auto truth) {
    auto const one_hot = [](auto d) { return tx::one_hot<std::int64_t>(d, tx::depth<digits>); };
    return tx::matmul(tx::transpose(one_hot(truth)), one_hot(predicted));
}};

// A fixed permutation: 1000 and 1797 have no common divisor.
auto shuffled_order() { return tx::remainder(tx::arange<std::int64_t, samples>() * 1000 + 17, samples); }

auto split(auto const& all) {
    return std::pair(tx::slice(all, tx::range<0, training_samples>), tx::slice(all, tx::range<training_samples, samples>));
}

// The first test images as a picture; wrong predictions are red.
void draw(char const* path, images const& x, digit_list<test_samples> const& predicted, digit_list<test_samples> const& truth) {
    constexpr int columns = 12, rows = 5, cell = 8, width = 9 * cell, height = 11 * cell;
    std::ofstream svg(path);
    svg << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << columns * width + cell << "\" height=\""
        << rows * height + cell
        << "\" font-family=\"sans-serif\" font-size=\"16\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
    for (int k = 0; k < columns * rows; ++k) {
        int const left = k % columns * width + cell, top = k / columns * height + cell;
        for (int p = 0; p < pixels; ++p) {
            int const grey = 255 - static_cast<int>(255 * x(training_samples + k, p));
            svg << "<rect x=\"" << left + p % 8 * cell << "\" y=\"" << top + p / 8 * cell << "\" width=\"" << cell
                << "\" height=\"" << cell << "\" fill=\"rgb(" << grey << ',' << grey << ',' << grey << ")\"/>";
        }
        bool const right = predicted(k) == truth(k);
        svg << "\n<text x=\"" << left + 4 * cell << "\" y=\"" << top + 10 * cell - 1 << "\" text-anchor=\"middle\" fill=\""
            << (right ? "#222" : "#d00") << "\">" << predicted(k);
        if (!right) svg << " (" << truth(k) << ')';
        svg << "</text>\n";
    }
    svg << "</svg>\n";
}

void fill_normal(auto& weights, float deviation, std::mt19937& random) {
    std::normal_distribution<float> draw_one(0, deviation);
    std::generate_n(weights.mutable_data(), weights.size(), [&] { return draw_one(random); });
}

void show_progress(int epoch, float loss) {
    constexpr int width = 40;
    std::string const done(static_cast<std::size_t>(epoch * width / epochs), '#');
    std::printf("\r[%-*s] epoch %2d of %d, loss %.4f", width, done.c_str(), epoch, epochs, static_cast<double>(loss));
    std::fflush(stdout);
}

// The mean loss of each epoch, on a logarithmic scale.
void draw_losses(char const* path, std::vector<float> const& losses) {
    constexpr double width = 480, height = 240, margin = 40;
    auto const [least, most] = std::minmax_element(losses.begin(), losses.end());
    double const low = std::log(*least), high = std::log(*most);
    std::ofstream svg(path);
    svg << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width + 2 * margin << "\" height=\"" << height + 2 * margin
        << "\" font-family=\"sans-serif\" font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        << "<text x=\"" << margin << "\" y=\"24\">training loss " << *most << " to " << *least << " in " << losses.size()
        << " epochs</text>\n<polyline fill=\"none\" stroke=\"#06c\" stroke-width=\"2\" points=\"";
    for (std::size_t k = 0; k < losses.size(); ++k)
        svg << margin + width * static_cast<double>(k) / static_cast<double>(losses.size() - 1) << ','
            << margin + height * (high - std::log(losses[k])) / (high - low) << ' ';
    svg << "\"/>\n</svg>\n";
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
        show_progress(epoch, losses.back());
    }
    draw_losses("digits_loss.svg", losses);

    auto const predicted = predict(net, test_x);
    std::printf("\ntest accuracy: %.1f %%\n\nconfusion matrix (rows: the digit; columns: what it was taken for)\n",
                100 * accuracy(predicted, test_y).item());
    auto const table = confusion(predicted, test_y);
    for (int i = 0; i < digits; ++i)
        for (int j = 0; j < digits; ++j) std::printf("%4d%s", static_cast<int>(table(i, j)), j == digits - 1 ? "\n" : "");
    draw("digits.svg", x, predicted, test_y);
    std::printf("\ndigits_loss.svg shows the loss, digits.svg some test images and what they were taken for; where that is wrong, the "
                "right digit is in brackets\n");
}
