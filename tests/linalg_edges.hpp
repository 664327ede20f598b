// Tests tx::linalg against NumPy, in batches, and where there is no result. tests/run runs these on the core's own loops,
// tests/bridges on LAPACK.
#pragma once

#include <linalg_helper.hpp>

using namespace tx::testing;
namespace linalg = tx::linalg;

TEST_CASE("linalg: what NumPy gives") {
    doubles<5, 5> const a{{0.2, 1.7, -0.4, 0.9, 0.1}, {1.1, -0.6, 0.8, 0.3, -1.2}, {-0.7, 0.5, 1.9, -1.4, 0.6}, {0.4, -1.3, 0.2, 2.1, 0.8}, {1.5, 0.7, -0.9, 0.1, -0.5}};
    CHECK(linalg::det(a).item() == doctest::Approx(-20.65843).epsilon(1e-14));
    auto const [sign, logarithm] = linalg::slogdet(a);
    CHECK(sign.item() == -1);
    CHECK(logarithm.item() == doctest::Approx(3.0281234685483684).epsilon(1e-14));
    CHECK(distance(linalg::inv(a), doubles<5, 5>{{-0.21733016497381463, -0.017411778145773923, 0.3038614260619031, 0.2610314530194211, 0.780606270660452},
                                                 {0.45627378266402635, 0.006931794913747083, 0.11533790321917008, -0.1205996777102616, 0.020064448266397777},
                                                 {0.15992502818462004, 0.3244147788578319, 0.3490439496128215, 0.12397360302791646, -0.1293999592418205},
                                                 {0.3933454768828028, 0.20012169366210308, -0.17576843932476957, 0.17749170677539386, -0.3285583657615802},
                                                 {-0.22240315454756257, -0.5864530847697527, 0.4096245455245147, 0.4266006661687262, 0.5371172930372736}}) < 1e-14);
    CHECK(distance(linalg::solve(a, doubles<5>{1, -2, 0.5, 3, -1.5}),
                   doubles<5>{-0.41839094258372994, 0.10818343891573565, 0.2516381932218469, 0.9305305388647636, 1.6294413467044684}) < 1e-14);
    CHECK(distance(linalg::cholesky(product(a, flipped(a))), doubles<5, 5>{{1.9773719933285188, 0, 0, 0, 0},
                                                                                     {-0.49055008530144834, 1.870657802434946, 0, 0, 0},
                                                                                     {-0.632152171780217, -0.5346260018740444, 2.4463357639199343, 0, 0},
                                                                                     {-0.12137321698180158, 0.5294716953400194, -1.1460638594570498, 2.3089967293349867, 0},
                                                                                     {0.9558140837316882, 0.8600582523499007, -0.7300594516332886, -0.8038387408588299,
                                                                                      0.9887242869882283}}) < 1e-14);
    auto const [w, v] = linalg::eigh(a);
    CHECK(distance(w, doubles<5>{-2.163202312436261, -0.5060568881345092, 1.216489924580387, 1.5080226124384128, 3.0447466635519707}) < 1e-14);
    CHECK(distance(v, doubles<5, 5>{{0.5980265348418132, -0.010509116200240642, 0.6237473165716928, 0.41955419886403583, 0.2777901751087558},
                                    {-0.6948667009779042, 0.3790139438136255, 0.4728879718674403, 0.3707428772610811, -0.11151404974352047},
                                    {0.1625922963021229, -0.10956852022725672, -0.35581326947708214, 0.6906327218945496, -0.5983158407321065},
                                    {-0.11318500007436477, 0.20477938221227823, -0.4955620868961942, 0.42696267850898245, 0.7192882937810462},
                                    {-0.34681036956605943, -0.8957109650258274, 0.12300970054361696, 0.16508575887911486, 0.1871890501109273}}) < 1e-14);
}

TEST_CASE("linalg: batches") {
    std::int64_t const n = 20;
    auto const first = definite_matrix<double>(n, 9), second = definite_matrix<double>(n, 10), b = random_matrix<double>(n, 2, 11);
    auto const both = tx::stack(tx::axis<0>, first, second);
    auto const same = [](auto const& batch, auto const& one, auto const& other) { return distance(batch, tx::stack(tx::axis<0>, one, other)) == 0; };
    CHECK(same(linalg::cholesky(both), linalg::cholesky(first), linalg::cholesky(second)));
    CHECK(same(linalg::inv(both), linalg::inv(first), linalg::inv(second)));
    CHECK(linalg::det(both)(1) == doctest::Approx(linalg::det(second).item()).epsilon(1e-14)); // multiplied in another order
    CHECK(same(linalg::eigh(both).second, linalg::eigh(first).second, linalg::eigh(second).second));
    CHECK(same(linalg::eigvalsh(both), linalg::eigvalsh(first), linalg::eigvalsh(second)));
    CHECK(same(linalg::solve(both, b), linalg::solve(first, b), linalg::solve(second, b)));
    CHECK(same(linalg::solve(first, tx::stack(tx::axis<0>, b, b + 1.0)), linalg::solve(first, b), linalg::solve(first, b + 1.0)));
    CHECK(same(linalg::solve_triangular(both, b), linalg::solve_triangular(first, b), linalg::solve_triangular(second, b)));
    // (2, 1, n, n) and (3, n, 2) -> (2, 3, n, 2)
    auto const crossed = linalg::solve(tx::expand_dims<1>(both), tx::stack(tx::axis<0>, b, b + 1.0, b * 2.0));
    CHECK(has_extents(crossed, {2, 3, n, 2}));
    CHECK(distance(tx::slice(crossed, tx::at<1>, tx::at<2>), linalg::solve(second, b * 2.0)) == 0);
    auto const none = tx::slice(both, tx::range<0, 0>);
    CHECK(has_extents(linalg::cholesky(none), {0, n, n}));
    CHECK(has_extents(linalg::det(none), {0}));
    CHECK(has_extents(linalg::eigh(none).first, {0, n}));
    CHECK(has_extents(linalg::solve(none, b), {0, n, 2}));
}
TEST_CASE("linalg: matrices of no and of one element") {
    doubles<0, 0> const none{};
    CHECK(linalg::det(none).item() == 1);
    CHECK(linalg::slogdet(none).first.item() == 1);
    CHECK(linalg::slogdet(none).second.item() == 0);
    CHECK(linalg::cholesky(none).size() == 0);
    CHECK(linalg::eigh(none).first.size() == 0);
    CHECK(has_extents(linalg::solve(none, tx::zeros<double>(tx::shape<0, 3>{})), {0, 3}));
    doubles<1, 1> const four{{4}};
    CHECK(linalg::det(four).item() == 4);
    CHECK(linalg::cholesky(four).item() == 2);
    CHECK(linalg::inv(four).item() == 0.25);
    CHECK(linalg::eigh(four).first.item() == 4);
    CHECK(linalg::eigh(four).second.item() == 1);
    CHECK(linalg::det(tx::tensor<int, tx::shape<2, 2>>{{1, 2}, {3, 5}}).item() == doctest::Approx(-1.0)); // integers become double
}

TEST_CASE("linalg: matrices without an answer") {
    auto const singular = doubles<2, 2>{{1, 2}, {2, 4}};
    auto const two = doubles<2, 2, 2>{{{1, 0}, {0, 1}}, {{1, 2}, {2, 1}}};
    CHECK(message_of([&] { static_cast<void>(linalg::cholesky(singular)); }) == "tx: cholesky: a must be positive definite; matrix 0 of (2, 2) is not");
    CHECK(message_of([&] { static_cast<void>(linalg::cholesky(two)); }) == "tx: cholesky: a must be positive definite; matrix 1 of (2, 2, 2) is not");
    CHECK(message_of([&] { static_cast<void>(linalg::cholesky(random_matrix<double>(30, 30, 12))); }) == "tx: cholesky: a must be positive definite; matrix 0 of (30, 30) is not");
    CHECK(message_of([&] { static_cast<void>(linalg::solve(singular, doubles<2>{1, 2})); }) == "tx: solve, inv: a must be invertible; matrix 0 of (2, 2) is singular");
    CHECK(message_of([&] { static_cast<void>(linalg::inv(singular)); }) == "tx: solve, inv: a must be invertible; matrix 0 of (2, 2) is singular");
    CHECK(message_of([&] { static_cast<void>(linalg::inv(tx::zeros<float>(tx::shape<3, 20, 20>{}))); }) == "tx: solve, inv: a must be invertible; matrix 0 of (3, 20, 20) is singular");
    CHECK(message_of([&] { static_cast<void>(linalg::solve_triangular(doubles<2, 2>{{1, 2}, {2, 0}}, doubles<2>{1, 2})); }) ==
          "tx: solve_triangular: the diagonal of a must have no 0; matrix 0 of (2, 2) has one");
    CHECK(distance(linalg::solve_triangular(doubles<2, 2>{{1, 2}, {2, 0}}, doubles<2>{1, 2}, linalg::unit_diagonal), doubles<2>{-3, 2}) == 0);
    CHECK(linalg::det(singular).item() == 0);
    CHECK(linalg::slogdet(singular).first.item() == 0);
    CHECK(linalg::slogdet(singular).second.item() == -std::numeric_limits<double>::infinity());
    CHECK(linalg::det(tx::zeros<double>(tx::shape<20, 20>{})).item() == 0);
    CHECK(linalg::eigvalsh(tx::zeros<double>(tx::shape<20, 20>{})).data()[19] == 0);
}
TEST_CASE("linalg: the determinant of a singular matrix is 0, not -0") {
    auto const is_zero = [](auto const& x) { return x == 0 && !std::signbit(x); };
    auto const of_ones = []<class T>(std::int64_t n, T value) { return tx::zeros<T, tx::shape<tx::dyn, tx::dyn>>(n, n) + value; };
    tx::function const det{[](auto const& a) { return linalg::det(a); }};
    for (std::int64_t const n : {2, 3, 5, 20, 70}) {
        CAPTURE(n);
        CHECK(is_zero(linalg::det(of_ones(n, -1.0)).item()));
        CHECK(is_zero(linalg::det(of_ones(n, -1.0f)).item()));
        CHECK(is_zero(det(of_ones(n, -1.0)).item()));
        CHECK(is_zero(linalg::slogdet(of_ones(n, -1.0)).first.item()));
        CHECK(is_zero(linalg::det(tx::stack(tx::axis<0>, of_ones(n, 1.0), of_ones(n, -1.0)))(1)));
    }
    CHECK(is_zero(linalg::det(doubles<2, 2>{{1, 2}, {2, 4}}).item())); // after an exchange of rows
    CHECK(linalg::det(doubles<2, 2>{{0, 1}, {1, 0}}).item() == -1);
}
TEST_CASE("linalg: shapes that don't fit and that only the run tells") {
    auto const wide = tx::zeros<double, tx::shape<tx::dyn, tx::dyn>>(2, 3), a = identity<double>(2);
    CHECK(message_of([&] { static_cast<void>(linalg::cholesky(wide)); }) == "tx: cholesky: the last two extents must be equal; given (2, 3)");
    CHECK(message_of([&] { static_cast<void>(linalg::det(wide)); }) == "tx: det: the last two extents must be equal; given (2, 3)");
    CHECK(message_of([&] { static_cast<void>(linalg::eigh(tx::tensor<double>{1, 2})); }) == "tx: eigh: takes a matrix, or several in the last two axes; given (2,)");
    CHECK(message_of([&] { static_cast<void>(linalg::solve_triangular(a, identity<double>(3))); }) ==
          "tx: solve_triangular: the right side must have as many rows as the matrix, and leading extents that broadcast; given (2, 2), (3, 3)");
    CHECK(message_of([&] { static_cast<void>(linalg::solve(tx::tensor<double>(a), tx::tensor<double>{1, 2, 3})); }) ==
          "tx: solve: the right side must have as many rows as the matrix, and leading extents that broadcast; given (2, 2), (3,)");
}
TEST_CASE("linalg: NaN and infinity spread") {
    double const nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    for (std::int64_t const n : {2, 20})
        for (double const wrong : {nan, infinity}) {
            CAPTURE(n);
            auto a = identity<double>(n);
            a.mutable_data()[0] = wrong;
            CHECK(all_nan(linalg::eigh(a).first));
            CHECK(all_nan(linalg::eigh(a).second));
            CHECK(!std::isfinite(linalg::cholesky(a).data()[0]));
            CHECK(!std::isfinite(linalg::det(a).item()));
            auto const x = linalg::solve(a, tx::ones<double, tx::shape<tx::dyn>>(n));
            CHECK((std::isnan(wrong) ? all_nan(x) : x.data()[0] == 0 && x.data()[1] == 1));
        }
}
TEST_CASE("linalg: sizes near the ends of the range") {
    auto const diagonal = [](double size) { return random_matrix<float>(20, 20, 13, 0, size); };
    CHECK(linalg::eigvalsh(diagonal(1e30))(3) == doctest::Approx(1e30));
    CHECK(linalg::eigvalsh(diagonal(1e-30))(3) == doctest::Approx(1e-30));
    CHECK(linalg::cholesky(diagonal(1e30))(3, 3) == doctest::Approx(1e15));
    CHECK(linalg::slogdet(diagonal(1e30)).second.item() == doctest::Approx(20 * std::log(1e30)));
    CHECK(linalg::det(diagonal(1e30)).item() == std::numeric_limits<float>::infinity());
}
