// This file tests simplify on random graphs: the result is clean, computes the same, and is not changed by simplifying it again.
#include <tracexpr/graph/print.hpp>
#include <tracexpr/graph/verify.hpp>
#include <tracexpr/passes/simplify.hpp>
#include <random_graph.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace {

std::string problem_of(tx::graph_view const& g) {
    char const* const problem = tx::verify(g);
    return problem ? problem : "";
}

template <class T> double distance(T a, T b) {
    if constexpr (tx::is_complex(tx::dtype_of<T>)) {
        return std::max(distance(a.real(), b.real()), distance(a.imag(), b.imag()));
    } else if constexpr (tx::dtype_of<T> == tx::dtype::string) {
        return a == b ? 0 : 1;
    } else {
        auto const x = static_cast<double>(a), y = static_cast<double>(b);
        if (x == y || (std::isnan(x) && std::isnan(y))) return 0;
        return std::abs(x - y) / std::max({std::abs(x), std::abs(y), 1.0});
    }
}

// The largest difference between two results, relative to the larger value or to 1, in units of the dtype's rounding error.
double distance(tx::host_array const& a, tx::host_array const& b) {
    if (a.type != b.type || !(a.shape == b.shape)) return std::numeric_limits<double>::infinity();
    return tx::with_element(a.type, [&]<class T>(T) {
        double most = 0;
        for (std::int64_t i = 0; i < a.shape.size(); ++i) most = std::max(most, distance(a.data<T>()[i], b.data<T>()[i]));
        using part = tx::ctype<tx::real_part(tx::dtype_of<T>)>;
        if constexpr (!tx::is_inexact(tx::dtype_of<T>)) return most == 0 ? 0 : std::numeric_limits<double>::infinity();
        else return most / static_cast<double>(std::numeric_limits<part>::epsilon());
    });
}

double largest_distance(tx::graph_view const& a, tx::graph_view const& b, std::vector<tx::array_view> const& arguments) {
    auto const x = tx::run_reference(a, arguments), y = tx::run_reference(b, arguments);
    REQUIRE(x.size() == y.size());
    double most = 0;
    for (std::size_t k = 0; k < x.size(); ++k) most = std::max(most, distance(x[k], y[k]));
    return most;
}

void check(tx::graph_view const& g, std::vector<tx::array_view> const& arguments) {
    tx::graph const once = tx::simplify(g), twice = tx::simplify(once);
    INFO(tx::to_text(g));
    INFO(tx::to_text(once));
    CHECK(problem_of(once) == "");
    CHECK(once.view().parameters.size() == g.parameters.size());
    CHECK(once.size() == twice.size());
    CHECK(tx::to_text(once) == tx::to_text(twice));
    CHECK(largest_distance(g, once, arguments) <= 64);
    tx::pass_options fast;
    fast.fast_math = true;
    tx::graph const daring = tx::simplify(g, fast);
    CHECK(problem_of(daring) == "");
    CHECK(tx::to_text(daring) == tx::to_text(tx::simplify(daring, fast)));
}

} // namespace

TEST_CASE("simplify: random graphs, known and unknown extents") {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        CAPTURE(seed);
        tx::graph const g = tx::random_graph(seed);
        auto const arguments = tx::random_arguments(g, seed);
        auto const views = tx::views_of(arguments);
        check(g, views);
        check(tx::with_unknown_extents(g, seed), views);
    }
}
