// Workloads with a reduction along one axis of a matrix and a second trip over the same elements.
#include "tracexpr_kernels.hpp"

namespace {

using baselines::competitor;

constexpr std::size_t rows = 1024;
constexpr std::size_t columns = 1024;
constexpr std::size_t tall_rows = 4096;
constexpr std::size_t tall_columns = 256;

// Arguments, and where results go: the same memory for all competitors.
template <class T> struct matrices {
    kernels::matrix<T, rows, columns> x = kernels::uniform<T, rows, columns>(-3, 3, 1), out = x;
    kernels::matrix<T, tall_rows, tall_columns> tall = tx::reshape<tall_rows, tall_columns>(x), tall_out = tall;
    using row = kernels::fixed_vector<T, columns>;
    row gain = kernels::uniform<row>(columns, 0.5, 1.5, 2), bias = kernels::uniform<row>(columns, -1, 1, 3);
};

template <class T> void add_all() {
    static_assert(rows * columns == tall_rows * tall_columns);
    auto& in = *new matrices<T>; // lives as long as the registered benchmarks: until the program ends
    using c = competitor<T>;
    auto const subject = [&](char const* name, char const* size, std::size_t arrays) {
        return harness::subject{std::string(name) + "/" + harness::dtype_name<T> + "/" + size, rows * columns,
                                arrays * rows * columns * sizeof(T)};
    };
    T const* x = in.x.data();
    T const* gain = in.gain.data();
    T const* bias = in.bias.data();
    auto const softmax = subject("softmax_rows", "1024x1024", 2);
    auto expected = harness::add_competitors(softmax, &c::softmax_rows, kernels::elements(in.out), rows, columns, x);
    kernels::add(softmax, expected, kernels::softmax_rows, in.out, in.x);
    auto const norm = subject("layer_norm_rows", "1024x1024", 2);
    expected = harness::add_competitors(norm, &c::layer_norm_rows, kernels::elements(in.out), rows, columns, x, gain, bias);
    kernels::add(norm, expected, kernels::layer_norm_rows, in.out, in.x, in.gain, in.bias);
    auto const standardize = subject("standardize_columns", "4096x256", 2);
    expected = harness::add_competitors(standardize, &c::standardize_columns, kernels::elements(in.tall_out), tall_rows, tall_columns, in.tall.data());
    kernels::add(standardize, expected, kernels::standardize_columns, in.tall_out, in.tall);
}

} // namespace

int main(int argc, char** argv) {
    add_all<float>();
    add_all<double>();
    return harness::run(argc, argv);
}
