// This file tests derivatives of pinv and lstsq in all kinds of traces, where all singular values are 1: near the identity pinv(a
// + v) is a - v + v v, to second order.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

namespace linalg = tx::linalg;

namespace {

using matrix = tx::tensor<double, tx::shape<3, 3>>;

matrix const weights{{0.5, -1, 2}, {1.5, 0.25, -0.75}, {-2, 1, 0.125}}, direction{{1, 2, -1}, {0.5, -0.5, 3}, {-1, 0, 2}};
matrix const identity = tx::eye<double>(tx::shape<3, 3>{});

constexpr auto weighted = [](auto const& a, auto const& w) { return tx::sum(w * linalg::pinv(a)); };
constexpr auto solved = [](auto const& a, auto const& w) { return tx::sum(tx::square(std::get<0>(linalg::lstsq(a, w)))); };

void check_close(matrix const& got, matrix const& want) { CHECK(tx::allclose(got, want, {.rtol = 1e-12, .atol = 1e-12}).item()); }

} // namespace

TEST_CASE("pinv: gradients in static traces, traces at run time and tapes") {
    check_close(tx::grad(weighted)(identity, weights), -weights);
    double const by = 2;
    check_close(tx::grad([by](auto const& a, auto const& w) { return weighted(a, w) * by; })(identity, weights), -2 * weights);
    tx::gradient_tape tape;
    matrix const a = identity;
    tape.watch(a);
    auto const y = tx::sum(weights * linalg::pinv(a));
    check_close(tape.gradient(y, a), -weights);
}
TEST_CASE("pinv: second derivatives") {
    auto const along = [](auto const& a) { return tx::grad([](auto const& x) { return tx::sum(weights * linalg::pinv(x)); })(a); };
    matrix const want = tx::matmul(tx::transpose(direction), weights) + tx::matmul(weights, tx::transpose(direction));
    check_close(tx::jvp(along)(identity, direction).second, want);
    auto const product = [](auto const& a, auto const& w, auto const& v) { return tx::sum(tx::grad(weighted)(a, w) * v); };
    check_close(tx::grad(product)(identity, weights, direction), want);
}
TEST_CASE("lstsq: gradients for both of its matrices") {
    // x = a^-1 w, so with g = 2 x the gradients are -a^-T g x^T and a^-T g.
    auto const [of_a, of_b] = tx::grad<0, 1>(solved)(identity, weights);
    check_close(of_a, -2 * tx::matmul(weights, tx::transpose(weights)));
    check_close(of_b, 2 * weights);
}
TEST_CASE("pinv: gradients in branches and loops") {
    auto const branch = [](auto const& a, auto const& w) {
        return tx::cond(tx::sum(a) > 0, weighted, [](auto const& x, auto const&) { return tx::sum(x); }, a, w);
    };
    check_close(tx::grad(branch)(identity, weights), -weights);
    auto const loop = [](auto const& a, auto const& w) {
        return tx::sum(w * tx::fori_loop(0, 3, [](auto const&, auto const& x) { return linalg::pinv(x); }, a));
    };
    check_close(tx::grad(loop)(identity, weights), -weights);
}
TEST_CASE("pinv, lstsq: gradients under vmap") {
    auto const each = tx::vmap<0, tx::none>(tx::grad(weighted));
    auto const all = tx::stack<0>(identity, matrix(2 * identity));
    auto const got = each(all, weights);
    CHECK(tx::allclose(got, tx::stack<0>(matrix(-weights), matrix(weights / -4.0)), {.rtol = 1e-12, .atol = 1e-12}).item());
    auto const total = [](auto const& a, auto const& w) { return tx::sum(tx::vmap<0, tx::none>(weighted)(a, w)); };
    CHECK(tx::allclose(tx::grad(total)(all, weights), got, {.rtol = 1e-12, .atol = 1e-12}).item());
    auto const right_sides = [](auto const& a, auto const& b) { return tx::sum(tx::vmap<tx::none, 0>(solved)(a, b)); };
    check_close(tx::grad(right_sides)(identity, tx::stack<0>(weights, weights)), -4 * tx::matmul(weights, tx::transpose(weights)));
}
