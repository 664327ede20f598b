// Whole programs, and what the option fast_math makes of some: attention, batch norm, the Laplacian by five points, the energy of
// atoms in pairs, a convolution of 3 x 3.
#include "../programs/callables.hpp"
#include "timing.hpp"

namespace {

template <class F> auto fast(F const& f) { return tx::function{tx::with_passes<tx::pass_options{.fast_math = true}>(f)}; }

constexpr auto chain_20 = [](auto x, auto y) {
    auto z = x;
    for (int i = 0; i < 5; ++i) z = tx::sqrt(z * z + y) - x;
    return z;
};
constexpr auto softmax = [](auto x) { return tx::softmax(x); };
constexpr auto batch_norm = [](auto x, auto gain, auto bias) {
    auto const apart = x - tx::mean(x, tx::axis<0>);
    auto const variance = tx::mean(apart * apart, tx::axis<0>);
    return apart * (gain / tx::sqrt(variance + 1e-5f)) + bias;
};
constexpr auto lennard_jones = [](auto x, auto y, auto z) {
    auto const dx = tx::expand_dims<1>(x) - x, dy = tx::expand_dims<1>(y) - y, dz = tx::expand_dims<1>(z) - z;
    auto const numbers = tx::arange<std::int64_t>(tx::size(x));
    auto const self = tx::cast<float>(tx::expand_dims<1>(numbers) == numbers);
    auto const q = 1 / (dx * dx + dy * dy + dz * dz + self);
    auto const q3 = q * q * q * (1 - self);
    return 2 * tx::sum(q3 * q3 - q3);
};
// Of [height, width] by nine weights.
constexpr auto convolution = [](auto x, auto w) {
    return tx::sum(tx::sliding_window_view<3, 3>(x, tx::axis<0, 1>) * w, tx::axis<2, 3>);
};

using gpu::matrix, gpu::spread, gpu::there;
using batch = tx::tensor<float, tx::shape<tx::dyn, tx::dyn, tx::dyn>>;
using window = tx::tensor<float, tx::shape<3, 3>>;

} // namespace

int main() {
    constexpr std::int64_t n = std::int64_t{1} << 28, rows = 65536, columns = 1024, side = 8192, atoms = 16384;
    {
        matrix const x = spread(131, 516, -3, 3, 1);
        auto const g = spread(516, 0.5f, 1.5f, 2);
        gpu::require_same("batch_norm", tx::function{batch_norm}, x, g, g);
        gpu::require_same("laplace", tx::function{programs::laplace}, x);
        gpu::require_same("convolution", tx::function{convolution}, x, spread<window>({{3, 3}, 2}, -1, 1, 3));
        gpu::require_same("softmax, fast_math", fast(softmax), x);
        auto const q = spread<batch>({{3, 70, 64}, 3}, -1, 1, 4);
        gpu::require_same("attention", tx::function{programs::attention}, q, q, q);
        auto const atom = [](std::uint32_t seed) { return spread(300, -8, 8, seed); };
        auto const f = tx::function{lennard_jones};
        float const wanted = f(atom(1), atom(2), atom(3)).item();
        float const found = tx::on(there, f)(tx::to(there, atom(1)), tx::to(there, atom(2)), tx::to(there, atom(3))).item();
        if (!(std::abs(wanted - found) <= 1e-3f * std::abs(wanted))) {
            std::fprintf(stderr, "lennard_jones: the device says %.9g, expected is %.9g\n", static_cast<double>(found),
                         static_cast<double>(wanted));
            return 1;
        }
    }
    gpu::memory_bound bench(4 * n);
    {
        auto const x = tx::to(there, spread(n, -3, 3, 1)), y = tx::to(there, spread(n, 0.5f, 1.5f, 2));
        bench.measure("chain_20, fast_math", 12.0 * n, 0.92, fast(chain_20), x, y);
    }
    auto const m = tx::to(there, spread(rows, columns, -3, 3, 1));
    auto const gain = tx::to(there, spread(columns, 0.5f, 1.5f, 2)), bias = tx::to(there, spread(columns, -1, 1, 3));
    bench.measure("softmax/65536x1024, fast_math", 8.0 * rows * columns, 0.85, fast(softmax), m);
    bench.measure("batch_norm/65536x1024", 16.0 * rows * columns, 0, tx::function{batch_norm}, m, gain, bias);
    auto const picture = tx::to(there, spread(side, side, -1, 1, 4));
    bench.measure("laplace/8192x8192", 8.0 * side * side, 0, tx::function{programs::laplace}, picture);
    bench.measure("convolution_3x3/8192x8192", 8.0 * side * side, 0, tx::function{convolution}, picture,
                  tx::to(there, spread<window>({{3, 3}, 2}, -1, 1, 5)));
    auto const atom = [](std::uint32_t seed) { return tx::to(there, spread(atoms, -8, 8, seed)); };
    bench.measure("lennard_jones/16384", 0, 0, tx::function{lennard_jones}, atom(1), atom(2), atom(3));
    auto const q = tx::to(there, spread<batch>({{64, 1024, 64}, 3}, -1, 1, 6));
    bench.measure("attention/64x1024x64", 0, 0, tx::function{programs::attention}, q, q, q);
}
