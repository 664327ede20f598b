// This file tests continuous distributions against their closed forms.
#include <run/random_checks.hpp>

using namespace tx::testing;
namespace rnd = tx::random;
using tx::shape;

namespace {
constexpr std::int64_t n = 20000;
using many = shape<n>;
} // namespace

TEST_CASE_TEMPLATE("random: uniform", T, float, double, tx::half, tx::bfloat16) {
    auto const u = rnd::stateless_uniform<T>(rnd::key(1), many{});
    double const step = std::is_same_v<T, tx::half> ? 0x1p-11 : std::is_same_v<T, tx::bfloat16> ? 0x1p-8 : 0;
    check_moments(tx::cast<double>(u) + step / 2, 0.5, 1 / 12., 1 / 80.);
    CHECK(tx::min(tx::cast<double>(u)).item() >= 0);
    CHECK(tx::max(tx::cast<double>(u)).item() < 1);
    if constexpr (sizeof(T) > 2) CHECK(distance_from(u, [](double x) { return x; }) < most_distance);
}
TEST_CASE("random: uniform between bounds that are numbers or tensors") {
    auto const u = rnd::stateless_uniform<double>(rnd::key(2), shape<2, n>{}, tx::tensor<float, shape<2, 1>>{{-1}, {10}}, 12);
    CHECK(distance_from(tx::slice(u, tx::at<0>), [](double x) { return (x + 1) / 13; }) < most_distance);
    CHECK(distance_from(tx::slice(u, tx::at<1>), [](double x) { return (x - 10) / 2; }) < most_distance);
}
TEST_CASE_TEMPLATE("random: normal", T, float, double) {
    auto const z = rnd::stateless_normal<T>(rnd::key(3), many{});
    check_moments(z, 0, 1, 3);
    CHECK(distance_from(z, normal_cumulative) < most_distance);
    auto const moved = rnd::stateless_normal<T>(rnd::key(4), many{}, 5, 0.25);
    check_moments(moved, 5, 1 / 16., 3 / 256.);
    CHECK(distance_from(moved, [](double x) { return normal_cumulative((x - 5) * 4); }) < most_distance);
    CHECK(close(rnd::stateless_normal<T>(rnd::key(4), many{}, 5), rnd::stateless_normal<T>(rnd::key(4), many{}) + 5));
}
TEST_CASE("random: tails of normal numbers") {
    auto const z = tx::abs(rnd::stateless_normal<float>(rnd::key(5), shape<tx::dyn>{}, 4000000));
    for (double const from : {3.0, 4.0, 5.0}) {
        double const want = 4e6 * 2 * normal_cumulative(-from), got = tx::sum(tx::cast<double>(z > from)).item();
        CAPTURE(from);
        CAPTURE(got);
        CHECK(std::abs(got - want) < 3.5 * std::sqrt(want) + 1);
    }
}
