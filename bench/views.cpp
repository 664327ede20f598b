// Workloads that read their input in another order than it lies in memory, next to what memory of that footprint gives.
#include "tracexpr_kernels.hpp"

namespace {

using baselines::competitor;
using harness::buffer;

constexpr std::size_t side = 1024;
constexpr std::size_t wide = 2048;
constexpr std::size_t sliced = baselines::slice_2d_rows(wide) * baselines::slice_2d_columns(wide);

template <class T> harness::subject subject(char const* name, std::string const& size, std::size_t elements, std::size_t bytes) {
    return {std::string(name) + "/" + harness::dtype_name<T> + "/" + size, elements, bytes};
}

template <class T> struct matrices {
    buffer<T> x = harness::uniform<T>(wide * wide, -3, 3, 1);
    buffer<T> y = harness::uniform<T>(side * side, -3, 3, 2);
    buffer<T> out = buffer<T>(side * side);
    buffer<T> slice = buffer<T>(sliced);
};

// The same as tensors; `x` is the leading part of matrices::x.
template <class T> struct tensors {
    explicit tensors(matrices<T> const& from)
        : x(kernels::to_matrix<side, side>(from.x)), y(kernels::to_matrix<side, side>(from.y)), out(y),
          wide_x(kernels::to_matrix<wide, wide>(from.x)),
          slice(kernels::to_matrix<baselines::slice_2d_rows(wide), baselines::slice_2d_columns(wide)>(from.slice)) {}
    kernels::matrix<T, side, side> x, y, out;
    kernels::matrix<T, wide, wide> wide_x;
    kernels::matrix<T, baselines::slice_2d_rows(wide), baselines::slice_2d_columns(wide)> slice;
};

template <class T> void add_matrices() {
    auto& data = *new matrices<T>; // these live as long as the registered benchmarks: until the program ends
    auto& in = *new tensors<T>(data);
    using c = competitor<T>;
    T const* x = data.x.data();
    T const* y = data.y.data();
    std::size_t const square = side * side;
    harness::add_competitors(subject<T>("triad", "1024x1024", square, 3 * square * sizeof(T)), &c::triad, data.out, square, T(1.5),
                             x, y);
    auto const transpose = subject<T>("transpose_add", "1024x1024", square, 3 * square * sizeof(T));
    auto expected = harness::add_competitors(transpose, &c::transpose_add, data.out, side, side, x, y);
    kernels::add(transpose, expected, kernels::transpose_add, in.out, in.x, in.y);
    // Half the rows are read, each line of them, and the result is written.
    auto const slice = subject<T>("slice_2d", "2048x2048", sliced, (wide * wide / 2 + sliced) * sizeof(T));
    expected = harness::add_competitors(slice, &c::slice_2d, data.slice, wide, wide, x, T(1.5));
    kernels::add(slice, expected, kernels::slice_2d, in.slice, in.wide_x, T(1.5));
}

template <class T> struct vectors {
    std::size_t n;
    buffer<T> x = harness::uniform<T>(2 * n, -3, 3, 1);
    buffer<T> out = buffer<T>(n);
};

// In, Out: known to the compiler are their extents, or not.
template <class T, class In, class Out> void add_vectors(std::size_t n, std::string const& size) {
    auto& data = *new vectors<T>{.n = n};
    auto& x = *new In(kernels::to_vector(data.x));
    auto& out = *new Out(kernels::to_vector(data.out));
    auto const slice = subject<T>("slice_1d", size, n, 3 * n * sizeof(T));
    T const* from = data.x.data();
    auto const expected = harness::add_competitors(slice, &competitor<T>::slice_1d, data.out, n, from, T(1.5));
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
