// This file tests gamma numbers against closed forms, and the accuracy of their derivative.
#include <run/random_checks.hpp>

using namespace tx::testing;
namespace rnd = tx::random;
using tx::shape;

namespace {
constexpr std::int64_t n = 20000;
// Of whole alpha: 1 - e^-x (1 + x + ... + x^(alpha-1) / (alpha-1)!)
double whole_cumulative(int alpha, double x) {
    double term = 1, sum = 1;
    for (int k = 1; k < alpha; ++k) sum += term *= x / k;
    return 1 - std::exp(-x) * sum;
}
} // namespace

TEST_CASE_TEMPLATE("random: gamma", T, float, double) {
    for (double const alpha : {0.5, 1.0, 2.0, 7.0, 100.0}) {
        CAPTURE(alpha);
        auto const g = rnd::stateless_gamma<T>(rnd::key(11), shape<n>{}, alpha);
        check_moments(g, alpha, alpha, 3 * alpha * alpha + 6 * alpha);
        double const most = alpha == 0.5
                                ? distance_from(g, [](double x) { return std::erf(std::sqrt(x)); })
                                : distance_from(g, [&](double x) { return whole_cumulative(static_cast<int>(alpha), x); });
        CHECK(most < most_distance);
    }
}
TEST_CASE("random: gamma of an alpha for each row, small ones too") {
    auto const g = rnd::stateless_gamma<double>(rnd::key(12), shape<2, n>{}, tx::tensor<double, shape<2, 1>>{{0.01}, {3}});
    check_moments(tx::slice(g, tx::at<0>), 0.01, 0.01, 3e-4 + 0.06 - 0.0);
    check_moments(tx::slice(g, tx::at<1>), 3, 3, 27 + 18);
    CHECK(tx::min(g).item() >= 0);
}
// The mean is alpha, so that the derivative's mean is 1: the error of taking no notice of refused candidates is its distance.
TEST_CASE("random: the derivative of gamma numbers with respect to alpha") {
    for (double const alpha : {0.3, 1.0, 5.0}) {
        auto const mean = [](auto a) { return tx::mean(rnd::stateless_gamma<double>(rnd::key(13), shape<200000>{}, a)); };
        double const slope = tx::grad(mean)(tx::tensor<double, shape<>>(alpha)).item();
        CAPTURE(alpha);
        CHECK(slope == doctest::Approx(1).epsilon(0.01));
    }
}
