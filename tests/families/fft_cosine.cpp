// This file tests cosine and sine transforms against scipy.fft, and their inverses.
#include <tracexpr/fft.hpp>

#include <family_checks.hpp>

#include <doctest/doctest.h>

using namespace tx::testing;

namespace {
using five = tx::tensor<double, tx::shape<5>>;
using four = tx::tensor<double, tx::shape<4>>;
five const y{1, -2, 3, 0.5, 4};
four const x{1, -2, 3, 0.5};
template <int N> constexpr auto dct = [](auto a) { return tx::fft::dct(a, tx::fft::type<N>); };
template <int N> constexpr auto dst = [](auto a) { return tx::fft::dst(a, tx::fft::type<N>); };
} // namespace

TEST_CASE("dct") { // scipy.fft.dct(y, type)
    check_in_all_forms(dct<1>, five{8, -6.535533905932738, -1, 0.5355339059327378, 14}, 1e-14, 1e-14, y);
    check_in_all_forms(dct<2>, five{13, -8.645265359233287, 3.017220926874316, 1.2285710677209298, 11.517220926874314}, 1e-14,
                       1e-14, y);
    check_in_all_forms(dct<3>, five{5.109797108361123, -10.628435446714308, 3, -4.024040395784217, 11.542678734137406}, 1e-14,
                       1e-14, y);
    check_in_all_forms(dct<4>,
                       five{4.3594574916174835, -7.705977837414984, 6.3639610306789285, 2.1297573205122173, 13.381971816730669},
                       1e-14, 1e-14, y);
}
TEST_CASE("dct of an even number") {
    check_in_all_forms(dct<2>, four{5, -2.902954791139611, 0.7071067811865475, 9.621478757477956}, 1e-14, 1e-14, x);
    check_in_all_forms(dct<3>, four{1.9298059894392279, -5.69725394909093, -0.7880274251476389, 8.555475384799342}, 1e-14, 1e-14,
                       x);
    CHECK(difference(dct<1>(x), four{3.5, -4.5, 0.5, 10.5}, 1e-14, 1e-14) == "");
    CHECK(difference(dct<4>(x), four{2.1642038317300214, -3.9969814027693813, 7.0362931320514415, 6.620493969522707}, 1e-14,
                     1e-14) == "");
}
TEST_CASE("dst") { // scipy.fft.dst(y, type)
    check_in_all_forms(dst<1>, five{8.401923788646684, -9.526279441628825, 4, -0.8660254037844393, 13.598076211353316}, 1e-14,
                       1e-14, y);
    check_in_all_forms(dst<2>, five{6.663118960624632, -8.281994095230605, 1.1631189606246308, -2.767412836308556, 19}, 1e-14,
                       1e-14, y);
    check_in_all_forms(dst<3>, five{8.07205146212484, -4.919875362473508, 0, 3.8641472724726666, 10.872220447874319}, 1e-14,
                       1e-14, y);
    check_in_all_forms(dst<4>,
                       five{11.532060867191031, -6.084618334329345, -0.7071067811865476, -4.479125435902862, 10.579528685645332},
                       1e-14, 1e-14, y);
    CHECK(difference(dst<2>(x), four{2.9958093621178428, -6.363961030678928, 2.0062717328036808, 11}, 1e-14, 1e-14) == "");
}
TEST_CASE("dct, dst: ortho") { // norm='ortho'
    auto const of = [](auto type, auto const& a) { return tx::fft::dct(a, type, tx::fft::ortho); };
    CHECK(difference(of(tx::fft::type<1>, y), five{2.517766952966369, -2.75, 0.37867965644035756, -0.25, 4.01776695296637}, 1e-14,
                     1e-14) == "");
    CHECK(difference(of(tx::fft::type<2>, y),
                     five{2.906888370749727, -2.7338729511730984, 0.9541290332847181, 0.38850828413831096, 3.6420650444278406},
                     1e-14, 1e-14) == "");
    CHECK(difference(of(tx::fft::type<3>, y),
                     five{1.7468455538594563, -3.2300205680855187, 1.0796691275336334, -1.141527475237235, 3.781101339429455},
                     1e-14, 1e-14) == "");
    CHECK(difference(of(tx::fft::type<4>, y),
                     five{1.3785815036195648, -2.436844156501005, 2.012461179749811, 0.6734883996235852, 4.231751052505025},
                     1e-14, 1e-14) == "");
    CHECK(difference(tx::fft::dst(y, tx::fft::ortho),
                     five{2.107063223622762, -2.618996490899417, 0.3678105105301537, -0.8751327788721757, 4.248529157249601},
                     1e-14, 1e-14) == "");
    CHECK(difference(tx::fft::dst(y, tx::fft::type<3>, tx::fft::ortho),
                     five{3.0765501189731688, -2.0797445128887584, 0.5239433179324796, 0.6980073416016088, 3.9620413018063614},
                     1e-14, 1e-14) == "");
    CHECK(difference(tx::fft::dst(y, tx::fft::type<1>, tx::fft::ortho),
                     five{2.4254264805429417, -2.75, 1.1547005383792515, -0.25, 3.9254264805429413}, 1e-14, 1e-14) == "");
}
TEST_CASE("idct, idst: inverses") {
    auto const inverts = [&](auto type, auto... norm) {
        CHECK(difference(tx::fft::idct(tx::fft::dct(y, type, norm...), type, norm...), y, 1e-14, 1e-14) == "");
        CHECK(difference(tx::fft::idst(tx::fft::dst(x, type, norm...), type, norm...), x, 1e-14, 1e-14) == "");
    };
    inverts(tx::fft::type<1>), inverts(tx::fft::type<2>), inverts(tx::fft::type<3>), inverts(tx::fft::type<4>);
    inverts(tx::fft::type<1>, tx::fft::ortho), inverts(tx::fft::type<3>, tx::fft::ortho),
        inverts(tx::fft::type<2>, tx::fft::forward);
}
TEST_CASE("dct: extents, axes, dtypes, gradients") {
    CHECK(difference(tx::fft::dct<5>(x), tx::fft::dct(five{1, -2, 3, 0.5, 0}), 1e-15, 1e-15) == "");
    CHECK(difference(tx::fft::dct(tx::reshape(x, tx::shape<4, 1>{}), tx::axis<0>),
                     tx::reshape(tx::fft::dct(x), tx::shape<4, 1>{}), 1e-15, 1e-15) == "");
    static_assert(std::is_same_v<decltype(tx::fft::dct(tx::cast<tx::half>(x)))::value_type, tx::half>);
    CHECK(difference(tx::fft::dct(tx::tensor<float, tx::shape<1>>{3}), tx::tensor<float, tx::shape<1>>{6}, 1e-6) == "");
    CHECK(difference(tx::fft::dct(tx::tensor<double, tx::shape<2>>{3, 1}),
                     tx::tensor<double, tx::shape<2>>{8, 2.8284271247461903}, 1e-15) == "");
    tx::check_gradients([](auto a) { return tx::sum(tx::square(tx::fft::dct(a) * tx::fft::dst(a, tx::fft::type<4>))); }, x);
    tx::check_gradients([](auto a) { return tx::sum(tx::square(tx::fft::dct(a, tx::fft::type<3>, tx::fft::ortho))); }, y);
}
