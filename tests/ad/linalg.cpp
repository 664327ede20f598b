// This file tests derivatives of tx::linalg against closed forms, and through every transform.
#include <ad/derivative_checks.hpp>

#include <tracexpr/tracexpr.hpp>

using namespace tx::testing;
namespace linalg = tx::linalg;

namespace {

template <std::int64_t... E> using doubles = tx::tensor<double, tx::shape<E...>>;

doubles<3, 3> const general{{0.4, 1.5, -0.7}, {1.9, 0.3, 0.2}, {-0.5, 0.6, 2}};
doubles<3, 3> const unit = tx::eye<double>(tx::shape<3, 3>{});
doubles<3, 3> const definite{{4, 0.5, -0.7}, {0.5, 3, 0.2}, {-0.7, 0.2, 2}};

// To the roundings of a few small matrices' products.
template <class A, class B> bool near(A const& a, B const& b, double tolerance = 1e-13) {
    if (a.size() != b.size()) return false;
    for (std::int64_t i = 0; i < a.size(); ++i)
        if (!(std::abs(a.data()[i] - b.data()[i]) <= tolerance * std::max(1.0, std::abs(b.data()[i])))) return false;
    return true;
}

struct logdet {
    template <class A> constexpr auto operator()(A const& a) const { return linalg::slogdet(a).second; }
};
struct solve_sum {
    template <class A, class B> constexpr auto operator()(A const& a, B const& b) const { return tx::sum(tx::square(linalg::solve(a, b))); }
};

} // namespace

TEST_CASE("derivatives of determinants in closed form") {
    auto const inverse = linalg::inv(general);
    auto const transposed = tx::transpose(inverse);
    CHECK(near(tx::grad([](auto const& a) { return linalg::det(a); })(general), linalg::det(general) * transposed));
    CHECK(near(tx::grad(logdet{})(general), transposed));
    // d2/da_ij da_kl = -inv_li inv_jk
    auto const second = tx::hessian(logdet{})(general);
    for (int i = 0; i < 81; ++i) CHECK(second.data()[i] == doctest::Approx(-inverse(i % 3, i / 27) * inverse(i / 9 % 3, i / 3 % 3)).epsilon(1e-12));
}
TEST_CASE("derivatives of solutions in closed form") {
    auto const inverse = linalg::inv(general);
    CHECK(near(tx::grad([](auto const& a) { return tx::trace(linalg::inv(a)); })(general), -tx::transpose(tx::matmul(inverse, inverse))));
    doubles<3> const b{1, -2, 0.5};
    auto const x = linalg::solve(general, b);
    auto const g = tx::grad<0, 1>(solve_sum{})(general, b);
    auto const of_b = 2.0 * tx::matmul(tx::transpose(inverse), x);
    CHECK(near(std::get<1>(g), of_b));
    CHECK(near(std::get<0>(g), -tx::outer(of_b, x)));
}
TEST_CASE("derivatives of cholesky and eigh in closed form") {
    // log det = 2 sum log diag L
    auto const by_cholesky = [](auto const& a) { return 2.0 * tx::sum(tx::log(tx::diagonal(linalg::cholesky(a)))); };
    CHECK(near(tx::grad(by_cholesky)(definite), linalg::inv(definite)));
    CHECK(near(tx::grad(by_cholesky)(general + 5.0 * unit), linalg::inv(tx::transpose(general) * 0.5 + general * 0.5 + 5.0 * unit)));
    // the sum of squared eigenvalues is that of squared elements
    CHECK(near(tx::grad([](auto const& a) { return tx::sum(tx::square(linalg::eigvalsh(a))); })(definite), 2.0 * definite));
    auto const v = linalg::eigh(definite).second;
    auto const largest = tx::slice(v, tx::range<>, tx::at<2>);
    CHECK(near(tx::grad([](auto const& a) { return tx::max(linalg::eigvalsh(a)); })(definite), tx::outer(largest, largest)));
    // Functions of the matrix through its eigenvalues have derivatives where those are equal, too: trace(a a) again.
    CHECK(near(tx::grad([](auto const& a) { return tx::sum(tx::square(linalg::eigvalsh(a))); })(unit), 2.0 * unit));
}

TEST_CASE("derivatives of linalg: third order") {
    // of 1 / a: -6 / a^4
    auto const reciprocal = [](auto const& a) { return tx::sum(linalg::inv(a)); };
    auto const third = tx::grad([reciprocal](auto const& a) {
        return tx::sum(tx::grad([reciprocal](auto const& b) { return tx::sum(tx::grad(reciprocal)(b)); })(a));
    });
    CHECK(near(third(doubles<1, 1>{{2}}), doubles<1, 1>{{-6.0 / 16}}));
    // of sqrt: 3 / 8 a^(-5/2)
    auto const root = [](auto const& a) { return tx::sum(linalg::cholesky(a)); };
    auto const third_of_root = tx::grad([root](auto const& a) { return tx::sum(tx::grad([root](auto const& b) { return tx::sum(tx::grad(root)(b)); })(a)); });
    CHECK(near(third_of_root(doubles<1, 1>{{4}}), doubles<1, 1>{{3.0 / 8 / 32}}));
}

TEST_CASE("derivatives of linalg: both modes") {
    CHECK(near(tx::jacfwd([](auto const& a) { return linalg::inv(a); })(general), tx::jacrev([](auto const& a) { return linalg::inv(a); })(general)));
}

TEST_CASE("derivatives of linalg: vmap") {
    doubles<2, 3, 3> const both = tx::stack(tx::axis<0>, general, definite);
    auto const mapped = tx::vmap(tx::grad(logdet{}))(both);
    CHECK(near(mapped, tx::stack(tx::axis<0>, tx::transpose(linalg::inv(general)), linalg::inv(definite))));
    doubles<2, 3> const b{{1, 2, 3}, {-1, 0, 1}};
    auto const solutions = tx::vmap<tx::none, 0>([](auto const& a, auto const& x) { return linalg::solve(a, x); })(general, b);
    CHECK(near(solutions, tx::transpose(linalg::solve(general, tx::transpose(b)))));
    auto const own = tx::vmap([](auto const& a, auto const& x) { return linalg::solve(a, x); })(both, b);
    CHECK(near(tx::slice(own, tx::at<1>), linalg::solve(definite, doubles<3>{-1, 0, 1})));
}

TEST_CASE("derivatives of linalg: tapes") {
    tx::gradient_tape tape;
    tape.watch(general);
    auto const y = linalg::slogdet(general).second + linalg::det(general);
    CHECK(near(tape.gradient(y, general), (1.0 + linalg::det(general)) * tx::transpose(linalg::inv(general))));
}

TEST_CASE("derivatives of solve use its factors") {
    using A = doubles<3, 3>;
    auto const count = [](auto const& traced) {
        tx::graph const g = tx::simplify(traced);
        int factorisations = 0;
        for (tx::node const& n : g.view()) factorisations += n.code == tx::op::lu;
        return factorisations;
    };
    CHECK(count(tx::detail::compile_time_trace<decltype(tx::grad<0, 1>(solve_sum{})), A, doubles<3>>::make()) == 1);
    CHECK(count(tx::detail::compile_time_trace<decltype(tx::jvp(solve_sum{})), A, doubles<3>, A, doubles<3>>::make()) == 1);
}
