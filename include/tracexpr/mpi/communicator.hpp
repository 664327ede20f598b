// Communicators are groups of ranks that take part in collectives together. Copies refer to the same communicator, which lasts as
// long as one of them; dropping the last copy waits for no other rank.
#pragma once

#include <tracexpr/mpi/nonblocking.hpp>
#include <tracexpr/mpi/sequences.hpp>

#include <cstdint>
#include <utility>

namespace tx::mpi {

namespace detail {
inline constexpr rank_transport transport_by_mpi{.run = &run_collective,
                                                 .begin_all_reduce = &begin_all_reduce,
                                                 .begin_exchange = &begin_exchange,
                                                 .progress = &progress,
                                                 .finish = &finish,
                                                 .compare = &compare_sequences,
                                                 .run_on_device = &run_on_device};
// This is the communicator of all ranks. While there is a session the library has an MPI_Comm of its own for it. The program
// itself counts as one of its holders, so it is never deleted.
inline constinit communicator_state world_state{transport_by_mpi, 1};
// The handle is set before main, because a graph may ask for it before the session begins.
inline bool const world_has_handle =
    (world_state.handle = reinterpret_cast<std::uintptr_t>(static_cast<rank_transport*>(&world_state)), true);
} // namespace detail

// A communicator is a group of ranks. A default-constructed communicator, or one from split for a rank that is left out, is empty
// and can't be used.
class communicator {
public:
    constexpr communicator() = default;
    constexpr communicator(communicator const& other) : state_{other.state_} {
        if (is_counted()) state_->hold();
    }
    constexpr communicator(communicator&& other) noexcept : state_{std::exchange(other.state_, nullptr)} {}
    constexpr communicator& operator=(communicator other) noexcept {
        std::swap(state_, other.state_);
        return *this;
    }
    constexpr ~communicator() {
        if (is_counted()) state_->let_go();
    }

    // Makes a communicator of the ranks of `comm`, which may be freed after the call. All its ranks must call this.
    static communicator from(MPI_Comm comm) {
        require_open(detail::world_state, "communicator::from");
        if (comm == MPI_COMM_NULL)
            throw error("tx: mpi::communicator::from: needs a communicator that this rank is in; given MPI_COMM_NULL");
        detail::free_dropped();
        MPI_Comm made{};
        detail::require(MPI_Comm_dup(comm, &made), "communicator::from", detail::world_state.rank);
        return adopted(made);
    }

    constexpr bool is_empty() const { return state_ == nullptr; }
    std::int64_t rank() const { return open_state("communicator::rank").rank; }
    std::int64_t size() const { return open_state("communicator::size").size; }

    // Makes a communicator of the ranks that pass the same color, ordered by their keys, then by their ranks. A rank with a
    // negative color gets an empty one. All ranks must call this.
    communicator split(int color, int key = 0) const {
        return made_by(detail::rank_call::split, [&](MPI_Comm comm, MPI_Comm* made) {
            return MPI_Comm_split(comm, color < 0 ? MPI_UNDEFINED : color, key, made);
        });
    }
    // Makes a communicator of the same ranks, whose collectives can't be confused with this one's. All ranks must call this.
    communicator duplicate() const { return made_by(detail::rank_call::duplicate, &MPI_Comm_dup); }

    // Returns the library's MPI_Comm, for direct calls of MPI. The library uses the tags from 32701 to 32704.
    MPI_Comm native() const { return open_state("communicator::native").comm; }

    // Returns the functions that run its collectives. The address stays valid while there is a copy of the communicator.
    constexpr tx::detail::rank_transport const& transport() const { return known_state(); }

    // These return the rank and the size as tensors. In a trace they are operands whose values are read at each run.
    constexpr tensor<std::int64_t, shape<>> const& rank_value() const { return known_state().rank_value; }
    constexpr tensor<std::int64_t, shape<>> const& size_value() const { return known_state().size_value; }

    // Returns whether both are copies of one communicator.
    friend constexpr bool operator==(communicator const& a, communicator const& b) { return a.state_ == b.state_; }

private:
    friend constexpr communicator world();
    static constexpr char const* text_of_empty =
        "tx: mpi::communicator: this one has no ranks; split gives it to those with a negative color, who must not use it";

    constexpr explicit communicator(detail::communicator_state* state) : state_{state} {}

    constexpr bool is_counted() const { return state_ != nullptr && state_ != &detail::world_state; }
    constexpr detail::communicator_state const& known_state() const {
        if (state_ == nullptr) throw error(text_of_empty);
        return *state_;
    }
    detail::communicator_state& open_state(std::string_view function) const {
        if (state_ == nullptr) throw error(text_of_empty);
        require_open(*state_, function);
        return *state_;
    }
    template <class Make> communicator made_by(detail::rank_call call, Make const& make) const {
        detail::communicator_state& parent = open_state(name(call));
        if (detail::is_checked()) {
            detail::call_record record;
            record.function = call;
            detail::check_call(parent, record);
        }
        detail::taking_part const part(parent, call);
        detail::free_dropped();
        MPI_Comm made = MPI_COMM_NULL;
        detail::require(make(parent.comm, &made), name(call), parent.rank);
        return made == MPI_COMM_NULL ? communicator() : adopted(made);
    }
    static communicator adopted(MPI_Comm comm) {
        communicator out(new detail::communicator_state(detail::transport_by_mpi, 1));
        detail::open(*out.state_, comm);
        return out;
    }

    detail::communicator_state* state_ = nullptr;
};

// Returns the communicator of all ranks of the program.
constexpr communicator world() { return communicator(&detail::world_state); }

// Returns the number of this rank in a communicator, as an operand like any tensor: an int64 scalar. A static callable reads its
// rank in the world at each run.
constexpr tensor<std::int64_t, shape<>> const& rank(communicator const& among) { return among.rank_value(); }
// Returns the number of ranks of a communicator, as an operand: an int64 scalar, which a static callable reads at each run.
constexpr tensor<std::int64_t, shape<>> const& size(communicator const& among) { return among.size_value(); }

} // namespace tx::mpi
