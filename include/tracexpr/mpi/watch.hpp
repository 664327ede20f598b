// Ends a job that can't go on: when a rank ended its session while others wait for it in a collective, when an exception isn't
// caught, and when a program exits within its session. All of these call MPI_Abort, with the reason on stderr.
#pragma once

#include <tracexpr/mpi/state.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <mutex>
#include <string>
#include <thread>

namespace tx::mpi::detail {

inline void print_reason(std::string const& reason) {
    int const rank = session_of_program ? session_of_program->rank : 0;
    std::string const text = "tx: mpi: rank " + std::to_string(rank) + ": " + reason + "; the job is aborted\n";
    std::fputs(text.c_str(), stderr);
    std::fflush(nullptr);
}
// Ends all ranks. It may be called again by this rank, as MPI_Abort exits.
[[noreturn]] inline void abort_job() {
    static constinit std::atomic<bool> is_aborting{false};
    if (!is_aborting.exchange(true)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50)); // MPICH's launcher drops what it reads after the abort
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    std::_Exit(1);
}
[[noreturn]] inline void abort_job(std::string const& reason) {
    print_reason(reason);
    abort_job();
}

// Returns the text of the exception that is being handled.
inline std::string text_of_exception() {
    if (!std::current_exception()) return "std::terminate was called";
    try {
        throw;
    } catch (std::exception const& e) {
        return "an exception that nobody catches: " + std::string(e.what());
    } catch (...) {
        return "an exception that nobody catches, which is no std::exception";
    }
}

// Tells the other ranks how many collectives this one had begun on a communicator when it ended its session. They need not
// receive it.
inline void tell_of_end(communicator_state& state) {
    for (int rank = 0; rank < state.size; ++rank) {
        if (rank == state.rank) continue;
        MPI_Request request = MPI_REQUEST_NULL;
        state.begun_at_end = state.progress_of_calls.begun.load();
        MPI_Isend(&state.begun_at_end, 1, MPI_UINT64_T, rank, tag_of_end, state.comm, &request);
        MPI_Request_free(&request);
    }
}

// session_watch is a thread that checks whether this rank waits in a collective that another rank can't take part in any more. It
// calls MPI only where a call takes longer than `pause`.
class session_watch {
public:
    using clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds pause{100};

    session_watch() : thread_([this] { run(); }) {}
    session_watch(session_watch const&) = delete;
    session_watch& operator=(session_watch const&) = delete;
    ~session_watch() {
        {
            std::lock_guard const lock(mutex_);
            is_over_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }

private:
    void run() {
        std::unique_lock lock(mutex_);
        while (!changed_.wait_for(lock, pause, [&] { return is_over_; })) look();
    }
    void look() {
        std::unique_lock const lock(session_of_program->mutex, std::try_to_lock);
        if (!lock) return; // a thread that makes a communicator has the lock; the next look will check
        for (communicator_state* const state : session_of_program->communicators) {
            rank_progress& progress = state->progress_of_calls;
            std::uint64_t const begun = progress.begun.load();
            bool const waits = progress.waiting.load() > 0;
            if (waits && progress.seen_waiting_in == begun) {
                look_for_ends(*state, begun);
                tell_of_wait(*state);
            } else {
                progress.waits_since = clock::now(), progress.has_told = false;
            }
            progress.seen_waiting_in = waits ? begun : 0;
        }
    }
    static void look_for_ends(communicator_state& state, std::uint64_t begun) {
        rank_progress& progress = state.progress_of_calls;
        for (int is_there = 1; is_there;) {
            MPI_Status status;
            if (MPI_Iprobe(MPI_ANY_SOURCE, tag_of_end, state.comm, &is_there, &status) != MPI_SUCCESS) return;
            if (!is_there) break;
            std::uint64_t theirs = 0;
            MPI_Recv(&theirs, 1, MPI_UINT64_T, status.MPI_SOURCE, tag_of_end, state.comm, MPI_STATUS_IGNORE);
            progress.all_ended.emplace_back(status.MPI_SOURCE, clock::now());
            if (theirs < progress.fewest_begun_of_ended)
                progress.fewest_begun_of_ended = theirs, progress.ended = status.MPI_SOURCE;
        }
        if (progress.fewest_begun_of_ended < begun)
            abort_job(text_of_wait(state) + " waits for rank " + text_of_rank(state, progress.ended) +
                      ", which has ended its session without taking part");
        // A rank ends only when its own messages have been taken, so one that is still on its way arrives within this time.
        constexpr std::chrono::seconds to_arrive{1};
        for (auto const& [rank, since] : progress.all_ended)
            if (rank == progress.from.load() || rank == progress.to.load())
                if (clock::now() - since > to_arrive && clock::now() - progress.waits_since > to_arrive)
                    abort_job(text_of_wait(state) + " waits for rank " + text_of_rank(state, rank) +
                              ", which has ended its session without " +
                              (rank == progress.from.load() ? "sending to" : "receiving from") + " this rank");
    }
    // Says once on stderr what is waited for. A wait may be long because other ranks are slow, or because they call something
    // else.
    static void tell_of_wait(communicator_state& state) {
        constexpr std::chrono::seconds long_wait{10};
        rank_progress& progress = state.progress_of_calls;
        if (progress.has_told || progress.function.load() == rank_call::compare || // which reports a wait itself
            clock::now() - progress.waits_since < long_wait)
            return;
        progress.has_told = true;
        std::string const text = "tx: mpi: rank " + std::to_string(session_of_program->rank) + ": " + text_of_wait(state) +
                                 " has waited for 10 s; where ranks make different calls, tx::mpi::checked(true) says which\n";
        std::fputs(text.c_str(), stderr);
    }
    static std::string text_of_wait(communicator_state const& state) {
        rank_call const function = state.progress_of_calls.function.load();
        return (function == rank_call::compare ? "" : "tx::mpi::") + std::string(name(function));
    }
    static std::string text_of_rank(communicator_state const& state, int rank) {
        return std::to_string(rank) + (&state == session_of_program->world ? "" : " of its communicator");
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_over_ = false;
    std::thread thread_;
};

} // namespace tx::mpi::detail
