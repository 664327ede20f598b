// This file tests modified and plain Bessel functions: values, limits at 0 and infinity, derivatives.
#include <tracexpr/special.hpp>

#include <family_checks.hpp>

#include <limits>

using tx::testing::difference;

namespace {
[[maybe_unused]] constexpr double inf = std::numeric_limits<double>::infinity(), undefined = std::numeric_limits<double>::quiet_NaN();
template <int N> using vec = tx::tensor<double, tx::shape<N>>;
// Values, and those of float, which are computed in double but for the simplest functions.
template <class F, class W, class... A> void check_values(F f, W const& wanted, double relative, double absolute, A const&... a) {
    CHECK(difference(f(a...), wanted, relative, absolute) == "");
    auto const narrow = f(tx::cast<float>(a)...);
    static_assert(std::is_same_v<typename decltype(narrow)::value_type, float>);
    auto const again = f(tx::cast<double>(tx::cast<float>(a))...);
    CHECK(difference(narrow, tx::cast<float>(again), 3e-7, 1e-37) == "");
}
} // namespace

TEST_CASE("i0: values") { // mpmath, 60 digits
    vec<17> const x{-20, -8, -0.001, 0, 1e-300, 1e-05, 0.5, 1, 1.9, 2.1, 4.9, 5.1, 7.9, 8.1, 20, 100, 700};
    vec<17> const y{43558282.559553534, 427.5641157218048, 1.0000002500000156, 1, 1, 1.000000000025, 1.0634833707413236, 1.2660658777520084,
        2.127740194053888, 2.4462831294361824, 24.914779075837764, 29.788855440238837, 389.406283282158, 469.5006067101215, 43558282.559553534,
        1.0737517071310738e+42, 1.5295933476718737e+302};
    check_values([](auto const& p) { return tx::special::i0(p); }, y, 1e-15, 0, x);
}

TEST_CASE("i0e: values") { // mpmath, 60 digits
    vec<17> const x{-20, -8, -0.001, 0, 1e-300, 1e-05, 0.5, 1, 1.9, 2.1, 4.9, 5.1, 7.9, 8.1, 20, 100, 700};
    vec<17> const y{0.08978031188482602, 0.14343178185685032, 0.9990007495835156, 1, 1, 0.9999900000749996, 0.6450352704491501, 0.46575960759364043,
        0.31824316288914156, 0.2995630945262819, 0.1855299720819534, 0.18161510209591797, 0.14436986414104191, 0.14251180948829528, 0.08978031188482602,
        0.03994437929909668, 0.015081295651531358};
    check_values([](auto const& p) { return tx::special::i0e(p); }, y, 1e-15, 0, x);
}

TEST_CASE("i1: values") { // mpmath, 60 digits
    vec<17> const x{-20, -8, -0.001, 0, 1e-300, 1e-05, 0.5, 1, 1.9, 2.1, 4.9, 5.1, 7.9, 8.1, 20, 100, 700};
    vec<17> const y{-42454973.38512777, -399.8731367825601, -0.0005000000625000026, 0, 5e-301, 5.0000000000625004e-06, 0.2578943053908963,
        0.565159103992485, 1.4482443730548888, 1.7454998088361062, 22.199348620092497, 26.68043567947711, 363.8539440845084, 439.48430891035844,
        42454973.38512777, 1.0683693903381625e+42, 1.5285003902339006e+302};
    check_values([](auto const& p) { return tx::special::i1(p); }, y, 1e-15, 0, x);
}

TEST_CASE("i1e: values") { // mpmath, 60 digits
    vec<17> const x{-20, -8, -0.001, 0, 1e-300, 1e-05, 0.5, 1, 1.9, 2.1, 4.9, 5.1, 7.9, 8.1, 20, 100, 700};
    vec<17> const y{-0.08750622218328867, -0.13414249329269817, -0.0004995003123542213, 0, 5e-301, 4.999950000312499e-06, 0.1564208031848717,
        0.20791041534970844, 0.21661191117477052, 0.21374767210633228, 0.16530929361992835, 0.16266385459531296, 0.13489649943989376,
        0.13340068832583662, 0.08750622218328867, 0.03974415302513025, 0.015070519444716848};
    check_values([](auto const& p) { return tx::special::i1e(p); }, y, 1e-15, 0, x);
}

TEST_CASE("k0: values") { // mpmath, 60 digits
    vec<13> const x{1e-300, 1e-05, 0.5, 1, 1.9, 2.1, 4.9, 5.1, 7.9, 8.1, 20, 100, 700};
    vec<13> const y{690.8914594138721, 11.628856980944363, 0.9244190712276659, 0.42102443824070834, 0.1288459792760475, 0.10078374088996693,
        0.004118936235515887, 0.0033083102180174657, 0.0001628676676876532, 0.00013173427864935836, 5.741237815336525e-10, 4.656628229175902e-45,
        4.669776431685377e-306};
    check_values([](auto const& p) { return tx::special::k0(p); }, y, 1e-15, 0, x);
}

TEST_CASE("k0e: values") { // mpmath, 60 digits
    vec<13> const x{1e-300, 1e-05, 0.5, 1, 1.9, 2.1, 4.9, 5.1, 7.9, 8.1, 20, 100, 700};
    vec<13> const y{690.8914594138721, 11.628973270095617, 1.5241093857739094, 1.144463079806895, 0.8614506167517558, 0.8230171525316621,
        0.5531310396037262, 0.5426353518989783, 0.4393000819002152, 0.4339943754308567, 0.27854487665718225, 0.12517562165912657, 0.04736236945461357};
    check_values([](auto const& p) { return tx::special::k0e(p); }, y, 1e-15, 0, x);
}

TEST_CASE("k1: values") { // mpmath, 60 digits
    vec<13> const x{1e-300, 1e-05, 0.5, 1, 1.9, 2.1, 4.9, 5.1, 7.9, 8.1, 20, 100, 700};
    vec<13> const y{9.999999999999999e+299, 99999.99993935571, 1.656441120003301, 0.6019072301972346, 0.15966015303266762, 0.12274641153350789,
        0.0045211691772998365, 0.0036191814623178, 0.00017288430649238984, 0.00013964122894503082, 5.883057969557038e-10, 4.6798537356369095e-45,
        4.6731107967079664e-306};
    check_values([](auto const& p) { return tx::special::k1(p); }, y, 1e-15, 0, x);
}

TEST_CASE("k1e: values") { // mpmath, 60 digits
    vec<13> const x{1e-300, 1e-05, 0.5, 1, 1.9, 2.1, 4.9, 5.1, 7.9, 8.1, 20, 100, 700};
    vec<13> const y{9.999999999999999e+299, 100000.99994435512, 2.731009708211786, 1.6361534862632583, 1.0674709298145701, 1.0023680527405792,
        0.6071468127379163, 0.5936250463138127, 0.4663177847368799, 0.4600435707528057, 0.28542549694072644, 0.12579995047957854, 0.04739618765349454};
    check_values([](auto const& p) { return tx::special::k1e(p); }, y, 1e-15, 0, x);
}

TEST_CASE("j0: values") { // mpmath, 60 digits
    vec<20> const x{-20, -2.404825557695773, -0.001, 0, 1e-300, 1e-05, 0.5, 1, 1.9, 2.1, 4.9, 5.1, 7.9, 8.1, 20, 100, 2.5, 3.8, 1000000, 1000000000000000};
    vec<20> const y{0.16702466434058316, -6.10876525973673e-17, 0.9999997500000156, 1, 1, 0.999999999975, 0.9384698072408129, 0.7651976865579666,
        0.28181855937438555, 0.16660698033199028, -0.2097383275853262, -0.14433474706050065, 0.19436184484127825, 0.14751745404437766,
        0.16702466434058316, 0.019985850304223122, -0.048383776468198, -0.4025564101785642, 0.00033104301373987376, 6.156638646885021e-09};
    check_values([](auto const& p) { return tx::special::j0(p); }, y, 2e-15, 1e-16, x);
}

TEST_CASE("j1: values") { // mpmath, 60 digits
    vec<20> const x{-20, -2.404825557695773, -0.001, 0, 1e-300, 1e-05, 0.5, 1, 1.9, 2.1, 4.9, 5.1, 7.9, 8.1, 20, 100, 2.5, 3.8, 1000000, 1000000000000000};
    vec<20> const y{-0.06683312417585005, -0.5191474972894667, -0.0004999999375000026, 0, 5e-301, 4.9999999999375e-06, 0.2422684576748739,
        0.4400505857449335, 0.5811570727134341, 0.5682921357570386, -0.31469467101519066, -0.3370972020182318, 0.2191793999217512, 0.24760776698159287,
        0.06683312417585005, -0.07714535201411216, 0.49709410246427405, 0.0128210029267317, -0.000725968356813763, 2.4468665123771328e-08};
    check_values([](auto const& p) { return tx::special::j1(p); }, y, 2e-15, 1e-16, x);
}

TEST_CASE("y0: values") { // mpmath, 60 digits
    vec<17> const x{1e-300, 1e-05, 0.5, 1, 1.9, 2.1, 4.9, 5.1, 7.9, 8.1, 20, 100, 0.9, 2.2, 3.9, 1000000, 1000000000000000};
    vec<17> const y{-439.8351636227653, -7.40316028370197, -0.44451873350670656, 0.08825696421567696, 0.4968199712838202, 0.5182937375137607,
        -0.2920545942440142, -0.3216024491248594, 0.20652094814437577, 0.23809132870223482, 0.06264059680938383, -0.07724431336508315,
        0.005628306635205559, 0.5207842853880227, 0.023375908198718962, -0.0007259685223351791, 2.4468665123771324e-08};
    check_values([](auto const& p) { return tx::special::y0(p); }, y, 4e-15, 3e-16, x);
}

TEST_CASE("y1: values") { // mpmath, 60 digits
    vec<17> const x{1e-300, 1e-05, 0.5, 1, 1.9, 2.1, 4.9, 5.1, 7.9, 8.1, 20, 100, 0.9, 2.2, 3.9, 1000000, 1000000000000000};
    vec<17> const y{-6.366197723675813e+299, -63661.97727536548, -1.471472392670243, -0.7812128213002887, -0.1644057723315953, -0.05167861213042353,
        0.18124669204504856, 0.11373644197749973, -0.18172107728057313, -0.13314879595249593, -0.1655116143625213, -0.020372312002759792,
        -0.8731265824563288, 0.0014877892897633682, 0.4078200195265379, -0.00033104337672417626, -6.15663864688501e-09};
    check_values([](auto const& p) { return tx::special::y1(p); }, y, 4e-15, 3e-16, x);
}

TEST_CASE("i0: special values") { // scipy.special.i0
    vec<4> const x{inf, -inf, undefined, 0};
    vec<4> const y{inf, inf, undefined, 1};
    CHECK(difference(tx::special::i0(x), y, 4e-15) == "");
}

TEST_CASE("i1: special values") { // scipy.special.i1
    vec<4> const x{inf, -inf, undefined, 0};
    vec<4> const y{inf, -inf, undefined, 0};
    CHECK(difference(tx::special::i1(x), y, 4e-15) == "");
}

TEST_CASE("i0e: special values") { // scipy.special.i0e
    vec<3> const x{inf, -inf, undefined};
    vec<3> const y{0, 0, undefined};
    CHECK(difference(tx::special::i0e(x), y, 4e-15) == "");
}

TEST_CASE("i1e: special values") { // scipy.special.i1e
    vec<3> const x{inf, -inf, undefined};
    vec<3> const y{0, 0, undefined};
    CHECK(difference(tx::special::i1e(x), y, 4e-15) == "");
}

TEST_CASE("k0: special values") { // scipy.special.k0
    vec<5> const x{0, -1, inf, undefined, 800};
    vec<5> const y{inf, undefined, 0, undefined, 0};
    CHECK(difference(tx::special::k0(x), y, 4e-15) == "");
}

TEST_CASE("k1: special values") { // scipy.special.k1
    vec<4> const x{0, -1, inf, undefined};
    vec<4> const y{inf, undefined, 0, undefined};
    CHECK(difference(tx::special::k1(x), y, 4e-15) == "");
}

TEST_CASE("k0e: special values") { // scipy.special.k0e
    vec<3> const x{0, -1, inf};
    vec<3> const y{inf, undefined, 0};
    CHECK(difference(tx::special::k0e(x), y, 4e-15) == "");
}

TEST_CASE("k1e: special values") { // scipy.special.k1e
    vec<3> const x{0, -1, inf};
    vec<3> const y{inf, undefined, 0};
    CHECK(difference(tx::special::k1e(x), y, 4e-15) == "");
}

TEST_CASE("j0: special values") { // scipy.special.j0
    vec<4> const x{inf, -inf, undefined, 0};
    vec<4> const y{0, 0, undefined, 1};
    CHECK(difference(tx::special::j0(x), y, 4e-15) == "");
}

TEST_CASE("j1: special values") { // scipy.special.j1
    vec<4> const x{inf, -inf, undefined, 0};
    vec<4> const y{0, 0, undefined, 0};
    CHECK(difference(tx::special::j1(x), y, 4e-15) == "");
}

TEST_CASE("y0: special values") { // scipy.special.y0
    vec<4> const x{0, -1, inf, undefined};
    vec<4> const y{-inf, undefined, 0, undefined};
    CHECK(difference(tx::special::y0(x), y, 4e-15) == "");
}

TEST_CASE("y1: special values") { // scipy.special.y1
    vec<4> const x{0, -1, inf, undefined};
    vec<4> const y{-inf, undefined, 0, undefined};
    CHECK(difference(tx::special::y1(x), y, 4e-15) == "");
}
