// Math functions on one array that stays in L1: the library's, xsimd's, Eigen's and a loop over <cmath>.
#include <tracexpr/backends/math/math.hpp>

#include <Eigen/Core>
#include <benchmark/benchmark.h>
#include <unsupported/Eigen/SpecialFunctions>

#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr std::size_t elements = 4096;
template <class T> using array = Eigen::Array<T, Eigen::Dynamic, 1>;

template <class T> array<T> arguments(double low, double high) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> pick(low, high);
    array<T> out(static_cast<Eigen::Index>(elements));
    for (T& v : out) v = static_cast<T>(pick(random));
    return out;
}

template <class T, class F> void batch_loop(benchmark::State& state, array<T> const& x, array<T>& out, F f) {
    using batch = xsimd::batch<T>;
    for (auto step : state) {
        (void)step;
        T const* in = x.data();
        T* to = out.data();
        for (std::size_t i = 0; i < elements; i += batch::size) f(batch::load_unaligned(in + i)).store_unaligned(to + i);
        benchmark::ClobberMemory();
    }
}
template <class T, class F> void scalar_loop(benchmark::State& state, array<T> const& x, array<T>& out, F f) {
    for (auto step : state) {
        (void)step;
        for (Eigen::Index i = 0; i < x.size(); ++i) out[i] = f(x[i]);
        benchmark::ClobberMemory();
    }
}
template <class T, class F> void eigen_loop(benchmark::State& state, array<T> const& x, array<T>& out, F f) {
    for (auto step : state) {
        (void)step;
        out = f(x);
        benchmark::ClobberMemory();
    }
}

template <class Run> void add(std::string const& name, Run run) {
    benchmark::RegisterBenchmark(name.c_str(), [run](benchmark::State& state) {
        run(state);
        state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(elements));
    });
}

template <class T, class Own, class Xsimd, class EigenOp, class Std>
void family(std::string const& function, double low, double high, Own own, Xsimd theirs, EigenOp eigen, Std scalar) {
    std::string const stem = function + (sizeof(T) == sizeof(float) ? "/f32/" : "/f64/") + std::to_string(elements) + "/";
    array<T> const x = arguments<T>(low, high);
    array<T> const out = x;
    add(stem + "tracexpr", [=](benchmark::State& s) {
        array<T> to = out;
        batch_loop<T>(s, x, to, own);
    });
    add(stem + "xsimd", [=](benchmark::State& s) {
        array<T> to = out;
        batch_loop<T>(s, x, to, theirs);
    });
    add(stem + "eigen", [=](benchmark::State& s) {
        array<T> to = out;
        eigen_loop<T>(s, x, to, eigen);
    });
    add(stem + "std", [=](benchmark::State& s) {
        array<T> to = out;
        scalar_loop<T>(s, x, to, scalar);
    });
}

namespace math = tx::simd::math;

template <class T> void register_all() {
    family<T>(
        "exp", -20, 20, [](auto x) { return math::exp(x); }, [](auto x) { return xsimd::exp(x); },
        [](auto const& x) { return x.exp(); }, [](T x) { return std::exp(x); });
    family<T>(
        "log", 1e-3, 1e3, [](auto x) { return math::log(x); }, [](auto x) { return xsimd::log(x); },
        [](auto const& x) { return x.log(); }, [](T x) { return std::log(x); });
    family<T>(
        "tanh", -4, 4, [](auto x) { return math::tanh(x); }, [](auto x) { return xsimd::tanh(x); },
        [](auto const& x) { return x.tanh(); }, [](T x) { return std::tanh(x); });
    family<T>(
        "erf", -3, 3, [](auto x) { return math::erf(x); }, [](auto x) { return xsimd::erf(x); },
        [](auto const& x) { return x.erf(); }, [](T x) { return std::erf(x); });
    family<T>(
        "erfc", -3, 3, [](auto x) { return math::erfc(x); }, [](auto x) { return xsimd::erfc(x); },
        [](auto const& x) { return x.erfc(); }, [](T x) { return std::erfc(x); });
    family<T>(
        "sin", -100, 100, [](auto x) { return math::sin(x); }, [](auto x) { return xsimd::sin(x); },
        [](auto const& x) { return x.sin(); }, [](T x) { return std::sin(x); });
    family<T>(
        "pow", 1e-3, 1e3, [](auto x) { return math::pow(x, decltype(x)(T(2.7))); },
        [](auto x) { return xsimd::pow(x, decltype(x)(T(2.7))); }, [](auto const& x) { return x.pow(T(2.7)); },
        [](T x) { return std::pow(x, T(2.7)); });
}

} // namespace

int main(int argc, char** argv) {
    register_all<float>();
    register_all<double>();
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
