// This file holds a queue whose teams are threads of the host, in the place of a GPU's blocks, warps and threads.
#pragma once

#include <tracexpr/thrust/teams.hpp>

#include <barrier>
#include <thread>
#include <vector>

namespace tx::testing {

struct crew_queue {
    tx::detail::device_queue& memory;
    std::int64_t tasks_of_several = 0;  // how many tasks were run by teams of several threads
    std::int64_t memory_of_teams = 0;  // the most bytes that a team got
    std::int32_t team = 0;  // the number of threads that a GPU would have in the largest team
    std::int64_t tasks_of_known = 0;  // tasks whose work's type says how many threads run them
    operator tx::detail::device_queue&() { return memory; }
};

struct crew {
    std::barrier<> all;
    std::vector<std::byte> exchange = std::vector<std::byte>(1 << 16);
    explicit crew(int threads) : all{threads} {}
};
struct crew_member {
    std::byte* memory;
    crew* of;
    int number, threads;
    int rank() const { return number; }
    int size() const { return threads; }
    void wait() const { of->all.arrive_and_wait(); }
    template <class Sums> void merge(Sums& sums) const {
        Sums* const shared = reinterpret_cast<Sums*>(of->exchange.data());
        shared[number] = sums;
        wait();
        Sums all = shared[0];
        for (int k = 1; k < threads; ++k) all.merge(shared[k]);
        wait();
        sums = all;
    }
    template <class Sums> void merge_warps(Sums& sums) const {
        Sums* const shared = reinterpret_cast<Sums*>(of->exchange.data());
        shared[number] = sums;
        wait();
        if (number < 32)
            for (int k = number + 32; k < threads; k += 32) sums.merge(shared[k]);
        wait();
    }
};

template <class Work> std::int64_t teams_at_once(crew_queue&) { return 6; }
template <class Work> void run_tasks(crew_queue& queue, Work const& work, std::int64_t tasks, tx::detail::team_shape shape = {}) {
    std::vector<std::byte> memory(static_cast<std::size_t>(shape.memory) + 64);
    std::byte* const own = memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64);
    queue.memory_of_teams = std::max(queue.memory_of_teams, shape.memory);
    queue.team = std::max(queue.team, shape.size);
    constexpr bool is_sized = requires { Work::threads; };
    if constexpr (!is_sized)
        if (shape.size == 1) {
            tx::detail::single_thread team;
            team.memory = own;
            for (std::int64_t task = 0; task < tasks; ++task) work(team, task);
            return;
        }
    queue.tasks_of_several += tasks;
    if constexpr (!Work::is_single) {
        int threads = shape.size / 8;  // fewer than a GPU has, and more than there are processors
        if constexpr (is_sized) threads = Work::threads, queue.tasks_of_known += tasks;
        crew together(threads);
        std::vector<std::thread> running;
        for (int k = 0; k < threads; ++k)
            running.emplace_back([&, k] {
                for (std::int64_t task = 0; task < tasks; ++task) work(crew_member{own, &together, k, threads}, task);
            });
        for (std::thread& t : running) t.join();
    }
}

} // namespace tx::testing
namespace tx::detail::inline TRACEXPR_DEVICE {
template <> inline constexpr bool has_teams<tx::testing::crew_queue> = true;
}
