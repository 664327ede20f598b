// This file converts between tensors of any dtype and arrays without a static type.
#pragma once

#include <tracexpr/files/any_tensor.hpp>
#include <tracexpr/files/elements.hpp>

namespace tx::detail {

inline array_elements array_of(any_tensor const& a) {
    return std::visit([](auto const& t) { return array_of(t); }, a);
}

template <std::size_t Alternative = 0>
any_tensor read_any_tensor(file_call const& call, byte_source& in, array_layout const& layout) {
    if constexpr (Alternative == std::variant_size_v<any_tensor>) {
        check_array(call, layout, {dtype::token, dims_of<any_shape>}, ""); // This throws, as the layout's dtype is none of them.
        return {};
    } else {
        using wanted = std::variant_alternative_t<Alternative, any_tensor>;
        if (layout.type == type_of_array<wanted>.type)
            return read_elements(call, in, layout, type_of_array<wanted>).template to_tensor<wanted>();
        return read_any_tensor<Alternative + 1>(call, in, layout);
    }
}

} // namespace tx::detail
