// This file tests several tensors of places in multiply_at, min_at and max_at, against loops over a copy.
#include <run/updates_places_checks.hpp>

TEST_CASE("max_at, min_at: a tensor of places for each axis") {
    check_all([](auto const& x, auto const& i, auto const& j, auto const& w) { return tx::max_at(x, w, i, j); },
              one_by_one([](double a, double w) { return a < w ? w : a; }), rows, columns, weights);
    check_all([](auto const& x, auto const& i, auto const& j, auto const& w) { return tx::min_at(x, w, i, j); },
              one_by_one([](double a, double w) { return a < w ? a : w; }), rows, columns, weights);
}
TEST_CASE("multiply_at: a tensor of places for each axis") {
    check_all([](auto const& x, auto const& i, auto const& j, auto const& w) { return tx::multiply_at(x, w, i, j); },
              one_by_one([](double a, double w) { return a * w; }), rows, columns, weights);
}
