// This file holds the choices that a call of tx::function makes: whether functions run eagerly, and on how many threads a call
// runs.
#pragma once

#include <tracexpr/backends/threads/thread_pool.hpp>
#include <tracexpr/run/device_call.hpp>
#include <tracexpr/run/options.hpp>

#include <atomic>

namespace tx::detail {

inline std::atomic<bool> eager_functions = false;

[[noreturn]] TRACEXPR_ONCE void throw_not_static() {
    throw trace_error("tx: function: tx::jit::always needs a callable and arguments that the compiler can trace; "
                      "tx::static_function tells what prevents it");
}

// While it lives, `placement` sets how many threads the loops of a call run on.
template <bool Threaded> struct placement {
    template <class F> constexpr explicit placement(F const&) {}
};
template <> struct placement<true> {
    template <class F> explicit placement(F const& f) : scope_(place_of(unwrap(f)).threads) {}

private:
    threads_scope scope_;
};

} // namespace tx::detail
