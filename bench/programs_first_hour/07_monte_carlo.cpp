// Pi, the price of a European option and its delta by Monte Carlo, with closed forms beside them.
#include <tracexpr/tracexpr.hpp>

#include <cmath>
#include <cstdio>

constexpr std::int64_t paths = 200'000;
constexpr double strike = 105, rate = 0.03, volatility = 0.2, years = 1;

constexpr auto price = [](auto spot, auto z) {
    auto const end = spot * tx::exp((rate - 0.5 * volatility * volatility) * years + volatility * std::sqrt(years) * z);
    return tx::mean(tx::relu(end - strike)) * std::exp(-rate * years);
};

int main() {
    tx::random::seed(42);
    auto const p = tx::random::uniform<double>(tx::shape<2, paths>{}, -1, 1);
    auto const inside = tx::sum(tx::square(p), tx::axis<0>) < 1;
    std::printf("pi: %.2f\n", 4 * static_cast<double>(tx::mean(inside).item()));

    auto const half = tx::random::normal<double>(tx::shape<paths / 2>{});
    auto const z = tx::concat(tx::axis<0>, half, -half); // antithetic
    tx::function value_and_delta{tx::value_and_grad(price)};
    auto const [value, delta] = value_and_delta(tx::tensor<double, tx::shape<>>(100), z);

    auto const normal = [](double x) { return 0.5 * std::erfc(-x * std::sqrt(0.5)); };
    double const d1 = (std::log(100 / strike) + (rate + 0.5 * volatility * volatility) * years) / (volatility * std::sqrt(years));
    double const exact = 100 * normal(d1) - strike * std::exp(-rate * years) * normal(d1 - volatility * std::sqrt(years));
    std::printf("price: %.3f, exact %.3f\n", value.item(), exact);
    std::printf("delta: %.4f, exact %.4f\n", delta.item(), normal(d1));
}
