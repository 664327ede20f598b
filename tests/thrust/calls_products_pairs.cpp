#include <thrust/calls_products.hpp>

using namespace tx::testing;

TEST_CASE("device calls: products of complex and dual matrices, batched, of any strides") {
    check_products<std::complex<float>>(1e-6), check_products<std::complex<double>>(1e-14);
    check_products<tx::dual<double>>(1e-14), check_products<tx::dual<tx::dual<float>>>(1e-5);
}
TEST_CASE("device calls: complex numbers of device code are added and multiplied as the host's") {
    using pair = calls::complex_pair<double>;
    std::complex<double> const a(1.5, -2), b(0.25, 3);
    pair const sum = pair{1.5, -2} + pair{0.25, 3}, product = pair{1.5, -2} * pair{0.25, 3};
    CHECK(a + b == std::complex<double>(sum.real, sum.imaginary));
    CHECK(a * b == std::complex<double>(product.real, product.imaginary));
}
