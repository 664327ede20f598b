// This file tests derivatives of determinants and eigenvalues, against central differences and closed forms.
#include <ad/derivative_checks.hpp>

using namespace tx::testing;
namespace linalg = tx::linalg;

namespace {

template <std::int64_t... E> using real = real_of_shape<E...>;
constexpr std::int64_t n = tx::dyn;

struct det {
    template <class A> constexpr auto operator()(A const& a) const { return linalg::det(a); }
};
struct slogdet {
    template <class A> constexpr auto operator()(A const& a) const { return linalg::slogdet(a).second; }
};
struct eigh {
    template <class A> constexpr auto operator()(A const& a) const {
        auto const [values, vectors] = linalg::eigh(a);
        return std::tuple(values, vectors);
    }
};
struct eigvalsh {
    template <class A> constexpr auto operator()(A const& a) const { return linalg::eigvalsh(a); }
};

// Whose largest elements of a column are not all on the diagonal.
tx::host_array const general = array_of<double>({{3, 3}, 2}, {0.4, 1.5, -0.7, 1.9, 0.3, 0.2, -0.5, 0.6, 2});
tx::host_array const two = array_of<double>({{2, 2, 2}, 3}, {2, 0.3, 0.5, 1, 0.5, -0.7, -0.9, 3});

} // namespace

TEST_CASE("derivatives: det") {
    check_derivatives<det, real<3, 3>>({general});
    check_derivatives<det, real<n, n, n>>({two});
}
TEST_CASE("derivatives: slogdet") { check_derivatives<slogdet, real<2, 2, 2>>({two}); }
TEST_CASE("derivatives: eigh") {
    check_derivatives<eigh, real<3, 3>>({general});
    check_derivatives<eigh, real<n, n, n>>({two});
}
TEST_CASE("derivatives: eigvalsh") { check_derivatives<eigvalsh, real<3, 3>>({general}); }
