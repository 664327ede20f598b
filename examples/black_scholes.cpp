// expect-output: largest difference from plain double: [0-9.]+e-0[5-9]
// Computes the prices of a million European call options, in one pass through memory.
#include <tracexpr/tracexpr.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>

// Black and Scholes, The Pricing of Options and Corporate Liabilities (1973), equation 13.
constexpr auto call_price = [](auto spot, auto strike, auto years, auto rate, auto volatility) {
    auto const normal = [](auto z) { return 0.5 + 0.5 * tx::erf(z * 0.70710678118654752); };
    auto const deviation = volatility * tx::sqrt(years);
    auto const d1 = (tx::log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / deviation;
    return spot * normal(d1) - strike * tx::exp(-rate * years) * normal(d1 - deviation);
};

double price_in_double(double spot, double strike, double years, double rate, double volatility) {
    auto const normal = [](double z) { return 0.5 * std::erfc(z * -0.70710678118654752); };
    double const deviation = volatility * std::sqrt(years);
    double const d1 = (std::log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / deviation;
    return spot * normal(d1) - strike * std::exp(-rate * years) * normal(d1 - deviation);
}

int main() {
    constexpr std::int64_t count = 1'000'000;
    using options = tx::tensor<float, tx::shape<tx::dyn>>;
    options const steps = tx::arange<float>(static_cast<float>(count));
    options const spot = 80 + tx::remainder(steps * 0.37f, 40.0f), strike = 90 + tx::remainder(steps * 0.61f, 20.0f);
    options const years = 0.25f + tx::remainder(steps * 0.0013f, 2.0f);
    float const rate = 0.03f, volatility = 0.25f;

    tx::function price{call_price};
    options result = price(spot, strike, years, rate, volatility);

    double best = 1e9;
    for (int repetition = 0; repetition < 20; ++repetition) {
        auto const start = std::chrono::steady_clock::now();
        price.into(result, spot, strike, years, rate, volatility);
        best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
    }

    double sum = 0, sum_in_double = 0, worst = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        double const expected = price_in_double(spot(i), strike(i), years(i), rate, volatility);
        sum += result(i);
        sum_in_double += expected;
        worst = std::max(worst, std::abs(result(i) - expected));
    }
    std::printf("%.2f ns an option\n", best / static_cast<double>(count));
    std::printf("sum of all prices: %.2f; in double: %.2f\n", sum, sum_in_double);
    std::printf("largest difference from plain double: %.1e, prices up to %.1f\n", worst,
                static_cast<double>(tx::max(result).item()));
}
