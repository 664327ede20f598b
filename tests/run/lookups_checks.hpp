// This file compares lookups as parts of loops with the same ops one by one. All numbers are small integers, so that sums are
// exact.
#pragma once

#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

using tx::axis, tx::dyn, tx::shape, tx::tensor;

namespace {

template <class T, class Shape> tensor<T, Shape> numbers(Shape, int seed = 0) {
    auto out = tx::zeros<T>(Shape{});
    for (std::int64_t k = 0; k < out.size(); ++k) out.mutable_data()[k] = static_cast<T>(static_cast<float>((k * 7 + seed) % 11));
    return out;
}
// Gives indices into an axis of n elements, half of them counted from its end where the dtype is signed.
template <class I, class Shape> tensor<I, Shape> places(Shape, std::int64_t n, int seed = 0) {
    auto out = tx::zeros<I>(Shape{});
    for (std::int64_t k = 0; k < out.size(); ++k) {
        std::int64_t const at = (k * 5 + seed) % n;
        out.mutable_data()[k] = static_cast<I>(std::is_signed_v<I> && k % 2 ? at - n : at);
    }
    return out;
}
template <class T, class Shape> auto with_open_extents(tensor<T, Shape> const& a) {
    return [&]<std::int64_t... E>(shape<E...>) { return tensor<T, shape<(E < 0 ? E : dyn)...>>(a); }(Shape{});
}
template <class A, class B> bool same(A const& a, B const& b) { return tx::equal(a, b); }
template <class... A, class... B> bool same(std::tuple<A...> const& a, std::tuple<B...> const& b) {
    return [&]<std::size_t... K>(std::index_sequence<K...>) { return (same(std::get<K>(a), std::get<K>(b)) && ...); }(std::index_sequence_for<A...>{});
}
// Compares f in a function, where its ops are fused, with f on tensors, where they are computed one by one.
template <class F, class... A> void check(F const& f, A const&... a) {
    tx::function const fused{f};
    auto const wanted = f(a...);
    CHECK(same(fused(a...), wanted));
    CHECK(same(fused(with_open_extents(a)...), wanted));
    CHECK(same(tx::function{tx::with_passes<tx::pass_options{.kernels = tx::execution::tiles}>(f)}(a...), wanted));
}

} // namespace
