// This file tests the bridge to Eigen.
#include <tracexpr/eigen.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <vector>

using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {
constexpr auto row_sums = [](auto x) { return tx::sum(x, tx::axis<1>); };
constexpr auto affine = [](auto x, auto w) { return tx::matmul(w, x) + 1.0; };
} // namespace

TEST_CASE("eigen: the types of what stands for matrices and vectors") {
    Eigen::MatrixXd const m(2, 3);
    static_assert(std::is_same_v<decltype(tx::from_eigen(m)), tensor<double, shape<dyn, dyn>>>);
    static_assert(std::is_same_v<decltype(tx::from_eigen(Eigen::Matrix3f())), tensor<float, shape<3, 3>>>);
    static_assert(std::is_same_v<decltype(tx::from_eigen(Eigen::Vector4i())), tensor<int, shape<4>>>);
    static_assert(std::is_same_v<decltype(tx::from_eigen(Eigen::RowVectorXcf())), tensor<std::complex<float>, shape<dyn>>>);
    static_assert(std::is_same_v<decltype(tx::from_eigen(m.row(0))), tensor<double, shape<dyn>>>);
    static_assert(std::is_same_v<decltype(tx::from_eigen(m.leftCols<2>())), tensor<double, shape<dyn, 2>>>);
    static_assert(tx::eigen_expression<std::remove_cvref_t<decltype(m + m)>> && !tx::eigen_expression<Eigen::Matrix<Eigen::half, 2, 2>> && !tx::eigen_expression<int>);
}

TEST_CASE("eigen: values in either order, of blocks, transposes and expressions") {
    Eigen::MatrixXd m(2, 3);
    m << 1, 2, 3, 4, 5, 6;
    Eigen::Matrix<double, 2, 3, Eigen::RowMajor> const rows = m;
    tensor<double, shape<2, 3>> const want{{1, 2, 3}, {4, 5, 6}};
    CHECK(tx::array_equal(tx::from_eigen(m), want).item());
    CHECK(tx::array_equal(tx::from_eigen(rows), want).item());
    CHECK(tx::array_equal(tx::from_eigen(m.transpose()), tx::transpose(want)).item());
    CHECK(tx::array_equal(tx::from_eigen(rows.transpose()), tx::transpose(want)).item());
    CHECK(tx::array_equal(tx::from_eigen(rows.block(0, 1, 2, 2)), tensor<double, shape<2, 2>>{{2, 3}, {5, 6}}).item());
    CHECK(tx::array_equal(tx::from_eigen(m.col(1)), tensor<double, shape<2>>{2, 5}).item());
    CHECK(tx::array_equal(tx::from_eigen(m.row(1)), tensor<double, shape<3>>{4, 5, 6}).item());
    CHECK(tx::array_equal(tx::from_eigen(m * 2 + m), want * 3).item());
    CHECK(tx::array_equal(tx::from_eigen(m * m.transpose()), tensor<double, shape<2, 2>>{{14, 32}, {32, 77}}).item());
    CHECK(tx::array_equal(tx::from_eigen(m.array() + 1), want + 1).item());
    CHECK(tx::array_equal(tx::from_eigen(m.cast<int>()), tx::cast<int>(want)).item());
    std::vector<float> const strided{1, 0, 2, 0, 3, 0};
    Eigen::Map<Eigen::VectorXf const, 0, Eigen::InnerStride<2>> const every_second(strided.data(), 3);
    CHECK(tx::array_equal(tx::from_eigen(every_second), tensor<float, shape<3>>{1, 2, 3}).item());
    CHECK(tx::from_eigen(Eigen::MatrixXd(0, 3)).dimensions() == tx::dims{{0, 3}, 2});
    CHECK(tx::from_eigen(Eigen::MatrixXd(3, 0)).dimensions() == tx::dims{{3, 0}, 2});
}

TEST_CASE("eigen: a shape that is asked for") {
    Eigen::MatrixXd const m = Eigen::MatrixXd::Ones(2, 3);
    static_assert(std::is_same_v<decltype(tx::from_eigen<shape<2, dyn>>(m)), tensor<double, shape<2, dyn>>>);
    CHECK(tx::from_eigen<shape<2, dyn>>(m)(1, 2) == 1);
    CHECK_THROWS_AS((tx::from_eigen<shape<3, dyn>>(m)), tx::shape_error);
}

TEST_CASE("eigen: arguments of functions, read in place where rows lie one after the other") {
    tx::function const f{row_sums};
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows(2, 3);
    rows << 1, 2, 3, 4, 5, 6;
    Eigen::MatrixXd const columns = rows;
    tensor<double, shape<2>> const want{6, 15};
    CHECK(tx::array_equal(f(rows), want).item());
    CHECK(tx::array_equal(f(columns), want).item());
    CHECK(tx::array_equal(f(rows.topRows(1)), tensor<double, shape<1>>{6}).item());
    CHECK(tx::array_equal(f(rows + rows), want * 2).item());
    auto const in_place = tx::detail::foreign_access<decltype(rows)>::borrow(rows);
    CHECK(in_place.elements == rows.data());
    CHECK(tx::detail::foreign_access<Eigen::MatrixXd>::borrow(columns).elements == nullptr);
    Eigen::Vector3d const x(1, 2, 3);
    CHECK(tx::detail::foreign_access<Eigen::Vector3d>::borrow(x).elements == x.data());
    tx::function const g{affine};
    CHECK(tx::array_equal(g(x, rows), tensor<double, shape<2>>{15, 33}).item());
    auto const slope = tx::grad([](auto v) { return tx::sum(v * v); })(x);
    CHECK(tx::array_equal(slope, tensor<double, shape<3>>{2, 4, 6}).item());
}

TEST_CASE("eigen: operands of ops") {
    Eigen::Vector3d const x(1, 4, 9);
    CHECK(tx::array_equal(tx::sqrt(x), tensor<double, shape<3>>{1, 2, 3}).item());
    tensor<double, shape<3>> const t{1, 1, 1};
    CHECK(tx::array_equal(tx::maximum(t, x), tensor<double, shape<3>>{1, 4, 9}).item());
    CHECK(tx::array_equal(t + tx::from_eigen(x), tensor<double, shape<3>>{2, 5, 10}).item());
}

TEST_CASE("eigen: tensors as maps") {
    tensor<double, shape<dyn, dyn>> t{{1, 2, 3}, {4, 5, 6}};
    auto const m = tx::as_eigen(t);
    CHECK(m.data() == t.data());
    CHECK((m.rows() == 2 && m.cols() == 3));
    CHECK(m(1, 0) == 4);
    CHECK((m * m.transpose())(0, 1) == 32);
    tx::as_mutable_eigen(t).row(0).setZero();
    CHECK(t(0, 1) == 0);
    CHECK(t(1, 1) == 5);
    tensor<float, shape<3>> const v{1, 2, 2};
    static_assert(decltype(tx::as_eigen(v))::SizeAtCompileTime == 3);
    CHECK(tx::as_eigen(v).norm() == 3);
    tensor<float, shape<3, 1>> const column{{1}, {2}, {2}};
    CHECK(tx::as_eigen(column).norm() == 3);
    tensor<float, shape<1, 3>> const row{{1, 2, 2}};
    CHECK(tx::as_eigen(row).norm() == 3);
    tensor<std::complex<double>, shape<dyn, 2>> const z{{{1, 1}, {0, 0}}};
    CHECK(tx::as_eigen(z)(0, 0) == std::complex<double>(1, 1));
    tensor<bool, shape<2>> const flags{true, false};
    CHECK(tx::as_eigen(flags).count() == 1);
    tensor<float, shape<dyn, dyn>> const none(0, 3);
    CHECK(tx::as_eigen(none).cols() == 3);
}

TEST_CASE("eigen: matrices of their own") {
    tensor<double, shape<2, 3>> const t{{1, 2, 3}, {4, 5, 6}};
    auto m = tx::to_eigen(t);
    static_assert(std::is_same_v<decltype(m), Eigen::Matrix<double, 2, 3>>);
    m(0, 1) = 7;
    CHECK(t(0, 1) == 2);
    CHECK(m(1, 2) == 6);
    static_assert(std::is_same_v<decltype(tx::to_eigen(tensor<float, shape<dyn>>{1, 2})), Eigen::VectorXf>);
    static_assert(std::is_same_v<decltype(tx::to_eigen(tensor<float, shape<1, 4>>{})), Eigen::RowVector4f>);
    CHECK(tx::array_equal(tx::from_eigen(m), tensor<double, shape<2, 3>>{{1, 7, 3}, {4, 5, 6}}).item());
}
