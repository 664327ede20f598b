// expect-output: ^after  0 steps .*misfit 30[.]00000.*agree: yes.*after 40 steps .*misfit  5[.]966.*agree: yes
// Simulates a plate that cools, on a grid of processes: each has a block of it, and takes a halo from its neighbours' blocks at
// each step. Which start leads to a state that was measured at the end? The gradient of the misfit runs the steps and their halos
// backwards. One process with the whole plate checks it. Prints the same for any number of processes whose grid divides the
// plate:
//     mpirun -n 4 ./mpi_heat
#include <tracexpr/mpi.hpp>
#include <tracexpr/tracexpr.hpp>

#include <cstdio>

using plate = tx::tensor<double, tx::shape<tx::dyn, tx::dyn>>;

constexpr int side = 24, steps = 20;

// The misfit is half the sum of the squared differences of the last state and the measured one. The plate's edges are held at 0.
template <class Halo> auto misfit(Halo const& with_halo) {
    return [with_halo](auto const& start, auto const& measured) {
        auto const step = [&](auto const&, auto const& u) {
            constexpr auto inner = tx::range<1, -1>;
            constexpr auto before = tx::range<0, -2>;
            constexpr auto behind = tx::range<2, tx::open>;
            auto const p = with_halo(u);
            return u + 0.2 * (tx::slice(p, before, inner) + tx::slice(p, behind, inner) + tx::slice(p, inner, before) +
                              tx::slice(p, inner, behind) - 4.0 * u);
        };
        return 0.5 * tx::sum(tx::square(tx::fori_loop(0, steps, step, start) - measured));
    };
}

int main(int argc, char** argv) {
    tx::mpi::session session(argc, argv);
    auto const world = tx::mpi::world();
    tx::mpi::grid const grid(world, {0, 0});
    auto const [rows_of_ranks, columns_of_ranks] = grid.extents();
    if (side % rows_of_ranks != 0 || side % columns_of_ranks != 0) {
        std::puts("the grid of processes must divide a plate of 24 x 24");
        return 1;
    }
    auto const [row, column] = grid.coords();
    int const rows = side / rows_of_ranks, columns = side / columns_of_ranks;
    auto const mine = [&, top = row * rows, left = column * columns](plate const& all) {
        return plate(tx::slice(all, tx::range(top, top + rows), tx::range(left, left + columns)));
    };

    plate const cold = tx::zeros<double, tx::shape<tx::dyn, tx::dyn>>(side, side);
    plate const measured = tx::set(cold, 1.0, tx::range<8, 14>, tx::range<6, 16>);

    // A rank's misfit is that of its block; the gradient with respect to its block is that of all ranks' sum.
    tx::function const shared{tx::value_and_grad(misfit([grid](auto const& u) { return tx::mpi::halo<1>(u, grid); }))};
    tx::function const alone{tx::value_and_grad(misfit([](auto const& u) { return tx::pad(u, tx::widths<1>); }))};

    plate start = mine(cold), whole_start = cold;
    for (int iteration = 0; iteration <= 40; ++iteration) {
        auto const [value, gradient] = shared(start, mine(measured));
        auto const [whole_value, whole_gradient] = alone(whole_start, measured);
        double const sum = tx::mpi::all_reduce(value, tx::mpi::sum, world).item();
        auto const furthest = tx::max(tx::abs(gradient - mine(whole_gradient)));
        double const apart = tx::mpi::all_reduce(furthest, tx::mpi::max, world).item();
        if (world.rank() == 0 && iteration % 10 == 0)
            std::printf("after %2d steps of descent: misfit %8.5f, by one process %8.5f; gradients agree: %s\n", iteration, sum,
                        whole_value.item(), apart < 1e-12 ? "yes" : "no");
        start = start - gradient;
        whole_start = whole_start - whole_gradient;
    }
}
