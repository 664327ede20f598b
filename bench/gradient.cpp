// Value and gradient of a chain of some 50 ops and a sum, against the value alone and against derivatives written by hand.
#include "tracexpr_models.hpp"

namespace {

using programs::chain;

template <class T> using vector = tx::tensor<T, tx::shape<tx::dyn>>;
template <class T> vector<T> to_vector(harness::buffer<T> const& from) {
    auto out = vector<T>::uninitialized(tx::dims{{static_cast<std::int64_t>(from.size())}, 1});
    std::copy(from.begin(), from.end(), out.mutable_data());
    return out;
}

template <class T> harness::buffer<T> to_buffer(vector<T> const& from) { return harness::buffer<T>(from.begin(), from.end()); }

template <class T> struct problem {
    std::size_t n;
    harness::buffer<T> x = harness::uniform<T>(n, -1, 1, 1), w = harness::uniform<T>(n, 0, 1, 2), gx = harness::buffer<T>(n), gw = harness::buffer<T>(n);
    vector<T> tx_x = to_vector(x), tx_w = to_vector(w);
    tx::tensor<T, tx::shape<>> value{};
    std::pair<tx::tensor<T, tx::shape<>>, std::tuple<vector<T>, vector<T>>> both{value, {tx_x, tx_w}};
};

template <class T> void add_all(std::size_t n) {
    static tx::static_function const value{chain};
    static tx::static_function const gradient{tx::value_and_grad<0, 1>(chain)};
    auto& p = *new problem<T>{.n = n}; // lives as long as the registered benchmarks: until the program ends
    harness::subject const what{std::string("chain_gradient/") + harness::dtype_name<T> + "/" + std::to_string(n), n, 4 * n * sizeof(T)};
    gradient.into(p.both, p.tx_x, p.tx_w);
    for (auto const hand_written : {baselines::plain_chain, baselines::eigen_chain}) {
        hand_written(n, p.x.data(), p.w.data(), p.gx.data(), p.gw.data());
        harness::require_equal(what.name, p.gx, to_buffer(std::get<0>(p.both.second)));
        harness::require_equal(what.name, p.gw, to_buffer(std::get<1>(p.both.second)));
    }
    harness::add(what, "plain", [&p] { baselines::plain_chain(p.n, p.x.data(), p.w.data(), p.gx.data(), p.gw.data()); });
    harness::add(what, "eigen", [&p] { baselines::eigen_chain(p.n, p.x.data(), p.w.data(), p.gx.data(), p.gw.data()); });
    harness::add(what, "tracexpr", [&p] { gradient.into(p.both, p.tx_x, p.tx_w); });
    harness::add({"chain_value" + what.name.substr(14), n, 2 * n * sizeof(T)}, "tracexpr", [&p] { value.into(p.value, p.tx_x, p.tx_w); });
}

} // namespace

int main(int argc, char** argv) {
    for (std::size_t n : harness::vector_lengths) add_all<float>(n);
    return harness::run(argc, argv);
}
