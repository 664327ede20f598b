// Reductions and scans: over all axes, or those named, `tx::sum(x, tx::axis<0, -1>)` or `tx::sum<0, -1>(x)`, whose shape loses these axes;
// with `tx::keepdims` they stay, of extent 1. Sums and products of integers are made in 64 bits, means of them in float64, those of float16
// and bfloat16 in float32.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

using vec = tx::tensor<float, tx::shape<3>>;
using matrix = tx::tensor<float, tx::shape<2, 3>>;
using pair = tx::tensor<float, tx::shape<2>>;
using places = tx::tensor<std::int64_t, tx::shape<2>>;

TEST_CASE("sum, axis, keepdims") {
    matrix const x{{1, 2, 3}, {4, 5, 6}};
    CHECK(tx::sum(x).item() == 21);
    CHECK(tx::equal(tx::sum(x, tx::axis<0>), vec{5, 7, 9})); // (2, 3) -> (3)
    CHECK(tx::equal(tx::sum<-1>(x), pair{6, 15}));            // (2, 3) -> (2)
    CHECK(tx::equal(tx::sum(x, tx::axis<1>, tx::keepdims), tx::tensor<float, tx::shape<2, 1>>{{6}, {15}}));
    int const axis = 0; // known to the run only
    CHECK(tx::sum(x, axis).extents() == std::vector<std::int64_t>{3});
}

TEST_CASE("prod") { CHECK(tx::equal(tx::prod(matrix{{1, 2, 3}, {4, 5, 6}}, tx::axis<1>), pair{6, 120})); }

TEST_CASE("mean") { CHECK(tx::equal(tx::mean(matrix{{1, 2, 3}, {4, 5, 6}}, tx::axis<1>), pair{2, 5})); }

TEST_CASE("var, std, ddof") {
    vec const x{1, 2, 3};
    CHECK(tx::allclose(tx::var(x), 2.f / 3).item());
    CHECK(tx::allclose(tx::std(x, tx::ddof<1>), 1).item()); // divided by n - 1
}

TEST_CASE("max, min") {
    matrix const x{{1, 5, 3}, {4, 2, 6}};
    CHECK(tx::equal(tx::max(x, tx::axis<1>), pair{5, 6}));
    CHECK(tx::min(x).item() == 1);
    CHECK(std::isnan(tx::max(vec{1, NAN, 3}).item()));
}

TEST_CASE("argmax, argmin") {
    matrix const x{{1, 5, 3}, {4, 2, 6}};
    CHECK(tx::equal(tx::argmax(x, tx::axis<1>), places{1, 2}));
    CHECK(tx::argmin(x).item() == 0); // of all, in row-major order
}

TEST_CASE("any, all, count_nonzero") {
    vec const x{0, 2, 3};
    CHECK(tx::any(x > 2).item());
    CHECK(!tx::all(x > 2).item());
    CHECK(tx::count_nonzero(x).item() == 2);
}

TEST_CASE("norm, order, order_inf, order_p") {
    vec const x{2, -3, 6};
    CHECK(tx::norm(x).item() == doctest::Approx(7));
    CHECK(tx::norm(x, tx::order<1>).item() == doctest::Approx(11));
    CHECK(tx::norm(x, tx::order_inf).item() == doctest::Approx(6));
    CHECK(tx::norm(x, tx::order_p(3)).item() == doctest::Approx(std::cbrt(8 + 27 + 216)));
}

TEST_CASE("nansum, nanprod, nanmean, nanvar, nanstd") {
    vec const x{1, NAN, 3};
    CHECK(tx::nansum(x).item() == 4);
    CHECK(tx::nanprod(x).item() == 3);
    CHECK(tx::nanmean(x).item() == 2);
    CHECK(tx::nanvar(x).item() == 1);
    CHECK(tx::nanstd(x, tx::ddof<1>).item() == doctest::Approx(std::sqrt(2)));
}

TEST_CASE("nanmax, nanmin, nanargmax, nanargmin") {
    vec const x{1, NAN, 3};
    CHECK(tx::nanmax(x).item() == 3);
    CHECK(tx::nanmin(x).item() == 1);
    CHECK(tx::nanargmax(x).item() == 2);
    CHECK(tx::nanargmin(x).item() == 0);
}

TEST_CASE("cumsum, cumprod, cummax, cummin") {
    vec const x{1, 3, 2};
    CHECK(tx::equal(tx::cumsum(x), vec{1, 4, 6}));
    CHECK(tx::equal(tx::cumprod(x), vec{1, 3, 6}));
    CHECK(tx::equal(tx::cummax(x), vec{1, 3, 3}));
    CHECK(tx::equal(tx::cummin(x), vec{1, 1, 1}));
    CHECK(tx::equal(tx::cumsum(matrix{{1, 2, 3}, {4, 5, 6}}, tx::axis<0>), matrix{{1, 2, 3}, {5, 7, 9}}));
}

TEST_CASE("diff") { CHECK(tx::equal(tx::diff(vec{1, 4, 9}), pair{3, 5})); }

TEST_CASE("cov, corrcoef") {
    matrix const x{{1, 2, 3}, {3, 2, 1}}; // two variables, three observations
    CHECK(tx::allclose(tx::cov(x), tx::tensor<float, tx::shape<2, 2>>{{1, -1}, {-1, 1}}).item());
    CHECK(tx::allclose(tx::corrcoef(x), tx::tensor<float, tx::shape<2, 2>>{{1, -1}, {-1, 1}}).item());
}

TEST_CASE("interp, searchsorted, side") {
    vec const xp{0, 1, 2}, fp{0, 10, 40};
    CHECK(tx::equal(tx::interp(pair{0.5, 1.5}, xp, fp), pair{5, 25}));
    CHECK(tx::equal(tx::searchsorted(xp, pair{1, 1.5}), places{1, 2}));
    CHECK(tx::equal(tx::searchsorted<tx::side::right>(xp, pair{1, 1.5}), places{2, 2}));
}
