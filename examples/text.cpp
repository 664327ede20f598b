// expect-output: step 300: loss 0\.[0-9]+.*the model writes:
// Trains a language model of characters: a gated recurrent unit (Cho et al. 2014) reads a poem by tx::scan, and learns to say
// which character comes next. Parameters are variables, which a step assigns to; then the model writes.
#include <tracexpr/plot.hpp>
#include <tracexpr/tracexpr.hpp>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <tuple>

using tx::shape;
using tx::tensor;

constexpr std::int64_t letters = 64, units = 96, verses = 16, window = 40;
using ids = tensor<std::int64_t, shape<window, verses>>;

struct weights {
    tx::variable<float, shape<letters, 3 * units>> in;
    tx::variable<float, shape<units, 3 * units>> back;
    tx::variable<float, shape<3 * units>> bias;
    tx::variable<float, shape<units, letters>> out;

    auto all() { return std::tie(in, back, bias, out); }
};

// Gives the next state, from the last one and letters.
constexpr auto cell = [](auto h, auto id, auto in, auto back, auto bias) {
    auto const [xz, xr, xc] = tx::split<3>(tx::take(in, id, tx::axis<0>) + bias, tx::axis<1>);
    auto const [hz, hr, hc] = tx::split<3>(tx::matmul(h, back), tx::axis<1>);
    auto const keep = tx::sigmoid(xz + hz);
    return keep * h + (1 - keep) * tx::tanh(xc + tx::sigmoid(xr + hr) * hc);
};
constexpr auto loss = [](auto in, auto back, auto bias, auto out, auto text, auto next) {
    auto const step = [=](auto h, auto id) {
        auto const now = cell(h, id, in, back, bias);
        return std::pair(now, now);
    };
    auto const states = tx::scan(step, tx::zeros<float>(shape<verses, units>{}), text).second;
    auto const logits = tx::log_softmax(tx::matmul(states, out));
    return -tx::mean(tx::take_along_axis(logits, tx::expand_dims(next, tx::axis<2>), tx::axis<2>));
};

constexpr auto adam = tx::optim::adam({.learning_rate = 0.004, .b2 = 0.99});

int main() {
    std::ifstream file(TRACEXPR_EXAMPLE_DATA "/jabberwocky.txt");
    std::string const text((std::istreambuf_iterator<char>(file)), {});
    std::string alphabet;
    for (char const c : text)
        if (alphabet.find(c) == std::string::npos) alphabet += c;
    auto const id_of = [&](std::size_t place) { return static_cast<std::int64_t>(alphabet.find(text[place % text.size()])); };
    std::printf("%zu characters, %zu of them different\n", text.size(), alphabet.size());

    tx::random::seed(1);
    weights w{tx::random::normal<float>(shape<letters, 3 * units>{}, 0, 0.1f),
              tx::random::normal<float>(shape<units, 3 * units>{}, 0, 0.1f), tx::zeros<float>(shape<3 * units>{}),
              tx::random::normal<float>(shape<units, letters>{}, 0, 0.1f)};
    auto state = adam.init(w.all());
    tx::function const train{[&](auto now, auto seen, auto next) {
        auto const [value, slopes] = tx::value_and_grad<0, 1, 2, 3>(loss)(w.in, w.back, w.bias, w.out, seen, next);
        auto const [moved, after] = adam.update(slopes, now, w.all());
        w.all() = moved;
        return std::pair(after, value);
    }};

    constexpr int steps = 300;
    tx::progress progress(steps, {.every = 20});
    for (int k = 1; k <= steps; ++k) {
        ids seen, next;
        auto const starts = tx::random::randint(shape<verses>{}, 0, static_cast<std::int64_t>(text.size()));
        for (std::int64_t t = 0; t < window; ++t)
            for (std::int64_t b = 0; b < verses; ++b) {
                seen.mutable_data()[t * verses + b] = id_of(static_cast<std::size_t>(starts(b) + t));
                next.mutable_data()[t * verses + b] = id_of(static_cast<std::size_t>(starts(b) + t + 1));
            }
        auto const [after, value] = train(state, seen, next);
        state = after;
        progress.show(k, "loss", value.item());
    }

    // The model writes: each letter is drawn from what it expects, and read in turn.
    tx::function const write{[&w](auto h, auto id) {
        auto const now = cell(h, id, w.in, w.back, w.bias);
        return std::tuple(now, tx::random::categorical(tx::matmul(now, w.out) * 1.5f));
    }};
    std::string written;
    tensor<float, shape<1, units>> h = tx::zeros<float>(shape<1, units>{});
    tensor<std::int64_t, shape<1>> letter{id_of(0)};
    for (int k = 0; k < 160; ++k) {
        std::tie(h, letter) = write(h, letter);
        written += alphabet[static_cast<std::size_t>(letter(0)) % alphabet.size()];
    }
    std::printf("the model writes:\n%s\n", written.c_str());
}
