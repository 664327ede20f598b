// tx::mpi::grid numbers ranks as the places of a grid in row-major order, and says which are neighbours. A grid consists of
// numbers and a communicator; making, copying and asking one communicates nothing.
#pragma once

#include <tracexpr/base/shape.hpp>
#include <tracexpr/mpi/collectives.hpp>

#include <array>
#include <string>
#include <utility>

namespace tx::mpi {
namespace detail {

inline dims to_dims(int const* extents, std::size_t axes) {
    dims out;
    for (std::size_t axis = 0; axis < axes; ++axis) out.push_back(extents[axis]);
    return out;
}

// Finds extents of at most `most` with this product, as equal as possible, in descending order; returns false where there are
// none.
inline bool balance(std::int64_t product, int axes, std::int64_t most, std::int64_t* extents) {
    if (axes == 0) return product == 1;
    for (std::int64_t extent = 1; extent <= most && extent <= product; ++extent) {
        std::int64_t reach = 1; // the largest product that extents up to this one can have
        for (int k = 0; k < axes && reach < product; ++k) reach *= extent;
        if (product % extent != 0 || reach < product) continue;
        extents[0] = extent;
        if (balance(product / extent, axes - 1, extent, extents + 1)) return true;
    }
    return false;
}

// Returns the extents of a grid of `ranks` places; a given extent of 0 is chosen.
inline dims extents_of_grid(dims const& given, std::int64_t ranks) {
    std::int64_t product = 1, chosen[max_rank]{};
    int open = 0;
    for (int axis = 0; axis < given.rank; ++axis) {
        if (given[axis] < 0)
            throw error("tx: mpi: grid: an extent must be positive, or 0 to be chosen; given " + to_string(given, "-1"));
        if (given[axis] == 0) ++open;
        else product *= given[axis];
    }
    if (open == 0 && product != ranks)
        throw error("tx: mpi: grid: there must be a place for each rank; given " + to_string(given) + ", " +
                    std::to_string(product) + " places, for " + std::to_string(ranks) + " ranks");
    if (ranks % product != 0 || !balance(ranks / product, open, ranks, chosen))
        throw error("tx: mpi: grid: the extents that are told must divide the number of ranks; given " + to_string(given) +
                    " for " + std::to_string(ranks) + " ranks");
    dims out = given;
    for (int axis = 0, next = 0; axis < out.rank; ++axis)
        if (given[axis] == 0) out[axis] = chosen[next++];
    return out;
}

} // namespace detail

// Chooses extents of a grid for so many ranks, as equal as possible, in descending order (MPI_Dims_create); extents that are not
// 0 are kept.
template <std::size_t Axes> std::array<int, Axes> balanced(int ranks, std::array<int, Axes> extents = {}) {
    dims const all = detail::extents_of_grid(detail::to_dims(extents.data(), Axes), ranks);
    for (std::size_t axis = 0; axis < Axes; ++axis) extents[axis] = static_cast<int>(all[static_cast<int>(axis)]);
    return extents;
}

// The options of tx::mpi::grid.
template <std::size_t Axes> struct grid_options {
    std::array<bool, Axes> periodic{}; // whether the first and the last place of an axis are neighbours
};

// Arranges the ranks of a communicator as a grid: grid(world, {2, 2}, {.periodic = {true, false}}). Extents of 0 are chosen so
// that the grid has a place for each rank: grid(world, {0, 0}). Throws tx::error where no extents fit.
template <communicator_like C, std::size_t Axes> class grid {
public:
    static_assert(Axes <= max_rank, "tx: mpi: grid: has at most 8 axes");
    static constexpr int axes = static_cast<int>(Axes);

    grid(C const& among, int const (&extents)[Axes], grid_options<Axes> const& options = {})
        : grid(among, std::to_array(extents), options) {}
    grid(C const& among, std::array<int, Axes> const& extents, grid_options<Axes> const& options = {})
        : among_{among}, extents_{balanced(static_cast<int>(among.transport().size), extents)}, options_{options} {}

    C const& communicator() const { return among_; }
    std::array<int, Axes> const& extents() const { return extents_; }
    bool is_periodic(int axis) const { return options_.periodic[checked(axis)]; }
    int rank() const { return static_cast<int>(among_.transport().rank); }
    int size() const { return static_cast<int>(among_.transport().size); }

    // Returns the coordinates of this rank, or of another one.
    std::array<int, Axes> coords() const { return coords(rank()); }
    std::array<int, Axes> coords(int of_rank) const {
        if (of_rank < 0 || of_rank >= size())
            throw error("tx: mpi: grid: coords(rank) needs a rank, 0 to " + std::to_string(size() - 1) + "; given " +
                        std::to_string(of_rank));
        std::array<int, Axes> out{};
        for (std::size_t axis = Axes; axis-- > 0; of_rank /= extents_[axis]) out[axis] = of_rank % extents_[axis];
        return out;
    }
    // Returns the rank at these coordinates, which wrap around on periodic axes; negative, which means nobody, beyond the ends of
    // other axes.
    int rank_at(std::array<int, Axes> const& place) const {
        int out = 0;
        for (std::size_t axis = 0; axis < Axes; ++axis) {
            int const extent = extents_[axis], rest = place[axis] % extent, around = rest < 0 ? rest + extent : rest;
            if (around != place[axis] && !options_.periodic[axis]) return -1;
            out = out * extent + around;
        }
        return out;
    }
    // Returns the rank that is `step` places away along an axis; negative, which means nobody, beyond the end of an axis that
    // isn't periodic.
    int neighbour(int axis, int step) const {
        std::array<int, Axes> place = coords();
        place[checked(axis)] += step;
        return rank_at(place);
    }

private:
    static std::size_t checked(int axis) {
        if (axis < 0 || axis >= axes)
            throw error("tx: mpi: grid: the axis must be one of the grid's, 0 to " + std::to_string(axes - 1) + "; given " +
                        std::to_string(axis));
        return static_cast<std::size_t>(axis);
    }

    C among_;
    std::array<int, Axes> extents_;
    grid_options<Axes> options_;
};

template <class G> inline constexpr bool is_grid = false;
template <communicator_like C, std::size_t Axes> inline constexpr bool is_grid<grid<C, Axes>> = true;
// These are the types tx::mpi::grid<...>.
template <class G> concept grid_type = is_grid<G>;

} // namespace tx::mpi
