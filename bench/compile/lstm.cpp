// To time compilers with: TRACEXPR_STEPS unrolled steps of a long short-term memory for TRACEXPR_BATCH examples,
// value and gradient.
#include <tracexpr/tracexpr.hpp>

namespace {

template <std::int64_t... N> using tensor = tx::tensor<float, tx::shape<N...>>;
constexpr std::int64_t steps = TRACEXPR_STEPS, batch = TRACEXPR_BATCH, width = 8;

constexpr auto cell = [](auto x, auto h, auto c, auto wx, auto wh, auto b) { // gates i, f, g, o
    auto const [i, f, g, o] = tx::split<4>(tx::matmul(x, wx) + tx::matmul(h, wh) + b, tx::axis<1>);
    auto const next = tx::sigmoid(f) * c + tx::sigmoid(i) * tx::tanh(g);
    return std::pair(tx::sigmoid(o) * tx::tanh(next), next);
};
constexpr auto loss = [](auto x, auto wx, auto wh, auto b) {
    auto const parts = tx::unstack(x);
    auto const zeros = tx::zeros_like(parts[0]);
    auto state = cell(parts[0], zeros, zeros, wx, wh, b);
    for (std::size_t t = 1; t < parts.size(); ++t) state = cell(parts[t], state.first, state.second, wx, wh, b);
    return tx::mean(tx::square(state.first));
};
using sequence = tensor<steps, batch, width>;
using weights = tensor<width, 4 * width>;
using bias = tensor<4 * width>;

} // namespace

auto call(sequence const& x, weights const& wx, weights const& wh, bias const& b) {
    static tx::static_function f{tx::value_and_grad<1, 2, 3>(loss)};
    return f(x, wx, wh, b);
}
