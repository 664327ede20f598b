// Sums of 2^28 float32: of all, which each call waits for, since its result is a number here; of columns, of rows.
#include "timing.hpp"

namespace {

constexpr std::int64_t rows = std::int64_t{1} << 16, columns = std::int64_t{1} << 12, n = rows * columns;
constexpr double array_bytes = 4.0 * n, bar = 0.92;

template <class X, class Y> void require_all_same(X const& x, Y const& m) {
    gpu::require_same("sum", kernels::sum, x);
    gpu::require_same("sqdiff", kernels::sqdiff, x, x + 0.5f);
    gpu::require_same("column_sums", kernels::column_sums, m);
    gpu::require_same("row_sums", kernels::row_sums, m);
}

} // namespace

int main() {
    require_all_same(gpu::spread(100'003, 0.5f, 1.5f, 1), gpu::spread(1003, 517, 0.5f, 1.5f, 2));
    gpu::memory_bound bench(4 * n);
    {
        auto const x = tx::to(gpu::there, gpu::spread(n, 0.5f, 1.5f, 1)), y = tx::to(gpu::there, gpu::spread(n, 0.5f, 1.5f, 2));
        bench.measure("sum", array_bytes, bar, kernels::sum, x);
        bench.measure("sqdiff", 2 * array_bytes, bar, kernels::sqdiff, x, y);
    }
    auto const m = tx::to(gpu::there, gpu::spread(rows, columns, 0.5f, 1.5f, 3));
    bench.measure("column_sums/65536x4096", array_bytes, bar, kernels::column_sums, m);
    bench.measure("row_sums/65536x4096", array_bytes, bar, kernels::row_sums, m);
}
