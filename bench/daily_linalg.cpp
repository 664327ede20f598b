// Matrices: qr, svd, lstsq, pinv, matrix_power, norms, against Eigen. (NumPy's are LAPACK's.)
#include "daily.hpp"

#include <Eigen/Dense>

namespace {

using daily::compare;

template <class T> using eigen_rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T, std::int64_t Side> void add(std::int64_t n, char const* who) {
    auto const values = daily::numbers<T>(n * n, -1, 1, 1), right = daily::numbers<T>(n, -1, 1, 2);
    auto const a = [&] {
        if constexpr (Side == tx::dyn) return tx::from_data<tx::shape<tx::dyn, tx::dyn>>(values.data(), n, n);
        else return tx::from_data<tx::shape<Side, Side>>(values.data());
    }();
    auto const b = daily::vector_of<T, Side>(right);
    eigen_rows<T> const e = Eigen::Map<eigen_rows<T> const>(values.data(), n, n);
    Eigen::Matrix<T, Eigen::Dynamic, 1> const f = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1> const>(right.data(), n);
    double const tolerance = std::is_same_v<T, float> ? 2e-1 : 1e-6; // of what the matrices' condition leaves
    auto const name = [&](std::string const& op) { return daily::subject<T>(op, n); };
    compare(
        name("qr"), 1e-3, who, [=] { return tx::linalg::qr(a); }, "eigen",
        [e] {
            Eigen::HouseholderQR<eigen_rows<T>> const factors(e);
            eigen_rows<T> q = factors.householderQ();
            eigen_rows<T> r = factors.matrixQR().template triangularView<Eigen::Upper>();
            return std::pair{std::move(q), std::move(r)};
        });
    compare(
        name("svd"), 1e-3, who, [=] { return std::get<1>(tx::linalg::svd(a)); }, "eigen",
        [e] {
            Eigen::BDCSVD<eigen_rows<T>> const factors(e, Eigen::ComputeThinU | Eigen::ComputeThinV);
            benchmark::DoNotOptimize(factors.matrixU()), benchmark::DoNotOptimize(factors.matrixV());
            return Eigen::Matrix<T, Eigen::Dynamic, 1>(factors.singularValues());
        });
    // By singular values, which lstsq gives, too.
    compare(
        name("lstsq"), tolerance, who, [=] { return tx::linalg::lstsq(a, b); }, "eigen",
        [e, f] {
            Eigen::BDCSVD<eigen_rows<T>> const factors(e, Eigen::ComputeThinU | Eigen::ComputeThinV);
            return Eigen::Matrix<T, Eigen::Dynamic, 1>(factors.solve(f));
        });
    compare(
        name("pinv"), tolerance, who, [=] { return tx::linalg::pinv(a); }, "eigen",
        [e] { return eigen_rows<T>(e.completeOrthogonalDecomposition().pseudoInverse()); });
    compare(
        name("matrix_power"), 1e-3, who, [=] { return tx::linalg::matrix_power<5>(a); }, "eigen",
        [e] {
            eigen_rows<T> const two = e * e, four = two * two;
            return eigen_rows<T>(four * e);
        });
    compare(name("norm"), 1e-4, who, [=] { return tx::linalg::norm(a).item(); }, "eigen", [e] { return e.norm(); });
    compare(
        name("norm_1"), 1e-4, who, [=] { return tx::linalg::norm(a, tx::order<1>).item(); }, "eigen",
        [e] { return e.cwiseAbs().colwise().sum().maxCoeff(); });
    compare(
        name("norm_2"), 1e-3, who, [=] { return tx::linalg::norm(a, tx::order<2>).item(); }, "eigen",
        [e] { return Eigen::BDCSVD<eigen_rows<T>>(e).singularValues()(0); });
}
template <class T> void add_all() {
    for (std::int64_t const n : {16, 64, 256}) add<T, tx::dyn>(n, "eager");
    add<T, 16>(16, "known");
}

} // namespace

int main(int argc, char** argv) {
    return daily::run(argc, argv, []<class T>() { add_all<T>(); });
}
