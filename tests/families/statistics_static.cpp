// This file tests the main functions of tracexpr/statistics.hpp, traced by the compiler.
#include <tracexpr/statistics.hpp>

#include <family_checks.hpp>

namespace {

using vec = tx::tensor<double, tx::shape<4>>;
vec const x{1, 4, 2, 8}, p{0, 1, 3, 4};

} // namespace

TEST_CASE("statistics: traced by the compiler") {
    tx::static_function f{[](auto const& a, auto const& b) {
        return std::tuple(tx::percentile(a, 50), tx::average(a, b), tx::trapezoid(a, b), tx::gradient(a, b), tx::unwrap(a, 5),
                          tx::polymul(a, b), tx::partition<1>(a));
    }};
    auto const [middle, mean, area, slopes, phases, product, sorted] = f(x, p);
    CHECK(middle.item() == 3);
    CHECK(mean.item() == 42 / 8.0);
    CHECK(area.item() == 13.5);
    CHECK(tx::allclose(slopes, tx::gradient(x, p)));
    CHECK(tx::allclose(phases, vec{1, -1, -3, -2}));
    CHECK(tx::allclose(product, tx::tensor<double, tx::shape<7>>{0, 1, 7, 18, 30, 32, 32}));
    CHECK(tx::equal(sorted, vec{1, 2, 4, 8}));
}
TEST_CASE("statistics: a gradient traced by the compiler") {
    tx::static_function f{tx::grad([](auto const& a) { return tx::percentile(a, 50) + tx::trapezoid(a); })};
    CHECK(tx::allclose(f(x), vec{0.5, 1.5, 1.5, 0.5}));
}
