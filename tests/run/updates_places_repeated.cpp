// This file tests a tensor of places, which may repeat, in multiply_at, min_at and max_at, against loops over a copy.
#include <run/updates_checks.hpp>

TEST_CASE("min_at, max_at, multiply_at: a tensor of places, which may repeat") {
    tx::tensor<std::int32_t, tx::shape<2, 2>> const places{{2, 0}, {-2, 2}};
    tx::tensor<double, tx::shape<2, 2, 1>> const values{{{1}, {-2}}, {{-3}, {0.5}}};
    check_all([](auto const& x, auto const& i, auto const& v) { return tx::max_at(x, v, i); },
              expected([](auto& out, int i, int j) {
                  if (i == 2 && out(i, j) < 1) out(i, j) = 1;
                  if (i == 0 && out(i, j) < -2) out(i, j) = -2;
              }),
              places, values);
    check_all([](auto const& x, auto const& i, auto const& v) { return tx::min_at(x, v, i, tx::range<1, 3>); },
              expected([](auto& out, int i, int j) {
                  if (i == 2 && j >= 1 && j < 3 && out(i, j) > -3) out(i, j) = -3;
                  if (i == 0 && j >= 1 && j < 3 && out(i, j) > -2) out(i, j) = -2;
              }),
              places, values);
    check_all([](auto const& x, auto const& i, auto const& v) { return tx::multiply_at(x, v, i); },
              expected([](auto& out, int i, int j) { out(i, j) *= i == 2 ? -1.5 : i == 0 ? -2 : 1; }), places, values);
    check_all([](auto const& x, auto const& i) { return tx::multiply_at(x, 3, tx::at<1>, i); },
              expected([](auto& out, int i, int j) { out(i, j) *= i != 1 ? 1 : j == 2 ? 9 : j == 0 || j == 3 ? 3 : 1; }), places);
}
