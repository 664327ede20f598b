// Many processes: sessions, communicators and collectives through MPI. Needs the CMake target tracexpr::mpi, or MPI's compiler
// wrapper.
#pragma once

#include <tracexpr/base/config.hpp>

TRACEXPR_BEGIN_SHARED
#include <tracexpr/mpi/session.hpp>
TRACEXPR_END_SHARED
