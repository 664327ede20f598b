// This file tests eigenvalues of general matrices by LAPACK: the equation that they satisfy, the normalization of vectors, and
// their derivatives.
#include <tracexpr/blas.hpp>
#include <tracexpr/matrices.hpp>

#include <family_checks.hpp>

#include <complex>
#include <limits>

namespace {

namespace la = tx::linalg;
template <class T> using matrix = tx::tensor<T, tx::shape<tx::dyn, tx::dyn>>;

template <class T> matrix<T> random_matrix(std::int64_t n) {
    return tx::random::stateless_normal<T>(tx::random::key(7), tx::shape<tx::dyn, tx::dyn>{}, n, n);
}
template <class T> void check(std::int64_t n) {
    INFO("n = ", n);
    using complex = std::complex<T>;
    matrix<T> const a = random_matrix<T>(n);
    auto const [values, vectors] = la::eig(a);
    auto const off = tx::matmul(tx::cast<complex>(a), vectors) - vectors * values;
    CHECK(tx::max(tx::abs(off)).item() < static_cast<T>(n) * 100 * std::numeric_limits<T>::epsilon());
    CHECK(tx::max(tx::abs(la::eigvals(a) - values)).item() < 1e-3);
    for (std::int64_t k = 0; k < n; ++k) {
        double norm = 0, largest = 0;
        complex of_largest{};
        for (std::int64_t i = 0; i < n; ++i) {
            complex const x = vectors(i, k);
            norm += static_cast<double>(std::norm(x));
            if (std::abs(x) > largest) largest = static_cast<double>(std::abs(x)), of_largest = x;
        }
        CHECK(norm == doctest::Approx(1).epsilon(1e-5));
        CHECK(std::abs(of_largest.imag()) < 1e-5);
        CHECK(of_largest.real() > 0);
    }
}

} // namespace

TEST_CASE("eig: by LAPACK, a V = V diag(w), vectors of length 1 with their largest element real and positive") {
    for (std::int64_t const n : {15, 16, 33}) check<double>(n), check<float>(n);
}
TEST_CASE("eig: by LAPACK, batches of which one isn't finite") {
    matrix<double> a = random_matrix<double>(20);
    matrix<double> broken = a;
    broken(3, 4) = std::numeric_limits<double>::infinity();
    auto const both = la::eigvals(tx::stack(tx::axis<0>, a, broken));
    CHECK(tx::max(tx::abs(tx::slice(both, tx::at<0>) - la::eigvals(a))).item() == 0);
    CHECK(tx::all(tx::isnan(tx::real(tx::slice(both, tx::at<1>)))).item());
}
TEST_CASE("eig: by LAPACK, the gradient of a function of eigenvalues is that of their traces") {
    // The sum of the squares of a's eigenvalues is the trace of a a, whose gradient is 2 a^T.
    matrix<double> const a = random_matrix<double>(18);
    auto const slope = tx::grad([](auto x) { return tx::sum(tx::real(tx::square(la::eigvals(x)))); })(a);
    CHECK(tx::testing::difference(slope, matrix<double>(2.0 * tx::transpose(a)), 1e-9, 1e-9) == "");
}
