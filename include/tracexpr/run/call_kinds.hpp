// The ways in which tx::function's calls may go: eagerly, with more or less knowledge of the arguments, on threads, on a device.
#pragma once

#include <tracexpr/backends/threads/thread_pool.hpp>
#include <tracexpr/run/device_call.hpp>
#include <tracexpr/run/options.hpp>

#include <atomic>

namespace tx::detail {

inline std::atomic<bool> eager_functions = false;

[[noreturn]] TRACEXPR_NOINLINE inline void throw_not_static() {
    throw trace_error("tx: function: tx::jit::always needs a callable and arguments that the compiler can trace; "
                      "tx::static_function tells what prevents it");
}

// While a call runs: how many threads its loops are for.
template <bool Threaded> struct placement {
    template <class F> constexpr explicit placement(F const&) {}
};
template <> struct placement<true> {
    template <class F> explicit placement(F const& f) : scope_(place_of(unwrap(f)).threads) {}

private:
    threads_scope scope_;
};

} // namespace tx::detail
