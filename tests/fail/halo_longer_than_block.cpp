// expect: tx: mpi: halo: a block must be at least as long as its halo is wide, on each axis of the grid
#include <tracexpr/mpi/halo.hpp>

struct some_ranks {
    tx::detail::rank_transport const& transport() const;
};
auto f(tx::tensor<float, tx::shape<2, 5>> const& x, tx::mpi::grid<some_ranks, 2> const& grid) {
#ifdef FIXED
    return tx::mpi::halo<2, 3>(x, grid);
#else
    return tx::mpi::halo<3, 2>(x, grid);
#endif
}
