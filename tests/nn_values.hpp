// This file makes numbers for the tests of layers by a formula that NumPy can follow, for results that NumPy computed.
#pragma once

#include <tracexpr/nn.hpp>

#include <family_checks.hpp>

#include <initializer_list>
#include <vector>

namespace tx::testing {

template <std::int64_t... N> using numbers = tensor<double, shape<N...>>;

// Gives sin(step), sin(2 step), ...: np.sin(step * np.arange(1, n + 1)).reshape(...)
template <std::int64_t... N> numbers<N...> made(double step) {
    std::vector<double> out(static_cast<std::size_t>((N * ...)));
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::sin(step * static_cast<double>(i + 1));
    return from_data<shape<N...>>(out.data());
}
template <std::int64_t... N> numbers<N...> wanted(std::initializer_list<double> values) {
    return from_data<shape<N...>>(values.begin());
}

} // namespace tx::testing
