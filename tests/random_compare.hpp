// This file compares two executors' results for a random graph, within the tolerance that the graph allows.
#pragma once

#include <random_graph.hpp>
#include <tracexpr/graph/verify.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

namespace tx::testing {

inline std::string problem_of(graph_view const& g) {
    char const* const problem = verify(g);
    return problem ? problem : "";
}

// Are the numbers equal, both NaN, or within the tolerance of the larger magnitude (of 1 where both are smaller)?
inline bool near(double a, double b, double tolerance) {
    if (a == b || (std::isnan(a) && std::isnan(b))) return true;
    return std::abs(a - b) <= tolerance * std::max({std::abs(a), std::abs(b), 1.0});
}

// Says what differs; empty where nothing does.
inline std::string difference(host_array const& got, host_array const& wanted, double tolerance) {
    if (got.type != wanted.type || !(got.shape == wanted.shape)) return "dtype or shape";
    auto const x = reference::loaded(got.type, got.shape, got.bytes.data()), y = reference::loaded(got.type, got.shape, wanted.bytes.data());
    for (std::int64_t i = 0; i < x.size(); ++i) {
        std::complex<double> a{static_cast<double>(x[i].low)}, b{static_cast<double>(y[i].low)};
        if (!is_inexact(got.type)) {
            if (x[i].low == y[i].low) continue;
        } else {
            a = reference::complex_of(x[i]), b = reference::complex_of(y[i]);
            if (near(a.real(), b.real(), tolerance) && near(a.imag(), b.imag(), tolerance)) continue;
        }
        std::ostringstream out;
        out.precision(17);
        out << name(got.type) << to_string(got.shape) << ", element " << i << ": " << a << ", not " << b;
        return out.str();
    }
    return "";
}
inline std::string difference(std::vector<host_array> const& got, std::vector<host_array> const& wanted) {
    if (got.size() != wanted.size()) return "number of outputs";
    for (std::size_t k = 0; k < got.size(); ++k)
        if (std::string const text = difference(got[k], wanted[k], graph_tolerance(got[k].type)); !text.empty()) return "output " + std::to_string(k) + ": " + text;
    return "";
}

// Calls check(graph, arguments, the reference executor's results) for random graphs with known extents and with unknown ones.
// TRACEXPR_SEEDS=first:last chooses the seeds.
template <class Check>
void for_each_random_graph(Check const& check, unsigned long last = 2000, random_graph_options const& options = {}) {
    unsigned long first = 0;
    if (char const* const text = std::getenv("TRACEXPR_SEEDS")) std::sscanf(text, "%lu:%lu", &first, &last);
    for (unsigned long seed = first; seed < last; ++seed) {
        CAPTURE(seed);
        graph const g = random_graph(seed, options);
        auto const arguments = random_arguments(g, seed);
        auto const views = views_of(arguments);
        auto const wanted = run_reference(g, views);
        check(g.view(), views, wanted);
        check(with_unknown_extents(g, seed).view(), views, wanted);
    }
}

} // namespace tx::testing
