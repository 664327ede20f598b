// This file tests derivatives of qr and svd against central differences: for square, tall and wide matrices, and batches of them.
#include <ad/derivative_checks.hpp>

using namespace tx::testing;
namespace linalg = tx::linalg;

namespace {

template <std::int64_t... E> using real = real_of_shape<E...>;
constexpr std::int64_t n = tx::dyn;

struct qr {
    template <class A> constexpr auto operator()(A const& a) const {
        auto const [q, r] = linalg::qr(a);
        return std::tuple(q, r);
    }
};
struct svd {
    template <class A> constexpr auto operator()(A const& a) const { return linalg::svd(a); }
};
struct svdvals {
    template <class A> constexpr auto operator()(A const& a) const { return linalg::svdvals(a); }
};

tx::host_array const square = array_of<double>({{3, 3}, 2}, {0.4, 1.5, -0.7, 1.9, 0.3, 0.2, -0.5, 0.6, 2});
tx::host_array const tall = array_of<double>({{3, 2}, 2}, {0.4, 1.5, -0.7, 1.9, 0.3, 0.2});
tx::host_array const wide = array_of<double>({{2, 3}, 2}, {0.4, 1.5, -0.7, 1.9, 0.3, 0.2});
tx::host_array const two = array_of<double>({{2, 2, 2}, 3}, {2, 0.3, 0.5, 1, 0.5, -0.7, -0.9, 3});

} // namespace

TEST_CASE("derivatives: qr") {
    check_derivatives<qr, real<3, 3>>({square});
    check_derivatives<qr, real<3, 2>>({tall});
    check_derivatives<qr, real<2, 3>>({wide});
    check_derivatives<qr, real<n, n, n>>({two});
}
TEST_CASE("derivatives: qr of extents that only the run knows") {
    check_derivatives<qr, real<n, n>>({tall});
    check_derivatives<qr, real<n, n>>({wide});
    check_derivatives<qr, real<2, n>>({wide});
}
TEST_CASE("derivatives: svd") {
    check_derivatives<svd, real<3, 3>>({square});
    check_derivatives<svd, real<3, 2>>({tall});
    check_derivatives<svd, real<2, 3>>({wide});
    check_derivatives<svd, real<n, n, n>>({two});
}
TEST_CASE("derivatives: svdvals") { check_derivatives<svdvals, real<n, n>>({tall}); }
