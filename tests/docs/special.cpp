// Special functions: those of `tx::special` have SciPy's names; others take the parts of floating-point numbers. They act
// element by element, broadcast and have derivatives of all orders. [More](special.md) says how exact they are.
#include <tracexpr/special.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <limits>

using vec = tx::tensor<double, tx::shape<2>>;
namespace special = tx::special;

TEST_CASE("special::erfinv, special::erfcinv") {
    CHECK(tx::allclose(tx::erf(special::erfinv(vec{-0.5, 0.9})), vec{-0.5, 0.9}).item());
    CHECK(tx::allclose(special::erfcinv(vec{1, 1e-300}), vec{0, 26.209469960516384}).item()); // also where 1 - y is 1
}

TEST_CASE("special::ndtr, special::log_ndtr, special::ndtri") {
    CHECK(tx::allclose(special::ndtr(vec{0, -1}), vec{0.5, 0.15865525393145707}).item());
    CHECK(tx::allclose(special::log_ndtr(vec{0, -40}), vec{-0.6931471805599453, -804.6084420137538}).item());
    CHECK(tx::allclose(special::ndtri(vec{0.5, 0.975}), vec{0, 1.959963984540054}).item());
}

TEST_CASE("special::gamma, special::gammaln, special::digamma, special::polygamma") {
    CHECK(tx::allclose(special::gamma(vec{5, 0.5}), vec{24, 1.772453850905516}).item());
    CHECK(tx::allclose(special::gammaln(vec{5, 1000}), vec{3.1780538303479458, 5905.220423209181}).item());
    CHECK(tx::allclose(special::digamma(vec{1, 2}), vec{-0.5772156649015329, 0.42278433509846713}).item());
    CHECK(tx::allclose(special::polygamma(1, vec{1, 2}), vec{1.6449340668482264, 0.6449340668482264}).item());
}

TEST_CASE("special::beta, special::betaln") {
    CHECK(tx::allclose(special::beta(vec{2, 3}, 4.0), vec{0.05, 1.0 / 60}).item());
    CHECK(tx::allclose(special::betaln(vec{2, 1e5}, 1e5), vec{-23.025860929890713, -138633.9270613487}).item());
}

TEST_CASE("special::gammainc, special::gammaincc") {
    CHECK(tx::allclose(special::gammainc(2.0, vec{1, 30}), vec{0.2642411176571153, 1}).item());
    CHECK(tx::allclose(special::gammaincc(2.0, vec{1, 30}), vec{0.7357588823428847, 2.9008631203404573e-12}, tx::closeness{.rtol = 1e-12, .atol = 0}).item());
}

TEST_CASE("special::betainc") {
    CHECK(tx::allclose(special::betainc(2.0, 3.0, vec{0.5, 1}), vec{0.6875, 1}).item());
}

TEST_CASE("special::i0, special::i0e, special::i1, special::i1e") {
    CHECK(tx::allclose(special::i0(vec{0, 1}), vec{1, 1.2660658777520084}).item());
    CHECK(tx::allclose(special::i0e(vec{0, 1e6}), vec{1, 0.0003989423302694574}).item());
    CHECK(tx::allclose(special::i1(vec{0, 1}), vec{0, 0.5651591039924851}).item());
    CHECK(tx::allclose(special::i1e(vec{0, 1e6}), vec{0, 0.0003989421307982416}).item());
}

TEST_CASE("special::j0, special::j1, special::y0, special::y1") {
    CHECK(tx::allclose(special::j0(vec{1, std::numeric_limits<double>::infinity()}), vec{0.7651976865579666, 0}).item());
    CHECK(tx::allclose(special::j1(vec{1, -1}), vec{0.44005058574493355, -0.44005058574493355}).item());
    CHECK(tx::allclose(special::y0(vec{1, 10}), vec{0.08825696421567697, 0.05567116728359938}).item());
    CHECK(tx::allclose(special::y1(vec{1, 10}), vec{-0.7812128213002888, 0.249015424206954}).item());
}

TEST_CASE("special::k0, special::k0e, special::k1, special::k1e") {
    CHECK(tx::allclose(special::k0(vec{1, 10}), vec{0.42102443824070834, 1.778006231616765e-05}).item());
    CHECK(tx::allclose(special::k0e(vec{1, 1e6}), vec{1.1444630798068949, 0.0012533139806515486}).item());
    CHECK(tx::allclose(special::k1(vec{1, 10}), vec{0.6019072301972346, 1.864877345382558e-05}).item());
    CHECK(tx::allclose(special::k1e(vec{1, 1e6}), vec{1.6361534862632582, 0.0012533146073081476}).item());
}

TEST_CASE("special::expi, special::exp1") {
    CHECK(tx::allclose(special::expi(vec{1, -1}), vec{1.8951178163559368, -0.21938393439552029}).item());
    CHECK(tx::allclose(special::exp1(vec{1, 10}), vec{0.21938393439552029, 4.156968929685324e-06}).item());
}

TEST_CASE("special::zeta") {
    CHECK(tx::allclose(special::zeta(vec{2, 3}, 1.0), vec{1.6449340668482264, 1.2020569031595942}).item());
}

TEST_CASE("special::spence") {
    CHECK(tx::allclose(special::spence(vec{0, 2}), vec{1.6449340668482264, -0.8224670334241132}).item());
}

TEST_CASE("special::xlogy, special::xlog1py") {
    CHECK(tx::allclose(special::xlogy(vec{0, 2}, vec{0, 1}), vec{0, 0}).item()); // no NaN where both are 0
    CHECK(tx::allclose(special::xlog1py(vec{0, 1}, vec{-1, 1e-20}), vec{0, 1e-20}).item());
}

TEST_CASE("special::entr, special::rel_entr") {
    CHECK(tx::allclose(special::entr(vec{0, 0.5}), vec{0, 0.34657359027997264}).item());
    CHECK(tx::allclose(tx::sum(special::rel_entr(vec{0.5, 0.5}, vec{0.25, 0.75})), 0.14384103622589042).item()); // a relative entropy
}

TEST_CASE("special::logit, special::expit") {
    CHECK(tx::allclose(special::logit(vec{0.5, 0.75}), vec{0, 1.0986122886681098}).item());
    CHECK(tx::allclose(special::expit(vec{0, 1.0986122886681098}), vec{0.5, 0.75}).item());
}

TEST_CASE("angle") {
    using complex = std::complex<double>;
    CHECK(tx::allclose(tx::angle(tx::tensor<complex, tx::shape<2>>{complex(0, 1), complex(-1, 0)}), vec{1.5707963267948966, 3.141592653589793}).item());
}

TEST_CASE("signbit") { CHECK(tx::equal(tx::signbit(vec{1, -0.0}), tx::tensor<bool, tx::shape<2>>{false, true})); }

TEST_CASE("nextafter") { CHECK(tx::nextafter(1.0, 2.0) == 1 + std::numeric_limits<double>::epsilon()); }

TEST_CASE("frexp, ldexp") {
    auto const [fraction, exponent] = tx::frexp(vec{6, -0.25});
    CHECK(tx::equal(fraction, vec{0.75, -0.5}));
    CHECK(tx::equal(exponent, tx::tensor<int, tx::shape<2>>{3, -1}));
    CHECK(tx::equal(tx::ldexp(fraction, exponent), vec{6, -0.25}));
}
