// How the numbers of a fixed key are compared with a distribution: chi-square distances from SciPy's deciles or probabilities. Bounds
// are those that one draw in ten thousand exceeds; what passes once passes always.
#pragma once

#include <tracexpr/distributions.hpp>

#include <family_checks.hpp>

#include <initializer_list>

namespace tx::testing {

// Between nine quantiles lie as many numbers as before the first and behind the last. 9 degrees of freedom.
template <class A> void check_deciles(A const& drawn, std::initializer_list<double> deciles) {
    auto const x = tx::cast<double>(drawn);
    double counts[10]{};
    for (double const v : x) {
        int bin = 0;
        for (double const q : deciles) bin += v > q;
        counts[bin] += 1;
    }
    double const wanted = static_cast<double>(x.size()) / 10;
    double distance = 0;
    for (double const c : counts) distance += (c - wanted) * (c - wanted) / wanted;
    CHECK(distance < 33.7);
}
// Counts from `first` on have these probabilities; all others together have the rest. 12 degrees of freedom at most.
template <class A> void check_probabilities(A const& drawn, double first, std::initializer_list<double> probabilities) {
    auto const x = tx::cast<double>(drawn);
    double const n = static_cast<double>(x.size());
    double distance = 0, others = n, left = 1;
    double k = first;
    for (double const p : probabilities) {
        double count = 0;
        for (double const v : x) count += v == k;
        distance += (count - n * p) * (count - n * p) / (n * p);
        others -= count, left -= p, k += 1;
    }
    distance += (others - n * left) * (others - n * left) / (n * left);
    CHECK(distance < 39.2);
}
template <class A> void check_mean_and_variance(A const& drawn, double mean, double variance, double kurtosis = 3) {
    auto const x = tx::cast<double>(drawn);
    double const n = static_cast<double>(x.size());
    CHECK(std::abs(tx::mean(x).item() - mean) < 4 * std::sqrt(variance / n));
    CHECK(std::abs(tx::var(x).item() - variance) < 4 * variance * std::sqrt((kurtosis - 1) / n));
}

} // namespace tx::testing
