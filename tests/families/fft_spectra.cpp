// This file tests tx::fft::stft, istft and fftconvolve against SciPy and against their definitions.
#include <tracexpr/conv.hpp>
#include <tracexpr/fft.hpp>
#include <tracexpr/tracexpr.hpp>

#include <family_checks.hpp>

#include <doctest/doctest.h>

using complex = std::complex<double>;

namespace {
// x = np.sin(np.arange(20) * 0.7) + 0.1 * np.arange(20)
auto const x = [] {
    tx::tensor<double, tx::shape<20>> out;
    for (int i = 0; i < 20; ++i) out.mutable_data()[i] = std::sin(i * 0.7) + 0.1 * i;
    return out;
}();
bool is_near(complex a, complex b) { return std::abs(a - b) < 1e-14; }
} // namespace

TEST_CASE("stft: SciPy's values") {
    tx::tensor<complex, tx::shape<5, 6>> const z = tx::fft::stft<8>(x); // scipy.signal.stft(x, nperseg=8)[2]
    double const re[]{-0.08218021, -0.36982251, -0.07997887, -1.03323961, -0.30360506, -0.35971049};
    double const im[]{-0.00577387, 0.00254972, -0.0099187, -0.00052011, -0.00576282, -0.1865229};
    for (int k = 0; k < 6; ++k) {
        CHECK(z(1, k).real() == doctest::Approx(re[k]).epsilon(1e-7));
        CHECK(z(3, k).imag() == doctest::Approx(im[k]).epsilon(1e-5));
    }
    // w = scipy.signal.get_window('hamming', 8, fftbins=False); stft(x, window=w, nperseg=8, noverlap=6)
    auto const w = tx::fft::hamming<double>(8);
    tx::tensor<complex, tx::shape<5, 11>> const dense = tx::fft::stft<8, 2>(x, w);
    CHECK(is_near(dense(2, 3), complex(-0.1759630703587949, 0.02660158936391918)));
    CHECK(is_near(dense(4, 9), complex(-0.15768356258006905, 0)));
    // stft(x + 1j * x[::-1], nperseg=7, noverlap=4, return_onesided=False)
    auto const both = tx::cast<complex>(x) + complex(0, 1) * tx::cast<complex>(tx::flip(x));
    tx::tensor<complex, tx::shape<7, 8>> const sides = tx::fft::stft<7, 3>(both);
    CHECK(is_near(sides(2, 3), complex(-0.12058951521560005, -0.12058951521560005)));
    CHECK(is_near(sides(5, 0), complex(0.03238886241595613, 0.7547267153260222)));
}
TEST_CASE("istft: the signal again") {
    CHECK(tx::testing::difference(tx::fft::istft<8>(tx::fft::stft<8>(x)), x, 1e-13, 1e-14) == "");
    auto const w = tx::fft::hamming<double>(8);
    CHECK(tx::testing::difference(tx::fft::istft<8, 2>(tx::fft::stft<8, 2>(x, w), w), x, 1e-13, 1e-14) == "");
    auto const batch = tx::stack(tx::axis<0>, x, 2.0 * x);
    CHECK(tx::allclose(tx::fft::istft<4, 1>(tx::fft::stft<4, 1>(batch)), batch));
    auto const shorter = tx::slice(x, tx::range<0, 18>); // zeros fill the last part
    auto const longer = tx::fft::istft<8>(tx::fft::stft<8>(shorter));
    CHECK(tx::testing::difference(tx::slice(longer, tx::range<0, 18>), shorter, 1e-13, 1e-14) == "");
    CHECK(longer.extent(0) == 20);
    CHECK(tx::fft::stft<8>(tx::cast<float>(x)).size() == 30);
}
TEST_CASE("stft, istft: in all forms, and derivatives") {
    auto const f = [](auto p) { return tx::fft::stft<8, 4>(p); };
    tx::testing::check_in_all_forms(f, f(x), 1e-14, 1e-14, x);
    tx::testing::check_open_rank(f, f(x), 1e-14, 1e-14, x);
    auto const there_and_back = [](auto p) { return tx::fft::istft<8, 4>(tx::fft::stft<8, 4>(p)); };
    tx::testing::check_in_all_forms(there_and_back, x, 1e-13, 1e-14, x);
    tx::check_gradients<1>([](auto p) { return tx::sum(tx::square(tx::abs(tx::fft::stft<6, 2>(p)))); }, tx::slice(x, tx::range<0, 9>));
    tx::check_gradients<1>([](auto p) { return tx::pow(tx::fft::istft<6, 3>(tx::fft::stft<6, 3>(p) * complex(2, 1)), 3); }, tx::slice(x, tx::range<0, 9>));
}
TEST_CASE("fftconvolve: what convolve gives") {
    auto const v = tx::slice(x, tx::range<3, 10>);
    CHECK(tx::testing::difference(tx::fft::fftconvolve(x, v), tx::convolve(x, v), 1e-13, 1e-13) == "");
    CHECK(tx::testing::difference(tx::fft::fftconvolve(x, v, tx::mode::same), tx::convolve(x, v, tx::mode::same), 1e-13, 1e-13) == "");
    CHECK(tx::testing::difference(tx::fft::fftconvolve(x, v, tx::mode::valid), tx::convolve(x, v, tx::mode::valid), 1e-13, 1e-13) == "");
    auto const rows = tx::stack(tx::axis<0>, x, tx::flip(x));
    CHECK(tx::allclose(tx::fft::fftconvolve(rows, v)[1], tx::convolve(tx::flip(x), v)));
    tx::tensor<float, tx::shape<3>> const whole = tx::fft::fftconvolve(tx::tensor<float, tx::shape<3>>{1, 2, 3}, tx::tensor<float, tx::shape<3>>{0, 1, 0.5f}, tx::mode::same);
    CHECK(tx::allclose(whole, tx::tensor<float, tx::shape<3>>{1, 2.5f, 4}, {.atol = 1e-5})); // scipy.signal.fftconvolve
    tx::check_gradients<1>([](auto p, auto q) { return tx::fft::fftconvolve(p, q); }, tx::slice(x, tx::range<0, 6>), v);
    CHECK(tx::allclose(tx::fft::fftconvolve(tx::tensor<double, tx::shape<tx::dyn>>(x), v), tx::fft::fftconvolve(x, v)));
}
