// Elementwise expressions and full reductions over vectors of 1e3 (L1), 1e5 (L2) and 1e7 (memory) elements.
#include "tracexpr_kernels.hpp"

namespace {

using baselines::competitor;
using harness::buffer;

// The inputs of one size, shared by all competitors.
template <class T> struct vectors {
    std::size_t n;
    buffer<T> x = harness::uniform<T>(n, -3, 3, 1);
    buffer<T> y = harness::uniform<T>(n, 0.5, 1.5, 2);
    buffer<T> spot = harness::uniform<T>(n, 5, 30, 3);
    buffer<T> strike = harness::uniform<T>(n, 1, 100, 4);
    buffer<T> time = harness::uniform<T>(n, 0.25, 10, 5);
    buffer<T> out = buffer<T>(n);
    buffer<T> number = buffer<T>(1);
    baselines::market<T> market{spot.data(), strike.data(), time.data(), T(0.02), T(0.3)};
};

// The same as tensors.
template <class T, class Vector> struct tensors {
    explicit tensors(vectors<T> const& from)
        : x(kernels::to_vector(from.x)), y(kernels::to_vector(from.y)), spot(kernels::to_vector(from.spot)),
          strike(kernels::to_vector(from.strike)), time(kernels::to_vector(from.time)), out(kernels::to_vector(from.out)) {}
    Vector x, y, spot, strike, time, out;
    tx::tensor<T, tx::shape<>> number;
};

// Vector: known to the compiler is its extent, or not.
template <class T, class Vector> void add_all(std::size_t n, std::string const& size) {
    auto& data = *new vectors<T>{.n = n}; // these live as long as the registered benchmarks: until the program ends
    auto& in = *new tensors<T, Vector>(data);
    using c = competitor<T>;
    auto const subject = [&](char const* name, std::size_t arrays) {
        return harness::subject{std::string(name) + "/" + harness::dtype_name<T> + "/" + size, n, arrays * n * sizeof(T)};
    };
    T const* x = data.x.data();
    T const* y = data.y.data();
    auto const& m = data.market;
    harness::add_competitors(subject("triad", 3), &c::triad, data.out, n, T(1.5), x, y);
    auto expected = harness::add_competitors(subject("axpy", 3), &c::axpy, data.out, n, T(1.5), x, y);
    kernels::add(subject("axpy", 3), expected, kernels::axpy, in.out, T(1.5), in.x, in.y);
    expected = harness::add_competitors(subject("sum", 1), &c::sum, data.number, n, y);
    kernels::add(subject("sum", 1), expected, kernels::sum, in.number, in.y);
    expected = harness::add_competitors(subject("sqdiff", 2), &c::sqdiff, data.number, n, x, y);
    kernels::add(subject("sqdiff", 2), expected, kernels::sqdiff, in.number, in.x, in.y);
    expected = harness::add_competitors(subject("expmix", 3), &c::expmix, data.out, n, x, y);
    kernels::add(subject("expmix", 3), expected, kernels::expmix, in.out, in.x, in.y);
    expected = harness::add_competitors(subject("black_scholes", 4), &c::black_scholes, data.out, n, m);
    kernels::add(subject("black_scholes", 4), expected, kernels::black_scholes, in.out, in.spot, in.strike, in.time, m.rate,
                 m.volatility);
}

} // namespace

int main(int argc, char** argv) {
    constexpr std::size_t known = harness::vector_lengths[0];
    add_all<float, kernels::fixed_vector<float, known>>(known, harness::known_size(known));
    add_all<double, kernels::fixed_vector<double, known>>(known, harness::known_size(known));
    for (std::size_t n : harness::vector_lengths) {
        add_all<float, kernels::vector<float>>(n, std::to_string(n));
        add_all<double, kernels::vector<double>>(n, std::to_string(n));
    }
    return harness::run(argc, argv);
}
