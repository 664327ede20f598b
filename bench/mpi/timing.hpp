// Times of what all ranks do together, by turns.
#pragma once

#include <tracexpr/mpi.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace bench {

inline double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}
template <class Call> double seconds_a_call(int calls, Call const& call) {
    MPI_Barrier(tx::mpi::world().native());
    auto const begin = std::chrono::steady_clock::now();
    for (int k = 0; k < calls; ++k) call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / calls;
}
// The medians of so many rounds, in each of which every call has its turn; the first round is not counted.
template <class... Calls> std::vector<double> medians(int rounds, int calls, Calls const&... all) {
    std::vector<std::vector<double>> times(sizeof...(Calls));
    for (int round = -1; round < rounds; ++round) {
        double const now[]{seconds_a_call(calls, all)...};
        for (std::size_t k = 0; round >= 0 && k < sizeof...(Calls); ++k) times[k].push_back(now[k]);
    }
    std::vector<double> out;
    for (auto const& of_call : times) out.push_back(median(of_call));
    return out;
}

} // namespace bench
