// Matrices taken apart, one large one and many of the middle hundreds: Cholesky's factors, solutions, eigenvectors, Q R, singular
// values.
#include "timing.hpp"

namespace {

constexpr auto cholesky = [](auto a) { return tx::linalg::cholesky(a); };
constexpr auto solve = [](auto a) { return tx::linalg::solve(a, a); };
constexpr auto eigh = [](auto a) { return tx::linalg::eigh(a); };
constexpr auto qr = [](auto a) { return tx::linalg::qr(a); };
constexpr auto svd = [](auto a) { return tx::linalg::svd(a); };
constexpr auto svdvals = [](auto a) { return tx::linalg::svdvals(a); };

using batch = tx::tensor<float, tx::shape<tx::dyn, tx::dyn, tx::dyn>>;

// Whose symmetric part, which cholesky and eigh read, is positive definite.
batch definite(std::int64_t count, std::int64_t n) {
    batch out = gpu::spread<batch>({{count, n, n}, 3}, -1, 1, 1);
    float* const to = out.mutable_data();
    for (std::int64_t i = 0; i < count * n; ++i) to[i * n + i % n] += static_cast<float>(n);
    return out;
}

} // namespace

int main() {
    gpu::require_same("cholesky", tx::function{cholesky}, definite(3, 100));
    gpu::require_same("solve", tx::function{solve}, definite(3, 100));
    gpu::require_same("svdvals", tx::function{svdvals}, gpu::spread<batch>({{3, 100, 80}, 3}, -1, 1, 2));
    gpu::memory_bound bench(std::int64_t{1} << 28);
    struct extents {
        std::int64_t count, n;
    };
    for (auto const [count, n] : {extents{1, 2048}, extents{1, 512}, extents{256, 128}, extents{64, 256}}) {
        batch const a = tx::to(gpu::there, definite(count, n));
        std::string const size = "/" + std::to_string(count) + "x" + std::to_string(n) + "x" + std::to_string(n);
        bench.measure("cholesky" + size, 0, 0, tx::function{cholesky}, a);
        bench.measure("solve" + size, 0, 0, tx::function{solve}, a);
        bench.measure("eigh" + size, 0, 0, tx::function{eigh}, a);
        bench.measure("qr" + size, 0, 0, tx::function{qr}, a);
        if (n < 2048) bench.measure("svd" + size, 0, 0, tx::function{svd}, a); // by far the slowest
    }
}
