// This file tests transforms that the compiler traces, and a gradient.
#include <tracexpr/fft.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <complex>

using vec = tx::tensor<double, tx::shape<4>>;
static_assert(tx::detail::built_problem<tx::detail::fourier_builder<tx::detail::fourier_way::fft, 1, std::integer_sequence<std::int64_t, -1>>, vec>);

TEST_CASE("static functions of transforms") {
    vec const x{1, -2, 3, 0.5};
    constexpr auto filtered = [](auto a) { return tx::fft::irfft<4>(tx::fft::rfft(a) * 2.0); };
    CHECK(tx::allclose(tx::static_function{filtered}(x), x * 2.0));
    constexpr auto energy = [](auto a) { return tx::sum(tx::square(tx::fft::irfft(tx::fft::rfft(a)))); };
    CHECK(tx::allclose(tx::static_function{tx::grad(energy)}(x), x * 2.0));
}
