// Compares the sequences of collectives that the ranks' programs make: each new sequence once, before its first collective.
// Messages go between two ranks at a time, so that they can't be taken for a part of a collective.
#pragma once

#include <tracexpr/graph/collective_sequence.hpp>
#include <tracexpr/mpi/checks.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace tx::mpi::detail {

// Sends a message to one rank and receives one from another, waiting without spinning. In checked mode the wait ends after its
// time limit; else a line on stderr says once what is waited for, as the other ranks may only be slow.
class sequence_exchange {
public:
    sequence_exchange(communicator_state& state, std::string waits_for) : state_{state}, waits_for_{std::move(waits_for)} {}

    void run(int to, void const* sent, int bytes, int from, void* received, int most_bytes) const {
        MPI_Request requests[2]{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        std::vector<char> message(static_cast<char const*>(sent), static_cast<char const*>(sent) + bytes);
        if (from >= 0) ask(MPI_Irecv(received, most_bytes, MPI_BYTE, from, tag_of_sequence, state_.comm, &requests[0]));
        if (to >= 0) ask(MPI_Isend(message.data(), bytes, MPI_BYTE, to, tag_of_sequence, state_.comm, &requests[1]));
        wait(requests, message);
    }

private:
    void ask(int code) const { require(code, "a program's first run", state_.rank); }
    void wait(MPI_Request (&requests)[2], std::vector<char>& message) const {
        using clock = std::chrono::steady_clock;
        auto const end = clock::now() + std::chrono::duration_cast<clock::duration>(
                                            std::chrono::duration<double>(seconds_to_wait.load(std::memory_order_relaxed)));
        bool is_told = false;
        for (int polls = 0;; ++polls) {
            int is_done = 0;
            ask(MPI_Testall(2, requests, &is_done, MPI_STATUSES_IGNORE));
            if (is_done) return;
            if (polls > 1000) std::this_thread::sleep_for(std::chrono::microseconds(100));
            else std::this_thread::yield();
            if (is_told || clock::now() < end) continue;
            is_told = true;
            std::string const text = "tx: mpi: rank " + std::to_string(state_.rank) + " waits for other ranks to " + waits_for_;
            if (is_checked()) {
                give_up(requests, message);
                throw error(text + "; they make other collectives");
            }
            std::fputs((text + "\n").c_str(), stderr);
        }
    }
    // Cancels the receive. What was sent may still be read, so its memory is kept.
    static void give_up(MPI_Request (&requests)[2], std::vector<char>& message) {
        if (requests[0] != MPI_REQUEST_NULL) MPI_Cancel(&requests[0]), MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        if (requests[1] == MPI_REQUEST_NULL) return;
        MPI_Request_free(&requests[1]);
        new std::vector<char>(std::move(message)); // never freed, as MPI may still read it
    }

    communicator_state& state_;
    std::string waits_for_;
};

// Says how the sequences of all ranks differ: rank 0 compares them and tells the others.
inline std::string difference_of_sequences(communicator_state& state, table_view<std::int64_t> mine) {
    sequence_exchange const by(state, "say in what their collectives differ");
    constexpr std::size_t most_text = 4096;
    int const rank = static_cast<int>(state.rank), size = static_cast<int>(state.size);
    std::string text(most_text, '\0');
    std::int64_t count = static_cast<std::int64_t>(mine.size());
    if (rank != 0) {
        by.run(0, &count, sizeof count, -1, nullptr, 0);
        by.run(0, mine.data(), static_cast<int>(mine.size() * sizeof(std::int64_t)), 0, text.data(),
               static_cast<int>(text.size()));
        return text.c_str();
    }
    std::string found;
    for (int other = 1; other < size; ++other) {
        by.run(-1, nullptr, 0, other, &count, sizeof count);
        std::vector<std::int64_t> theirs(static_cast<std::size_t>(count));
        by.run(-1, nullptr, 0, other, theirs.data(), static_cast<int>(theirs.size() * sizeof(std::int64_t)));
        bool const is_same = theirs.size() == mine.size() && std::equal(theirs.begin(), theirs.end(), mine.begin());
        if (!is_same && found.empty()) found = tx::detail::sequence_difference(mine, 0, theirs, other);
    }
    found.resize(std::min(found.size(), most_text - 1));
    for (int other = 1; other < size; ++other) by.run(other, found.c_str(), static_cast<int>(found.size() + 1), -1, nullptr, 0);
    return found;
}

// known_hashes is the message of a comparison. `position` numbers the checked calls and comparisons on a communicator.
struct known_hashes {
    std::int64_t position;
    std::uint64_t least, greatest;
};
// Computes the least and the greatest hash of all ranks, in as many rounds as the size has binary digits (Hensgen, Finkel and
// Manber, Two algorithms for barrier synchronization, 1988); if they differ, throws.
inline void compare_sequences(rank_transport const& self, std::uint64_t hash, table_view<std::int64_t> sequence) {
    communicator_state& state = state_of(self);
    if (state.last_compared.load(std::memory_order_relaxed) == hash || state.size == 1) return;
    {
        std::lock_guard const lock(state.compared_mutex);
        if (std::binary_search(state.compared.begin(), state.compared.end(), hash))
            return state.last_compared.store(hash, std::memory_order_relaxed);
    }
    require_open(state, "a program's first run");
    if (is_checked()) { // are all ranks here?
        call_record record;
        record.function = rank_call::compare;
        check_call(state, record);
    } else {
        ++state.checked_calls;
    }
    taking_part const part(state, rank_call::compare);
    std::vector<std::string> const lines = tx::detail::sequence_lines(sequence);
    sequence_exchange const by(state, "compare the collectives of a program that it runs for the first time, which begins with " +
                                          (lines.empty() ? std::string("none") : lines[0]));
    known_hashes mine{state.checked_calls, hash, hash};
    for (std::int64_t step = 1; step < state.size; step *= 2) {
        known_hashes theirs{};
        int const from = static_cast<int>((state.rank + state.size - step) % state.size);
        by.run(static_cast<int>((state.rank + step) % state.size), &mine, sizeof mine, from, &theirs, sizeof theirs);
        while (theirs.position < mine.position) // messages of earlier comparisons, which this rank has given up, are skipped
            by.run(-1, nullptr, 0, from, &theirs, sizeof theirs);
        mine.least = std::min(mine.least, theirs.least), mine.greatest = std::max(mine.greatest, theirs.greatest);
    }
    if (mine.least != mine.greatest)
        throw error("tx: mpi: all ranks must run programs with the same collectives in the same order; " +
                    difference_of_sequences(state, sequence));
    std::lock_guard const lock(state.compared_mutex);
    state.compared.insert(std::lower_bound(state.compared.begin(), state.compared.end(), hash), hash);
    state.last_compared.store(hash, std::memory_order_relaxed);
}

} // namespace tx::mpi::detail
