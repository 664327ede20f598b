// Shared by the benchmarks: inputs with a fixed seed, the list of competitors, registration under one naming scheme
// (expmix/f32/100000/eigen), and the check that every competitor computes the same thing before anything is measured.
#pragma once

#include "aligned_buffer.hpp"
#include "baselines/baselines.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace harness {

using bench::buffer;

// L1, L2 and memory.
inline constexpr std::size_t vector_lengths[]{1'000, 100'000, 10'000'000};
// As it is called where the tensors' types say it.
inline std::string known_size(std::size_t n) { return "known " + std::to_string(n); }

template <class T> inline constexpr char const* dtype_name = std::is_same_v<T, float> ? "f32" : "f64";

template <class T> buffer<T> uniform(std::size_t n, double low, double high, std::uint32_t seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> draw(low, high);
    buffer<T> values(n);
    for (T& value : values) value = static_cast<T>(draw(engine));
    return values;
}

template <class T> std::vector<baselines::competitor<T>> competitors() {
    return {baselines::plain<T>(), baselines::eigen<T>(), baselines::eigen_rows<T>(), baselines::xtensor<T>(),
            baselines::xtensor_rows<T>()};
}

// What one benchmark measures. `elements` are those of the larger of input and output; `bytes` is what has to cross the
// memory bus once.
struct subject {
    std::string name; // axpy/f32/1000
    std::size_t elements;
    std::size_t bytes;
};

template <class Run> void add(subject const& what, std::string const& who, Run run) {
    benchmark::RegisterBenchmark((what.name + "/" + who).c_str(), [=](benchmark::State& state) mutable {
        for (auto step : state) {
            static_cast<void>(step);
            run();
            benchmark::ClobberMemory();
        }
        auto const rounds = static_cast<std::size_t>(state.iterations());
        state.SetItemsProcessed(static_cast<std::int64_t>(rounds * what.elements));
        state.SetBytesProcessed(static_cast<std::int64_t>(rounds * what.bytes));
    });
}

// Stops the program when an element differs from the reference by more than 1e-4 (float) or 1e-10 (double) of its own
// size or, near zero, of the mean size of all elements.
template <class T> void require_equal(std::string const& name, buffer<T> const& expected, buffer<T> const& got) {
    double const tolerance = std::is_same_v<T, float> ? 1e-4 : 1e-10;
    double mean_size = 0;
    for (T value : expected) mean_size += std::abs(static_cast<double>(value)) / static_cast<double>(expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        double const want = static_cast<double>(expected[i]);
        double const have = static_cast<double>(got[i]);
        if (std::abs(want - have) <= tolerance * std::max(std::abs(want), mean_size)) continue;
        std::fprintf(stderr, "%s: element %zu is %.17g, the reference says %.17g\n", name.c_str(), i, have, want);
        std::exit(1);
    }
}

// Registers every competitor that has the kernel `member`, called as member(arguments..., out), after comparing its result
// with the reference, and returns that. Above four million elements the comparison is left out, because it would take longer
// than the measurement; what is returned is empty.
template <class T, class... Parameters, class... Arguments>
buffer<T> add_competitors(subject const& what, void (*baselines::competitor<T>::*member)(Parameters...),
                          std::type_identity_t<std::span<T>> out, Arguments... arguments) {
    bool const comparable = what.elements <= (std::size_t{1} << 22);
    buffer<T> expected(comparable ? out.size() : 0);
    if (comparable) (baselines::reference<T>().*member)(arguments..., expected.data());
    for (baselines::competitor<T> const& c : competitors<T>()) {
        auto const kernel = c.*member;
        if (!kernel) continue;
        if (comparable) {
            kernel(arguments..., out.data());
            require_equal(what.name + "/" + c.name, expected, buffer<T>(out.begin(), out.end()));
        }
        add(what, c.name, [=, to = out.data()] { kernel(arguments..., to); });
    }
    return expected;
}

inline int run(int argc, char** argv) {
    for (baselines::competitor<float> const& c : competitors<float>()) benchmark::AddCustomContext(c.name, c.version);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}

} // namespace harness
