// A stencil of 27 points in three dimensions, with weights by distance.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

template <int Shift> constexpr auto part = tx::range<Shift, (Shift == 2 ? tx::open : Shift - 2)>;
constexpr float weights[]{0.4f, 0.05f, 0.02f, 0.0075f};

template <int... Place> constexpr auto stencil(auto x, std::integer_sequence<int, Place...>) {
    return ((tx::slice(x, part<Place / 9>, part<Place / 3 % 3>, part<Place % 3>) *
             weights[(Place / 9 != 1) + (Place / 3 % 3 != 1) + (Place % 3 != 1)]) +
            ...);
}
constexpr auto step = [](auto x) { return stencil(x, std::make_integer_sequence<int, 27>()); };

constexpr std::int64_t n = 128;

programs::registered const program("stencil", [] {
    auto const x = programs::uniform(n * n * n, -1, 1, 1);
    programs::bench b("stencil");
    programs::results<programs::real> const results{(n - 2) * (n - 2) * (n - 2)};
    b.loop(results, [](auto* out, auto const* in) { loops::stencil(out, in, n); }, x);
    b.ours("static", tx::static_function{step}, programs::fixed<n, n, n>(x));
    b.ours("unknown", tx::static_function{step}, programs::open(x, n, n, n));
});

} // namespace
