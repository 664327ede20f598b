// Where a function runs: tx::on(tx::cpu{.threads = 4}, f).
#pragma once

#include <tracexpr/run/function.hpp>

namespace tx {

// Some of this machine's cores. 0: as many threads as it can run at once.
struct cpu {
    int threads = 0;
};

namespace detail {
template <class F> constexpr pass_options threaded_passes() {
    pass_options out = passes_of<callable_of<F>>;
    out.threads = true;
    return out;
}
template <class F> using threaded_callable = optioned_callable<threaded_passes<F>(), F>;
[[noreturn]] TRACEXPR_NOINLINE inline void throw_thread_count(int threads) {
    throw device_error("tx: on: cpu::threads must be 0 or more; given " + std::to_string(threads));
}
inline int thread_count(cpu where) {
    if (where.threads < 0) throw_thread_count(where.threads);
    if (where.threads > 0) return where.threads;
    unsigned const all = std::thread::hardware_concurrency();
    return all > 0 ? static_cast<int>(all) : 1;
}
} // namespace detail

// A function whose large loops several threads share, where the compiler traces it. Results are the same to the bit for any number of
// threads. What is too small to be worth waking them one thread does; so it does while another call uses them, calls from within one
// included. Matrix products have the threads of their CBLAS.
template <class F> class placed_function : public function<detail::threaded_callable<F>> {
    using base = function<detail::threaded_callable<F>>;

public:
    // Throws device_error for a negative number of threads.
    placed_function(cpu where, F f) : base(detail::threaded_callable<F>{std::move(f)}), threads_{detail::thread_count(where)} {}

    template <class... A> constexpr auto operator()(A const&... a) const {
        if (std::is_constant_evaluated()) return base::operator()(a...); // part of another function
        return run(a...);
    }
    template <class Result, class... A> void into(Result& out, A const&... a) const {
        detail::threads_scope const scope(threads_);
        base::into(out, a...);
    }

private:
    template <class... A> auto run(A const&... a) const {
        detail::threads_scope const scope(threads_);
        return base::operator()(a...);
    }

    int threads_;
};

// f, placed: a callable, or a function, whose traces and counts stay its own.
template <class F> auto on(cpu where, F f) {
    if constexpr (detail::is_function<F>) return placed_function<std::remove_cvref_t<decltype(f.traced_callable())>>(where, f.traced_callable());
    else return placed_function<F>(where, std::move(f));
}

namespace detail {
template <class F> inline constexpr bool is_function<placed_function<F>> = true;
}

} // namespace tx
