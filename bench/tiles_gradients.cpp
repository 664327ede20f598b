// tiles.cpp's question for value and gradient of a chain of pointwise ops and of three models.
#include "tiles.hpp"
#include "tracexpr_kernels.hpp"
#include "tracexpr_models.hpp"

namespace {

using programs::filled;
using programs::labels;
using programs::random_labels;
using programs::tensor;

template <class T> void add_chain(std::size_t n) {
    static tx::static_function const step{tx::value_and_grad<0, 1>(programs::chain)};
    using vector = kernels::vector<T>;
    auto const x = kernels::uniform<vector>(n, -3, 3, 1), w = kernels::uniform<vector>(n, 0.5, 1.5, 2);
    auto& out = *new std::pair{tx::tensor<T, tx::shape<>>(), std::tuple(x, w)}; // lives as long as the registered benchmarks
    tiles::add({std::string("chain_gradient/") + harness::dtype_name<T> + "/" + std::to_string(n), n, 4 * n * sizeof(T)}, step,
               out, x, w);
}

template <int N, int D> void add_regression() {
    static tx::static_function const step{tx::value_and_grad(programs::regression)};
    static std::pair<tensor<>, tensor<D>> out;
    tiles::add(
        {"log_sum_exp_regression/f32/" + std::to_string(N) + "x" + std::to_string(D), std::size_t{N} * D, sizeof(float) * N * D},
        step, out, filled<tensor<D>>(-0.1, 0.1, 3), filled<tensor<N, D>>(-1, 1, 1), filled<tensor<N>>(-1, 1, 2));
}

template <int N, int Classes> void add_cross_entropy() {
    static tx::static_function const step{tx::value_and_grad(programs::cross_entropy)};
    static std::pair<tensor<>, tensor<N, Classes>> out;
    tiles::add({"softmax_cross_entropy/f32/" + std::to_string(N) + "x" + std::to_string(Classes), std::size_t{N} * Classes,
                2 * sizeof(float) * N * Classes},
               step, out, filled<tensor<N, Classes>>(-3, 3, 1), random_labels<N>(Classes));
}

void add_network() {
    static tx::static_function const step{tx::value_and_grad(programs::network)};
    static std::pair<tensor<>, programs::model> out;
    constexpr int batch = 256;
    tiles::add({"mlp_gradient/f32/256x784-512-256-10", batch, 0}, step, out, programs::random_model(),
               filled<tensor<batch, 784>>(0, 1, 1), random_labels<batch>(10));
}

} // namespace

int main(int argc, char** argv) {
    for (std::size_t n : tiles::sizes) {
        add_chain<float>(n);
        add_chain<double>(n);
    }
    add_regression<4096, 256>();
    add_cross_entropy<4096, 1000>();
    add_network();
    return harness::run(argc, argv);
}
