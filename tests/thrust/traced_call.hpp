// This file traces callables at run time, for devices of Thrust's.
#pragma once

#include <tracexpr/tracexpr.hpp>

#include <thrust/run_interpreted.hpp>

namespace tx::testing {

// A trace and its arguments, which must outlive it.
template <class... A> struct traced_call {
    tx::detail::runtime_program trace;
    std::vector<array_view> arguments;

    template <class F> traced_call(F const& f, A const&... a) {
        std::vector<dims> const open{dims_of<typename A::shape_type>...};
        trace = tx::detail::trace_now(open, nullptr, f, a...);
        (arguments.push_back({a.data(), dtype_of<typename A::value_type>, a.dimensions()}), ...);
    }
    graph_view graph() const { return trace.simplified.view(); }
};

} // namespace tx::testing
