// expect-output: custom: +1\.0000
// Defines a derivative: log(1 + e^x) is right everywhere, but its automatic derivative is inf / inf for large x.
#include <tracexpr/tracexpr.hpp>

#include <cstdio>

constexpr auto plain = [](auto x) { return tx::log(1.0 + tx::exp(x)); };

// The callable returns its value and how to pull a cotangent back through it; both share exp(x).
constexpr auto stable = tx::custom_gradient([](auto x) {
    auto const e = tx::exp(x);
    return std::pair(tx::log(1.0 + e), [=](auto upstream) { return upstream * (1.0 - 1.0 / (1.0 + e)); });
});

int main() {
    tx::static_function plain_slope{tx::grad(plain)};
    tx::static_function stable_slope{tx::grad([](auto x) { return stable(x); })};
    std::printf("%8s %10s %10s\n", "x", "plain", "custom");
    for (double const x : {-100.0, 0.0, 10.0, 1000.0}) std::printf("%8.1f %10.4f %10.4f\n", x, plain_slope(x).item(), stable_slope(x).item());
    std::printf("at 1000 plain: %f, custom: %8.4f\n", plain_slope(1000.0).item(), stable_slope(1000.0).item());
}
