// expect: tx: mpi: halo: a block must be at least as long as its halo is wide, on each axis of the grid
#include <rank_threads.hpp>
#include <tracexpr/mpi/halo.hpp>

auto f(tx::tensor<float, tx::shape<2, 5>> const& x, tx::mpi::grid<tx::testing::thread_communicator, 2> const& grid) {
#ifdef FIXED
    return tx::mpi::halo<2, 3>(x, grid);
#else
    return tx::mpi::halo<3, 2>(x, grid);
#endif
}
