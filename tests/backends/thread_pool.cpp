// This file tests the thread pool where memory runs out, and where tasks throw.
#include <failing_memory.hpp>

#include <tracexpr/backends/threads/thread_pool.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <thread>

using tx::detail::thread_pool;
using tx::testing::until_failure;

namespace {

// Does a second thread take part? Two tasks wait for each other, but not for ever.
bool two_threads_meet() {
    std::atomic<int> arrived = 0, met = 0;
    thread_pool::shared().run(2, 2, [&](std::int64_t) {
        auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        ++arrived;
        while (arrived < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
        met += arrived == 2;
    });
    return met == 2;
}

} // namespace

TEST_CASE("thread pool: where it can't grow for lack of memory, the threads that there are do the work") {
    int failures = 0;
    for (bool failed = true; failed; ++failures) { // more helpers each time, until there are all of them
        std::atomic<int> calls[100]{};
        until_failure = failures;
        CHECK_NOTHROW(thread_pool::shared().run(9, 100, [&](std::int64_t i) { ++calls[i]; }));
        failed = until_failure < 0;
        until_failure = -1;
        bool once = true;
        for (std::atomic<int> const& n : calls) once = once && n == 1;
        CHECK(once);
        if (failures > 1) CHECK(two_threads_meet());
    }
    CHECK(failures > 2);
    CHECK(two_threads_meet());
}

TEST_CASE("thread pool: what a task throws is thrown by the call and not kept, and the pool goes on") {
    struct failure {
        std::shared_ptr<int> number;
    };
    std::weak_ptr<int> thrown;
    for (int i = 0; i < 20; ++i) {
        int caught = 0;
        auto const number = std::make_shared<int>(i);
        thrown = number;
        try {
            thread_pool::shared().run(3, 10, [number](std::int64_t k) {
                if (k % 3 == 0) throw failure{number};
            });
        } catch (failure const& f) {
            caught += *f.number == i;
        }
        CHECK(caught == 1);
    }
    CHECK(thrown.expired());
    CHECK(two_threads_meet());
}
