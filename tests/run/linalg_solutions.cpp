// This file tests tx::linalg::pinv, lstsq, matrix_power and norm. Expected values are those of NumPy 2.4.6, numpy.linalg's
// functions of these names.
#include <linalg_helper.hpp>

using namespace tx::testing;
namespace linalg = tx::linalg;

namespace {
doubles<4, 3> const a{{0.2, 1.7, -0.4}, {1.1, -0.6, 0.8}, {-0.7, 0.5, 1.9}, {0.4, -1.3, 0.2}};
doubles<4> const b{1, -2, 0.5, 3};
doubles<4, 2> const columns{{1, 0.5}, {-2, 1}, {0.5, 0}, {3, -1}};
// outer([1, 2, 3, 4], [1, -1, 2])
doubles<4, 3> const of_rank_one{{1, -1, 2}, {2, -2, 4}, {3, -3, 6}, {4, -4, 8}};
} // namespace

TEST_CASE("linalg: pinv") {
    CHECK(distance(linalg::pinv(a), doubles<3, 4>{{0.35889989678633394, 0.67892685872366154, -0.2179030072389995, 0.072170927448515984},
                                                  {0.40890165212079521, 0.063163955260035459, 0.083848816553506261, -0.23141627405685875},
                                                  {-0.010407026954915841, 0.25510205514558731, 0.41378709899384203, 0.027800285066316356}}) < 1e-14);
    CHECK(distance(linalg::pinv(a, 0.5), doubles<3, 4>{{-0.070078238102834089, 0.02847252414160769, -0.12563408334253179, 0.072859465867856563},
                                                       {0.26332459425714011, -0.15757276906644246, 0.11516099165204284, -0.23118261320293296},
                                                       {-0.096302714187082639, 0.124859468081092, 0.43226240573717345, 0.027938153353543372}}) < 1e-14);
    CHECK(distance(linalg::pinv(of_rank_one), doubles<3, 4>{{1 / 180., 2 / 180., 3 / 180., 4 / 180.}, {-1 / 180., -2 / 180., -3 / 180., -4 / 180.}, {2 / 180., 4 / 180., 6 / 180., 8 / 180.}}) < 1e-16);
    CHECK(has_extents(linalg::pinv(tx::zeros<float>(tx::shape<2, 5, 3>{})), {2, 3, 5}));
    CHECK(has_extents(linalg::pinv(tx::zeros<float>(tx::shape<0, 3>{})), {3, 0}));
    CHECK(has_extents(linalg::pinv(open_matrix<float>(tx::zeros<float>(tx::shape<0, 3>{}))), {3, 0}));
}
TEST_CASE("linalg: lstsq") {
    auto const [x, residuals, rank, s] = linalg::lstsq(a, columns);
    CHECK(distance(x, doubles<3, 2>{{-0.89139254193494011, 0.78620587966831246}, {-0.36975067229309849, 0.49903105537729187}, {-0.23031673255022003, 0.22209825660181295}}) < 1e-14);
    CHECK(distance(residuals, doubles<2>{12.843943042907396, 0.75869785778982279}) < 1e-13);
    CHECK(rank.item() == 3);
    CHECK(distance(s, doubles<3>{2.3789736861900925, 2.1152836442127607, 1.1857737157405299}) < 1e-14);
    auto const vector = linalg::lstsq(a, b);
    CHECK(distance(std::get<0>(vector), doubles<3>{-0.89139254193494011, -0.36975067229309849, -0.23031673255022003}) < 1e-14);
    CHECK(std::get<1>(vector).item() == doctest::Approx(12.843943042907396).epsilon(1e-14));
    auto const wide = linalg::lstsq(tx::transpose(a), doubles<3>{1, -2, 0.5}); // the shortest of many
    CHECK(distance(std::get<0>(wide), doubles<4>{-0.4641069209327145, 0.68014997577638459, -0.17870709084909037, 0.54890361809539179}) < 1e-14);
    CHECK(std::get<2>(linalg::lstsq(of_rank_one, b)).item() == 1);
    CHECK(std::get<2>(linalg::lstsq(open_matrix<double>(of_rank_one), b)).item() == 1);
    CHECK(has_extents(std::get<0>(linalg::lstsq(made<double>(0, 3, [](auto...) { return 0; }), doubles<0>{})), {3}));
    CHECK(message_of([&] { static_cast<void>(linalg::lstsq(tx::tensor<double>(a), tx::tensor<double>{1, 2})); }) ==
          "tx: lstsq: the right side must have as many rows as the matrix, and leading extents that broadcast; given (4, 3), (2,)");
}
TEST_CASE("linalg: matrix_power") {
    doubles<3, 3> const square{{0.2, 1.7, -0.4}, {1.1, -0.6, 0.8}, {-0.7, 0.5, 1.9}};
    CHECK(distance(linalg::matrix_power<5>(square), doubles<3, 3>{{-5.92422, 12.970329999999999, -0.29796000000000139},
                                                                  {4.6033900000000019, -11.800140000000001, 15.027920000000002},
                                                                  {-16.625429999999998, 1.3404499999999981, 33.270110000000003}}) < 1e-13);
    CHECK(distance(linalg::matrix_power<-2>(square), doubles<3, 3>{{0.49039165378899335, 0.14764098279444268, -0.0800905010832033},
                                                                   {0.15793326284501683, 0.41716267273950614, -0.077487855553173057},
                                                                   {0.12504528751099836, 0.084171922482568939, 0.20617093170273648}}) < 1e-14);
    CHECK(distance(linalg::matrix_power<1>(square), square) == 0);
    CHECK(distance(linalg::matrix_power<0>(square), identity<double>(3)) == 0);
}
TEST_CASE("linalg: norms of matrices and vectors") {
    auto const near = [](auto const& got, double want) { return std::abs(got.item() - want) < 1e-14; };
    CHECK(near(linalg::norm(a, tx::order<1>), 4.1));
    CHECK(near(linalg::norm(a, tx::order<-1>), 2.4));
    CHECK(near(linalg::norm(a, tx::order<2>), 2.378973686190093));
    CHECK(near(linalg::norm(a, tx::order<-2>), 1.1857737157405301));
    CHECK(near(linalg::norm(a, tx::order_inf), 3.1));
    CHECK(near(linalg::norm(a, linalg::order_minus_inf), 1.9));
    CHECK(near(linalg::norm(a, linalg::frobenius), 3.3970575502926055));
    CHECK(near(linalg::norm(a, linalg::nuclear), 5.6800310461433847));
    CHECK(near(linalg::norm(a), 3.3970575502926055));
    CHECK(near(linalg::norm(b), 3.7749172176353749));
    CHECK(near(linalg::norm(b, tx::order<3>), 3.3057445092289721));
    CHECK(near(linalg::norm(b, tx::order_p(3.5)), 3.2085545367961616));
    CHECK(near(linalg::norm(b, linalg::order_minus_inf), 0.5));
    CHECK(distance(linalg::norm(a, tx::order_inf, tx::axis<0>), doubles<3>{1.1, 1.7, 1.9}) == 0);
    CHECK(distance(linalg::norm(a, linalg::order_minus_inf, tx::axis<0>), doubles<3>{0.2, 0.5, 0.2}) == 0);
    // numpy.arange(12).reshape(2, 3, 2) - 4.5
    auto const t = tx::reshape<2, 3, 2>(tx::arange<double>(12.0)) - 4.5;
    CHECK(distance(linalg::norm(t, tx::order<1>, tx::axis<0, 2>), doubles<3>{6, 6, 7}) < 1e-14);
    CHECK(distance(linalg::norm(t, tx::order<2>, tx::axis<0, 2>), doubles<3>{6.3326373482075109, 6.3326373482075109, 8.5148970665997705}) < 1e-14);
    CHECK(distance(linalg::norm(t, linalg::nuclear, tx::axis<2, 1>), doubles<2>{7.1622593482177628, 11.103961408935673}) < 1e-14);
    CHECK(has_extents(linalg::norm(t, tx::order<2>, tx::axis<0, 2>, tx::keepdims), {1, 3, 1}));
    CHECK(has_extents(linalg::norm(t, tx::order_inf, tx::axis<1, 2>, tx::keepdims), {2, 1, 1}));
}
