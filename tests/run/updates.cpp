// This file tests set of parts that the compiler or the run knows, against loops over a copy, in static functions, run-time
// traces and eagerly.
#include <run/updates_checks.hpp>

TEST_CASE("set: parts that the compiler knows") {
    check_all([](auto const& x) { return tx::set(x, 9, tx::range<1, 3>, tx::range<tx::open, tx::open, -2>); },
              expected([](auto& out, int i, int j) {
                  if (i >= 1 && i < 3 && j % 2 == 0) out(i, j) = 9;
              }));
    tx::tensor<double, tx::shape<5>> const row{1, 2, 3, 4, 5};
    check_all([](auto const& x, auto const& v) { return tx::set(x, v, tx::at<-1>); },
              expected([&](auto& out, int i, int j) {
                  if (i == 3) out(i, j) = row(j);
              }),
              row);
    check_all([](auto const& x, auto const& v) { return tx::set(x, v, tx::ellipsis, tx::new_axis, tx::range<>); },
              expected([&](auto& out, int i, int j) { out(i, j) = row(j); }), row);
    check_all([](auto const& x) { return tx::set(x, x * 2, tx::ellipsis); }, expected([](auto& out, int i, int j) { out(i, j) *= 2; }));
    CHECK(tx::equal(tx::set(given, 1, tx::range<2, 2>), given));
}
TEST_CASE("set: places and ranges that the run knows") {
    for (int p : {-4, 0, 3})
        for (int q : {-1, 2}) {
            CAPTURE(p);
            CAPTURE(q);
            check_all([](auto const& x, auto const& i, auto const& j) { return tx::set(x, -1, i, j); },
                      expected([&](auto& out, int i, int j) {
                          if (i == (p + 4) % 4 && j == (q + 5) % 5) out(i, j) = -1;
                      }),
                      p, q);
        }
    check_all([](auto const& x, auto const& j) { return tx::set(x, tx::slice(x, tx::range<>, tx::at<0>) * 3, tx::range<>, j); },
              expected([](auto& out, int i, int j) {
                  if (j == 3) out(i, j) = given(i, 0) * 3;
              }),
              3);
    auto const inner = [](auto const& x) { return tx::set(x, 0, tx::range(1, tx::extent<0>(x) - 1), tx::range(1, -1)); };
    check_all(inner, expected([](auto& out, int i, int j) {
                  if (i > 0 && i < 3 && j > 0 && j < 4) out(i, j) = 0;
              }));
    CHECK(tx::equal(tx::set(given, 5, tx::range(3, 1)), given));
    auto const throws = [](auto const& x, char const* what) {
        CHECK_THROWS_WITH_AS(tx::set(x, 0, 4), doctest::Contains("index 4 is out of bounds for axis 0 with size 4"), tx::shape_error);
        tx::function const f{[](auto y, auto i) { return tx::set(y, 0, i); }};
        CHECK_THROWS_WITH_AS(f(x, -5), doctest::Contains(what), tx::shape_error);
    };
    auto const says = [](auto const& call, char const* what) { CHECK_THROWS_WITH_AS(call(), what, tx::shape_error); };
    auto const all = [&](auto const& x) { // the axis is that of x, also where an index before has taken one
        says([&] { static_cast<void>(tx::set(x, 0, 1, 7)); }, "tx: set: index 7 is out of bounds for axis 1 with size 5");
        says([&] { static_cast<void>(tx::add_at(x, 1, tx::range<>, -6)); }, "tx: add_at: index -6 is out of bounds for axis 1 with size 5");
        says([&] { static_cast<void>(tx::multiply_at(x, 2, 4u, 0)); }, "tx: multiply_at: index 4 is out of bounds for axis 0 with size 4");
        says([&] { static_cast<void>(tx::slice(x, 0, std::int8_t{-6})); }, "tx: slice: index -6 is out of bounds for axis 1 with size 5");
    };
    all(given), all(open_matrix(given)), all(tx::tensor<double>(given));
    says([&] { static_cast<void>(tx::set(open_matrix(given), 0, tx::at<9>)); }, "tx: set: index 9 is out of bounds for axis 0 with size 4");
    int const place = 9;
    tx::function const captures{[place](auto const& x) { return tx::set(x, 1, place); }};
    tx::tensor<double, tx::shape<tx::dyn>> const vector{1, 2, 3};
    says([&] { captures(vector); }, "tx: view_set: index 9 is out of bounds for axis 0 with size 3");
    says([&] { vector[place]; }, "tx: slice: index 9 is out of bounds for axis 0 with size 3");
    throws(given, "index -5 is out of bounds for axis 0 with size 4");
    throws(open_matrix(given), "index -5 is out of bounds for axis 0 with size 4");
    tx::tensor<double, tx::shape<tx::dyn>> const four{1, 2, 3, 4};
    CHECK_THROWS_AS(tx::set(open_matrix(given), four, 0), tx::shape_error);
}
