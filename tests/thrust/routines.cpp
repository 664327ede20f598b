// This file tests ops whose kernels come with the header of a family, on a device: the host's kernel runs them between steps of
// the device.
#include <tracexpr/conv.hpp>
#include <tracexpr/thrust.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

namespace {
tx::tensor<double, tx::shape<2, 6, 3>> const x = tx::reshape<2, 6, 3>(tx::sin(tx::arange<double, 36>()));
tx::tensor<double, tx::shape<2, 3, 4>> const w = tx::reshape<2, 3, 4>(tx::cos(tx::arange<double, 24>()));
constexpr auto layer = [](auto p, auto q) { return tx::relu(tx::conv(p * 2.0, q, tx::mode::same) + 0.5); };
} // namespace

TEST_CASE("thrust: a convolution of a static function, and its derivative") {
    auto const on_device = tx::on(tx::thrust_device{}, tx::static_function{layer});
    CHECK(tx::allclose(on_device(x, w), layer(x, w)));
    static constexpr auto energy = [](auto p, auto q) { return tx::sum(tx::square(layer(p, q))); };
    auto const [dx, dw] = tx::on(tx::thrust_device{}, tx::grad<0, 1>(energy))(x, w);
    auto const [ex, ew] = tx::grad<0, 1>(energy)(x, w);
    CHECK(tx::allclose(dx, ex));
    CHECK(tx::allclose(dw, ew));
}
TEST_CASE("thrust: a convolution of a function that only the run traces") {
    double const shift = 0.25;
    auto const f = [=](auto p, auto q) { return layer(p, q) + shift; };
    CHECK(tx::allclose(tx::on(tx::thrust_device{}, f)(x, w), layer(x, w) + shift));
    tx::tensor<double> const open = x;
    CHECK(tx::allclose(tx::to(tx::cpu{}, tx::on(tx::thrust_device{}, f)(open, w)), layer(x, w) + shift));
}
