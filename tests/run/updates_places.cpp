// This file tests several tensors of places among the indices of set, add_at and slice, against loops over a copy.
#include <run/updates_places_checks.hpp>

TEST_CASE("set, add_at and their kin: a tensor of places for each axis") {
    check_all([](auto const& x, auto const& i, auto const& j, auto const& w) { return tx::add_at(x, w, i, j); },
              one_by_one([](double a, double w) { return a + w; }), rows, columns, weights);
    check_all([](auto const& x, auto const& i, auto const& j, auto const& w) { return tx::set(x, w, i, j); },
              one_by_one([](double, double w) { return w; }), rows, columns, weights);
}
TEST_CASE("slice: a tensor of places for each axis") {
    auto const check = [](auto const& got) {
        for (int k = 0; k < 4; ++k) CHECK(got(k) == given(rows(k), columns(k)));
        CHECK(got.extents() == std::array{4});
    };
    check_all([](auto const& x, auto const& i, auto const& j) { return tx::slice(x, i, j); }, check, rows, columns);
}
TEST_CASE("set, slice: tensors of places broadcast to one shape") {
    tx::tensor<int, tx::shape<2, 1>> const i{{3}, {0}};
    tx::tensor<int, tx::shape<3>> const j{1, 0, -1};
    check_all([](auto const& x, auto const& r, auto const& c) { return tx::set(x, 9, r, c); },
              expected([](auto& out, int r, int c) {
                  if ((r == 3 || r == 0) && (c == 1 || c == 0 || c == 4)) out(r, c) = 9;
              }),
              i, j);
    tx::tensor<double, tx::shape<2, 3>> const taken = tx::slice(given, i, j);
    CHECK(tx::equal(taken, tx::take(tx::take(given, tx::reshape<2>(i), tx::axis<0>), j, tx::axis<1>)));
    // One value for each row, of a scalar place and a tensor of them: that is a place and a tensor.
    CHECK(tx::equal(tx::add_at(given, 1, 2, j), tx::add_at(given, 1, i * 0 + 2, j) - tx::set(given * 0, 1, 2, j)));
}
