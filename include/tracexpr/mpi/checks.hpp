// Checked mode: before a collective each rank tells all others what it calls, and waits for a limited time for what they call.
// Mismatches are thrown on all ranks that have arrived, before any message is sent that another call could receive. Each rank
// sends a message to each other one, so the mode is for finding faults with up to some hundred ranks.
#pragma once

#include <tracexpr/mpi/records.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace tx::mpi {

namespace detail {
inline constinit std::atomic<bool> checks_are_on{false};
inline constinit std::atomic<double> seconds_to_wait{10};
} // namespace detail

// Turns checked mode on or off. While it is on, all ranks compare op, dtype, shape and the number of the call before each
// collective, and throw an error that names the ranks that differ, or that haven't arrived after so many seconds. All ranks must
// turn it on and off at the same place; it ends with the session.
inline void checked(bool on, double seconds = 10) {
    detail::seconds_to_wait.store(seconds, std::memory_order_relaxed);
    detail::checks_are_on.store(on, std::memory_order_relaxed);
}

namespace detail {

// Compares one call on all ranks.
class call_check {
public:
    call_check(communicator_state& state, call_record const& mine)
        : state_{state}, records_(static_cast<std::size_t>(state.size)), is_here_(records_.size()),
          requests_(2 * records_.size(), MPI_REQUEST_NULL) {
        records_[place(state.rank)] = mine;
        is_here_[place(state.rank)] = true;
    }
    call_check(call_check const&) = delete;
    call_check& operator=(call_check const&) = delete;
    ~call_check() { abandon(); }

    void run() {
        using clock = std::chrono::steady_clock;
        constexpr std::chrono::milliseconds time_for_others{300}; // after a mismatch other ranks have this time to arrive
        for (std::int64_t rank = 0; rank < state_.size; ++rank)
            if (rank != state_.rank) receive(rank), send(rank);
        auto const begin = clock::now();
        auto end = begin + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(seconds_to_wait.load()));
        bool fits = true;
        for (int polls = 0; receives_left_ > 0 && clock::now() < end; ++polls) {
            take_arrived();
            if (polls > 1000) std::this_thread::sleep_for(std::chrono::microseconds(100));
            else std::this_thread::yield();
            if (fits && !all_agree()) fits = false, end = std::min(end, clock::now() + time_for_others);
        }
        if (!all_agree()) throw error("tx: mpi: all ranks must make the same calls in the same order; " + calls());
        if (receives_left_ > 0) throw error(absent());
        if (mine().function == call_of(collective_kind::exchange)) require_partners();
    }

private:
    static std::size_t place(std::int64_t rank) { return static_cast<std::size_t>(rank); }
    call_record const& mine() const { return records_[place(state_.rank)]; }

    void receive(std::int64_t rank) {
        require(MPI_Irecv(&records_[place(rank)], sizeof(call_record), MPI_BYTE, static_cast<int>(rank), tag_of_check,
                          state_.comm, &requests_[place(rank)]),
                "checked", state_.rank);
        ++receives_left_;
    }
    void send(std::int64_t rank) {
        require(MPI_Isend(&mine(), sizeof(call_record), MPI_BYTE, static_cast<int>(rank), tag_of_check, state_.comm,
                          &requests_[records_.size() + place(rank)]),
                "checked", state_.rank);
    }
    void take_arrived() {
        for (std::int64_t rank = 0; rank < state_.size; ++rank) {
            MPI_Request& request = requests_[place(rank)];
            if (request == MPI_REQUEST_NULL) continue;
            int is_done = 0;
            require(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "checked", state_.rank);
            if (!is_done) continue;
            --receives_left_;
            // A record of an earlier call is one that this rank had given up waiting for; it is dropped, and the next is
            // received.
            if (records_[place(rank)].position < mine().position) receive(rank);
            else is_here_[place(rank)] = true;
        }
    }

    bool all_agree() const {
        for (std::size_t k = 0; k < records_.size(); ++k)
            if (is_here_[k] && !agree(records_[k], mine())) return false;
        return true;
    }
    // Returns the calls of all ranks as text, the rarest first: "rank 2 calls tx::mpi::broadcast(float32 (4,), root 0), ranks 0,
    // 1 and 3 tx::mpi::all_reduce(sum, float32 (4,))".
    std::string calls() const {
        struct group {
            std::string call;
            std::vector<std::int64_t> ranks;
        };
        std::vector<group> groups;
        for (std::int64_t rank = 0; rank < state_.size; ++rank) {
            if (!is_here_[place(rank)]) continue;
            call_record const& record = records_[place(rank)];
            bool const is_elsewhere = record.position != mine().position && record.function != rank_call::session_end;
            std::string const call = text_of(record) + (is_elsewhere ? " after other calls" : "");
            auto const known = std::find_if(groups.begin(), groups.end(), [&](group const& g) { return g.call == call; });
            if (known == groups.end()) groups.push_back({call, {rank}});
            else known->ranks.push_back(rank);
        }
        std::sort(groups.begin(), groups.end(), [](group const& a, group const& b) {
            return a.ranks.size() != b.ranks.size() ? a.ranks.size() < b.ranks.size() : a.ranks < b.ranks;
        });
        std::string out;
        bool is_first = true; // the first group that calls, which gets the verb
        for (group const& g : groups) {
            constexpr std::string_view verb = "calls ";
            bool const calls = g.call.starts_with(verb);
            std::string const call = calls ? g.call.substr(verb.size()) : g.call;
            out += (out.empty() ? "" : ", ") + text_of(g.ranks) + " ";
            if (calls && is_first) out += g.ranks.size() == 1 ? "calls " : "call ";
            out += call;
            is_first = is_first && !calls;
        }
        return out;
    }
    std::string absent() const {
        std::vector<std::int64_t> arrived, missing;
        for (std::int64_t rank = 0; rank < state_.size; ++rank) (is_here_[place(rank)] ? arrived : missing).push_back(rank);
        std::string seconds = std::to_string(seconds_to_wait.load());
        seconds.erase(seconds.find_last_not_of('0') + 1);
        if (seconds.ends_with('.')) seconds.pop_back();
        std::string const call = text_of(mine());
        return "tx: mpi: all ranks must make the same calls; " + text_of(missing) + (missing.size() == 1 ? " has" : " have") +
               " not arrived after " + seconds + " s; " + text_of(arrived) + (arrived.size() == 1 ? " waits in " : " wait in ") +
               call.substr(std::string_view("calls ").size());
    }
    // Throws on all ranks unless each rank receives from those that send to it, and the other way round.
    void require_partners() const {
        for (std::int64_t rank = 0; rank < state_.size; ++rank) {
            call_record const& r = records_[place(rank)];
            bool const known = r.to < state_.size && r.from < state_.size;
            if (known && (r.to < 0 || records_[place(r.to)].from == rank) && (r.from < 0 || records_[place(r.from)].to == rank)) {
                if (r.from < 0 || same_shape(r, records_[place(r.from)])) continue;
                throw error("tx: mpi::exchange: two ranks that exchange must have tensors of one shape; rank " +
                            std::to_string(rank) + " " + text_of(r) + ", rank " + std::to_string(r.from) + " " +
                            text_of(records_[place(r.from)]));
            }
            if (!known)
                throw error("tx: mpi::exchange: to and from must be ranks, 0 to " + std::to_string(state_.size - 1) +
                            ", or negative for nobody; rank " + std::to_string(rank) + " gives " + std::to_string(r.to) +
                            " and " + std::to_string(r.from));
            throw error("tx: mpi::exchange: a rank must receive from whom sends to it; rank " + std::to_string(rank) +
                        " sends to " + std::to_string(r.to) + " and receives from " + std::to_string(r.from) +
                        ", who say otherwise (negative: nobody)");
        }
    }

    // Messages from ranks that didn't arrive are no longer waited for. What was sent to them may still be read, so its memory is
    // kept.
    void abandon() {
        bool is_read = true;
        for (std::size_t k = 0; k < requests_.size(); ++k) {
            if (requests_[k] == MPI_REQUEST_NULL) continue;
            if (k < records_.size()) {
                MPI_Cancel(&requests_[k]);
                MPI_Wait(&requests_[k], MPI_STATUS_IGNORE);
                continue;
            }
            int is_done = 0;
            MPI_Test(&requests_[k], &is_done, MPI_STATUS_IGNORE);
            if (!is_done) MPI_Request_free(&requests_[k]), is_read = false;
        }
        if (!is_read) new std::vector<call_record>(std::move(records_)); // never freed, as MPI may still read it
    }

    communicator_state& state_;
    std::vector<call_record> records_; // by rank
    std::vector<bool> is_here_;
    std::vector<MPI_Request> requests_; // receives, then sends, by rank
    std::int64_t receives_left_ = 0;
};

// Throws on all ranks where they don't make the same call.
inline void check_call(communicator_state& state, call_record record) {
    record.position = state.checked_calls++;
    call_check(state, record).run();
}
// Tells the other ranks that this one makes no further calls, so those that make one report a mismatch.
inline void announce_end(communicator_state& state) {
    static constinit call_record const end{std::numeric_limits<std::int64_t>::max(), rank_call::session_end};
    for (int rank = 0; rank < state.size; ++rank) {
        if (rank == state.rank) continue;
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Isend(&end, sizeof end, MPI_BYTE, rank, tag_of_check, state.comm, &request);
        MPI_Request_free(&request);
    }
}
inline bool is_checked() { return checks_are_on.load(std::memory_order_relaxed); }

} // namespace detail
} // namespace tx::mpi
