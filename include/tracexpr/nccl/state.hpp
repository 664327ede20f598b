// This file holds the library's state of an NCCL communicator, and of the sums that run on it.
#pragma once

#include <tracexpr/mpi/communicator.hpp>
#include <tracexpr/nccl/native.hpp>
#include <tracexpr/thrust/device.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace tx::nccl::detail {

using tx::detail::collective_call;
using tx::detail::device_memory;
using tx::detail::device_queue;
using tx::detail::rank_transport;

// Holds a reduction that was begun on a stream of its own. That stream waits for the event `ready` in the device's queue, and the
// queue later waits for the event `done`.
struct begun_sums {
    cudaEvent_t ready{}, done{};
    bool is_under_way = false;
};

// Holds the state of an NCCL communicator. A process uses one device for it. MPI's communicator of the same ranks runs what NCCL
// can't.
struct communicator_state : rank_transport {
    communicator_state(rank_transport const& functions, tx::mpi::communicator among, device_queue& on)
        : rank_transport(functions), ranks{std::move(among)}, queue{on} {
        rank = ranks.rank(), size = ranks.size();
        handle = reinterpret_cast<std::uintptr_t>(static_cast<rank_transport*>(this));
    }
    communicator_state(communicator_state const&) = delete;
    communicator_state& operator=(communicator_state const&) = delete;

    // If this rank leaves by an exception, or a call has failed, nobody may wait for the other ranks: NCCL then aborts what is
    // running.
    ~communicator_state() {
        tx::detail::device_scope const here(queue.index());
        auto const* const session = tx::mpi::detail::session_of_program;
        bool const fails = std::uncaught_exceptions() > 0 || (session && session->is_unwound) || !finishes();
        if (comm && fails) static_cast<void>(ncclCommAbort(comm));
        else if (comm) static_cast<void>(ncclCommDestroy(comm));
        for (begun_sums const& b : begun) {
            static_cast<void>(cudaEventDestroy(b.ready));
            static_cast<void>(cudaEventDestroy(b.done));
        }
        if (sums) static_cast<void>(cudaStreamDestroy(sums));
    }

    // Throws where an earlier call has failed on some rank, which NCCL notices late.
    void require_sound(std::string_view function) {
        ncclResult_t now = ncclSuccess;
        if (comm) {
            require(ncclCommGetAsyncError(comm, &now), function, rank);
            if (now == ncclSuccess || now == ncclInProgress) return;
            failure = ncclGetErrorString(now);
            static_cast<void>(ncclCommAbort(comm));
            comm = nullptr;
        }
        throw error("tx: nccl::" + std::string(function) + ": rank " + std::to_string(rank) +
                    ": the communicator has failed and is given up: " + failure);
    }
    tx::mpi::detail::communicator_state& state_of_mpi() const { return tx::mpi::detail::state_of(ranks.transport()); }

    tx::mpi::communicator ranks;
    device_queue& queue;
    ncclComm_t comm = nullptr;
    std::string failure;
    std::mutex mutex; // NCCL takes a communicator's calls one after another
    cudaStream_t sums = nullptr;
    std::vector<begun_sums> begun; // slots are reused

private:
    bool finishes() noexcept {
        try {
            queue.finish();
            return true;
        } catch (...) {
            return false;
        }
    }
};

inline communicator_state& state_of(rank_transport const& transport) {
    return const_cast<communicator_state&>(static_cast<communicator_state const&>(transport));
}

// Each call of a collective begins by making one of these: it makes the device current, checks that the communicator has not
// failed, and counts the call for the session's watch.
class turn {
public:
    turn(communicator_state& state, device_memory const& memory, tx::mpi::detail::rank_call call)
        : lock_{state.mutex}, here_{state.queue.index()}, part_{state.state_of_mpi(), call} {
        std::string const function(tx::mpi::detail::name(call));
        tx::mpi::detail::require_open(state.state_of_mpi(), function);
        if (memory.device() != state.queue.index() || memory.stream() != tx::detail::queue_memory::of(state.queue).stream())
            throw device_error("tx: nccl::" + function + ": the tensor is on device " + std::to_string(memory.device()) +
                               ", the communicator was made for device " + std::to_string(state.queue.index()) +
                               "; make one for that device, or move the tensor with tx::to");
        state.require_sound(function);
    }

private:
    std::lock_guard<std::mutex> lock_;
    [[maybe_unused]] tx::detail::device_scope here_;
    tx::mpi::detail::taking_part part_;
};

} // namespace tx::nccl::detail
