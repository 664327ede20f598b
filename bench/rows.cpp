// Workloads with a reduction along one axis of a matrix and a second trip over the same elements.
#include "tracexpr_kernels.hpp"

namespace {

using baselines::competitor;
using harness::buffer;

constexpr std::size_t rows = 1024;
constexpr std::size_t columns = 1024;
constexpr std::size_t tall_rows = 4096;
constexpr std::size_t tall_columns = 256;

template <class T> struct matrices {
    buffer<T> x = harness::uniform<T>(rows * columns, -3, 3, 1);
    buffer<T> gain = harness::uniform<T>(columns, 0.5, 1.5, 2);
    buffer<T> bias = harness::uniform<T>(columns, -1, 1, 3);
    buffer<T> out = buffer<T>(rows * columns);
};

// The same as tensors.
template <class T> struct tensors {
    explicit tensors(matrices<T> const& from)
        : x(kernels::to_matrix<rows, columns>(from.x)), out(x), tall(kernels::to_matrix<tall_rows, tall_columns>(from.x)),
          tall_out(tall), gain(kernels::to_vector<columns>(from.gain)), bias(kernels::to_vector<columns>(from.bias)) {}
    kernels::matrix<T, rows, columns> x, out;
    kernels::matrix<T, tall_rows, tall_columns> tall, tall_out;
    kernels::fixed_vector<T, columns> gain, bias;
};

template <class T> void add_all() {
    static_assert(rows * columns == tall_rows * tall_columns);
    auto& data = *new matrices<T>; // these live as long as the registered benchmarks: until the program ends
    auto& in = *new tensors<T>(data);
    using c = competitor<T>;
    auto const subject = [&](char const* name, char const* size, std::size_t arrays) {
        return harness::subject{std::string(name) + "/" + harness::dtype_name<T> + "/" + size, rows * columns,
                                arrays * rows * columns * sizeof(T)};
    };
    T const* x = data.x.data();
    T const* gain = data.gain.data();
    T const* bias = data.bias.data();
    auto const softmax = subject("softmax_rows", "1024x1024", 2);
    auto expected = harness::add_competitors(softmax, &c::softmax_rows, data.out, rows, columns, x);
    kernels::add(softmax, expected, kernels::softmax_rows, in.out, in.x);
    auto const norm = subject("layer_norm_rows", "1024x1024", 2);
    expected = harness::add_competitors(norm, &c::layer_norm_rows, data.out, rows, columns, x, gain, bias);
    kernels::add(norm, expected, kernels::layer_norm_rows, in.out, in.x, in.gain, in.bias);
    auto const standardize = subject("standardize_columns", "4096x256", 2);
    expected = harness::add_competitors(standardize, &c::standardize_columns, data.out, tall_rows, tall_columns, x);
    kernels::add(standardize, expected, kernels::standardize_columns, in.tall_out, in.tall);
}

} // namespace

int main(int argc, char** argv) {
    add_all<float>();
    add_all<double>();
    return harness::run(argc, argv);
}
