// This file tests gammainc, gammaincc and betainc: values in each of their regions, special values, derivatives.
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

TEST_CASE("gammainc: values") { // mpmath, 60 digits
    vec<18> const a{0.001, 0.5, 0.5, 0.9, 3, 3, 15, 15, 19.9, 20, 20, 20, 60, 1000, 1000, 1000000, 1000000, 10000000000};
    vec<18> const b{0.01, 0.2, 4, 2.4, 2.6, 9, 3, 14, 20, 5, 21, 40, 40, 900, 1010, 1000000, 1002000, 10000000000};
    vec<18> const y{0.9959694030335131, 0.4729107431344619, 0.9953222650189527, 0.9246008084097456, 0.4815704240639495, 0.9937678048936227,
        6.703859112405606e-07, 0.4295632871726278, 0.5386999975329412, 3.45213582091446e-07, 0.6157372277356579, 0.9998236971022614,
        0.0018796285686450839, 0.0005499022657117829, 0.6276789447369947, 0.5001329807608725, 0.9771959041012301, 0.5000013298076014};
    check_values([](auto const& p, auto const& q) { return tx::special::gammainc(p, q); }, y, 1e-13, 0, a, b);
}

TEST_CASE("gammaincc: values") { // mpmath, 60 digits
    vec<18> const a{1e-10, 0.001, 0.5, 0.5, 0.9, 3, 3, 15, 19.9, 20, 20, 20, 60, 1000, 1000, 1000000, 1000000, 10000000000};
    vec<18> const b{1, 0.01, 0.2, 4, 2.4, 2.6, 9, 3, 20, 5, 21, 60, 90, 900, 1100, 1000000, 1002000, 10000000000};
    vec<18> const y{2.1938393441796778e-11, 0.0040305969664868446, 0.5270892568655381, 0.004677734981047266, 0.07539919159025449, 0.5184295759360504,
        0.006232195106377317, 0.9999993296140888, 0.46130000246705877, 0.999999654786418, 0.38426277226434213, 6.351918340378976e-10,
        0.0003252890109125407, 0.9994500977342882, 0.0010593232539299773, 0.4998670192391274, 0.022804095898769864, 0.4999986701923987};
    check_values([](auto const& p, auto const& q) { return tx::special::gammaincc(p, q); }, y, 1e-13, 0, a, b);
}

TEST_CASE("betainc: values") { // mpmath, 60 digits
    vec<11> const a{0.5, 0.01, 5, 20, 20, 3, 100, 1000, 10000, 30, 0.3};
    vec<11> const b{0.5, 3, 0.02, 0.5, 20, 100, 3, 1000, 2000, 2, 0.4};
    vec<11> const c{0.2, 0.4, 0.97, 0.9, 0.4, 0.01, 0.98, 0.51, 0.834, 0.5, 1e-10};
    vec<11> const y{0.2951672353008666, 0.9986256357774991, 0.03057188362089998, 0.041327483918087285, 0.10205863128940826, 0.08308898511056009,
        0.6657501705916605, 0.8144473405684886, 0.5756274368602339, 1.4901161193847656e-08, 0.0006520488727570279};
    check_values([](auto const& p, auto const& q, auto const& r) { return tx::special::betainc(p, q, r); }, y, 2e-13, 0, a, b, c);
}

TEST_CASE("gammainc: special values") { // scipy.special.gammainc
    vec<10> const a{0, 0, 1, 1, inf, inf, -1, 1, undefined, 1};
    vec<10> const b{1, 0, 0, inf, 1, inf, 1, -1, 1, undefined};
    vec<10> const y{1, undefined, 0, 1, 0, undefined, undefined, undefined, undefined, undefined};
    CHECK(difference(tx::special::gammainc(a, b), y, 4e-15) == "");
}

TEST_CASE("gammaincc: special values") { // scipy.special.gammaincc
    vec<8> const a{0, 0, 1, 1, inf, inf, -1, 1};
    vec<8> const b{1, 0, 0, inf, 1, inf, 1, -1};
    vec<8> const y{0, undefined, 1, 0, 1, undefined, undefined, undefined};
    CHECK(difference(tx::special::gammaincc(a, b), y, 4e-15) == "");
}

TEST_CASE("betainc: special values") { // scipy.special.betainc
    vec<14> const a{0, 1, 0, 1, 1, 1, 1, -1, inf, 1, inf, 0, 1, undefined};
    vec<14> const b{1, 0, 0, 2, 2, 2, 2, 1, 1, inf, inf, 1, 0, 1};
    vec<14> const c{0.5, 0.5, 0.5, 0, 1, -0.1, 1.1, 0.5, 0.5, 0.5, 0.5, 0, 1, 0.5};
    vec<14> const y{1, 0, undefined, 0, 1, undefined, undefined, undefined, 0, 1, undefined, 0, 1, undefined};
    CHECK(difference(tx::special::betainc(a, b, c), y, 4e-15) == "");
}
