// This file tests distributions that are computed by an inverse function, against their closed forms.
#include <run/random_checks.hpp>

using namespace tx::testing;
namespace rnd = tx::random;
using tx::shape;

namespace {
using many = shape<20000>;

// Computes the inverse of erf by the function that rules use.
template <class T> T inverse_erf(T x) {
    return tx::detail::apply(
               [](auto const& a) {
                   tx::trace_scope& scope = a.scope();
                   return tx::expr<T, shape<>>(scope, tx::detail::central_erfinv({scope.recorded, a.id()}).id());
               },
               tx::tensor<T, shape<>>(x))
        .item();
}
} // namespace

TEST_CASE_TEMPLATE("random: truncated normal", T, float, double) {
    auto const z = rnd::stateless_truncated_normal<T>(rnd::key(6), many{});
    double const within = std::erf(std::sqrt(2.0)), density = 2 * 2 * std::exp(-2.0) / std::sqrt(2 * 3.14159265358979324);
    double const variance = 1 - density / within, fourth = 3 * variance - 4 * density / within;
    check_moments(z, 0, variance, fourth);
    CHECK(distance_from(z, [&](double x) { return (normal_cumulative(x) - normal_cumulative(-2)) / within; }) < most_distance);
    CHECK(tx::max(tx::abs(z)).item() <= 2);
    auto const moved = rnd::stateless_truncated_normal<T>(rnd::key(6), many{}, 1, 2);
    CHECK(close(moved, z * 2 + 1));
}
TEST_CASE_TEMPLATE("random: exponential", T, float, double) {
    auto const e = rnd::stateless_exponential<T>(rnd::key(7), many{});
    check_moments(e, 1, 1, 9);
    CHECK(distance_from(e, [](double x) { return 1 - std::exp(-x); }) < most_distance);
    CHECK(close(rnd::stateless_exponential<T>(rnd::key(7), many{}, 3), e * 3));
}
TEST_CASE("random: the inverse of erf") {
    for (double x = -0.95; x <= 0.951; x += 0.01) {
        CHECK(std::erf(inverse_erf(x)) == doctest::Approx(x).epsilon(4e-16));
        float const single = static_cast<float>(x), z = inverse_erf(single);
        CHECK(std::erf(double{z}) == doctest::Approx(double{single}).epsilon(4e-7));
    }
}
