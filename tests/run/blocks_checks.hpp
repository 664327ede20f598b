// This file checks functions with large intermediate values against the same functions op by op in float64: for extents known to
// the compiler, and traced at run time; any number of threads must give the same bits.
#pragma once

#include <run/on_checks.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

namespace tx::testing {

// The forces on each point by all others: (n, 3), (n) -> (n, 3).
inline constexpr auto forces = [](auto x, auto m) {
    auto const d = tx::expand_dims<0>(x) - tx::expand_dims<1>(x);
    auto const r = tx::rsqrt(tx::sum(d * d, tx::axis<2>) + 0.01);
    return tx::sum(d * tx::expand_dims<2>(r * r * r * m), tx::axis<1>);
};

template <class T, std::int64_t... E> auto numbers_of(int seed) {
    std::int64_t const size = (E * ...);
    std::vector<T> out(static_cast<std::size_t>(size));
    for (std::int64_t i = 0; i < size; ++i)
        out[static_cast<std::size_t>(i)] = static_cast<T>(static_cast<double>((i * 7919 + seed * 104'729) % 2003) / 1000 - 1);
    return tx::from_data<tx::shape<E...>>(out.data());
}
template <class A, class B> void check_near(A const& got, B const& want, double tolerance) {
    REQUIRE(got.size() == want.size());
    double size = 1, worst = 0;
    for (std::int64_t i = 0; i < want.size(); ++i) size = std::max(size, std::abs(static_cast<double>(want.data()[i])));
    for (std::int64_t i = 0; i < want.size(); ++i)
        worst = std::max(worst, std::abs(static_cast<double>(got.data()[i]) - static_cast<double>(want.data()[i])));
    CHECK(worst <= tolerance * size);
}
template <class... A, class... B> void check_near(std::tuple<A...> const& got, std::tuple<B...> const& want, double tolerance) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (check_near(std::get<I>(got), std::get<I>(want), tolerance), ...);
    }(std::index_sequence_for<A...>{});
}

template <class R> std::vector<std::byte> bits_of(R const& results) {
    if constexpr (requires { results.data(); }) return bytes_of(std::tuple(results));
    else return bytes_of(results);
}

// `want` is the result op by op, in float64.
template <class F, class W, class... X> void check(F const& f, W const& want, X const&... x) {
    tx::function known{f};
    check_near(known(x...), want, 2e-5);
    auto const bits = bits_of(known(x...));
    for (int threads : {1, 2, 3}) CHECK(bits_of(tx::on(tx::cpu{.threads = threads}, f)(x...)) == bits);
    tx::function traced{[&f](auto const&... a) { return f(a...); }};
    check_near(traced(x...), want, 2e-5);
    CHECK(bits_of(tx::on(tx::cpu{.threads = 2}, traced)(x...)) == bits_of(traced(x...)));
}

} // namespace tx::testing
