// A data-parallel step beside what it is made of: the gradient alone, and the sums of the gradients alone, as processor time of
// the rank. Then over a wire that takes time but no processor: sums that are done at once and said to be done later. Run it by
// mpirun with two ranks.
#include "timing.hpp"

#include <tracexpr/tracexpr.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <map>
#include <thread>
#include <vector>

namespace {

namespace mpi = tx::mpi;
constexpr int layers = 8, width = 512, examples = 256;
constexpr double bytes = 4.0 * layers * width * width;
constexpr auto loss = [](auto const& w, auto x, auto y) {
    auto h = x;
    for (auto const& layer : w) h = decltype(h)(tx::tanh(tx::matmul(h, layer)));
    return tx::mean(tx::square(h - y));
};
// A third of a gradient's time is the forward pass; then each layer's gradient comes at equal distances, and goes on the wire,
// which has one message at a time. So the step takes this long at least.
double least_seconds(double compute, double wire) {
    return std::max(compute + wire / layers, compute / 3 + compute * 2 / 3 / layers + wire);
}

// The transport of the world, but sums take so many seconds a byte longer than they do, in which no processor is busy.
class slow_wire {
public:
    explicit slow_wire(double seconds_a_byte) : transport_(mpi::world().transport()) {
        seconds = seconds_a_byte;
        transport_.begin_all_reduce = [](tx::detail::rank_transport const&, tx::dtype type, tx::rank_reduction by, void* elements,
                                         std::int64_t count) {
            tx::detail::rank_transport const& real = mpi::world().transport();
            real.finish(real, real.begin_all_reduce(real, type, by, elements, count));
            double const takes = seconds * static_cast<double>(count) * static_cast<double>(tx::size_in_bytes(type));
            free_at = std::max(free_at, now()) + takes;
            due[++last] = free_at;
            return last;
        };
        transport_.progress = [](tx::detail::rank_transport const&) {};
        transport_.finish = [](tx::detail::rank_transport const&, std::uint64_t request) {
            double const left = due[request] - now();
            due.erase(request);
            if (left > 0) std::this_thread::sleep_for(std::chrono::duration<double>(left));
        };
        transport_.compare = nullptr;
        transport_.handle = reinterpret_cast<std::uintptr_t>(&transport_);
    }
    slow_wire(slow_wire const&) = delete;
    slow_wire& operator=(slow_wire const&) = delete;
    tx::detail::rank_transport const& transport() const { return transport_; }

private:
    static double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
    static inline double seconds = 0, free_at = 0;
    static inline std::uint64_t last = 0;
    static inline std::map<std::uint64_t, double> due;
    tx::detail::rank_transport transport_;
};
// What a function captures of it.
struct wire_communicator {
    slow_wire const* wire;
    tx::detail::rank_transport const& transport() const { return wire->transport(); }
    bool operator==(wire_communicator const&) const = default;
};

} // namespace
template <> inline constexpr bool tx::detail::is_trace_value<wire_communicator> = true;

int main(int argc, char** argv) {
    mpi::session session(argc, argv);
    auto const world = mpi::world();
    using matrix = tx::tensor<float, tx::shape<tx::dyn, tx::dyn>>;
    std::vector<matrix> const w(layers, matrix(tx::full<float>(tx::shape<width, width>{}, 0.01f)));
    matrix const x = tx::ones<float>(tx::shape<examples, width>{}), y = x;
    constexpr auto cpu = tx::cpu{.threads = 1};
    auto const gradient = tx::on(cpu, tx::function{tx::value_and_grad(loss)});
    auto const parallel = tx::on(cpu, mpi::data_parallel(tx::value_and_grad(loss), world, {.bucket_bytes = 1 << 20}));
    auto const [value, gradients] = gradient(w, x, y);
    auto const times = bench::medians(
        11, 5, [&] { gradient(w, x, y); }, [&] { parallel(w, x, y); }, [&] { mpi::all_reduce(gradients, mpi::mean, world); });
    double const busy = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    for (int k = 0; k < 20; ++k) mpi::all_reduce(gradients, mpi::mean, world);
    double const of_mpi = (static_cast<double>(std::clock()) / CLOCKS_PER_SEC - busy) / 20;
    if (world.rank() == 0)
        std::printf(
            "%d ranks: gradient %.2f ms, sums alone %.2f ms (%.2f ms of the processor), step %.2f ms: %.2f of compute + MPI\n",
            static_cast<int>(world.size()), times[0] * 1e3, times[2] * 1e3, of_mpi * 1e3, times[1] * 1e3,
            times[1] / (times[0] + of_mpi));
    for (double const share : {0.25, 0.5, 1.0, 2.0, 4.0}) { // of the gradient's time, that all sums take on the wire
        slow_wire const wire(share * times[0] / bytes);
        auto const slow =
            tx::on(cpu, mpi::data_parallel(tx::value_and_grad(loss), wire_communicator{&wire}, {.bucket_bytes = 1 << 20}));
        double const step = bench::medians(11, 5, [&] { slow(w, x, y); })[0];
        if (world.rank() == 0)
            std::printf("a wire that takes %.2f ms: step %.2f ms, %.2f of the longer of both, %.2f of the least possible\n",
                        share * times[0] * 1e3, step * 1e3, step / std::max(times[0], share * times[0]),
                        step / least_seconds(times[0], share * times[0]));
    }
}
