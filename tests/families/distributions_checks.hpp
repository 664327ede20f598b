// This file compares the numbers of a fixed key with a distribution, by chi-square distances from SciPy's deciles or
// probabilities. A bound is what one draw in ten thousand exceeds; as the key is fixed, a test that passes once passes always.
#pragma once

#include <tracexpr/distributions.hpp>

#include <family_checks.hpp>

#include <initializer_list>

namespace tx::testing {

// Checks that equal shares of the numbers lie between nine deciles, before the first and after the last: 9 degrees of freedom.
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
// Checks that counts from `first` on have these probabilities, and all others together the rest: 12 degrees of freedom at most.
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
