// This file tests one program of files for several processors: they exchange tensors, and share functions, tapes and traces.
#include "../waves.hpp"
#include "programs.hpp"

#include <cmath>
#include <vector>

namespace {
// Those that this processor runs.
std::vector<programs const*> every_program() {
    std::vector<programs const*> out{&for_v2};
    bool const has_v4 =
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (has_v4) out.push_back(&for_v4);
    return out;
}
} // namespace

TEST_CASE("processors: each file's functions give right numbers") {
    for (programs const* const p : every_program())
        for (std::int64_t const count : {1, 7, 1000}) {
            floats const x = numbers(count);
            check(p->eager(x), x, [](double a) { return std::exp(a) * a; });
            check(p->wave(x), x, wave_of);
            check(p->shared_wave(x), x, wave_of);
            floats out;
            p->wave_into(out, x);
            check(out, x, wave_of);
            check(p->gradient(x), x, [](double a) { return 3 * a * a; });
            double total = 0;
            for (float const a : x) total += static_cast<double>(a);
            CHECK(static_cast<double>(p->sum(x)) == doctest::Approx(total).epsilon(1e-4));
            triple const given{0.5, 1, -2}, t = p->eager_triple(given);
            for (int i = 0; i < 3; ++i) CHECK(t(i) == doctest::Approx(std::exp(given(i)) * given(i)));
        }
}

TEST_CASE("processors: products") {
    for (programs const* const p : every_program())
        for (std::int64_t const n : {3, 40, 150}) {
            matrix const a = tx::reshape<tx::shape<tx::dyn, tx::dyn>>(numbers(n * n), n, n), b = tx::transpose(a);
            matrix const c = p->product(a, b);
            for (std::int64_t const i : {std::int64_t{0}, n / 2, n - 1}) {
                double expected = 0;
                for (std::int64_t k = 0; k < n; ++k) expected += static_cast<double>(a(i, k)) * static_cast<double>(b(k, n - 1));
                CHECK(static_cast<double>(c(i, n - 1)) == doctest::Approx(expected).epsilon(1e-4));
            }
        }
}

TEST_CASE("processors: a tape records what every file computes") {
    floats const x = numbers(100);
    for (programs const* const first : every_program())
        for (programs const* const second : every_program()) {
            tx::gradient_tape tape;
            tape.watch(x);
            floats const y = second->eager(first->wave(x));
            check(tape.gradient(y, x), x, [](double a) {
                double const w = wave_of(a);
                return std::exp(w) * (w + 1) * (std::cos(a) * a + std::sin(a));
            });
        }
}

TEST_CASE("processors: a function that files share counts its traces once") {
    for (programs const* const p : every_program()) p->shared_wave(numbers(5));
    CHECK(shared_wave.tracing_count() == 1);
}
