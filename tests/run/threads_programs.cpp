// Eight threads call functions with loops, branches, draws, opaque callables and effects, of several signatures: each call gives
// what it gives alone.
#include <tracexpr/tracexpr.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace {

using vec = tx::tensor<double, tx::shape<tx::dyn>>;
constexpr int thread_count = 8, calls_of_each = 10000;

vec numbers(std::int64_t count) {
    vec out = tx::zeros<double, tx::shape<tx::dyn>>(count);
    for (std::int64_t k = 0; k < count; ++k) out.mutable_data()[k] = 0.25 * static_cast<double>(k + 1);
    return out;
}
// The arguments have a rank that only the run knows: a signature for each of these lengths.
std::array<tx::tensor<double>, 5> const arguments{numbers(1), numbers(2), numbers(3), numbers(5), numbers(8)};

std::atomic<int> calls = 0;

} // namespace

TEST_CASE("threads: loops, branches, draws, opaque callables and effects, of several signatures") {
    tx::random::key const key(3);
    auto const program = [key](auto x) {
        auto const halved = [](auto const& v) { return ++calls, v * 0.5; };
        auto const step = [&](auto i, auto s) {
            tx::assert_that(tx::all(s < 1e9), "step {}: {}", i, s);
            return tx::cond(
                tx::sum(s) > 1.0,
                [&] {
                    return tx::opaque<tx::spec<double, tx::shape<>>>([=](auto const& v) { return halved(v); }, tx::sum(s)) * s *
                           0.25;
                },
                [&] { return s + 0.5; });
        };
        auto const noise = tx::random::stateless_uniform<double>(key, tx::shape<>{});
        return tx::sum(tx::fori_loop(0, 4, step, x)) + noise;
    };
    tx::function const f{program};
    tx::function const gradient{tx::grad(program)};
    std::array<double, arguments.size()> values{}, slopes{};
    std::array<int, arguments.size()> made{};
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        int const before = calls;
        values[k] = tx::function{program}(arguments[k]).item();
        made[k] = calls - before;
        slopes[k] = tx::sum(tx::function{tx::grad(program)}(arguments[k])).item();
    }
    std::atomic<int> wrong = 0;
    calls = 0;
    int expected = 0;
    std::vector<std::thread> all;
    for (int t = 0; t < thread_count; ++t)
        all.emplace_back([&, t] {
            for (int n = 0; n < calls_of_each; ++n) {
                std::size_t const k = static_cast<std::size_t>(n * 7 + t) % arguments.size();
                if (n % 4 == 3) wrong += tx::sum(gradient(arguments[k])).item() != slopes[k];
                else wrong += f(arguments[k]).item() != values[k];
            }
        });
    for (std::thread& t : all) t.join();
    for (int t = 0; t < thread_count; ++t)
        for (int n = 0; n < calls_of_each; ++n) expected += made[static_cast<std::size_t>(n * 7 + t) % arguments.size()];
    CHECK(wrong == 0);
    CHECK(calls == expected);
    CHECK(f.tracing_count() == arguments.size());
    CHECK(gradient.tracing_count() == arguments.size());
}
