// The reductions and exchanges of this file run while the program computes. MPI makes progress with them only inside calls:
// `progress` makes one, and so does any other collective.
#pragma once

#include <tracexpr/mpi/blocking.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tx::mpi::detail {

inline std::size_t free_place(communicator_state& state) {
    for (std::size_t k = 0; k < state.outstanding.size(); ++k)
        if (!state.outstanding[k].is_begun) return k;
    state.outstanding.emplace_back();
    return state.outstanding.size() - 1;
}

// In checked mode, throws unless all ranks begin the same reduction.
inline void check_begun(communicator_state& state, dtype type, rank_reduction by, std::int64_t count) {
    if (!is_checked()) [[likely]]
        return;
    call_record record;
    record.function = rank_call::begun_all_reduce;
    record.by = by, record.type = type;
    record.rank = 1, record.extents[0] = count;
    check_call(state, record);
}
// Begins a reduction over the ranks in place. The request that it returns is an index in state.outstanding.
inline std::uint64_t begin_all_reduce(rank_transport const& transport, dtype type, rank_reduction by, void* elements,
                                      std::int64_t count) {
    communicator_state& state = state_of(transport);
    require_open(state, "all_reduce");
    check_begun(state, type, by, count);
    rank_operation const& combination = operation_of(type, by, "all_reduce");
    taking_part const part(state, rank_call::begun_all_reduce);
    std::lock_guard const lock(state.outstanding_mutex);
    std::size_t const place = free_place(state);
    outstanding_call& reduction = state.outstanding[place];
    auto const bytes = static_cast<std::int64_t>(size_in_bytes(type));
    reduction.is_begun = true; // set even if a later piece fails, as MPI goes on with the earlier ones
    in_pieces(count, combination.numbers, [&](std::int64_t begin, int piece) {
        MPI_Request& request = reduction.requests.emplace_back(MPI_REQUEST_NULL);
        char* const in_place = static_cast<char*>(elements) + begin * bytes;
        require(MPI_Iallreduce(MPI_IN_PLACE, in_place, piece, combination.type, combination.op, state.comm, &request),
                "all_reduce", state.rank);
    });
    return place;
}

// Begins an exchange. The request that it returns is an index in state.outstanding. A message from a rank to itself is copied at
// once.
inline std::uint64_t begin_exchange(rank_transport const& transport, collective_call const& call) {
    communicator_state& state = state_of(transport);
    require_open(state, "exchange");
    if (is_checked()) [[unlikely]]
        check_call(state, record_of(call));
    taking_part const part(state, call_of(collective_kind::exchange));
    std::int64_t const to = call.form.to, from = call.form.from;
    require_partners(state, "exchange", to, from);
    auto const bytes = static_cast<std::size_t>(call.extents.size()) * size_in_bytes(call.type);
    std::shared_ptr<exchanged_messages> messages;
    if (to == state.rank && from == state.rank) {
        if (bytes > 0) std::memcpy(call.result, call.operand, bytes);
    } else {
        messages = std::make_shared<exchanged_messages>(state, call, to, from);
        messages->begin();
        if (from < 0 && bytes > 0) std::memset(call.result, 0, bytes);
    }
    std::lock_guard const lock(state.outstanding_mutex);
    std::size_t const place = free_place(state);
    state.outstanding[place].exchange = std::move(messages);
    state.outstanding[place].is_begun = true;
    return place;
}

inline void progress(rank_transport const& transport) {
    communicator_state& state = state_of(transport);
    std::lock_guard const lock(state.outstanding_mutex);
    for (outstanding_call& begun : state.outstanding) {
        if (!begun.is_begun) continue;
        if (begun.exchange) {
            begun.exchange->test();
            continue;
        }
        int is_done = 0;
        returned_errors const by_the_call;
        require(MPI_Testall(static_cast<int>(begun.requests.size()), begun.requests.data(), &is_done, MPI_STATUSES_IGNORE),
                "all_reduce", state.rank);
    }
}

// Waits for a call that was begun. Its requests are moved out of the table meanwhile, so that other threads can begin and
// progress other calls.
inline void finish(rank_transport const& transport, std::uint64_t request) {
    communicator_state& state = state_of(transport);
    require_open(state, "all_reduce");
    state.progress_of_calls.waiting.fetch_add(1, std::memory_order_release);
    std::unique_lock lock(state.outstanding_mutex);
    std::vector<MPI_Request> requests = std::move(state.outstanding[request].requests);
    std::shared_ptr<exchanged_messages> const exchange = std::move(state.outstanding[request].exchange);
    state.outstanding[request].requests.clear();
    lock.unlock();
    returned_errors const by_the_call;
    int const code = MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    std::exception_ptr failure;
    try {
        if (exchange) exchange->wait();
    } catch (...) {
        failure = std::current_exception();
    }
    state.progress_of_calls.waiting.fetch_sub(1, std::memory_order_release);
    lock.lock();
    requests.clear();
    state.outstanding[request].requests = std::move(requests); // keeps the vector's memory for later calls
    state.outstanding[request].is_begun = false;
    lock.unlock();
    require(code, "all_reduce", state.rank);
    if (failure) std::rethrow_exception(failure);
}

} // namespace tx::mpi::detail
