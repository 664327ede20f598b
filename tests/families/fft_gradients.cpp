// This file tests derivatives of tx::fft: of real losses, with respect to real and complex numbers.
#include <tracexpr/fft.hpp>

#include <family_checks.hpp>

#include <doctest/doctest.h>

using namespace tx::testing;
using z = std::complex<double>;

namespace {
tx::tensor<double, tx::shape<5>> const x{1, -2, 3, 0.5, 0.25};
tx::tensor<double, tx::shape<2, 4>> const m{{1, -2, 3, 0.5}, {0.25, 1, -1, 2}};
tx::tensor<z, tx::shape<3>> const c{z(1, 0.5), z(-2, 1), z(0.5, -0.25)};
constexpr auto size = [](auto y) { return tx::sum(tx::square(tx::real(y))) + 0.5 * tx::sum(tx::real(y) * tx::imag(y)); };
} // namespace

TEST_CASE("gradients of transforms of real numbers") {
    tx::check_gradients([](auto a) { return size(tx::fft::fft(a)); }, x);
    tx::check_gradients([](auto a) { return size(tx::fft::rfft(a)); }, x);
    tx::check_gradients([](auto a) { return size(tx::fft::rfft(a, tx::axis<0>, tx::fft::ortho)); }, m);
    tx::check_gradients([](auto a) { return size(tx::fft::rfft2(a)); }, m);
    tx::check_gradients([](auto a) { return size(tx::fft::ihfft<4>(a)); }, x);
}
TEST_CASE("gradients of transforms back to real numbers") {
    tx::check_gradients([](auto a) { return tx::sum(tx::square(tx::fft::irfft(tx::fft::rfft(a) * z(0.5, 1)))); }, m);
    tx::check_gradients([](auto a) { return tx::sum(tx::square(tx::fft::irfft<5>(tx::fft::rfft(a) * z(0.5, 1)))); }, x);
    tx::check_gradients([](auto a) { return tx::sum(tx::square(tx::fft::hfft(tx::fft::rfft(a)))); }, x);
}
TEST_CASE("gradients with respect to complex numbers: that of |z|^2 is 2 z") {
    // The sum of |F c|^2 is n times that of |c|^2, whose gradient is 2 n c.
    auto const gradient = tx::grad([](auto a) {
        auto const y = tx::fft::fft(a);
        return tx::sum(tx::square(tx::real(y)) + tx::square(tx::imag(y)));
    })(c);
    CHECK(difference(gradient, c * 6.0, 1e-14, 1e-14) == "");
}
