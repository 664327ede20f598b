// The two messages of an exchange: what one rank sends, and what another sends to it.
#pragma once

#include <tracexpr/mpi/elements.hpp>
#include <tracexpr/mpi/state.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace tx::mpi::detail {

class exchanged_messages {
public:
    // Of as many elements as the call's operand has. `to` and `from` are ranks, or negative for nobody.
    exchanged_messages(communicator_state const& state, collective_call const& call, std::int64_t to, std::int64_t from)
        : state_{state}, function_{tx::name(call.form.what)}, extents_{call.extents}, to_{to}, from_{from},
          block_(call.type, call.extents.size(), function_, state.rank) {
        for (std::int64_t const rank : {to, from})
            if (rank >= state.size)
                throw error("tx: mpi::exchange: whom a rank sends to and receives from must be ranks, 0 to " +
                            std::to_string(state.size - 1) + ", or negative for nobody; given " + std::to_string(rank));
    }
    exchanged_messages(exchanged_messages const&) = delete;
    exchanged_messages& operator=(exchanged_messages const&) = delete;
    ~exchanged_messages() = default;

    // The elements stay where they are until both messages are done.
    void begin(void const* operand, void* result) {
        if (from_ >= 0)
            require(MPI_Irecv(result, block_.length, block_.type, static_cast<int>(from_), tag_of_exchange, state_.comm,
                              &requests_[0]));
        int const code = to_ < 0 ? MPI_SUCCESS
                                 : MPI_Isend(operand, block_.length, block_.type, static_cast<int>(to_), tag_of_exchange,
                                             state_.comm, &requests_[1]);
        if (code != MPI_SUCCESS && from_ >= 0) { // the result must not be written to once this has thrown
            MPI_Cancel(&requests_[0]);
            MPI_Wait(&requests_[0], MPI_STATUS_IGNORE);
        }
        require(code);
    }
    // Moves them.
    void test() {
        if (is_done_) return;
        int is_done = 0;
        require(MPI_Testall(2, requests_, &is_done, statuses_));
        is_done_ = is_done != 0;
    }
    void wait() {
        if (!is_done_) require(MPI_Waitall(2, requests_, statuses_));
        is_done_ = true;
        MPI_Count sent = 0;
        if (from_ >= 0) require(MPI_Get_elements_x(&statuses_[0], block_.type, &sent));
        if (from_ >= 0 && sent != block_.all_numbers)
            throw shape_error("tx: mpi::" + std::string(function_) + ": rank " + std::to_string(from_) +
                              " sent a tensor of fewer elements than this rank's, whose shape is " + to_string(extents_));
    }

private:
    void require(int code) const {
        if (code != MPI_SUCCESS) [[unlikely]]
            throw_error(code, function_, state_.rank);
    }

    communicator_state const& state_;
    std::string_view function_;
    dims extents_;
    std::int64_t to_, from_;
    moved_block block_;
    MPI_Request requests_[2]{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses_[2]{};
    bool is_done_ = false;
};

} // namespace tx::mpi::detail
