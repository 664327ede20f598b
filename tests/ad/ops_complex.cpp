// This file tests derivatives with complex numbers, as maps of real and imaginary parts: forward mode gives the change itself,
// reverse mode the conjugate derivative, which is the transpose of that map.
#include <ad/derivative_checks.hpp>

using namespace tx::testing;

namespace {

struct one {
    template <class Z> constexpr auto operator()(Z const& z) const {
        return std::tuple(-z, square(z), sqrt(z), reciprocal(z), exp(z), log(z), log10(z), sin(z), cos(z), tan(z), asin(z), acos(z), atan(z), sinh(z), cosh(z), tanh(z),
                          asinh(z), acosh(z), atanh(z), conj(z), tx::abs(z), real(z), imag(z), pow(z, 3), real(z) * z, nan_to_num(z));
    }
};
struct two {
    template <class Z, class W> constexpr auto operator()(Z const& z, W const& w) const {
        return std::tuple(z + w, z - w, z * w, z / w, pow(z, w), fma(z, w, z), where(real(z) < imag(w), z, w * w), z * real(w), exp(imag(z)) * w);
    }
};
struct arrays {
    template <class Z> constexpr auto operator()(Z const& z) const {
        auto const q = z * z;
        return std::tuple(sum(q), mean(q, tx::axis<1>), prod(z, tx::axis<0>), cumsum(q, tx::axis<1>), cumprod(z, tx::axis<0>), matmul(transpose(z), q), transpose(q), concat(tx::axis<0>, q, z),
                          norm(z), sum(tx::abs(z)), tx::cast<std::complex<double>>(real(q)));
    }
};
template <std::int64_t... E> using complex_of_shape = tx::tensor<std::complex<double>, tx::shape<E...>>;
constexpr tx::dtype type = tx::dtype::complex128;

} // namespace

TEST_CASE("derivatives: complex, one operand") { check_derivatives<one, complex_of_shape<3>>({array_of<std::complex<double>>({{3}, 1}, {{0.6, 0.7}, {-0.8, 0.4}, {1.2, -0.9}})}); }
TEST_CASE("derivatives: complex, two operands") {
    check_derivatives<two, complex_of_shape<2>, complex_of_shape<2, 1>>({spread({{2}, 1}, 0.4, 1.5, 1, type), spread({{2, 1}, 2}, 0.4, 1.5, 2, type)});
}
TEST_CASE("derivatives: complex, arrays") {
    check_derivatives<arrays, complex_of_shape<2, 3>>({spread({{2, 3}, 2}, -1.2, 1.5, 3, type)});
    check_first_derivatives<arrays, complex_of_shape<tx::dyn, 3>>({spread({{2, 3}, 2}, -1.2, 1.5, 3, type)});
}
