// Fourier transforms, in tx::fft: of complex and real tensors along one axis or several, with NumPy's names and meanings; cosine
// and sine transforms, frequencies and windows with SciPy's. All are ops as others: eager, traced, differentiable.
#include <tracexpr/fft.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <type_traits>

using complex = std::complex<double>;
using vec = tx::tensor<double, tx::shape<4>>;
using coefficients = tx::tensor<complex, tx::shape<4>>;
using half = tx::tensor<complex, tx::shape<3>>;
using matrix = tx::tensor<double, tx::shape<2, 4>>;

TEST_CASE("fft::fft, fft::ifft") {
    vec const x{1, 0, 0, 1};
    coefficients const y = tx::fft::fft(x); // (4) -> (4)
    CHECK(tx::allclose(y, coefficients{2, complex(1, 1), 0, complex(1, -1)}));
    CHECK(tx::allclose(tx::real(tx::fft::ifft(y)), x));
    CHECK(tx::fft::fft<8>(x).size() == 8); // zeros behind
}

TEST_CASE("fft::rfft, fft::irfft") {
    half const y = tx::fft::rfft(vec{1, 0, 0, 1}); // the others are conjugates of these
    CHECK(tx::allclose(y, half{2, complex(1, 1), 0}));
    CHECK(tx::allclose(tx::fft::irfft(y), vec{1, 0, 0, 1}));
    CHECK(tx::fft::irfft<5>(y).size() == 5); // of an odd number of real ones
}

TEST_CASE("fft::hfft, fft::ihfft") {
    vec const x{6, 2, 0, 2};
    CHECK(tx::allclose(tx::fft::hfft(tx::fft::ihfft(x)), x));
}

TEST_CASE("fft::fft2, fft::ifft2, fft::rfft2, fft::irfft2") {
    matrix const x{{1, 2, 3, 4}, {5, 6, 7, 8}};
    auto const y = tx::fft::fft2(x); // along the last two axes
    CHECK(y.data()[0] == 36.0);
    CHECK(tx::allclose(tx::real(tx::fft::ifft2(y)), x));
    tx::tensor<complex, tx::shape<2, 3>> const z = tx::fft::rfft2(x);
    CHECK(tx::allclose(tx::fft::irfft2(z), x));
}

TEST_CASE("fft::fftn, fft::ifftn, fft::rfftn, fft::irfftn") {
    matrix const x{{1, 2, 3, 4}, {5, 6, 7, 8}};
    CHECK(tx::allclose(tx::fft::fftn(x), tx::fft::fft2(x))); // along all axes
    CHECK(tx::allclose(tx::real(tx::fft::ifftn(tx::fft::fftn(x, tx::axis<0>), tx::axis<0>)), x));
    CHECK(tx::allclose(tx::fft::irfftn(tx::fft::rfftn(x)), x));
}

TEST_CASE("fft::ortho, fft::forward, fft::backward") {
    vec const x{1, 0, 0, 1};
    CHECK(tx::allclose(tx::fft::fft(x, tx::fft::ortho), tx::fft::fft(x) * 0.5));    // 1 / sqrt(n) both ways
    CHECK(tx::allclose(tx::fft::fft(x, tx::fft::forward), tx::fft::fft(x) * 0.25)); // 1 / n forwards, nothing backwards
    CHECK(tx::allclose(tx::fft::ifft(x, tx::fft::backward), tx::fft::ifft(x)));     // as it is without an option
    static_assert(std::is_enum_v<tx::fft::ortho_t> && std::is_enum_v<tx::fft::forward_t> && std::is_enum_v<tx::fft::backward_t>);
}

TEST_CASE("fft::dct, fft::idct, fft::type") {
    vec const x{1, 0, 0, 1};
    vec const y = tx::fft::dct(x, tx::fft::ortho); // type 2
    CHECK(tx::allclose(y, vec{1, 0, 1, 0}));
    CHECK(tx::allclose(tx::fft::idct(y, tx::fft::ortho), x));
    CHECK(tx::allclose(tx::fft::dct(x, tx::fft::type<1>), vec{2, 0, 2, 0}));
    CHECK(std::is_same_v<std::remove_const_t<decltype(tx::fft::type<1>)>, tx::fft::type_t<1>>);
}

TEST_CASE("fft::dst, fft::idst") {
    vec const x{1, 2, 2, 1};
    CHECK(tx::allclose(tx::fft::idst(tx::fft::dst(x)), x));
}

TEST_CASE("fft::fftfreq, fft::rfftfreq") { // n samples at a distance of d
    CHECK(tx::allclose(tx::fft::fftfreq<double>(4, 0.5), vec{0, 0.5, -1, -0.5}));
    CHECK(tx::allclose(tx::fft::rfftfreq<double>(4), tx::tensor<double, tx::shape<3>>{0, 0.25, 0.5}));
}

TEST_CASE("fft::fftshift, fft::ifftshift") {
    vec const shifted = tx::fft::fftshift(vec{0, 1, -2, -1}); // 0 in the middle
    CHECK(tx::equal(shifted, vec{-2, -1, 0, 1}));
    CHECK(tx::equal(tx::fft::ifftshift(shifted), vec{0, 1, -2, -1}));
}

TEST_CASE("fft::boxcar, fft::bartlett, fft::hann, fft::hamming, fft::blackman, fft::blackmanharris, fft::cosine, fft::gaussian, fft::kaiser") {
    using five = tx::tensor<double, tx::shape<5>>;
    CHECK(tx::allclose(tx::fft::boxcar<double>(5), five{1, 1, 1, 1, 1}));
    CHECK(tx::allclose(tx::fft::bartlett<double>(5), five{0, 0.5, 1, 0.5, 0}));
    CHECK(tx::allclose(tx::fft::hann<double>(5), five{0, 0.5, 1, 0.5, 0}));
    CHECK(tx::allclose(tx::fft::hamming<double>(5), five{0.08, 0.54, 1, 0.54, 0.08}));
    CHECK(tx::allclose(tx::fft::blackman<double>(5), five{0, 0.34, 1, 0.34, 0}));
    CHECK(tx::allclose(tx::fft::blackmanharris<double>(5), five{0.00006, 0.21747, 1, 0.21747, 0.00006}));
    CHECK(tx::fft::cosine<double>(5).data()[2] == doctest::Approx(1));
    CHECK(tx::fft::gaussian<double>(5, 1.5).data()[1] == doctest::Approx(0.8007374029168081));
    CHECK(tx::fft::kaiser<double>(5, 8.0).data()[1] == doctest::Approx(0.36897272261583314));
}

// The first n of a window of n + 1, for spectra, or one that ends as it begins, for filters.
TEST_CASE("fft::periodic, fft::symmetric") {
    CHECK(tx::allclose(tx::fft::hann<double>(4, tx::fft::periodic), vec{0, 0.5, 1, 0.5}));
    CHECK(tx::allclose(tx::fft::hann<double>(4, tx::fft::symmetric), vec{0, 0.75, 0.75, 0}));
    static_assert(std::is_enum_v<tx::fft::periodic_t> && std::is_enum_v<tx::fft::symmetric_t>);
}

TEST_CASE("fft::stft, fft::istft") {
    tx::tensor<double, tx::shape<8>> const x{0, 1, 0, -1, 0, 2, 0, -2}; // louder in its second half
    auto const parts = tx::fft::stft<4, 2>(x);                          // (3, 5): coefficients, parts
    CHECK(tx::abs(parts)(1, 1) == doctest::Approx(0.5));
    CHECK(tx::allclose(tx::fft::istft<4, 2>(parts), x));
    CHECK(tx::fft::stft<4, 2>(x, tx::fft::hamming<double>(4)).size() == 15); // another window than Hann's
}

TEST_CASE("fft::fftconvolve") {
    vec const a{1, 2, 3, 4};
    CHECK(tx::allclose(tx::fft::fftconvolve(a, tx::tensor<double, tx::shape<2>>{1, 1}), tx::tensor<double, tx::shape<5>>{1, 3, 5, 7, 4}));
}
