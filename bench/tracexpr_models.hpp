// Programs that are differentiated: a chain of some 50 pointwise ops and a sum, and three models.
#pragma once

#include "baselines/gradient.hpp"
#include "harness.hpp"

#include <tracexpr/tracexpr.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace programs {

inline constexpr auto chain = [](auto x, auto w) {
    auto y = x;
    for (int k = 0; k < baselines::chain_length; ++k) y = tx::sqrt(1.0f + y * y) * 0.7f - y * w + x / (1.0f + w * w);
    return tx::sum(y * y);
};

inline constexpr auto regression = [](auto w, auto x, auto y) {
    return tx::logsumexp(tx::matmul(x, w) - y) + 0.5f * tx::sum(tx::square(w));
};
inline constexpr auto cross_entropy = [](auto z, auto label) {
    auto const chosen = tx::take_along_axis(z, tx::expand_dims(label, tx::axis<1>), tx::axis<1>);
    return tx::mean(tx::logsumexp(z, tx::axis<1>) - tx::squeeze(chosen, tx::axis<1>));
};

template <std::int64_t... Extents> using tensor = tx::tensor<float, tx::shape<Extents...>>;
using model = std::tuple<tensor<784, 512>, tensor<512>, tensor<512, 256>, tensor<256>, tensor<256, 10>, tensor<10>>;
inline constexpr auto network = [](auto const& p, auto x, auto label) {
    auto const& [w1, b1, w2, b2, w3, b3] = p;
    auto const first = tx::relu(tx::matmul(x, w1) + b1);
    auto const second = tx::relu(tx::matmul(first, w2) + b2);
    return cross_entropy(tx::matmul(second, w3) + b3, label);
};

// Arguments of the models.
template <std::int64_t N> using labels = tx::tensor<std::int32_t, tx::shape<N>>;
template <std::int64_t N> labels<N> random_labels(std::uint32_t classes) {
    labels<N> out = labels<N>::uninitialized();
    for (std::int64_t i = 0; i < N; ++i)
        out.mutable_data()[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(i) * 2654435761u % classes);
    return out;
}
template <class Tensor> Tensor filled(double low, double high, std::uint32_t seed) {
    Tensor out = Tensor::uninitialized();
    auto const from = harness::uniform<float>(static_cast<std::size_t>(out.size()), low, high, seed);
    std::copy(from.begin(), from.end(), out.mutable_data());
    return out;
}
inline model random_model() {
    return {filled<tensor<784, 512>>(-0.05, 0.05, 2), filled<tensor<512>>(-0.1, 0.1, 3),
            filled<tensor<512, 256>>(-0.06, 0.06, 4), filled<tensor<256>>(-0.1, 0.1, 5),
            filled<tensor<256, 10>>(-0.1, 0.1, 6),    filled<tensor<10>>(-0.1, 0.1, 7)};
}

} // namespace programs
