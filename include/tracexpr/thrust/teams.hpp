// This file runs work on a device as tasks of teams: a team is one thread, a warp or a block of the GPU; on Thrust's host systems
// it is always one thread. The same functor runs on all of them, given the team and the task's number. On the GPU these are the
// library's own kernels rather than thrust::for_each: their arguments stay in constant memory, where loops index them, and the
// threads of a team work together.
#pragma once

#include <tracexpr/thrust/queue.hpp>

#if !TRACEXPR_ON_GPU
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <type_traits>

namespace tx::detail::inline TRACEXPR_DEVICE {

// The threads of a team (1, 32 or 256), and the memory for each team.
struct team_shape {
    std::int32_t size = 1;
    std::int64_t memory = 0; // bytes, a multiple of 64
};

inline constexpr int warp_threads = 32, block_threads = 256;
// Can the teams of a queue have several threads? (Tests have a queue whose teams are threads of the host.)
template <class Queue> inline constexpr bool has_teams = on_gpu;

// A team of one thread, of the host or of the GPU.
struct single_thread {
    std::byte* memory = nullptr;
    TRACEXPR_HD int rank() const { return 0; }
    TRACEXPR_HD int size() const { return 1; }
    TRACEXPR_HD void wait() const {}
    template <class Sums> TRACEXPR_HD void merge(Sums&) const {}
};

#if TRACEXPR_ON_GPU

// Gives a word of the thread of the warp whose number differs in these bits; first_thread gives that of the first thread.
struct other_thread {
    int by;
    __device__ std::uint32_t operator()(std::uint32_t word) const { return __shfl_xor_sync(~0u, word, by); }
};
struct first_thread {
    __device__ std::uint32_t operator()(std::uint32_t word) const { return __shfl_sync(~0u, word, 0); }
};
template <class T, class Shuffle> __device__ T exchanged(T const& value, Shuffle const& shuffle) {
    constexpr int words = static_cast<int>((sizeof(T) + 3) / 4);
    std::uint32_t bits[words]{};
    std::memcpy(bits, static_cast<void const*>(&value), sizeof(T));
    for (int k = 0; k < words; ++k) bits[k] = shuffle(bits[k]);
    T out;
    std::memcpy(static_cast<void*>(&out), bits, sizeof(T));
    return out;
}

// A team of the threads of a warp or of a block, or of one thread.
struct device_team {
    std::byte* memory;
    int threads;
    __device__ int rank() const { return static_cast<int>(threadIdx.x) & (threads - 1); }
    __device__ int size() const { return threads; }
    __device__ void wait() const {
        if (threads == block_threads) __syncthreads();
        else if (threads > 1) __syncwarp();
    }
    // Leaves the sum over all threads in each of them, always added in the same order.
    template <class Sums> __device__ void merge(Sums& sums) const {
        if (threads == 1) return;
        merge_warp(sums, warp_threads);
        if (threads <= warp_threads) return;
        constexpr int warps = block_threads / warp_threads;
        __shared__ alignas(16) unsigned char of_warps[warps * sizeof(Sums)];
        Sums* const all = reinterpret_cast<Sums*>(of_warps);
        int const warp = static_cast<int>(threadIdx.x) / warp_threads, lane = static_cast<int>(threadIdx.x) % warp_threads;
        __syncthreads(); // of_warps may still be read by the previous call
        if (lane == 0) all[warp] = sums;
        __syncthreads();
        sums = all[lane % warps];
        merge_warp(sums, warps);
    }
    // Leaves in each thread of the block's first warp the sum over the threads with its number in their warps.
    template <class Sums> __device__ void merge_warps(Sums& sums) const {
        constexpr int others = block_threads - warp_threads;
        __shared__ alignas(16) unsigned char of_others[others * sizeof(Sums)];
        Sums* const all = reinterpret_cast<Sums*>(of_others);
        int const thread = static_cast<int>(threadIdx.x);
        __syncthreads(); // of_others may still be read by the previous call
        if (thread >= warp_threads) all[thread - warp_threads] = sums;
        __syncthreads();
        if (thread < warp_threads)
            for (int k = thread; k < others; k += warp_threads) sums.merge(all[k]);
    }

private:
    // All threads take the first thread's result, because threads may differ where values are equal, as 0 and -0 are.
    template <class Sums> static __device__ void merge_warp(Sums& sums, int lanes) {
        for (int by = lanes / 2; by > 0; by /= 2) sums.merge(exchanged(sums, other_thread{by}));
        sums = exchanged(sums, first_thread{});
    }
};

// Work whose type says how many threads a team has. It is launched with as many blocks as run at once, each of which runs one
// task after the other.
template <class Work> concept sized_work = requires { std::integral_constant<int, Work::threads>(); };

template <class Work> __device__ void run_teams(Work const& work, std::int64_t tasks, team_shape shape, std::byte* memory) {
    if constexpr (sized_work<Work>) shape.size = Work::threads;
    std::int64_t const thread = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x;
    std::int64_t const all = static_cast<std::int64_t>(gridDim.x) * block_threads;
    if constexpr (Work::is_single) {
        for (std::int64_t task = thread; task < tasks; task += all) work(single_thread{}, task);
    } else {
        extern __shared__ uint4 of_block[];
        int const threads = __ffs(shape.size) - 1; // log2 of a team's threads
        std::int64_t const team = thread >> threads;
        std::byte* own = reinterpret_cast<std::byte*>(of_block) + (threadIdx.x >> threads) * shape.memory;
        if (memory) own = memory + team * shape.memory;
        for (std::int64_t task = team; task < tasks; task += all >> threads) work(device_team{own, shape.size}, task);
    }
}
// The number of blocks of a multiprocessor that are to run at once, which limits their registers; 0: the compiler chooses.
template <class Work> inline constexpr int least_blocks = [] {
    if constexpr (requires { Work::least_blocks; }) return Work::least_blocks;
    else return 0;
}();
template <class Work> __global__ void __launch_bounds__(block_threads, least_blocks<Work>)
    run_work(__grid_constant__ Work const work, std::int64_t tasks, team_shape shape, std::byte* memory) {
    run_teams(work, tasks, shape, memory);
}
// Work that is too large for a kernel's arguments, of at most 4 KiB, is read from device memory instead.
inline constexpr std::size_t most_arguments = 4000;
template <class Work> __global__ void __launch_bounds__(block_threads, least_blocks<Work>)
    run_work_at(Work const* work, std::int64_t tasks, team_shape shape, std::byte* memory) {
    run_teams(*work, tasks, shape, memory);
}

// Gives the number of blocks of a kernel that a device runs at once.
template <class Work> std::int64_t resident_blocks(int device) {
    static std::array<std::atomic<std::int64_t>, 16> known{}; // of the first devices
    bool const is_first = device < static_cast<int>(known.size());
    if (std::int64_t const blocks = is_first ? known[static_cast<std::size_t>(device)].load() : 0) return blocks;
    void const* kernel = nullptr;
    if constexpr (sizeof(Work) <= most_arguments)
        require_kernel(run_work<Work>), kernel = reinterpret_cast<void const*>(run_work<Work>);
    else require_kernel(run_work_at<Work>), kernel = reinterpret_cast<void const*>(run_work_at<Work>);
    int of_multiprocessor = 0, multiprocessors = 0;
    check_cuda("thrust_device", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_multiprocessor, kernel, block_threads, 0));
    check_cuda("thrust_device", cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    std::int64_t const blocks = std::int64_t{std::max(of_multiprocessor, 1)} * std::max(multiprocessors, 1);
    if (is_first) known[static_cast<std::size_t>(device)] = blocks;
    return blocks;
}

// Gives the number of teams that run at once, for work whose teams are blocks.
template <class Work> std::int64_t teams_at_once(device_queue& queue) {
    static_assert(Work::threads == block_threads);
    device_scope const here(queue.index());
    return resident_blocks<Work>(queue.index());
}

// Calls work(team, task) for the tasks 0 .. tasks - 1.
template <class Work> void run_tasks(device_queue& queue, Work const& work, std::int64_t tasks, team_shape shape = {}) {
    static_assert(std::is_trivially_copyable_v<Work>);
    constexpr std::int64_t shared_of_block = 48 << 10, most_blocks = std::int64_t{1} << 22, most_blocks_with_memory = 1056;
    constexpr bool fits_arguments = sizeof(Work) <= most_arguments;
    if (tasks <= 0) return;
    device_scope const here(queue.index());
    static std::int64_t const most_shared = shared_of_block - [] {
        if constexpr (fits_arguments) return require_kernel(run_work<Work>);
        else return require_kernel(run_work_at<Work>);
    }();
    std::int64_t const teams_of_block = block_threads / shape.size, wanted = (tasks + teams_of_block - 1) / teams_of_block;
    bool const shared = shape.memory * teams_of_block <= most_shared;
    std::int64_t blocks = std::min(wanted, shared ? most_blocks : most_blocks_with_memory);
    if constexpr (sized_work<Work>) blocks = std::min(blocks, resident_blocks<Work>(queue.index()));
    device_block const memory(queue, shared ? 0 : blocks * teams_of_block * shape.memory);
    auto const shared_bytes = static_cast<std::size_t>(shared ? shape.memory * teams_of_block : 0);
    if constexpr (fits_arguments) {
        run_work<Work>
            <<<static_cast<unsigned>(blocks), block_threads, shared_bytes, queue.stream()>>>(work, tasks, shape, memory.data());
    } else {
        device_block const numbers(queue, sizeof(Work));
        queue.to_device(numbers.data(), &work, sizeof(Work));
        run_work_at<Work><<<static_cast<unsigned>(blocks), block_threads, shared_bytes, queue.stream()>>>(
            reinterpret_cast<Work const*>(numbers.data()), tasks, shape, memory.data());
    }
    check_cuda("thrust_device", cudaGetLastError());
}

#else

// Runs a worker's share of the tasks.
template <class Work> struct host_tasks {
    Work work;
    std::int64_t tasks, workers, bytes;
    std::byte* memory;
    void operator()(std::int64_t worker) const {
        single_thread const team{memory ? memory + worker * bytes : nullptr};
        std::int64_t const each = tasks / workers, more = tasks % workers;
        std::int64_t const first = worker * each + std::min(worker, more), count = each + (worker < more ? 1 : 0);
        for (std::int64_t task = first; task < first + count; ++task) work(team, task);
    }
};
template <class Work> void run_tasks(device_queue& queue, Work const& work, std::int64_t tasks, team_shape shape = {}) {
    if (tasks <= 0) return;
    std::int64_t const threads = std::max<std::int64_t>(std::thread::hardware_concurrency(), 1), most = 8 * threads;
    std::int64_t const workers = std::min(tasks, most);
    device_block const memory(queue, workers * shape.memory);
    thrust::for_each_n(thrust::device, thrust::counting_iterator<std::int64_t>(0), workers,
                       host_tasks<Work>{work, tasks, workers, shape.memory, memory.data()});
}

#endif

} // namespace tx::detail::inline TRACEXPR_DEVICE
