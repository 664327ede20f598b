// This file has tensors whose dtype only the file knows.
#pragma once

#include <tracexpr/files/elements.hpp>

#include <complex>
#include <cstdint>
#include <map>
#include <string>
#include <variant>

namespace tx {

// any_tensor is a tensor of one of the dtypes that files hold: std::visit([](auto const& t) { ... }, a),
// std::get<tensor<float>>(a).
using any_tensor = std::variant<tensor<bool>, tensor<std::int8_t>, tensor<std::int16_t>, tensor<std::int32_t>,
                                tensor<std::int64_t>, tensor<std::uint8_t>, tensor<std::uint16_t>, tensor<std::uint32_t>,
                                tensor<std::uint64_t>, tensor<half>, tensor<bfloat16>, tensor<float>, tensor<double>,
                                tensor<std::complex<float>>, tensor<std::complex<double>>, tensor<std::string>>;
// named_tensors holds the arrays of a file by their names.
using named_tensors = std::map<std::string, any_tensor>;

namespace detail {

inline array_elements array_of(any_tensor const& a) {
    return std::visit([](auto const& t) { return array_of(t); }, a);
}

template <std::size_t Alternative = 0>
any_tensor read_any_tensor(file_call const& call, byte_source& in, array_layout const& layout) {
    if constexpr (Alternative == std::variant_size_v<any_tensor>) {
        check_array(call, layout, dtype::token, dims_of<any_shape>, ""); // This throws, as the layout's dtype is none of them.
        return {};
    } else {
        using T = typename std::variant_alternative_t<Alternative, any_tensor>::value_type;
        if (layout.type == dtype_of<T>) return read_tensor<T, any_shape>(call, in, layout);
        return read_any_tensor<Alternative + 1>(call, in, layout);
    }
}

} // namespace detail
} // namespace tx
