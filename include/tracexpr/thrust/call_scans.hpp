// This file computes scans along one axis. A thread scans a row or, where rows are long, a chunk of one: chunks are reduced
// first, so that each knows what comes before it. The order in which elements are added depends on the extents alone.
#pragma once

#include <tracexpr/thrust/call_numbers.hpp>
#include <tracexpr/thrust/call_points.hpp>

namespace tx::detail::inline TRACEXPR_DEVICE::calls {

// Divides elements (o, i, j) of (outer, n, inner) into chunks of `length` along i; the last chunk has what is left.
struct scan_chunks {
    std::int64_t outer, n, inner, length;

    TRACEXPR_HD constexpr std::int64_t per_row() const { return (n + length - 1) / length; }
    constexpr std::int64_t count() const { return outer * per_row() * inner; }
    struct place {
        std::int64_t begin, count, number; // the offset of its first element, its number of elements, its number within the row
    };
    // Chunks of adjacent columns have adjacent numbers.
    TRACEXPR_HD constexpr place at(std::int64_t chunk) const {
        std::int64_t const chunks = per_row(), j = divide(chunk, inner), k = divide(chunk, chunks), first = k * length;
        return {(chunk * n + first) * inner + j, n - first < length ? n - first : length, k};
    }
};

// Reduces each chunk; the totals are elements of (outer, chunks, inner).
template <class F, class T> struct total_chunk {
    scan_chunks chunks;
    T const* in;
    T* totals;
    TRACEXPR_CALLS_HOST
    TRACEXPR_HD void operator()(std::int64_t i) const {
        auto const at = chunks.at(i);
        T const* from = in + at.begin;
        T running = *from;
        for (std::int64_t k = 1; k < at.count; ++k) running = F{}(running, *(from += chunks.inner));
        totals[i] = running;
    }
};
// Scans each chunk, where `before` is the scan of the totals, or null.
template <class F, class T> struct scan_chunk {
    scan_chunks chunks;
    T const *in, *before;
    T* out;
    TRACEXPR_CALLS_HOST
    TRACEXPR_HD void operator()(std::int64_t i) const {
        auto const at = chunks.at(i);
        T const* from = in + at.begin;
        T* to = out + at.begin;
        T running = at.number > 0 ? F{}(before[i - chunks.inner], *from) : *from;
        *to = running;
        for (std::int64_t k = 1; k < at.count; ++k) *(to += chunks.inner) = running = F{}(running, *(from += chunks.inner));
    }
};

// The number of threads that keep a device busy, and the number of elements that are enough for a thread.
inline constexpr std::int64_t scans_at_once = on_gpu ? 1 << 14 : 64, scanned_at_once = on_gpu ? 64 : 1 << 14;

// Scans along the middle axis of (outer, n, inner). `out` may be `in`.
template <class F, class T> void scan_along(device_queue& queue, std::int64_t outer, std::int64_t n, std::int64_t inner,
                                            T const* in, T* out, std::int64_t length = scanned_at_once) {
    if (outer * n * inner == 0) return;
    bool const whole_rows = outer * inner >= scans_at_once || n <= 2 * length;
    scan_chunks const chunks{outer, n, inner, whole_rows ? n : length};
    if (whole_rows) return for_each_index(queue, chunks.count(), scan_chunk<F, T>{chunks, in, nullptr, out});
    device_block const memory(queue, chunks.count() * static_cast<std::int64_t>(sizeof(T)));
    T* const totals = reinterpret_cast<T*>(memory.data());
    for_each_index(queue, chunks.count(), total_chunk<F, T>{chunks, in, totals});
    scan_along<F>(queue, outer, chunks.per_row(), inner, totals, totals, length);
    for_each_index(queue, chunks.count(), scan_chunk<F, T>{chunks, in, totals, out});
}

} // namespace tx::detail::inline TRACEXPR_DEVICE::calls
