// Collectives between GPUs compile: eager, in placed functions, data parallel.
#include <tracexpr/nccl.hpp>
#include <tracexpr/tracexpr.hpp>

namespace {

using matrix = tx::tensor<float, tx::shape<tx::dyn, tx::dyn>>;
struct loss {
    constexpr auto operator()(auto const& w, auto const& x, auto const& y) const { return tx::mean(tx::square(tx::matmul(x, w) - y)); }
};
struct mean_of_largest {
    tx::nccl::communicator ranks;
    auto operator()(auto const& x) const { return tx::mpi::all_reduce(tx::mpi::all_reduce(x * x, tx::mpi::max, ranks), tx::mpi::mean, ranks); }
};

} // namespace

matrix train(tx::mpi::communicator const& world, matrix w, matrix const& x, matrix const& y) {
    tx::nccl::communicator const ranks(world, tx::nccl::local_device(world));
    auto const here = ranks.device();
    auto const step = tx::on(here, tx::mpi::data_parallel(tx::value_and_grad(loss{}), ranks));
    matrix const all = tx::to(here, x), wanted = tx::to(here, y);
    w = tx::to(here, w);
    auto const [value, slope] = step(w, all, wanted);
    w = tx::mpi::all_reduce(slope, tx::mpi::sum, ranks);
    w = tx::on(here, mean_of_largest{ranks})(w);
    tx::mpi::barrier(ranks);
    return tx::mpi::broadcast(w, 0, ranks.duplicate());
}
