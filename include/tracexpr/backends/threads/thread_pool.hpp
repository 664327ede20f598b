// This file holds the threads that wait for work: one pool for the program, which grows when more threads are asked for. After
// the threads have ended at the program's exit, the caller works alone; in a forked process, which does not have them, it starts
// others.
#pragma once

#include <tracexpr/base/waited_atomic.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <utility>

#if TRACEXPR_HAS_BODIES
#include <thread>
#include <vector>
#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif
#endif

namespace tx::detail {

// task_list holds the tasks 0 ... count - 1, which another library's threads may run.
struct task_list {
    void (*call)(void const*, std::int64_t) = nullptr;
    void const* task = nullptr;
    std::int64_t count = 0;
};
using task_runner = void (*)(task_list const&);

// Returns the number of threads that the machine can run at once.
template <class Unused = void> int hardware_threads();

class thread_pool {
public:
    static thread_pool& shared() {
        // The pool is never destroyed, because destructors of static objects may use it after `last` is gone.
        alignas(thread_pool) static std::byte memory[sizeof(thread_pool)];
        static thread_pool* const pool = ::new (memory) thread_pool;
        static closer const last{pool};
        return *pool;
    }
    thread_pool(thread_pool const&) = delete;
    thread_pool& operator=(thread_pool const&) = delete;

    // Runs task(0) ... task(count - 1) on at most `threads` threads, of which this is one. The first exception that a task throws
    // is thrown here when all of them have ended. This thread does everything by itself if the pool is working already, or a task
    // calls this.
    template <class F> void run(int threads, std::int64_t count, F const& task) {
        task_list const tasks{[](void const* f, std::int64_t i) { (*static_cast<F const*>(f))(i); }, &task, count};
        if (runner_here) runner_here(tasks);
        else run_job(threads, tasks);
    }
    // If it is not null, calls by this thread use this runner instead of the pool.
    static inline constinit thread_local task_runner runner_here = nullptr;

private:
    // state_ counts jobs; its low bits hold the number of workers that the last job takes, which are the first ones.
    static constexpr std::uint64_t next_job = 1u << 16, helpers_mask = next_job - 1, stop = ~std::uint64_t{0};

    struct workers;

    struct closer {
        thread_pool* pool;
        ~closer() { pool->end(); }
    };

    thread_pool() = default;

    // (This and grow are templates so that only programs with threads compile what starts them.)
    template <class Unused = void> void run_job(int threads, task_list wanted) {
        std::int64_t const useful = wanted.count < threads ? wanted.count : threads;
        if (useful <= 1 || busy_.test_and_set(std::memory_order_acquire)) {
            for (std::int64_t i = 0; i < wanted.count; ++i) wanted.call(wanted.task, i);
            return;
        }
        std::uint64_t const helpers = grow(static_cast<std::size_t>(useful - 1));
        job_ = wanted;
        next_.store(0, std::memory_order_relaxed);
        failed_.clear(std::memory_order_relaxed);
        working_.store(helpers, std::memory_order_relaxed);
        std::uint64_t const old = state_.load(std::memory_order_relaxed);
        state_.store(((old & ~helpers_mask) + next_job) | helpers, std::memory_order_release);
        state_.notify_all();
        take_tasks();
        for (std::uint64_t left; (left = working_.load(std::memory_order_acquire)) != 0;)
            working_.wait(left, std::memory_order_acquire);
        std::exception_ptr const error = std::exchange(error_, nullptr);
        busy_.clear(std::memory_order_release);
        if (error) std::rethrow_exception(error);
    }
    // Returns how many of the wanted workers there are: threads, or memory for them, may run out.
    template <class Unused = void> std::uint64_t grow(std::size_t helpers) noexcept;
    template <class Unused = void> void end();
    template <class Unused = void> void leave_threads_behind();
    TRACEXPR_ONCE void take_tasks() {
        try {
            for (std::int64_t i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < job_.count;) job_.call(job_.task, i);
        } catch (...) {
            if (!failed_.test_and_set(std::memory_order_relaxed)) error_ = std::current_exception();
        }
    }
    TRACEXPR_ONCE void serve(std::size_t number, std::uint64_t seen) {
        for (;;) {
            state_.wait(seen, std::memory_order_acquire);
            seen = state_.load(std::memory_order_acquire);
            if (seen == stop) return;
            if (number >= (seen & helpers_mask)) continue;
            take_tasks();
            if (working_.fetch_sub(1, std::memory_order_acq_rel) == 1) working_.notify_one();
        }
    }

    workers* workers_ = nullptr;
    waited_atomic<std::uint64_t> state_ = 0, working_ = 0;
    std::atomic<std::int64_t> next_ = 0;
    std::atomic_flag busy_, failed_;
    task_list job_;
    std::exception_ptr error_;
};

#if TRACEXPR_HAS_BODIES
template <class Unused> int hardware_threads() {
    unsigned const all = std::thread::hardware_concurrency();
    return all > 0 ? static_cast<int>(all) : 1;
}
struct thread_pool::workers {
    std::vector<std::thread> all;
};
template <class Unused> std::uint64_t thread_pool::grow(std::size_t helpers) noexcept {
    if (helpers > helpers_mask) helpers = helpers_mask;
    try {
        if (!workers_) {
            workers_ = new workers;
            leave_threads_behind();
        }
        std::vector<std::thread>& all = workers_->all;
        all.reserve(helpers); // no exception may be thrown after a thread has started
        while (all.size() < helpers)
            all.emplace_back([this, number = all.size(), seen = state_.load(std::memory_order_relaxed)] { serve(number, seen); });
    } catch (...) {}
    std::size_t const have = workers_ ? workers_->all.size() : 0;
    return have < helpers ? have : helpers;
}
// A process that is forked from this one has none of its threads.
template <class Unused> void thread_pool::leave_threads_behind() {
#if defined(__unix__) || defined(__APPLE__)
    [[maybe_unused]] static int const once = pthread_atfork(nullptr, nullptr, [] {
        thread_pool& pool = shared();
        pool.workers_ = nullptr;
        pool.busy_.clear();
    });
#endif
}
template <class Unused> void thread_pool::end() {
    busy_.test_and_set(); // it stays set for good
    if (!workers_) return;
    state_.store(stop, std::memory_order_release);
    state_.notify_all();
    for (std::thread& worker : workers_->all) worker.join();
    delete std::exchange(workers_, nullptr);
}
#endif
TRACEXPR_INSTANCE(int hardware_threads<void>())
TRACEXPR_INSTANCE(std::uint64_t thread_pool::grow<void>(std::size_t) noexcept)
TRACEXPR_INSTANCE(void thread_pool::end<void>())
TRACEXPR_INSTANCE(void thread_pool::leave_threads_behind<void>())

// The number of threads that calls by this thread may use.
inline thread_local int threads_here = 1;
class threads_scope {
public:
    explicit threads_scope(int threads, task_runner runner = nullptr)
        : before_{threads_here}, runner_before_{thread_pool::runner_here} {
        threads_here = threads, thread_pool::runner_here = runner;
    }
    ~threads_scope() { threads_here = before_, thread_pool::runner_here = runner_before_; }
    threads_scope(threads_scope const&) = delete;
    threads_scope& operator=(threads_scope const&) = delete;

private:
    int before_;
    task_runner runner_before_;
};

} // namespace tx::detail
