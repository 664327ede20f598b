// What the library adds to a call of MPI's: all_reduce of 8 floats and of 64 MiB through a communicator's transport, and
// MPI_Allreduce on the same communicator, by turns. Prints medians, and what the one costs over the other. Run it by mpirun with
// two ranks.
#include "timing.hpp"

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {
class all_reduce {
public:
    explicit all_reduce(std::int64_t count) : operand_(static_cast<std::size_t>(count), 1.0f), result_(operand_.size()) {
        call_.form.what = tx::collective_kind::all_reduce;
        call_.type = tx::dtype::float32;
        call_.operand = operand_.data(), call_.result = result_.data();
        call_.extents.push_back(count), call_.result_extents.push_back(count);
    }
    all_reduce(all_reduce const&) = delete;
    all_reduce& operator=(all_reduce const&) = delete;

    void by_library() { transport_.run(transport_, call_); }
    void by_mpi() {
        MPI_Allreduce(operand_.data(), result_.data(), static_cast<int>(operand_.size()), MPI_FLOAT, MPI_SUM, comm_);
    }

private:
    tx::detail::rank_transport const& transport_ = tx::mpi::world().transport();
    MPI_Comm comm_ = tx::mpi::world().native();
    std::vector<float> operand_, result_;
    tx::detail::collective_call call_;
};

std::vector<double> measure(std::int64_t count, int rounds, int calls) {
    all_reduce reduction(count);
    return bench::medians(rounds, calls, [&] { reduction.by_library(); }, [&] { reduction.by_mpi(); });
}
} // namespace

int main(int argc, char** argv) {
    tx::mpi::session session(argc, argv);
    std::vector<double> const small = measure(8, 401, 1000);
    constexpr double bytes = 64.0 * (1 << 20);
    std::vector<double> const large = measure(std::int64_t(bytes) / 4, 21, 1);
    if (tx::mpi::world().rank() != 0) return 0;
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(version, &length);
    std::printf("%.20s: %d ranks\n", version, static_cast<int>(tx::mpi::world().size()));
    std::printf("8 floats: %.3f us, MPI %.3f us: %.3f us more\n", small[0] * 1e6, small[1] * 1e6, (small[0] - small[1]) * 1e6);
    std::printf("64 MiB: %.2f GB/s, MPI %.2f GB/s: %.3f of it\n", bytes / large[0] / 1e9, bytes / large[1] / 1e9,
                large[1] / large[0]);
}
