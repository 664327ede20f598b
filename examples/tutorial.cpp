// expect-output: 40 degrees after 36 minutes
// This is the program of docs/tutorial.md: a cup of coffee cools, and a model that is trained on what was measured says when it
// is 40 °C warm.
#include <tracexpr/files.hpp>
#include <tracexpr/plot.hpp>
#include <tracexpr/tracexpr.hpp>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <tuple>
#include <utility>

struct measurements {
    tx::tensor<float, tx::shape<tx::dyn>> minutes, celsius;
};

struct cup {
    tx::tensor<float, tx::shape<>> room, excess, rate;
    constexpr auto operator()(auto const& hours) const { return room + excess * tx::exp(-rate * hours); }
};

constexpr auto loss = [](cup const& model, auto const& x, auto const& y) { return tx::mean(tx::square(model(x) - y)); };

constexpr auto adam = tx::optim::adam({.learning_rate = 0.02});
tx::function train_step{[](cup const& model, auto const& state, auto const& x, auto const& y) {
    auto const [error, gradient] = tx::value_and_grad(loss)(model, x, y);
    return std::pair(adam.update(gradient, state, model), error);
}};

int main() {
    std::ofstream("coffee.csv") << R"(minutes,celsius
0,90.4
5,78.9
10,69.5
15,62.6
20,54.9
25,49.6
30,44.1
40,37.3
50,31.7
60,28.3
75,24.8
90,22.9
)";

    auto const data = tx::load_csv<measurements>("coffee.csv");
    std::cout << data.celsius << '\n';

    std::printf("mean %.1f, coolest %.1f\n", tx::mean(data.celsius).item(), tx::min(data.celsius).item());
    auto const lost = tx::slice(data.celsius, tx::range<0, -1>) - tx::slice(data.celsius, tx::range<1, tx::open>);
    std::cout << tx::round(lost * 10) / 10 << '\n';

    auto const x = data.minutes / 60;
    auto const y = data.celsius / 100;
    cup model{0.5f, 0.5f, 1.0f};
    std::printf("before: %.1f degrees off\n", 100 * std::sqrt(loss(model, x, y).item()));

    auto const slope = tx::grad(loss)(model, x, y);
    std::printf("room %+.2f, excess %+.2f, rate %+.2f\n", slope.room.item(), slope.excess.item(), slope.rate.item());

    auto state = adam.init(model);
    for (int k = 1; k <= 1500; ++k) {
        auto const [next, error] = train_step(model, state, x, y);
        std::tie(model, state) = next;
        if (k % 500 == 0) std::printf("step %d: %.2f degrees off\n", k, 100 * std::sqrt(error.item()));
    }
    std::printf("room %.1f degrees; of what is above it, %.0f %% are lost in an hour\n", 100 * model.room.item(),
                100 * (1 - std::exp(-model.rate.item())));

    tx::save("cup.npz", model);
    auto const again = tx::load<cup>("cup.npz");
    double const minutes = -60 * std::log((0.4 - again.room.item()) / again.excess.item()) / again.rate.item();
    std::printf("40 degrees after %.0f minutes\n", minutes);

    auto const hours = tx::linspace<float>(0, 1.5, 91);
    tx::plot::lines({.title = "coffee", .x_label = "hours", .y_label = "degrees"})
        .add_points("measured", x, data.celsius)
        .add("model", hours, again(hours) * 100)
        .save("coffee.svg");
}
