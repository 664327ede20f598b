// expect: tx: mpi: sharded: the step of each element must follow from the gradients of this element alone
#include <tracexpr/mpi/sharded.hpp>
#include <tracexpr/tracexpr.hpp>

struct one_rank {
    tx::detail::rank_transport of{};
    tx::detail::rank_transport const& transport() const { return of; }
};
auto f(one_rank const& among) {
#ifdef FIXED
    return tx::mpi::sharded(tx::optim::adam(), among);
#else
    return tx::mpi::sharded(tx::optim::lbfgs(), among);
#endif
}
