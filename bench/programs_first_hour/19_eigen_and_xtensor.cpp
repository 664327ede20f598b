// Arrays of Eigen and xtensor as arguments, tensors as theirs: one function for all three.
#include <tracexpr/eigen.hpp>
#include <tracexpr/tracexpr.hpp>
#include <tracexpr/xtensor.hpp>

#include <Eigen/Dense>
#include <xtensor/xtensor.hpp>

#include <iostream>

int main() {
    tx::function scores{[](auto x) {
        auto const d = x - tx::mean(x, tx::axis<0>);
        return d / tx::sqrt(tx::mean(d * d, tx::axis<0>));
    }};

    Eigen::MatrixXd const m{{1, 10}, {2, 20}, {3, 60}};
    xt::xtensor<double, 2> const x{{1, 10}, {2, 20}, {3, 60}};
    tx::tensor<double, tx::shape<tx::dyn, 2>> const t{{1, 10}, {2, 20}, {3, 60}};
    auto const a = scores(m), b = scores(x); // (n, n) as far as the types know
    auto const c = scores(t);                // (n, 2)
    std::cout << a << "\nall three agree: " << (tx::allclose(a, b).item() && tx::allclose(b, c).item()) << '\n';

    // A tensor as Eigen sees it, without a copy.
    auto const view = tx::as_eigen(a);
    Eigen::MatrixXd const gram = view.transpose() * view / 3;
    std::cout << "correlation by Eigen " << gram(0, 1) << ", by tracexpr " << tx::corrcoef(tx::transpose(t))(0, 1) << '\n';

    // And as xtensor does.
    std::cout << "sum of squares by xtensor " << xt::sum(xt::square(tx::as_xtensor(b)))() << '\n';

    // A solution by both.
    Eigen::Matrix2d const s{{4, 1}, {1, 3}};
    Eigen::Vector2d const r{1, 2};
    tx::tensor<double, tx::shape<2>> const mine = tx::linalg::solve(tx::from_eigen(s), tx::from_eigen(r));
    Eigen::Vector2d const theirs = s.llt().solve(r);
    std::cout << "difference of the solutions " << ((tx::as_eigen(mine) - theirs).norm() < 1e-15) << '\n';

    tx::tensor<double, tx::shape<2, 2>> w = tx::from_eigen(s);
    tx::as_mutable_eigen(w).row(0) *= 10;
    std::cout << w << '\n';
}
