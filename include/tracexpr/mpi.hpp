// This header includes sessions, communicators and collectives for many processes, through MPI. It needs the CMake target
// tracexpr::mpi, or MPI's compiler wrapper.
#pragma once

#include <tracexpr/base/config.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/mpi/data_parallel.hpp>
#include <tracexpr/mpi/halo.hpp>
#include <tracexpr/mpi/ops.hpp>
#include <tracexpr/mpi/session.hpp>
#include <tracexpr/mpi/sharded.hpp>
#include <tracexpr/mpi/stencil.hpp>
TRACEXPR_END_SHARED

// A communicator can be an argument of a function, as a tx::key can: the function is traced once for each.
template <> inline constexpr bool tx::detail::is_trace_value<tx::mpi::communicator> = true;
