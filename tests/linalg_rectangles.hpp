// Tests tx::linalg::qr and svd by identities, against NumPy, and at the edges. tests/run runs these on the core's own loops,
// tests/bridges on LAPACK.
#pragma once

#include <linalg_helper.hpp>

using namespace tx::testing;
namespace linalg = tx::linalg;

namespace {

// u diag(s) vh
template <class U, class S, class V> auto made_of(U const& u, S const& s, V const& vh) {
    using T = typename U::value_type;
    return product(made<T>(u.extent(0), s.size(), [&](std::int64_t i, std::int64_t j) { return u(i, j) * s.data()[j]; }), vh);
}
template <class T> double orthogonality(open_matrix<T> const& columns) {
    return distance(product(flipped(columns), columns), identity<T>(columns.extent(1)));
}
// Backward errors of Householder's and Jacobi's methods are of the order of epsilon times the norm, here at most the larger side,
// times the smaller side (Golub and Van Loan, 5.2, 8.6).
template <class T> double bound_of(std::int64_t m, std::int64_t n) { return bound_for<T>(std::max(m, n)); }

template <class T> void check_factors(open_matrix<T> const& a) {
    std::int64_t const m = a.extent(0), n = a.extent(1), k = std::min(m, n);
    CAPTURE(m);
    CAPTURE(n);
    double const bound = bound_of<T>(m, n);
    auto const [q, r] = linalg::qr(a);
    CHECK(has_extents(q, {m, k}));
    CHECK(has_extents(r, {k, n}));
    CHECK(distance(product(q, r), a) <= bound);
    CHECK(orthogonality<T>(q) <= bound);
    bool is_upper = true;
    for (std::int64_t i = 0; i < k; ++i)
        for (std::int64_t j = 0; j < i; ++j) is_upper = is_upper && r(i, j) == 0;
    CHECK(is_upper);
    auto const [u, s, vh] = linalg::svd(a);
    CHECK(has_extents(u, {m, k}));
    CHECK(has_extents(s, {k}));
    CHECK(has_extents(vh, {k, n}));
    CHECK(distance(made_of(u, s, vh), a) <= bound);
    CHECK(orthogonality<T>(u) <= bound);
    CHECK(orthogonality<T>(flipped(vh)) <= bound);
    for (std::int64_t i = 0; i < k; ++i) CHECK((s.data()[i] >= 0 && (i == 0 || s.data()[i] <= s.data()[i - 1])));
    CHECK(distance(linalg::svdvals(a), s) == 0);
}

} // namespace

TEST_CASE_TEMPLATE("linalg: qr and svd give orthonormal factors whose product is the matrix", T, float, double) {
    for (std::int64_t const m : orders)
        for (std::int64_t const n : {0, 1, 3, 8, 16, 17, 50}) check_factors<T>(random_matrix<T>(m, n, static_cast<unsigned>(m + n)));
}
TEST_CASE_TEMPLATE("linalg: qr and svd of matrices without full rank, and of zeros", T, float, double) {
    for (auto const& [m, n] : {std::pair{4, 3}, std::pair{3, 4}, std::pair{20, 20}, std::pair{17, 40}}) {
        check_factors<T>(made<T>(m, n, [](std::int64_t i, std::int64_t j) { return static_cast<double>((i + 1) * (j % 3)) / 64; }));
        check_factors<T>(made<T>(m, n, [](std::int64_t, std::int64_t) { return 0; }));
        check_factors<T>(made<T>(m, n, [](std::int64_t i, std::int64_t j) { return i == j; }));
    }
}

// Expected numbers are NumPy 2.4.6's: numpy.linalg.qr(a), and svd(a, full_matrices=False) with signs such that the first element
// of a column of u of at least 0.5 / sqrt(m) is positive.
TEST_CASE("linalg: qr and svd give what NumPy gives") {
    doubles<4, 3> const a{{0.2, 1.7, -0.4}, {1.1, -0.6, 0.8}, {-0.7, 0.5, 1.9}, {0.4, -1.3, 0.2}};
    auto const [q, r] = linalg::qr(a);
    CHECK(distance(q, doubles<4, 3>{{-0.14509525002200241, 0.86577498339478987, 0.021369260478299245},
                                    {-0.79802387512101303, 0.042190303400726811, -0.52381360099969987},
                                    {0.50783337507700821, 0.029208671585118178, -0.84964940892963625},
                                    {-0.29019050004400471, -0.49779565077543531, -0.05708369311683819}}) < 1e-14);
    CHECK(distance(r, doubles<3, 3>{{-1.3784048752090221, 0.86331673763091399, 0.32646431254950492}, {0, 2.1082419715313314, -0.35662040478069668}, {0, 0, -2.0533492005807563}}) < 1e-14);
    auto const [wide_q, wide_r] = linalg::qr(tx::transpose(a));
    CHECK(distance(wide_q, doubles<3, 3>{{-0.11377602479771487, 0.87294349776598512, -0.47436764844297474},
                                         {-0.96709621078057639, 0.012047246726000391, 0.25412552595159338},
                                         {0.22755204959542977, 0.48767254746849409, 0.84284966107278492}}) < 1e-14);
    CHECK(distance(wide_r, doubles<3, 4>{{-1.7578395831246945, 0.63714573886720327, 0.028444006199428662, 1.2572250740147495},
                                         {0, 1.3431475374817785, 0.32154101511694944, 0.4310504878562923},
                                         {0, 0, 2.0605344729241701, -0.35154031089970433}}) < 1e-14);
    auto const [u, s, vh] = linalg::svd(a);
    CHECK(distance(u, doubles<4, 3>{{0.68561358435914999, -0.045730309791247259, 0.54673425944711074},
                                    {-0.44395550410565232, 0.16927646863874418, 0.82900651571382034},
                                    {0.06215932863138153, 0.98130481652263335, -0.11759709335663603},
                                    {-0.5735623254543406, -0.079341496085423568, -0.000877544826139723}}) < 1e-14);
    CHECK(distance(s, doubles<3>{2.3789736861900934, 2.1152836442127616, 1.1857737157405299}) < 1e-14);
    CHECK(distance(vh, doubles<3, 3>{{-0.26236725588490462, 0.92839491924661754, -0.26314691135654866},
                                     {-0.25603749073434828, 0.19594958173954916, 0.94659841789142785},
                                     {0.93038068895365822, 0.31573190420539082, 0.18629315148162162}}) < 1e-14);
}

TEST_CASE("linalg: qr and svd of batches") {
    auto const first = random_matrix<double>(20, 17, 9), second = random_matrix<double>(20, 17, 10);
    auto const both = tx::stack(tx::axis<0>, first, second);
    auto const same = [](auto const& batch, auto const& one, auto const& other) { return distance(batch, tx::stack(tx::axis<0>, one, other)) <= 1e-13; };
    CHECK(same(linalg::qr(both).first, linalg::qr(first).first, linalg::qr(second).first));
    CHECK(same(linalg::qr(both).second, linalg::qr(first).second, linalg::qr(second).second));
    CHECK(same(linalg::svdvals(both), linalg::svdvals(first), linalg::svdvals(second)));
    CHECK(same(std::get<2>(linalg::svd(both)), std::get<2>(linalg::svd(first)), std::get<2>(linalg::svd(second))));
    auto const none = tx::slice(both, tx::range<0, 0>);
    CHECK(has_extents(linalg::qr(none).second, {0, 17, 17}));
    CHECK(has_extents(std::get<0>(linalg::svd(none)), {0, 20, 17}));
}
TEST_CASE("linalg: svd of what is very large and very small; NaN and infinity give NaN") {
    for (double const size : {1e-300, 1e-160, 1e160, 1e300}) {
        auto const a = random_matrix<double>(5, 4, 3);
        auto const scaled = made<double>(5, 4, [&](std::int64_t i, std::int64_t j) { return a(i, j) * size; });
        auto const s = linalg::svdvals(scaled), want = linalg::svdvals(a);
        for (std::int64_t i = 0; i < 4; ++i) CHECK(s(i) / size == doctest::Approx(want(i)).epsilon(1e-13));
        CHECK(orthogonality<double>(linalg::qr(scaled).first) < 1e-14);
    }
    for (double const wrong : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
        for (std::int64_t const n : {3, 20}) {
            auto const a = made<double>(n + 1, n, [&](std::int64_t i, std::int64_t j) { return i == 1 && j == 0 ? wrong : static_cast<double>(i + j * j); });
            auto const [u, s, vh] = linalg::svd(a);
            CHECK((all_nan(u) && all_nan(s) && all_nan(vh)));
            CHECK(std::isnan(linalg::qr(a).first(0, 0)));
        }
}
TEST_CASE_TEMPLATE("linalg: qr of columns of subnormal numbers", T, float, double) {
    T const small = std::numeric_limits<T>::min();
    for (T const size : {small / 8, small / 1024, std::numeric_limits<T>::denorm_min()}) {
        auto const a = made<T>(3, 2, [&](std::int64_t i, std::int64_t j) { return j == 1 ? T(i + 1) : i == 2 ? T(0) : size; });
        auto const [q, r] = linalg::qr(a);
        CHECK(orthogonality<T>(q) < 1e-5);
        CHECK(q(0, 0) == doctest::Approx(-std::sqrt(0.5)).epsilon(1e-5));
        CHECK(std::abs(r(0, 1)) == doctest::Approx(3 * std::sqrt(0.5)).epsilon(1e-5));
    }
}
TEST_CASE("linalg: qr and svd say what they take") {
    CHECK(message_of([&] { static_cast<void>(linalg::qr(tx::tensor<double>{1, 2})); }) == "tx: qr: takes a matrix, or several in the last two axes; given (2,)");
    CHECK(message_of([&] { static_cast<void>(linalg::svd(tx::tensor<double>{1, 2})); }) == "tx: svd: takes a matrix, or several in the last two axes; given (2,)");
}
