// What a call costs the host: a function of 20 ops on 1,000 elements, beside the launch of an empty kernel.
#include "timing.hpp"

namespace {

__global__ void nothing() {}

} // namespace

int main() {
    constexpr std::int64_t n = 1000;
    constexpr int calls = 200;
    auto const x = gpu::spread(n, -3, 3, 1), y = gpu::spread(n, 0.5f, 1.5f, 2);
    gpu::require_same("chain_20", kernels::chain_20, x, y);
    double const launch = gpu::host_seconds_per_call(calls, [] { nothing<<<1, 32>>>(); });
    gpu::print("launch of an empty kernel, the host's part", gpu::figure(launch * 1e6, "µs"));

    auto const placed = tx::on(gpu::there, kernels::chain_20);
    auto const x_there = tx::to(gpu::there, x), y_there = tx::to(gpu::there, y);
    gpu::vector out = placed(x_there, y_there);
    auto const call = [&] { out = placed(x_there, y_there); };
    gpu::print("chain_20/1000, the host's part", gpu::figure(gpu::host_seconds_per_call(calls, call) * 1e6, "µs"));
    gpu::print("chain_20/1000", gpu::figure(gpu::seconds_per_call(call) * 1e6, "µs"));
}
