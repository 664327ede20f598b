// This file tests set and add_at at tensors of places, multiply_at, min_at, max_at, put_along_axis, against loops over a copy.
#include <run/updates_checks.hpp>

TEST_CASE("set, add_at: a tensor of places, which may repeat") {
    tx::tensor<std::int32_t, tx::shape<3>> const places{2, -4, 2};
    tx::tensor<double, tx::shape<3, 1>> const values{{1}, {2}, {3}};
    check_all([](auto const& x, auto const& i, auto const& v) { return tx::set(x, v, i); },
              expected([](auto& out, int i, int j) {
                  if (i == 2) out(i, j) = 3;
                  if (i == 0) out(i, j) = 2;
              }),
              places, values);
    check_all([](auto const& x, auto const& i, auto const& v) { return tx::add_at(x, v, i); },
              expected([](auto& out, int i, int j) { out(i, j) += i == 2 ? 4 : i == 0 ? 2 : 0; }), places, values);
    check_all([](auto const& x, auto const& i, auto const& v) { return tx::add_at(x, v, i, tx::range<0, 2>); },
              expected([](auto& out, int i, int j) { out(i, j) += j > 1 ? 0 : i == 2 ? 4 : i == 0 ? 2 : 0; }), places, values);
    check_all([](auto const& x, auto const& i) { return tx::set(x, -7, tx::at<1>, i); },
              expected([](auto& out, int i, int j) {
                  if (i == 1 && (j == 2 || j == 1)) out(i, j) = -7;
              }),
              places);
}
TEST_CASE("multiply_at, min_at, max_at, add_at: of the part and the value") {
    check_all([](auto const& x, auto const& i) { return tx::multiply_at(x, 10, i, tx::range<1, 3>); },
              expected([](auto& out, int i, int j) { out(i, j) *= i == 2 && j >= 1 && j < 3 ? 10 : 1; }), 2);
    check_all([](auto const& x) { return tx::min_at(x, 0, tx::range<0, tx::open, 2>); },
              expected([](auto& out, int i, int j) {
                  if (i % 2 == 0 && out(i, j) > 0) out(i, j) = 0;
              }));
    check_all([](auto const& x) { return tx::max_at(x, 0.5, tx::at<0>); },
              expected([](auto& out, int i, int j) {
                  if (i == 0 && out(i, j) < 0.5) out(i, j) = 0.5;
              }));
    check_all([](auto const& x, auto const& i) { return tx::add_at(x, x[1], i); },
              expected([](auto& out, int i, int j) { out(i, j) += i == 3 ? given(1, j) : 0; }), -1);
}
TEST_CASE("put_along_axis: as take_along_axis reads") {
    tx::tensor<std::int64_t, tx::shape<4, 1>> const largest = tx::argmax(-given, tx::axis<1>, tx::keepdims);
    check_all([](auto const& x, auto const& i) { return tx::put_along_axis(x, i, 99, tx::axis<1>); },
              expected([](auto& out, int i, int j) {
                  if (j == 0) out(i, j) = 99;
              }),
              largest);
    tx::tensor<std::int64_t, tx::shape<1, 5>> const rows{{0, 1, 2, 3, -1}};
    check_all([](auto const& x, auto const& i, auto const& v) { return tx::put_along_axis<0>(x, i, v); },
              expected([](auto& out, int i, int j) {
                  if (i == j || (j == 4 && i == 3)) out(i, j) = 10 * j;
              }),
              rows, tx::arange<double, 5>() * 10);
}
