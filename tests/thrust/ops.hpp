// The families of ops on Thrust's host system.
#pragma once

#include <op_families.hpp>
#include <thrust/run_on_thrust.hpp>

namespace tx::testing {

struct thrust_executor {
    template <class F, class... A> static std::vector<host_array> run(std::vector<host_array> const& arguments) {
        return run_on_thrust<tx::detail::compile_time_trace<F, A...>>(views_of(arguments));
    }
};

} // namespace tx::testing
