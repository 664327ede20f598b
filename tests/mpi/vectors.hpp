// This file holds a vector on each rank, and the sums over all ranks.
#pragma once

#include <tracexpr/mpi.hpp>
#include <tracexpr/tracexpr.hpp>

using vec = tx::tensor<double, tx::shape<2>>;

inline vec mine() { return {1.0 + static_cast<double>(tx::mpi::world().rank()), 2}; }
inline double ranks() { return static_cast<double>(tx::mpi::world().size()); }
inline double total() { return ranks() * (ranks() + 1) / 2; }  // of the first elements
