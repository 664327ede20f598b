#include <doctest/doctest.h>

#include <tracexpr/tracexpr.hpp>

#include <tracexpr/trace/rolling.hpp>

namespace {

using vector = tx::tensor<double, tx::shape<tx::dyn>>;

template <int Shift> void check_roll(std::int64_t n) {
    vector const x = tx::arange<double>(n), once = tx::roll<Shift>(x);
    CAPTURE(n);
    REQUIRE(once.size() == n);
    for (std::int64_t i = 0; i < n; ++i) CHECK(once(i) == static_cast<double>((((i - Shift) % n) + n) % n));
}

} // namespace

TEST_CASE("roll: of an extent that the run knows, which may be less than the shift") {
    for (std::int64_t const n : {0, 1, 2, 3, 5, 7, 100}) {
        check_roll<0>(n);
        check_roll<1>(n);
        check_roll<5>(n);
        check_roll<-2>(n);
        check_roll<-12>(n);
    }
}

TEST_CASE("roll: the gradient rolls back") {
    vector const x{1, 2, 3}, w{10, 20, 30};
    auto const g = tx::grad([](auto const& v, auto const& by) { return tx::sum(tx::roll<1>(v) * tx::roll<-5>(by) * v); });
    // sum_i x[i - 1] w[i + 5] x[i], with w[i + 5] = 30, 10, 20.
    CHECK(tx::array_equal(g(x, w), vector{10 * 2 + 30 * 3, 10 * 1 + 20 * 3, 30 * 1 + 20 * 2}).item());
}
