// This file tests that argmin and argmax find a NaN anywhere in a row: in whole vectors, the rest, and short rows.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

TEST_CASE_TEMPLATE("extremes: the first NaN of a row, at each place", T, float, double) {
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    for (std::int64_t const n : {1, 2, 7, 8, 9, 15, 16, 17, 31, 40, 63, 64, 65, 100, 129, 300}) {
        CAPTURE(n);
        auto x = tx::tensor<T, tx::shape<tx::dyn, tx::dyn>>::uninitialized(tx::dims{{n, n}, 2}); // row i has NaN from place i on
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t k = 0; k < n; ++k)
                x.mutable_data()[i * n + k] = k == i || (k > i && k % 3 == 0) ? nan : static_cast<T>((k * 7919 + i) % 101) - 50;
        auto const least = tx::argmin(x, tx::axis<1>), greatest = tx::argmax(x, tx::axis<1>);
        auto const down = tx::argmin(tx::transpose(x), tx::axis<0>);
        for (std::int64_t i = 0; i < n; ++i) {
            CHECK(least.data()[i] == i);
            CHECK(greatest.data()[i] == i);
            CHECK(down.data()[i] == i);
        }
    }
}
TEST_CASE_TEMPLATE("extremes: the first of equal ones, infinities and zeros of both signs among them", T, float, double) {
    constexpr T inf = std::numeric_limits<T>::infinity();
    for (std::int64_t const n : {3, 16, 33, 64, 70, 200, 1100})
        for (std::int64_t at = 0; at + 1 < n; at += 1 + n / 20) {
            CAPTURE(n);
            CAPTURE(at);
            for (T const extreme : {T(0), -inf}) {
                auto x = tx::tensor<T, tx::shape<tx::dyn>>::uninitialized(tx::dims{{n}, 1});
                for (std::int64_t k = 0; k < n; ++k) x.mutable_data()[k] = k % 2 ? inf : T(1 + k);
                x.mutable_data()[at] = extreme, x.mutable_data()[n - 1] = extreme == 0 ? -extreme : extreme;
                CHECK(tx::argmin(x, tx::axis<0>).data()[0] == at);
                CHECK(tx::argmax(-x, tx::axis<0>).data()[0] == at);
            }
        }
}
