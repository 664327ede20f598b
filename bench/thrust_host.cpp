// The CPU's kernels on the threads of Thrust's host system, "thrust", and on those of the library's own pool, "pool". Two threads
// each (OMP_NUM_THREADS=2); arguments and results are in memory already.
#include "tracexpr_kernels.hpp"

#include <tracexpr/thrust.hpp>

namespace {

using kernels::vector;
using matrix = tx::tensor<float, tx::shape<tx::dyn, tx::dyn>>;
constexpr int threads = 2;

template <class Placed, class Out, class... A>
void add_placed(harness::subject const& what, std::string const& who, Placed const& f, Out const& expected, A const&... arguments) {
    auto out = f(arguments...);
    harness::require_equal(what.name + "/" + who, harness::buffer<float>(expected.begin(), expected.end()),
                           harness::buffer<float>(out.begin(), out.end()));
    harness::add(what, who, [f, out, arguments...]() mutable { f.into(out, arguments...); });
}

// arrays: how many, of the size of x, have to cross the memory bus once.
template <class F, class X, class... A> void add(char const* name, std::size_t arrays, F const& f, X const& x, A const&... more) {
    auto const n = static_cast<std::size_t>(x.size());
    harness::subject const what{std::string(name) + "/f32/" + std::to_string(n), n, arrays * n * sizeof(float)};
    auto const expected = f(x, more...);
    tx::thrust_device const there{};
    add_placed(what, "pool", tx::on(tx::cpu{.threads = threads}, f), expected, x, more...);
    add_placed(what, "thrust", tx::on(there, f), expected, tx::to(there, x), tx::to(there, more)...);
}

template <std::size_t Rows, std::size_t Columns> void add_all() {
    constexpr std::size_t n = Rows * Columns;
    auto const x = kernels::uniform<vector<float>>(n, -3, 3, 1), y = kernels::uniform<vector<float>>(n, 0.5, 1.5, 2);
    add("axpy", 3, kernels::half_axpy, x, y);
    add("expmix", 3, kernels::expmix, x, y);
    auto const spot = kernels::uniform<vector<float>>(n, 5, 30, 3), strike = kernels::uniform<vector<float>>(n, 1, 100, 4);
    auto const time = kernels::uniform<vector<float>>(n, 0.25, 10, 5);
    add("black_scholes", 4, kernels::option_price, spot, strike, time);
    add("sum", 1, kernels::sum, y);
    add("sqdiff", 2, kernels::sqdiff, x, y);
    matrix const m = tx::reshape<Rows, Columns>(x), positive = tx::reshape<Rows, Columns>(y);
    add("column_sums", 1, kernels::column_sums, positive);
    add("row_sums", 1, kernels::row_sums, positive);
    add("softmax_rows", 2, kernels::softmax_rows, m);
    add("layer_norm_rows", 2, kernels::layer_norm_rows, m, kernels::uniform<vector<float>>(Columns, 0.5, 1.5, 6),
        kernels::uniform<vector<float>>(Columns, -1, 1, 7));
}

} // namespace

int main(int argc, char** argv) {
    add_all<256, 256>();
    add_all<16384, 1024>();
    return harness::run(argc, argv);
}
