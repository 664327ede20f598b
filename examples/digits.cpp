// expect-output: test accuracy: 9[4-9]\.[0-9] %
// Learns to read handwritten digits: softmax regression, trained by gradient descent on all training images at once. The gradient
// is written by hand. Every shape is known to the compiler, so it traces, optimises and compiles the training step.
#include <tracexpr/tracexpr.hpp>
#include <tracexpr/xtensor.hpp>

#include <cstdio>
#include <fstream>
#include <string>

constexpr std::int64_t samples = 1797, training_samples = 1437, test_samples = samples - training_samples, pixels = 64,
                       digits = 10;

using images = tx::tensor<float, tx::shape<samples, pixels>>;
using labels = tx::tensor<std::int64_t, tx::shape<samples>>;
template <std::int64_t Count> using digit_list = tx::tensor<std::int64_t, tx::shape<Count>>;

struct model {
    tx::tensor<float, tx::shape<pixels, digits>> weights;
    tx::tensor<float, tx::shape<digits>> bias;

    constexpr auto operator()(auto const& x) const { return tx::matmul(x, weights) + bias; }
};

// One step of gradient descent. For the mean cross-entropy the gradient with respect to the logits is (softmax - truth) / n.
tx::static_function train_step{[](model m, auto x, auto truth, auto rate) {
    auto const logits = m(x);
    auto const loss = -tx::mean(tx::sum(truth * tx::log_softmax(logits), tx::axis<1>));
    auto const slope = (tx::softmax(logits) - truth) / static_cast<float>(x.extent(0));
    return std::pair(model{m.weights - rate * tx::matmul(tx::transpose(x), slope), m.bias - rate * tx::sum(slope, tx::axis<0>)},
                     loss);
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

    std::pair<model, tx::tensor<float, tx::shape<>>> now;
    constexpr int steps = 1000;
    for (int step = 1; step <= steps; ++step) {
        now = train_step(now.first, train_x, truth, 1.0f);
        if (step % 50 == 0) {
            auto const right = accuracy(predict(now.first, train_x), train_y);
            std::printf("\rstep %4d of %d: loss %.4f, training accuracy %.1f %%", step, steps, now.second.item(),
                        100 * right.item());
            std::fflush(stdout);
        }
    }

    auto const predicted = predict(now.first, test_x);
    std::printf("\ntest accuracy: %.1f %%\n\nconfusion matrix (rows: the digit; columns: what it was taken for)\n",
                100 * accuracy(predicted, test_y).item());
    auto const table = confusion(predicted, test_y);
    for (int i = 0; i < digits; ++i)
        for (int j = 0; j < digits; ++j) std::printf("%4d%s", static_cast<int>(table(i, j)), j == digits - 1 ? "\n" : "");
    draw("digits.svg", x, predicted, test_y);
    std::printf("\ndigits.svg shows some test images and what they were taken for; where that is wrong, the right digit is in "
                "brackets\n");
}
