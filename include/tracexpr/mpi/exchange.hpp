// An exchange consists of two messages: what this rank sends to one rank, and what it receives from another.
#pragma once

#include <tracexpr/mpi/elements.hpp>
#include <tracexpr/mpi/state.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tx::mpi::detail {

// Throws unless `rank` is a rank of the communicator; with or_nobody it may also be negative.
inline void require_rank(communicator_state const& state, std::string_view function, std::string_view argument, std::int64_t rank,
                         bool or_nobody = false) {
    if (rank < state.size && (or_nobody || rank >= 0)) [[likely]]
        return;
    throw error("tx: mpi::" + std::string(function) + ": " + std::string(argument) + " must be a rank, 0 to " +
                std::to_string(state.size - 1) + (or_nobody ? ", or negative for nobody" : "") + "; given " +
                std::to_string(rank));
}
// Checks the partners of an exchange. A rank that sends to itself must receive from itself, or a later exchange would receive the
// message.
inline void require_partners(communicator_state const& state, std::string_view function, std::int64_t to, std::int64_t from) {
    require_rank(state, function, "to", to, true);
    require_rank(state, function, "from", from, true);
    if ((to == state.rank) != (from == state.rank))
        throw error("tx: mpi::" + std::string(function) + ": a rank that sends to itself must receive from itself; rank " +
                    std::to_string(state.rank) + " sends to " + std::to_string(to) + " and receives from " +
                    std::to_string(from) + " (negative: nobody)");
}

// Holds two messages that may travel while this rank does other work. A message is probed before it is received: when MPI itself
// finds that a message is longer than its buffer, Open MPI 4.1 has already written behind the buffer.
class exchanged_messages {
public:
    // The elements must stay where they are until wait() has returned.
    exchanged_messages(communicator_state& state, collective_call const& call, std::int64_t to, std::int64_t from)
        : state_{state}, call_{call}, to_{static_cast<int>(to)}, from_{static_cast<int>(from)},
          block_(call.type, call.extents.size(), tx::name(call.form.what), state.rank), has_come_{from < 0} {}
    exchanged_messages(exchanged_messages const&) = delete;
    exchanged_messages& operator=(exchanged_messages const&) = delete;
    ~exchanged_messages() = default;

    void begin() {
        if (to_ >= 0)
            require(MPI_Isend(call_.operand, block_.length, block_.type, to_, tag_of_exchange, state_.comm, &requests_[0]));
    }
    // Lets MPI make progress with both messages.
    void test() {
        returned_errors const by_the_call;
        int is_there = 0;
        if (!has_come_) require(MPI_Improbe(from_, tag_of_exchange, state_.comm, &is_there, &message_, &status_));
        if (is_there) receive();
        if (is_done_) return;
        int are_done = 0;
        code_ = MPI_Testall(2, requests_, &are_done, MPI_STATUSES_IGNORE); // an error is thrown by wait()
        is_done_ = (are_done && has_come_) || code_ != MPI_SUCCESS;
    }
    void wait() {
        returned_errors const by_the_call;
        waiting_for_ranks const waits(state_.progress_of_calls, to_, from_);
        if (!has_come_) {
            require(MPI_Mprobe(from_, tag_of_exchange, state_.comm, &message_, &status_));
            receive();
        }
        if (!is_done_) code_ = MPI_Waitall(2, requests_, MPI_STATUSES_IGNORE);
        is_done_ = true;
        require(code_);
        if (from_ >= 0 && sent_ != block_.all_numbers)
            throw shape_error("tx: mpi::" + std::string(tx::name(call_.form.what)) + ": rank " + std::to_string(from_) +
                              " sent a tensor of " + (sent_ > block_.all_numbers ? "more" : "fewer") +
                              " elements than this rank's, whose shape is " + to_string(call_.extents));
    }

private:
    void receive() {
        auto const [number, numbers] = moved_numbers(call_.type);
        require(MPI_Get_elements_x(&status_, number, &sent_));
        has_come_ = true;
        if (sent_ <= block_.all_numbers)
            return require(MPI_Imrecv(call_.result, block_.length, block_.type, &message_, &requests_[1]));
        moved_block const all(call_.type, sent_ / numbers, tx::name(call_.form.what), state_.rank);
        MPI_Aint lower = 0, bytes = 0;
        require(MPI_Type_get_extent(number, &lower, &bytes));
        unwanted_.resize(static_cast<std::size_t>(sent_ * bytes));
        require(MPI_Imrecv(unwanted_.data(), all.length, all.type, &message_, &requests_[1]));
    }
    void require(int code) const {
        if (code != MPI_SUCCESS) [[unlikely]]
            throw_error(code, tx::name(call_.form.what), state_.rank);
    }

    communicator_state& state_;
    collective_call call_;
    int to_, from_;
    moved_block block_;
    bool has_come_;
    bool is_done_ = false;
    MPI_Message message_ = MPI_MESSAGE_NULL;
    MPI_Status status_{};
    MPI_Count sent_ = 0;
    MPI_Request requests_[2]{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int code_ = MPI_SUCCESS;
    std::vector<char> unwanted_{};
};

} // namespace tx::mpi::detail
