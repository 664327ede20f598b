// Each process has points of its own, and all have the mean gradient: mpirun -n 2 ./machines
#include "timing.hpp"

#include <tracexpr/mpi.hpp>

int main(int argc, char** argv) {
    tx::mpi::session session(argc, argv);
    auto const world = tx::mpi::world();
    auto const step = tx::mpi::data_parallel(tx::value_and_grad(loss_of{}), world);
    parameters const p = start();
    report(world.rank() == 0 ? "machines" : "machines (another rank)",
           [&](column const& x, column const& y) { return step(p, x, y); });
}
