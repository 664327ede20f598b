// The kernels of backends/contractions/matmul_small.hpp, called directly, against hand-written SIMD, plain loops and Eigen's fixed-size types: one call's
// cost when calls are independent (throughput) and when each waits for the one before (latency). ns per item is ns per call.
#include "baselines/small.hpp"

#include <tracexpr/backends/contractions/matmul_small.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>

namespace {

template <class T> struct kernels {
    static constexpr char const* name = "tracexpr";
    template <int N> using matrix = small::block<T, std::size_t(N) * N>;
    template <int N> using vector = small::block<T, N>;

    template <int N> static void matmul(matrix<N> const& a, matrix<N> const& b, matrix<N>& out) {
        tx::simd::matmul_small<N, N, N, T>(a.values, b.values, out.values);
    }
    template <int N>
    static void chain(matrix<N> const& a, matrix<N> const& b, matrix<N> const& c, matrix<N> const& d, matrix<N>& out) {
        matrix<N> first, second;
        matmul<N>(a, b, first);
        matmul<N>(first, c, second);
        matmul<N>(second, d, out);
    }
    template <int N> static void transposed(matrix<N> const& a, matrix<N> const& b, matrix<N>& out) {
        tx::simd::matmul_small<N, N, N, T, false, true>(a.values, b.values, out.values);
    }
    template <int N> static void times_vector(matrix<N> const& a, vector<N> const& x, vector<N>& out) {
        tx::simd::matmul_small<N, 1, N, T>(a.values, x.values, out.values);
    }
    template <int N> static void vector_times(matrix<N> const& a, vector<N> const& x, vector<N>& out) {
        tx::simd::matmul_small<1, N, N, T>(x.values, a.values, out.values);
    }
    template <int N> static T dot(vector<N> const& x, vector<N> const& y) { return tx::simd::dot_small<N>(x.values, y.values); }
};

template <class T> struct plain : small::plain<T> {
    template <int N> using matrix = small::block<T, std::size_t(N) * N>;
    template <int N> using vector = small::block<T, N>;

    template <int N> static void transposed(matrix<N> const& a, matrix<N> const& b, matrix<N>& out) {
        for (int i = 0; i < N; ++i)
            for (int j = 0; j < N; ++j) {
                T total = 0;
                for (int k = 0; k < N; ++k) total += a.values[i * N + k] * b.values[j * N + k];
                out.values[i * N + j] = total;
            }
    }
    template <int N> static void times_vector(matrix<N> const& a, vector<N> const& x, vector<N>& out) {
        for (int i = 0; i < N; ++i) {
            T total = 0;
            for (int k = 0; k < N; ++k) total += a.values[i * N + k] * x.values[k];
            out.values[i] = total;
        }
    }
    template <int N> static void vector_times(matrix<N> const& a, vector<N> const& x, vector<N>& out) {
        for (int j = 0; j < N; ++j) {
            T total = 0;
            for (int k = 0; k < N; ++k) total += x.values[k] * a.values[k * N + j];
            out.values[j] = total;
        }
    }
    template <int N> static T dot(vector<N> const& x, vector<N> const& y) {
        T total = 0;
        for (int k = 0; k < N; ++k) total += x.values[k] * y.values[k];
        return total;
    }
};

template <class T> struct eigen : small::eigen<T> {
    template <int N> using matrix = Eigen::Matrix<T, N, N, Eigen::RowMajor>;
    template <int N> using vector = Eigen::Matrix<T, N, 1>;

    template <int N> static void transposed(matrix<N> const& a, matrix<N> const& b, matrix<N>& out) { out.noalias() = a * b.transpose(); }
    template <int N> static void times_vector(matrix<N> const& a, vector<N> const& x, vector<N>& out) { out.noalias() = a * x; }
    template <int N> static void vector_times(matrix<N> const& a, vector<N> const& x, vector<N>& out) { out.noalias() = a.transpose() * x; }
    template <int N> static T dot(vector<N> const& x, vector<N> const& y) { return x.dot(y); }
};

constexpr std::size_t pool = 64; // independent inputs in flight; all of them stay in L1

template <class M> void fill(M& m, std::size_t elements, double mean, unsigned seed) {
    using T = std::remove_reference_t<decltype(*m.data())>;
    for (std::size_t i = 0; i < elements; ++i)
        m.data()[i] = static_cast<T>(mean * (0.5 + static_cast<double>((i * 2654435761u + seed * 40503u) % 1000u) / 1000.0));
}

template <class Run> void add(std::string const& name, Run run) {
    benchmark::RegisterBenchmark(name.c_str(), [run](benchmark::State& state) {
        for (auto step : state) {
            static_cast<void>(step);
            run();
            benchmark::ClobberMemory();
        }
        state.SetItemsProcessed(state.iterations() * std::int64_t{pool});
    });
}

template <class V> struct memory {
    std::array<V, pool> in, out;
};

// `call(in, out)`: the result has the type of the input, so it can be the next call's input.
template <class V, std::size_t Elements, class Call> void add_both(std::string const& name, std::string const& who, Call call) {
    auto& data = *new memory<V>; // lives as long as the registered benchmarks: until the program ends
    for (std::size_t i = 0; i < pool; ++i) fill(data.in[i], Elements, 1, static_cast<unsigned>(i));
    auto const one = [call](V const& in, V& out) {
        call(in, out);
        benchmark::ClobberMemory();
    };
    add(name + "/throughput/" + who, [&data, one] {
        for (std::size_t i = 0; i < pool; ++i) one(data.in[i], data.out[i]);
    });
    // Starts anew from in[0] each time, so that no repeated product runs off to infinity or zero.
    add(name + "/latency/" + who, [&data, one] {
        one(data.in[0], data.out[0]);
        one(data.out[0], data.out[1]);
        for (std::size_t i = 2; i < pool; i += 2) {
            one(data.out[1], data.out[0]);
            one(data.out[0], data.out[1]);
        }
    });
}

// Each competitor C of element type T and its products of extent N, all the same functions of the same numbers.
template <class C, class T, int N> void add_products() {
    using matrix = typename C::template matrix<N>;
    constexpr std::size_t elements = std::size_t(N) * N;
    static matrix b, c, d;
    fill(b, elements, 1.0 / N, 100);
    fill(c, elements, 1.0 / N, 101);
    fill(d, elements, 1.0 / N, 102);
    std::string const end = std::to_string(N) + (std::is_same_v<T, float> ? "/f32" : "/f64");
    add_both<matrix, elements>("matmul_" + end, C::name, [](matrix const& a, matrix& out) { C::template matmul<N>(a, b, out); });
    add_both<matrix, elements>("matmul_right_" + end, C::name, [](matrix const& a, matrix& out) { C::template matmul<N>(b, a, out); });
    add_both<matrix, elements>("chain_" + end, C::name, [](matrix const& a, matrix& out) { C::template chain<N>(a, b, c, d, out); });
}
template <class C, class T, int N> void add_with_vectors() {
    using matrix = typename C::template matrix<N>;
    using vector = typename C::template vector<N>;
    constexpr std::size_t elements = std::size_t(N) * N;
    static matrix b;
    fill(b, elements, 1.0 / N, 100);
    std::string const end = std::to_string(N) + (std::is_same_v<T, float> ? "/f32" : "/f64");
    add_both<matrix, elements>("transposed_" + end, C::name, [](matrix const& a, matrix& out) { C::template transposed<N>(a, b, out); });
    add_both<vector, N>("times_vector_" + end, C::name, [](vector const& x, vector& out) { C::template times_vector<N>(b, x, out); });
    add_both<vector, N>("vector_times_" + end, C::name, [](vector const& x, vector& out) { C::template vector_times<N>(b, x, out); });
    static vector y;
    fill(y, N, 1.0 / N, 103);
    add_both<vector, N>("dot_" + end, C::name, [](vector const& x, vector& out) { out.data()[0] = C::template dot<N>(x, y); });
}

template <class T> void add_all() {
    auto const products = []<int N>(std::integral_constant<int, N>) {
        add_products<small::hand<T>, T, N>();
        add_products<kernels<T>, T, N>();
        add_products<plain<T>, T, N>();
        add_products<eigen<T>, T, N>();
        add_with_vectors<kernels<T>, T, N>();
        add_with_vectors<plain<T>, T, N>();
        add_with_vectors<eigen<T>, T, N>();
    };
    products(std::integral_constant<int, 3>{});
    products(std::integral_constant<int, 4>{});
    products(std::integral_constant<int, 8>{});
    products(std::integral_constant<int, 16>{});
}

} // namespace

int main(int argc, char** argv) {
    add_all<float>();
    add_all<double>();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
