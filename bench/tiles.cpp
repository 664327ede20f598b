// How much faster a function is that the compiler traces than one that is traced when the program runs, on one thread:
// elementwise expressions, rows and columns. ratios.py prints it, numpy_eager.py measures the same in
// NumPy.
#include "tiles.hpp"
#include "tracexpr_kernels.hpp"

namespace {

constexpr std::int64_t columns = 1000;

template <class T> using table = tx::tensor<T, tx::shape<tx::dyn, columns>>;
template <class T> using tall_table = tx::tensor<T, tx::shape<columns, tx::dyn>>;
template <class T> using row = tx::tensor<T, tx::shape<columns>>;

// Arguments, and where results go: the same memory for both.
template <class T> struct arrays {
    std::int64_t n, rows = n / columns;
    using vector = kernels::vector<T>;
    vector draw(double low, double high, std::uint32_t seed) const {
        return kernels::uniform<vector>(static_cast<std::size_t>(n), low, high, seed);
    }

    vector x = draw(-3, 3, 1), y = draw(0.5, 1.5, 2), spot = draw(5, 30, 3), strike = draw(1, 100, 4), time = draw(0.25, 10, 5),
           out = x;
    tx::tensor<T, tx::shape<>> number{};
    table<T> in = tx::from_data<tx::shape<tx::dyn, columns>>(x.data(), rows, columns), table_out = in;
    tall_table<T> tall = tx::from_data<tx::shape<columns, tx::dyn>>(y.data(), columns, rows);
    row<T> gain = kernels::uniform<row<T>>(columns, 0.5, 1.5, 6), bias = kernels::uniform<row<T>>(columns, -1, 1, 7);
};

template <class T> void add_all(std::size_t n) {
    auto& a =
        *new arrays<T>{.n = static_cast<std::int64_t>(n)}; // lives as long as the registered benchmarks: until the program ends
    auto const subject = [n](char const* name, std::size_t moved) {
        return harness::subject{std::string(name) + "/" + harness::dtype_name<T> + "/" + std::to_string(n), n,
                                moved * n * sizeof(T)};
    };
    tiles::add(subject("axpy", 3), kernels::axpy, a.out, T(1.5), a.x, a.y);
    tiles::add(subject("expmix", 3), kernels::expmix, a.out, a.x, a.y);
    tiles::add(subject("sqdiff", 2), kernels::sqdiff, a.number, a.x, a.y);
    tiles::add(subject("black_scholes", 4), kernels::black_scholes, a.out, a.spot, a.strike, a.time, T(0.02), T(0.3));
    tiles::add(subject("softmax", 2), kernels::softmax_rows, a.table_out, a.in);
    tiles::add(subject("layer_norm", 2), kernels::layer_norm_rows, a.table_out, a.in, a.gain, a.bias);
    tiles::add(subject("standardize_columns", 2), kernels::standardize_columns, a.table_out, a.in);
    tiles::add(subject("transpose_add", 3), kernels::transpose_add, a.table_out, a.tall, a.in);
}

} // namespace

int main(int argc, char** argv) {
    for (std::size_t n : tiles::sizes) {
        add_all<float>(n);
        add_all<double>(n);
    }
    return harness::run(argc, argv);
}
