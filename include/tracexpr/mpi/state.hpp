// This file holds the library's state of a communicator, and of the session with which all communicators end.
#pragma once

#include <tracexpr/base/tensor.hpp>
#include <tracexpr/graph/collective_form.hpp>
#include <tracexpr/mpi/native.hpp>
#include <tracexpr/mpi/reductions.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tx::mpi::detail {

using tx::detail::collective_call;
using tx::detail::collective_form;
using tx::detail::device_memory;
using tx::detail::rank_transport;

// These are the tags of the library's own messages between two ranks. They can't be confused with collectives.
enum message_tag : int { tag_of_exchange = 32701, tag_of_check, tag_of_end, tag_of_sequence };

// Calls that all ranks of a communicator must make together: the collectives, by their kinds, and others that only MPI has.
enum class rank_call : std::uint8_t {
    // This is a reduction that is begun: MPI does not match it with one that is waited for at once.
    begun_all_reduce = static_cast<std::uint8_t>(collective_kind::barrier) + 1,
    split,
    duplicate,
    session_end,
    compare,
};
constexpr rank_call call_of(collective_kind kind) { return static_cast<rank_call>(kind); }
constexpr std::string_view name(rank_call call) {
    switch (call) {
    case rank_call::begun_all_reduce: return "all_reduce (not waited for)";
    case rank_call::split: return "communicator::split";
    case rank_call::duplicate: return "communicator::duplicate";
    case rank_call::session_end: return "session's end";
    case rank_call::compare: return "the comparison of a program's collectives";
    default: return tx::name(static_cast<collective_kind>(call));
    }
}

// Says how far a rank is in its calls on one communicator. The session's watch reads it from another thread.
struct rank_progress {
    std::atomic<std::uint64_t> begun{0}; // collectives begun since the communicator was made
    std::atomic<int> waiting{0};         // threads that wait in one of them
    std::atomic<rank_call> function{};
    std::atomic<int> to{-1}, from{-1}; // the partners of an exchange that is waited for

    // These members are used by the watch only: what it saw the last time and since when, the rank that began fewest calls of
    // those that have ended their session, and when each of them was seen to have ended.
    using time = std::chrono::steady_clock::time_point;
    std::uint64_t seen_waiting_in = 0;
    time waits_since{};
    bool has_told = false;
    std::uint64_t fewest_begun_of_ended = std::numeric_limits<std::uint64_t>::max();
    int ended = -1;
    std::vector<std::pair<int, time>> all_ended{};
};
// Marks this rank as waiting in an exchange for as long as it exists.
class waiting_for_ranks {
public:
    waiting_for_ranks(rank_progress& progress, std::int64_t to, std::int64_t from) : progress_{progress} { set(to, from); }
    waiting_for_ranks(waiting_for_ranks const&) = delete;
    waiting_for_ranks& operator=(waiting_for_ranks const&) = delete;
    ~waiting_for_ranks() { set(-1, -1); }

private:
    void set(std::int64_t to, std::int64_t from) {
        progress_.to.store(static_cast<int>(to), std::memory_order_relaxed);
        progress_.from.store(static_cast<int>(from), std::memory_order_relaxed);
    }
    rank_progress& progress_;
};

class exchanged_messages;
// Holds a call that was begun and not waited for: a reduction, with a request for each of its pieces, or an exchange.
struct outstanding_call {
    std::vector<MPI_Request> requests{};
    std::shared_ptr<exchanged_messages> exchange{};
    bool is_begun = false; // false: the slot is free
};

// Holds a communicator of the library's own, whose messages can't be confused with the user's. Its reference count is that of the
// copies of mpi::communicator, and one more for the session; whoever drops the last reference deletes it.
struct communicator_state : rank_transport {
    constexpr communicator_state(rank_transport const& functions, std::uint32_t held)
        : rank_transport(functions), holders{held} {}
    communicator_state(communicator_state const&) = delete;
    communicator_state& operator=(communicator_state const&) = delete;

    void hold() { holders.fetch_add(1, std::memory_order_relaxed); }
    void let_go() {
        if (holders.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }
    bool is_dropped() const { return holders.load(std::memory_order_acquire) == 1; } // only the session holds it

    std::atomic<std::uint32_t> holders;
    std::atomic<bool> is_open{false}; // true from its making to the end of the session
    MPI_Comm comm{};
    tensor<std::int64_t, shape<>> rank_value{}, size_value{}; // as operands of ops
    MPI_Comm reversed{};                                      // the ranks in reverse order, made when a scan first needs it
    bool has_reversed = false;
    bool is_ending = false; // this rank has begun the barrier that ends the communicator
    MPI_Request ended_everywhere{};
    std::uint64_t begun_at_end = 0;
    rank_progress progress_of_calls{};
    std::int64_t checked_calls = 0;              // includes comparisons of sequences
    std::atomic<std::uint64_t> last_compared{0}; // the hash of a sequence of collectives that all ranks have in common
    std::mutex compared_mutex{};
    std::vector<std::uint64_t> compared{}; // sorted
    std::mutex outstanding_mutex{};
    std::vector<outstanding_call> outstanding{}; // slots are reused
};

inline communicator_state& state_of(rank_transport const& transport) {
    return const_cast<communicator_state&>(static_cast<communicator_state const&>(transport));
}

// Holds the state of the program between a session's beginning and its end.
struct session_state {
    operation_table operations{};
    std::mutex mutex{}; // guards `communicators`
    std::vector<communicator_state*> communicators{};
    communicator_state const* world = nullptr;
    bool is_unwound = false; // by an exception
    int rank = 0;            // in MPI_COMM_WORLD
};
inline constinit session_state* session_of_program = nullptr;

// Marks this rank as taking part in a collective for as long as it exists.
class taking_part {
public:
    taking_part(communicator_state& state, rank_call function) : progress_{state.progress_of_calls} {
        progress_.function.store(function, std::memory_order_relaxed);
        progress_.begun.store(progress_.begun.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        progress_.waiting.fetch_add(1, std::memory_order_release);
    }
    taking_part(taking_part const&) = delete;
    taking_part& operator=(taking_part const&) = delete;
    ~taking_part() { progress_.waiting.fetch_sub(1, std::memory_order_release); }

private:
    rank_progress& progress_;
};

inline void require_open(communicator_state const& state, std::string_view function) {
    if (state.is_open.load(std::memory_order_relaxed)) [[likely]]
        return;
    throw error("tx: mpi::" + std::string(function) +
                ": needs a tx::mpi::session that has begun and not ended; make one in main, before all that communicates");
}

// Initialises a communicator's state with an MPI_Comm, which the library owns from then on.
inline void open(communicator_state& state, MPI_Comm comm) {
    int rank = 0, size = 0;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    require(MPI_Comm_rank(comm, &rank), "communicator", session_of_program->rank);
    require(MPI_Comm_size(comm, &size), "communicator", rank);
    state.comm = comm;
    state.rank = rank, state.size = size;
    state.rank_value = tensor<std::int64_t, shape<>>(state.rank), state.size_value = tensor<std::int64_t, shape<>>(state.size);
    // The state is reset, because the world may have been part of an earlier session.
    state.has_reversed = state.is_ending = false;
    state.checked_calls = 0;
    state.progress_of_calls.begun = 0;
    state.progress_of_calls.fewest_begun_of_ended = std::numeric_limits<std::uint64_t>::max();
    state.progress_of_calls.seen_waiting_in = 0, state.progress_of_calls.ended = -1;
    state.progress_of_calls.all_ended.clear();
    state.compared.clear(), state.last_compared.store(0), state.outstanding.clear();
    state.handle = reinterpret_cast<std::uintptr_t>(static_cast<rank_transport*>(&state));
    state.hold();
    state.is_open.store(true, std::memory_order_release);
    std::lock_guard const lock(session_of_program->mutex);
    session_of_program->communicators.push_back(&state);
}

// Tells all ranks that this one is done with a communicator. MPI_Comm_free may wait for them; once all have said so it can't.
inline void begin_end(communicator_state& state) {
    if (state.is_ending) return;
    state.is_ending = true;
    require(MPI_Ibarrier(state.comm, &state.ended_everywhere), "communicator", state.rank);
}
inline bool has_ended_everywhere(communicator_state& state) {
    int is_done = 0;
    require(MPI_Test(&state.ended_everywhere, &is_done, MPI_STATUS_IGNORE), "communicator", state.rank);
    return is_done != 0;
}
inline void free_comms(communicator_state& state) {
    state.is_open.store(false, std::memory_order_release);
    if (state.has_reversed) MPI_Comm_free(&state.reversed);
    MPI_Comm_free(&state.comm);
}

// Frees communicators that no rank holds any more. It is called where another one is made, so that a program that makes and drops
// many has few at a time; it waits a little for other ranks only if there are very many.
inline void free_dropped() {
    constexpr std::size_t many = 256;
    std::lock_guard const lock(session_of_program->mutex);
    auto& all = session_of_program->communicators;
    for (communicator_state* const state : all)
        if (state->is_dropped()) begin_end(*state);
    for (int attempts = 0; attempts < 1000; ++attempts) {
        std::erase_if(all, [](communicator_state* state) {
            if (!state->is_ending || !has_ended_everywhere(*state)) return false;
            free_comms(*state);
            state->let_go();
            return true;
        });
        auto const ending = std::count_if(all.begin(), all.end(), [](auto const* state) { return state->is_ending; });
        if (static_cast<std::size_t>(ending) < many) return;
    }
}

} // namespace tx::mpi::detail
