// This file tests tx::linalg::eig, eigvals and tx::roots against their definitions and NumPy.
#include <tracexpr/matrices.hpp>
#include <tracexpr/tracexpr.hpp>

#include <family_checks.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <complex>

using complex = std::complex<double>;

namespace {
template <class A> auto complex_of(A const& a) { return tx::cast<complex>(a); }
// a V - V diag(w), at most so large.
template <class A> double residual(A const& a) {
    auto const [values, vectors] = tx::linalg::eig(a);
    auto const wrong = tx::abs(tx::matmul(complex_of(a), complex_of(vectors)) - complex_of(vectors) * tx::expand_dims<-2>(complex_of(values)));
    auto const lengths = tx::sqrt(tx::sum(tx::square(tx::abs(vectors)), tx::axis<-2>));
    return std::max(static_cast<double>(tx::max(wrong).item()), static_cast<double>(tx::max(tx::abs(lengths - 1.0)).item()));
}
template <std::int64_t N> auto spread_matrix(double step) {
    tx::tensor<double, tx::shape<N, N>> a;
    for (std::int64_t i = 0; i < a.size(); ++i) a.mutable_data()[i] = std::sin(static_cast<double>(i * i) * step + 0.7) * (1 + static_cast<double>(i % 5));
    return a;
}
std::vector<complex> sorted(tx::tensor<complex> const& x) {
    std::vector<complex> out(x.data(), x.data() + x.size());
    std::sort(out.begin(), out.end(), [](complex a, complex b) { return a.real() < b.real() - 1e-9 || (a.real() < b.real() + 1e-9 && a.imag() < b.imag()); });
    return out;
}
} // namespace

TEST_CASE("eig: values and vectors satisfy their equation") {
    CHECK(residual(spread_matrix<1>(1)) == 0);
    CHECK(residual(spread_matrix<2>(1)) < 1e-14);
    CHECK(residual(spread_matrix<7>(0.37)) < 1e-13);
    CHECK(residual(spread_matrix<40>(0.11)) < 1e-12);
    CHECK(residual(tx::cast<float>(spread_matrix<6>(0.5))) < 1e-5);
    CHECK(residual(complex_of(spread_matrix<6>(0.5)) + complex(0, 1) * complex_of(spread_matrix<6>(0.8))) < 1e-13);
    tx::tensor<double, tx::shape<3, 3>> const uneven{{1, 1e8, 0}, {1e-9, 2, 1e6}, {0, 1e-7, 3}};
    CHECK(residual(uneven) < 1e-4 * 1e-4);
    CHECK(residual(tx::zeros<double>(tx::shape<3, 3>{})) == 0);
    CHECK(residual(tx::tensor<double, tx::shape<3, 3>>{{2, 1, 0}, {0, 2, 1}, {0, 0, 2}}) < 1e-13); // of one vector only
    CHECK(tx::linalg::eigvals(tx::zeros<double>(tx::shape<2, 0, 0>{})).size() == 0);
}
TEST_CASE("eig: numbers near the ends of double's range") {
    for (double const size : {1e-310, 1e-200, 1e200, 1e308}) {
        auto const turned = sorted(tx::linalg::eigvals(tx::tensor<double, tx::shape<2, 2>>{{0, size}, {-size, 0}}));
        CHECK(tx::testing::is_near(turned[0], complex(0, -size), 1e-12, 0));
        CHECK(tx::testing::is_near(turned[1], complex(0, size), 1e-12, 0));
    }
    auto const large = tx::linalg::eigvals(tx::tensor<double, tx::shape<3, 3>>{{0, 1, 1}, {1.5e308, 0, 1}, {1.5e308, 1, 0}});
    CHECK(tx::max(tx::abs(large)).item() == doctest::Approx(std::sqrt(2.0) * std::sqrt(1.5e308)).epsilon(1e-6));
}
TEST_CASE("eig: a rotation, a companion and a triangle") {
    tx::tensor<double, tx::shape<2, 2>> const turn{{0, -1}, {1, 0}};
    CHECK(tx::testing::difference(tx::tensor<complex, tx::shape<2>>(tx::linalg::eigvals(turn)), tx::tensor<complex, tx::shape<2>>{complex(0, 1), complex(0, -1)}, 1e-15, 1e-15) == "");
    auto const triangle = sorted(tx::linalg::eigvals(tx::tensor<double, tx::shape<3, 3>>{{3, 5, 7}, {0, 1, 9}, {0, 0, 2}}));
    CHECK(std::abs(triangle[0] - 1.0) + std::abs(triangle[1] - 2.0) + std::abs(triangle[2] - 3.0) < 1e-14);
    // np.linalg.eigvals([[1, 2, 3], [3, 1, 2], [2, 3, 1]])
    auto const circle = sorted(tx::linalg::eigvals(tx::tensor<int, tx::shape<3, 3>>{{1, 2, 3}, {3, 1, 2}, {2, 3, 1}}));
    CHECK(std::abs(circle[0] - complex(-1.5, -0.8660254037844386)) + std::abs(circle[2] - 6.0) < 1e-14);
    double const nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(tx::all(tx::isnan(tx::linalg::eigvals(tx::tensor<double, tx::shape<2, 2>>{{1, nan}, {0, 1}}))));
}
TEST_CASE("eig: batches, open extents and ranks, functions") {
    auto const a = tx::stack(tx::axis<0>, spread_matrix<4>(0.3), spread_matrix<4>(0.9));
    auto const values = tx::linalg::eigvals(a);
    CHECK(tx::equal(values[1], tx::linalg::eigvals(a[1])));
    auto const f = [](auto x) { return tx::linalg::eig(x).second; };
    tx::testing::check_in_all_forms(f, f(a), 0, 0, a);
    tx::testing::check_open_rank(f, f(a), 0, 0, a);
    CHECK_THROWS_AS(static_cast<void>(tx::linalg::eig(tx::tensor<double>(tx::zeros<double>(tx::shape<2, 3>{})))), tx::shape_error);
}
TEST_CASE("eig: derivatives of values, and of what vectors tell but for their phase") {
    auto const a = spread_matrix<4>(0.3);
    tx::check_gradients([](auto x) { return tx::sum(tx::square(tx::real(tx::linalg::eigvals(x) * tx::linalg::eigvals(x)))); }, a);
    tx::check_gradients<1>([](auto x) { return tx::sum(tx::pow(tx::abs(tx::linalg::eig(x).second), 3)); }, a);
    auto const b = spread_matrix<3>(0.8);
    tx::check_gradients<1>([](auto x, auto y) {
        auto const z = tx::cast<complex>(x) + complex(0, 1) * tx::cast<complex>(y);
        auto const [w, v] = tx::linalg::eig(z);
        return tx::sum(tx::abs(w) + tx::sum(tx::square(tx::abs(v)) * tx::square(tx::abs(v)), tx::axis<0>));
    }, b, spread_matrix<3>(0.45));
}
TEST_CASE("roots: of polynomials whose roots are known") {
    auto const three = sorted(tx::roots(tx::tensor<double, tx::shape<4>>{2, -12, 22, -12})); // 2 (x - 1) (x - 2) (x - 3)
    CHECK(std::abs(three[0] - 1.0) + std::abs(three[1] - 2.0) + std::abs(three[2] - 3.0) < 1e-13);
    auto const circle = sorted(tx::roots(tx::tensor<int, tx::shape<5>>{1, 0, 0, 0, -1})); // x^4 = 1
    CHECK(std::abs(circle[0] + 1.0) + std::abs(circle[1] + complex(0, 1)) + std::abs(circle[2] - complex(0, 1)) + std::abs(circle[3] - 1.0) < 1e-14);
    CHECK(tx::roots(tx::tensor<double, tx::shape<1>>{5}).size() == 0);
    // d root / d p[k] = -root^(n - k) / p'(root)
    auto const slope = tx::grad([](auto p) { return tx::sum(tx::real(tx::square(tx::roots(p)))); })(tx::tensor<double, tx::shape<3>>{1, -5, 6});
    CHECK(tx::testing::difference(slope, tx::tensor<double, tx::shape<3>>{-38, -10, -2}, 1e-12) == "");
}
