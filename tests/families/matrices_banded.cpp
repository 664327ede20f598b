// This file tests systems with few diagonals against scipy.linalg.solve_banded.
#include <tracexpr/matrices.hpp>

#include <family_checks.hpp>

namespace {

namespace la = tx::linalg;
using tx::testing::check_in_all_forms;
using tx::testing::difference;
using vec = tx::tensor<double, tx::shape<7>>;
using sides = tx::tensor<double, tx::shape<7, 2>>;
vec const lower{2.04, -2.56, 0.42, -0.57, -0.45, -0.22, -2.02}, diagonal{3.77, 3.13, 7.32, 4.23, 3.65, 3.72, 3.33}, upper{-1.06, -0.39, 0.48, -0.24, 0.96, -0.2, 0.02};
sides const b{{1.55, 0.55}, {-0.51, -0.18}, {0.54, 1.94}, {-0.27, -0.24}, {1.0, -0.89}, {-0.29, 0.88}, {0.58, 0.09}};
tx::tensor<double, tx::shape<5, 7>> const band{{0.67, -2.83, 1.02, -0.96, -1.67, 0.28, 0.7}, {-0.44, -1.08, 0.03, -0.05, 1.41, 0.75, 0.19}, {1.11, -0.21, -0.93, 0.58, 0.58, -0.21, -0.78}, {3.23, 0.5099999999999998, 3.69, 3.49, 1.36, 3.06, 2.04}, {0.76, -2.03, -0.91, 0.71, 1.16, -2.16, -0.5}};
// scipy: solve_banded((1, 1), ab, b) and solve_banded((1, 3), band, b)
sides const of_three{{0.47728845096099326, 0.18031351370215581}, {0.2352617548329666, 0.122435798733139}, {0.06284835427446878, 0.2605678332236058}, {-0.03929143816449462, -0.03912411388481943}, {0.28322356094891904, -0.30841111112600644}, {-0.05359077566414281, 0.22718198371016118}, {0.14166565560313257, 0.16483711924760527}}, of_five{{0.615338624190406, -0.20620449359922136}, {1.6287988994914122, -3.352239231541994}, {0.8098408952324196, -1.1368005996058494}, {0.12478251468623633, -0.5689315559269186}, {0.6281159489969261, -0.35969238789942454}, {-0.3566731572990885, 0.5960540781826396}, {-0.09334020576766237, 0.675233729840442}};

} // namespace

TEST_CASE("solve_tridiagonal: several right sides, and one") {
    check_in_all_forms([](auto l, auto d, auto u, auto r) { return la::solve_tridiagonal(l, d, u, r); }, of_three, 1e-12, 1e-13, lower, diagonal, upper, b);
    auto const one = la::solve_tridiagonal(lower, diagonal, upper, vec(tx::slice(b, tx::range<>, tx::at<1>)));
    CHECK(difference(one, tx::slice(of_three, tx::range<>, tx::at<1>), 1e-12, 1e-13) == "");
}
TEST_CASE("solve_tridiagonal: batches, one row, none, float, derivatives") {
    auto const two = la::solve_tridiagonal(lower, tx::stack(tx::axis<0>, diagonal, diagonal * 2.0), upper, b);
    CHECK(difference(tx::slice(two, tx::at<0>), of_three, 1e-12, 1e-13) == "");
    CHECK(difference(tx::slice(two, tx::at<1>), la::solve_tridiagonal(lower, diagonal * 2.0, upper, b), 1e-13, 1e-13) == "");
    tx::tensor<float, tx::shape<1>> const single{2};
    CHECK(la::solve_tridiagonal(single, single, single, tx::tensor<float, tx::shape<1>>{3})(0) == 1.5f);
    CHECK(difference(la::solve_tridiagonal(tx::cast<float>(lower), tx::cast<float>(diagonal), tx::cast<float>(upper), tx::cast<float>(b)), of_three, 1e-5, 1e-6) == "");
    tx::check_gradients([](auto l, auto d, auto u, auto r) { return tx::sum(tx::sin(la::solve_tridiagonal(l, d, u, r))); }, lower, diagonal, upper, b);
}
TEST_CASE("solve_banded: diagonals on both sides, batches, and derivatives") {
    constexpr auto solve = [](auto d, auto r) { return la::solve_banded<1, 3>(d, r); };
    CHECK(difference(solve(band, b), of_five, 1e-11, 1e-12) == "");
    CHECK(difference(tx::function{solve}(band, b), of_five, 1e-11, 1e-12) == "");
    auto const two = tx::vmap(solve)(tx::stack(tx::axis<0>, band, band * 2.0), tx::stack(tx::axis<0>, b, b));
    CHECK(difference(tx::slice(two, tx::at<1>), of_five / 2.0, 1e-11, 1e-12) == "");
    CHECK(difference(la::solve_banded<1, 3>(tx::stack(tx::axis<0>, band, band * 2.0), b), two, 1e-12, 1e-13) == "");
    tx::tensor<double, tx::shape<1, 7>> const only{{3.77, 3.13, 7.32, 4.23, 3.65, 3.72, 3.33}};
    CHECK(difference(la::solve_banded<0, 0>(only, b), b / tx::expand_dims<1>(diagonal), 1e-14) == "");
    tx::check_gradients([](auto d, auto r) { return tx::sum(tx::sin(la::solve_banded<1, 3>(d, r))); }, band, b);
}
