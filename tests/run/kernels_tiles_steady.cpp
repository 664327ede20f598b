// This file tests repeated calls of functions that the compiler traced and tiles run: into allocates nothing, and threads share
// programs.
#include <counted_memory.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

constexpr tx::options on_tiles{.kernels = tx::kernels::tiles};
auto counting(std::int64_t n) {
    auto out = tx::zeros<float, tx::shape<tx::dyn>>(n);
    for (std::int64_t i = 0; i < n; ++i) out.mutable_data()[i] = static_cast<float>(i);
    return out;
}

} // namespace

TEST_CASE("kernels::tiles: repeated calls into a result allocate nothing") {
    tx::static_function const f{[](auto x, auto y) { return std::pair(tx::softmax(x + y) * tx::sum(tx::exp(-x)), tx::max(x)); }, on_tiles};
    tx::static_function const g{[](auto x) { return tx::matmul(x, x) + tx::transpose(x); }, on_tiles};
    auto const x = counting(100), y = counting(100), z = counting(7);
    tx::tensor<float, tx::shape<2, 2>> const fixed = {{1, 2}, {3, 4}};
    auto out = f(x, y), short_out = f(z, z);
    auto product = g(fixed);
    CHECK(tx::testing::allocations_in_steady_state([&] { f.into(out, x, y), f.into(short_out, z, z), g.into(product, fixed); }) == 0);
    CHECK(product(0, 0) == 8);
}

TEST_CASE("kernels::tiles: threads with mixed extents") {
    tx::static_function const f{[](auto x) { return tx::sum(x * 2 + 1); }, on_tiles};
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 2000; ++i) {
                std::int64_t const n = 1 + (i + t) % 40;
                if (f(counting(n)).item() != static_cast<float>(n * (n - 1) + n)) ++wrong;
                if (f(tx::tensor<double, tx::shape<2>>{1.0, 2.0}).item() != 8) ++wrong;
            }
        });
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
    CHECK(f.tracing_count() == 2);
}
