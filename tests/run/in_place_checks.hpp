// This file holds what tests of values that overwrite others share.
#pragma once

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace in_place {

using tx::dyn;
using tx::shape;
using tx::tensor;

template <class F, class... A> constexpr std::int64_t room() { return tx::detail::stages<tx::detail::compile_time_trace<F, A...>>::plan().arena_bytes[0]; }
template <std::int64_t N> using row = tensor<float, shape<N>>;
template <std::int64_t M, std::int64_t N> using matrix = tensor<float, shape<M, N>>;

// Are they equal except for the rounding of sums, whose last vector is cut where it would otherwise reach back?
template <class A> bool same(A const& a, A const& b) {
    if (a.dimensions() != b.dimensions()) return false;
    for (std::int64_t i = 0; i < a.size(); ++i)
        if (std::abs(a.data()[i] - b.data()[i]) > 1e-6f * std::abs(b.data()[i])) return false;
    return true;
}
template <class... A> bool same(std::tuple<A...> const& a, std::tuple<A...> const& b) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return (same(std::get<I>(a), std::get<I>(b)) && ...); }(std::index_sequence_for<A...>{});
}
template <class X> X numbers(X x) {
    for (std::int64_t i = 0; i < x.size(); ++i) x.mutable_data()[i] = static_cast<float>((i * 37 + 5) % 23 - 11) / 16;
    return x;
}
template <class F, class X> void check(X const& x) {
    auto const wanted = tx::function{tx::with_passes<tx::pass_options{.reuse = false}>(F{})}(x);
    tx::function f{F{}};
    CHECK(same(f(x), wanted));
    auto out = f(x);
    f.into(out, x);
    CHECK(same(out, wanted));
    CHECK(same(tx::on(tx::cpu{.threads = 2}, F{})(x), wanted));
}
template <class F> void check_shapes() {
    check<F>(numbers(row<4096>{}));
    check<F>(numbers(row<4099>{}));
    check<F>(numbers(matrix<40, 128>{}));
    check<F>(numbers(tensor<float, shape<dyn>>(row<4096>{})));
    check<F>(numbers(tensor<float, shape<dyn>>(row<4099>{})));
}

} // namespace in_place
