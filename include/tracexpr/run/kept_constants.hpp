// How the graph of a traced function reads the constants that are computed once. What computes them stands in
// computed_constants.hpp: a trace needs only to name it.
#pragma once

#include <tracexpr/graph/graph.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace tx::detail::inline TRACEXPR_TARGET {

// Constants: the stages of a graph without parameters. Gives the elements of each of its outputs.
template <class Constants> TRACEXPR_NOINLINE void* const* computed_constants();

// They are nobody's tensors, which nothing but `see` tells.
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
