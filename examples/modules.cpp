// expect-output: static: yes
// Modules are structs: their tensors are parameters of the graph, wherever they stand and however deep. A network is traced by
// the compiler; changing a weight changes what the next call computes.
#include <tracexpr/tracexpr.hpp>

#include <functional>
#include <iostream>

template <std::int64_t In, std::int64_t Out> struct dense {
    tx::tensor<float, tx::shape<In, Out>> weights;
    tx::tensor<float, tx::shape<Out>> bias;

    constexpr auto operator()(auto const& x) const { return tx::matmul(x, weights) + bias; }
};

struct network {
    dense<2, 8> first;
    dense<8, 8> second; // two instances of dense may have one type, too
    dense<8, 1> last;

    constexpr auto operator()(auto const& x) const {
        auto const h = tx::tanh(first(x));
        return last(h + tx::tanh(second(h)));
    }
};

// Gives numbers that look random: the fractional parts of multiples of the golden ratio, from -0.5 to 0.5.
void spread(auto& weights) {
    float value = 0.25f;
    float* const to = weights.mutable_data();
    for (std::int64_t i = 0; i < weights.size(); ++i) {
        value += 0.618034f;
        if (value > 1) value -= 1;
        to[i] = value - 0.5f;
    }
}

int main() {
    network net;
    spread(net.first.weights);
    spread(net.second.weights);
    spread(net.last.weights);
    tx::tensor<float, tx::shape<4, 2>> const x{{0, 0}, {0, 1}, {1, 0}, {1, 1}};

    tx::function copied{net};              // has its own network
    tx::function referring{std::ref(net)}; // sees every change
    std::cout << "four outputs:\n" << referring(x) << '\n';
    std::cout << "static: " << (decltype(referring)::is_static ? "yes" : "no") << ", signature: " << referring.signatures()[0]
              << '\n';

    net.last.bias.mutable_data()[0] = 10;
    std::cout << "the bias plus 10: " << referring(x)(0, 0) - copied(x)(0, 0) << '\n';

    // A struct may be an argument and a result as well: one step that pulls every weight of a layer towards 0.
    tx::function decay{
        [](dense<8, 1> layer, auto rate) { return dense<8, 1>{layer.weights * (1 - rate), layer.bias * (1 - rate)}; }};
    net.last = decay(net.last, 0.1f);
    std::cout << "bias after decay: " << net.last.bias(0) << '\n';
}
