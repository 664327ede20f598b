// tx::nccl::communicator does collectives between GPUs, one for each process. It can be used wherever a tx::mpi::communicator
// can; copies refer to the same communicator, which lasts as long as one of them.
#pragma once

#include <tracexpr/mpi/ops.hpp>
#include <tracexpr/nccl/collectives.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

namespace tx::nccl {

namespace detail {

// Returns the id by which NCCL's ranks find each other, made by rank 0 and sent to all.
inline ncclUniqueId shared_id(tx::mpi::communicator const& ranks) {
    std::array<std::uint8_t, sizeof(ncclUniqueId) + 1> mine{}, shared{}; // the last byte says whether rank 0 could make an id
    ncclUniqueId id{};
    ncclResult_t code = ncclSuccess;
    if (ranks.rank() == 0) {
        code = ncclGetUniqueId(&id);
        std::memcpy(mine.data(), &id, sizeof id);
        mine.back() = code == ncclSuccess;
    }
    dims const extents{{static_cast<std::int64_t>(mine.size())}, 1};
    rank_transport const& by = ranks.transport();
    by.run(by,
           {tx::detail::collective_form(collective_kind::broadcast), dtype::uint8, mine.data(), extents, shared.data(), extents});
    require(code, "communicator", ranks.rank());
    if (!shared.back()) throw error("tx: nccl::communicator: rank 0 could not begin it");
    std::memcpy(&id, shared.data(), sizeof id);
    return id;
}

} // namespace detail

// Chooses this rank's device where each rank of a machine has a device of its own: rank number k of those that MPI starts on the
// machine gets device k. All ranks must call this.
inline thrust_device local_device(tx::mpi::communicator const& ranks) {
    MPI_Comm machine{};
    int place = 0;
    tx::mpi::detail::require(
        MPI_Comm_split_type(ranks.native(), MPI_COMM_TYPE_SHARED, static_cast<int>(ranks.rank()), MPI_INFO_NULL, &machine),
        "local_device", ranks.rank());
    MPI_Comm_rank(machine, &place);
    MPI_Comm_free(&machine);
    int const count = tx::detail::device_count();
    if (place >= count)
        throw device_error("tx: nccl::local_device: each rank needs a device of its own; this machine has " +
                           std::to_string(count) + ", and rank " + std::to_string(ranks.rank()) + " is number " +
                           std::to_string(place) + " on it; start fewer processes on each machine");
    return {place};
}

// A communicator is a group of ranks, each with a device of its own. Collectives of tensors on that device run there, in the
// order of its queue (tx::stream_of), and the host doesn't wait for them. Reductions that NCCL lacks (16-bit integers, products
// of complex numbers, maxima of dual ones) and tensors in this process's memory go through MPI. All ranks must pass a tensor in
// the same kind of memory. Dropping the last copy may wait for other ranks to drop theirs, except while an exception is thrown. A
// default-constructed communicator, or one from split for a rank that is left out, is empty and can't be used.
class communicator {
public:
    communicator() = default;
    // Makes a communicator of MPI's ranks, all of which must call this. Throws tx::error where NCCL can't connect them.
    explicit communicator(tx::mpi::communicator const& ranks, thrust_device where = {}) {
        auto& queue = tx::detail::device_queue::of(where.index);
        tx::detail::device_scope const here(where.index);
        ncclUniqueId const id = detail::shared_id(ranks);
        auto made = std::make_shared<detail::communicator_state>(detail::transport_by_nccl, ranks, queue);
        detail::require(ncclCommInitRank(&made->comm, static_cast<int>(made->size), id, static_cast<int>(made->rank)),
                        "communicator", made->rank);
        state_ = std::move(made);
    }

    bool is_empty() const { return state_ == nullptr; }
    std::int64_t rank() const { return transport().rank; }
    std::int64_t size() const { return transport().size; }
    thrust_device device() const { return {state().queue.index()}; }
    // Returns MPI's communicator of the same ranks.
    tx::mpi::communicator const& ranks() const { return state().ranks; }
    // split and duplicate do what those of tx::mpi::communicator do. All ranks must call them.
    communicator split(int color, int key = 0) const {
        tx::mpi::communicator const part = ranks().split(color, key);
        return part.is_empty() ? communicator() : communicator(part, device());
    }
    communicator duplicate() const { return communicator(ranks().duplicate(), device()); }

    // Returns NCCL's communicator, for direct calls of NCCL.
    ncclComm_t native() const { return state().comm; }
    // Returns the functions that run its collectives. The address stays valid while there is a copy of the communicator.
    tx::detail::rank_transport const& transport() const { return state(); }

    // Returns whether both are copies of one communicator.
    friend bool operator==(communicator const& a, communicator const& b) { return a.state_ == b.state_; }

private:
    detail::communicator_state& state() const {
        if (!state_)
            throw error(
                "tx: nccl::communicator: this one has no ranks; make one of a tx::mpi::communicator (split gives an empty "
                "one to ranks with a negative color)");
        return *state_;
    }

    std::shared_ptr<detail::communicator_state> state_;
};

} // namespace tx::nccl

// As with MPI's communicators, a function is traced once for each communicator.
template <> inline constexpr bool tx::detail::is_trace_value<tx::nccl::communicator> = true;
