// Runs one collective by NCCL on elements in a GPU's memory; an nccl communicator's table of functions (rank_transport) calls it.
// It queues work on the device's stream and waits for nothing. Results that no rank sends to are filled with zeros.
#pragma once

#include <tracexpr/base/identity.hpp>
#include <tracexpr/mpi/checks.hpp>
#include <tracexpr/mpi/neutral.hpp>
#include <tracexpr/mpi/nonblocking.hpp>
#include <tracexpr/nccl/elements.hpp>
#include <tracexpr/nccl/state.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tx::nccl::detail {

using tx::detail::scratch_on_device;

// Sends and receives that NCCL runs together, so that none waits for another.
class message_group {
public:
    explicit message_group(communicator_state const& state, std::string_view function) : state_{state}, function_{function} {
        require(ncclGroupStart(), function, state.rank);
    }
    message_group(message_group const&) = delete;
    message_group& operator=(message_group const&) = delete;
    ~message_group() {
        if (is_open_) static_cast<void>(ncclGroupEnd()); // another error is being thrown already
    }
    void end() {
        is_open_ = false;
        require(ncclGroupEnd(), function_, state_.rank);
    }

private:
    communicator_state const& state_;
    std::string_view function_;
    bool is_open_ = true;
};

// Runs one call of a collective on this rank, for which NCCL has the operation.
class collective_run {
public:
    collective_run(communicator_state& state, collective_call const& call, device_memory const& memory)
        : state_{state}, call_{call}, memory_{memory}, operation_{operation_of(call.type, call.form.by)},
          element_bytes_{static_cast<std::int64_t>(size_in_bytes(call.type))},
          stream_{static_cast<cudaStream_t>(memory.stream())}, operand_{static_cast<std::byte const*>(call.operand)},
          result_{static_cast<std::byte*>(call.result)} {}

    void run() const {
        if (count() == 0) return memory_.clear(result_, bytes_of(result_count()));
        switch (call_.form.what) {
        case collective_kind::all_reduce: return all_reduce();
        case collective_kind::reduce: return reduce();
        case collective_kind::broadcast: return broadcast();
        case collective_kind::all_gather:
            return require(ncclAllGather(operand_, result_, size(bytes_of(count())), ncclUint8, state_.comm, stream_));
        case collective_kind::gather: return gather();
        case collective_kind::scatter: return scatter();
        case collective_kind::reduce_scatter: return reduce_scatter();
        case collective_kind::all_to_all: return all_to_all();
        case collective_kind::permute: return permute();
        case collective_kind::exchange: return exchange(call_.form.to, call_.form.from);
        case collective_kind::scan:
        case collective_kind::exclusive_scan: return scan();
        case collective_kind::barrier:
        case collective_kind::replicate:
        case collective_kind::sequence:
        case collective_kind::begin_sums:
        case collective_kind::begin_exchange:
        case collective_kind::finish: return; // these don't come here: they have no elements, or functions of their own
        }
    }

private:
    std::string_view function() const { return tx::name(call_.form.what); }
    template <class Code> void require(Code code) const { detail::require(code, function(), state_.rank); }
    std::int64_t count() const { return call_.extents.size(); }
    std::int64_t result_count() const { return call_.result_extents.size(); }
    std::int64_t bytes_of(std::int64_t elements) const { return elements * element_bytes_; }
    static std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }
    bool is_root() const { return call_.form.root == state_.rank; }
    int root() const { return static_cast<int>(call_.form.root); }

    void clear_result() const { memory_.clear(result_, bytes_of(result_count())); }
    void copy_operand() const { memory_.within(result_, operand_, bytes_of(count())); }
    void send(std::byte const* from, std::int64_t bytes, std::int64_t to) const {
        require(ncclSend(from, size(bytes), ncclUint8, static_cast<int>(to), state_.comm, stream_));
    }
    void receive(std::byte* to, std::int64_t bytes, std::int64_t from) const {
        require(ncclRecv(to, size(bytes), ncclUint8, static_cast<int>(from), state_.comm, stream_));
    }

    // Calls call(from, to) with the numbers that NCCL reduces: the operand and result, or, for operations on keys, buffers of
    // keys that are converted from and to these. `given` and `made` are the numbers of their elements; if `made` is 0, no result
    // is written.
    template <class Call> void with_numbers(std::int64_t given, std::int64_t made, Call const& call) const {
        if (!operation_.has_keys) return call(operand_, result_);
        bool const reverse = call_.form.by == rank_reduction::min;
        scratch_on_device const from(memory_, key_bytes(given)), to(memory_, key_bytes(std::max<std::int64_t>(made, 1)));
        make_keys(state_.queue, call_.type, reverse, operand_, from.data(), given);
        call(static_cast<std::byte const*>(from.data()), static_cast<std::byte*>(to.data()));
        if (made > 0) read_keys(state_.queue, call_.type, reverse, to.data(), result_, made);
    }
    std::int64_t key_bytes(std::int64_t count) const { return count * (operation_.type == ncclUint64 ? 8 : 4); }
    std::size_t numbers(std::int64_t elements) const { return size(elements * operation_.numbers); }

    void all_reduce() const {
        with_numbers(count(), count(), [&](std::byte const* from, std::byte* to) {
            require(ncclAllReduce(from, to, numbers(count()), operation_.type, operation_.op, state_.comm, stream_));
        });
    }
    void reduce() const {
        with_numbers(count(), is_root() ? count() : 0, [&](std::byte const* from, std::byte* to) {
            require(ncclReduce(from, to, numbers(count()), operation_.type, operation_.op, root(), state_.comm, stream_));
        });
        if (!is_root()) clear_result();
    }
    void reduce_scatter() const {
        std::int64_t const row = result_count();
        with_numbers(count(), row, [&](std::byte const* from, std::byte* to) {
            require(ncclReduceScatter(from, to, numbers(row), operation_.type, operation_.op, state_.comm, stream_));
        });
    }
    // Each rank in turn is the root of a reduction, to which the ranks before it give their operands and all others the neutral
    // element. This sends as many bytes as gathering all operands would, but needs the memory of two.
    void scan() const {
        std::int64_t const before = call_.form.what == collective_kind::exclusive_scan ? 1 : 0;
        std::int64_t const first = call_.form.reversed ? state_.size - 1 : 0;
        bool const has_neutral = before == 1 && state_.rank == first;
        with_numbers(count(), has_neutral ? 0 : count(), [&](std::byte const* from, std::byte* to) {
            std::int64_t const bytes = operation_.has_keys ? key_bytes(count()) : bytes_of(count());
            scratch_on_device const neutral(memory_, bytes);
            fill_neutral(neutral.data(), bytes);
            for (std::int64_t place = before; place < state_.size; ++place) {
                std::int64_t const root = call_.form.reversed ? state_.size - 1 - place : place;
                std::int64_t const mine = call_.form.reversed ? state_.size - 1 - state_.rank : state_.rank;
                void const* const given = mine + before <= place ? from : static_cast<std::byte const*>(neutral.data());
                require(ncclReduce(given, to, numbers(count()), operation_.type, operation_.op, static_cast<int>(root),
                                   state_.comm, stream_));
            }
        });
        if (!has_neutral) return;
        std::vector<std::byte> const all = neutral_elements();
        memory_.to_device(result_, all.data(), bytes_of(count()));
    }
    std::vector<std::byte> neutral_elements() const {
        std::vector<std::byte> out(size(bytes_of(count())));
        tx::mpi::detail::fill_neutral(call_.type, call_.form.by, out.data(), count());
        return out;
    }
    void fill_neutral(void* to, std::int64_t bytes) const { // the neutral element of keys is 0
        if (operation_.has_keys || call_.form.by == rank_reduction::sum) return memory_.clear(to, bytes);
        std::vector<std::byte> const all = neutral_elements();
        memory_.to_device(to, all.data(), bytes);
    }

    // The root sends its operand; NCCL also copies it to the root's result.
    void broadcast() const {
        require(ncclBroadcast(operand_, result_, size(bytes_of(count())), ncclUint8, root(), state_.comm, stream_));
    }
    void gather() const {
        message_group group(state_, function());
        send(operand_, bytes_of(count()), root());
        for (std::int64_t from = 0; is_root() && from < state_.size; ++from)
            receive(result_ + from * bytes_of(count()), bytes_of(count()), from);
        group.end();
        if (!is_root()) clear_result();
    }
    void scatter() const {
        std::int64_t const row = bytes_of(result_count());
        message_group group(state_, function());
        for (std::int64_t to = 0; is_root() && to < state_.size; ++to) send(operand_ + to * row, row, to);
        receive(result_, row, root());
        group.end();
    }
    void all_to_all() const {
        std::int64_t const row = bytes_of(count() / state_.size);
        message_group group(state_, function());
        for (std::int64_t rank = 0; rank < state_.size; ++rank) {
            send(operand_ + rank * row, row, rank);
            receive(result_ + rank * row, row, rank);
        }
        group.end();
    }
    void permute() const {
        std::int64_t to = -1, from = -1;
        table_view<std::int64_t> const pairs = call_.form.pairs;
        for (std::size_t k = 0; k + 1 < pairs.size(); k += 2) {
            if (pairs[k] == state_.rank) to = pairs[k + 1];
            if (pairs[k + 1] == state_.rank) from = pairs[k];
        }
        exchange(to, from);
    }
    void exchange(std::int64_t to, std::int64_t from) const {
        if (to == state_.rank && from == state_.rank) return copy_operand();
        message_group group(state_, function());
        if (to >= 0) send(operand_, bytes_of(count()), to);
        if (from >= 0) receive(result_, bytes_of(count()), from);
        group.end();
        if (from < 0) clear_result();
    }

    communicator_state& state_;
    collective_call const& call_;
    device_memory const& memory_;
    rank_operation operation_;
    std::int64_t element_bytes_;
    cudaStream_t stream_;
    std::byte const* operand_;
    std::byte* result_;
};

// Returns whether the memory belongs to another of Thrust's systems (CPU instead of GPU), for which other files of the program
// were compiled.
inline bool is_of_other_system(device_memory const& memory) { return memory.is_readable() == tx::detail::on_gpu; }

// Returns false for reductions that NCCL doesn't have; MPI then runs them on copies in this process's memory.
inline bool run_on_device(rank_transport const& transport, collective_call const& call, device_memory const& memory) {
    communicator_state& state = state_of(transport);
    if (is_of_other_system(memory) || (reduces(call.form.what) && operation_of(call.type, call.form.by).numbers == 0))
        return false;
    if (tx::mpi::detail::is_checked()) [[unlikely]]
        tx::mpi::detail::check_call(state.state_of_mpi(), tx::mpi::detail::record_of(call));
    turn const mine(state, memory, tx::mpi::detail::call_of(call.form.what));
    collective_run(state, call, memory).run();
    return true;
}

inline std::size_t free_place(communicator_state& state) {
    auto const found = std::find_if(state.begun.begin(), state.begun.end(), [](begun_sums const& b) { return !b.is_under_way; });
    if (found != state.begun.end()) return static_cast<std::size_t>(found - state.begun.begin());
    begun_sums made;
    require(cudaEventCreateWithFlags(&made.ready, cudaEventDisableTiming), "all_reduce", state.rank);
    require(cudaEventCreateWithFlags(&made.done, cudaEventDisableTiming), "all_reduce", state.rank);
    state.begun.push_back(made);
    return state.begun.size() - 1;
}
// Begins a reduction on a stream of its own, so that the device's queue goes on meanwhile. The request is an index in
// state.begun.
inline bool begin_on_device(rank_transport const& transport, dtype type, rank_reduction by, void* elements, std::int64_t count,
                            device_memory const& memory, std::uint64_t& request) {
    communicator_state& state = state_of(transport);
    rank_operation const operation = operation_of(type, by);
    if (is_of_other_system(memory) || operation.numbers == 0 || operation.has_keys) return false;
    tx::mpi::detail::check_begun(state.state_of_mpi(), type, by, count);
    turn const mine(state, memory, tx::mpi::detail::rank_call::begun_all_reduce);
    auto const stream = static_cast<cudaStream_t>(memory.stream());
    if (!state.sums) require(cudaStreamCreateWithFlags(&state.sums, cudaStreamNonBlocking), "all_reduce", state.rank);
    request = free_place(state);
    begun_sums& place = state.begun[request];
    require(cudaEventRecord(place.ready, stream), "all_reduce", state.rank);
    require(cudaStreamWaitEvent(state.sums, place.ready, 0), "all_reduce", state.rank);
    if (count > 0)
        require(ncclAllReduce(elements, elements, static_cast<std::size_t>(count * operation.numbers), operation.type,
                              operation.op, state.comm, state.sums),
                "all_reduce", state.rank);
    require(cudaEventRecord(place.done, state.sums), "all_reduce", state.rank);
    place.is_under_way = true;
    return true;
}
inline void finish_on_device(rank_transport const& transport, std::uint64_t request, device_memory const& memory) {
    communicator_state& state = state_of(transport);
    std::lock_guard const lock(state.mutex);
    tx::detail::device_scope const here(state.queue.index());
    begun_sums& place = state.begun[request];
    place.is_under_way = false;
    require(cudaStreamWaitEvent(static_cast<cudaStream_t>(memory.stream()), place.done, 0), "all_reduce", state.rank);
}

// Collectives of elements in this process's memory are passed to MPI's communicator of the same ranks.
inline void run_here(rank_transport const& transport, collective_call const& call) {
    rank_transport const& mpi = state_of(transport).ranks.transport();
    mpi.run(mpi, call);
}
inline std::uint64_t begin_here(rank_transport const& transport, dtype type, rank_reduction by, void* elements,
                                std::int64_t count) {
    rank_transport const& mpi = state_of(transport).ranks.transport();
    return mpi.begin_all_reduce(mpi, type, by, elements, count);
}
inline std::uint64_t begin_exchange_here(rank_transport const& transport, collective_call const& call) {
    rank_transport const& mpi = state_of(transport).ranks.transport();
    return mpi.begin_exchange(mpi, call);
}
inline void progress_here(rank_transport const& transport) {
    rank_transport const& mpi = state_of(transport).ranks.transport();
    mpi.progress(mpi);
}
inline void finish_here(rank_transport const& transport, std::uint64_t request) {
    rank_transport const& mpi = state_of(transport).ranks.transport();
    mpi.finish(mpi, request);
}
inline void compare_here(rank_transport const& transport, std::uint64_t hash, table_view<std::int64_t> sequence) {
    rank_transport const& mpi = state_of(transport).ranks.transport();
    mpi.compare(mpi, hash, sequence);
}
inline constexpr rank_transport transport_by_nccl{.run = &run_here,
                                                  .begin_all_reduce = &begin_here,
                                                  .begin_exchange = &begin_exchange_here,
                                                  .progress = &progress_here,
                                                  .finish = &finish_here,
                                                  .compare = &compare_here,
                                                  .run_on_device = &run_on_device,
                                                  .begin_on_device = &begin_on_device,
                                                  .finish_on_device = &finish_on_device};

} // namespace tx::nccl::detail
