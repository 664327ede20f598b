// This file tests special functions in functions that the compiler traces, and a gradient there.
#include <tracexpr/special.hpp>

#include <family_checks.hpp>

using tx::testing::difference;

namespace {
using vec = tx::tensor<double, tx::shape<2>>;
} // namespace

TEST_CASE("special functions in static functions") {
    tx::static_function f{[](auto p, auto q) { return tx::special::xlogy(tx::special::erfinv(p), q); }};
    CHECK(difference(f(vec{0.5, -0.5}, vec{1, std::exp(1.0)}), vec{0, -0.4769362762044699}, 1e-15) == "");
}
TEST_CASE("a gradient of special functions that the compiler records") {
    tx::static_function f{tx::grad([](auto p) { return tx::sum(tx::special::ndtr(p)); })};
    CHECK(difference(f(vec{0, 1}), vec{0.3989422804014327, 0.24197072451914337}, 1e-15) == "");
}
