// This file tests the kernels of tx::fft against the definition: many lengths, all layouts of batches, both precisions.
#include <families/fft_helper.hpp>

#include <tracexpr/fft.hpp>

#include <doctest/doctest.h>

using namespace tx::testing;

namespace {

template <class T> void check(std::int64_t outer, std::int64_t n, std::int64_t inner) {
    CAPTURE(outer);
    CAPTURE(n);
    CAPTURE(inner);
    double const bound = sizeof(T) == 8 ? 1.2e-15 : 6e-7;
    using complex = std::complex<T>;
    auto const numbers = some_numbers<T>(outer * n * inner);
    tx::tensor<complex, tx::shape<tx::dyn, tx::dyn, tx::dyn>> x(outer, n, inner);
    tx::tensor<T, tx::shape<tx::dyn, tx::dyn, tx::dyn>> r(outer, n, inner);
    std::vector<complex> reals;
    for (std::int64_t i = 0; i < x.size(); ++i) {
        auto const z = numbers[static_cast<std::size_t>(i)];
        x.mutable_data()[i] = z, r.mutable_data()[i] = z.real();
        reals.push_back(z.real());
    }
    auto const forward = tx::fft::fft(x, tx::axis<1>);
    CHECK(relative_error(forward.data(), transformed(numbers, outer, n, inner, -1).data(), x.size()) < bound);
    auto const backward = tx::fft::ifft(x, tx::axis<1>, tx::fft::forward);
    CHECK(relative_error(backward.data(), transformed(numbers, outer, n, inner, 1).data(), x.size()) < bound);
    auto const half = tx::fft::rfft(r, tx::axis<1>);
    auto const wanted = transformed(reals, outer, n, inner, -1);
    std::int64_t const m = n / 2 + 1;
    REQUIRE(half.size() == outer * m * inner);
    double worst = 0;
    for (std::int64_t o = 0; o < outer; ++o) {
        worst = std::max(worst, relative_error(half.data() + o * m * inner, wanted.data() + o * n * inner, m * inner));
    }
    CHECK(worst < bound);
}

} // namespace

TEST_CASE("fft: short lengths") {
    for (std::int64_t n = 1; n <= 40; ++n) {
        check<double>(1, n, 1), check<float>(1, n, 1);
        check<double>(9, n, 1), check<float>(19, n, 1);
        check<double>(2, n, 5), check<float>(3, n, 17);
    }
}
TEST_CASE("fft: lengths of small and of large primes") {
    for (std::int64_t const n : {64, 77, 121, 128, 169, 243, 256, 360, 512, 625, 1000, 67, 127, 134, 257}) {
        check<double>(1, n, 1), check<float>(2, n, 1);
        check<double>(1, n, 3);
    }
    check<double>(1, 1009, 1);
    check<float>(1, 1536, 1);
}
TEST_CASE("irfft gives back what rfft took, of even and odd lengths") {
    auto const round_trip = []<std::int64_t N>(std::integral_constant<std::int64_t, N>) {
        tx::tensor<double, tx::shape<5, N>> x;
        auto const numbers = some_numbers<double>(5 * N);
        for (std::int64_t i = 0; i < x.size(); ++i) x.mutable_data()[i] = numbers[static_cast<std::size_t>(i)].imag();
        auto const y = tx::fft::irfft<N>(tx::fft::rfft(x));
        CHECK(relative_error(y.data(), x.data(), x.size()) < 1e-15);
    };
    round_trip(std::integral_constant<std::int64_t, 1>{});
    round_trip(std::integral_constant<std::int64_t, 9>{});
    round_trip(std::integral_constant<std::int64_t, 64>{});
    round_trip(std::integral_constant<std::int64_t, 1000>{});
}
TEST_CASE("fft: a long transform, by its inverse and the sum of squares") {
    std::int64_t const n = std::int64_t(1) << 18;
    tx::tensor<std::complex<float>, tx::shape<tx::dyn>> x(n);
    auto const numbers = some_numbers<float>(n);
    for (std::int64_t i = 0; i < n; ++i) x.mutable_data()[i] = numbers[static_cast<std::size_t>(i)];
    auto const y = tx::fft::fft(x, tx::fft::ortho), back = tx::fft::ifft(y, tx::fft::ortho);
    CHECK(relative_error(back.data(), x.data(), n) < 1e-6);
    double before = 0, after = 0;
    for (std::int64_t i = 0; i < n; ++i)
        before += std::norm(std::complex<double>(x.data()[i])), after += std::norm(std::complex<double>(y.data()[i]));
    CHECK(after == doctest::Approx(before).epsilon(1e-6));
}
