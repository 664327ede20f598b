// This file tests histogram. Expected values are those of NumPy 2.4, np.histogram.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

namespace {

template <std::int64_t N> using counts = tx::tensor<std::int64_t, tx::shape<N>>;
tx::tensor<float> const given{0.1f, 0.2f, 0.3f, 0.95f, 1, -1, 2, 0.3f, 0.7f, std::numeric_limits<float>::quiet_NaN()};

} // namespace

TEST_CASE("histogram: the last bin is closed, what lies outside is not counted") {
    auto const [ten, edges] = tx::histogram<10>(given, 0, 1);
    CHECK(tx::equal(ten, counts<10>{0, 1, 1, 2, 0, 0, 0, 1, 0, 2}));
    CHECK(tx::allclose(edges, tx::linspace<float, 11>(0, 1)).item());
    CHECK(tx::equal(tx::histogram<3>(given, 0, 1).first, counts<3>{4, 0, 3}));
    auto const [two, whole] = tx::histogram<2>(tx::tensor<int>{1, 2, 3, 4}, 2, 4);
    CHECK(tx::equal(two, counts<2>{1, 2}));
    CHECK(tx::equal(whole, tx::tensor<double, tx::shape<3>>{2, 3, 4}));
    CHECK(tx::equal(tx::histogram<2>(tx::tensor<double>{2, 2, 1}, 2, 2).first, counts<2>{0, 2}));
    CHECK_THROWS_WITH_AS(tx::histogram<2>(given, 2, 1), doctest::Contains("low and high must be finite and in order"), tx::error);
}
TEST_CASE("histogram: in functions, between bounds that they compute") {
    tx::function const f{[](auto x) { return tx::histogram<4>(x, tx::min(x), tx::max(x)).first; }};
    CHECK(tx::equal(f(tx::tensor<float, tx::shape<2, 3>>{{1, 2, 3}, {4, 5, 5}}), counts<4>{1, 1, 1, 3}));
}
