// This file tests tensors of places beside other indices, out of bounds, and with unknown ranks.
#include <run/updates_places_checks.hpp>

TEST_CASE("add_at, slice: tensors of places beside other indices") {
    using cube = tx::tensor<double, tx::shape<3, 4, 2>>;
    cube const x = tx::reshape<3, 4, 2>(tx::arange<double, 24>());
    tx::tensor<int, tx::shape<3>> const i{1, 0, 1}, j{2, -1, 2};
    auto const f = [](auto const& a, auto const& p, auto const& q, int last) {
        auto const one = tx::add_at(a, 1, p, q, last);
        auto const two = tx::add_at(one, tx::tensor<double, tx::shape<2>>{10, 20}, p, q);
        auto const three = tx::multiply_at(two, 2, tx::range<1, 3>, q, p);
        auto const four = tx::add_at(three, 100, tx::ellipsis, tx::range<0, 2>, tx::at<1>);
        return tx::set(four, -1, p, tx::at<0>, p);
    };
    cube want = x;
    for (int k = 0; k < 3; ++k) want(i(k), j(k), 1) += 1;
    for (int k = 0; k < 3; ++k) want(i(k), j(k), 0) += 10, want(i(k), j(k), 1) += 20;
    for (int k = 0; k < 3; ++k) want(1, j(k), i(k)) *= 2, want(2, j(k), i(k)) *= 2;
    for (int a = 0; a < 3; ++a) want(a, 0, 1) += 100, want(a, 1, 1) += 100;
    for (int k = 0; k < 3; ++k) want(i(k), 0, i(k)) = -1;
    CHECK(tx::equal(f(x, i, j, 1), want));
    tx::function const known{[&](auto const& a, auto const& p, auto const& q) { return f(a, p, q, 1); }};
    CHECK(tx::equal(known(x, i, j), want));
    CHECK(tx::equal(known(tx::tensor<double>(x), i, j), want)); // of open rank
    CHECK(tx::equal(tx::slice(x, i, tx::at<2>, i), tx::tensor<double, tx::shape<3>>{13, 4, 13}));
    CHECK(tx::slice(x, tx::range<0, 2>, j, i).extents() == std::array{2, 3});
    CHECK(tx::slice(x, tx::new_axis, i, j).extents() == std::array{1, 3, 2});
}
TEST_CASE("add_at and its kin: tensors of places where only the run knows the rank") {
    tx::tensor<double> const x = given;
    tx::tensor<double> const w = weights;
    tx::function const f{[](auto a, auto i, auto j, auto v) { return tx::max_at(tx::multiply_at(tx::add_at(a, v, i, j), v, i, j), 0, i); }};
    tx::function const known{[](auto a, auto i, auto j, auto v) { return tx::max_at(tx::multiply_at(tx::add_at(a, v, i, j), v, i, j), 0, i); }};
    auto const want = known(given, rows, columns, weights);
    CHECK(tx::equal(f(x, rows, columns, w), want));
    CHECK(tx::equal(f(x, rows, columns, weights), want));
}
TEST_CASE("tensors of places: one that is outside of its own axis throws") {
    tx::tensor<int, tx::shape<2>> const inside{0, 1}, outside{0, 5}, below{-5, 0};
    for (auto const& i : {outside, below}) {
        CHECK_THROWS_AS(static_cast<void>(tx::add_at(given, 1, i, inside)), tx::shape_error); // of the matrix it would be inside
        CHECK_THROWS_AS(static_cast<void>(tx::multiply_at(given, 1, i, inside)), tx::shape_error);
        CHECK_THROWS_AS(static_cast<void>(tx::slice(given, i, inside)), tx::shape_error);
        CHECK_THROWS_AS(static_cast<void>(tx::max_at(given, 1, i)), tx::shape_error);
    }
    CHECK_THROWS_WITH_AS(static_cast<void>(tx::add_at(given, 1, inside, outside)), "tx: add_at: index 5 is out of bounds for axis 1 with size 5", tx::shape_error);
    tx::function const f{[](auto x, auto i, auto j) { return tx::set(x, 1, i, j); }};
    CHECK_THROWS_AS(f(given, inside, outside), tx::shape_error);
}
