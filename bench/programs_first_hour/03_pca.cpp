// Principal components of points that lie near a plane, by svd and by eigh of the covariance: the variances agree.
#include <tracexpr/tracexpr.hpp>

#include <cmath>
#include <iostream>

int main() {
    tx::random::seed(1);
    constexpr std::int64_t n = 500;
    tx::tensor<double, tx::shape<n, 2>> const hidden =
        tx::random::normal<double>(tx::shape<n, 2>{}) * tx::tensor<double, tx::shape<2>>{3, 1};
    double const s = std::sqrt(0.5);
    tx::tensor<double, tx::shape<2, 3>> const directions = {{s, s, 0}, {0, 0, 1}};
    tx::tensor<double, tx::shape<n, 3>> const x =
        tx::matmul(hidden, directions) + 0.01 * tx::random::normal<double>(tx::shape<n, 3>{});

    auto const centred = x - tx::mean(x, tx::axis<0>);
    auto const [u, sizes, vh] = tx::linalg::svd(centred);
    auto const variances = tx::square(sizes) / (n - 1);

    auto const [values, vectors] = tx::linalg::eigh(tx::cov(tx::transpose(x)));

    std::cout << "variances by svd  " << variances << '\n';
    std::cout << "variances by eigh " << tx::flip(values) << '\n';
    std::cout << "they agree: " << tx::allclose(variances, tx::flip(values)) << '\n';
    std::cout << "first direction " << vh[0] << '\n';
    std::cout << "explained by two: " << tx::sum(tx::slice(variances, tx::range<0, 2>)).item() / tx::sum(variances).item()
              << '\n';
    auto const scores = tx::matmul(centred, tx::transpose(vh));
    std::cout << "scores are uncorrelated: " << (std::abs(tx::corrcoef(tx::transpose(scores))(0, 1)) < 1e-10) << '\n';
}
