// Elementwise expressions and full reductions over vectors of 1e3 (L1), 1e5 (L2) and 1e7 (memory) elements.
#include "tracexpr_kernels.hpp"

namespace {

using baselines::competitor;

// The arguments of one size, and where results go: the same memory for all competitors. Vector's extent is
// known to the compiler or not.
template <class T, class Vector> struct vectors {
    std::size_t n;
    Vector x = kernels::uniform<Vector>(n, -3, 3, 1);
    Vector y = kernels::uniform<Vector>(n, 0.5, 1.5, 2);
    Vector spot = kernels::uniform<Vector>(n, 5, 30, 3);
    Vector strike = kernels::uniform<Vector>(n, 1, 100, 4);
    Vector time = kernels::uniform<Vector>(n, 0.25, 10, 5);
    Vector out = x;
    tx::tensor<T, tx::shape<>> number{};
    baselines::market<T> market{spot.data(), strike.data(), time.data(), T(0.02), T(0.3)};
};

template <class T, class Vector> void add_all(std::size_t n, std::string const& size) {
    auto& in = *new vectors<T, Vector>{.n = n}; // lives as long as the registered benchmarks: until the program ends
    using c = competitor<T>;
    auto const subject = [&](char const* name, std::size_t arrays) {
        return harness::subject{std::string(name) + "/" + harness::dtype_name<T> + "/" + size, n, arrays * n * sizeof(T)};
    };
    T const* x = in.x.data();
    T const* y = in.y.data();
    auto const& m = in.market;
    harness::add_competitors(subject("triad", 3), &c::triad, kernels::elements(in.out), n, T(1.5), x, y);
    auto expected = harness::add_competitors(subject("axpy", 3), &c::axpy, kernels::elements(in.out), n, T(1.5), x, y);
    kernels::add(subject("axpy", 3), expected, kernels::axpy, in.out, T(1.5), in.x, in.y);
    expected = harness::add_competitors(subject("sum", 1), &c::sum, kernels::elements(in.number), n, y);
    kernels::add(subject("sum", 1), expected, kernels::sum, in.number, in.y);
    expected = harness::add_competitors(subject("sqdiff", 2), &c::sqdiff, kernels::elements(in.number), n, x, y);
    kernels::add(subject("sqdiff", 2), expected, kernels::sqdiff, in.number, in.x, in.y);
    expected = harness::add_competitors(subject("expmix", 3), &c::expmix, kernels::elements(in.out), n, x, y);
    kernels::add(subject("expmix", 3), expected, kernels::expmix, in.out, in.x, in.y);
    expected = harness::add_competitors(subject("black_scholes", 4), &c::black_scholes, kernels::elements(in.out), n, m);
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
