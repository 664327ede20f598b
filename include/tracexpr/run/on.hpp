// This file holds tx::on, which says where a function runs: tx::on(tx::cpu{.threads = 4}, f).
#pragma once

#include <tracexpr/backends/threads/thread_pool.hpp>
#include <tracexpr/run/function.hpp>

namespace tx {

// cpu stands for some of this machine's cores; 0 stands for as many threads as it can run at once.
struct cpu {
    int threads = 0;
};

namespace detail {
template <class F> constexpr pass_options threaded_passes() {
    pass_options out = passes_of<callable_of<F>>;
    out.threads = true;
    return out;
}
template <class F> using threaded_callable = optioned_callable<threaded_passes<F>(), F, cpu>;
[[noreturn]] TRACEXPR_ONCE void throw_thread_count(int threads) {
    throw device_error("tx: on: cpu::threads must be 0 or more; given " + std::to_string(threads));
}
TRACEXPR_ONCE int thread_count(cpu where) {
    if (where.threads < 0) throw_thread_count(where.threads);
    return where.threads > 0 ? where.threads : hardware_threads();
}
template <class F> constexpr auto threaded(cpu where, F const& f) {
    return threaded_callable<decltype(held(f))>{held(f), {thread_count(where)}};
}
} // namespace detail

// Returns a function whose large loops, as kernels or on tiles, are shared by several threads. It is made of a callable, or like
// another function, with the same options and signature; its traces and counts are its own. Results are the same to the bit for
// any number of threads. One thread runs what is too small to be worth waking the others, and whatever runs while another call,
// or one around this, uses them. Matrix products have the threads of their CBLAS. Throws device_error for a negative number of
// threads.
template <class F> [[nodiscard]] auto on(cpu where, F const& f) { return function{detail::threaded(where, f)}; }
template <class F, class Form> [[nodiscard]] auto on(cpu where, function<F, Form> const& f) {
    using callable = decltype(detail::threaded(where, f.stored()));
    if constexpr (detail::is_signature<Form>)
        return function<callable, Form>(detail::threaded(where, f.stored()), Form{}, f.settings());
    else return function<callable, Form>(detail::threaded(where, f.stored()), f.settings());
}

} // namespace tx
