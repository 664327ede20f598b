// This file tests initial value problems against closed forms.
#include <tracexpr/matrices.hpp>

#include <family_checks.hpp>

#include <cmath>

namespace {

using tx::testing::difference;
using vec = tx::tensor<double, tx::shape<2>>;
using times = tx::tensor<double, tx::shape<4>>;
times const t{0, 0.5, 1, 4};
vec const start{1, 0};
constexpr auto oscillate = [](auto const& y, auto const&, auto const& rate) {
    auto const x = tx::slice(y, tx::at<0>), v = tx::slice(y, tx::at<1>);
    return tx::stack(tx::axis<0>, v, x * (rate * -rate));
};

} // namespace

TEST_CASE("ode: an oscillator, at once, traced and under vmap") {
    constexpr auto f = [](auto y, auto at, auto rate) { return tx::ode(oscillate, y, at, rate); };
    tx::tensor<double, tx::shape<>> const rate(2.0);
    tx::tensor<double, tx::shape<4, 2>> const wanted{{1.0, -0.0}, {0.5403023058681398, -1.682941969615793}, {-0.4161468365471424, -1.8185948536513634}, {-0.14550003380861354, -1.9787164932467636}};
    CHECK(difference(f(start, t, rate), wanted, 1e-6, 1e-6) == "");
    CHECK(difference(tx::function{f}(start, t, rate), wanted, 1e-6, 1e-6) == "");
    auto const loose = tx::ode(tx::ode_options{.relative = 1e-3, .absolute = 1e-3}, oscillate, start, t, rate);
    CHECK(difference(loose, wanted, 1e-2, 1e-2) == "");
    CHECK(difference(loose, wanted, 1e-7, 1e-7) != "");
}
TEST_CASE("ode: the time in the slope, and derivatives with respect to start and arguments") {
    // y' = -rate y t: y = y0 exp(-rate t^2 / 2)
    constexpr auto f = [](auto y, auto rate) {
        auto const all = tx::ode([](auto const& x, auto const& at, auto const& r) { return x * (at * -r); }, y, tx::tensor<double, tx::shape<3>>{0, 1, 2}, rate);
        return tx::sum(tx::slice(all, tx::at<2>));
    };
    tx::tensor<double, tx::shape<1>> const y0{3};
    tx::tensor<double, tx::shape<>> const rate(0.5);
    CHECK(std::abs(f(y0, rate).item() - 3 * std::exp(-1.0)) < 1e-7);
    auto const slopes = tx::grad<0, 1>(f)(y0, rate);
    CHECK(std::abs(std::get<0>(slopes)(0) - std::exp(-1.0)) < 1e-6);
    CHECK(std::abs(std::get<1>(slopes).item() + 3 * 2 * std::exp(-1.0)) < 1e-6);
}
