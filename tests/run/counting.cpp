// This file tests bincount and histogram. Expected values are those of NumPy 2.4, np.bincount and np.histogram.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace {

tx::tensor<int, tx::shape<2, 3>> const given{{0, 1, 5}, {1, 1, 3}};
tx::tensor<float, tx::shape<2, 3>> const weights{{0.5f, 1, 2}, {1.5f, 0.25f, 4}};
template <std::int64_t N> using counts = tx::tensor<std::int64_t, tx::shape<N>>;

} // namespace

TEST_CASE("bincount: of a known length and of that of the values") {
    CHECK(tx::equal(tx::bincount(given), counts<6>{1, 3, 0, 1, 0, 1}));
    CHECK(tx::equal(tx::bincount<4>(given), counts<4>{1, 3, 0, 1}));
    CHECK(tx::equal(tx::bincount<8>(tx::tensor<std::int8_t>{-1, 7, 7, 8}), counts<8>{0, 0, 0, 0, 0, 0, 0, 2}));
    CHECK(tx::equal(tx::bincount(given, weights), tx::tensor<float, tx::shape<6>>{0.5f, 2.75f, 0, 4, 0, 2}));
    CHECK(tx::equal(tx::bincount<2>(given, weights), tx::tensor<float, tx::shape<2>>{0.5f, 2.75f}));
    CHECK(tx::bincount(tx::tensor<int, tx::shape<0>>{}).size() == 0);
    CHECK_THROWS_WITH_AS(tx::bincount(tx::tensor<int>{1, -3}), "tx: bincount: the values must not be negative; given -3", tx::error);
    CHECK_THROWS_AS(tx::bincount(tx::tensor<int>{1, 3}, tx::tensor<float>{1}), tx::shape_error);
}
template <class T, std::int64_t Length> void check_many() {
    CAPTURE(Length);
    tx::tensor<T, tx::shape<5003>> x;
    counts<Length> want;
    for (std::int64_t k = 0; k < x.size(); ++k) {
        T const value = x.mutable_data()[k] = static_cast<T>(k * k % 331 - (std::is_signed_v<T> ? 7 : 0));
        if (std::in_range<std::int64_t>(value) && std::cmp_greater_equal(value, 0) && std::cmp_less(value, Length))
            ++want.mutable_data()[value];
    }
    auto const count = [](auto v) { return tx::bincount<Length>(v); };
    CHECK(tx::equal(tx::function{count}(x), want));
    CHECK(tx::equal(tx::function{[count, unused = 0](auto v) { return static_cast<void>(unused), count(v); }}(x), want));
}
TEST_CASE_TEMPLATE("bincount: of many values of a dtype that may be narrower than the length", T, std::int8_t, std::uint8_t,
                   std::uint16_t, std::int64_t, std::uint64_t) {
    check_many<T, 1>();
    check_many<T, 127>();
    check_many<T, 128>();
    check_many<T, 256>();
    check_many<T, 400>();
}
TEST_CASE("bincount: in functions, and derivatives with respect to weights") {
    tx::function const f{[](auto x, auto w) { return tx::bincount<4>(x, w * 2); }};
    CHECK(tx::equal(f(given, weights), tx::tensor<float, tx::shape<4>>{1, 5.5f, 0, 8}));
    auto const loss = [](auto w, auto x) { return tx::sum(tx::square(tx::bincount<4>(x, w))); };
    CHECK(tx::equal(tx::grad(loss)(weights, given), tx::tensor<float, tx::shape<2, 3>>{{1, 5.5f, 0}, {5.5f, 5.5f, 8}}));
}
