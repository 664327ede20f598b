// sort of rows of floats and doubles: backends/calls/sort.hpp and std::sort of each row.
#include "harness.hpp"

#include <tracexpr/backends/calls/sort.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace {

template <class T> struct unsorted {
    std::int64_t rows, n;
    harness::buffer<T> x, out;

    unsorted(std::int64_t count, std::int64_t length)
        : rows{count}, n{length}, x(harness::uniform<T>(static_cast<std::size_t>(count * length), -1e6, 1e6, 1)), out(x) {}
};
template <class T> void by_tracexpr(unsorted<T>& u) { tx::simd::sort<T>(u.rows, u.n, 1, u.x.data(), false, u.out.data()); }
template <class T> void by_std(unsorted<T>& u) {
    std::copy(u.x.begin(), u.x.end(), u.out.begin());
    for (std::int64_t row = 0; row < u.rows; ++row) std::sort(u.out.data() + row * u.n, u.out.data() + (row + 1) * u.n);
}

template <class T> void add(std::string const& name, unsorted<T>& u, void (*run)(unsorted<T>&)) {
    benchmark::RegisterBenchmark(name.c_str(), [&u, run](benchmark::State& state) {
        for (auto step : state) {
            static_cast<void>(step);
            run(u);
            benchmark::ClobberMemory();
        }
        state.SetItemsProcessed(state.iterations() * u.rows * u.n);
    });
}
template <class T> bool add_all(std::int64_t rows, std::int64_t n) {
    auto& u = *new unsorted<T>(rows, n); // lives as long as the registered benchmarks: until the program ends
    std::string const name = std::string("sort/") + harness::dtype_name<T> + "/" + std::to_string(rows) + "x" + std::to_string(n) + "/";
    by_std(u);
    auto const expected = u.out;
    by_tracexpr(u);
    add(name + "tracexpr", u, by_tracexpr<T>);
    add(name + "std", u, by_std<T>);
    return u.out == expected;
}

} // namespace

int main(int argc, char** argv) {
    for (auto const& [rows, n] : {std::pair<std::int64_t, std::int64_t>{1, 1000000}, {1000, 1000}, {100000, 100}, {100000, 16}})
        if (!add_all<float>(rows, n) || !add_all<double>(rows, n)) {
            std::fprintf(stderr, "sort: wrong result\n");
            return EXIT_FAILURE;
        }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
