#include <tracexpr/base/lasting.hpp>
#include <tracexpr/base/per_thread.hpp>
#include <tracexpr/base/waited_atomic.hpp>

#include <doctest/doctest.h>

#include <thread>
#include <vector>

namespace {

std::atomic<int> alive = 0;
struct counted {
    int number = 0;
    counted() { ++alive; }
    ~counted() { --alive; }
};
struct uses_another {
    ~uses_another() { ++tx::detail::per_thread<counted>().number; }
};
int& number_of_first() {
    struct first;
    return tx::detail::per_thread<counted, first>().number;
}
int& number_of_second() {
    struct second;
    return tx::detail::per_thread<counted, second>().number;
}

} // namespace

TEST_CASE("per_thread: each thread and each owner has its own, until the thread ends") {
    number_of_first() = 1;
    CHECK(alive == 1);
    std::thread([] {
        CHECK(number_of_first() == 0);
        number_of_first() = 2;
        number_of_second() = 3;
        CHECK(number_of_first() == 2);
        CHECK(alive == 3);
    }).join();
    CHECK(alive == 1);
    CHECK(number_of_first() == 1);
}

TEST_CASE("per_thread: a destructor finds the thread's other objects") {
    int const before = alive;
    std::thread([] {
        tx::detail::per_thread<counted>().number = 1;
        tx::detail::per_thread<uses_another>();
    }).join();
    CHECK(alive == before);
}

TEST_CASE("lasting: one object for each owner") {
    auto& one = tx::detail::lasting<counted, struct one_owner>();
    CHECK(&one == &tx::detail::lasting<counted, struct one_owner>());
    CHECK(&one != &tx::detail::lasting<counted, struct another_owner>());
}

// A change between the look at the number and the sleep must not be lost.
TEST_CASE("waited_atomic: no change is slept through") {
    constexpr int rounds = 20'000;
    tx::detail::waited_atomic<int> ping = 0, pong = 0;
    std::thread other([&] {
        for (int k = 0; k < rounds; ++k) {
            ping.wait(k, std::memory_order_acquire);
            pong.store(k + 1, std::memory_order_release);
            pong.notify_one();
        }
    });
    for (int k = 0; k < rounds; ++k) {
        ping.store(k + 1, std::memory_order_release);
        ping.notify_all();
        pong.wait(k, std::memory_order_acquire);
    }
    other.join();
    CHECK(pong.load() == rounds);
}
