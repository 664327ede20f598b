// Softmax and layer norm of the rows of a matrix, 65536 x 1024 float32.
#include "timing.hpp"

namespace {

constexpr std::int64_t rows = 65536, columns = 1024;
constexpr double array_bytes = 4.0 * rows * columns, bar = 0.85;

struct arguments {
    gpu::matrix x;
    gpu::vector gain, bias;
};
arguments made(std::int64_t height, std::int64_t width) {
    return {gpu::spread(height, width, -3, 3, 1), gpu::spread(width, 0.5f, 1.5f, 2), gpu::spread(width, -1, 1, 3)};
}

} // namespace

int main() {
    for (std::int64_t const width : {std::int64_t{517}, columns}) {
        arguments const small = made(131, width);
        gpu::require_same("softmax", kernels::softmax_rows, small.x);
        gpu::require_same("layer_norm", kernels::layer_norm_rows, small.x, small.gain, small.bias);
    }
    gpu::memory_bound bench(4 * rows * columns);
    arguments const all = tx::to(gpu::there, made(rows, columns));
    bench.measure("softmax/65536x1024", 2 * array_bytes, bar, kernels::softmax_rows, all.x);
    bench.measure("layer_norm/65536x1024", 2 * array_bytes, bar, kernels::layer_norm_rows, all.x, all.gain, all.bias);
}
