// This file tests repeated calls of functions that are traced at run time: into allocates nothing, and threads share one trace
// for each signature.
#include <counted_memory.hpp>
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

using vector_shape = tx::shape<tx::dyn>;
auto counting_from(float first, std::int64_t n) {
    auto out = tx::zeros<float, vector_shape>(n);
    for (std::int64_t i = 0; i < n; ++i) out.mutable_data()[i] = first + static_cast<float>(i);
    return out;
}

} // namespace

TEST_CASE("tiles: repeated calls into a result allocate nothing") {
    float k = 2;
    tx::function const f{[&k](auto x, auto y) { return tx::softmax(x * k + y) * tx::sum(tx::exp(-x)); }};
    tx::tensor<float> open = {{1, 2}, {3, 4}};
    tx::function const g{[](auto x) { return tx::matmul(x, x) + tx::transpose(x); }};
    auto const x = counting_from(0, 100), y = counting_from(1, 100), z = counting_from(2, 7);
    auto out = f(x, y);
    auto short_out = f(z, z);
    auto product = g(open);
    CHECK(tx::testing::allocations_in_steady_state([&] { f.into(out, x, y), f.into(short_out, z, z), g.into(product, open); }) == 0);
    CHECK(product(0, 0) == 8);
}

TEST_CASE("tiles: threads with mixed signatures") {
    float k = 2;
    tx::function const f{[&k](auto x) { return tx::sum(x * k + 1); }};
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 2000; ++i) {
                std::int64_t const n = 1 + (i + t) % 40;
                float const want = static_cast<float>(n * (n - 1) + n);
                if (f(counting_from(0, n)).item() != want) ++wrong;
                tx::tensor<double> const open = {1.0, 2.0};
                if (f(open).item() != 8) ++wrong;
            }
        });
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
    CHECK(f.tracing_count() == 2);
}
