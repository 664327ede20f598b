// The two messages of an exchange: what one rank sends, and what another sends to it.
#pragma once

#include <tracexpr/mpi/elements.hpp>
#include <tracexpr/mpi/state.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tx::mpi::detail {

// `or_nobody`: may it be negative?
inline void require_rank(communicator_state const& state, std::string_view function, std::string_view argument, std::int64_t rank,
                         bool or_nobody = false) {
    if (rank < state.size && (or_nobody || rank >= 0)) [[likely]]
        return;
    throw error("tx: mpi::" + std::string(function) + ": " + std::string(argument) + " must be a rank, 0 to " +
                std::to_string(state.size - 1) + (or_nobody ? ", or negative for nobody" : "") + "; given " +
                std::to_string(rank));
}
// Throws where the messages of an exchange went wrong: `code` says whether they did, or tells to look at the status of what came.
inline void require_whole(communicator_state const& state, collective_call const& call, moved_block const& block, int code,
                          MPI_Status const& status, std::int64_t from) {
    std::string_view const function = tx::name(call.form.what);
    if (code == MPI_ERR_IN_STATUS && status.MPI_ERROR != MPI_ERR_PENDING) code = status.MPI_ERROR;
    int kind = MPI_SUCCESS;
    MPI_Error_class(code, &kind);
    MPI_Count sent = 0;
    if (kind != MPI_ERR_TRUNCATE) {
        require(code, function, state.rank);
        if (from < 0) return;
        require(MPI_Get_elements_x(&status, block.type, &sent), function, state.rank);
        if (sent == block.all_numbers) return;
    }
    throw shape_error("tx: mpi::" + std::string(function) + ": rank " + std::to_string(from) + " sent a tensor of " +
                      (kind == MPI_ERR_TRUNCATE ? "more" : "fewer") + " elements than this rank's, whose shape is " +
                      to_string(call.extents));
}

// Messages that travel while this rank does something else.
class exchanged_messages {
public:
    // The elements stay where they are until both messages are done.
    exchanged_messages(communicator_state& state, collective_call const& call)
        : state_{state}, call_{call}, block_(call.type, call.extents.size(), tx::name(call.form.what), state.rank) {}
    exchanged_messages(exchanged_messages const&) = delete;
    exchanged_messages& operator=(exchanged_messages const&) = delete;
    ~exchanged_messages() = default;

    void begin() {
        auto const [to, from] = std::pair(static_cast<int>(call_.form.to), static_cast<int>(call_.form.from));
        if (from >= 0)
            require(MPI_Irecv(call_.result, block_.length, block_.type, from, tag_of_exchange, state_.comm, &requests_[0]));
        int const code =
            to < 0 ? MPI_SUCCESS
                   : MPI_Isend(call_.operand, block_.length, block_.type, to, tag_of_exchange, state_.comm, &requests_[1]);
        if (code != MPI_SUCCESS && from >= 0) { // the result must not be written to once this has thrown
            MPI_Cancel(&requests_[0]);
            MPI_Wait(&requests_[0], MPI_STATUS_IGNORE);
        }
        require(code);
    }
    // Moves them.
    void test() {
        if (is_done_) return;
        int is_done = 0;
        returned_errors const by_the_call;
        code_ = MPI_Testall(2, requests_, &is_done, statuses_); // thrown where it is waited for
        is_done_ = is_done != 0 || code_ != MPI_SUCCESS;
    }
    void wait() {
        returned_errors const by_the_call;
        waiting_for_ranks const waits(state_.progress_of_calls, call_.form.to, call_.form.from);
        if (!is_done_) code_ = MPI_Waitall(2, requests_, statuses_);
        is_done_ = true;
        require_whole(state_, call_, block_, code_, statuses_[0], call_.form.from);
    }

private:
    void require(int code) const {
        if (code != MPI_SUCCESS) [[unlikely]]
            throw_error(code, tx::name(call_.form.what), state_.rank);
    }

    communicator_state& state_;
    collective_call call_;
    moved_block block_;
    MPI_Request requests_[2]{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses_[2]{};
    int code_ = MPI_SUCCESS;
    bool is_done_ = false;
};

} // namespace tx::mpi::detail
