#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace {
using vector = tx::tensor<double, tx::shape<2>>;
// A derivative that is not the true one shows that it was used.
constexpr auto seven_cos = tx::custom_gradient([](auto x) { return tx::sin(x); }, [](auto x, auto g) { return 7.0 * g * tx::cos(x); });

using matrix = tx::tensor<double, tx::shape<16, 16>>;
constexpr auto deep = [](auto x) {
    auto y = x;
    for (int k = 0; k < 6; ++k) y = tx::sin(tx::matmul(y, y)) + y;
    return y;
};
constexpr auto keeps_all = [](auto x) { return tx::sum(deep(deep(x))); };
constexpr auto keeps_little = [](auto x) { return tx::sum(tx::checkpoint(deep)(tx::checkpoint(deep)(x))); };
template <class F> constexpr std::int64_t peak_bytes = tx::detail::stages<tx::detail::compile_time_trace<F, matrix>>::plan().arena_bytes[0];
} // namespace

TEST_CASE("checkpoint: the same gradient with less memory") {
    auto const plain = tx::grad(keeps_all);
    auto const saving = tx::grad(keeps_little);
    static_assert(peak_bytes<decltype(saving)> < peak_bytes<decltype(plain)> * 2 / 3);
    matrix x;
    for (int i = 0; i < 256; ++i) x.mutable_data()[i] = (i * 7919 % 1000) / 1e5;
    CHECK(tx::equal(plain(x), saving(x)));
    CHECK(tx::equal(tx::jvp(tx::checkpoint(deep))(x, x).second, tx::jvp(deep)(x, x).second));
}
TEST_CASE("checkpoint: of integers too, and around a custom derivative") {
    auto const f = [](auto x, auto k) { return tx::sum(tx::checkpoint([](auto a, auto n) { return seven_cos(a) * tx::cast<double>(n); })(x, k)); };
    auto const g = tx::grad(f)(vector{1, 2}, tx::tensor<int, tx::shape<2>>{2, 3});
    CHECK(g(0) == doctest::Approx(14 * std::cos(1.0)));
    CHECK(g(1) == doctest::Approx(21 * std::cos(2.0)));
}

TEST_CASE("checkpoint: in a branch, which computes again what it needs anyway") {
    auto const f = [](auto x) {
        return tx::cond(tx::sum(x) > 0, [&] { return tx::sum(tx::checkpoint([](auto y) { return y * y; })(x)); }, [&] { return tx::sum(x); });
    };
    tx::tensor<double, tx::shape<3>> const x{1, 2, 3};
    CHECK(tx::equal(tx::grad(f)(x), x * 2));
    CHECK(tx::equal(tx::grad(f)(-x), tx::ones<double, tx::shape<3>>()));
}
