// Prints docs/from_eigen.md.
#include "sheet.hpp"

using tx::shape;
using tx::tensor;
using namespace tx::testing;

int main() {
    tensor<double, shape<2, 2>> const m{{4, 0}, {0, 2}};
    tensor<double, shape<2>> const v{1, 2}, w{3, 4};
    tensor<double, shape<3>> const p{1, 0, 0}, q{0, 1, 0};

    page("From Eigen", "Side by side: `m` is a 2 x 2 matrix, `v` and `w` are vectors of 2, `p` and `q` of 3. Each expression on the right is compiled and run.\n"
                       "Tensors are row-major and have any rank up to 8; a vector has one axis and is neither a row nor a column. `*` and functions act element by\n"
                       "element, as on Eigen's arrays; products of matrices are `tx::matmul`. [The guide](guide.md) has the whole story.\n"
         "`shape` and `tensor` are `tx::shape` and `tx::tensor`.");
    section("Matrices", "Eigen");
    SAME("Eigen::Matrix2d a; a << 1, 2, 3, 4;", tensor<double, shape<2, 2>> a{{1, 2}, {3, 4}});
    SAME("Eigen::MatrixXd b = a;", tensor<double, shape<tx::dyn, tx::dyn>> b = a);
    ROW("Eigen::Matrix2d::Zero()", "[[0. 0.]\n [0. 0.]]", tx::zeros<double>(shape<2, 2>{}));
    ROW("Eigen::Matrix2d::Identity()", "[[1. 0.]\n [0. 1.]]", tx::eye<double>(shape<2, 2>{}));
    ROW("Eigen::Vector3d::LinSpaced(0, 1)", "[0.  0.5 1. ]", tx::linspace<double, 3>(0, 1));
    ROW("b.rows()", "2", b.extent(0));
    ROW("m(1, 1)", "2", m(1, 1));
    SAME("a(1, 0) = 7;", a(1, 0) = 7);
    ROW("m.cast<float>()", "[[4. 0.]\n [0. 2.]]", tx::cast<float>(m));
    ROW("Eigen::Map<Eigen::Vector2d>(pointer) (copied)", "[1. 2.]", tx::from_data<shape<2>>(v.data()));

    section("Parts", "Eigen");
    ROW("m.row(0)", "[4. 0.]", m[0]);
    ROW("m.col(1)", "[0. 2.]", tx::slice(m, tx::range<>, tx::at<1>));
    ROW("m.topLeftCorner<1, 2>()", "[[4. 0.]]", tx::slice(m, tx::range<0, 1>, tx::range<0, 2>));
    ROW("p.head<2>()", "[1. 0.]", tx::slice(p, tx::range<0, 2>));
    ROW("p.tail<2>()", "[0. 0.]", tx::slice(p, tx::range<-2, tx::open>));
    ROW("m.diagonal()", "[4. 2.]", tx::diagonal(m));
    ROW("v.asDiagonal()", "[[1. 0.]\n [0. 2.]]", tx::diag(v));
    ROW("m.triangularView<Eigen::Lower>()", "[[4. 0.]\n [0. 2.]]", tx::tril(m));
    ROW("m.transpose()", "[[4. 0.]\n [0. 2.]]", tx::transpose(m));
    ROW("m.reshaped<Eigen::RowMajor>()", "[4. 0. 0. 2.]", tx::flatten(m));
    ROW("v.replicate(2, 1)", "[1. 2. 1. 2.]", tx::tile<2>(v));
    ROW("v.reverse()", "[2. 1.]", tx::flip(v));

    section("Arithmetic", "Eigen");
    ROW("m * v", "[4. 4.]", tx::matmul(m, v));
    ROW("m * m", "[[16.  0.]\n [ 0.  4.]]", tx::matmul(m, m));
    ROW("v.cwiseProduct(w)", "[3. 8.]", v * w);
    ROW("v.dot(w)", "11.0", tx::dot(v, w));
    ROW("p.cross(q)", "[0. 0. 1.]", tx::cross(p, q));
    ROW("v * w.transpose()", "[[3. 4.]\n [6. 8.]]", tx::outer(v, w));
    ROW("w.norm()", "5.0", tx::norm(w));
    ROW("w / w.norm()", "[0.6 0.8]", w / tx::norm(w));
    ROW("m.rowwise() + v.transpose()", "[[5. 2.]\n [1. 4.]]", m + v);
    ROW("v.array().max(1.5)", "[1.5 2. ]", tx::maximum(v, 1.5));
    ROW("(v.array() > 1).select(v, 0)", "[0. 2.]", tx::where(v > 1, v, 0));
    ROW("m.sum()", "6.0", tx::sum(m));
    ROW("m.colwise().sum()", "[4. 2.]", tx::sum(m, tx::axis<0>));
    ROW("m.rowwise().maxCoeff()", "[4. 2.]", tx::max(m, tx::axis<1>));
    ROW("m.trace()", "6.0", tx::trace(m));

    section("Linear algebra", "Eigen");
    ROW("m.partialPivLu().solve(v)", "[0.25 1.  ]", tx::linalg::solve(m, v));
    ROW("m.inverse()", "[[0.25 0.  ]\n [0.   0.5 ]]", tx::linalg::inv(m));
    ROW("m.determinant()", "8.0", tx::linalg::det(m));
    ROW("Eigen::LLT<Eigen::Matrix2d>(m).matrixL()(0, 0)", "2", tx::linalg::cholesky(m)(0, 0));
    ROW("Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d>(m).eigenvalues()", "[2. 4.]", tx::linalg::eigvalsh(m));
    ROW("m.triangularView<Eigen::Upper>().solve(v)", "[0.25 1.  ]", tx::linalg::solve_triangular(m, v));

    text("An op on tensors computes at once. A `tx::function` fuses several ops into one loop without temporaries, and the compiler can differentiate it.\n"
         "There is no aliasing to think of, and no `eval()`.");
    return wrong_rows == 0 ? 0 : 1;
}
