// One callable as a function that the compiler traces, "static", and as one that is traced when the program runs, "tiles".
#pragma once

#include "harness.hpp"

#include <tracexpr/tracexpr.hpp>

#include <tuple>
#include <utility>

namespace tiles {

// What fits in the caches, and what doesn't.
inline constexpr std::size_t sizes[]{100'000, 10'000'000};

template <class T, class Shape>
void require_equal(std::string const& name, tx::tensor<T, Shape> const& expected, tx::tensor<T, Shape> const& got) {
    harness::require_equal(name, harness::buffer<T>(expected.begin(), expected.end()),
                           harness::buffer<T>(got.begin(), got.end()));
}
template <class... A> void require_equal(std::string const& name, std::tuple<A...> const& expected, std::tuple<A...> const& got) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (require_equal(name, std::get<I>(expected), std::get<I>(got)), ...);
    }(std::index_sequence_for<A...>{});
}
template <class A, class B>
void require_equal(std::string const& name, std::pair<A, B> const& expected, std::pair<A, B> const& got) {
    require_equal(name, expected.first, got.first);
    require_equal(name, expected.second, got.second);
}

// What the compiler can't trace: it captures a pointer.
template <class F> auto opaque_to_the_compiler(F const& f) {
    return [call = &f](auto const&... x) { return (*call)(x...); };
}

// Registers f.into(out, arguments...) and the same on tiles, after comparing what they give. `f`, which the compiler traces, and
// `out` must live until the benchmarks have run.
template <class F, class Out, class... A> void add(harness::subject const& what, F const& f, Out& out, A const&... arguments) {
    static_assert(F::is_static);
    auto& traced =
        *new tx::function{opaque_to_the_compiler(f)}; // lives as long as the registered benchmarks: until the program ends
    static_assert(!std::remove_reference_t<decltype(traced)>::is_static);
    f.into(out, arguments...);
    Out const expected = out;
    traced.into(out, arguments...);
    if (what.elements <= (std::size_t{1} << 22)) require_equal(what.name, expected, out);
    harness::add(what, "static", [&f, &out, arguments...] { f.into(out, arguments...); });
    harness::add(what, "tiles", [&traced, &out, arguments...] { traced.into(out, arguments...); });
}

} // namespace tiles
