// This file has the memory that Fourier transforms work in. Each thread has its own, one block for each purpose.
#pragma once

#include <tracexpr/base/per_thread.hpp>

#include <cstddef>
#include <cstdint>
#include <new>

namespace tx::detail::inline TRACEXPR_TARGET::fourier {

// These are the purposes whose memory is in use at the same time, from the innermost transform outwards.
enum class purpose { pass_one, pass_two, halves, chirp_one, chirp_two, gathered, scattered, lanes_in, lanes_out, count };

class scratch {
public:
    scratch() = default;
    scratch(scratch const&) = delete;
    scratch& operator=(scratch const&) = delete;
    ~scratch() {
        for (room& r : rooms_) free(r);
    }
    // Gives room for that many numbers, aligned to a cache line; it lasts until the same thread asks for the same purpose.
    template <class T> T* take(purpose p, std::int64_t numbers) {
        room& r = rooms_[static_cast<std::size_t>(p)];
        std::size_t const bytes = static_cast<std::size_t>(numbers) * sizeof(T) + line;
        if (r.bytes < bytes) {
            free(r);
            r.at = ::operator new(bytes, std::align_val_t(line));
            r.bytes = bytes;
            if (bytes > most_kept) has_large_ = true;
        }
        return static_cast<T*>(r.at);
    }
    // Frees blocks that are too large to be kept between calls.
    void give_back() {
        if (!has_large_) return;
        for (room& r : rooms_)
            if (r.bytes > most_kept) free(r);
        has_large_ = false;
    }

private:
    static constexpr std::size_t line = 64, most_kept = std::size_t(48) << 20;
    struct room {
        void* at = nullptr;
        std::size_t bytes = 0;
    };
    static void free(room& r) {
        if (r.at) ::operator delete(r.at, std::align_val_t(line));
        r = {};
    }
    bool has_large_ = false;
    room rooms_[static_cast<std::size_t>(purpose::count)];
};

inline scratch& this_scratch() { return per_thread<scratch>(); }

} // namespace tx::detail::inline TRACEXPR_TARGET::fourier
