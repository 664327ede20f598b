// The energy of atoms that meet in pairs, and its gradient.
#include "competitors/loops.hpp"
#include "programs.hpp"

namespace {

constexpr auto energy = [](auto x) {
    using number = typename decltype(x)::value_type;
    auto const at = tx::unstack(x);
    auto const dx = tx::expand_dims<1>(at[0]) - at[0], dy = tx::expand_dims<1>(at[1]) - at[1],
               dz = tx::expand_dims<1>(at[2]) - at[2];
    auto const numbers = tx::arange<std::int64_t>(tx::size(at[0]));
    auto const self = tx::cast<number>(tx::expand_dims<1>(numbers) == numbers);
    auto const q = 1 / (dx * dx + dy * dy + dz * dz + self);
    auto const q3 = q * q * q * (1 - self);
    return 2 * tx::sum(q3 * q3 - q3);
};
constexpr std::int64_t n = 256;

programs::registered const program("lennard_jones", [] {
    auto const x = programs::uniform(3 * n, -8, 8, 1);
    programs::bench b("lennard_jones", 1e-3, 1e-2);
    b.loop(
        programs::results<programs::real, programs::real>{1, 3 * n},
        [](auto* value, auto* gradient, auto const* p) { loops::lennard_jones(value, gradient, p, n); }, x);
    b.ours("static", tx::static_function{tx::value_and_grad(energy)}, programs::fixed<3, n>(x));
    b.ours("unknown", tx::static_function{tx::value_and_grad(energy)}, programs::partly<3, tx::dyn>(x, 3, n));
});

} // namespace
