// Loops over time: a long short-term memory over 1,024 steps, value and gradient, and an ODE solver of 10,000 steps, against the
// same written by hand with plain loops; one thread.
#include "baselines/recurrent.hpp"
#include <tracexpr/tracexpr.hpp>
#include "harness.hpp"

namespace {

constexpr std::int64_t steps = 1024;
template <std::int64_t... N> using tensor = tx::tensor<float, tx::shape<N...>>;

// The next state (h, c), gates i, f, g, o.
constexpr auto cell = [](auto x, auto h, auto c, auto wx, auto wh, auto b) {
    auto const [i, f, g, o] = tx::split<4>(tx::matmul(x, wx) + tx::matmul(h, wh) + b, tx::axis<1>);
    auto const next = tx::sigmoid(f) * c + tx::sigmoid(i) * tx::tanh(g);
    return std::pair(tx::sigmoid(o) * tx::tanh(next), next);
};
// The mean square of the last layer's outputs.
template <std::int64_t B, std::int64_t N> constexpr auto one_layer = [](auto x, auto wx, auto wh, auto b) {
    auto const step = [=](auto const& s, auto at) {
        auto const next = cell(at, s.first, s.second, wx, wh, b);
        return std::pair(next, next.first);
    };
    auto const zeros = tx::zeros<float>(tx::shape<B, N>{});
    return tx::mean(tx::square(tx::scan(step, std::pair(zeros, zeros), x).second));
};
template <std::int64_t B, std::int64_t N>
constexpr auto two_layers = [](auto x, auto wx, auto wh, auto b, auto wx2, auto wh2, auto b2) {
    auto const step = [=](auto const& s, auto at) {
        auto const first = cell(at, s.first.first, s.first.second, wx, wh, b);
        auto const second = cell(first.first, s.second.first, s.second.second, wx2, wh2, b2);
        return std::pair(std::pair(first, second), second.first);
    };
    auto const zeros = tx::zeros<float>(tx::shape<B, N>{});
    auto const start = std::pair(zeros, zeros);
    return tx::mean(tx::square(tx::scan(step, std::pair(start, start), x).second));
};

template <std::int64_t... N> tensor<N...> drawn(std::uint64_t key, float deviation) {
    return tx::random::stateless_normal<float>(tx::random::key(key), tx::shape<N...>{}, 0, deviation);
}
template <std::int64_t N> struct weights {
    tensor<N, 4 * N> wx, wh;
    tensor<4 * N> b;
    explicit weights(std::uint64_t key)
        : wx(drawn<N, 4 * N>(key, 1 / std::sqrt(static_cast<float>(N)))),
          wh(drawn<N, 4 * N>(key + 1, 1 / std::sqrt(static_cast<float>(N)))), b(drawn<4 * N>(key + 2, 0.1f)) {}
};
template <std::int64_t N> struct by_hand {
    baselines::lstm_layer layer;
    std::vector<float> dx, dwx, dwh, db;
    by_hand(std::int64_t batch)
        : layer(steps, static_cast<std::size_t>(batch), N), dx(static_cast<std::size_t>(steps * batch * N)), dwx(4 * N * N),
          dwh(4 * N * N), db(4 * N) {}
    void forward(float const* x, weights<N> const& w) { layer.forward(x, w.wx.data(), w.wh.data(), w.b.data()); }
    void backward(float const* dh, float const* x, weights<N> const& w) {
        layer.backward(dh, x, w.wx.data(), w.wh.data(), dx.data(), dwx.data(), dwh.data(), db.data());
    }
};
template <class Layer> float mean_square(Layer const& layer, std::vector<float>& gradient) {
    double sum = 0;
    for (std::size_t k = 0; k < gradient.size(); ++k) {
        float const h = layer.h()[k];
        sum += static_cast<double>(h) * static_cast<double>(h);
        gradient[k] = 2 * h / static_cast<float>(gradient.size());
    }
    return static_cast<float>(sum / static_cast<double>(gradient.size()));
}
template <class Tensor> harness::buffer<float> elements(Tensor const& x) { return {x.data(), x.data() + x.size()}; }

template <std::int64_t B, std::int64_t N, int Layers> void add_lstm() {
    struct memory {
        tensor<steps, B, N> x = drawn<steps, B, N>(1, 1);
        weights<N> w{2}, w2{5};
        by_hand<N> first{B}, second{B};
        std::vector<float> dh = std::vector<float>(static_cast<std::size_t>(steps * B * N));
    };
    auto& m = *new memory; // lives as long as the registered benchmarks
    std::string const name = "lstm/f32/" + std::to_string(Layers) + "x" + std::to_string(N) + "x" + std::to_string(B);
    auto const forward = [&m] {
        m.first.forward(m.x.data(), m.w);
        if (Layers == 2) m.second.forward(m.first.layer.h(), m.w2);
        return mean_square((Layers == 2 ? m.second : m.first).layer, m.dh);
    };
    auto const both = [&m, forward] {
        float const value = forward();
        if (Layers == 2) {
            m.second.backward(m.dh.data(), m.first.layer.h(), m.w2);
            m.first.backward(m.second.dx.data(), m.x.data(), m.w);
        } else {
            m.first.backward(m.dh.data(), m.x.data(), m.w);
        }
        return value;
    };
    auto const register_both = [&](auto const& value, auto const& gradient, auto const&... w) {
        auto out = *new auto(value(m.x, w...));
        auto& slopes = *new auto(gradient(m.x, w...));
        harness::require_equal<float>(name, {forward()}, elements(out));
        both();
        harness::require_equal<float>(name, {m.first.dwh.begin(), m.first.dwh.end()}, elements(std::get<1>(slopes.second)));
        harness::subject const what{name, 1, 0}, with_gradient{name + "/gradient", 1, 0};
        harness::add(what, "hand", [forward] { benchmark::DoNotOptimize(forward()); });
        harness::add(what, "tracexpr", [&value, &m, out, w...]() mutable { value.into(out, m.x, w...); });
        harness::add(with_gradient, "hand", [both] { benchmark::DoNotOptimize(both()); });
        harness::add(with_gradient, "tracexpr", [&gradient, &slopes, &m, w...] { gradient.into(slopes, m.x, w...); });
    };
    if constexpr (Layers == 2) {
        static tx::static_function const value{two_layers<B, N>};
        static tx::static_function const gradient{tx::value_and_grad<1, 2, 3, 4, 5, 6>(two_layers<B, N>)};
        register_both(value, gradient, m.w.wx, m.w.wh, m.w.b, m.w2.wx, m.w2.wh, m.w2.b);
    } else {
        static tx::static_function const value{one_layer<B, N>};
        static tx::static_function const gradient{tx::value_and_grad<1, 2, 3>(one_layer<B, N>)};
        register_both(value, gradient, m.w.wx, m.w.wh, m.w.b);
    }
}

using vector = tx::tensor<double, tx::shape<10>>;
constexpr double h = 0.001;
constexpr auto solved = [](auto f) {
    return [f](auto start) {
        return tx::fori_loop(
            0, 10000,
            [f](auto, auto y) {
                auto const k1 = f(y), k2 = f(y + 0.5 * h * k1), k3 = f(y + 0.5 * h * k2), k4 = f(y + h * k3);
                return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
            },
            start);
    };
};
constexpr auto squares = [](auto y) { return 1.0 - y * y; };
constexpr auto lorenz = [](auto y) { return (tx::roll<-1>(y) - tx::roll<2>(y)) * tx::roll<1>(y) - y + 8.0; };

template <class F> void add_solver(std::string const& name, F f, void (*hand)(std::size_t, double, double*)) {
    static auto const solve = tx::static_function{solved(f)};
    static vector const start{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.8};
    static vector out = solve(start);
    auto const by_hand = [hand] {
        std::array<double, 10> y{};
        std::copy_n(start.data(), 10, y.begin());
        hand(10000, h, y.data());
        return y;
    };
    auto const expected = by_hand();
    harness::require_equal<double>(name, {expected.begin(), expected.end()}, {out.data(), out.data() + 10});
    harness::subject const what{name, 1, 0};
    harness::add(what, "hand", [by_hand] { benchmark::DoNotOptimize(by_hand()); });
    harness::add(what, "tracexpr", [] { solve.into(out, start); });
}

} // namespace

int main(int argc, char** argv) {
    add_lstm<1, 16, 2>();
    add_lstm<32, 128, 1>();
    add_solver("runge_kutta_squares/f64/10", squares, baselines::runge_kutta_squares);
    add_solver("runge_kutta_lorenz/f64/10", lorenz, baselines::runge_kutta_lorenz);
    return harness::run(argc, argv);
}
