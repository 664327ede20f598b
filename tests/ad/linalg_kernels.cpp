// This file tests derivatives of tx::linalg in compiled kernels.
#include <ad/derivative_checks.hpp>

#include <tracexpr/tracexpr.hpp>

using namespace tx::testing;
namespace linalg = tx::linalg;

namespace {
// Of a matrix made definite, everything that takes one apart.
struct everything {
    template <class A, class B> constexpr auto operator()(A const& a, B const& b) const {
        auto const s = tx::matmul(a, tx::transpose(a)) + tx::where(tx::iota_like(a) == tx::iota_like(a, tx::axis<1>), 2.0, 0.0);
        auto const [w, v] = linalg::eigh(a);
        return std::tuple(linalg::cholesky(s), linalg::solve(s, b), linalg::inv(s), linalg::det(s), linalg::slogdet(s).second, w, v,
                          linalg::solve_triangular(s, b, linalg::lower));
    }
};
} // namespace

TEST_CASE("derivatives of linalg: in compiled kernels") {
    check_static_derivatives<everything, real_of_shape<3, 3>, real_of_shape<3, 2>>({spread({{3, 3}, 2}, -1, 1, 1), spread({{3, 2}, 2}, -1, 1, 2)}, 4096);
}
