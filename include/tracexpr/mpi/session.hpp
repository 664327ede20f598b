// tx::mpi::session is the time in which a program uses MPI.
#pragma once

#include <tracexpr/mpi/communicator.hpp>
#include <tracexpr/mpi/watch.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

namespace tx::mpi {

namespace detail {

// Makes the other ranks not wait for this process, in whatever way it ends within its session.
inline void guard_session() {
    static std::terminate_handler before = nullptr;
    static bool const guards_terminate = [] {
        before = std::set_terminate([] {
            if (session_of_program) abort_job(text_of_exception());
            if (before) before();
            std::abort();
        });
        return true;
    }();
    static_cast<void>(guards_terminate);
    static bool const guards_exit = [] {
        static pid_t const process = getpid(); // a forked child has no part in the job
        return std::atexit([] {
                   if (!session_of_program || getpid() != process) return;
                   if (session_of_program->is_unwound) abort_job(); // which has already said why
                   abort_job("the program exits within its tx::mpi::session");
               }) == 0;
    }();
    static_cast<void>(guards_exit);
}

// Receives and drops messages that are still on their way to this rank.
inline void drop_messages(MPI_Comm comm) {
    MPI_Status status;
    for (int is_there = 0, bytes = 0;;) {
        if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &is_there, &status) != MPI_SUCCESS || !is_there) return;
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        std::vector<char> message(static_cast<std::size_t>(std::max(bytes, 0)));
        MPI_Recv(message.data(), bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, comm, MPI_STATUS_IGNORE);
    }
}

} // namespace detail

// Initialises MPI and finalises it at the end of its scope in main, which must surround all communication. MPI that the program
// has initialised itself is not finalised. The end waits for all ranks. An exception that leaves the scope, and leaving main
// within it, end the whole job; so does an end that other ranks, which wait in a collective, would wait for in vain (where MPI
// gives MPI_THREAD_MULTIPLE).
class session {
public:
    session() : session(nullptr, nullptr) {}
    session(int& argc, char**& argv) : session(&argc, &argv) {}
    session(session const&) = delete;
    session& operator=(session const&) = delete;
    ~session() {
        if (std::uncaught_exceptions() > exceptions_before_) leave_by_exception();
        else end();
    }

private:
    session(int* argc, char*** argv) {
        int is_initialized = 0, is_finalized = 0, threads = MPI_THREAD_SINGLE;
        if (detail::session_of_program) throw error("tx: mpi::session: needs to be the only one at a time; there is one already");
        MPI_Initialized(&is_initialized);
        MPI_Finalized(&is_finalized);
        if (is_finalized) throw error("tx: mpi::session: MPI begins once in a program; it has ended");
        begins_mpi_ = !is_initialized;
        if (begins_mpi_) detail::require(MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &threads), "session", 0);
        MPI_Query_thread(&threads);

        errors_.emplace();
        auto state = std::make_unique<detail::session_state>();
        MPI_Comm_rank(MPI_COMM_WORLD, &state->rank);
        MPI_Comm own{};
        detail::require(MPI_Comm_dup(MPI_COMM_WORLD, &own), "session", state->rank);
        state->operations.make();
        state->world = &detail::world_state;
        detail::session_of_program = state.get();
        try {
            detail::open(detail::world_state, own);
            detail::guard_session();
            if (threads == MPI_THREAD_MULTIPLE && detail::world_state.size > 1) watch_.emplace();
        } catch (...) { // there is no session whose end would clean up
            detail::session_of_program = nullptr;
            throw;
        }
        state.release();
    }

    // Polls until all ranks end their sessions, and after a while tells those that haven't: MPI_Finalize alone would wait for
    // ever for ranks that wait for this one.
    void end() {
        using clock = std::chrono::steady_clock;
        constexpr std::chrono::milliseconds before_telling{200};
        auto& all = detail::session_of_program->communicators;
        for (detail::communicator_state* const state : all) {
            if (detail::is_checked()) detail::announce_end(*state);
            detail::begin_end(*state);
        }
        auto const begin = clock::now();
        bool have_been_told = false;
        for (int polls = 0; !std::all_of(all.begin(), all.end(), [](auto* state) { return has_ended_everywhere(*state); });
             ++polls) {
            if (polls > 100) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            if (have_been_told || clock::now() - begin < before_telling) continue;
            for (detail::communicator_state* const state : all)
                if (!has_ended_everywhere(*state)) detail::tell_of_end(*state);
            have_been_told = true;
        }
        watch_.reset();
        for (detail::communicator_state* const state : all) {
            detail::drop_messages(state->comm);
            detail::free_comms(*state);
            state->let_go();
        }
        checked(false); // checks are off when a later session begins
        detail::session_of_program->operations.free();
        delete std::exchange(detail::session_of_program, nullptr);
        errors_.reset();
        if (begins_mpi_) MPI_Finalize();
    }

    // Ends the job after an exception. Its text is known only where it is caught, so whoever catches it is given a moment to
    // print it.
    void leave_by_exception() {
        constexpr std::chrono::milliseconds to_print{300};
        watch_.reset();
        detail::session_of_program->is_unwound = true;
        detail::print_reason("an exception leaves tx::mpi::session");
        std::thread([to_print] {
            std::this_thread::sleep_for(to_print);
            detail::abort_job();
        }).detach();
    }

    bool begins_mpi_ = false;
    int exceptions_before_ = std::uncaught_exceptions();
    std::optional<detail::world_errors> errors_;
    std::optional<detail::session_watch> watch_;
};

} // namespace tx::mpi
