// A step of the heat equation on a grid of ranks, 2048 x 2048 in all: by a function with tx::mpi::halo, by
// tx::mpi::stencil, and as it is written by hand with MPI, whose blocks have their halos around them. Run it by mpirun.
#include "timing.hpp"

#include <tracexpr/tracexpr.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

constexpr std::int64_t side = 2048;
constexpr auto in = tx::range<1, -1>;
constexpr auto before = tx::range<0, -2>;
constexpr auto behind = tx::range<2, tx::open>;
namespace mpi = tx::mpi;
using block = tx::tensor<double, tx::shape<tx::dyn, tx::dyn>>;

// A block with a row of the neighbours' above and below it; ranks stand above each other.
class by_hand {
public:
    explicit by_hand(std::int64_t rows) : rows_{rows}, now_(static_cast<std::size_t>((rows + 2) * side), 1.0), next_(now_) {}
    void step() {
        int const rank = static_cast<int>(mpi::world().rank()), ranks = static_cast<int>(mpi::world().size());
        int const above = rank > 0 ? rank - 1 : MPI_PROC_NULL, below = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
        MPI_Request requests[4];
        MPI_Comm const comm = mpi::world().native();
        int const count = static_cast<int>(side);
        MPI_Irecv(row(0), count, MPI_DOUBLE, above, 1, comm, &requests[0]);
        MPI_Irecv(row(rows_ + 1), count, MPI_DOUBLE, below, 2, comm, &requests[1]);
        MPI_Isend(row(1), count, MPI_DOUBLE, above, 2, comm, &requests[2]);
        MPI_Isend(row(rows_), count, MPI_DOUBLE, below, 1, comm, &requests[3]);
        for (std::int64_t i = 2; i < rows_; ++i) update(i);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        update(1), update(rows_);
        std::swap(now_, next_);
    }

private:
    double* row(std::int64_t i) { return now_.data() + i * side; }
    void update(std::int64_t i) {
        double const *up = row(i - 1), *u = row(i), *down = row(i + 1);
        double* const to = next_.data() + i * side;
        to[0] = u[0] + 0.1 * (up[0] + down[0] + u[1] - 4 * u[0]);
        for (std::int64_t j = 1; j < side - 1; ++j) to[j] = u[j] + 0.1 * (up[j] + down[j] + u[j - 1] + u[j + 1] - 4 * u[j]);
        to[side - 1] = u[side - 1] + 0.1 * (up[side - 1] + down[side - 1] + u[side - 2] - 4 * u[side - 1]);
    }

    std::int64_t rows_;
    std::vector<double> now_, next_;
};

} // namespace

int main(int argc, char** argv) {
    mpi::session session(argc, argv);
    auto const world = mpi::world();
    std::int64_t const rows = side / world.size();
    mpi::grid const grid(world, {static_cast<int>(world.size()), 1});
    constexpr auto cpu = tx::cpu{.threads = 1};
    constexpr auto heat = [](auto const& h) {
        return tx::slice(h, in, in) + 0.1 * (tx::slice(h, before, in) + tx::slice(h, behind, in) + tx::slice(h, in, before) +
                                             tx::slice(h, in, behind) - 4.0 * tx::slice(h, in, in));
    };
    auto const joined = tx::on(cpu, tx::function{[grid, heat](auto u) { return heat(mpi::halo<1>(u, grid)); }});
    auto const apart = tx::on(cpu, tx::function{[grid, heat](auto u) { return mpi::stencil<1>(heat, u, grid); }});
    block u = tx::ones<double, tx::shape<tx::dyn, tx::dyn>>(rows, side), v = u, next = u, following = v;
    by_hand hand(rows);
    auto const times = bench::medians(
        21, 5, [&] { joined.into(next, u), std::swap(u, next); }, [&] { apart.into(following, v), std::swap(v, following); },
        [&] { hand.step(); });
    if (world.rank() != 0) return 0;
    std::printf("%d ranks, a step: halo %.3f ms, stencil %.3f ms, by hand %.3f ms: %.2f and %.2f of its speed\n",
                static_cast<int>(world.size()), times[0] * 1e3, times[1] * 1e3, times[2] * 1e3, times[2] / times[0],
                times[2] / times[1]);
}
