// This file has numbers that threads wait for.
#pragma once

#include <tracexpr/base/config.hpp>

#include <atomic>

#if defined(TRACEXPR_GCC_ON_WINDOWS)
#include <condition_variable>
#include <mutex>
#endif

namespace tx::detail {

#if defined(TRACEXPR_GCC_ON_WINDOWS)
// Without futexes, libstdc++ 12 looks at the number before it locks, sleeps through a change between the two, and hangs.
template <class T> class waited_atomic : public std::atomic<T> {
public:
    using std::atomic<T>::atomic;
    void wait(T old, std::memory_order order) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return this->load(order) != old; });
    }
    void notify_all() {
        { std::lock_guard const lock(mutex_); } // Whoever has seen the old number is waiting by then.
        changed_.notify_all();
    }
    void notify_one() { notify_all(); }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
};
#else
template <class T> using waited_atomic = std::atomic<T>;
#endif

} // namespace tx::detail
