// expect-output: step 400: loss 0\.[0-4].*the model writes:
// A transformer of two layers (Vaswani et al., Attention Is All You Need, 2017) learns a poem by heart: each letter attends to
// the letters before it, and the model says which one comes next. Then the model writes, and what it attends to is drawn.
#include <tracexpr/nn.hpp>
#include <tracexpr/plot.hpp>
#include <tracexpr/tracexpr.hpp>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

using tx::shape;
using tx::tensor;

constexpr std::int64_t letters = 64, width = 64, heads = 4, inner = 128, window = 48, verses = 16;

struct layer {
    tensor<float, shape<width, 3 * width>> attend;
    tensor<float, shape<width, width>> join;
    tensor<float, shape<width, inner>> widen;
    tensor<float, shape<inner>> bias;
    tensor<float, shape<inner, width>> narrow;
    tensor<float, shape<width>> scale_1, shift_1, scale_2, shift_2;
};
struct model {
    tensor<float, shape<letters, width>> letter;
    std::vector<layer> layers; // how many only the run knows, so functions of it are traced by the run
    tensor<float, shape<width, letters>> out;
};

// (..., n, width) -> (..., heads, n, width / heads), with the place of each letter turned into it.
constexpr auto of_heads = [](auto const& x, bool rotates) {
    auto const apart = tx::swapaxes<1, 2>(tx::reshape<-1, window, heads, width / heads>(x));
    auto const places = tx::arange<std::int64_t, window>();
    return rotates ? tx::nn::rotary_embedding(apart, places) : apart;
};
constexpr auto queries_and_keys = [](layer const& l, auto const& x) {
    auto const [q, k, v] = tx::split<3>(tx::matmul(tx::nn::layer_norm(x, l.scale_1, l.shift_1), l.attend), tx::axis<-1>);
    return std::tuple(of_heads(q, true), of_heads(k, true), of_heads(v, false));
};
constexpr auto run_layer = [](layer const& l, auto const& x) {
    auto const [q, k, v] = queries_and_keys(l, x);
    auto const seen = tx::reshape<-1, window, width>(tx::swapaxes<1, 2>(tx::nn::attention(q, k, v, tx::causal)));
    auto const looked = x + tx::matmul(seen, l.join);
    auto const thought = tx::gelu(tx::nn::linear(tx::nn::layer_norm(looked, l.scale_2, l.shift_2), l.widen, l.bias));
    return looked + tx::matmul(thought, l.narrow);
};
// (n, window) of letters -> (n, window, letters)
constexpr auto logits = [](model const& m, auto const& ids) {
    auto x = tx::nn::embedding(m.letter, ids);
    for (layer const& l : m.layers) x = run_layer(l, x);
    return tx::matmul(x, m.out);
};
constexpr auto loss = [](model const& m, auto const& seen, auto const& next) {
    auto const wanted = tx::take_along_axis(tx::log_softmax(logits(m, seen)), tx::expand_dims<-1>(next), tx::axis<-1>);
    return -tx::mean(wanted);
};
constexpr auto adam = tx::optim::adam({.learning_rate = 3e-3, .b2 = 0.99});

model random_model() {
    tx::random::seed(1);
    auto const normal = []<class S>(tensor<float, S>& x) { x = tx::random::normal<float>(S{}, 0, 0.08f); };
    model m;
    m.layers.resize(2);
    normal(m.letter), normal(m.out);
    for (layer& l : m.layers) {
        normal(l.attend), normal(l.join), normal(l.widen), normal(l.narrow);
        l.scale_1 = l.scale_2 = tx::ones<float>(shape<width>{});
    }
    return m;
}

int main() {
    std::ifstream file(TRACEXPR_EXAMPLE_DATA "/jabberwocky.txt");
    std::string const text((std::istreambuf_iterator<char>(file)), {});
    std::string alphabet;
    for (char const c : text)
        if (alphabet.find(c) == std::string::npos) alphabet += c;
    auto const id_of = [&](std::int64_t place) {
        return static_cast<std::int64_t>(alphabet.find(text[static_cast<std::size_t>(place) % text.size()]));
    };

    model m = random_model();
    auto state = adam.init(m);
    tx::function const train{[](model now, auto before, auto seen, auto next) {
        auto const [value, slopes] = tx::value_and_grad(loss)(now, seen, next);
        return std::pair(adam.update(tx::optim::clip_by_global_norm(slopes, 1.0), before, now), value);
    }};
    constexpr int steps = 400;
    tx::progress progress(steps, {.every = 50});
    for (int k = 1; k <= steps; ++k) {
        tensor<std::int64_t, shape<verses, window>> seen, next;
        auto const starts = tx::random::randint(shape<verses>{}, 0, static_cast<std::int64_t>(text.size()));
        for (std::int64_t b = 0; b < verses; ++b)
            for (std::int64_t t = 0; t < window; ++t) {
                seen.mutable_data()[b * window + t] = id_of(starts(b) + t);
                next.mutable_data()[b * window + t] = id_of(starts(b) + t + 1);
            }
        auto const [after, value] = train(m, state, seen, next);
        std::tie(m, state) = after;
        progress.show(k, "loss", value.item());
    }

    tx::function const best{[](model now, auto seen) { return tx::argmax(logits(now, seen), tx::axis<-1>); }};
    std::string written;
    for (std::int64_t t = 0; t < window; ++t) written += text[static_cast<std::size_t>(t)];
    tensor<std::int64_t, shape<1, window>> ids;
    for (int k = 0; k < 120; ++k) {
        for (std::int64_t t = 0; t < window; ++t)
            ids.mutable_data()[t] =
                static_cast<std::int64_t>(alphabet.find(written[written.size() - window + static_cast<std::size_t>(t)]));
        written += alphabet[static_cast<std::size_t>(best(m, ids)(0, window - 1)) % alphabet.size()];
    }
    std::printf("the model writes:\n%s\n", written.c_str());

    // Where each letter of the first verse looks, by head of the first layer.
    for (std::int64_t t = 0; t < window; ++t) ids.mutable_data()[t] = id_of(t);
    auto const [q, k, v] = queries_and_keys(m.layers[0], tx::nn::embedding(m.letter, ids));
    auto const scores = tx::matmul(q, tx::matrix_transpose(k)) / std::sqrt(static_cast<float>(width / heads));
    auto const seen_by = tx::softmax(tx::where(tx::tril(tx::ones<bool>(shape<window, window>{})), scores, -1e9f));
    tx::plot::image_grid grid{{.columns = 2, .pixel = 5}};
    for (int h = 0; h < heads; ++h) grid.add(1 - tx::slice(seen_by, 0, h), "head " + std::to_string(h + 1), "#222");
    grid.save("transformer_attention.svg");
    std::printf("transformer_attention.svg shows which letters (columns) each letter of the first verse (rows) looks at\n");
}
