// expect-output: kernels, [0-9]+ runs of .*all steps.*looking_inside.html
// Shows how long each step of a function takes, and what its graph looks like. The pages open in a browser, the JSON in
// chrome://tracing or ui.perfetto.dev.
#include <tracexpr/inspect.hpp>
#include <tracexpr/plot.hpp>
#include <tracexpr/tracexpr.hpp>

#include <fstream>
#include <iostream>
#include <vector>

struct attention {
    tx::tensor<float, tx::shape<64, 64>> queries, keys, values;
    constexpr auto operator()(auto const& x) const {
        auto const q = tx::matmul(x, queries), k = tx::matmul(x, keys);
        return tx::matmul(tx::softmax(tx::matmul(q, tx::transpose(k)) / 8), tx::matmul(x, values));
    }
};

int main() {
    tx::function const f{[](attention const& layer, auto x) { return layer(x); }};
    auto const weights = [](std::uint64_t k) {
        return tx::random::stateless_normal<float>(tx::random::key(k), tx::shape<64, 64>{}) / 8;
    };
    attention const layer{weights(1), weights(2), weights(3)};
    auto const x = tx::random::stateless_normal<float>(tx::random::key(4), tx::shape<128, 64>{});

    tx::profile_report const report = tx::profile(f, layer, x);
    std::cout << report;
    std::ofstream("looking_inside.json") << report.to_chrome_trace();

    auto const c = f.concrete<attention, tx::spec<float, tx::shape<128, 64>>>();
    std::ofstream("looking_inside.html") << c.to_html(); // or to_svg(); to_dot() for Graphviz

    std::vector<double> microseconds;
    for (tx::profile_step const& step : report.steps) microseconds.push_back(step.seconds * 1e6);
    tx::plot::lines({.title = "time of each step", .x_label = "step", .y_label = "microseconds", .first_x = 1})
        .add("time", microseconds)
        .save("looking_inside_times.svg");
    tx::plot::heat_map(f(layer, x), {.title = "result"}).save("looking_inside_result.svg");
    std::cout << "looking_inside.html shows the graph, looking_inside.json the steps in a browser's tracer\n";
}
