// Shared by the GPU benchmarks: arguments on the device, the check that a function gives there what it gives on the CPU, time,
// and the rows that are printed. Time is the host's, between waits for the device, of as many calls as take a while; the median
// of several rounds.
#pragma once

#include "../tracexpr_functions.hpp"

#include <tracexpr/thrust.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace gpu {

inline constexpr tx::thrust_device there{};
using vector = tx::tensor<float, tx::shape<tx::dyn>>;
using matrix = tx::tensor<float, tx::shape<tx::dyn, tx::dyn>>;

inline void require(cudaError_t status) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
    std::exit(1);
}

// Tensors with these extents, of numbers from low to high that look random.
template <class Tensor> Tensor spread(tx::dims const& extents, float low, float high, std::uint32_t seed) {
    Tensor out = Tensor::uninitialized(extents);
    float* const to = out.mutable_data();
    std::int64_t const n = out.size();
    for (std::int64_t i = 0; i < n; ++i) {
        std::uint32_t bits = (static_cast<std::uint32_t>(i) + seed * 977u) * 2654435761u;
        bits = (bits ^ (bits >> 15)) * 2246822519u;
        to[i] = low + (high - low) * static_cast<float>(bits >> 8) * 0x1p-24f;
    }
    return out;
}
inline vector spread(std::int64_t n, float low, float high, std::uint32_t seed) {
    return spread<vector>({{n}, 1}, low, high, seed);
}
inline matrix spread(std::int64_t rows, std::int64_t columns, float low, float high, std::uint32_t seed) {
    return spread<matrix>({{rows, columns}, 2}, low, high, seed);
}

// Stops the program where an element differs from what is expected by more than a part of its size or, near zero, of the mean
// size.
template <class A, class B> void require_near(std::string const& name, A const& expected, B const& got, double tolerance) {
    double mean_size = 0;
    for (auto value : expected) mean_size += std::abs(static_cast<double>(value)) / static_cast<double>(expected.size());
    auto have = got.begin();
    for (auto value : expected) {
        double const want = static_cast<double>(value), found = static_cast<double>(*have++);
        if (std::abs(want - found) <= tolerance * std::max(std::abs(want), mean_size)) continue;
        std::fprintf(stderr, "%s: the device says %.9g, expected is %.9g\n", name.c_str(), found, want);
        std::exit(1);
    }
}

inline double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
inline void wait() { require(cudaDeviceSynchronize()); }
inline double median(std::vector<double> of) {
    std::nth_element(of.begin(), of.begin() + of.size() / 2, of.end());
    return of[of.size() / 2];
}
inline constexpr int rounds = 9;
template <class Run> double seconds_per_call(Run const& run) {
    auto const timed = [&](int calls) {
        wait();
        double const begin = now();
        for (int i = 0; i < calls; ++i) run();
        wait();
        return (now() - begin) / calls;
    };
    int calls = 2;
    while (timed(calls) * calls < 0.05) calls *= 2;
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i) times.push_back(timed(calls));
    return median(times);
}
// What the host needs to give the device so many calls, which must fit in the queue.
template <class Run> double host_seconds_per_call(int calls, Run const& run) {
    std::vector<double> times;
    for (int i = 0; i < 3 * rounds; ++i) {
        wait();
        double const begin = now();
        for (int k = 0; k < calls; ++k) run();
        times.push_back((now() - begin) / calls);
    }
    wait();
    return median(times);
}

// Bytes per second, read and written, of copies within the device's memory.
inline double copy_speed(std::int64_t bytes) {
    void *from = nullptr, *to = nullptr;
    auto const size = static_cast<std::size_t>(bytes);
    require(cudaMalloc(&from, size));
    require(cudaMalloc(&to, size));
    require(cudaMemset(from, 1, size));
    double const seconds = seconds_per_call([=] { require(cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToDevice)); });
    require(cudaFree(from));
    require(cudaFree(to));
    return 2 * static_cast<double>(bytes) / seconds;
}

// A line of the table: | workload | who | time | speed | of copy | bar |. No bar: 0.
inline void print(std::string const& name, std::string const& time, std::string const& speed = "", double ratio = 0,
                  double bar = 0) {
    char of_copy[16] = "", wanted[32] = "";
    if (ratio > 0) std::snprintf(of_copy, sizeof of_copy, "%.2f", ratio);
    if (bar > 0) std::snprintf(wanted, sizeof wanted, "%.2f%s", bar, ratio >= bar ? "" : " missed");
    std::printf("| %s | tracexpr | %s | %s | %s | %s |\n", name.c_str(), time.c_str(), speed.c_str(), of_copy, wanted);
    std::fflush(stdout);
}
inline std::string figure(double number, char const* unit) {
    char text[48];
    std::snprintf(text, sizeof text, "%.4g %s", number, unit);
    return text;
}
inline void print_copy(std::string const& name, double speed) { print(name, "", figure(speed / 1e9, "GB/s"), 1); }

// One program's workloads, against copies of the same run.
class memory_bound {
public:
    explicit memory_bound(std::int64_t bytes) : copy_{copy_speed(bytes)} {
        print_copy("copy/" + std::to_string(bytes >> 20) + " MiB", copy_);
    }

    // bytes: what has to be read or written once; 0: memory is not what it waits for.
    template <class F, class... A>
    void measure(std::string const& name, double bytes, double bar, F const& f, A const&... arguments) {
        auto const placed = tx::on(there, f);
        auto out = placed(arguments...);
        double const seconds = seconds_per_call([&] { placed.into(out, arguments...); }), speed = bytes / seconds;
        print(name, figure(seconds * 1e3, "ms"), bytes > 0 ? figure(speed / 1e9, "GB/s") : "", speed / copy_, bar);
    }

private:
    double copy_;
};
// Of smaller arguments, on the CPU.
template <class F, class... A> void require_same(std::string const& name, F const& f, A const&... arguments) {
    require_near(name, f(arguments...), tx::on(there, f)(tx::to(there, arguments)...), 1e-4);
}

} // namespace gpu
