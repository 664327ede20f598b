// Elementwise expressions over 2^28 float32.
#include "timing.hpp"

namespace {

constexpr std::int64_t n = std::int64_t{1} << 28, few = 100'003;
constexpr double array_bytes = 4.0 * n, bar = 0.92;

struct arguments {
    gpu::vector x, y, spot, strike, time;
};
arguments made(std::int64_t size) {
    return {gpu::spread(size, -3, 3, 1), gpu::spread(size, 0.5f, 1.5f, 2), gpu::spread(size, 5, 30, 3), gpu::spread(size, 1, 100, 4),
            gpu::spread(size, 0.25f, 10, 5)};
}

} // namespace

int main() {
    arguments const small = made(few);
    gpu::require_same("axpy", kernels::half_axpy, small.x, small.y);
    gpu::require_same("expmix", kernels::expmix, small.x, small.y);
    gpu::require_same("chain_20", kernels::chain_20, small.x, small.y);
    gpu::require_same("black_scholes", kernels::option_price, small.spot, small.strike, small.time);

    gpu::memory_bound bench(4 * n);
    arguments const all = tx::to(gpu::there, made(n));
    bench.measure("axpy", 3 * array_bytes, bar, kernels::half_axpy, all.x, all.y);
    bench.measure("expmix", 3 * array_bytes, bar, kernels::expmix, all.x, all.y);
    bench.measure("chain_20", 3 * array_bytes, bar, kernels::chain_20, all.x, all.y);
    bench.measure("black_scholes", 4 * array_bytes, 0, kernels::option_price, all.spot, all.strike, all.time);
}
