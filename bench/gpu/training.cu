// A training step of a network, 1024-4096-4096-1024, with 4096 examples: value, gradient, and parameters that stay on the device.
// Compiled with TRACEXPR_USE_TF32 as well.
#include "timing.hpp"

#include <utility>

namespace {

constexpr std::int64_t inputs = 1024, hidden = 4096, classes = 1024, batch = 4096;

template <class T> struct model {
    tx::tensor<T, tx::shape<tx::dyn, tx::dyn>> w1, w2, w3;
    tx::tensor<T, tx::shape<tx::dyn>> b1, b2, b3;
};
constexpr auto outputs = [](auto const& m, auto x) {
    auto const first = tx::relu(tx::matmul(x, m.w1) + m.b1), second = tx::relu(tx::matmul(first, m.w2) + m.b2);
    return tx::matmul(second, m.w3) + m.b3;
};
constexpr auto loss = [](auto const& m, auto x, auto label) {
    auto const z = outputs(m, x);
    auto const chosen = tx::take_along_axis(z, tx::expand_dims(label, tx::axis<1>), tx::axis<1>);
    return tx::mean(tx::logsumexp(z, tx::axis<1>) - tx::squeeze(chosen, tx::axis<1>));
};
// The same in other words, for the CPU: of a lookup in a kernel for it, nvcc 13.0's compiler for devices ends with an internal error.
constexpr auto compared_loss = [](auto const& m, auto x, auto label) {
    auto const z = outputs(m, x);
    auto const is_chosen = tx::expand_dims(label, tx::axis<1>) == tx::arange<std::int32_t>(tx::extent<1>(z));
    return tx::mean(tx::logsumexp(z, tx::axis<1>) - tx::sum(tx::where(is_chosen, z, 0.0), tx::axis<1>));
};
constexpr auto down = [](auto const& p, auto const& slope) { return p - 0.01f * slope; };
constexpr auto step = [](auto const& m, auto x, auto label) {
    auto const [value, slopes] = tx::value_and_grad(loss)(m, x, label);
    return std::pair(value, tx::tree_map(down, m, slopes));
};
constexpr auto compared_step = [](auto const& m, auto x, auto label) {
    auto const [value, slopes] = tx::value_and_grad(compared_loss)(m, x, label);
    return std::pair(value, tx::tree_map(down, m, slopes));
};
constexpr auto blind_step = [](auto const& m, auto x, auto label) { return tx::tree_map(down, m, tx::grad(loss)(m, x, label)); };

model<float> random_model() {
    auto const weights = [](std::int64_t rows, std::int64_t columns, std::uint32_t seed) {
        float const most = std::sqrt(6.0f / static_cast<float>(rows));
        return gpu::spread(rows, columns, -most, most, seed);
    };
    auto const zeros = [](std::int64_t n) { return gpu::spread(n, 0, 0, 0); };
    return {weights(inputs, hidden, 1), weights(hidden, hidden, 2), weights(hidden, classes, 3), zeros(hidden), zeros(hidden), zeros(classes)};
}
tx::tensor<std::int32_t, tx::shape<tx::dyn>> labels(std::int64_t n) {
    return tx::cast<std::int32_t>(gpu::spread(n, 0, static_cast<float>(classes), 9));
}

// The losses of a few steps with a few examples, as float64 on the CPU has them.
void require_losses() {
    constexpr std::int64_t few = 16;
    auto const x = gpu::spread(few, inputs, 0, 1, 7);
    auto const label = labels(few);
    auto there = tx::to(gpu::there, random_model());
    auto const x_there = tx::to(gpu::there, x);
    auto const label_there = tx::to(gpu::there, label);
    auto const [w1, w2, w3, b1, b2, b3] = random_model();
    model<double> here{tx::cast<double>(w1), tx::cast<double>(w2), tx::cast<double>(w3), tx::cast<double>(b1), tx::cast<double>(b2), tx::cast<double>(b3)};
    auto const exact = tx::cast<double>(x);
    tx::function const on_cpu{compared_step};
    auto const placed = tx::on(gpu::there, step);
#if defined(TRACEXPR_USE_TF32)
    constexpr double tolerance = 1e-2;
#else
    constexpr double tolerance = 1e-4;
#endif
    for (int i = 0; i < 3; ++i) {
        auto const [value, next] = placed(there, x_there, label_there);
        auto const [expected, expected_next] = on_cpu(here, exact, label);
        there = next, here = expected_next;
        std::fprintf(stderr, "loss %d: %.7f, in float64 on the CPU %.7f\n", i, static_cast<double>(value.item()), expected.item());
        gpu::require_near("loss", expected, value, tolerance);
    }
}

} // namespace

int main() {
#if defined(TRACEXPR_USE_TF32)
    std::string const name = "mlp_step/tf32";
#else
    std::string const name = "mlp_step/f32";
#endif
    require_losses();
    auto m = tx::to(gpu::there, random_model());
    auto const x = tx::to(gpu::there, gpu::spread(batch, inputs, 0, 1, 7));
    auto const label = tx::to(gpu::there, labels(batch));
    auto const placed = tx::on(gpu::there, step);
    auto const blind = tx::on(gpu::there, blind_step);
    // Three products a layer, but no gradient of the inputs.
    constexpr double flops = 2.0 * batch * (2.0 * inputs * hidden + 3.0 * hidden * hidden + 3.0 * hidden * classes);
    double const seconds = gpu::seconds_per_call([&] {
        auto const [value, next] = placed(m, x, label);
        m = next;
    });
    gpu::print(name, gpu::figure(seconds * 1e3, "ms"), gpu::figure(flops / seconds / 1e12, "TFLOP/s"));
    double const host = gpu::host_seconds_per_call(1, [&] { m = blind(m, x, label); });
    gpu::print(name + ", the host's part", gpu::figure(host * 1e6, "µs"));
}
