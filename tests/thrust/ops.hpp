// This file runs the families of ops on a device, with the kernels of a GPU.
#pragma once

#include <op_families.hpp>
#include <tracexpr/thrust.hpp>

#include <doctest/doctest.h>

namespace tx::testing {

struct thrust_executor {
    template <class F, class... A> static std::vector<host_array> run(std::vector<host_array> const& arguments) {
        function const placed = on(thrust_points{}, F{});
        static_assert(decltype(placed)::is_static);
        return [&]<std::size_t... K>(std::index_sequence<K...>) { return arrays_of(placed(tensor_from<A>(arguments[K])...)); }(std::index_sequence_for<A...>{});
    }
};

template <> inline constexpr bool takes_strings<thrust_executor> = !TRACEXPR_ON_GPU;  // strings stay on the host

} // namespace tx::testing
