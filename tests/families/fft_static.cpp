// Transforms that the compiler traces, and a gradient.
#include <tracexpr/fft.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <complex>

using vec = tx::tensor<double, tx::shape<4>>;

TEST_CASE("static functions of transforms") {
    vec const x{1, -2, 3, 0.5};
    constexpr auto filtered = [](auto a) { return tx::fft::irfft<4>(tx::fft::rfft(a) * 2.0); };
    CHECK(tx::allclose(tx::static_function{filtered}(x), x * 2.0));
    constexpr auto energy = [](auto a) { return tx::sum(tx::square(tx::fft::irfft(tx::fft::rfft(a)))); };
    CHECK(tx::allclose(tx::static_function{tx::grad(energy)}(x), x * 2.0));
}
