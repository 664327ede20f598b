// Eigen: matrices, vectors and expressions as arguments and as tensors, tensors as maps.
#include <tracexpr/eigen.hpp>

#include <doctest/doctest.h>

TEST_CASE("from_eigen, to_eigen") {
    Eigen::MatrixXd m(2, 2);
    m << 1, 2, 3, 4;
    tx::tensor<double, tx::shape<tx::dyn, tx::dyn>> const t = tx::from_eigen(m);
    CHECK(t(1, 0) == 3);
    CHECK(tx::from_eigen<tx::shape<2, tx::dyn>>(m)(0, 1) == 2); // of that shape type, or throws
    Eigen::MatrixXd const back = tx::to_eigen(t);
    CHECK(back == m);
}

TEST_CASE("as_eigen, as_mutable_eigen") {
    tx::tensor<float, tx::shape<3>> t{1, 2, 2};
    CHECK(tx::as_eigen(t).norm() == 3); // a map, without a copy
    tx::as_mutable_eigen(t)(0) = 5;
    CHECK(t(0) == 5);
}

TEST_CASE("eigen_expression") {
    static_assert(tx::eigen_expression<Eigen::Vector3f>);
    tx::function const norms{[](auto x) { return tx::norm(x, tx::axis<1>); }};
    Eigen::MatrixXd const m = Eigen::MatrixXd::Ones(5, 4);
    CHECK(norms(m)(2) == 2); // matrices are arguments of functions
}
