// This file tests frequencies, shifts and windows against numpy.fft and scipy.signal.
#include <tracexpr/fft.hpp>

#include <family_checks.hpp>

#include <doctest/doctest.h>

using namespace tx::testing;

namespace {
using five = tx::tensor<double, tx::shape<5>>;
five const x{0, 1, 2, 3, 4};
} // namespace

TEST_CASE("fftfreq and rfftfreq") {
    CHECK(difference(tx::fft::fftfreq<double>(5, 0.1), five{0, 2, 4, -4, -2}, 1e-15) == "");
    CHECK(difference(tx::fft::fftfreq<float>(4), tx::tensor<float, tx::shape<4>>{0, 0.25f, -0.5f, -0.25f}, 0) == "");
    CHECK(difference(tx::fft::rfftfreq<double>(5, 0.1), tx::tensor<double, tx::shape<3>>{0, 2, 4}, 1e-15) == "");
    CHECK(difference(tx::fft::rfftfreq<double>(4), tx::tensor<double, tx::shape<3>>{0, 0.25, 0.5}, 0) == "");
    CHECK(difference(tx::fft::fftfreq<double>(1), tx::tensor<double, tx::shape<1>>{0}, 0) == "");
    CHECK_THROWS_AS(static_cast<void>(tx::fft::fftfreq<double>(0)), tx::error);
}
TEST_CASE("fftshift and ifftshift") {
    check_in_all_forms([](auto a) { return tx::fft::fftshift(a, tx::axis<-1>); }, five{3, 4, 0, 1, 2}, 0, 0, x);
    check_in_all_forms([](auto a) { return tx::fft::ifftshift(a, tx::axis<-1>); }, five{2, 3, 4, 0, 1}, 0, 0, x);
    check_open_rank([](auto a) { return tx::fft::fftshift(a); }, five{3, 4, 0, 1, 2}, 0, 0, x);
    tx::tensor<int, tx::shape<2, 3>> const m{{1, 2, 3}, {4, 5, 6}};
    CHECK(difference(tx::fft::fftshift(m), tx::tensor<int, tx::shape<2, 3>>{{6, 4, 5}, {3, 1, 2}}, 0) == "");
    CHECK(difference(tx::fft::ifftshift(tx::fft::fftshift(m)), m, 0) == "");
}
TEST_CASE("windows: symmetric") { // scipy.signal.get_window(name, 5, fftbins=False)
    CHECK(difference(tx::fft::hann<double>(5), five{0, 0.5, 1, 0.5, 0}, 1e-15, 1e-16) == "");
    CHECK(difference(tx::fft::hamming<double>(5), five{0.08, 0.54, 1, 0.54, 0.08}, 1e-15) == "");
    CHECK(difference(tx::fft::blackman<double>(5), five{0, 0.34, 1, 0.34, 0}, 1e-15, 1e-16) == "");
    CHECK(difference(tx::fft::bartlett<double>(5), five{0, 0.5, 1, 0.5, 0}, 0) == "");
    CHECK(difference(tx::fft::blackmanharris<double>(5), five{0.00006, 0.21747, 1, 0.21747, 0.00006}, 1e-12) == "");
    CHECK(difference(tx::fft::cosine<double>(5),
                     five{0.3090169943749474, 0.8090169943749475, 1, 0.8090169943749475, 0.3090169943749474}, 1e-15) == "");
    CHECK(difference(tx::fft::kaiser<double>(5, 8),
                     five{0.002338830512733327, 0.36897272261583314, 1, 0.36897272261583314, 0.002338830512733327}, 1e-14) == "");
    CHECK(difference(tx::fft::gaussian<double>(5, 1.5),
                     five{0.41111229050718745, 0.8007374029168081, 1, 0.8007374029168081, 0.41111229050718745}, 1e-15) == "");
    CHECK(difference(tx::fft::boxcar<double>(5), five{1, 1, 1, 1, 1}, 0) == "");
}
TEST_CASE("windows: periodic, and of one number or none") { // fftbins=True
    auto const p = tx::fft::periodic;
    CHECK(difference(tx::fft::hann<double>(5, p),
                     five{0, 0.34549150281252633, 0.9045084971874737, 0.9045084971874737, 0.34549150281252633}, 1e-15,
                     1e-16) == "");
    CHECK(difference(tx::fft::hamming<double>(5, p),
                     five{0.08, 0.3978521825875243, 0.9121478174124759, 0.9121478174124759, 0.3978521825875243}, 1e-14) == "");
    CHECK(difference(tx::fft::bartlett<double>(5, p), five{0, 0.4, 0.8, 0.8, 0.4}, 1e-15) == "");
    CHECK(difference(tx::fft::kaiser<double>(5, 8, p),
                     five{0.002338830512733327, 0.22677684133642736, 0.8598020817729666, 0.8598020817729666, 0.22677684133642736},
                     1e-14) == "");
    CHECK(tx::fft::hann<float>(1).data()[0] == 1);
    CHECK(tx::fft::hann<float>(0).size() == 0);
    CHECK(tx::fft::kaiser<double>(3, 2000).data()[1] == 1);
}
