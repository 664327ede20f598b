// This file includes grids of ranks that are threads, so that no test of them links MPI.
#pragma once

#include <rank_threads.hpp>
#include <tracexpr/mpi/stencil.hpp>
