// Runs one collective by MPI and waits for it; a communicator's table of functions (rank_transport) calls it. MPI reads the
// operand and writes the result directly, in this process's memory or in a device's where MPI takes that. Results that no rank
// sends to are filled with zeros.
#pragma once

#include <tracexpr/base/identity.hpp>
#include <tracexpr/mpi/checks.hpp>
#include <tracexpr/mpi/device.hpp>
#include <tracexpr/mpi/exchange.hpp>
#include <tracexpr/mpi/neutral.hpp>
#include <tracexpr/mpi/state.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace tx::mpi::detail {

// Returns the operation of a reduction. It throws where neither MPI nor this library has one for the dtype.
inline rank_operation const& operation_of(dtype type, rank_reduction by, std::string_view function) {
    rank_operation const& found = session_of_program->operations.find(type, by);
    if (found.numbers == 0) [[unlikely]]
        throw type_error("tx: mpi::" + std::string(function) + ": " + std::string(tx::name(by)) + " needs another dtype than " +
                         std::string(tx::name(type)) + "; cast the operand");
    return found;
}

// Calls call(begin, numbers) for pieces of `count` elements that fit in one message. There is at least one call, as ranks must
// meet in a collective of no elements, too.
template <class Call> void in_pieces(std::int64_t count, int numbers, Call const& call) {
    std::int64_t const most = std::max<std::int64_t>(most_numbers_per_message.load(std::memory_order_relaxed) / numbers, 1);
    std::int64_t begin = 0;
    do {
        std::int64_t const piece = std::min(count - begin, most);
        call(begin, static_cast<int>(piece * numbers));
        begin += piece;
    } while (begin < count);
}

// Runs one call of a collective on this rank.
class collective_run {
public:
    // `memory` is that of the device which has the elements, whose queue must have no work left on them; it is null where this
    // process has them.
    collective_run(communicator_state& state, collective_call const& call, device_memory const* memory = nullptr)
        : state_{state}, call_{call}, element_bytes_{static_cast<std::int64_t>(size_in_bytes(call.type))}, comm_{state.comm},
          operand_{static_cast<char const*>(call.operand)}, result_{static_cast<char*>(call.result)}, memory_{memory} {}

    void run() {
        collective_form const& form = call_.form;
        if (has_root(form.what)) require_rank("the root", form.root);
        switch (form.what) {
        case collective_kind::all_reduce: return all_reduce();
        case collective_kind::reduce: return reduce();
        case collective_kind::broadcast: return broadcast();
        case collective_kind::all_gather:
        case collective_kind::gather:
        case collective_kind::scatter:
        case collective_kind::all_to_all: return move_rows();
        case collective_kind::reduce_scatter: return reduce_scatter();
        case collective_kind::permute: return permute();
        case collective_kind::exchange: return exchange(form.to, form.from);
        case collective_kind::scan:
        case collective_kind::exclusive_scan: return scan();
        case collective_kind::barrier: return require(MPI_Barrier(comm_));
        case collective_kind::replicate:
        case collective_kind::sequence:
        case collective_kind::begin_sums:
        case collective_kind::begin_exchange:
        case collective_kind::finish: return; // these are run by other functions, and no message of these kinds is sent
        }
    }

private:
    void require(int code) const {
        if (code != MPI_SUCCESS) [[unlikely]]
            throw_error(code, tx::name(call_.form.what), state_.rank);
    }
    void require_rank(std::string_view argument, std::int64_t rank) const {
        detail::require_rank(state_, tx::name(call_.form.what), argument, rank);
    }
    std::int64_t count() const { return call_.extents.size(); }
    std::int64_t result_count() const { return call_.result_extents.size(); }
    bool is_root() const { return call_.form.root == state_.rank; }
    int root() const { return static_cast<int>(call_.form.root); }
    rank_operation const& operation() const { return operation_of(call_.type, call_.form.by, tx::name(call_.form.what)); }

    void clear_result() const {
        std::int64_t const bytes = result_count() * element_bytes_;
        if (memory_) memory_->clear(result_, bytes);
        else if (bytes > 0) std::memset(result_, 0, static_cast<std::size_t>(bytes));
    }
    void copy_operand() const {
        std::int64_t const bytes = count() * element_bytes_;
        if (memory_) memory_->within(result_, operand_, bytes);
        else if (bytes > 0) std::memcpy(result_, operand_, static_cast<std::size_t>(bytes));
    }
    void give_neutral() const {
        if (!memory_) return fill_neutral(call_.type, call_.form.by, result_, count());
        std::vector<std::byte> elements(static_cast<std::size_t>(count() * element_bytes_) + 1);
        fill_neutral(call_.type, call_.form.by, elements.data(), count());
        memory_->to_device(result_, elements.data(), count() * element_bytes_);
    }

    void all_reduce() const {
        rank_operation const& combination = operation();
        in_pieces(count(), combination.numbers, [&](std::int64_t begin, int piece) {
            require(MPI_Allreduce(operand_ + begin * element_bytes_, result_ + begin * element_bytes_, piece, combination.type,
                                  combination.op, comm_));
        });
    }
    void reduce() const {
        reduce_rows(operand_, count(), root());
        if (!is_root()) clear_result();
    }
    void reduce_rows(char const* from, std::int64_t elements, int root) const {
        rank_operation const& combination = operation();
        in_pieces(elements, combination.numbers, [&](std::int64_t begin, int piece) {
            char* const to = root == state_.rank ? result_ + begin * element_bytes_ : nullptr;
            require(MPI_Reduce(from + begin * element_bytes_, to, piece, combination.type, combination.op, root, comm_));
        });
    }
    // The root sends its operand and copies it to its result.
    void broadcast() const {
        moved_block const block = block_of(count());
        void* const sent_or_received = is_root() ? const_cast<char*>(operand_) : result_;
        require(MPI_Bcast(sent_or_received, block.length, block.type, root(), comm_));
        if (is_root()) copy_operand();
    }
    void move_rows() const {
        bool const gathers = tx::gathers(call_.form.what), scatters = tx::scatters(call_.form.what);
        moved_block const row = block_of(gathers ? count() : scatters ? result_count() : count() / state_.size);
        switch (call_.form.what) {
        case collective_kind::all_gather:
            return require(MPI_Allgather(operand_, row.length, row.type, result_, row.length, row.type, comm_));
        case collective_kind::gather:
            require(MPI_Gather(operand_, row.length, row.type, result_, row.length, row.type, root(), comm_));
            if (!is_root()) clear_result();
            return;
        case collective_kind::scatter:
            return require(MPI_Scatter(operand_, row.length, row.type, result_, row.length, row.type, root(), comm_));
        default: return require(MPI_Alltoall(operand_, row.length, row.type, result_, row.length, row.type, comm_));
        }
    }
    // Where there are more elements than MPI takes at once, each row is reduced separately, on the rank that it belongs to.
    void reduce_scatter() const {
        rank_operation const& combination = operation();
        std::int64_t const row = result_count();
        if (count() * combination.numbers <= most_numbers_per_message.load(std::memory_order_relaxed))
            return require(MPI_Reduce_scatter_block(operand_, result_, static_cast<int>(row * combination.numbers),
                                                    combination.type, combination.op, comm_));
        for (int rank = 0; rank < state_.size; ++rank) reduce_rows(operand_ + rank * row * element_bytes_, row, rank);
    }

    void permute() const {
        std::int64_t to = -1, from = -1;
        table_view<std::int64_t> const pairs = call_.form.pairs;
        for (std::size_t k = 0; k + 1 < pairs.size(); k += 2) {
            require_rank("the rank that sends", pairs[k]); // for all pairs, so that all ranks throw alike
            require_rank("the rank that receives", pairs[k + 1]);
            if (pairs[k] == state_.rank) to = pairs[k + 1];
            if (pairs[k + 1] == state_.rank) from = pairs[k];
        }
        exchange(to, from);
    }
    void exchange(std::int64_t to, std::int64_t from) const {
        require_partners(state_, tx::name(call_.form.what), to, from);
        if (to == state_.rank && from == state_.rank) return copy_operand();
        exchanged_messages messages(state_, call_, to, from);
        messages.begin();
        if (from < 0) clear_result();
        messages.wait();
    }

    void scan() const {
        bool const is_exclusive = call_.form.what == collective_kind::exclusive_scan;
        rank_operation const& combination = operation();
        MPI_Comm const comm = call_.form.reversed ? reversed_comm() : comm_;
        in_pieces(count(), combination.numbers, [&](std::int64_t begin, int piece) {
            char const* const from = operand_ + begin * element_bytes_;
            char* const to = result_ + begin * element_bytes_;
            require(is_exclusive ? MPI_Exscan(from, to, piece, combination.type, combination.op, comm)
                                 : MPI_Scan(from, to, piece, combination.type, combination.op, comm));
        });
        std::int64_t const first = call_.form.reversed ? state_.size - 1 : 0;
        if (is_exclusive && state_.rank == first) give_neutral();
    }
    // Returns a communicator with the ranks in reverse order, made when it is first needed; all ranks call this together.
    MPI_Comm reversed_comm() const {
        if (!state_.has_reversed) {
            require(MPI_Comm_split(comm_, 0, static_cast<int>(state_.size - 1 - state_.rank), &state_.reversed));
            state_.has_reversed = true;
        }
        return state_.reversed;
    }

    moved_block block_of(std::int64_t elements) const {
        return moved_block(call_.type, elements, tx::name(call_.form.what), state_.rank);
    }

    communicator_state& state_;
    collective_call const& call_;
    std::int64_t element_bytes_;
    MPI_Comm comm_;
    char const* operand_;
    char* result_;
    device_memory const* memory_;
};

inline void run_collective_on(rank_transport const& transport, collective_call const& call, device_memory const* memory) {
    communicator_state& state = state_of(transport);
    require_open(state, tx::name(call.form.what));
    if (is_checked()) [[unlikely]]
        check_call(state, record_of(call));
    taking_part const part(state, call_of(call.form.what));
    collective_run(state, call, memory).run();
}
inline void run_collective(rank_transport const& transport, collective_call const& call) {
    run_collective_on(transport, call, nullptr);
}

// Returns whether MPI can run this call with addresses of the device's memory. Where this process can't read that memory, the
// user must have allowed it (device_aware), and the operation must be MPI's own: the library's operations run on the host, with
// the addresses that MPI was given.
inline bool takes_on_device(collective_call const& call, device_memory const& memory) {
    if (memory.is_readable()) return true;
    if (!passes_device_memory.load(std::memory_order_relaxed)) return false;
    return !reduces(call.form.what) || session_of_program->operations.is_built_in(call.type, call.form.by);
}
// Runs a collective on a device's memory. The device's queue is finished first, as MPI knows nothing of it.
inline bool run_on_device(rank_transport const& transport, collective_call const& call, device_memory const& memory) {
    require_open(state_of(transport), tx::name(call.form.what));
    if (!takes_on_device(call, memory)) return false;
    memory.finish();
    run_collective_on(transport, call, &memory);
    return true;
}

} // namespace tx::mpi::detail
