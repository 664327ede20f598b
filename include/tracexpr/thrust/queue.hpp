// This file holds a device's queue: its memory, from a pool that keeps freed blocks, copies to and from it, and the order of
// work. Work is done in the order in which it is given, so memory may be freed while work that uses it is still to be done.
#pragma once

#include <tracexpr/base/storage.hpp>
#include <tracexpr/thrust/system.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace tx::detail::inline TRACEXPR_DEVICE {

#if TRACEXPR_ON_GPU
// Makes a device the calling thread's current one while it lives.
class device_scope {
public:
    explicit device_scope(int index) {
        check_cuda("thrust_device", cudaGetDevice(&before_));
        if (before_ != index) check_cuda("thrust_device", cudaSetDevice(index));
    }
    ~device_scope() { static_cast<void>(cudaSetDevice(before_)); }
    device_scope(device_scope const&) = delete;
    device_scope& operator=(device_scope const&) = delete;

private:
    int before_ = 0;
};
#else
struct device_scope {
    explicit device_scope(int) {}
};
#endif

// Gives the number of devices. Thrust's host systems have one.
inline int device_count() {
#if TRACEXPR_ON_GPU
    int count = 0;
    check_cuda("thrust_device", cudaGetDeviceCount(&count));
    return count;
#else
    return 1;
#endif
}

#if TRACEXPR_ON_GPU
// While one lives, work that its thread gives to the queue goes to another stream, which records it (thrust/replay.hpp). Memory
// that is freed meanwhile is kept, because the record uses it.
class queue_recording {
public:
    queue_recording(class device_queue const& of, cudaStream_t to) : queue{of}, stream{to} { of_this_thread() = this; }
    ~queue_recording() { of_this_thread() = nullptr; }
    queue_recording(queue_recording const&) = delete;
    queue_recording& operator=(queue_recording const&) = delete;

    static queue_recording*& of_this_thread() {
        constinit thread_local queue_recording* recording = nullptr;
        return recording;
    }
    void keep(std::byte* memory, std::int64_t bytes) noexcept {
        try {
            freed.emplace_back(memory, bytes);
        } catch (std::bad_alloc const&) {
            is_whole = false; // the memory is lost, and so is the record
        }
    }

    device_queue const& queue;
    cudaStream_t stream;
    std::vector<std::pair<std::byte*, std::int64_t>> freed;
    bool is_whole = true;
};
// Thrown for work that a record can't hold: the host would have to wait, or its memory would be used later.
struct not_recordable {};
#endif

class device_queue {
public:
    // Gives the queue of a device, which lives as long as the program runs. Throws device_error where there is no such device.
    static device_queue& of(int index) {
        static std::mutex guard;
        // never destroyed, because tensors with static storage duration free memory late
        static auto& known = *new std::vector<device_queue*>;
        std::lock_guard const lock(guard);
        auto const at = static_cast<std::size_t>(index);
        if (int const count = device_count(); index < 0 || index >= count)
            throw_device_error("thrust_device", "there is no device " + std::to_string(index) + "; " +
                                                    (count == 0   ? "this machine has none"
                                                     : count == 1 ? "this machine has one, of index 0"
                                                                  : "indices go from 0 to " + std::to_string(count - 1)));
        if (known.size() <= at) known.resize(at + 1);
        if (!known[at]) known[at] = new device_queue(index);
        return *known[at];
    }
    device_queue(device_queue const&) = delete;
    device_queue& operator=(device_queue const&) = delete;

    int index() const { return index_; }

#if TRACEXPR_ON_GPU
    cudaStream_t stream() const { return is_recording() ? queue_recording::of_this_thread()->stream : stream_; }
#endif

    // Allocates memory, aligned to 256 bytes; it is null for no bytes. Throws device_error where memory runs out.
    std::byte* allocate(std::int64_t bytes) {
        if (bytes <= 0) return nullptr;
        std::lock_guard const lock(guard_);
        if (bytes > most_bytes) throw_no_memory(bytes);
        std::int64_t const wanted = rounded(bytes);
        std::byte* out = take_free(wanted);
        if (!out) out = allocate_new(wanted);
        if (!out) { // kept blocks may take up the space
            give_back();
            out = allocate_new(wanted);
        }
        if (!out) throw_no_memory(bytes);
        in_use_ += wanted;
        return out;
    }
    // Allocates memory for as long as the program runs, which bytes_in_use doesn't count.
    std::byte* allocate_to_keep(std::int64_t bytes) {
        std::byte* const out = allocate(bytes);
        std::lock_guard const lock(guard_);
        in_use_ -= out ? rounded(bytes) : 0;
        return out;
    }
    // Frees a block from allocate(bytes).
    void free(std::byte* memory, std::int64_t bytes) noexcept {
        if (!memory) return;
        {
            std::lock_guard const lock(guard_);
            in_use_ -= rounded(bytes);
        }
#if TRACEXPR_ON_GPU
        if (is_recording()) return queue_recording::of_this_thread()->keep(memory, rounded(bytes));
#endif
        keep(memory, rounded(bytes));
    }
    // Keeps a freed block of that many rounded bytes, to be allocated again.
    void keep(std::byte* memory, std::int64_t bytes) noexcept {
        std::lock_guard const lock(guard_);
        try {
            free_blocks_.emplace(bytes, memory);
        } catch (std::bad_alloc const&) {
            give_back_block(memory);
        }
    }
    // Gives the memory that is kept, but not in use, back to the device.
    void release_unused() {
        finish();
        std::lock_guard const lock(guard_);
        give_back();
    }
    // Gives the bytes of all that was allocated and not freed.
    std::int64_t bytes_in_use() const {
        std::lock_guard const lock(guard_);
        return in_use_;
    }

    // When these return, `from` may change. The host waits in to_host, and in to_device until CUDA has read `from`.
    void to_device(void* to, void const* from, std::int64_t bytes) { copy(to, from, bytes, direction::to_device); }
    void to_host(void* to, void const* from, std::int64_t bytes) {
        copy(to, from, bytes, direction::to_host);
        finish();
    }
    void within(void* to, void const* from, std::int64_t bytes) { copy(to, from, bytes, direction::within); }
    void clear(void* to, std::int64_t bytes) {
        if (bytes <= 0) return;
#if TRACEXPR_ON_GPU
        device_scope const here(index_);
        check_cuda("thrust_device", cudaMemsetAsync(to, 0, static_cast<std::size_t>(bytes), stream()));
#else
        std::memset(to, 0, static_cast<std::size_t>(bytes));
#endif
    }
    // Waits for all work given so far. Throws device_error where some of it failed.
    void finish() {
#if TRACEXPR_ON_GPU
        if (is_recording()) throw not_recordable();
        device_scope const here(index_);
        check_cuda("thrust_device", cudaStreamSynchronize(stream_));
#endif
    }

private:
    bool is_recording() const {
#if TRACEXPR_ON_GPU
        queue_recording const* const recording = queue_recording::of_this_thread();
        return recording && &recording->queue == this;
#else
        return false;
#endif
    }

    static constexpr std::size_t alignment = 256;
    static constexpr std::int64_t most_bytes = std::int64_t{1} << 60;
    enum class direction { to_device, to_host, within };

    explicit device_queue(int index) : index_{index} {
#if TRACEXPR_ON_GPU
        device_scope const here(index_);
        check_cuda("thrust_device", cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
#endif
    }
    // Rounds to one of few sizes, so that kept blocks are found again; at most an eighth is wasted.
    static std::int64_t rounded(std::int64_t bytes) {
        std::int64_t step = static_cast<std::int64_t>(alignment);
        while (step * 16 < bytes) step *= 2;
        return (bytes + step - 1) / step * step;
    }
    std::byte* take_free(std::int64_t bytes) {
        auto found = free_blocks_.upper_bound(bytes); // the last one freed, so that a loop uses the same blocks again
        if (found == free_blocks_.begin() || (--found)->first != bytes) return nullptr;
        std::byte* const out = found->second;
        free_blocks_.erase(found);
        return out;
    }
    std::byte* allocate_new(std::int64_t bytes) {
#if TRACEXPR_ON_GPU
        device_scope const here(index_);
        void* out = nullptr;
        if (cudaMalloc(&out, static_cast<std::size_t>(bytes)) == cudaSuccess) return static_cast<std::byte*>(out);
        static_cast<void>(cudaGetLastError());
        return nullptr;
#else
        void* const out = ::operator new(static_cast<std::size_t>(bytes), std::align_val_t{alignment}, std::nothrow);
        if (out) prefer_large_pages(out, static_cast<std::size_t>(bytes));
        return static_cast<std::byte*>(out);
#endif
    }
    // Where the device has failed its memory is lost, too; the next call to it reports that.
    static void give_back_block(std::byte* memory) noexcept {
#if TRACEXPR_ON_GPU
        static_cast<void>(cudaFree(memory));
#else
        ::operator delete(memory, std::align_val_t{alignment});
#endif
    }
    void give_back() {
        device_scope const here(index_);
        for (auto const& [bytes, memory] : free_blocks_) give_back_block(memory);
        free_blocks_.clear();
    }
    [[noreturn]] void throw_no_memory(std::int64_t bytes) const {
        throw_device_error("thrust_device", "out of memory: " + std::to_string(bytes) + " bytes were asked for, while " +
                                                std::to_string(in_use_) + " are in use");
    }
    void copy(void* to, void const* from, std::int64_t bytes, [[maybe_unused]] direction way) {
        if (bytes <= 0) return;
#if TRACEXPR_ON_GPU
        device_scope const here(index_);
        if (way != direction::within && is_recording()) throw not_recordable();
        constexpr cudaMemcpyKind kinds[]{cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice};
        check_cuda("thrust_device",
                   cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), kinds[static_cast<int>(way)], stream()));
#else
        std::memmove(to, from, static_cast<std::size_t>(bytes));
#endif
    }

    int index_;
    mutable std::mutex guard_;
    std::multimap<std::int64_t, std::byte*> free_blocks_; // by their bytes
    std::int64_t in_use_ = 0;
#if TRACEXPR_ON_GPU
    cudaStream_t stream_ = nullptr;
#endif
};

// Gives the K of a queue: what a library keeps for it. It is never destroyed, as queues are not.
template <class K> K& state_for(device_queue& queue) {
    static std::mutex guard;
    static auto& all = *new std::map<device_queue*, K>;
    std::lock_guard const lock(guard);
    return all[&queue];
}

// A block of a device's memory, which is freed at the end of its life.
class device_block {
public:
    device_block() = default;
    device_block(device_queue& from, std::int64_t bytes) : queue_{&from}, memory_{from.allocate(bytes)}, bytes_{bytes} {}
    device_block(device_block&& other) noexcept
        : queue_{other.queue_}, memory_{std::exchange(other.memory_, nullptr)}, bytes_{other.bytes_} {}
    device_block& operator=(device_block&& other) noexcept {
        std::swap(queue_, other.queue_), std::swap(memory_, other.memory_), std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~device_block() {
        if (memory_) queue_->free(memory_, bytes_);
    }
    std::byte* data() const { return memory_; }
    std::int64_t bytes() const { return bytes_; }

private:
    device_queue* queue_ = nullptr;
    std::byte* memory_ = nullptr;
    std::int64_t bytes_ = 0;
};

} // namespace tx::detail::inline TRACEXPR_DEVICE
