// This file has tensors whose dtype only the file knows.
#pragma once

#include <tracexpr/files/array.hpp>

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

} // namespace tx
