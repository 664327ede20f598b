// This file tests one function called by many threads.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

using tx::any_shape;
using tx::dyn;
using tx::shape;
using tx::tensor;

namespace {

constexpr int thread_count = 8;

template <class Body> void in_threads(Body body) {
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < thread_count; ++t)
        threads.emplace_back([&, t] {
            ++ready;
            while (ready < thread_count) {}
            body(t);
        });
    for (std::thread& t : threads) t.join();
}

constexpr auto body = [](auto x, auto y) { return tx::sum(x * y + 1); };

} // namespace

TEST_CASE("threads: the compiler's traces are counted once") {
    tx::function g{body};
    std::atomic<int> wrong{0};
    in_threads([&](int t) {
        auto const k = static_cast<float>(t);
        for (int i = 0; i < 100; ++i) {
            if (g(tensor<float, shape<3>>{k, k, k}, 2).item() != 6 * k + 3) ++wrong;
            if (g(tensor<float, shape<dyn>>{k, 1}, k).item() != k * k + k + 2) ++wrong;
            float out = 0;
            tensor<float, shape<>> total;
            g.into(total, tensor<float, shape<2>>{k, 1}, k);
            out = total.item();
            if (out != k * k + k + 2) ++wrong;
        }
    });
    CHECK(wrong == 0);
    CHECK(g.tracing_count() == 3);
}

TEST_CASE("threads: a run-time signature is traced once") {
    std::atomic<int> traced{0}, wrong{0};
    tx::function g{[&](auto x, int n) {
        ++traced;
        return x * static_cast<float>(n);
    }};
    in_threads([&](int t) {
        for (int i = 0; i < 20; ++i) {
            int const n = (t + i) % 5;
            if (g(tensor<float>{1, 2}, tx::key(n))(1) != 2 * static_cast<float>(n)) ++wrong;
        }
    });
    CHECK(wrong == 0);
    CHECK(traced == 5);
    CHECK(g.tracing_count() == 5);
}

TEST_CASE("threads: traces that throw, and clearing, harm nobody") {
    std::atomic<int> wrong{0}, thrown{0};
    tx::function g{[&](auto x, int n) {
        if (n == 3) throw tx::trace_error("tx: test: three");
        return x + static_cast<float>(n);
    }};
    in_threads([&](int t) {
        for (int i = 0; i < 20; ++i) {
            int const n = (t + i) % 5;
            try {
                if (g(tensor<float>{1, 2}, tx::key(n))(0) != 1 + static_cast<float>(n)) ++wrong;
            } catch (tx::trace_error const&) {
                if (n == 3) ++thrown;
            }
            if (t == 0 && i % 5 == 0) g.clear();
            g.tracing_count();
        }
    });
    CHECK(wrong == 0);
    CHECK(thrown == thread_count * 4);
}
