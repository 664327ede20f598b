// This file tests a BLAS that the program provides: which products and decompositions call it, and that what it refuses is
// computed without it.
#include <tracexpr/backends/contractions/blas_calls.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <tuple>
#include <utility>

namespace {

int products = 0, decompositions = 0;
bool accepts = false;

// What it accepts it makes of sevens, so that nobody else can have computed it.
template <class T> bool multiply(std::int64_t m, std::int64_t n, std::int64_t, T const*, std::int64_t, std::int64_t, T const*,
                                 std::int64_t, std::int64_t, T* c, std::int64_t stride, bool) {
    ++products;
    for (std::int64_t i = 0; i < m && accepts; ++i)
        for (std::int64_t j = 0; j < n; ++j) c[i * stride + j] = T(7);
    return accepts;
}
template <class T> bool cholesky(std::int64_t n, T const*, T* out) {
    ++decompositions;
    for (std::int64_t i = 0; i < n * n && accepts; ++i) out[i] = T(7);
    return accepts;
}
template <class T> bool lu(std::int64_t, T*, std::int64_t*, T*) { return ++decompositions, false; }
template <class T> bool eigh(std::int64_t, T const*, T*, T*) { return ++decompositions, false; }
template <class T> bool eig(std::int64_t, T const*, std::complex<T>*, std::complex<T>*) { return ++decompositions, false; }
template <class T> bool qr(std::int64_t, std::int64_t, T const*, T*, T*) { return ++decompositions, false; }
template <class T> bool svd(std::int64_t, std::int64_t, T const*, T*, T*, T*) { return ++decompositions, false; }
template <class T> bool solve_triangular(std::int64_t, std::int64_t, T const*, std::int64_t, bool, bool, bool, T*) {
    return ++decompositions, false;
}
template <class T>
constexpr tx::detail::lapack_methods<T> methods{cholesky<T>, lu<T>, eigh<T>, eig<T>, qr<T>, svd<T>, solve_triangular<T>};
constexpr tx::detail::blas_calls counting{
    {multiply<float>}, {multiply<double>}, {multiply<std::complex<float>>}, {multiply<std::complex<double>>},
    methods<float>,    methods<double>};

struct with_blas {
    explicit with_blas(bool all) {
        products = decompositions = 0;
        accepts = all;
        tx::detail::blas_of_program = &counting;
    }
    ~with_blas() { tx::detail::blas_of_program = nullptr; }
};

template <class T> using matrix = tx::tensor<T, tx::shape<tx::dyn, tx::dyn>>;
constexpr int n = 72;
template <class T> matrix<T> filled(T with) { return tx::full<T, typename matrix<T>::shape_type>(with, n, n); }

} // namespace

TEST_CASE_TEMPLATE("blas of a program: products", T, float, double, std::complex<float>, std::complex<double>) {
    matrix<T> const a = filled(T(1)), b = filled(T(2));
    tx::function const product{[](auto x, auto y) { return tx::matmul(x, y); }};
    for (bool const all : {false, true}) {
        with_blas const here(all);
        matrix<T> const c = tx::matmul(a, b);
        CHECK(products >= 1);
        CHECK(c(n - 1, 0) == T(all ? 7 : 2 * n));
        int const before = products;
        CHECK(product(a, b)(0, n - 1) == T(all ? 7 : 2 * n));
        CHECK(products > before);
    }
    CHECK(tx::matmul(a, b)(3, 3) == T(2 * n));
}

TEST_CASE("blas of a program: it is not asked about integers") {
    with_blas const here(true);
    CHECK(tx::matmul(filled(1), filled(2))(0, 0) == 2 * n);
    CHECK(tx::matmul(filled(std::int64_t{1}), filled(std::int64_t{2}))(0, 0) == 2 * n);
    CHECK(products == 0);
}

TEST_CASE_TEMPLATE("blas of a program: decompositions", T, float, double) {
    matrix<T> a = filled(T(0));
    for (int i = 0; i < n; ++i) a(i, i) = T(4);
    {
        with_blas const here(true);
        CHECK(tx::linalg::cholesky(a)(0, 0) == T(7));
        CHECK(decompositions == 1);
    }
    with_blas const here(false);
    CHECK(tx::linalg::cholesky(a)(1, 1) == T(2));
    int asked = decompositions;
    auto const more = [&] { return decompositions > std::exchange(asked, decompositions); };
    CHECK(more() == false);
    CHECK(tx::linalg::det(matrix<T>(a / T(4))).item() == T(1));
    CHECK(more());
    CHECK(tx::linalg::eigvalsh(a)(n - 1) == doctest::Approx(4));
    CHECK(more());
    CHECK(std::abs(std::get<1>(tx::linalg::qr(a))(2, 2)) == doctest::Approx(4));
    CHECK(more());
    CHECK(std::get<1>(tx::linalg::svd(a))(n - 1) == doctest::Approx(4));
    CHECK(more());
    CHECK(tx::linalg::solve(a, filled(T(8)))(5, 6) == doctest::Approx(2));
    CHECK(more());
}
