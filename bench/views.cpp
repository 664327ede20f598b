// Workloads that read their input in another order than it lies in memory, next to what memory of that footprint gives.
#include "tracexpr_kernels.hpp"

namespace {

using baselines::competitor;

constexpr std::size_t side = 1024;
constexpr std::size_t wide = 2048;
constexpr std::size_t sliced = baselines::slice_2d_rows(wide) * baselines::slice_2d_columns(wide);

template <class T> harness::subject subject(char const* name, std::string const& size, std::size_t elements, std::size_t bytes) {
    return {std::string(name) + "/" + harness::dtype_name<T> + "/" + size, elements, bytes};
}

// Arguments, and where results go: the same memory for all competitors.
template <class T> struct matrices {
    kernels::matrix<T, side, side> x = kernels::uniform<T, side, side>(-3, 3, 1), y = kernels::uniform<T, side, side>(-3, 3, 2), out = y;
    kernels::matrix<T, wide, wide> wide_x = kernels::uniform<T, wide, wide>(-3, 3, 1);
    kernels::matrix<T, baselines::slice_2d_rows(wide), baselines::slice_2d_columns(wide)> slice;
};

template <class T> void add_matrices() {
    auto& in = *new matrices<T>; // lives as long as the registered benchmarks: until the program ends
    using c = competitor<T>;
    T const* x = in.x.data();
    T const* y = in.y.data();
    std::size_t const square = side * side;
    harness::add_competitors(subject<T>("triad", "1024x1024", square, 3 * square * sizeof(T)), &c::triad, kernels::elements(in.out), square, T(1.5),
                             x, y);
    auto const transpose = subject<T>("transpose_add", "1024x1024", square, 3 * square * sizeof(T));
    auto expected = harness::add_competitors(transpose, &c::transpose_add, kernels::elements(in.out), side, side, x, y);
    kernels::add(transpose, expected, kernels::transpose_add, in.out, in.x, in.y);
    // Half the rows are read, each line of them, and the result is written.
    auto const slice = subject<T>("slice_2d", "2048x2048", sliced, (wide * wide / 2 + sliced) * sizeof(T));
    expected = harness::add_competitors(slice, &c::slice_2d, kernels::elements(in.slice), wide, wide, in.wide_x.data(), T(1.5));
    kernels::add(slice, expected, kernels::slice_2d, in.slice, in.wide_x, T(1.5));
}

// In, Out: known to the compiler are their extents, or not.
template <class T, class In, class Out> void add_vectors(std::size_t n, std::string const& size) {
    auto& x = *new In(kernels::uniform<In>(2 * n, -3, 3, 1));
    auto& out = *new Out(kernels::uniform<Out>(n, 0, 1, 2));
    auto const slice = subject<T>("slice_1d", size, n, 3 * n * sizeof(T));
    auto const expected = harness::add_competitors(slice, &competitor<T>::slice_1d, kernels::elements(out), n, x.data(), T(1.5));
    kernels::add(slice, expected, kernels::slice_1d, out, x, T(1.5));
}

} // namespace

int main(int argc, char** argv) {
    add_matrices<float>();
    add_matrices<double>();
    constexpr std::size_t known = harness::vector_lengths[0];
    add_vectors<float, kernels::fixed_vector<float, 2 * known>, kernels::fixed_vector<float, known>>(known, harness::known_size(known));
    add_vectors<double, kernels::fixed_vector<double, 2 * known>, kernels::fixed_vector<double, known>>(known, harness::known_size(known));
    for (std::size_t n : harness::vector_lengths) {
        add_vectors<float, kernels::vector<float>, kernels::vector<float>>(n, std::to_string(n));
        add_vectors<double, kernels::vector<double>, kernels::vector<double>>(n, std::to_string(n));
    }
    return harness::run(argc, argv);
}
