// This file tests functions of matrices against SciPy's, and their derivatives.
#include <tracexpr/matrices.hpp>

#include <family_checks.hpp>

#include <cmath>

namespace {

namespace la = tx::linalg;
using tx::testing::check_in_all_forms;
using tx::testing::difference;
using matrix = tx::tensor<double, tx::shape<3, 3>>;
// numpy: a
matrix const a{{1.0, 2.0, 0.5}, {-0.3, 0.8, 1.5}, {0.2, -1.0, 2.0}};
constexpr auto expm = [](auto x) { return la::expm(x); };
constexpr auto logm = [](auto x) { return la::logm(x); };
constexpr auto sqrtm = [](auto x) { return la::sqrtm(x); };

} // namespace

TEST_CASE("expm: scipy.linalg.expm, with and without squarings") {
    check_in_all_forms(expm, matrix{{2.635121397718341, 2.509821696485718, 6.503440918672451}, {-0.021547956144272185, -0.21864629300652183, 4.603460226216774}, {1.181675174154639, -2.5957397530397355, 4.757627419653295}}, 1e-13, 1e-14, a);
    CHECK(difference(expm(a * 12.5), matrix{{2230296998.33665, -1673918059.8816857, 6085452272.0253}, {643942649.136358, -483247423.47194576, 1756449329.6035352}, {862761148.1937052, -647159632.8635502, 2353650044.328062}}, 1e-11, 1e2) == "");
    CHECK(difference(la::expm(tx::cast<float>(a)), expm(a), 1e-5, 1e-6) == "");
    CHECK(difference(la::expm(tx::cast<tx::half>(a)), expm(a), 1e-2, 1e-2) == "");
    CHECK(tx::equal(expm(a * 0.0), tx::eye<double>(tx::shape<3, 3>{})));
    tx::tensor<double, tx::shape<2, 2>> const turn{{0, -1e3}, {1e3, 0}}, nilpotent{{0, 1e9}, {0, 0}};
    CHECK(difference(la::expm(turn), tx::tensor<double, tx::shape<2, 2>>{{std::cos(1e3), -std::sin(1e3)}, {std::sin(1e3), std::cos(1e3)}}, 0, 1e-11) == "");
    CHECK(difference(la::expm(nilpotent), tx::tensor<double, tx::shape<2, 2>>{{1, 1e9}, {0, 1}}, 1e-13, 1e-13) == "");
}
TEST_CASE("expm: integers, batches, one number, none, NaN and infinity") {
    tx::tensor<int, tx::shape<2, 2, 2>> const two{{{0, 1}, {0, 0}}, {{20, 0}, {0, -20}}};
    auto const both = la::expm(two);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(both)>, tx::tensor<double, tx::shape<2, 2, 2>>>);
    CHECK(difference(both, tx::tensor<double, tx::shape<2, 2, 2>>{{{1, 1}, {0, 1}}, {{std::exp(20.0), 0}, {0, std::exp(-20.0)}}}, 1e-13, 1e-15) == "");
    CHECK(std::abs(la::expm(tx::tensor<double, tx::shape<1, 1>>{{3}})(0, 0) - std::exp(3.0)) < 1e-13);
    CHECK(la::expm(tx::tensor<double, tx::shape<2, 0, 0>>{}).size() == 0);
    CHECK(tx::all(tx::isnan(expm(a * std::nan("")))).item());
    CHECK(tx::any(tx::isnan(expm(a * HUGE_VAL))).item());
}
TEST_CASE("expm: derivatives") {
    tx::check_gradients([](auto x) { return tx::sum(tx::sin(la::expm(x))); }, a * 0.3);
    tx::check_gradients([](auto x) { return tx::sum(tx::sin(0.1 * la::expm(x))); }, a * 2.0);
}
TEST_CASE("sqrtm: scipy.linalg.sqrtm") {
    check_in_all_forms(sqrtm, matrix{{1.069116054014924, 0.9255279718859556, -0.014459354651650554}, {-0.15367867315610234, 1.0854594242298656, 0.5802999857198572}, {0.053614167632179195, -0.40666596031085067, 1.495581317490051}}, 1e-13, 1e-14, a);
    CHECK(difference(sqrtm(a * 1e-8), matrix{{0.00010691160540149233, 9.255279718859558e-05, -1.4459354651652091e-06}, {-1.53678673156103e-05, 0.00010854594242298664, 5.802999857198591e-05}, {5.3614167632178365e-06, -4.0666596031085124e-05, 0.00014955813174900571}}, 1e-13, 1e-17) == "");
    CHECK(difference(la::sqrtm(tx::cast<float>(a)), sqrtm(a), 1e-5, 1e-6) == "");
    tx::tensor<double, tx::shape<2, 2>> const negative{{-1, 0}, {0, 4}}, far{{1e-12, 0}, {0, 1e12}};
    CHECK(tx::any(tx::isnan(la::sqrtm(negative))).item());
    CHECK(difference(la::sqrtm(far), tx::tensor<double, tx::shape<2, 2>>{{1e-6, 0}, {0, 1e6}}, 1e-12) == "");
    tx::tensor<double, tx::shape<2, 2, 2>> const batch{{{4, 1}, {0, 9}}, {{1, 0}, {0, 1e8}}};
    auto const roots = la::sqrtm(batch);
    CHECK(difference(tx::matmul(roots, roots), batch, 1e-12, 1e-12) == "");
}
TEST_CASE("sqrtm: of symmetric matrices, singular ones, too") {
    matrix const s = tx::matmul(tx::transpose(a), a);
    constexpr auto root = [](auto x) { return la::sqrtm(x, la::symmetric); };
    check_in_all_forms(root, la::sqrtm(s), 1e-12, 1e-12, s);
    tx::tensor<double, tx::shape<2, 2>> const singular{{1, 1}, {1, 1}};
    CHECK(difference(la::sqrtm(singular, la::symmetric), singular / std::sqrt(2.0), 1e-7, 1e-7) == "");
    tx::check_gradients([](auto x) { return tx::sum(tx::sin(la::sqrtm(tx::matmul(tx::transpose(x), x), la::symmetric))); }, a);
    // Equal eigenvalues have no derivatives of vectors, but the root has: d sqrt(1 + e) = e / 2.
    auto const slope = tx::grad([](auto x) { return tx::sum(la::sqrtm(x, la::symmetric)); })(tx::eye<double>(tx::shape<2, 2>{}));
    CHECK(difference(slope, tx::full<double>(tx::shape<2, 2>{}, 0.5), 1e-14) == "");
}
TEST_CASE("sqrtm: derivatives") { tx::check_gradients([](auto x) { return tx::sum(tx::sin(la::sqrtm(x))); }, a); }
TEST_CASE("logm: scipy.linalg.logm") {
    check_in_all_forms(logm, matrix{{0.25218895137508573, 1.5709386673431311, -0.347109659024638}, {-0.280329383542703, 0.4228113632098176, 0.8355915274578911}, {0.03991047015507887, -0.6166457962269044, 0.9284195255236325}}, 1e-12, 1e-13, a);
    CHECK(difference(logm(tx::matmul(a, tx::matmul(a, a))), matrix{{0.7565668541252586, 4.712816002029394, -1.041328977073916}, {-0.84098815062811, 1.2684340896294513, 2.50677458237368}, {0.11973141046523489, -1.8499373886807176, 2.7852585765709086}}, 1e-11, 1e-12) == "");
    CHECK(difference(la::logm(tx::cast<float>(a)), logm(a), 1e-4, 1e-5) == "");
    CHECK(difference(la::expm(logm(a)), a, 1e-13, 1e-13) == "");
    CHECK(tx::any(tx::isnan(la::logm(tx::tensor<double, tx::shape<2, 2>>{{-1, 0}, {0, 4}}))).item());
    tx::tensor<double, tx::shape<2, 2>> const far{{1e-12, 0}, {0, 1e12}};
    CHECK(difference(la::logm(far), tx::tensor<double, tx::shape<2, 2>>{{-27.631021115928547, 0}, {0, 27.631021115928547}}, 1e-12, 1e-12) == "");
}
TEST_CASE("logm: derivatives") { tx::check_gradients([](auto x) { return tx::sum(tx::sin(la::logm(x))); }, a); }
