// This file tests polyadd, polysub, polymul, polyder, polyint, polyval and polyfit against NumPy 2.4.
#include <tracexpr/statistics.hpp>

#include <family_checks.hpp>

#include <limits>

namespace {

using tx::testing::check_in_all_forms;
using tx::testing::check_open_rank;
using tx::testing::difference;
template <int... N> using doubles = tx::tensor<double, tx::shape<N...>>;
template <int N> using integers = tx::tensor<std::int64_t, tx::shape<N>>;
using vector = tx::tensor<double, tx::shape<tx::dyn>>;

doubles<3> const p{1, 2, 3};
doubles<2> const q{4, 5};
doubles<6> const x{0, 1, 2, 3, 4, 5}, y{1, 0.5, 2, 4, 3, 7}, w{1, 2, 1, 0.5, 3, 1};

} // namespace

TEST_CASE("polyadd, polysub, polymul: coefficients of other extents") {
    check_in_all_forms([](auto const& a, auto const& b) { return tx::polyadd(a, b); }, doubles<3>{1, 6, 8}, 0, 0, p, q);
    check_in_all_forms([](auto const& a, auto const& b) { return tx::polysub(b, a); }, doubles<3>{-1, 2, 2}, 0, 0, p, q);
    check_in_all_forms([](auto const& a, auto const& b) { return tx::polymul(a, b); }, doubles<4>{4, 13, 22, 15}, 0, 0, p, q);
    check_open_rank([](auto const& a) { return tx::polymul(a, a); }, doubles<5>{1, 4, 10, 12, 9}, 0, 0, p);
    CHECK(difference(tx::polymul(integers<2>{1, 2}, integers<2>{3, 4}), integers<3>{3, 10, 8}, 0) == "");
    CHECK(difference(tx::polyadd(vector(0), q), q, 0) == "");
    double const infinity = std::numeric_limits<double>::infinity();
    CHECK(difference(tx::polymul(doubles<2>{2, 3}, doubles<2>{1, infinity}), doubles<3>{2, infinity, infinity}, 0) == "");
    using complexes = tx::tensor<std::complex<double>, tx::shape<2>>;
    CHECK(tx::polymul(complexes{{0, 1}, {1, 0}}, complexes{{0, 1}, {1, 0}})(0) == std::complex<double>(-1, 0));
    tx::check_gradients([](auto const& a, auto const& b) { return tx::sum(tx::sin(tx::polymul(a, b) + tx::polyadd(a, b)[0])); }, p, q);
}
TEST_CASE("polyder, polyint") {
    CHECK(difference(tx::polyder<2>(integers<4>{3, 2, 1, 7}), integers<2>{18, 4}, 0) == "");
    check_in_all_forms([](auto const& a) { return tx::polyder(a); }, doubles<2>{2, 2}, 0, 0, p);
    CHECK(tx::polyder<3>(q).size() == 0);
    CHECK(difference(tx::polyder<0>(q), q, 0) == "");
    check_in_all_forms([](auto const& a) { return tx::polyint(a); }, doubles<4>{1, 1, 1, 0}, 0, 0, doubles<3>{3, 2, 1});
    CHECK(difference(tx::polyint<2>(doubles<2>{6, 2}, q), doubles<4>{1, 1, 4, 5}, 0) == "");
    CHECK(difference(tx::polyint<2>(integers<2>{6, 2}, 3), doubles<4>{1, 1, 3, 3}, 0) == "");
    tx::check_gradients([](auto const& a, auto const& k) { return tx::sum(tx::sin(tx::polyint<2>(a, k))); }, p, q);
}
TEST_CASE("polyval: few coefficients, many, and any number") {
    doubles<2, 2> const at{{0, 1}, {-2, 0.5}}, wanted{{3, 6}, {3, 4.25}};
    check_in_all_forms([](auto const& a, auto const& v) { return tx::polyval(a, v); }, wanted, 1e-15, 0, p, at);
    CHECK(tx::polyval(integers<3>{3, 0, 1}, 5) .item() == 76);
    CHECK(tx::polyval(p, std::numeric_limits<double>::infinity()).item() == std::numeric_limits<double>::infinity());
    CHECK(difference(tx::polyval(doubles<1>{7}, at), doubles<2, 2>{{7, 7}, {7, 7}}, 0) == "");
    CHECK(difference(tx::polyval(doubles<0>{}, at), doubles<2, 2>{}, 0) == "");
    CHECK(tx::polyval(tx::ones<double>(tx::shape<50>{}), 0.5).item() == doctest::Approx(2));
    using complexes = tx::tensor<std::complex<double>, tx::shape<2>>;
    CHECK(tx::polyval(complexes{{1, 0}, {0, 0}}, std::complex<double>(0, 1)).item() == std::complex<double>(0, 1));
    tx::check_gradients([](auto const& a, auto const& v) { return tx::sum(tx::polyval(a, v)); }, p, at);
    tx::check_gradients([](auto const& a, auto const& v) { return tx::sum(tx::polyval(a, v)); }, vector(p), at);
}
TEST_CASE("polyfit: NumPy's values, with weights, of several y") {
    check_in_all_forms([](auto const& a, auto const& b) { return tx::polyfit<2>(a, b); },
                       doubles<3>{0.22321428571428598, 0.0125, 0.8392857142857155}, 1e-12, 1e-13, x, y);
    CHECK(difference(tx::polyfit<2>(x, y, w), doubles<3>{0.3972914507188245, -1.0844787957997206, 1.265807382036144}, 1e-12) == "");
    doubles<2, 2> const two{{1.1285714285714281, 7.95}, {0.09523809523809514, -6.666666666666663}};
    CHECK(difference(tx::polyfit<1>(x, tx::stack(tx::axis<1>, y, y * y)), two, 1e-12) == "");
    CHECK(difference(tx::polyfit<1>(doubles<3>{1, 1, 1}, doubles<3>{1, 2, 3}), doubles<2>{1, 1}, 1e-12) == "");
    CHECK(difference(tx::polyfit<2>(integers<2>{1, 2}, integers<2>{3, 5}),
                     doubles<3>{0.37142857142857133, 0.8857142857142855, 1.7428571428571427}, 1e-12) == "");
    CHECK(difference(tx::polyfit<1>(tx::cast<tx::half>(x), tx::cast<tx::half>(y)), doubles<2>{1.1285714285714281, 0.09523809523809514}, 2e-3) == "");
    tx::check_gradients([](auto const& a, auto const& b, auto const& c) { return tx::sum(tx::sin(tx::polyfit<2>(a, b, c))); }, x, y, w);
}
