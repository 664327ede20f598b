// Workloads with a reduction along one axis of a matrix and a second trip over the same elements.
#include "harness.hpp"

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

template <class T> void add_all() {
    static_assert(rows * columns == tall_rows * tall_columns);
    auto& data = *new matrices<T>; // lives as long as the registered benchmarks: until the program ends
    using c = competitor<T>;
    auto const subject = [&](char const* name, char const* size, std::size_t arrays) {
        return harness::subject{std::string(name) + "/" + harness::dtype_name<T> + "/" + size, rows * columns,
                                arrays * rows * columns * sizeof(T)};
    };
    T const* x = data.x.data();
    harness::add_competitors(subject("softmax_rows", "1024x1024", 2), &c::softmax_rows, data.out, rows, columns, x);
    harness::add_competitors(subject("layer_norm_rows", "1024x1024", 2), &c::layer_norm_rows, data.out, rows, columns, x,
                             static_cast<T const*>(data.gain.data()), static_cast<T const*>(data.bias.data()));
    harness::add_competitors(subject("standardize_columns", "4096x256", 2), &c::standardize_columns, data.out, tall_rows,
                             tall_columns, x);
}

} // namespace

int main(int argc, char** argv) {
    add_all<float>();
    add_all<double>();
    return harness::run(argc, argv);
}
