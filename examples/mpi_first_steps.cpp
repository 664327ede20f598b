// expect-output: ^1 rank, mean 1\.5, variance 1\.25, largest 3\.0.*\[\[0 1 2 3\]\]
#include <tracexpr/mpi.hpp>
#include <tracexpr/tracexpr.hpp>

#include <iostream>

int main(int argc, char** argv) {
    tx::mpi::session session(argc, argv); // MPI_Init_thread, and MPI_Finalize where main ends
    auto const world = tx::mpi::world();

    // Rank 0 has 0, 1, 2, 3, rank 1 has 4, 5, 6, 7, and so on.
    tx::tensor<float, tx::shape<4>> const first{0, 1, 2, 3};
    auto const mine = first + 4.0f * static_cast<float>(world.rank());

    // This is a function of all ranks' numbers, which the compiler traces and fuses like any other.
    tx::function spread{[](auto x) {
        auto const mean = tx::mpi::all_reduce(tx::mean(x), tx::mpi::mean, tx::mpi::world());
        auto const variance = tx::mpi::all_reduce(tx::mean(tx::square(x - mean)), tx::mpi::mean, tx::mpi::world());
        return std::pair(mean, variance);
    }};
    auto const [mean, variance] = spread(mine);

    // Collectives on tensors run at once. All ranks call them, also where only one needs the result.
    auto const largest = tx::mpi::all_reduce(tx::max(mine), tx::mpi::max, world);
    auto const rows = tx::mpi::gather(tx::cast<int>(mine), 0, world);
    if (world.rank() == 0)
        std::cout << world.size() << (world.size() == 1 ? " rank" : " ranks") << ", mean " << mean << ", variance " << variance
                  << ", largest " << largest << '\n'
                  << rows << '\n';
}
