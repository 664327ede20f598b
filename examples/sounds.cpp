// expect-output: test accuracy: (9[4-9]|100)\.[0-9] %
// Tells five kinds of sounds apart that are buried in noise: their spectra over time, by tx::fft::stft, are pictures, which a
// small network with convolutions learns to read. The spectra and the network are one function, so sounds go in and kinds come
// out.
#include <tracexpr/conv.hpp>
#include <tracexpr/fft.hpp>
#include <tracexpr/plot.hpp>
#include <tracexpr/tracexpr.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <tuple>

using tx::shape;
using tx::tensor;

constexpr std::int64_t samples = 2048, per_second = 8000, part_length = 128, hop = 64, kinds = 5, batch_size = 32, filters = 16;
constexpr char const* names[kinds]{"tone", "rising", "falling", "tremolo", "beeps"};
template <std::int64_t Count> using sounds = tensor<float, shape<Count, samples>>;
template <std::int64_t Count> using kinds_of = tensor<std::int64_t, shape<Count>>;

// Makes a sound of that kind: its pitch, loudness and beginning are random, and noise is added to it.
void make_sound(std::int64_t kind, std::mt19937& random, float* to) {
    std::uniform_real_distribution<double> unit(0, 1);
    std::normal_distribution<double> noise(0, 1.2);
    double const pitch = 500 + 1500 * unit(random), change = 800 + 800 * unit(random), loudness = 0.8 + 0.4 * unit(random);
    double const shift = unit(random), beat = 12 + 6 * unit(random);
    double phase = 6.283 * unit(random);
    for (std::int64_t i = 0; i < samples; ++i) {
        double const t = static_cast<double>(i) / samples;
        double frequency = pitch, size = loudness;
        if (kind == 1) frequency += change * t;
        if (kind == 2) frequency += change * (1 - t);
        if (kind == 3) size *= 0.5 + 0.5 * std::sin(6.283 * (beat * t + shift));
        if (kind == 4 && std::fmod(4 * t + shift, 1.0) < 0.5) frequency += 700;
        phase += 6.283185307 * frequency / per_second;
        to[i] = static_cast<float>(size * std::sin(phase) + noise(random));
    }
}
template <std::int64_t Count> std::pair<sounds<Count>, kinds_of<Count>> make_sounds(std::mt19937& random) {
    sounds<Count> x;
    kinds_of<Count> kind;
    for (std::int64_t k = 0; k < Count; ++k) {
        kind.mutable_data()[k] = static_cast<std::int64_t>(random() % kinds);
        make_sound(kind.data()[k], random, x.mutable_data() + k * samples);
    }
    return {x, kind};
}

struct model {
    tensor<float, shape<3, 3, 1, filters>> first;
    tensor<float, shape<filters>> first_bias;
    tensor<float, shape<3, 3, filters, filters>> second;
    tensor<float, shape<filters>> second_bias;
    tensor<float, shape<10 * 8 * filters, kinds>> out;
    tensor<float, shape<kinds>> out_bias;
};
// (n, samples) -> (n, 40, 33): loudness by pitch, to 2,500 Hz, and time.
constexpr auto spectra = [](auto const& x) {
    auto const coefficients = tx::slice(tx::fft::stft<part_length, hop>(x), tx::range<>, tx::range<0, 40>);
    return tx::log(tx::abs(coefficients) + 1e-3f) * 0.5f + 1.5f;
};
constexpr auto logits = [](model const& m, auto const& x) {
    auto const pictures = tx::expand_dims<-1>(spectra(x));
    auto const lines = tx::max_pool<2, 2>(tx::relu(tx::conv(pictures, m.first, tx::mode::same) + m.first_bias));
    auto const shapes = tx::max_pool<2, 2>(tx::relu(tx::conv(lines, m.second, tx::mode::same) + m.second_bias));
    return tx::matmul(tx::reshape<-1, 10 * 8 * filters>(shapes), m.out) + m.out_bias;
};
constexpr auto loss = [](model const& m, auto const& x, auto const& truth) {
    return -tx::mean(tx::sum(truth * tx::log_softmax(logits(m, x)), tx::axis<1>));
};
constexpr auto adam = tx::optim::adam({.learning_rate = 2e-3});

model random_model() {
    tx::random::seed(1);
    auto const normal = []<class S>(tensor<float, S>& x, double inputs) {
        x = tx::random::normal<float>(S{}, 0, std::sqrt(2 / inputs));
    };
    model m;
    normal(m.first, 9), normal(m.second, 9 * filters), normal(m.out, 10 * 8 * filters);
    return m;
}

int main() {
    std::mt19937 random(3);
    model m = random_model();
    auto state = adam.init(m);
    tx::function const train{[](model now, auto before, auto x, auto truth) {
        auto const [value, slopes] = tx::value_and_grad(loss)(now, x, truth);
        return std::pair(adam.update(slopes, before, now), value);
    }};
    constexpr int steps = 300;
    tx::progress progress(steps, {.every = 50});
    for (int k = 1; k <= steps; ++k) {
        auto const [x, kind] = make_sounds<batch_size>(random);
        auto const [after, value] = train(m, state, x, tx::one_hot<float>(kind, tx::depth<kinds>));
        std::tie(m, state) = after;
        progress.show(k, "loss", value.item());
    }

    auto const [x, kind] = make_sounds<400>(random);
    tx::function const tell{[](model now, auto heard) { return tx::argmax(logits(now, heard), tx::axis<1>); }};
    auto const told = tell(m, x);
    std::printf("test accuracy: %.1f %%\n", 100 * tx::mean(tx::cast<float>(told == kind)).item());

    auto const pictures = spectra(x);
    tx::plot::image_grid grid{{.columns = 5, .pixel = 4}};
    for (int k = 0; k < 15; ++k)
        grid.add(tx::clip(1 - tx::flip(tx::slice(pictures, k), tx::axis<0>), 0, 1), names[told(k)],
                 told(k) == kind(k) ? "#222" : "#d00");
    grid.save("sounds.svg");
    std::printf("sounds.svg shows spectra of sounds, low ones below, and what they were taken for\n");
}
