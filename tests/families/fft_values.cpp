// This file tests tx::fft against numpy.fft: values, axes, extents, norms, dtypes and errors.
#include <tracexpr/fft.hpp>

#include <family_checks.hpp>

#include <doctest/doctest.h>

#include <limits>

using namespace tx::testing;
using z = std::complex<double>;

namespace {
tx::tensor<double, tx::shape<4>> const x{1, -2, 3, 0.5};
tx::tensor<z, tx::shape<4>> const of_x{2.5, z(-2, 2.5), 5.5, z(-2, -2.5)}; // numpy.fft.fft(x)
tx::tensor<z, tx::shape<3>> const half_of_x{2.5, z(-2, 2.5), 5.5};
tx::tensor<double, tx::shape<2, 3>> const m{{1, 2, 4}, {-1, 0.5, 3}};
} // namespace

TEST_CASE("fft and ifft") {
    check_in_all_forms([](auto a) { return tx::fft::fft(a); }, of_x, 1e-15, 1e-15, x);
    check_in_all_forms([](auto a) { return tx::fft::ifft(a); }, tx::cast<z>(x), 1e-15, 1e-15, of_x);
    check_open_rank([](auto a) { return tx::fft::fft(a); }, of_x, 1e-15, 1e-15, x);
}
TEST_CASE("rfft and irfft") {
    check_in_all_forms([](auto a) { return tx::fft::rfft(a); }, half_of_x, 1e-15, 1e-15, x);
    check_in_all_forms([](auto a) { return tx::fft::irfft(a); }, x, 1e-15, 1e-15, half_of_x);
    // numpy.fft.irfft([1, 2+1j, 3-1j], 5)
    tx::tensor<double, tx::shape<5>> const five{2.2, -0.6689153033510511, -0.6919299096850717, 0.5391435051850296,
                                                -0.37829829214890687};
    check_in_all_forms([](auto a) { return tx::fft::irfft<5>(a); }, five, 1e-14, 1e-15,
                       tx::tensor<z, tx::shape<3>>{1, z(2, 1), z(3, -1)});
}
TEST_CASE("hfft and ihfft") {
    tx::tensor<double, tx::shape<4>> const wanted{8, 0, 0, -4}; // numpy.fft.hfft([1, 2+1j, 3-1j])
    check_in_all_forms([](auto a) { return tx::fft::hfft(a); }, wanted, 1e-15, 1e-15,
                       tx::tensor<z, tx::shape<3>>{1, z(2, 1), z(3, -1)});
    tx::tensor<z, tx::shape<3>> const back{0.625, z(-0.5, -0.625), 1.375};
    check_in_all_forms([](auto a) { return tx::fft::ihfft(a); }, back, 1e-15, 1e-15, x);
}
TEST_CASE("fft: extents that are cut, or filled with zeros") {
    auto const cut = tx::fft::fft(tx::tensor<double, tx::shape<3>>{1, -2, 3});
    check_in_all_forms([](auto a) { return tx::fft::fft<3>(a); }, cut, 1e-15, 1e-15, x);
    auto const filled = tx::fft::fft(tx::tensor<double, tx::shape<6>>{1, -2, 3, 0.5, 0, 0});
    check_in_all_forms([](auto a) { return tx::fft::fft<6>(a); }, filled, 1e-15, 1e-15, x);
    CHECK(difference(tx::fft::irfft<6>(half_of_x), tx::fft::irfft(tx::tensor<z, tx::shape<4>>{2.5, z(-2, 2.5), 5.5, 0}), 1e-15,
                     1e-15) == "");
}
TEST_CASE("fft: norms") {
    CHECK(difference(tx::fft::fft(x, tx::fft::ortho), of_x * 0.5, 1e-15, 1e-15) == "");
    CHECK(difference(tx::fft::fft(x, tx::fft::forward), of_x * 0.25, 1e-15, 1e-15) == "");
    CHECK(difference(tx::fft::fft(x, tx::fft::backward), of_x, 1e-15, 1e-15) == "");
    CHECK(difference(tx::fft::ifft(of_x, tx::fft::ortho), tx::cast<z>(x) * 2.0, 1e-15, 1e-15) == "");
    check_in_all_forms([](auto a) { return tx::fft::rfft(a, tx::fft::ortho); }, half_of_x * 0.5, 1e-15, 1e-15, x);
    check_in_all_forms([](auto a) { return tx::fft::irfft(a, tx::fft::forward); }, x * 4.0, 1e-15, 1e-15, half_of_x);
}
TEST_CASE("fft: axes") {
    auto const columns = tx::transpose(tx::fft::fft(tx::transpose(m)));
    check_in_all_forms([](auto a) { return tx::fft::fft(a, tx::axis<0>); }, columns, 1e-15, 1e-15, m);
    auto const both = tx::fft::fft(tx::fft::fft(m), tx::axis<0>);
    check_in_all_forms([](auto a) { return tx::fft::fft2(a); }, both, 1e-15, 1e-15, m);
    CHECK(difference(tx::fft::fftn(m), both, 1e-15, 1e-15) == "");
    CHECK(difference(tx::fft::fftn(m, tx::axis<-2>), columns, 1e-15, 1e-15) == "");
    CHECK(difference(tx::fft::ifft2(both), tx::cast<z>(m), 1e-15, 1e-15) == "");
    CHECK(difference(tx::fft::ifftn(both), tx::cast<z>(m), 1e-15, 1e-15) == "");
    CHECK(difference(tx::fft::irfft2<2, 3>(tx::fft::rfft2(m)), m, 1e-15, 1e-15) == "");
    CHECK(difference(tx::fft::irfftn<2, 3>(tx::fft::rfftn(m)), m, 1e-15, 1e-15) == "");
    CHECK(difference(tx::fft::rfft2(m), tx::slice(both, tx::range<>, tx::range<0, 2>), 1e-15, 1e-15) == "");
    CHECK(difference(tx::fft::rfft2(m, tx::axis<1, 0>), tx::fft::fft(tx::fft::rfft(m, tx::axis<0>)), 1e-15, 1e-15) == "");
}
TEST_CASE("fft: dtypes") {
    static_assert(std::is_same_v<decltype(tx::fft::fft(tx::cast<float>(x)))::value_type, std::complex<float>>);
    static_assert(std::is_same_v<decltype(tx::fft::rfft(tx::cast<tx::half>(x)))::value_type, std::complex<float>>);
    static_assert(std::is_same_v<decltype(tx::fft::irfft(tx::cast<std::complex<float>>(of_x)))::value_type, float>);
    CHECK(difference(tx::fft::fft(tx::tensor<int, tx::shape<4>>{1, -2, 3, 0}),
                     tx::fft::fft(tx::tensor<double, tx::shape<4>>{1, -2, 3, 0}), 0, 0) == "");
    CHECK(difference(tx::fft::rfft(tx::cast<tx::half>(x)), half_of_x, 1e-6) == "");
    CHECK(difference(tx::fft::fft(tx::tensor<bool, tx::shape<2>>{true, false}), tx::tensor<z, tx::shape<2>>{1, 1}, 0) == "");
}
TEST_CASE("fft: what is not finite, and nothing") {
    double const inf = std::numeric_limits<double>::infinity();
    auto const y = tx::fft::fft(tx::tensor<double, tx::shape<2>>{inf, 1});
    CHECK(y.data()[0].real() == inf);
    CHECK(tx::fft::fft(tx::tensor<double, tx::shape<0, 4>>{}).size() == 0);
    CHECK(tx::fft::irfft<3>(tx::tensor<z, tx::shape<1>>{z(3, 7)}).data()[2] ==
          1); // imaginary parts of real numbers' coefficients don't count
}
TEST_CASE("fft: errors of open shapes") {
    tx::tensor<double> const open = x;
    CHECK_THROWS_WITH_AS(static_cast<void>(tx::fft::fft(open, tx::axis<1>)),
                         doctest::Contains("axes must differ and lie within the rank"), tx::shape_error);
    tx::tensor<double, tx::shape<tx::dyn>> const empty(0);
    CHECK_THROWS_AS(static_cast<void>(tx::fft::fft(empty)), tx::shape_error);
}
