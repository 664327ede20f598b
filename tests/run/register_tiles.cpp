// This file tests loops that reduce with several adjacent results in registers, against plain loops: windows of vectors, and the
// least of all sums.
#include <run/register_tiles.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using tx::axis, tx::dyn, tx::expand_dims, tx::shape, tx::tensor;
using namespace register_tiles;

namespace {

// The sum and the largest of each window times weights, in one loop.
constexpr auto windows = [](auto x, auto w) {
    auto const all = tx::sliding_window_view<tx::extent<0>(w)>(x) * w;
    return std::tuple{tx::sum(all, axis<1>), tx::max(all, axis<1>)};
};
template <class T, class X, class W> int wrong_windows(X const& x, W const& w) {
    auto const [sums, most] = tx::function{windows}(x, w);
    int wrong = 0;
    for (int64_t i = 0; i < sums.size(); ++i) {
        auto sum = sums.data()[i];
        T largest = static_cast<T>(x.data()[i] * w.data()[0]);
        for (int64_t k = 0; k < w.size(); ++k) {
            T const product = static_cast<T>(x.data()[i + k] * w.data()[k]);
            sum -= product, largest = std::max(largest, product); // integers are summed in wider ones
        }
        wrong += (sum != 0) + (most.data()[i] != largest);
    }
    return wrong;
}
template <class T, int64_t K> void check_windows() {
    auto const w = numbers<T, shape<K>>();
    auto const known = [&]<int64_t... N>(shape<N...>) {
        (
            [&] {
                CAPTURE(N);
                CHECK(wrong_windows<T>(numbers<T, shape<N>>(), w) == 0);
            }(),
            ...);
    };
    known(shape<K, K + 1, K + 6, K + 15, K + 16, K + 40, K + 130>{});
    for (int64_t const more : {0, 1, 2, 6, 14, 15, 16, 40, 62, 63, 64, 129, 1000}) {
        CAPTURE(more);
        CHECK(wrong_windows<T>(numbers<T, shape<dyn>>(K + more), w) == 0);
    }
}

// All pairs of places, by another product: the least sum.
constexpr auto least_sums = [](auto a, auto b) { return tx::min(expand_dims<2>(a) + expand_dims<0>(b), axis<1>); };
template <class A, class B> int wrong_least_sums(A const& a, B const& b) {
    auto const c = tx::function{least_sums}(a, b);
    int64_t const n = a.extent(0), inner = a.extent(1), m = b.extent(1);
    int wrong = 0;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < m; ++j) {
            auto least = static_cast<typename A::value_type>(a.data()[i * inner] + b.data()[j]);
            for (int64_t k = 0; k < inner; ++k) {
                auto const sum = a.data()[i * inner + k] + b.data()[k * m + j];
                least = sum < least || sum != sum ? sum : least;
                if (least != least) break;
            }
            wrong += !same(c.data()[i * m + j], least);
        }
    return wrong;
}

} // namespace

TEST_CASE("register tiles: windows of vectors, known and unknown") {
    check_windows<float, 1>();
    check_windows<float, 5>();
    check_windows<double, 3>();
    check_windows<std::int8_t, 4>();
    check_windows<std::uint16_t, 2>();
}
TEST_CASE("register tiles: the least of all sums keeps NaN") {
    auto a = numbers<float, shape<17, 21>>();
    auto const b = numbers<float, shape<21, 70>>();
    CHECK(wrong_least_sums(a, b) == 0);
    a.mutable_data()[21 * 3 + 4] = std::numeric_limits<float>::quiet_NaN();
    a.mutable_data()[21 * 9] = -std::numeric_limits<float>::infinity();
    CHECK(wrong_least_sums(a, b) == 0);
    for (int64_t const m : {1, 3, 16, 33, 65})
        CHECK(wrong_least_sums(numbers<float, shape<dyn, dyn>>(5, 9), numbers<float, shape<dyn, dyn>>(9, m)) == 0);
    CHECK(wrong_least_sums(numbers<int64_t, shape<5, 300>>(), numbers<int64_t, shape<300, 19>>()) == 0);
}
TEST_CASE("register tiles: no results") {
    tx::function const g{least_sums};
    CHECK(g(tx::zeros<float, shape<dyn, dyn>>(0, 4), tx::zeros<float, shape<dyn, dyn>>(4, 7)).size() == 0);
    CHECK(g(tx::zeros<float, shape<dyn, dyn>>(3, 4), tx::zeros<float, shape<dyn, dyn>>(4, 0)).size() == 0);
}
TEST_CASE("register tiles: several threads give the bits of one") {
    auto const x = numbers<float, shape<dyn>>(100'003) * 0.1f;
    auto const w = numbers<float, shape<5>>() * 0.3f;
    for (int const threads : {2, 3, 4}) {
        auto const [sums, most] = tx::on(tx::cpu{threads}, windows)(x, w);
        auto const [sums_of_one, most_of_one] = tx::function{windows}(x, w);
        CHECK(tx::equal(sums, sums_of_one));
        CHECK(tx::equal(most, most_of_one));
    }
}
