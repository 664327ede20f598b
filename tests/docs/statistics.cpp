// Statistics: numerical work on samples, `#include <tracexpr/statistics.hpp>`, with NumPy's names and meaning. There are
// percentiles, weighted means, elements in order by several keys, intervals and membership, slopes and areas of sampled
// functions, polynomials, and curves through points. half and bfloat16 are computed in float32, integers in float64 where the
// result isn't whole.
#include <tracexpr/statistics.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

using doubles_2 = tx::tensor<double, tx::shape<2>>;
using doubles_3 = tx::tensor<double, tx::shape<3>>;
using vec = tx::tensor<double, tx::shape<4>>;
using three_places = tx::tensor<std::int64_t, tx::shape<3>>;
using places = tx::tensor<std::int64_t, tx::shape<4>>;
constexpr double missing = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("percentile") {
    vec const x{40, 0, 20, 10};
    CHECK(tx::percentile(x, 50).item() == 15);
    CHECK(tx::equal(tx::percentile(x, doubles_2{0, 75}), doubles_2{0, 25}));
    tx::tensor<double, tx::shape<2, 2>> const m{{1, 5}, {3, 9}};
    CHECK(tx::equal(tx::percentile(m, 25, tx::axis<0>, tx::keepdims), tx::tensor<double, tx::shape<1, 2>>{{1.5, 6}}));
}

TEST_CASE("method::linear, method::lower, method::higher, method::nearest, method::midpoint") {
    vec const x{0, 10, 20, 40};
    CHECK(tx::percentile(x, 90, tx::method::linear).item() == doctest::Approx(34));
    CHECK(tx::percentile(x, 90, tx::method::lower).item() == 20);
    CHECK(tx::percentile(x, 90, tx::method::higher).item() == 40);
    CHECK(tx::percentile(x, 90, tx::method::nearest).item() == 40);
    CHECK(tx::percentile(x, 90, tx::method::midpoint).item() == 30);
}

TEST_CASE("nanpercentile, nanquantile, nanmedian") {
    vec const x{3, missing, 1, 2};
    CHECK(tx::nanpercentile(x, 75).item() == 2.5);
    CHECK(tx::nanquantile(x, 0.75).item() == 2.5);
    CHECK(tx::nanmedian(x).item() == 2);
}

TEST_CASE("average") {
    CHECK(tx::average(doubles_3{1, 2, 6}).item() == 3);
    CHECK(tx::average(doubles_3{1, 2, 6}, doubles_3{1, 1, 2}).item() == 3.75);
    tx::tensor<double, tx::shape<2, 3>> const m{{1, 2, 6}, {0, 0, 4}};
    CHECK(tx::equal(tx::average(m, doubles_3{1, 1, 2}, tx::axis<1>), doubles_2{3.75, 2})); // weights of the axis
}

TEST_CASE("skew, kurtosis, zscore") {
    CHECK(tx::skew(doubles_3{0, 0, 3}).item() == doctest::Approx(0.70710678));
    CHECK(tx::kurtosis(vec{-1, 1, -1, 1}).item() == -2);
    CHECK(tx::equal(tx::zscore(vec{1, 3, 1, 3}), vec{-1, 1, -1, 1}));
}

TEST_CASE("lexsort") {
    tx::tensor<int, tx::shape<2, 3>> const keys{{2, 1, 1}, {0, 1, 0}}; // by the last row, then by the first
    CHECK(tx::equal(tx::lexsort(keys), three_places{2, 0, 1}));
    CHECK(tx::equal(tx::lexsort(doubles_3{2, 1, 1}, tx::tensor<int, tx::shape<3>>{0, 1, 0}), three_places{2, 0, 1}));
}

TEST_CASE("partition, argpartition") {
    vec const x{3, 1, 9, 2};
    CHECK(tx::partition<1>(x)(1) == 2);
    CHECK(x(tx::argpartition<-1>(x)(3)) == 9);
}

TEST_CASE("digitize, right") {
    doubles_3 const bins{0, 1, 2};
    CHECK(tx::equal(tx::digitize(vec{-1, 0.5, 1, 7}, bins), places{0, 1, 2, 3}));
    CHECK(tx::equal(tx::digitize(vec{-1, 0.5, 1, 7}, bins, tx::right), places{0, 1, 1, 3}));
}

TEST_CASE("isin") {
    tx::tensor<bool, tx::shape<4>> const wanted{true, false, false, true};
    CHECK(tx::equal(tx::isin(vec{1, 2, missing, 3}, doubles_3{3, 1, missing}), wanted));
}

TEST_CASE("histogram2d") {
    auto const [counts, x_edges, y_edges] = tx::histogram2d<2, 2>(doubles_3{0, 1, 1}, doubles_3{0.5, 0.5, 2}, 0, 1, 0, 2);
    CHECK(tx::equal(counts, tx::tensor<std::int64_t, tx::shape<2, 2>>{{1, 0}, {1, 1}}));
    CHECK(tx::equal(x_edges, doubles_3{0, 0.5, 1}));
    CHECK(tx::equal(y_edges, doubles_3{0, 1, 2}));
}

TEST_CASE("gradient, edge_order") {
    vec const squares{0, 1, 4, 9};
    CHECK(tx::equal(tx::gradient(squares), vec{1, 2, 4, 5}));
    CHECK(tx::equal(tx::gradient(squares, 2, tx::edge_order<2>), vec{0, 1, 2, 3}));
    CHECK(tx::equal(tx::gradient(vec{0, 1, 9, 16}, vec{0, 1, 3, 4}, tx::edge_order<2>), vec{0, 2, 6, 8})); // at uneven places
    auto const [down, along] = tx::gradient(tx::tensor<double, tx::shape<2, 2>>{{1, 2}, {4, 8}});
    CHECK(tx::equal(down, tx::tensor<double, tx::shape<2, 2>>{{3, 6}, {3, 6}}));
    CHECK(tx::equal(along, tx::tensor<double, tx::shape<2, 2>>{{1, 1}, {4, 4}}));
}

TEST_CASE("trapezoid") {
    CHECK(tx::trapezoid(doubles_3{1, 2, 3}).item() == 4);
    CHECK(tx::trapezoid(doubles_3{1, 2, 3}, 0.5).item() == 2);
    CHECK(tx::trapezoid(doubles_3{1, 2, 3}, doubles_3{0, 2, 3}).item() == 5.5);
}

TEST_CASE("cumulative_trapezoid, initial_zero") {
    CHECK(tx::equal(tx::cumulative_trapezoid(doubles_3{1, 2, 3}), doubles_2{1.5, 4}));
    CHECK(tx::equal(tx::cumulative_trapezoid(doubles_3{1, 2, 3}, 2, tx::initial_zero), doubles_3{0, 3, 8}));
}

TEST_CASE("polyfit") {
    auto const line = tx::polyfit<1>(vec{0, 1, 2, 3}, vec{1, 3, 5, 7});
    CHECK(tx::allclose(line, doubles_2{2, 1}));
    CHECK(tx::allclose(tx::polyfit<1>(vec{0, 1, 2, 3}, vec{1, 3, 5, 99}, vec{1, 1, 1, 0}), doubles_2{2, 1})); // with weights
}

TEST_CASE("polyval") {
    CHECK(tx::polyval(doubles_3{1, 0, 2}, 3).item() == 11); // 3^2 + 2
}

TEST_CASE("polyadd, polysub, polymul") {
    CHECK(tx::equal(tx::polyadd(doubles_3{1, 2, 3}, doubles_2{1, 1}), doubles_3{1, 3, 4}));
    CHECK(tx::equal(tx::polysub(doubles_3{1, 2, 3}, doubles_2{1, 1}), doubles_3{1, 1, 2}));
    CHECK(tx::equal(tx::polymul(doubles_2{1, 1}, doubles_2{1, -1}), doubles_3{1, 0, -1}));
}

TEST_CASE("polyder, polyint") {
    CHECK(tx::equal(tx::polyder(doubles_3{3, 2, 1}), doubles_2{6, 2}));
    CHECK(tx::equal(tx::polyint(doubles_2{6, 2}, 5), doubles_3{3, 2, 5}));
}

TEST_CASE("unwrap") { CHECK(tx::equal(tx::unwrap(vec{350, 10, 20, 350}, 360), vec{350, 370, 380, 350})); }

TEST_CASE("interp") {
    vec const xp{0, 1, 2, 3}, fp{0, 1, 8, 27};
    CHECK(tx::interp(0.5, xp, fp, tx::interpolation::cubic).item() == doctest::Approx(0.125));
    CHECK(tx::interp(9, xp, fp, tx::interpolation::previous, -1, -2).item() == -2); // left and right of all points
}

TEST_CASE("interpolation::nearest, interpolation::previous, interpolation::linear") {
    doubles_2 const xp{0, 1}, fp{5, 7};
    CHECK(tx::interp(0.6, xp, fp, tx::interpolation::nearest).item() == 7);
    CHECK(tx::interp(0.6, xp, fp, tx::interpolation::previous).item() == 5);
    CHECK(tx::interp(0.5, xp, fp, tx::interpolation::linear).item() == 6);
}

TEST_CASE("interpolation::cubic") {
    CHECK(tx::interp(1.5, doubles_3{0, 1, 2}, doubles_3{0, 1, 4}, tx::interpolation::cubic).item() == 2.25);
}
