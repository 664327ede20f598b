// Value and gradient of three models against the same written by hand over CBLAS; one thread. The memory for intermediate
// values that each needs stands in the context.
#include "baselines/models.hpp"
#include "tracexpr_models.hpp"

#include <tracexpr/blas.hpp>

extern "C" void openblas_set_num_threads(int) __attribute__((weak)); // if it is OpenBLAS that is linked

namespace {

using namespace programs;

template <class Tensor> harness::buffer<float> elements(Tensor const& x) { return {x.data(), x.data() + x.size()}; }

// Bytes for intermediate values of a static function, as it is run.
template <class F, class... A> std::int64_t arena_bytes() {
    using traced = tx::detail::stages<tx::detail::compile_time_trace<F, A...>>;
    if constexpr (tx::detail::runs_on_tiles<F>) {
        tx::buffer<tx::dims> extents;
        for (tx::node_id const id : traced::trace().parameters) extents.push_back(traced::trace().shape_of(id));
        return tx::simd::tiles::make_program<>(traced::trace(), extents, {})->plan.arena_bytes[0];
    } else {
        return traced::plan().arena_bytes[0];
    }
}
void report_memory(std::string const& name, std::int64_t tracexpr, std::size_t hand) {
    benchmark::AddCustomContext(name + " intermediate KiB", "tracexpr " + std::to_string(tracexpr / 1024) + ", hand " + std::to_string(hand / 1024));
}

template <int N, int D> void add_regression() {
    static tx::static_function const step{tx::value_and_grad(regression)};
    struct memory {
        tensor<N, D> x = filled<tensor<N, D>>(-1, 1, 1);
        tensor<N> y = filled<tensor<N>>(-1, 1, 2);
        tensor<D> w = filled<tensor<D>>(-0.1, 0.1, 3);
        std::pair<tensor<>, tensor<D>> out;
        models::log_sum_exp hand{N, D};
        harness::buffer<float> gradient = harness::buffer<float>(D);
    };
    auto& m = *new memory; // lives as long as the registered benchmarks: until the program ends
    std::string const name = "log_sum_exp_regression/f32/" + std::to_string(N) + "x" + std::to_string(D);
    auto const by_hand = [&m] { return m.hand(m.x.data(), m.y.data(), m.w.data(), m.gradient.data()); };
    step.into(m.out, m.w, m.x, m.y);
    harness::require_equal<float>(name, {by_hand()}, elements(m.out.first));
    harness::require_equal(name, m.gradient, elements(m.out.second));
    report_memory(name, arena_bytes<std::remove_const_t<decltype(tx::value_and_grad(regression))>, tensor<D>, tensor<N, D>, tensor<N>>(), m.hand.bytes());
    harness::subject const what{name, 1, sizeof(float) * N * D};
    harness::add(what, "hand", [by_hand] { benchmark::DoNotOptimize(by_hand()); });
    harness::add(what, "tracexpr", [&m] { step.into(m.out, m.w, m.x, m.y); });
}

template <int N, int Classes> void add_cross_entropy() {
    static tx::static_function const step{tx::value_and_grad(cross_entropy)};
    struct memory {
        tensor<N, Classes> z = filled<tensor<N, Classes>>(-3, 3, 1);
        labels<N> label = random_labels<N>(Classes);
        std::pair<tensor<>, tensor<N, Classes>> out;
        harness::buffer<float> gradient = harness::buffer<float>(N * Classes);
    };
    auto& m = *new memory;
    std::string const name = "softmax_cross_entropy/f32/" + std::to_string(N) + "x" + std::to_string(Classes);
    auto const by_hand = [&m] { return models::cross_entropy(N, Classes, m.z.data(), m.label.data(), m.gradient.data()); };
    step.into(m.out, m.z, m.label);
    harness::require_equal<float>(name, {by_hand()}, elements(m.out.first));
    harness::require_equal(name, m.gradient, elements(m.out.second));
    report_memory(name, arena_bytes<std::remove_const_t<decltype(tx::value_and_grad(cross_entropy))>, tensor<N, Classes>, labels<N>>(), 0);
    harness::subject const what{name, 1, 2 * sizeof(float) * N * Classes};
    harness::add(what, "hand", [by_hand] { benchmark::DoNotOptimize(by_hand()); });
    harness::add(what, "tracexpr", [&m] { step.into(m.out, m.z, m.label); });
}

void add_mlp() {
    static tx::static_function const step{tx::value_and_grad(network)};
    using hand = models::mlp;
    struct memory {
        tensor<hand::batch, 784> x = filled<tensor<hand::batch, 784>>(0, 1, 1);
        labels<hand::batch> label = random_labels<hand::batch>(10);
        model parameters = random_model();
        std::pair<tensor<>, model> out;
        hand by_hand;
        hand::parameters own, gradient;
    };
    auto& m = *new memory;
    auto const& [w1, b1, w2, b2, w3, b3] = m.parameters;
    auto const vector = [](auto const& t) { return models::floats(t.data(), t.data() + t.size()); };
    m.own = {{vector(w1), vector(w2), vector(w3)}, {vector(b1), vector(b2), vector(b3)}};
    m.gradient = m.own;
    std::string const name = "mlp_gradient/f32/256x784-512-256-10";
    auto const by_hand = [&m] { return m.by_hand(m.own, m.x.data(), m.label.data(), m.gradient); };
    step.into(m.out, m.parameters, m.x, m.label);
    harness::require_equal<float>(name, {by_hand()}, elements(m.out.first));
    auto const compare = [&](models::floats const& expected, auto const& got) {
        harness::require_equal(name, harness::buffer<float>(expected.begin(), expected.end()), elements(got));
    };
    compare(m.gradient.w[0], std::get<0>(m.out.second));
    compare(m.gradient.b[0], std::get<1>(m.out.second));
    compare(m.gradient.w[1], std::get<2>(m.out.second));
    compare(m.gradient.w[2], std::get<4>(m.out.second));
    compare(m.gradient.b[2], std::get<5>(m.out.second));
    report_memory(name, arena_bytes<std::remove_const_t<decltype(tx::value_and_grad(network))>, model, tensor<hand::batch, 784>, labels<hand::batch>>(), m.by_hand.bytes());
    harness::subject const what{name, 1, 0};
    harness::add(what, "hand", [by_hand] { benchmark::DoNotOptimize(by_hand()); });
    harness::add(what, "tracexpr", [&m] { step.into(m.out, m.parameters, m.x, m.label); });
}

} // namespace

int main(int argc, char** argv) {
    if (openblas_set_num_threads) openblas_set_num_threads(1);
    add_regression<4096, 256>();
    add_cross_entropy<4096, 1000>();
    add_mlp();
    return harness::run(argc, argv);
}
