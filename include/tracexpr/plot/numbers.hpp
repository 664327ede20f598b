// This file takes the numbers of tensors and ranges, which pictures show.
#pragma once

#include <tracexpr/base/tensor.hpp>

#include <iterator>
#include <vector>

namespace tx::plot::detail {

template <class R> concept is_tensor = requires(R const& r) {
    r.dimensions();
    static_cast<double>(*r.data());
};
template <class R> concept numbers = is_tensor<R> || requires(R const& r) { static_cast<double>(*std::begin(r)); };
// Returns the elements of a tensor, row by row, or of a range.
template <numbers R> std::vector<double> values_of(R const& from) {
    if constexpr (is_tensor<R>) {
        std::vector<double> out(static_cast<std::size_t>(from.size()));
        auto const* next = from.data();
        for (double& value : out) value = static_cast<double>(*next++);
        return out;
    } else {
        std::vector<double> out;
        for (auto const& value : from) out.push_back(static_cast<double>(value));
        return out;
    }
}

} // namespace tx::plot::detail
