// This file runs the CPU's kernels with their pieces on the threads of a Thrust host system.
#pragma once

#include <tracexpr/backends/threads/thread_pool.hpp>
#include <tracexpr/thrust/system.hpp>

#if !TRACEXPR_ON_GPU
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#endif

#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_OMP
#include <omp.h>
#else
#include <thread>
#endif

#include <algorithm>
#include <atomic>
#include <exception>

namespace tx::detail::inline TRACEXPR_DEVICE {

// The number of threads of the system, and a function that runs tasks on them.
int system_threads();
void run_on_system(task_list const& tasks);

#if !TRACEXPR_ON_GPU
inline int system_threads() {
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_OMP
    return omp_get_max_threads();
#elif THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_TBB
    return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
#else
    return 1;
#endif
}

// Calls a task and stores its exception, as none may leave the system's threads.
struct task_call {
    task_list const* tasks;
    std::atomic_flag* failed;
    std::exception_ptr* error;
    void operator()(std::int64_t i) const {
        try {
            tasks->call(tasks->task, i);
        } catch (...) {
            if (!failed->test_and_set(std::memory_order_relaxed)) *error = std::current_exception();
        }
    }
};
inline void run_on_system(task_list const& tasks) {
    std::atomic_flag failed;
    std::exception_ptr error;
    thrust::counting_iterator<std::int64_t> const first(0);
    thrust::for_each(thrust::device, first, first + tasks.count, task_call{&tasks, &failed, &error});
    if (error) std::rethrow_exception(error);
}
#endif

} // namespace tx::detail::inline TRACEXPR_DEVICE
