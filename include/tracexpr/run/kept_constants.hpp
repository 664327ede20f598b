// This file makes captures of the constants of a traced function that are computed once. They are computed by
// computed_constants.hpp; a trace only needs to declare that.
#pragma once

#include <tracexpr/graph/graph.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace tx::detail::inline TRACEXPR_TARGET {

// Returns the elements of each output of a graph without parameters; `Constants` holds the stages of that graph.
template <class Constants> TRACEXPR_NOINLINE void* const* computed_constants();

// Returns the captures of the constants. They belong to no tensor, which their missing `see` tells.
template <class Constants> constexpr auto captures_of_constants() {
    constexpr std::size_t count = Constants::graph().outputs.size();
    return []<std::size_t... K>(std::index_sequence<K...>) {
        return std::array<captured, count>{
            captured{&std::integral_constant<std::size_t, K>::value,
                     [](void const*) -> void const* { return computed_constants<Constants>()[K]; },
                     [](void const*) { return Constants::graph().shape_of(Constants::graph().outputs[K]); }, nullptr}...};
    }(std::make_index_sequence<count>{});
}

} // namespace tx::detail::inline TRACEXPR_TARGET
