// This file tests derivatives of Bessel functions, also at 0.
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

TEST_CASE("Bessel functions: derivatives of order 1 and 2") {
    vec<4> const x{0.7, 2.5, 6.3, 11};
    tx::check_gradients([](auto p) { return std::tuple(tx::special::i0(p), tx::special::i0e(p), tx::special::i1(p), tx::special::i1e(p), tx::special::k0(p), tx::special::k0e(p), tx::special::k1(p), tx::special::k1e(p), tx::special::j0(p), tx::special::j1(p), tx::special::y0(p), tx::special::y1(p)); }, x);
}

TEST_CASE("i1, j1 and their scaled form have the slope 1 / 2 at 0, and no curvature") {
    auto const slope = [](auto f, double at) { return tx::grad(f)(tx::tensor<double, tx::shape<>>(at)).item(); };
    auto const i1 = [](auto x) { return tx::special::i1(x); };
    auto const j1 = [](auto x) { return tx::special::j1(x); };
    CHECK(slope(i1, 0) == 0.5);
    CHECK(slope(j1, 0) == 0.5);
    CHECK(slope([](auto x) { return tx::special::j0(x); }, 0) == 0);
    CHECK(slope(tx::grad(i1), 0) == 0);
    CHECK(slope(tx::grad(j1), 0) == 0);
}
