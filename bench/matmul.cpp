// General matrix products of square matrices, one thread: the own kernel, Eigen, OpenBLAS where it is there, and a plain loop.
#include <tracexpr/backends/contractions/matmul.hpp>

#include <benchmark/benchmark.h>

#include <Eigen/Core>

#if __has_include(<cblas.h>) && defined(BENCH_BLAS)
#include <cblas.h>
#endif

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

namespace {

template <class T> struct operands {
    std::int64_t size;
    std::vector<T> a, b, c;

    explicit operands(std::int64_t n) : size{n}, a(elements()), b(elements()), c(elements()) {
        for (std::size_t i = 0; i < a.size(); ++i) {
            a[i] = static_cast<T>(static_cast<double>(i * 2654435761u % 1000u) / 1000.0 - 0.5);
            b[i] = static_cast<T>(static_cast<double>(i * 40503u % 1000u) / 1000.0 - 0.5);
        }
    }
    std::size_t elements() const { return static_cast<std::size_t>(size * size); }
};

template <class T> void tracexpr_product(operands<T>& x) {
    tx::simd::gemm(x.size, x.size, x.size, x.a.data(), x.size, 1, x.b.data(), x.size, 1, x.c.data(), x.size);
}
template <class T> void tracexpr_transposed(operands<T>& x) {
    tx::simd::gemm(x.size, x.size, x.size, x.a.data(), 1, x.size, x.b.data(), 1, x.size, x.c.data(), x.size);
}
template <class T> using eigen_map = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
template <class T> void eigen_product(operands<T>& x) {
    eigen_map<T> a(x.a.data(), x.size, x.size), b(x.b.data(), x.size, x.size), c(x.c.data(), x.size, x.size);
    c.noalias() = a * b;
}
template <class T> void eigen_transposed(operands<T>& x) {
    eigen_map<T> a(x.a.data(), x.size, x.size), b(x.b.data(), x.size, x.size), c(x.c.data(), x.size, x.size);
    c.noalias() = a.transpose() * b.transpose();
}
template <class T> void plain_product(operands<T>& x) {
    for (std::int64_t i = 0; i < x.size; ++i) {
        T* const row = x.c.data() + i * x.size;
        for (std::int64_t j = 0; j < x.size; ++j) row[j] = 0;
        for (std::int64_t k = 0; k < x.size; ++k)
            for (std::int64_t j = 0; j < x.size; ++j)
                row[j] += x.a[static_cast<std::size_t>(i * x.size + k)] * x.b[static_cast<std::size_t>(k * x.size + j)];
    }
}
#if defined(BENCH_BLAS)
void blas(CBLAS_TRANSPOSE order, operands<float>& x) {
    int const n = static_cast<int>(x.size);
    cblas_sgemm(CblasRowMajor, order, order, n, n, n, 1, x.a.data(), n, x.b.data(), n, 0, x.c.data(), n);
}
void blas(CBLAS_TRANSPOSE order, operands<double>& x) {
    int const n = static_cast<int>(x.size);
    cblas_dgemm(CblasRowMajor, order, order, n, n, n, 1, x.a.data(), n, x.b.data(), n, 0, x.c.data(), n);
}
#endif

template <class T> void check(std::string const& name, std::vector<T> const& expected, std::vector<T> const& got) {
    double const tolerance = std::is_same_v<T, float> ? 1e-4 : 1e-11;
    for (std::size_t i = 0; i < got.size(); ++i)
        if (!(std::abs(static_cast<double>(expected[i]) - static_cast<double>(got[i])) <= tolerance * std::sqrt(double(got.size())))) {
            std::fprintf(stderr, "%s: element %zu is %g, expected %g\n", name.c_str(), i, double(got[i]), double(expected[i]));
            std::exit(1);
        }
}

template <class T, class Run> void add(std::string const& name, operands<T>& x, Run run) {
    benchmark::RegisterBenchmark(name.c_str(), [&x, run](benchmark::State& state) {
        for (auto step : state) {
            static_cast<void>(step);
            run(x);
            benchmark::ClobberMemory();
        }
        double const n = static_cast<double>(x.size);
        state.counters["flop"] = benchmark::Counter(2 * n * n * n, benchmark::Counter::kIsIterationInvariantRate);
    });
}

template <class T> void add_size(std::int64_t size) {
    auto& x = *new operands<T>(size); // lives as long as the registered benchmarks: until the program ends
    std::string const name = std::is_same_v<T, float> ? "f32/" : "f64/", end = name + std::to_string(size) + "/";
    plain_product(x);
    auto const expected = x.c;
    tracexpr_product(x);
    check("matmul/" + end, expected, x.c);
    add("matmul/" + end + "tracexpr", x, tracexpr_product<T>);
    add("matmul/" + end + "eigen", x, eigen_product<T>);
    if (size <= 512) add("matmul/" + end + "plain", x, plain_product<T>);
    eigen_transposed(x);
    auto const transposed = x.c;
    tracexpr_transposed(x);
    check("matmul_transposed/" + end, transposed, x.c);
    add("matmul_transposed/" + end + "tracexpr", x, tracexpr_transposed<T>);
    add("matmul_transposed/" + end + "eigen", x, eigen_transposed<T>);
#if defined(BENCH_BLAS)
    add("matmul/" + end + "openblas", x, [](operands<T>& y) { blas(CblasNoTrans, y); });
    add("matmul_transposed/" + end + "openblas", x, [](operands<T>& y) { blas(CblasTrans, y); });
#endif
}

} // namespace

int main(int argc, char** argv) {
#if defined(BENCH_BLAS)
    openblas_set_num_threads(1);
#endif
    Eigen::setNbThreads(1);
    for (std::int64_t const size : {2, 4, 8, 15, 16, 24, 32, 48, 63, 64, 96, 128, 200, 256, 512, 777, 1024}) {
        add_size<float>(size);
        add_size<double>(size);
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
