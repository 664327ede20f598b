// This file combines the values of a functor for each number below a count into one value that the host reads.
#pragma once

#include <tracexpr/thrust/teams.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace tx::detail::inline TRACEXPR_DEVICE::calls {

template <class T, class Combine> struct combined_value {
    T value;
    TRACEXPR_HD void merge(combined_value const& other) { value = Combine{}(value, other.value); }
};

// Combines the values of f for a share of the numbers, by a team.
template <class F, class T, class Combine> struct combine_share {
    static constexpr bool is_single = false;
    F f;
    T start;
    T* out;
    std::int64_t count, length; // length is that of a share
    template <class Team> TRACEXPR_HD void operator()(Team const& team, std::int64_t share) const {
        combined_value<T, Combine> all{start};
        std::int64_t const first = share * length, end = first + length < count ? first + length : count;
        for (std::int64_t i = first + team.rank(); i < end; i += team.size()) all.value = Combine{}(all.value, f(i));
        team.merge(all);
        if (team.rank() == 0) out[share] = all.value;
    }
};

// Gives f(0) ... f(count - 1) combined in any order with `start`, which must be neutral. Waits for the queue.
template <class Combine, class Queue, class F, class T> T reduced_numbers(Queue& queue, std::int64_t count, F const& f, T start) {
    constexpr std::int64_t most_shares = 256, least_length = 4096;
    if (count <= 0) return start;
    std::int64_t const wanted = std::min(most_shares, (count + least_length - 1) / least_length);
    std::int64_t const length = (count + wanted - 1) / wanted, shares = (count + length - 1) / length;
    device_block const results(queue, shares * static_cast<std::int64_t>(sizeof(T)));
    T* const out = reinterpret_cast<T*>(results.data());
    run_tasks(queue, combine_share<F, T, Combine>{f, start, out, count, length}, shares, {block_threads, 0});
    std::array<T, most_shares> values{};
    queue.to_host(values.data(), out, results.bytes());
    for (std::int64_t k = 0; k < shares; ++k) start = Combine{}(start, values[static_cast<std::size_t>(k)]);
    return start;
}

} // namespace tx::detail::inline TRACEXPR_DEVICE::calls
