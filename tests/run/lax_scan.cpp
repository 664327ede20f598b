// This file tests what JAX's tests/lax_control_flow_test.py asks of scan. Expected numbers are JAX's, in float64.
#include <run/ways_to_run.hpp>

using tx::shape;
using tx::tensor;
using tx::testing::in_every_way;
using tx::testing::in_run_time_ways;
using tx::testing::near;
using single = tensor<double, shape<>>;
using three = tensor<double, shape<3>>;
using four = tensor<double, shape<4>>;
using rows = tensor<double, shape<5, 3>>;

namespace {

// testScanImpl: d is used from around.
constexpr auto with_d = [](auto d, auto c, auto as) {
    return tx::scan(
        [d](auto state, auto a) {
            auto const b = tx::cos(tx::sum(tx::sin(a)) + tx::sum(tx::cos(state)) + tx::sum(tx::tan(d)));
            return std::pair(tx::sin(state * b), b);
        },
        c, as);
};
three const d{0.2, -0.1, 0.4};
four const c{0.5, -0.3, 0.8, 0.1};
rows const as = tx::reshape<5, 3>(tx::sin(tx::arange<double>(15)));

} // namespace

TEST_CASE("scan: carry, xs and what is around") {
    in_every_way(with_d, [](auto const& f) {
        auto const [end, bs] = f(d, c, as);
        four state = c;
        for (int i = 0; i < 5; ++i) {
            double at = 0;
            for (int k = 0; k < 3; ++k) at += std::sin(as(i, k)) + std::tan(d(k));
            for (int k = 0; k < 4; ++k) at += std::cos(state(k));
            double const b = std::cos(at);
            CHECK(bs(i) == doctest::Approx(b).epsilon(1e-12));
            state = tx::sin(state * b);
        }
        CHECK(near(end, state, 1e-12));
    });
}

TEST_CASE("scan: derivatives in both modes, of first and second order") { // testScanJVP, testScanGrad, testScanLinearize
    tx::check_gradients<2>(with_d, d, c, as);
    auto const loss = [](auto dd, auto cc, auto aa) {
        auto const [end, bs] = with_d(dd, cc, aa);
        return tx::sum(end) + tx::sum(bs);
    };
    in_run_time_ways(tx::grad<0, 1, 2>(loss), [](auto const& g) {
        auto const [dd, dc, da] = g(d, c, as);
        CHECK(near(dd, three{2.5331627029318704, 2.457674966349293, 2.868120950578278}));
        CHECK(near(dc, four{-0.27092385264006064, 0.49250868998819125, -0.4437305273713132, 0.1073557038301007}));
        CHECK(near(tx::slice(da, tx::at<3>), three{0.29989521972693095, 0.28004785025101375, 0.1768428374006325}));
    });
    in_run_time_ways(tx::hessian(loss), [](auto const& h) {
        auto const hessian = h(d, c, as);
        CHECK(near(tx::slice(hessian, tx::at<1>), three{-0.16460048983718611, -0.6528754521891702, -0.186365491972182}));
        CHECK(near(hessian, tx::matrix_transpose(hessian)));
    });
    auto const [value, along] = tx::linearize(loss)(d, c, as);
    CHECK(near(along(tx::ones_like(d), c * 0, as * 0), single(7.858958619859441)));
    CHECK(near(value, loss(d, c, as)));
}
